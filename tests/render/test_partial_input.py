"""Tool input while it streams: any split gives a growing prefix of fields, all of them true."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from canopy_agent.claude.partials import PartialInput

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
objects = st.dictionaries(st.text(), values, max_size=6)


@st.composite
def splits(draw: st.DrawFn) -> tuple[dict[str, Any], list[str]]:
    """An object and its JSON text, cut anywhere."""
    whole = draw(objects)
    layout = draw(st.sampled_from([(", ", ": "), (",", ":"), (" ,\n", " :\t")]))
    text = json.dumps(whole, separators=layout, ensure_ascii=draw(st.booleans()))
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=12)))
    return whole, [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]


@given(splits())
@settings(max_examples=250, deadline=None)
def test_any_split_gives_growing_true_fields(case: tuple[dict[str, Any], list[str]]) -> None:
    whole, pieces = case
    partial = PartialInput()
    known: dict[str, Any] = {}
    for piece in pieces:
        grown = partial.feed(piece)
        if grown is not None:
            assert len(grown) > len(known)
            assert list(grown)[: len(known)] == list(known)
            assert grown == {key: whole[key] for key in grown}
            known = grown
    assert list(known) == list(whole)[:-1]


@given(objects)
@settings(max_examples=50, deadline=None)
def test_character_by_character(whole: dict[str, Any]) -> None:
    partial = PartialInput()
    grown = [fields for char in json.dumps(whole) if (fields := partial.feed(char)) is not None]
    assert [len(fields) for fields in grown] == list(range(1, len(whole)))


def test_field_counts_at_its_comma() -> None:
    partial = PartialInput()
    assert partial.feed('{"file_path":"/a') is None
    assert partial.feed('"') is None
    assert partial.feed(",") == {"file_path": "/a"}
    assert partial.feed('"limit":1') is None
    assert partial.feed("2,") == {"file_path": "/a", "limit": 12}
    assert partial.feed('"rest":[1,{"a":","}]}') is None


def test_escapes_may_be_cut() -> None:
    pieces = ['{"a":"x\\', '"y\\\\', '","b":"\\ud8', '3d\\ude00",', '"c":0}']
    partial = PartialInput()
    grown = [fields for piece in pieces if (fields := partial.feed(piece)) is not None]
    assert grown == [{"a": 'x"y\\'}, {"a": 'x"y\\', "b": "😀"}]


def test_fields_handed_out_stay_as_they_were() -> None:
    partial = PartialInput()
    first = partial.feed('{"a":1,')
    partial.feed('"b":2,')
    assert first == {"a": 1}


@pytest.mark.parametrize(
    "text",
    [
        "[1,2,",
        "null,",
        '"a",',
        "x{",
        '{"a" 1,"b":2,',
        "{,",
        '{"a":1,,"b":2,',
        "{]},",
        '{a:1,"b":2,',
    ],
)
def test_what_is_no_object_ends_silently(text: str) -> None:
    partial = PartialInput()
    for char in text:
        grown = partial.feed(char)
        assert grown in (None, {"a": 1})
    assert partial.feed('"c":3,') is None


def test_nothing_follows_the_end() -> None:
    partial = PartialInput()
    assert partial.feed('{"a":1} {"b":1,') is None
    assert partial.feed('"c":1,') is None


def test_long_input_is_looked_at_once() -> None:
    """A megabyte in small pieces: with a new parse per piece this would take hours."""
    body = json.dumps('line with "quotes" and \\ backslashes\n' * 25_000)
    text = '{"file_path":"/a","content":' + body + ',"last":1}'
    partial = PartialInput()
    grown = [partial.feed(text[at : at + 24]) for at in range(0, len(text), 24)]
    assert [list(fields) for fields in grown if fields] == [
        ["file_path"],
        ["file_path", "content"],
    ]
