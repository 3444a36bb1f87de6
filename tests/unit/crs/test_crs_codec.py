import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.crs.codec import Decoder, FramingError, encode_length, encode_sentence


@pytest.mark.parametrize(
    ("length", "prefix"),
    [
        (0, "00"),
        (0x7F, "7f"),
        (0x80, "8080"),
        (0x3FFF, "bfff"),
        (0x4000, "c04000"),
        (0x1FFFFF, "dfffff"),
        (0x200000, "e0200000"),
        (0xFFFFFFF, "efffffff"),
        (0x10000000, "f010000000"),
    ],
)
def test_each_form_of_a_length_starts_at_its_bound(length, prefix):
    assert encode_length(length).hex() == prefix


@pytest.mark.parametrize("length", [0x80, 0x4000, 0x200000])
def test_long_words_come_back(length):
    word = b"x" * length
    assert list(Decoder(length, 4).feed(encode_sentence([word]))) == [[word]]


def test_a_length_in_the_longest_form_is_understood():
    assert list(Decoder(64, 4).feed(b"\xf0\x00\x00\x00\x02ab\x00")) == [[b"ab"]]


words = st.lists(st.binary(min_size=1, max_size=300), min_size=1, max_size=6)


@given(st.lists(words, max_size=4), st.integers(min_value=1, max_value=50))
def test_sentences_survive_any_fragmentation(sentences, step):
    wire = b"".join(encode_sentence(sentence) for sentence in sentences)
    decoder = Decoder(300, 6)
    got = [sentence for at in range(0, len(wire), step) for sentence in decoder.feed(wire[at : at + step])]
    assert got == sentences


def test_empty_sentences_are_ignored():
    assert list(Decoder(64, 4).feed(b"\0\0" + encode_sentence([b"/quit"]) + b"\0")) == [[b"/quit"]]


@pytest.mark.parametrize("control", range(0xF8, 0x100))
def test_reserved_control_bytes_end_it(control):
    with pytest.raises(FramingError):
        list(Decoder(64, 4).feed(bytes([control])))


def test_a_word_beyond_the_bound_is_refused_by_its_length_alone():
    with pytest.raises(FramingError):
        list(Decoder(64, 4).feed(encode_length(65)))


def test_a_sentence_of_too_many_words_is_refused():
    with pytest.raises(FramingError):
        list(Decoder(64, 4).feed(encode_sentence([b"w"] * 5)))


@given(st.binary(max_size=200))
def test_noise_never_does_more_than_end_it(noise):
    with contextlib.suppress(FramingError):
        list(Decoder(64, 4).feed(noise))
