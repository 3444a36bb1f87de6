import os
import re
import subprocess
import sys
from pathlib import Path

PLAYBOOK = Path(__file__).with_name("community.yml")
PLAY = Path(sys.executable).with_name("ansible-playbook")


def play(served, folder):
    config = folder / "ansible.cfg"
    config.write_text("[defaults]\nstdout_callback = default\n", encoding="utf-8")
    environment = {key: value for key, value in os.environ.items() if not key.startswith("ANSIBLE_")}
    environment |= {"ANSIBLE_CONFIG": str(config), "ANSIBLE_HOME": str(folder), "ANSIBLE_NOCOLOR": "1"}
    variables = ["-e", f"host={served.host}", "-e", f"port={served.port}"]
    variables += ["-e", f"ansible_python_interpreter={sys.executable}"]
    run = subprocess.run(
        [PLAY, "-i", "localhost,", *variables, PLAYBOOK],
        env=environment,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    return int(re.search(r"changed=(\d+)", run.stdout)[1]), run.stdout


def test_a_second_run_changes_nothing(served, tmp_path):
    changed, output = play(served, tmp_path)
    assert changed == 7, output
    before = served.call(served.crs.export)
    changed, output = play(served, tmp_path)
    assert changed == 0, output
    assert served.call(served.crs.export) == before
    port = served.call(served.crs.port_settings)["qsfp56-1-1"]
    assert (port.speed, port.auto_negotiation, port.mtu, port.l2mtu) == ("200G-baseCR4", False, 9000, 9216)
