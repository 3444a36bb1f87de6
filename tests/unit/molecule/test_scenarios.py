"""Every role that changes a host is tried on one: a molecule scenario with its whole sequence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[3]
# observe and preflight only look; switch talks to a switch and is tried on the virtual CRS.
ELSEWHERE = {"observe", "preflight", "switch"}
ROLES = sorted(path.name for path in (ROOT / "roles").iterdir() if path.is_dir() and path.name not in ELSEWHERE)
SCENARIOS = sorted(path.parent for path in (ROOT / "molecule").glob("*/molecule.yml"))


def load(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def test_every_role_that_changes_a_host_has_a_scenario() -> None:
    assert [path.name for path in SCENARIOS] == ROLES


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda path: path.name)
class TestScenario:
    def test_it_proves_what_a_role_promises(self, scenario: Path) -> None:
        steps = load(scenario / "molecule.yml")["scenario"]["test_sequence"]
        assert steps == [
            "destroy",
            "create",
            "prepare",
            "check",
            "side_effect",
            "converge",
            "idempotence",
            "verify",
            "destroy",
        ]

    def test_each_step_has_its_playbook(self, scenario: Path) -> None:
        for name in ("prepare", "converge", "verify"):
            assert (scenario / f"{name}.yml").is_file()
        for playbook in load(scenario / "molecule.yml")["ansible"]["playbooks"].values():
            assert (scenario / playbook).is_file()

    def test_check_mode_is_compared_with_a_fresh_node(self, scenario: Path) -> None:
        playbooks = load(scenario / "molecule.yml")["ansible"]["playbooks"]
        assert playbooks["side_effect"] == "../common/untouched.yml"
        plays = load(scenario / "prepare.yml")
        assert plays[-1].get("ansible.builtin.import_playbook") == "../common/remember.yml"

    def test_it_says_what_containers_cannot_prove(self, scenario: Path) -> None:
        lines = (scenario / "molecule.yml").read_text(encoding="utf-8").splitlines()
        assert lines[1].startswith("# ")

    def test_its_hosts_come_from_cluster_files(self, scenario: Path) -> None:
        arguments = load(scenario / "molecule.yml")["ansible"]["executor"]["args"]["ansible_playbook"]
        files = [ROOT / argument.removeprefix("--inventory=${MOLECULE_PROJECT_DIRECTORY}/") for argument in arguments]
        assert files[0].name.endswith(".cluster.yml")
        assert all(file.is_file() for file in files)

    def test_it_converges_the_role_by_its_full_name(self, scenario: Path) -> None:
        text = (scenario / "converge.yml").read_text(encoding="utf-8")
        assert f"sparkloom.cluster.{scenario.name}" in text
        assert all(play["become"] for play in load(scenario / "converge.yml"))
