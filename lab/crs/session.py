"""One client's connection: login, sentences in, replies out, tags and cancelling."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Iterable
from typing import TYPE_CHECKING

from . import requests
from .codec import Decoder, FramingError, encode_sentence
from .commands import Caller, Done, Stream
from .errors import Fatal, Trap, failure, interrupted
from .requests import Request
from .store import Values

if TYPE_CHECKING:
    from .device import VirtualCrs

# The device limits number and size of sentences ahead of the login; the numbers are not documented.
_GUEST_WORD, _GUEST_WORDS, _GUEST_SENTENCES = 1024, 16, 16
_USER_WORD, _USER_WORDS = 4 * 1024 * 1024, 4096
_EMPTY_SINCE = (7, 18)
_REFUSED = "invalid user name or password (6)"


class Session(asyncio.Protocol):
    """The API as one client sees it."""

    def __init__(self, device: VirtualCrs, service: str) -> None:
        self._device = device
        self._service = service
        self._decoder = Decoder(_GUEST_WORD, _GUEST_WORDS)
        self._transport: asyncio.Transport | None = None
        self._guest_sentences = 0
        self._streams: dict[str, asyncio.Task[None]] = {}
        self._untagged = 0
        self.user: str | None = None
        self.closed = asyncio.Event()

    # --- connection ----------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._device.sessions.add(self)
        if self._device.faults.api_down:
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - the protocol's signature.
        self._transport = None
        for task in self._streams.values():
            task.cancel()
        self._device.gone(self)
        self.closed.set()

    def abort(self) -> None:
        """Cut the connection as a failing network would: without a word."""
        if self._transport is not None:
            self._transport.abort()

    def connection(self) -> tuple[str, str, str]:
        """Return service, local and remote address."""
        if self._transport is None:
            return self._service, "", ""
        local, remote = (self._transport.get_extra_info(key) for key in ("sockname", "peername"))
        return self._service, f"{local[0]}:{local[1]}", f"{remote[0]}:{remote[1]}"

    def data_received(self, data: bytes) -> None:
        try:
            for sentence in self._decoder.feed(data):
                if self._transport is None or self._transport.is_closing():
                    return
                self._sentence(requests.parse(sentence))
        except FramingError as error:
            self._end(str(error))
        except Fatal as fatal:
            self._end(str(fatal))

    def _end(self, reason: str) -> None:
        """Say ``!fatal`` with a bare reason and hang up."""
        self._write([b"!fatal", reason.encode()])
        if self._transport is not None:
            self._transport.close()

    # --- sentences -----------------------------------------------------------------------------

    def _sentence(self, request: Request) -> None:
        device = self._device
        device.sentences += 1
        if device.faults.api_down or device.faults.sentence_kills():
            self.abort()
            return
        try:
            self._carry_out(request)
        except Trap as trap:
            self._trap(trap, request.tag)
            self._done(request.tag)

    def _carry_out(self, request: Request) -> None:
        if request.word == "/quit":
            raise Fatal("session terminated on request")
        if request.word == "/login":
            self._login(request)
            return
        if self.user is None:
            raise Fatal("not logged in")
        if request.word == "/cancel":
            self._cancel(request)
            return
        if message := self._device.faults.refuse.get(request.word):
            raise Trap(message)
        answer = self._device.commands.execute(request, Caller(self, self.user))
        if isinstance(answer, Stream):
            self._start(answer, request.tag)
        else:
            self._answer(answer, request.tag)

    def _login(self, request: Request) -> None:
        """Log in by name and password.

        Since 6.45 a bare ``/login`` still hands out a challenge, but no answer to it is right
        (wire trace in BenMenking/routeros-api #52).
        """
        self._guest_sentences += 1
        if self.user is None and self._guest_sentences > _GUEST_SENTENCES:
            raise Fatal("too many commands before login")
        if not request.arguments:
            self._done(request.tag, {"ret": secrets.token_hex(16)})
            return
        name, password = request.arguments.get("name", ""), request.arguments.get("password")
        if not self._device.admits(name, password):
            raise Trap(_REFUSED)
        self.user = name
        self._decoder.max_word, self._decoder.max_words = _USER_WORD, _USER_WORDS
        self._done(request.tag)

    # --- streams -------------------------------------------------------------------------------

    def _start(self, stream: Stream, tag: str | None) -> None:
        key = tag
        if key is None:
            self._untagged += 1
            key = f"\0{self._untagged}"
        elif key in self._streams:
            # Not recorded from a device.
            raise failure(f"tag {tag} is in use")
        self._streams[key] = asyncio.get_running_loop().create_task(self._run(stream, key, tag))

    async def _run(self, stream: Stream, key: str, tag: str | None) -> None:
        """Send a stream's rows; a task that is cancelled has been answered by whoever cancelled it."""
        try:
            async for row in stream.rows:
                self._reply("!re", row, tag)
        except Trap as trap:
            self._trap(trap, tag)
        self._streams.pop(key, None)
        self._done(tag)

    def _cancel(self, request: Request) -> None:
        """Cancel one stream or all; the order of the replies is that of the manual's example."""
        wanted = request.arguments.get("tag")
        stopped = [key for key in self._streams if wanted is None or key == wanted]
        for key in stopped:
            self._streams.pop(key).cancel()
            self._trap(interrupted(), _tag(key))
        self._done(request.tag)
        for key in stopped:
            self._done(_tag(key))

    # --- replies -------------------------------------------------------------------------------

    def _answer(self, answer: Done, tag: str | None) -> None:
        for row in answer.rows:
            self._reply("!re", row, tag)
        if answer.listing and not answer.rows and self._device.state.schema.version >= _EMPTY_SINCE:
            self._reply("!empty", {}, tag)
        self._done(tag, {} if answer.ret is None else {"ret": answer.ret})

    def _trap(self, trap: Trap, tag: str | None) -> None:
        category = {} if trap.category is None else {"category": str(trap.category)}
        self._reply("!trap", {**category, "message": trap.message}, tag)

    def _done(self, tag: str | None, values: Values | None = None) -> None:
        self._reply("!done", values or {}, tag)

    def _reply(self, word: str, values: Values, tag: str | None) -> None:
        words = [
            word,
            *([f".tag={tag}"] if tag is not None else []),
            *(f"={key}={value}" for key, value in values.items()),
        ]
        self._write(text.encode("utf-8", "surrogateescape") for text in words)

    def _write(self, words: Iterable[bytes]) -> None:
        data = encode_sentence(words)
        if stall := self._device.faults.stall:
            asyncio.get_running_loop().call_later(stall, self._send, data)
        else:
            self._send(data)

    def _send(self, data: bytes) -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(data)


def _tag(key: str) -> str | None:
    return None if key.startswith("\0") else key
