# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes under RouterOS safe mode: all of them take hold, or none does.

``/safe-mode/take`` binds what follows to the session: when the session dies, the device undoes it by
itself. So the order is take, change, read back, prove that a fresh login works, release. Whatever
fails before the release leaves the switch as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NoReturn

from ansible_collections.sparkloom.cluster.plugins.module_utils.routeros.engine import Command
from ansible_collections.sparkloom.cluster.plugins.module_utils.routeros.session import (
    RouterosError,
    Session,
    TrapError,
    UnreachableError,
)

UNDONE = "the switch was put back as it was"
STANDS = "safe mode had ended meanwhile, so what was changed by then stands; the next run finishes the work"
UNDOES_ITSELF = (
    "the switch undoes by itself what was changed in this session (safe mode); run again once it answers, "
    "the next run finishes the work"
)


def apply(session: Session, commands: Sequence[Command], remaining: Callable[[], Sequence[str]]) -> None:
    """Carry out ``commands`` under safe mode.

    ``remaining`` reads the switch again and names what still differs. Raises RouterosError that says what
    went wrong and in which state the switch is.
    """
    _take(session)
    try:
        for command in commands:
            session.call(command.word, command.attributes)
        _read_back(remaining())
        _prove_login(session)
    except UnreachableError as error:
        raise UnreachableError(f"{error}; {UNDOES_ITSELF}") from None
    except RouterosError as error:
        _give_up(session, error)
    try:
        session.call("/safe-mode/release")
    except UnreachableError as error:
        raise UnreachableError(
            f"{error}; whether the change was kept is not known, the next run sees and finishes it"
        ) from None
    except RouterosError as error:
        _give_up(session, error)


def _take(session: Session) -> None:
    try:
        session.call("/safe-mode/take")
    except TrapError as error:
        if "no such command" in error.message:
            raise RouterosError(
                f"{session.target} has no safe mode over the API; it needs RouterOS 7.18 or later, nothing was changed"
            ) from None
        if "not enough permissions" in error.message:
            raise RouterosError(
                f"user {session.target.username} of {session.target} may not change it ({error.message}); give the "
                "user's group the policies read, write, api and test, nothing was changed"
            ) from None
        raise RouterosError(
            f"safe mode of {session.target} cannot be taken ({error.message}): somebody else may hold it; end that "
            "session or run /safe-mode/release on the switch, nothing was changed"
        ) from None


def _read_back(left: Sequence[str]) -> None:
    if left:
        raise RouterosError(f"the switch took the change but shows something else: {'; '.join(left)}")


def _prove_login(session: Session) -> None:
    """Log in afresh before the change becomes permanent: a switch that locked us out must go back."""
    try:
        with Session(session.target) as second:
            second.call("/system/identity/print")
    except RouterosError as error:
        raise RouterosError(f"after the change a fresh login failed: {error}") from None


def _give_up(session: Session, reason: RouterosError) -> NoReturn:
    """Undo, and say why and whether that worked."""
    try:
        held = session.call("/safe-mode/print")[0].get("enabled") not in {"false", "no"}
        if held:
            session.call("/safe-mode/unroll")
    except RouterosError as error:
        raise UnreachableError(f"{reason}; then {error}; {UNDOES_ITSELF}") from None
    # Another session can end safe mode, and so does a history that is full: what was changed then stands.
    raise RouterosError(f"{reason}; {UNDONE if held else STANDS}") from None
