import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.crs.query import QueryError, matches

ROW = {"name": "ether1", "disabled": "false", "mtu": "1500", "comment": ""}


@pytest.mark.parametrize(
    ("queries", "expected"),
    [
        ([], True),
        (["?name"], True),
        (["?l2mtu"], False),
        (["?-l2mtu"], True),
        (["?-name"], False),
        (["?name=ether1"], True),
        (["?=name=ether1"], True),
        (["?name=ether2"], False),
        (["?comment="], True),
        (["?disabled=no"], True),
        (["?disabled=false"], True),
        (["?<mtu=9000"], True),
        (["?>mtu=900"], True),
        (["?>mtu=1500"], False),
        (["?name=ether2", "?#!"], True),
        (["?name=ether2", "?name=ether1", "?#|"], True),
        (["?name=ether2", "?name=ether1", "?#&"], False),
        (["?name=a", "?name=b", "?name=ether1", "?#|", "?#|"], True),
        (["?name=ether1", "?name=ether2"], False),
        (["?name=ether2", "?name=ether1", "?#1.|!", "?#!"], False),
        (["?name=ether1", "?#.&"], True),
    ],
)
def test_queries(queries, expected):
    assert matches(queries, ROW) is expected


@pytest.mark.parametrize("word", ["?", "?=", "?#x"])
def test_what_no_stack_machine_understands_is_refused(word):
    with pytest.raises(QueryError):
        matches([word], ROW)


@given(st.lists(st.sampled_from(["ether1", "ether2", "bridge"]), min_size=1, max_size=5))
def test_in_as_clients_write_it(names):
    queries = [f"?name={name}" for name in names] + ["?#|"] * (len(names) - 1)
    assert matches(queries, ROW) is ("ether1" in names)
