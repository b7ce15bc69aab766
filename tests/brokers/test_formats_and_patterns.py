"""Formats and patterns of a form's text: by the standards, and no pattern of others can hang."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from canopy_shared.elicitation import problem_with
from canopy_shared.elicitation_fields import TextField
from canopy_shared.formats import EXAMPLES, format_problem
from canopy_shared.patterns import fits

FORMATS = {
    "date": (
        "2026-01-31 2024-02-29",
        "2026-02-29 2026-13-01 20260131 2026-W05 2026-1-31 26-01-31 ２０２６-01-31 tomorrow",
    ),
    "date-time": (
        "2026-01-31T12:00:00Z 2026-01-31t12:00:00.123456789z 2026-12-31T23:59:60-08:00",
        "2026-01-31 2026-01-31T12:00:00 2026-01-31T12:00Z 2026-01-31T24:00:00Z "
        "2026-02-30T12:00:00Z 2026-01-31T12:00:00+2400 2026-01-31T12:00:00+24:00 20260131T120000Z",
    ),
    "email": (
        "a@b ada.lovelace+x@mail.example.org",
        "a @b a@b@c a@ @b .a@b a..b@c a@-b a@b. a" + "x" * 64 + "@b",
    ),
    "uri": (
        "https://example.org/a?b=%20#c mailto:a@b urn:isbn:1 http://[::1]:80/",
        "example.org /a https:// http:///a https://a:x/ https://a/%zz https://a/<b> 1a:b a:",
    ),
}


@pytest.mark.parametrize("name", FORMATS)
def test_formats(name: str) -> None:
    good, bad = FORMATS[name]
    assert format_problem(name, EXAMPLES[name]) is None
    assert [one for one in good.split() if format_problem(name, one)] == []
    assert [one for one in bad.split() if not format_problem(name, one)] == []
    assert EXAMPLES[name] in str(format_problem(name, "what is it"))
    assert format_problem("colour", "what is it") is None


@pytest.mark.parametrize(
    ("pattern", "value", "answer"),
    [
        ("^[A-Z]{3}-[0-9]{2,4}$", "ABC-123", True),
        ("^[A-Z]{3}-[0-9]{2,4}$", "ABC-1", False),
        ("^a$", "a\n", False),
        ("b", "abc", True),
        (r"^\d+\.\d+(?:\.\d+)?$", "1.2", True),
        (r"^\d+$", "１２", False),
        ("^(red|green)$", "green", True),
        ("^(red|green)$", "blue", False),
        (r"^[^@\s]+@[^@]+\.[^@]+$", "ada@example.org", True),
        (r"^[\w.\-&[|]+$", "a&[|", True),
        ("^(a+)+$", "aaaa", None),
        ("(a|aa)*$", "a", None),
        ("^(?=a).*$", "a", None),
        (r"^(a)\1$", "aa", None),
        ("^(a{1,9}){1,9}$", "a", None),
        ("a*a*a*a*a*b", "a" * 60, None),
        ("a{1,100000}", "a", None),
        (r"\p{L}+", "a", None),
        ("[", "a", None),
        ("(", "a", None),
        ("a" * 1000, "a", None),
    ],
)
def test_patterns(pattern: str, value: str, answer: bool | None) -> None:
    assert fits(pattern, value) is answer


PARTS = st.sampled_from(
    [
        "a",
        "b",
        ".",
        "^",
        "$",
        "*",
        "+",
        "?",
        "{2}",
        "{1,3}",
        "(",
        ")",
        "(?:",
        "|",
        "[ab]",
        r"\d",
        "[",
    ]
)


@settings(max_examples=200, deadline=None)
@given(st.lists(PARTS, max_size=8), st.text("ab1", max_size=8))
def test_what_is_told_is_what_the_whole_engine_says(parts: list[str], value: str) -> None:
    pattern = "".join(parts)
    answer = fits(pattern, value)
    if answer is not None:
        assert answer is bool(re.search(pattern.replace("$", r"\Z"), value, re.ASCII))


def test_a_field_says_what_it_wants() -> None:
    code = TextField(key="code", pattern="^[A-Z]{3}$")
    assert problem_with(code, "abc") == "must fit the pattern ^[A-Z]{3}$"
    assert problem_with(code, "ABC") is None
    assert problem_with(TextField(key="x", pattern="^(a+)+$"), "b") is None
    assert problem_with(TextField(key="x", pattern="^\x1b$"), "b") == (
        "must fit the pattern of the agent"
    )
    day = TextField(key="day", format="date")
    assert problem_with(day, "31.1.2026") == "must be a date like 2026-01-31"
