"""Colours of command output, and every other control code made harmless."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.color import Color
from rich.style import Style

from canopy_tui.view.drawing.ansi import ansi_lines

PLAIN = Style()


def plain(text: str) -> list[str]:
    return ["".join(part for part, _ in line) for line in ansi_lines(text, PLAIN)]


def styles(text: str) -> list[Style]:
    return [style for line in ansi_lines(text, PLAIN) for _, style in line]


@pytest.mark.parametrize(
    ("codes", "style"),
    [
        ("31", Style(color=Color.from_ansi(1))),
        ("1;4;31", Style(color=Color.from_ansi(1), bold=True, underline=True)),
        ("91", Style(color=Color.from_ansi(9))),
        ("44", Style(bgcolor=Color.from_ansi(4))),
        ("103", Style(bgcolor=Color.from_ansi(11))),
        ("38;5;208", Style(color=Color.from_ansi(208))),
        ("48;2;1;2;3", Style(bgcolor=Color.from_rgb(1, 2, 3))),
        ("38:2:1:2:3", Style(color=Color.from_rgb(1, 2, 3))),
        ("7;9;3;2", Style(reverse=True, strike=True, italic=True, dim=True)),
        ("31;39", PLAIN),
        ("1;22", PLAIN),
        ("31;0", PLAIN),
        ("", PLAIN),
        ("38;5", PLAIN),
        ("38;2;300;0;0", Style(color=Color.from_rgb(255, 0, 0))),
        ("99999999;31", Style(color=Color.from_ansi(1))),
    ],
)
def test_colours_become_style(codes: str, style: Style) -> None:
    assert ansi_lines(f"\x1b[{codes}mtext", PLAIN) == [[("text", style)]]


def test_a_palette_replaces_the_named_text_colours_only() -> None:
    red, base = Color.parse("#aa0000"), Style(color="#777777")
    palette = (None, red) * 8
    for codes, style in (
        ("31", Style(color=red)),
        ("91", Style(color=red)),
        ("31;30", base),
        ("38;5;1", Style(color=Color.from_ansi(1))),
        ("41", Style(bgcolor=Color.from_ansi(1)) + base),
    ):
        assert ansi_lines(f"\x1b[{codes}mx", base, palette) == [[("x", base + style)]]


def test_style_goes_on_over_lines_until_reset() -> None:
    assert styles("\x1b[32ma\nb\x1b[0m\nc") == [Style(color=Color.from_ansi(2))] * 2 + [PLAIN]


@pytest.mark.parametrize(
    ("output", "shown"),
    [
        ("a\x1b[2Jb\x1b[10;10Hc", ["abc"]),
        ("a\x1b]0;title\x07b", ["ab"]),
        ("a\x1b]8;;https://evil.example\x1b\\link\x1b]8;;\x1b\\b", ["alinkb"]),
        ("a\x1b]52;c;ZXZpbA==\x07b", ["ab"]),
        ("a\x1bP1$qm\x1b\\b", ["ab"]),
        ("a\x1b(Bb\x1b7c\x1b=d", ["abcd"]),
        ("a\x1b]0;no end\nb", ["a", "b"]),
        ("10%\r50%\r100%\ndone\r\n", ["100%", "done", ""]),
        ("ab\bc", ["ac"]),
        ("\x07bell", ["bell"]),
        ("nul\x00 c1\x9b31m", ["nul␀ c1<U+009B>31m"]),
        ("end\x1b", ["end␛"]),
        ("tab\tstop", ["tab     stop"]),
        ("kcab\u202e", ["kcab<U+202E>"]),
    ],
)
def test_other_codes_are_harmless(output: str, shown: list[str]) -> None:
    assert plain(output) == shown


@given(st.text(st.sampled_from("\x1b[]m0;31\x07\\P^_?hJ \r\b\n\x9bxé日\x00\x7f(#8"), max_size=60))
@settings(max_examples=300)
def test_nothing_a_terminal_would_obey_is_left(output: str) -> None:
    for line in plain(output):
        assert not any(ord(char) < 32 or 0x7F <= ord(char) < 0xA0 for char in line)
