# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One API session with a switch: librouteros for the wire, exact strings for the values.

librouteros turns ``yes``, ``100`` or ``true`` into Python values, also in names and comments; a
comparison would then be of something else than the device said. Here every value stays the text that
came over the wire. A session that timed out is closed and never used again, since the late answer
would be taken for the next one.
"""

from __future__ import annotations

import functools
import ssl
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

try:
    from librouteros import connect
    from librouteros.api import Api
    from librouteros.exceptions import LibRouterosError

    LIBROUTEROS_ERROR: ImportError | None = None
except ImportError as error:  # Said in words by the module that needs it.
    Api = object
    LibRouterosError = Exception
    LIBROUTEROS_ERROR = error

Row = dict[str, str]


class RouterosError(Exception):
    """Something went wrong with a switch, in words for its owner."""


class UnreachableError(RouterosError):
    """The switch did not answer, or the connection to it was lost."""


class LoginError(RouterosError):
    """The switch refused the user."""


class TrapError(RouterosError):
    """The switch refused a command; ``message`` is what it said."""

    def __init__(self, command: str, message: str) -> None:
        super().__init__(f"{command}: {message}")
        self.command = command
        self.message = message


@dataclass(frozen=True, slots=True)
class Target:
    """Where a switch is and who logs in; ``timeout`` in seconds."""

    host: str
    port: int
    username: str
    password: str
    tls: bool = True
    ca_path: str | None = None
    timeout: float = 15.0

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"

    def __repr__(self) -> str:
        return f"Target({self})"  # Never the password.


class _ExactApi(Api):  # type: ignore[misc]
    """librouteros' Api with values as they come over the wire."""

    def readSentence(self) -> tuple[str, Row]:  # noqa: N802 - librouteros' name.
        reply, words = self.protocol.readSentence()
        row: Row = {}
        for word in words:
            if word.startswith("="):
                name, _equals, value = word[1:].partition("=")
                row[name] = value
        return reply, row

    def readResponse(self) -> list[Row]:  # noqa: N802 - librouteros' name.
        rows: list[Row] = []
        traps: list[str] = []
        reply = ""
        while reply != "!done":
            reply, row = self.readSentence()
            if reply == "!trap":
                traps.append(row.get("message", "refused without a reason"))
            elif reply in {"!re", "!done"} and row:
                rows.append(row)
        if traps:
            raise TrapError("", "; ".join(" ".join(trap.split()) for trap in traps))
        return rows


def words_of(attributes: Mapping[str, str]) -> list[str]:
    """Return attribute words, ``=name=value``."""
    return [f"={name}={value}" for name, value in attributes.items()]


class Session:
    """A logged-in connection. Use it as a context manager; ``sentences`` counts what was sent."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self.sentences = 0
        self._api: Any = None

    def __enter__(self) -> Self:
        self.open()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def open(self) -> None:
        """Connect and log in. Raises UnreachableError or LoginError."""
        target = self.target
        wrapper = self._wrapper()
        try:
            self.sentences += 1
            self._api = connect(
                target.host,
                target.username,
                target.password,
                port=target.port,
                timeout=target.timeout,
                encoding="UTF-8",
                subclass=_ExactApi,
                ssl_wrapper=wrapper,
            )
        except TrapError as error:
            raise LoginError(
                f"{target} refuses user {target.username}: {error.message}; check routeros_username and "
                "routeros_password, and that the user's group has the policy api"
            ) from None
        except ssl.SSLCertVerificationError as error:
            raise UnreachableError(
                f"the certificate of {target} is not trusted: {error.verify_message}; set ca_path of the switch to the "
                "CA that signed it, and reach the switch by a name or address that is in the certificate"
            ) from None
        except ssl.SSLError as error:
            raise UnreachableError(
                f"{target} does not speak TLS that can be verified ({error.reason or error}); give /ip/service api-ssl a "
                "certificate, or set tls: false where the management network is trusted"
            ) from None
        except (LibRouterosError, OSError) as error:
            raise UnreachableError(
                f"no API answer from {target}: {_reason(error)}; check the address, that /ip/service "
                f"{'api-ssl' if target.tls else 'api'} is enabled and that its address list lets this machine in"
            ) from None

    def _wrapper(self) -> Any:
        if not self.target.tls:
            return None
        try:
            context = ssl.create_default_context(cafile=self.target.ca_path)
        except OSError as error:  # An SSLError is one as well.
            reason = "it holds no certificate" if isinstance(error, ssl.SSLError) else error.strerror
            raise RouterosError(f"ca_path {self.target.ca_path} cannot be used: {reason}") from None
        return functools.partial(context.wrap_socket, server_hostname=self.target.host)

    def call(self, command: str, attributes: Mapping[str, str] | None = None, extra: Sequence[str] = ()) -> list[Row]:
        """Send one sentence and return its rows. Raises TrapError, or UnreachableError and is closed."""
        if self._api is None:
            raise UnreachableError(f"the connection to {self.target} is closed")
        self.sentences += 1
        try:
            return list(self._api.rawCmd(command, *words_of(attributes or {}), *extra))
        except TrapError as error:
            raise TrapError(command, error.message) from None
        except (LibRouterosError, OSError, ValueError, IndexError) as error:
            self.close()
            raise UnreachableError(f"the connection to {self.target} was lost at {command}: {_reason(error)}") from None

    def table(self, path: str, proplist: Sequence[str]) -> list[Row]:
        """Return the rows of a path with the named properties; absent ones are missing."""
        return self.call(f"{path}/print", {".proplist": ",".join(proplist)})

    def close(self) -> None:
        if self._api is not None:
            self._api.close()
            self._api = None


def _reason(error: BaseException) -> str:
    if isinstance(error, TimeoutError):
        return "timed out"
    return str(error) or type(error).__name__
