"""However a run ends, the switch is as it was or as it should be, and the next run finishes the work."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conftest import ServedSwitch, ServeRack

ROOT = Path(__file__).parents[3]
# The factory's bridge holds every port, so another one makes the most of a change: added, moved and new members.
CHANGING: list[tuple[str, dict[str, Any]]] = [("ports", {}), ("bridge", {"name": "fabric"})]
SAID = ("was lost at", "no API answer from", "a fresh login failed")


def fresh(serve_rack: ServeRack, module: str) -> ServedSwitch:
    """Return a factory-fresh switch; one whose bridge lacks two of the members, for routeros_bridge."""
    switch = serve_rack()["crs812"]
    if module == "bridge":
        state = switch.crs.state
        path = "/interface/bridge/port"
        for row in [row for row in state.store.tables[path].rows if row.values["interface"].startswith("qsfp56-1-")]:
            switch.call(state.remove, path, row)
    return switch


def finished(state: dict[str, list[dict[str, str]]]) -> dict[str, list[dict[str, str]]]:
    """Return an export without ids: RouterOS gives none twice, also not that of a row that was undone."""
    return {
        path: [{key: value for key, value in row.items() if key != ".id"} for row in rows]
        for path, rows in state.items()
    }


def sentences_of(switch: ServedSwitch, work: Callable[[], object]) -> int:
    before = switch.crs.sentences
    work()
    return switch.crs.sentences - before


@pytest.mark.parametrize(("module", "changes"), CHANGING)
def test_a_session_that_dies_at_any_sentence_leaves_old_or_new(
    serve_rack: ServeRack, module: str, changes: dict[str, Any]
) -> None:
    whole = fresh(serve_rack, module)
    old = whole.export()
    total = sentences_of(whole, lambda: whole.run(module, **changes))
    new = whole.export()
    assert new != old
    died = 0
    for n in range(1, total + 1):
        switch = fresh(serve_rack, module)
        assert switch.export() == old
        switch.crs.faults.die_after = n
        outcome = switch.run(module, **changes)
        assert switch.crs.faults.die_after is None
        assert outcome.failed, f"sentence {n} of {total}"
        assert any(words in outcome.message for words in SAID), outcome.message
        assert "Traceback" not in outcome.text
        switch.settle()
        # What is read back after the release comes too late to undo.
        state = switch.export()
        assert state in (old, new), f"sentence {n} of {total}: neither old nor new"
        died += state == old
        again = switch.run(module, **changes)
        assert not again.failed, again.message
        assert again.changed == (state == old)
        assert finished(switch.export()) == finished(new)
        assert not switch.run(module, **changes).changed
    after_release = {"ports": 0, "bridge": 2}[module]
    assert died == total - after_release


@pytest.mark.parametrize(("module", "changes"), CHANGING)
def test_an_api_that_goes_down_for_good_at_any_sentence_leaves_old_or_new(
    serve_rack: ServeRack, module: str, changes: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when a new l2mtu takes the management port down: no login works until it is back."""
    whole = fresh(serve_rack, module)
    old = whole.export()
    total = sentences_of(whole, lambda: whole.run(module, **changes))
    new = whole.export()
    for n in range(2, total + 1, 2):
        switch = fresh(serve_rack, module)
        faults = switch.crs.faults
        arrived = count(1)

        def down(self: Any, faults: Any = faults, arrived: Any = arrived, n: int = n) -> bool:
            if self is faults and next(arrived) == n:
                faults.api_down = True
                return True
            return False

        with monkeypatch.context() as patch:
            patch.setattr(type(faults), "sentence_kills", down)
            assert switch.run(module, **changes).failed
        switch.settle()
        assert switch.export() in (old, new)
        faults.api_down = False
        assert not switch.run(module, **changes).failed
        assert finished(switch.export()) == finished(new)


# --- the process dies -----------------------------------------------------------------------------

CLIENT = """
import json, sys
from module_runner import run_module
run_module(sys.argv[1], json.load(sys.stdin))
"""


def start_client(switch: ServedSwitch, module: str, changes: dict[str, Any]) -> subprocess.Popen[str]:
    paths = [str(Path(__file__).parent), str(ROOT / "collections"), str(ROOT)]
    process = subprocess.Popen(
        [sys.executable, "-c", CLIENT, module],
        stdin=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)},
    )
    assert process.stdin
    process.stdin.write(json.dumps(switch.arguments(module) | changes | {"timeout": 30.0}))
    process.stdin.close()
    return process


@pytest.mark.parametrize(("module", "changes"), CHANGING)
@pytest.mark.parametrize("commands", [0, 1, 2])
def test_a_client_that_is_killed_leaves_old_or_new(
    serve_rack: ServeRack, module: str, changes: dict[str, Any], commands: int
) -> None:
    """Killed when safe mode is taken, and after each of two changes, while the switch has not answered yet."""
    switch = fresh(serve_rack, module)
    old = switch.export()
    faults = switch.crs.faults
    seen: list[str] = []
    execute = switch.crs.commands.execute

    def held(request: Any, caller: Any) -> Any:
        """From the wanted sentence on, answers are held back so that the client cannot get further."""
        answer = execute(request, caller)
        if switch.crs.safe_mode.enabled:
            seen.append(request.word)
            if len(seen) > commands:
                faults.stall = 60.0
        return answer

    switch.crs.commands.execute = held  # type: ignore[method-assign]
    process = start_client(switch, module, changes)
    try:
        switch.wait_for(lambda: len(seen) > commands)
        assert seen[0] == "/safe-mode/take"
        assert (switch.export() != old) == bool(commands)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait(10)
    switch.settle()
    assert switch.export() == old
    faults.stall = 0.0
    switch.crs.commands.execute = execute  # type: ignore[method-assign]
    assert switch.run(module, **changes).changed
    assert not switch.run(module, **changes).changed


# --- somebody else is at work ---------------------------------------------------------------------


def test_a_change_of_another_session_meanwhile_stays_when_the_run_succeeds(switch: ServedSwitch) -> None:
    admits = switch.crs.admits
    other = switch.session()

    def meddle(name: str, password: str | None) -> bool:
        if switch.crs.safe_mode.enabled:
            switch.crs.configure("/interface/ethernet", "sfp56-1", comment="mine")
        return admits(name, password)

    switch.crs.admits = meddle  # type: ignore[method-assign]
    with other:
        assert switch.run("ports").changed
        assert ["!re", "=comment=mine"] in other.ask(
            "/interface/ethernet/print", "=.proplist=comment", "?default-name=sfp56-1"
        )
    assert not switch.run("ports").changed


def test_a_change_of_another_session_that_undoes_ours_is_seen(switch: ServedSwitch) -> None:
    """Somebody sets a port back between our sentence and our look: what we proved would not be so."""
    old = switch.export()
    execute = switch.crs.commands.execute
    prints: list[str] = []

    def meddle(request: Any, caller: Any) -> Any:
        if switch.crs.safe_mode.enabled and request.word.endswith("/print"):
            prints.append(request.word)
            switch.crs.configure("/interface/ethernet", "qsfp56-1-1", speed="50G-baseCR2")
        return execute(request, caller)

    switch.crs.commands.execute = meddle  # type: ignore[method-assign]
    outcome = switch.run("ports")
    assert outcome.failed
    assert "qsfp56-1-1 speed=50G-baseCR2" in outcome.message
    assert "put back as it was" in outcome.message
    assert prints
    switch.crs.commands.execute = execute  # type: ignore[method-assign]
    switch.settle()
    assert switch.export() == old


def test_two_runs_at_once_do_not_mix(rack: dict[str, ServedSwitch]) -> None:
    """The second finds safe mode taken, changes nothing, and has nothing to do once the first is through."""
    switch = rack["crs812"]
    first = start_client(switch, "ports", {})
    outcomes = []
    while first.poll() is None:
        outcomes.append(switch.run("ports"))
    assert first.wait(10) == 0
    for outcome in outcomes:
        assert not outcome.failed or "somebody else may hold it" in outcome.message, outcome.message
    switch.settle()
    assert not switch.run("ports").changed
