"""What goes wrong is said in words, leaves the switch as it was, and never shows the password."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest
from module_runner import Outcome

if TYPE_CHECKING:
    from conftest import ServedSwitch, ServeRack

CHANGING: list[tuple[str, dict[str, Any]]] = [("ports", {}), ("bridge", {"name": "fabric"})]
EVERY: list[tuple[str, dict[str, Any]]] = [("facts", {}), *CHANGING, ("links", {"wait": 0.0})]
VIEWER: dict[str, Any] = {"username": "viewer", "password": "sparkloom-lab-viewer"}


def assert_failed_untouched(switch: ServedSwitch, outcome: Outcome, before: Any, *words: str) -> None:
    assert outcome.failed
    for part in words:
        assert part in outcome.message
    assert "Traceback" not in outcome.text
    switch.settle()
    assert switch.export() == before


@pytest.fixture
def before(switch: ServedSwitch) -> Any:
    return switch.export()


# --- logging in -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("module", "changes"), EVERY)
@pytest.mark.parametrize("password", ["w0rd-nobody-may-see", 'quo"te\\ \u00fcml\u00e4ut \U0001f511', "two\nlines"])
def test_a_bad_login_is_said_and_no_password_is_shown(
    switch: ServedSwitch, before: Any, module: str, changes: dict[str, Any], password: str
) -> None:
    outcome = switch.run(module, **changes, password=password)
    assert_failed_untouched(switch, outcome, before, f"127.0.0.1:{switch.port} refuses user admin: ")
    assert "check routeros_username and routeros_password" in outcome.message
    assert password not in outcome.text
    assert password.encode("unicode_escape").decode() not in outcome.text


@pytest.mark.parametrize(("module", "changes"), EVERY)
@pytest.mark.parametrize("check", [True, False])
def test_no_password_is_in_a_result_or_a_diff(
    rack: dict[str, ServedSwitch], module: str, changes: dict[str, Any], check: bool
) -> None:
    switch = rack["crs812"]
    assert switch.connection["password"] not in switch.run(module, **changes, check=check).text


def test_an_empty_password_is_a_bad_login(switch: ServedSwitch, before: Any) -> None:
    assert_failed_untouched(switch, switch.run("ports", password=""), before, "refuses user admin")


@pytest.mark.parametrize(("module", "changes"), CHANGING)
def test_a_user_who_may_only_read_changes_nothing(
    switch: ServedSwitch, before: Any, module: str, changes: dict[str, Any]
) -> None:
    outcome = switch.run(module, **changes, **VIEWER)
    assert_failed_untouched(switch, outcome, before, "not enough permissions", "user viewer", "nothing was changed")


@pytest.mark.parametrize(("module", "changes"), EVERY)
def test_a_user_who_may_only_read_may_look(switch: ServedSwitch, module: str, changes: dict[str, Any]) -> None:
    assert not switch.run(module, **changes, **VIEWER, check=True).failed


# --- a switch that is not there -------------------------------------------------------------------


@pytest.mark.parametrize(("module", "changes"), EVERY)
def test_an_api_that_is_down_is_said(switch: ServedSwitch, before: Any, module: str, changes: dict[str, Any]) -> None:
    switch.crs.faults.api_down = True
    outcome = switch.run(module, **changes)
    assert_failed_untouched(switch, outcome, before, f"no API answer from 127.0.0.1:{switch.port}", "/ip/service api ")


def test_a_closed_port_is_said(switch: ServedSwitch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as idle:
        port = idle.getsockname()[1]
    outcome = switch.run("facts", port=port)
    assert outcome.failed
    assert f"no API answer from 127.0.0.1:{port}: " in outcome.message
    assert "refused" in outcome.message


def test_a_name_that_does_not_resolve_is_said(switch: ServedSwitch) -> None:
    outcome = switch.run("facts", host="no-such-switch.invalid")
    assert outcome.failed
    assert "no API answer from no-such-switch.invalid:" in outcome.message


@pytest.fixture
def babbler() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server


def test_a_port_that_speaks_something_else_is_said(switch: ServedSwitch, babbler: socket.socket) -> None:
    outcome = switch.run("facts", port=babbler.getsockname()[1], timeout=0.2)
    assert outcome.failed
    assert "timed out" in outcome.message


@pytest.mark.parametrize(("module", "changes"), EVERY)
def test_a_switch_that_does_not_answer_in_time_is_said(
    switch: ServedSwitch, before: Any, module: str, changes: dict[str, Any]
) -> None:
    switch.crs.faults.stall = 1.0
    started = time.monotonic()
    outcome = switch.run(module, **changes, timeout=0.1)
    assert time.monotonic() - started < 1.0
    assert_failed_untouched(switch, outcome, before, "no API answer", "timed out")


# --- a switch that is not the one -----------------------------------------------------------------


def test_another_model_is_refused(rack: dict[str, ServedSwitch]) -> None:
    outcome = rack["crs804"].run("facts", model="CRS812-8DS-2DQ-2DDQ")
    assert outcome.failed
    assert outcome.message == (
        f"the switch at 127.0.0.1:{rack['crs804'].port} is a CRS804-4DDQ, the cluster file declares a "
        "CRS812-8DS-2DQ-2DDQ; correct its model or address"
    )


@pytest.mark.parametrize("module", ["ports", "bridge"])
def test_ports_that_the_switch_lacks_are_named(rack: dict[str, ServedSwitch], module: str) -> None:
    other = rack["crs804"]
    before = other.export()
    ours = {key: rack["crs812"].arguments(module)[key] for key in {"ports": ("ports",), "bridge": ("members",)}[module]}
    outcome = other.run(module, **ours)
    assert_failed_untouched(other, outcome, before, "has no port qsfp56-1-1", "is it the declared model?")


def test_a_routeros_that_is_too_old_is_refused(serve_rack: ServeRack) -> None:
    outcome = serve_rack(version="7.17.2")["crs812"].run("facts")
    assert outcome.failed
    assert "runs RouterOS 7.17.2" in outcome.message
    assert "needs 7.18 or later; upgrade it, then its firmware" in outcome.message


@pytest.mark.parametrize(("module", "changes"), CHANGING)
def test_a_routeros_without_safe_mode_is_left_alone(
    serve_rack: ServeRack, module: str, changes: dict[str, Any]
) -> None:
    switch = serve_rack(version="7.17.2")["crs812"]
    before = switch.export()
    outcome = switch.run(module, **changes)
    assert outcome.failed
    assert "has no safe mode over the API; it needs RouterOS 7.18 or later, nothing was changed" in outcome.message
    assert switch.export() == before


# --- changes that do not go through ---------------------------------------------------------------


@pytest.mark.parametrize(("module", "changes"), CHANGING)
def test_safe_mode_held_by_somebody_else_is_respected(
    switch: ServedSwitch, before: Any, module: str, changes: dict[str, Any]
) -> None:
    with switch.session() as other:
        assert other.ask("/safe-mode/take")[-1] == ["!done"]
        outcome = switch.run(module, **changes)
        assert outcome.failed
        assert "somebody else may hold it" in outcome.message
        assert "nothing was changed" in outcome.message
        assert switch.export() == before
        assert other.ask("/safe-mode/release")[-1] == ["!done"]
    assert switch.run(module, **changes).changed


REFUSED_COMMANDS = [
    ("ports", {}, "/interface/ethernet/set"),
    ("bridge", {"name": "fabric"}, "/interface/bridge/port/set"),
    ("bridge", {"name": "fabric"}, "/interface/bridge/add"),
    ("ports", {}, "/safe-mode/release"),
]


@pytest.mark.parametrize(("module", "changes", "command"), REFUSED_COMMANDS)
def test_a_refusal_in_the_middle_is_unrolled_at_once(
    switch: ServedSwitch, before: Any, module: str, changes: dict[str, Any], command: str
) -> None:
    switch.crs.faults.refuse[command] = "failure: some reason"
    outcome = switch.run(module, **changes)
    assert outcome.failed
    assert f"{command}: failure: some reason" in outcome.message
    assert "the switch was put back as it was" in outcome.message
    assert not switch.crs.safe_mode.enabled
    assert switch.export() == before
    del switch.crs.faults.refuse[command]
    assert switch.run(module, **changes).changed
    assert not switch.run(module, **changes).changed


@pytest.mark.parametrize(("module", "changes"), CHANGING)
def test_a_refusal_that_cannot_be_unrolled_is_undone_by_the_switch_itself(
    switch: ServedSwitch, before: Any, module: str, changes: dict[str, Any]
) -> None:
    command = {"ports": "/interface/ethernet/set", "bridge": "/interface/bridge/port/set"}[module]
    switch.crs.faults.refuse |= {command: "failure: some reason", "/safe-mode/unroll": "failure: not now"}
    outcome = switch.run(module, **changes)
    assert_failed_untouched(switch, outcome, before, "the switch undoes by itself")


def test_a_login_that_stops_working_takes_the_change_back(
    switch: ServedSwitch, before: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after a change that locks the controller out: the session that holds safe mode lives on, a new one does not."""
    admits = switch.crs.admits
    logins = []

    def once(name: str, password: str | None) -> bool:
        logins.append(name)
        return len(logins) == 1 and admits(name, password)

    monkeypatch.setattr(switch.crs, "admits", once)
    outcome = switch.run("ports")
    assert_failed_untouched(switch, outcome, before, "after the change a fresh login failed", "put back as it was")
    assert len(logins) == 2


def test_a_setting_that_does_not_take_is_seen_and_taken_back(
    switch: ServedSwitch, before: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    change = switch.crs.state.change

    def deaf(path: str, row: Any, changes: dict[str, str | None]) -> None:
        change(path, row, {key: value for key, value in changes.items() if key != "fec-mode"})

    monkeypatch.setattr(switch.crs.state, "change", deaf)
    outcome = switch.run("ports")
    assert_failed_untouched(switch, outcome, before, "shows something else", "fec-mode=auto", "put back as it was")


def test_safe_mode_that_somebody_ended_is_not_claimed_to_have_put_anything_back(
    switch: ServedSwitch, before: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(switch.crs, "admits", _admits_until_safe_mode(switch))
    outcome = switch.run("ports")
    assert outcome.failed
    assert "safe mode had ended meanwhile, so what was changed by then stands" in outcome.message
    assert "put back" not in outcome.message
    assert switch.export() != before
    monkeypatch.undo()
    assert not switch.run("ports").failed


def _admits_until_safe_mode(switch: ServedSwitch) -> Callable[[str, str | None], bool]:
    """Refuse the login that proves the change, and end safe mode as another session may."""
    admits = switch.crs.admits

    def admit(name: str, password: str | None) -> bool:
        if switch.crs.safe_mode.enabled:
            switch.crs.safe_mode.release()
            return False
        return admits(name, password)

    return admit


# --- links ----------------------------------------------------------------------------------------


def test_links_that_do_not_rise_fail_in_words_after_the_wait(switch: ServedSwitch) -> None:
    outcome = switch.run("links", wait=0.1)
    assert outcome.failed
    assert f"links of 127.0.0.1:{switch.port} are not as declared\n" in outcome.message
    assert "  rate:     50G seen, 200G expected\n" in outcome.message
    assert "between crs812/qsfp56-1 and spark-3/1" in outcome.message
    assert len(outcome.result["links"]) == len(switch.variables["switch_links"])


def test_links_are_looked_at_once_in_check_mode_and_do_not_fail(switch: ServedSwitch) -> None:
    outcome = switch.run("links", check=True, wait=60.0)
    assert not outcome.failed
    # Between switches auto-negotiation finds 400G by itself, towards a Spark it does not find 200G.
    assert [link["port"] for link in outcome.result["links"] if link["up"]] == ["qsfp56-dd-1-1"]
    assert outcome.result["sentences"] == 3


def test_links_may_be_looked_at_without_failing(switch: ServedSwitch) -> None:
    assert not switch.run("links", wait=0.0, fail=False).failed
