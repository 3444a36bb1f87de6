"""A switch without a network: sentences in, answers out."""

from ansible_collections.sparkloom.cluster.plugins.plugin_utils.hardware import switch_models

from lab.crs.commands import Caller, Commands
from lab.crs.requests import parse
from lab.crs.safemode import SafeMode
from lab.crs.schema import Schema
from lab.crs.state import State
from lab.wiring import LinkState, Unwired


class NotingWiring(Unwired):
    """Has the link states it is told and notes what restarted."""

    def __init__(self):
        self.states: dict[str, LinkState] = {}
        self.restarts: list[frozenset[str]] = []

    def link_state(self, switch, port):
        return self.states.get(port) or super().link_state(switch, port)

    def settings_changed(self, switch, restarted):  # noqa: ARG002 - the protocol's signature.
        self.restarts.append(restarted)


class Desk:
    """Carries out sentences for one user, without a network."""

    def __init__(self, model="CRS812-8DS-2DQ-2DDQ", version="7.24"):
        self.wiring = NotingWiring()
        users = {"admin": ("password", "full"), "viewer": ("pw", "read")}
        self.state = State("crs812", switch_models()[model], version, self.wiring, users)
        self.safe_mode = SafeMode(self.state)
        self.commands = Commands(self.state, self.safe_mode, 0.01)

    def answer(self, word, *attributes, user="admin", session=None):
        request = parse([text.encode() for text in (word, *attributes)])
        return self.commands.execute(request, Caller(session or self, user))

    def rows(self, word, *attributes, **who):
        return self.answer(word, *attributes, **who).rows

    def row(self, path, name):
        (row,) = self.rows(f"{path}/print", f"?{'name' if path != '/interface/bridge/port' else 'interface'}={name}")
        return row

    @staticmethod
    def schema():
        return Schema("7.24")
