"""Splitting growing Markdown: the same pieces however it arrives, and closed ones stay."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from canopy_tui.model.export import as_markdown
from canopy_tui.view.drawing.markdown import markdown_rows
from canopy_tui.view.drawing.markdown_split import (
    CODE_LINES,
    PROSE_CHARS,
    PROSE_LINES,
    Code,
    Piece,
    Prose,
    Splitter,
    fences,
)
from tui_transcript.drawing import paper
from tui_transcript.samples import ANSWER, MAIN, message, world


def pieces_of(text: str) -> list[Piece]:
    return Splitter().pieces(text)[1]


def test_blank_lines_part_paragraphs() -> None:
    assert pieces_of("one\ntwo\n\n\nthree") == [Prose("one\ntwo"), Prose("three", gap=True)]


def test_a_fence_is_a_piece_even_without_blank_lines() -> None:
    assert pieces_of("say\n```py\nx = 1\n\ny = 2\n```\nthen") == [
        Prose("say"),
        Code("x = 1\n\ny = 2", "py", gap=True),
        Prose("then", gap=True),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "- a\n\n  more of a\n\n- b",
        "1. a\n\n   ```sh\n   run\n\n   more\n   ```\n\n2. b",
        "- a\n  ```\n  blank\n\nnot fenced\n  ```\n- b",
        "Steps:\n1. Do\n\n    indented\n\n2. Then",
        "- \n\n  late",
    ],
)
def test_a_list_stays_whole(text: str) -> None:
    assert pieces_of(text) == [Prose(text)]


def test_text_after_a_list_is_its_own() -> None:
    assert pieces_of("- a\n- b\n\ntext") == [Prose("- a\n- b"), Prose("text", gap=True)]


@pytest.mark.parametrize("mark", ["```", "~~~~", "````"])
def test_shorter_and_other_marks_do_not_close_a_fence(mark: str) -> None:
    inner = "~~~" if mark[0] == "`" else "```"
    short = mark[:-1] if len(mark) > 3 else "``"
    text = f"{mark} rust ignore\n{inner}\n{short}\n{mark}"
    assert pieces_of(text) == [Code(f"{inner}\n{short}", "rust")]


def test_an_open_fence_is_code_already() -> None:
    assert pieces_of("```python\nx = 1") == [Code("x = 1", "python")]
    assert pieces_of("```python") == [Code("", "python")]
    assert pieces_of("  ```\n  x\n    y") == [Code("x\n  y")]


def test_a_long_fence_comes_in_parts_with_what_goes_before() -> None:
    lines = [f"line {number}" for number in range(2 * CODE_LINES + 5)]
    parts = pieces_of("```\n" + "\n".join(lines) + "\n```\n")
    assert [len(part.source.split("\n")) for part in parts] == [CODE_LINES, CODE_LINES, 5]
    assert "\n".join(part.source for part in parts) == "\n".join(lines)
    assert isinstance(parts[1], Code)
    assert parts[1].before == parts[0].source
    assert [part.gap for part in parts] == [False, False, False]


def test_a_long_list_comes_in_parts_that_count_on() -> None:
    text = "\n".join(f"{number}. item" for number in range(1, 3 * PROSE_LINES))
    parts = pieces_of(text)
    assert len(parts) > 1
    assert "\n".join(part.source for part in parts) == text
    assert [part.gap for part in parts] == [False] * len(parts)
    count = 0
    for part in parts:
        assert isinstance(part, Prose)
        assert part.number == (count + 1 if count else None)
        count += part.source.count("\n") + 1


def test_a_long_table_keeps_its_head_in_every_part() -> None:
    head = "| a | b |\n|---|---|\n"
    parts = pieces_of(head + "| 1 | 2 |\n" * 200)
    assert len(parts) > 1
    assert all(part.source.startswith(head) for part in parts)
    assert sum(part.source.count("| 1 |") for part in parts) == 200


def test_an_endless_line_is_parted() -> None:
    text = "word " * (PROSE_CHARS // 2)
    parts = pieces_of(text)
    assert "".join(part.source for part in parts).split() == text.split()
    assert max(len(part.source) for part in parts) <= PROSE_CHARS
    assert len(pieces_of("x" * (3 * PROSE_CHARS))) == 3


def test_carriage_returns_do_not_shift_lines() -> None:
    assert pieces_of("one\r\ntwo\rthree\r\n\r\nfour\0") == [
        Prose("one\ntwo␍three"),
        Prose("four␀", gap=True),
    ]


def test_another_text_starts_over() -> None:
    splitter = Splitter()
    splitter.pieces("one\n\ntwo\n\nthree")
    assert splitter.pieces("other\n\ntext") == (0, [Prose("other"), Prose("text", gap=True)])


fragments = st.sampled_from(
    [
        "a",
        "word ",
        "\n",
        "\n\n",
        "-",
        "- ",
        "1. ",
        "  ",
        "    ",
        "```",
        "```py",
        "~~~",
        "| a | b |",
        "|---|---|",
        "> ",
        "#",
        "\r\n",
        "\t",
        "é日",
    ]
)


@given(st.lists(fragments, max_size=60), st.data())
@settings(max_examples=150)
def test_pieces_do_not_depend_on_how_text_arrives(parts: list[str], data: st.DataObject) -> None:
    text = "".join(parts)
    splitter = Splitter()
    known: list[Piece] = []
    at = 0
    while at < len(text):
        at = min(len(text), at + data.draw(st.integers(1, 12)))
        kept, fresh = splitter.pieces(text[:at])
        assert kept <= len(known)
        known = known[:kept] + fresh
        assert known == pieces_of(text[:at])
    words = "".join(piece.source for piece in known)
    for char in "aé日wr|>#":
        assert words.count(char) >= text.count(char) - _marks(text, char)


def _marks(text: str, char: str) -> int:
    """Characters that a fence line may hold and a piece of code need not."""
    fences = [line for line in text.split("\n") if "```" in line or "~~~" in line]
    return sum(line.count(char) for line in fences)


def test_closed_pieces_are_kept_and_never_given_again() -> None:
    splitter = Splitter()
    total, known = 0, 0
    for end in range(1, len(ANSWER) + 1, 7):
        kept, fresh = splitter.pieces(ANSWER[:end])
        assert kept >= known
        known = kept
        total = kept + len(fresh)
    assert known >= total - 3


FENCE_LINES = (
    "```",
    "````",
    "~~~",
    "``` py",
    "```x```",
    " ```",
    "    ```",
    "- ```",
    "- a",
    "",
    "x",
)


@given(st.lists(st.sampled_from(FENCE_LINES), max_size=12))
def test_what_is_found_to_be_code_is_what_is_drawn_as_code(lines: list[str]) -> None:
    lines = [f"{line}{n}" if line == "x" else line for n, line in enumerate(lines)]
    text = "\n".join(lines)
    code = "\n".join(piece.source for piece in pieces_of(text) if isinstance(piece, Code))
    prose = [
        line
        for piece in pieces_of(text)
        if isinstance(piece, Prose)
        for line in piece.source.split("\n")
    ]
    found, at = fences(text), 0
    assert found == sorted(found)
    for line in lines:
        inside = any(begin <= at < end for begin, end in found)
        if line.startswith("x") and line in code.split("\n"):
            assert inside, text
        if not inside and line.strip() and line != "x":
            assert line in prose, text
        at += len(line) + 1


@given(st.lists(st.sampled_from(FENCE_LINES), max_size=12))
def test_a_message_swallows_nothing_of_what_follows_it_in_a_file(lines: list[str]) -> None:
    state = world(message("\n".join(lines)), message("The needle."))
    tokens = MarkdownIt("commonmark").parse(as_markdown(state, MAIN))
    assert [one for one in tokens if one.type == "inline" and one.content == "The needle."], lines


TABLE = (
    "Three modules:\n| module | *job* \\| use |\n| :-- | --: |\n| money | reads prices |\n| b | c |"
)


def test_a_table_is_one_from_its_head_on_while_it_streams_and_nothing_jumps() -> None:
    splitter, before = Splitter(), 0
    head = TABLE.index("module |") + len("module |")
    for end in range(1, len(TABLE) + 1):
        _, pieces = splitter.pieces(TABLE[:end], grows=True)
        drawn = [row.text for piece in pieces for row in markdown_rows(piece.source, paper(60))]
        assert len(drawn) >= before, TABLE[:end]
        before = len(drawn)
        if end >= head:
            assert not any("|" in row.partition("job")[0] for row in drawn), drawn
            assert any("─" in row for row in drawn), drawn
            assert not any("--" in row or ":-" in row for row in drawn), drawn
    assert splitter.pieces(TABLE, grows=True)[1] == splitter.pieces(TABLE)[1] == [Prose(TABLE)]


@pytest.mark.parametrize("text", ["| one", "|", "a | b", "|| x", "- | a | b |", "~~~\n| a |"])
def test_what_is_no_head_of_a_table_stays_as_it_is(text: str) -> None:
    assert Splitter().pieces(text, grows=True) == Splitter().pieces(text)


def test_what_only_looked_like_a_table_is_a_text_again_once_it_is_whole() -> None:
    splitter = Splitter()
    assert splitter.pieces("| a | b |", grows=True)[1] == [Prose("| a | b |\n|---|---|")]
    assert splitter.pieces("| a | b |\nand", grows=True)[1] == [Prose("| a | b |\nand")]
    assert splitter.pieces("| a | b |")[1] == [Prose("| a | b |")]
