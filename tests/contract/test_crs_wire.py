"""The protocol word by word: login, tags, streams, cancelling, ends of sessions, safe mode."""

import threading

import pytest
from crs_wire import Wire

from lab.crs.codec import encode_sentence

REFUSED = [["!trap", "=message=invalid user name or password (6)"], ["!done"]]


# --- login and the end of sessions ------------------------------------------------------------


def test_a_refused_login_leaves_the_session_open(served):
    with Wire(served, login=None) as wire:
        assert wire.ask("/login", "=name=admin", "=password=wrong") == REFUSED
        assert wire.ask("/login", "=name=nobody", "=password=") == REFUSED
        assert wire.ask("/login", "=name=admin", "=password=password") == [["!done"]]


def test_a_challenge_is_given_and_no_answer_is_right(served):
    with Wire(served, login=None) as wire:
        ((done, ret),) = wire.ask("/login")
        assert done == "!done"
        assert len(bytes.fromhex(ret.removeprefix("=ret="))) == 16
        assert wire.ask("/login", "=name=admin", f"=response=00{'0' * 32}") == REFUSED


def test_a_command_before_login_is_fatal(served):
    with Wire(served, login=None) as wire:
        assert wire.ask("/system/identity/print") == [["!fatal", "not logged in"]]
        assert wire.read() is None


def test_a_guest_may_neither_talk_long_nor_often(served):
    with Wire(served, login=None) as wire:
        assert wire.ask("/login", "=name=" + "x" * 2000)[-1][0] == "!fatal"
        assert wire.read() is None
    with Wire(served, login=None) as wire:
        answers = [wire.ask("/login", "=name=admin", "=password=x")[-1][0] for _ in range(17)]
        assert answers == ["!done"] * 16 + ["!fatal"]


def test_quit(served):
    with Wire(served) as wire:
        assert wire.ask("/quit") == [["!fatal", "session terminated on request"]]
        assert wire.read() is None


def test_a_reserved_control_byte_ends_the_session(served):
    with Wire(served) as wire:
        wire.socket.sendall(b"\xf8")
        assert wire.read()[0] == "!fatal"
        assert wire.read() is None


def test_words_of_all_lengths_that_clients_send(served):
    with Wire(served) as wire:
        for length in (1, 0x7F, 0x80, 0x3FFF, 0x4000, 0x1FFFFF, 0x200000):
            assert wire.ask("/system/identity/set", "=name=" + "x" * length) == [["!done"]]
            assert wire.ask("/system/identity/print")[0] == ["!re", "=name=" + "x" * length]


def test_sentences_may_come_byte_by_byte_and_many_at_once(served):
    with Wire(served) as wire:
        for byte in encode_sentence([b"/system/identity/print", b".tag=1"]):
            wire.socket.sendall(bytes([byte]))
        assert wire.read() == ["!re", ".tag=1", "=name=MikroTik"]
        assert wire.read() == ["!done", ".tag=1"]
        wire.socket.sendall(b"\0" + encode_sentence([b"/system/identity/print"]) * 50)
        assert [wire.read()[0] for _ in range(100)] == ["!re", "!done"] * 50


def test_bytes_that_are_no_text_come_back(served):
    with Wire(served) as wire:
        wire.socket.sendall(encode_sentence([b"/system/identity/set", b"=name=\xff\xfe"]))
        assert wire.read() == ["!done"]
        assert served.crs.export()["/system/identity"] == [{"name": "\udcff\udcfe"}]
        wire.send("/system/identity/print")
        assert b"=name=\xff\xfe" in wire.socket.recv(4096)


# --- answers ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("version", "answer"), [("7.17", [["!done", ".tag=9"]]), ("7.18", [["!empty", ".tag=9"], ["!done", ".tag=9"]])]
)
def test_nothing_found(serve, version, answer):
    with Wire(serve(version)) as wire:
        assert wire.ask("/interface/ethernet/print", "?name=none", ".tag=9") == answer


def test_the_category_of_a_trap_precedes_its_message(served):
    with Wire(served) as wire:
        assert wire.ask("/interface/ethernet/set", "=.id=ether1", "=fec-mode=rs", ".tag=a") == [
            ["!trap", ".tag=a", "=category=1", "=message=input does not match any value of fec-mode"],
            ["!done", ".tag=a"],
        ]


def test_the_reader_is_refused(served):
    with Wire(served, login=("viewer", "pw")) as wire:
        assert wire.ask("/interface/ethernet/disable", "=numbers=ether1") == [
            ["!trap", "=message=not enough permissions (9)"],
            ["!done"],
        ]


def test_the_connections_are_in_the_service_table(served):
    with Wire(served) as one, Wire(served):
        rows = one.ask("/ip/service/print", "?connection=true")
        assert [row[0] for row in rows] == ["!re", "!re", "!done"]
        host, port = one.socket.getsockname()
        assert sum(f"=remote={host}:{port}" in row for row in rows) == 1


# --- streams ----------------------------------------------------------------------------------


def test_monitor_streams_until_it_is_cancelled(served):
    with Wire(served) as wire:
        wire.send("/interface/ethernet/monitor", "=numbers=ether1", ".tag=10")
        for section in range(3):
            assert wire.read()[:3] == ["!re", ".tag=10", f"=.section={section}"]
        wire.send("/cancel", "=tag=10", ".tag=20")
        answer = [wire.read()]
        while answer[-1] != ["!done", ".tag=10"]:
            answer.append(wire.read())
        assert answer[-3:] == [
            ["!trap", ".tag=10", "=category=2", "=message=interrupted"],
            ["!done", ".tag=20"],
            ["!done", ".tag=10"],
        ]
        assert wire.ask("/system/identity/print")[-1] == ["!done"]


def test_monitor_for_a_duration_ends_by_itself(served):
    with Wire(served) as wire:
        answer = wire.ask("/interface/ethernet/monitor", "=numbers=ether1", "=duration=150ms")
        assert [row[0] for row in answer] == ["!re", "!re", "!re", "!done"]


def test_listen_hears_changes_of_others_and_deletions(served):
    with Wire(served) as ear, Wire(served) as mouth:
        ear.send("/interface/bridge/listen", "=.proplist=.id,name,comment", ".tag=l")
        ear.ask("/system/identity/print")  # the listening has begun once this is answered
        mouth.ask("/interface/bridge/set", "=.id=bridge", "=comment=hello")
        assert ear.read() == ["!re", ".tag=l", "=.id=*24", "=name=bridge", "=comment=hello"]
        mouth.ask("/interface/bridge/remove", "=.id=bridge")
        assert ear.read() == ["!re", ".tag=l", "=.id=*24", "=.dead=true"]
        ear.send("/cancel")
        assert [ear.read() for _ in range(3)] == [
            ["!trap", ".tag=l", "=category=2", "=message=interrupted"],
            ["!done"],
            ["!done", ".tag=l"],
        ]
    served.wait_for(lambda: len(served.crs.state.watchers) == 1)  # safe mode's own


# --- safe mode --------------------------------------------------------------------------------


@pytest.mark.parametrize("end", ["drop", "quit"])
def test_a_lost_session_undoes_its_safe_mode_and_what_others_did(served, end):
    before = served.call(served.crs.export)
    with Wire(served) as other:
        with Wire(served) as holder:
            assert holder.ask("/safe-mode/take") == [["!done"]]
            holder.ask("/interface/ethernet/set", "=.id=ether1", "=disabled=yes")
            other.ask("/system/identity/set", "=name=other")
            assert served.call(served.crs.export) != before
            if end == "quit":
                holder.ask("/quit")
        served.wait_for(lambda: served.crs.export() == before)
        assert other.ask("/safe-mode/print")[0] == ["!re", "=enabled=false", "=current=false"]


def test_a_released_safe_mode_undoes_nothing(served):
    with Wire(served) as holder:
        holder.ask("/safe-mode/take")
        holder.ask("/system/identity/set", "=name=kept")
        holder.ask("/safe-mode/release")
    served.wait_for(lambda: not served.crs.sessions)
    assert served.call(served.crs.export)["/system/identity"] == [{"name": "kept"}]
    assert not served.crs._rollbacks


def test_another_session_can_release_a_stale_hold(served):
    with Wire(served) as holder, Wire(served) as other:
        holder.ask("/safe-mode/take")
        assert other.ask("/safe-mode/take")[0][0] == "!trap"
        assert other.ask("/safe-mode/release") == [["!done"]]
        assert other.ask("/safe-mode/take") == [["!done"]]


# --- faults -----------------------------------------------------------------------------------


def test_the_session_dies_at_the_nth_sentence_and_the_next_one_lives(served):
    with Wire(served) as wire:
        served.crs.faults.die_after = 2
        assert wire.ask("/system/identity/set", "=name=one") == [["!done"]]
        assert wire.ask("/system/identity/set", "=name=two") == []
    with Wire(served) as wire:
        assert wire.ask("/system/identity/print")[0] == ["!re", "=name=one"]


def test_an_api_that_is_down_cuts_and_takes_no_one(served):
    with Wire(served) as wire:
        served.crs.faults.api_down = True
        assert wire.read() is None
        with Wire(served, login=None) as late:
            assert late.read() is None
    served.crs.faults.api_down = False
    with Wire(served) as wire:
        assert wire.ask("/system/identity/print")[-1] == ["!done"]


def test_a_command_can_be_refused_and_answers_can_be_late(served):
    served.crs.faults.refuse["/system/identity/set"] = "failure: not allowed by device-mode"
    with Wire(served) as wire:
        assert wire.ask("/system/identity/set", "=name=x") == [
            ["!trap", "=message=failure: not allowed by device-mode"],
            ["!done"],
        ]
        served.crs.faults.stall = 0.1
        wire.socket.settimeout(0.02)
        with pytest.raises(TimeoutError):
            wire.ask("/system/identity/print")
        wire.socket.settimeout(10)
        assert wire.read()[0] == "!re"


def test_sentences_are_counted(served):
    with Wire(served) as wire:
        wire.ask("/system/identity/print")
    assert served.crs.sentences == 2


def test_a_change_behind_the_api(served):
    served.call(served.crs.configure, "/interface/ethernet", "qsfp56-1-1", speed="50G-baseCR2", auto_negotiation="no")
    settings = served.call(served.crs.port_settings)["qsfp56-1-1"]
    assert (settings.speed, settings.auto_negotiation) == ("50G-baseCR2", False)
    served.call(served.crs.configure, "/interface/bridge/port", "sfp56-1", pvid="7")
    served.call(served.crs.configure, "/system/identity", "", name="x")


def test_many_sessions_at_once(served):
    def work(number):
        with Wire(served) as wire:
            for _ in range(5):
                wire.ask("/interface/ethernet/set", f"=.id=sfp56-{number}", f"=comment=c{number}")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    comments = {row.get("comment") for row in served.call(served.crs.export)["/interface/ethernet"]}
    assert comments == {None, *(f"c{number}" for number in range(1, 9))}
