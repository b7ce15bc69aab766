"""Runs, wrapping and widths: nothing is lost, nothing is too wide, whatever the script."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.style import Style

from canopy_tui.view.drawing.strips import (
    Row,
    cut,
    fitted,
    highlighted,
    laid,
    shared_out,
    split_newlines,
    strip_of,
    width_of,
    wrap,
)

PLAIN, BOLD = Style(), Style(bold=True)

FAMILY = "👩\u200d👩\u200d👧"
FLAG = "🇯🇵"
ACCENT = "e\u0301"
WIDE = "日本語のテキスト、漢字。"
ODD = (FAMILY, "⚠\ufe0f", FLAG, ACCENT, WIDE, "한국어", "ＡＢＣ", "مرحبا", "हिन्दी", "\u1100\u1161")

scraps = st.sampled_from(["word", "x", " ", "  ", "-", "longer-word", "https://e.org/a/b", *ODD])
lines = st.lists(st.tuples(scraps, st.sampled_from([PLAIN, BOLD])), max_size=30)


@given(lines, st.integers(2, 40))
@settings(max_examples=150)
def test_wrapping_loses_nothing_and_fits(runs: list[tuple[str, Style]], width: int) -> None:
    wrapped = wrap(runs, width)
    flat = [(char, style) for text, style in runs for char in text]
    assert [(char, style) for line in wrapped for text, style in line for char in text] == flat
    for line in wrapped:
        text = "".join(part for part, _ in line)
        assert cell_len(text.rstrip(" ")) <= width
        assert not text.startswith(("\u200d", "\ufe0f", "\u0301")), "a character was torn"


@pytest.mark.parametrize(
    ("text", "width", "expected"),
    [
        ("one two three", 8, ["one two ", "three"]),
        ("one two three", 3, ["one ", "two ", "thr", "ee"]),
        ("abcdefgh", 3, ["abc", "def", "gh"]),
        ("日本語のテキスト", 6, ["日本語", "のテキ", "スト"]),
        ("see日本。", 6, ["see日", "本。"]),
        ("", 5, [""]),
        ("    four", 20, ["    four"]),
    ],
)
def test_where_lines_break(text: str, width: int, expected: list[str]) -> None:
    assert ["".join(part for part, _ in line) for line in wrap([(text, PLAIN)], width)] == expected


def test_cutting_keeps_styles() -> None:
    assert cut([("abc", PLAIN), ("def", BOLD)], [2, 4]) == [
        [("ab", PLAIN)],
        [("c", PLAIN), ("d", BOLD)],
        [("ef", BOLD)],
    ]


def test_newlines_divide() -> None:
    assert split_newlines([("a\nb", PLAIN), ("\n\nc", BOLD)]) == [
        [("a", PLAIN)],
        [("b", PLAIN)],
        [],
        [("c", BOLD)],
    ]


@pytest.mark.parametrize("text", ["abcdefghij", WIDE, FAMILY * 5, "a" + FLAG * 6])
@pytest.mark.parametrize("cells", [0, 1, 2, 5, 100])
def test_fitted_text_fits_and_says_that_it_was_cut(text: str, cells: int) -> None:
    shown = fitted(text, cells)
    assert cell_len(shown) <= cells
    assert shown == text or shown.endswith("…") or cells == 0


def test_laid_rows_know_what_copying_gives() -> None:
    rows = laid(
        [[("alpha beta gamma", PLAIN)], [("日本語日本語", PLAIN)]], 10, first=[("> ", BOLD)]
    )
    assert [row.text for row in rows] == ["> alpha", "  beta", "  gamma", "  日本語日", "  本語"]
    copied = "".join(row.joint + row.text[row.gutter :] for row in rows)
    assert copied == "\nalpha beta gamma\n日本語日本語"


@pytest.mark.parametrize("text", ["short", WIDE * 4, FAMILY * 30, "a" * 200, ""])
def test_a_strip_has_exactly_the_width(text: str) -> None:
    row = Row(((text, PLAIN),), fill=Style(bgcolor="red"))
    for width in (1, 7, 40):
        assert strip_of(row, width).cell_length == width
        assert cell_len(strip_of(row, width).text) == width


def test_highlighting_changes_only_the_span() -> None:
    row = Row((("abc", PLAIN), ("def", BOLD)))
    assert highlighted(row, 2, 4, Style(reverse=True)).runs == (
        ("ab", PLAIN),
        ("c", Style(reverse=True)),
        ("d", BOLD + Style(reverse=True)),
        ("ef", BOLD),
    )
    assert highlighted(row, 0, -1, BOLD).text == "abcdef"
    assert highlighted(row, 50, 60, BOLD).runs == row.runs


def test_width_counts_cells() -> None:
    assert width_of([("日本", PLAIN), ("a", BOLD)]) == 5


@pytest.mark.parametrize(
    ("room", "wanted", "shares"),
    [
        (40, [4, 30], [4, 30]),
        (30, [4, 30], [4, 26]),
        (30, [20, 4, 20], [13, 4, 13]),
        (5, [20, 20], [6, 6]),
        (9, [], []),
    ],
)
def test_cells_go_to_those_that_want_them(room: int, wanted: list[int], shares: list[int]) -> None:
    assert shared_out(room, wanted, least=6) == shares
