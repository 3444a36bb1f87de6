"""The wire format of RouterOS' binary API, without input or output of its own.

A word is a length prefix and that many bytes; a sentence is words up to a word
of length zero. Source: MikroTik's manual, developer guides, "API".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

# First byte of each longer form: (smallest length, bits set, bytes of the prefix).
_FORMS = (
    (0x10000000, 0xF0, 5),
    (0x200000, 0xE0, 4),
    (0x4000, 0xC0, 3),
    (0x80, 0x80, 2),
    (0x0, 0x00, 1),
)
_LONGEST = 5  # bytes of the one form whose first byte holds no part of the length
_RESERVED = 0xF8


class FramingError(Exception):
    """The peer sent what no sentence can hold; the connection cannot go on."""


def encode_length(length: int) -> bytes:
    """Return the prefix of a word of ``length`` bytes, in the shortest form that holds it."""
    for smallest, bits, size in _FORMS:
        if length >= smallest:
            if size == _LONGEST:
                return bytes([bits]) + length.to_bytes(size - 1)
            return (length | bits << 8 * (size - 1)).to_bytes(size)
    raise ValueError(f"a word cannot have {length} bytes")


def encode_sentence(words: Iterable[bytes]) -> bytes:
    """Return one sentence, its closing empty word included."""
    return b"".join(encode_length(len(word)) + word for word in words) + b"\0"


def _prefix(first: int) -> tuple[int, int]:
    """Return (bytes of the prefix, bits of its first byte that count)."""
    for _, bits, size in _FORMS:
        if size == 1 or first & bits == bits:
            return size, 0 if size == _LONGEST else first & ~bits
    raise AssertionError("the one-byte form takes every first byte")


class Decoder:
    """Bytes in, whole sentences out; keeps what is still incomplete.

    ``max_word`` and ``max_words`` bound what one sentence may hold. They are
    public, since a session raises them once its user has logged in.
    """

    def __init__(self, max_word: int, max_words: int) -> None:
        self.max_word = max_word
        self.max_words = max_words
        self._buffer = bytearray()
        self._words: list[bytes] = []

    def feed(self, data: bytes) -> Iterator[list[bytes]]:
        """Yield every sentence that ``data`` completes; empty ones are left out.

        Raises FramingError at a reserved control byte and at whatever exceeds
        the bounds, before it is buffered.
        """
        self._buffer += data
        while (word := self._take_word()) is not None:
            if word:
                if len(self._words) >= self.max_words:
                    raise FramingError(f"more than {self.max_words} words in a sentence")
                self._words.append(word)
            elif self._words:
                sentence, self._words = self._words, []
                yield sentence

    def _take_word(self) -> bytes | None:
        if not self._buffer:
            return None
        if self._buffer[0] >= _RESERVED:
            raise FramingError(f"reserved control byte 0x{self._buffer[0]:02x}")
        size, high = _prefix(self._buffer[0])
        if len(self._buffer) < size:
            return None
        length = int.from_bytes(bytes([high]) + self._buffer[1:size])
        if length > self.max_word:
            raise FramingError(f"a word of {length} bytes exceeds {self.max_word}")
        end = size + length
        if len(self._buffer) < end:
            return None
        word = bytes(self._buffer[size:end])
        del self._buffer[:end]
        return word
