"""Markdown as rows: how it looks, that it fits, and that nothing is lost or obeyed."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from canopy_tui.view.drawing.markdown import code_rows, markdown_rows
from canopy_tui.view.drawing.markdown_inline import LINK
from canopy_tui.view.drawing.markdown_table import fitting
from canopy_tui.view.drawing.plain_words import plain_words
from canopy_tui.view.drawing.strips import ASCII, PROSE, Row
from tui_transcript.drawing import INK, paper, text_of, widest
from tui_transcript.samples import ANSWER


def shown(source: str, width: int = 60) -> str:
    return text_of(markdown_rows(source, paper(width)))


def styled(rows: list[Row], text: str) -> set[str]:
    """Attributes of the runs that hold ``text``."""
    return {
        name
        for row in rows
        for part, style in row.runs
        if text in part
        for name in ("bold", "italic", "strike", "underline")
        if getattr(style, name)
    }


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("one\ntwo", "one\ntwo"),
        ("one\n\ntwo", "one\n\ntwo"),
        ("hard  \nbreak", "hard\nbreak"),
        ("# Big\ntext", "Big\n\ntext"),
        ("Set\n===", "Set"),
        ("- a\n- b\n  - c\n    - d", "• a\n• b\n  ◦ c\n    ▪ d"),
        ("- a\n\n- b", "• a\n\n• b"),
        ("9. a\n10. b", " 9. a\n10. b"),
        ("3. a\n3. b", "3. a\n4. b"),
        ("- [ ] a\n- [x] b", "☐ a\n☑ b"),
        ("- ", "•"),
        ("> said\n> more", "▎ said\n▎ more"),
        ("> - a\n>   > b", "▎ • a\n▎   ▎ b"),
        ("---", "─" * 40),
        ("`a  b` and ``c`d``", "a  b and c`d"),
        ("[text](https://e.org)", "text (https://e.org)"),
        ("<https://e.org>", "https://e.org"),
        ("<me@e.org>", "me@e.org"),
        ("see https://e.org/a_b_c.", "see https://e.org/a_b_c."),
        ("[bad](javascript:alert(1))", "[bad](javascript:alert(1))"),
        ("![cat](cat.png)", "[image: cat] (cat.png)"),
        ("a &amp; b &lt;c&gt;", "a & b <c>"),
        ("<b>bold</b> <!-- note -->", "<b>bold</b> <!-- note -->"),
        ("<div>\n\nhtml\n\n</div>", "<div>\n\nhtml\n\n</div>"),
        ("[1]: https://e.org/x", "[1]: https://e.org/x"),
        ("a\tb", "a   b"),
        ("    code", " code"),
        ("```\n\tx\n```", "     x"),
    ],
)
def test_how_it_looks(source: str, expected: str) -> None:
    assert shown(source) == expected


def test_emphasis_is_style() -> None:
    rows = markdown_rows("a **b *c* d** ~~e~~ __f__", paper())
    assert text_of(rows) == "a b c d e f"
    assert styled(rows, "b ") == {"bold"}
    assert styled(rows, "c") == {"bold", "italic"}
    assert styled(rows, "e") == {"strike"}
    assert styled(rows, "a ") == set()


def test_names_with_two_underscores_stay_names() -> None:
    source = "open till/__main__.py, a__b__c, __init__, x.__foo_bar__() and __bold__ and __a b__"
    rows = markdown_rows(source, paper(100))
    assert text_of(rows) == (
        "open till/__main__.py, a__b__c, __init__, x.__foo_bar__() and bold and a b"
    )
    bold = [text for row in rows for text, style in row.runs if style.bold]
    assert bold == ["bold", "a b"]
    assert plain_words(source).startswith("open till/__main__.py, a__b__c")


def test_headings_differ_without_colour() -> None:
    looks = [
        styled(markdown_rows("#" * level + " Head", paper()), "Head") for level in (1, 2, 3, 4)
    ]
    assert looks == [{"bold", "underline"}, {"bold"}, {"bold"}, {"bold", "italic"}]


def test_links_carry_their_address_for_the_view_and_no_terminal_link() -> None:
    rows = markdown_rows(
        "[a **b**](https://e.org/x) and https://e.org/y, or <https://z.org>", paper()
    )
    found = {
        (text, style.meta.get(LINK))
        for row in rows
        for text, style in row.runs
        if style.meta.get(LINK)
    }
    assert found == {
        ("a ", "https://e.org/x"),
        ("b", "https://e.org/x"),
        (" (https://e.org/x)", "https://e.org/x"),
        ("https://e.org/y", "https://e.org/y"),
        ("https://z.org", "https://z.org"),
    }
    assert all(style.link is None for row in rows for _, style in row.runs)


def test_code_has_colours_and_a_background_to_the_edge() -> None:
    rows = code_rows("def f():\n    return 1  # one", "python", paper(40))
    assert text_of(rows) == " def f():\n     return 1  # one"
    assert all(row.fill is not None for row in rows)
    colours = {str(style.color) for row in rows for text, style in row.runs if text.strip()}
    assert len(colours) >= 4
    assert all(style.bgcolor == INK.code.bgcolor for row in rows for _, style in row.runs)


@pytest.mark.parametrize("language", ["", "nosuch", "../../etc", "x" * 500, "python\x1b[31m"])
def test_code_of_an_unknown_language_is_plain(language: str) -> None:
    assert text_of(code_rows("a = 1\n\n\nb", language, paper())) == " a = 1\n\n\n b"


def test_colours_see_what_was_before() -> None:
    rows = code_rows("inside\n'''", "python", paper(), before="x = '''start\n")
    assert rows[0].runs[1][1].color == code_rows("'a'", "python", paper())[0].runs[1][1].color


def test_a_table_fits_and_stays_aligned() -> None:
    source = (
        "| Name | N | 日本 |\n|:--|--:|:-:|\n| a long name of something | 1 | 語 |\n| b | 22 | |"
    )
    rows = markdown_rows(source, paper(34))
    assert text_of(rows).split("\n") == [
        "Name                   │  N │ 日本",
        "───────────────────────┼────┼─────",
        "a long name of         │  1 │  語",
        "something              │    │",
        "b                      │ 22 │",
    ]
    assert widest(rows) <= 34


def test_a_table_too_narrow_for_columns_becomes_records() -> None:
    source = "| one | two | three | four |\n|-|-|-|-|\n| aaaaaaa | bbbbbbb | ccccccc | ddddddd |\n"
    assert shown(source, 20) == "one: aaaaaaa\ntwo: bbbbbbb\nthree: ccccccc\nfour: ddddddd"


@given(st.lists(st.integers(1, 60), min_size=1, max_size=7), st.integers(1, 120))
def test_columns_share_the_room(natural: list[int], width: int) -> None:
    widths = fitting(natural, width)
    if widths is None:
        assert sum(min(cells, 6) for cells in natural) + 3 * (len(natural) - 1) > width
    else:
        assert sum(widths) + 3 * (len(natural) - 1) <= width
        assert all(
            min(6, cells) <= got <= cells for got, cells in zip(widths, natural, strict=True)
        )
        if sum(natural) + 3 * (len(natural) - 1) <= width:
            assert widths == natural


@pytest.mark.parametrize("width", [1, 2, 8, 20, 45, 100, 200])
def test_it_fits_any_width(width: int) -> None:
    rows = markdown_rows(ANSWER, paper(width))
    assert widest(rows) <= max(width, 12)
    if width >= 20:
        assert widest(rows) <= width


def test_prose_is_not_stretched() -> None:
    assert widest(markdown_rows("word " * 100, paper(250))) <= PROSE


def test_ascii_needs_no_other_characters() -> None:
    source = "- a\n  - b\n- [x] c\n\n> q\n\n---\n\n| a | b |\n|-|-|\n| 1 | 2 |"
    assert text_of(markdown_rows(source, paper(marks=ASCII))).isascii()


deep = st.sampled_from(
    [
        ">" * 200 + " x",
        "- " * 300 + "x",
        "[" * 300 + "x",
        "**" * 2000 + "x",
        "*a " * 500 + "x",
        "a `` b" * 300 + "x",
        "|" * 500 + "\n" + "|-" * 500 + "\nx",
        "![" * 200 + "x",
        "\\" * 300 + "x",
        "1. " * 200 + "x",
        "&" * 500 + "x",
        "<" * 500 + "x",
        "[a](" * 200 + "x",
        "a ~~ b" * 300 + "x",
        "\0\x1b[31mx",
    ]
)


@given(deep)
@settings(deadline=None)
def test_hostile_markdown_is_still_shown(source: str) -> None:
    assert "x" in shown(source)


words = st.sampled_from(
    [
        "alpha",
        "**b**",
        "`c`",
        "\n",
        "\n\n",
        "- ",
        "> ",
        "1. ",
        "| d | e |",
        "|--|--|",
        "```",
        "# ",
        "    ",
        "*",
        "_",
        "[f](g)",
        "<h>",
        "\\",
        "&",
        "---",
        "~~",
        "![i](j)",
    ]
)


@given(st.lists(words, max_size=30).map(" ".join))
@settings(max_examples=150, deadline=None)
def test_no_word_is_lost(source: str) -> None:
    text = shown(source, 30)
    for letter in "abcdfghi":
        if letter not in "dehij" or "|" not in source:
            assert text.count(letter) >= source.count(letter) - source.count("```") * 8


CONTROLS = "\x1b[2J\x9b31m\x07\x00\u202e\u2066\ud800"


@pytest.mark.parametrize(
    "form",
    [
        "{}",
        "**{}**",
        "`{}`",
        "[{}](https://e.org/{})",
        "![{}](x{})",
        "# {}",
        "- {}",
        "> {}",
        "| {} |\n|-|\n| {} |",
        "```\n{}\n```",
        "```{}\nx\n```",
        "    {}",
        "&#27;[31m{}",
        "<{}>",
    ],
)
def test_no_control_code_gets_through(form: str) -> None:
    for row in markdown_rows(form.replace("{}", CONTROLS), paper()):
        for char in row.text:
            assert ord(char) >= 32
            assert not 0x7F <= ord(char) < 0xA0
            assert char not in "\u202e\u2066\ud800"
