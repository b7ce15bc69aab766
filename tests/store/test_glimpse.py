"""The last words of a stored session, as the list of sessions shows them beside it."""

from __future__ import annotations

from pathlib import Path

from canopy_agent.history import glimpse
from canopy_agent.history.glimpse import LENGTH, WORDS, last_words
from store.writing import CWD, Transcript


def words(t: Transcript, config: Path) -> list[str]:
    told = last_words({"CLAUDE_CONFIG_DIR": str(config)}, t.id, CWD)
    return told.split("\n\n") if told else []


def test_the_last_words_of_both_in_order_on_a_line_each(tmp_path: Path) -> None:
    t = Transcript(tmp_path / "projects")
    for number in range(5):
        t.user(f"ask {number}\n\n  and more")
        t.says(f"answer {number}")
    said = words(t, tmp_path)
    assert len(said) == WORDS == 6
    assert said[0] == "you: ask 2 and more"
    assert said[-1] == "agent: answer 4"


def test_what_nobody_said_to_the_other_is_left_out(tmp_path: Path) -> None:
    t = Transcript(tmp_path / "projects")
    t.user("go")
    t.calls("Read", "r1", file_path="/x")
    t.returns("r1", "the text of a file")
    t.user("for the model only", isMeta=True)
    t.record("user", isSidechain=True, message={"role": "user", "content": "of a subagent"})
    t.says("Done.")
    t.row(type="cost-state", totalCostUSD=1)
    t.raw(b"{half a li")
    assert words(t, tmp_path) == ["you: go", "agent: Done."]


def test_long_words_are_cut_and_old_ones_are_not_looked_for(tmp_path: Path) -> None:
    t = Transcript(tmp_path / "projects")
    t.user("long ago")
    for number in range(glimpse._LINES):
        t.returns(f"r{number}", "ok")
    assert words(t, tmp_path) == []
    t.says("x" * LENGTH)
    t.says("y" * (LENGTH + 1))
    whole, cut = words(t, tmp_path)
    assert whole == "agent: " + "x" * LENGTH
    assert cut == "agent: " + "y" * (LENGTH - 1) + "…"


def test_a_session_that_cannot_be_read_has_no_words(tmp_path: Path) -> None:
    t = Transcript(tmp_path / "projects")
    assert words(t, tmp_path) == []
    t.path.mkdir(parents=True)
    assert words(t, tmp_path) == []


def test_the_marks_of_markdown_are_left_out() -> None:
    text = (
        "## Plan\n\n- **first** `a_b()`, *then* 2 * 3 * 4\n```py\nx = 1\n```\n"
        "| a | b |\n|---|:-:|\n[the page](https://example.org) of __init__"
    )
    assert glimpse.unmarked(text).split("\n") == [
        "Plan",
        "",
        "- first a_b(), then 2 * 3 * 4",
        "x = 1",
        "| a | b |",
        "the page of __init__",
    ]
