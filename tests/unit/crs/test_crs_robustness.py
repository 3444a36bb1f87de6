"""Whatever a client sends, the answer is rows or a trap, and the switch stays whole."""

import contextlib

from crs_desk import Desk
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.crs.errors import Trap

VALUES = ["", "yes", "no", "auto", "none", "default", "0", "1", "-1", "0x10", "1500", "9000", "70000", "200G", "1s"]
VALUES += ["ether1", "sfp56-1", "bridge", "ether1,bridge", "*2", "*24", "*FFF", "10.0.0.1/24", "AA:BB:CC:DD:EE:FF", "ü"]
VALUES += ["200G-baseCR4", "fec91", "full", "a,b", "admin"]


@st.composite
def sentences(draw):
    schema = Desk.schema()
    path = draw(st.sampled_from(sorted(schema.paths())))
    directory = schema.directory(path)
    command = draw(st.sampled_from(sorted({*directory.commands, "add", "set"})))
    known = sorted(directory.arguments(command) | {".id", "numbers", "value-name"} | directory.arguments("set"))
    names = draw(st.lists(st.sampled_from(known), max_size=5, unique=True))
    return [f"{path}/{command}", *(f"={name}={draw(st.sampled_from(VALUES))}" for name in names)]


@settings(max_examples=60, deadline=None)
@given(st.lists(sentences(), min_size=1, max_size=25))
def test_every_answer_is_rows_or_a_trap(conversation):
    desk = Desk()
    for sentence in conversation:
        with contextlib.suppress(Trap):
            desk.answer(*sentence)
    for path in desk.state.store.tables:
        desk.state.rows(path)
    assert len(desk.state.port_settings()) == len(desk.state.forwarding_ports()) == 34
