"""What is to happen once happens, however late the event loop is (the screen froze)."""

from __future__ import annotations

import asyncio

from canopy_tui.view.once import once
from tui_app.playing import playing

AT_ONCE = 1e-12
"""Seconds that are over before anything can look at a clock."""


async def test_what_is_late_already_is_still_called() -> None:
    async with playing() as play:
        called: list[str] = []

        async def later() -> None:
            called.append("coroutine")

        once(play.app, AT_ONCE, lambda: called.append("function"))
        once(play.app.main.transcript, AT_ONCE, later)
        once(play.app, -1.0, lambda: called.append("past"))
        once(play.app, AT_ONCE, lambda: called.append("taken back")).cancel()
        await play.until(lambda: len(called) >= 3, "all three")
        await play.settle()
        assert sorted(called) == ["coroutine", "function", "past"]


async def test_it_asks_nothing_of_who_is_gone() -> None:
    called: list[str] = []
    async with playing() as play:
        gone = play.app.main.transcript
        once(gone, 0.01, lambda: called.append("gone"))
        await gone.remove()
        once(play.app, 0.02, lambda: called.append("later"))
        await play.until(lambda: "later" in called, "what comes later")
        await play.settle()
        assert called == ["later"]


async def test_one_that_is_being_taken_away_is_left_alone() -> None:
    """Its parts are gone while it still answers messages."""
    async with playing() as play:
        await play.press("f2")
        await play.until(lambda: play.screen.query("#find"), "the list")
        called: list[str] = []
        picker = play.screen
        once(picker, 0.0, lambda: called.append("gone"))
        picker._pruning = True
        once(play.app, 0.02, lambda: called.append("later"))
        await play.until(lambda: "later" in called, "what comes later")
        picker._pruning = False
        assert called == ["later"]


async def test_a_frame_that_is_due_at_once_is_painted() -> None:
    async with playing() as play:
        painted = asyncio.Event()
        play.app.schedule(AT_ONCE, painted.set)
        await asyncio.wait_for(painted.wait(), 30)
