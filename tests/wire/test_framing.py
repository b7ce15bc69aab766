"""Bytes to lines: any chunking gives the same lines, and no line can break the stream."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from canopy_shared.framing import LineFramer, Oversized

LINES = st.lists(st.binary(max_size=40).map(lambda line: line.replace(b"\n", b"")), max_size=8)


def cut(data: bytes, places: list[int]) -> list[bytes]:
    """``data`` in pieces, cut at ``places``."""
    edges = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[a:b] for a, b in itertools.pairwise(edges)]


@given(LINES, st.lists(st.integers(min_value=0), max_size=6))
def test_lines_do_not_depend_on_how_the_bytes_arrive(lines: list[bytes], places: list[int]) -> None:
    framer = LineFramer()
    data = b"".join(line + b"\n" for line in lines)
    got = [line for piece in cut(data, places) for line in framer.feed(piece)]
    assert got == lines
    assert framer.finish() == []


@given(LINES, st.lists(st.integers(min_value=0), max_size=6), st.integers(1, 20))
def test_a_long_line_is_reported_and_the_next_one_is_whole(
    lines: list[bytes], places: list[int], limit: int
) -> None:
    framer = LineFramer(limit)
    data = b"".join(line + b"\n" for line in lines)
    got = [line for piece in cut(data, places) for line in framer.feed(piece)]
    assert len(got) == len(lines)
    for want, line in zip(lines, got, strict=True):
        if len(want) > limit:
            assert isinstance(line, Oversized)
            assert line.size == len(want)
            assert want.startswith(line.head)
        else:
            assert line == want


def test_the_last_line_needs_no_newline() -> None:
    framer = LineFramer()
    assert framer.feed(b"one\ntwo") == [b"one"]
    assert framer.finish() == [b"two"]
    assert framer.finish() == []


def test_a_line_of_exactly_the_limit_passes() -> None:
    framer = LineFramer(4)
    assert framer.feed(b"1234\n") == [b"1234"]
    (dropped,) = framer.feed(b"12345\n")
    assert dropped == Oversized(b"12345", 5)
