"""Diffs: what changed, with numbers and marked words, bounded and readable without colour."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from canopy_tui.view.blocks.diff import BOUND, PREVIEW, FileChange
from canopy_tui.view.drawing.diffs import NO_NEWLINE, Change, changes, counted, diff_rows
from tui_transcript.drawing import INK, paper, text_of, widest
from tui_transcript.samples import NEW, OLD


def signs(old: str | None, new: str) -> str:
    return "".join(change.sign for change in changes(old, new))


def test_numbers_are_those_of_each_side() -> None:
    found = changes("a\nb\nc\n", "a\nx\ny\nc\n", 10)
    assert [(change.sign, change.number, change.text) for change in found] == [
        (" ", 10, "a"),
        ("-", 11, "b"),
        ("+", 11, "x"),
        ("+", 12, "y"),
        (" ", 13, "c"),
    ]


def test_words_that_changed_are_marked() -> None:
    gone, come = changes("value = compute(a, b)", "value = compute(a, c)")
    assert [gone.text[low:high] for low, high in gone.marked] == ["b"]
    assert [come.text[low:high] for low, high in come.marked] == ["c"]
    rows = diff_rows([gone, come], paper())
    assert ("c", INK.added_word) in rows[1].runs


def test_lines_with_nothing_in_common_are_not_marked() -> None:
    assert [change.marked for change in changes("alpha beta", "1 + 2 = 3;")] == [(), ()]


def test_far_context_is_folded() -> None:
    old = "\n".join(map(str, range(100)))
    found = changes(old, old.replace("50", "fifty"))
    assert [change.number for change in found if change.sign == "@"] == [47, 46]
    assert "… 47 unchanged" in text_of(diff_rows(found, paper()))


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (None, "a\nb\n", "++"),
        ("a\n", "", "-"),
        ("a\n", "a\n", ""),
        ("a\r\nb\r\n", "a\r\nc\r\n", " -+"),
        ("a\nb\n", "a\r\nb\r\n", "--++"),
        ("", "", ""),
        (None, "", ""),
        ("a", "a\n", "-+"),
        ("a\n", "a", "-+"),
        ("a\nb", "a\nc\n", " -+"),
    ],
)
def test_special_files(old: str | None, new: str, expected: str) -> None:
    assert signs(old, new) == expected
    assert counted(old, new) == (expected.count("+"), expected.count("-"))


texts = st.lists(st.sampled_from(["a", "b", "c d e", "", "日本", "x y"]), max_size=12)


@given(texts, texts)
@settings(max_examples=150)
def test_a_diff_leads_from_one_text_to_the_other(before: list[str], after: list[str]) -> None:
    old, new = "\n".join(before), "\n".join(after)
    found = changes(old, new, context=1000)
    if old == new:
        return
    kept_old = [change.text.removesuffix(NO_NEWLINE) for change in found if change.sign in " -"]
    kept_new = [change.text.removesuffix(NO_NEWLINE) for change in found if change.sign in " +"]
    assert kept_old == old.removesuffix("\n").split("\n") or not old.strip("\n")
    assert kept_new == new.removesuffix("\n").split("\n") or not new.strip("\n")


def test_large_changes_are_drawn_bounded() -> None:
    old = "\n".join(f"old {number}" for number in range(20_000))
    new = "\n".join(f"new {number}" for number in range(20_000))
    for expanded, bound in ((False, PREVIEW), (True, BOUND)):
        rows = FileChange("/p/x", old, new, expanded=expanded).draw(paper())
        assert len(rows) == bound + 2
        assert "more lines" in rows[-1].text


def test_long_lines_wrap_behind_the_numbers() -> None:
    rows = diff_rows([Change("+", 7, "日本語 " * 20)], paper(30))
    assert widest(rows) <= 30
    assert rows[0].text.startswith("7 + 日本語")
    assert rows[1].text.startswith("    語")
    assert (
        "".join(row.joint + row.text[row.gutter :] for row in rows)[1:] == ("日本語 " * 20).rstrip()
    )


def test_the_title_says_what_kind_of_change() -> None:
    assert FileChange("/p/new.py", None, "a\n").draw(paper())[0].text == "  /p/new.py  new file  +1"
    assert FileChange("/p/x.py", OLD, NEW).draw(paper())[0].text == "  /p/x.py  +4  -4"
    assert FileChange("/p/x.py", "a\n", "").draw(paper())[0].text == "  /p/x.py  emptied  -1"


def test_signs_say_the_same_as_colours() -> None:
    text = text_of(FileChange("/p/x.py", OLD, NEW, 38, titled=False, expanded=True).draw(paper()))
    assert "  42 - def parse_config(path):" in text
    assert "  42 + def parse_config(path: Path) -> Config:" in text
    assert "  48   " in text


@pytest.mark.parametrize("nasty", ["\x1b[31mred", "[/b]x", "a\u202eb", "\x00", "\ud83d", "\tx"])
def test_file_contents_and_names_are_harmless(nasty: str) -> None:
    for row in FileChange(f"/p/{nasty}", f"{nasty}1", f"{nasty}2").draw(paper()):
        assert row.text.isprintable() or "\u3000" in row.text
    if "[" in nasty[:1]:
        assert nasty in text_of(FileChange(f"/p/{nasty}", None, nasty).draw(paper()))
