"""Foreign text is harmless on screen."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from canopy_tui.model.sanitize import clipped, visible, without_escapes

SHOWN = {
    "escape": ("\x1b[31mred", "␛[31mred"),
    "bell": ("ding\x07", "ding␇"),
    "delete": ("a\x7f", "a␡"),
    "c1": ("\x9b31m", "<U+009B>31m"),
    "right to left override": ("user\u202etxt.exe", "user<U+202E>txt.exe"),
    "isolate": ("\u2066x\u2069", "<U+2066>x<U+2069>"),
    "zero width space": ("rm\u200b -rf", "rm<U+200B> -rf"),
    "joiner in ascii": ("r\u200dm", "r<U+200D>m"),
    "byte order mark": ("\ufeffx", "<U+FEFF>x"),
    "hangul filler": ("\u3164", "<U+3164>"),
    "tags": ("a\U000e0041", "a<U+E0041>"),
    "surrogate": ("\ud800", "<U+D800>"),
    "soft hyphen": ("a\u00adb", "a<U+00AD>b"),
    "selector in ascii": ("a\ufe0f", "a<U+FE0F>"),
}


@pytest.mark.parametrize("name", SHOWN)
def test_hidden_characters_become_visible(name: str) -> None:
    text, shown = SHOWN[name]
    assert visible(text, multiline=False) == shown


@pytest.mark.parametrize("text", ["👩‍💻", "❤️", "1️⃣", "👁️‍🗨️", "می‌خواهم", "क्‍ष", "日本", "é", "🇯🇵"])
def test_real_writing_stays_as_it_is(text: str) -> None:
    assert visible(text, multiline=False) == text
    assert visible(text, multiline=True) == text


def test_lines_stay_lines_only_where_they_may() -> None:
    assert visible("a\r\nb\tc\n", multiline=True) == "a\nb\tc\n"
    assert visible("a\r\nb\tc\n", multiline=False) == "a b c"
    assert visible("safe\rrm", multiline=True) == "safe␍rm"


@given(text=st.text(), multiline=st.booleans())
def test_no_control_and_no_change_of_direction_survives(text: str, multiline: bool) -> None:
    shown = visible(text, multiline=multiline)
    allowed = "\n\t" if multiline else ""
    for character in shown:
        assert character in allowed or unicodedata.category(character) not in ("Cc", "Cs")
        assert unicodedata.bidirectional(character) not in (
            "LRE",
            "RLE",
            "LRO",
            "RLO",
            "PDF",
            "LRI",
            "RLI",
            "FSI",
            "PDI",
        )
    assert visible(shown, multiline=multiline) == shown


ESCAPED = {
    "colour": ("\x1b[1;31mred\x1b[0m", "red"),
    "title": ("\x1b]0;title\x07text", "text"),
    "title, string end": ("\x1b]0;title\x1b\\text", "text"),
    "link": ("\x1b]8;;http://x\x1b\\here\x1b]8;;\x1b\\", "here"),
    "device control": ("\x1bPq#0\x1b\\x", "x"),
    "eight bit": ("\x9b31mred", "red"),
    "charset": ("\x1b(Bx", "x"),
    "progress": ("10%\r20%\r30%\n", "30%\n"),
    "windows lines": ("a\r\nb", "a\nb"),
    "overstrike": ("b\bbold", "bold"),
    "cut off": ("text\x1b", "text␛"),
    "unfinished": ("x\x1b]0;never ended", "x"),
}


@pytest.mark.parametrize("name", ESCAPED)
def test_terminal_output_is_read_as_text(name: str) -> None:
    text, shown = ESCAPED[name]
    assert without_escapes(text) == shown


@given(st.text(alphabet=st.sampled_from("\x1b[]P\\;0m31\x07\x9b\r\n\bab\u202e")))
def test_terminal_output_never_steers_a_terminal(text: str) -> None:
    shown = without_escapes(text)
    assert not set(shown) & set(map(chr, [*range(9), *range(11, 32), 0x7F, *range(0x80, 0xA0)]))


def test_a_line_is_cut_with_an_ellipsis() -> None:
    assert clipped("abcdef", 4) == "abc…"
    assert clipped("abcd", 4) == "abcd"
    assert clipped("a\n\x1bb", 10) == "a ␛b"
