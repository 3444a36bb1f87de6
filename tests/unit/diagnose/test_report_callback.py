"""The callback in real runs of ansible-playbook: what it shows, what it writes, and what the run exits with."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.judgement import judge
from seen_rack import Rack, declared

ROOT = Path(__file__).parents[3]
ANSIBLE = Path(sys.executable).parent / "ansible-playbook"

# A stand-in for the action judge: it returns a judgement that the test made.
FAKE_JUDGE = """
from ansible.plugins.action import ActionBase
import json

class ActionModule(ActionBase):
    def run(self, tmp=None, task_vars=None):
        with open(self._task.args["path"]) as made:
            return {"changed": False, "judgement": json.load(made)}
"""


def run(folder: Path, name: str, tasks: str, **environment: str) -> subprocess.CompletedProcess[str]:
    playbooks = folder / "playbooks"
    (playbooks / "action_plugins").mkdir(parents=True, exist_ok=True)
    (playbooks / "action_plugins/fake_judge.py").write_text(FAKE_JUDGE)
    (playbooks / "library").mkdir(exist_ok=True)
    (playbooks / "library/fake_judge.py").write_text("")
    play = f"- hosts: localhost\n  gather_facts: false\n  connection: local\n  check_mode: true\n  tasks:\n{tasks}"
    (playbooks / name).write_text(play)
    return subprocess.run(
        [str(ANSIBLE), "-i", "localhost,", str(playbooks / name)],
        cwd=folder,
        env={
            **os.environ,
            "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg"),
            "ANSIBLE_INVENTORY_ENABLED": "host_list",
            "ANSIBLE_NOCOLOR": "1",
            "SPARKLOOM_REPORT_DIR": str(folder / "reports"),
            **environment,
        },
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def judgement(rack: Rack, folder: Path, use: Any = "doctor", cluster: str = "spark8") -> str:
    made, _findings = judge(use, cluster, declared(rack.plan), rack.evidence)
    path = folder / f"{cluster}.json"
    path.write_text(json.dumps(made))
    return f"    - fake_judge: {{path: {path}}}\n"


def test_in_order(rack: Rack, tmp_path: Path) -> None:
    done = run(tmp_path, "doctor.yml", judgement(rack, tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "✓ spark8: in order" in done.stdout
    assert json.loads((tmp_path / "reports/spark8/report.json").read_text())["verdict"] == "ok"


def test_findings(rack: Rack, tmp_path: Path) -> None:
    rack.rail("spark-5", "A")["mtu"] = 1500
    done = run(tmp_path, "doctor.yml", judgement(rack, tmp_path))
    assert done.returncode == 1, done.stdout + done.stderr
    assert "SL302 spark-5 enp1s0f1np1" in done.stdout


def test_open_questions(rack: Rack, tmp_path: Path) -> None:
    rack.without("spark-5", clock="no answer")
    assert run(tmp_path, "doctor.yml", judgement(rack, tmp_path)).returncode == 2


def test_several_clusters_exit_with_the_worst(rack: Rack, tmp_path: Path) -> None:
    tasks = judgement(rack, tmp_path)
    rack.without("spark-5", clock="no answer")
    tasks += judgement(rack, tmp_path, cluster="second")
    rack.rail("spark-5", "A")["mtu"] = 1500
    done = run(tmp_path, "doctor.yml", judgement(rack, tmp_path, cluster="third") + tasks)
    assert done.returncode == 1
    assert [done.stdout.count(f"{name}:") for name in ("spark8", "second", "third")] == [1, 1, 1]


def test_changes_count_in_a_drift_run_alone(rack: Rack, tmp_path: Path) -> None:
    made = judgement(rack, tmp_path, "drift").replace("spark8.json", "drift.json")
    document = json.loads((tmp_path / "spark8.json").read_text())
    document["rack"]["nodes"][0]["name"] = "localhost"
    (tmp_path / "drift.json").write_text(json.dumps(document))
    change = (
        f"    - {{name: Write a file, ansible.builtin.copy: {{dest: {tmp_path}/new, content: drifted}}, diff: true}}\n"
    )
    done = run(tmp_path, "drift.yml", change + made)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "1 change that site.yml would make" in done.stdout
    assert "+drifted" in done.stdout
    (tmp_path / "drift.json").write_text(json.dumps({**document, "kind": "doctor"}))
    assert run(tmp_path, "doctor.yml", change + made).returncode == 0


@pytest.mark.parametrize("name", ["doctor.yml", "verify.yml", "drift.yml"])
def test_a_run_that_judged_nothing_could_not_tell(tmp_path: Path, name: str) -> None:
    done = run(tmp_path, name, "    - ansible.builtin.debug: {msg: hello}\n")
    assert done.returncode == 2
    assert "could not tell" in done.stdout


def test_another_run_is_left_alone(tmp_path: Path) -> None:
    done = run(tmp_path, "site.yml", "    - ansible.builtin.debug: {msg: hello}\n")
    assert done.returncode == 0
    assert "could not tell" not in done.stdout
    assert not (tmp_path / "reports").exists()


def test_a_folder_that_cannot_be_written_is_said(rack: Rack, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = run(tmp_path, "doctor.yml", judgement(rack, tmp_path), SPARKLOOM_REPORT_DIR=str(tmp_path / "file"))
    assert done.returncode == 0
    assert "cannot be written" in done.stdout + done.stderr
