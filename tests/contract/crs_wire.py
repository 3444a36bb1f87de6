"""A client that knows sentences and nothing else, to see exactly what the switch says."""

import socket

from lab.crs.codec import Decoder, encode_sentence


class Wire:
    def __init__(self, served, *, login=("admin", "password")):
        self.socket = socket.create_connection((served.host, served.port), timeout=10)
        self._decoder = Decoder(1 << 24, 4096)
        self._arrived = []
        if login:
            assert self.ask("/login", f"=name={login[0]}", f"=password={login[1]}") == [["!done"]]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, *words):
        self.socket.sendall(encode_sentence(word.encode() for word in words))

    def read(self):
        """Return the next sentence; None once the switch has hung up."""
        while not self._arrived:
            try:
                data = self.socket.recv(65536)
            except ConnectionResetError:
                return None
            if not data:
                return None
            self._arrived += self._decoder.feed(data)
        return [word.decode() for word in self._arrived.pop(0)]

    def ask(self, *words):
        """Send a sentence and return the answer up to its ``!done`` or ``!fatal``."""
        self.send(*words)
        answer = []
        while (sentence := self.read()) is not None:
            answer.append(sentence)
            if sentence[0] in {"!done", "!fatal"}:
                break
        return answer
