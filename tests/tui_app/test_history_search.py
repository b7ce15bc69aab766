"""The list of what was sent before: when that was, and what of it was looked for."""

from __future__ import annotations

import time
from datetime import datetime
from pathlib import Path

from textual.content import Content
from textual.widgets import OptionList

from canopy_tui.kept.storage import PromptHistory
from canopy_tui.view.screens.history_screen import day_or_hour, marked
from tui_app.playing import NARROW, playing


def test_times_are_short() -> None:
    now = datetime(2026, 12, 3, 14, 5).timestamp()
    assert day_or_hour(now - 60, now) == "14:04"
    assert day_or_hour(datetime(2026, 12, 2, 23, 59).timestamp(), now) == "2 Dec"
    assert day_or_hour(datetime(2024, 1, 1).timestamp(), now) == "2024"
    assert day_or_hour(1e300, now) == ""


def test_every_word_that_was_looked_for_is_marked() -> None:
    spans = marked(Content("Tell [me] of tEll"), "tell [me]").spans
    assert sorted((span.start, span.end) for span in spans) == [(0, 4), (5, 9), (13, 17)]


def test_the_last_time_of_each_prompt_is_known(tmp_path: Path) -> None:
    history = PromptHistory(tmp_path)
    history.add(tmp_path, "one")
    file = tmp_path / "history.jsonl"
    file.write_bytes(b'{"at":5,"directory":"/a","text":"one"}\n{"directory":"/a","text":"two"}\n')
    assert history.times() == {"one": 5.0}
    history.add(tmp_path, "one")
    assert abs(history.times()["one"] - time.time()) < 60


async def test_the_list_tells_when_and_shows_what_was_looked_for() -> None:
    long = "word " * 100 + "needle and more"
    sent = {long: datetime(2024, 1, 1).timestamp()}
    async with playing(NARROW, history=["other", long], sent_at=lambda: sent) as play:
        await play.press("ctrl+r")
        await play.shows("2024  word word")
        await play.write("needle")
        await play.until(
            lambda: play.screen.query_one("#history-list", OptionList).option_count == 1, "one"
        )
        await play.shows("needle and more")
        [row] = [line for line in play.lines if "2024" in line]
        assert "…" in row
        assert "needle and more" in row
