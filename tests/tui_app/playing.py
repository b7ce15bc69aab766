"""Runs the app on a stage, headless, with a clock that only tests move, and reads its screen."""

from __future__ import annotations

import asyncio
import time
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from textual import events
from textual.keys import _character_to_key

from canopy_tui.view.apps.app import CanopyApp
from canopy_tui.view.keyboard.key_guard import RUN, SETTLE
from canopy_tui.view.keyboard.keymap import IN_FORCE
from canopy_tui.view.keyboard.lone_keys import AnsweredByKeys
from canopy_tui.view.surroundings import Surroundings
from tui_app.stage import Stage
from waiting import eventually

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

    from textual.message_pump import MessagePump
    from textual.pilot import Pilot
    from textual.screen import Screen

    from canopy_tui.view.keyboard.key_guard import KeyGuard

WIDE = (120, 40)
NARROW = (80, 24)
SMALLEST_WIDE = (100, 28)
"""Every part is on screen, and drawing takes the least."""


class Clock:
    """Monotonic seconds."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    def pass_by(self, seconds: float) -> None:
        """Time goes by."""
        self.now += seconds


@dataclass
class Play:
    """A running app with everything a test needs."""

    app: CanopyApp
    pilot: Pilot[int]
    stage: Stage
    clock: Clock

    async def press(self, *keys: str) -> None:
        """Press keys, each when the one before was handled, as one who reads what is asked."""
        for key in keys:
            if len(key) == 1 and isinstance(self.screen, AnsweredByKeys):
                self._end_of_word(self.screen.guard)
            self.app.post_message(key_event(key))
            await self.settle()
            if self.app.lone_keys.holds:
                self.clock.pass_by(SETTLE)
                self.app.call_later(self.app.lone_keys.look)
                await self.settle()

    def _end_of_word(self, guard: KeyGuard) -> None:
        """Whatever was typed before is no part of the same word any more."""
        if self.clock() - guard.typed_at <= RUN:
            self.clock.pass_by(RUN + 0.01)

    async def write(self, text: str) -> None:
        """Type text, as fast as it can be read."""
        for character in text:
            self.app.post_message(key_event(character))
        await self.settle()

    async def settle(self) -> None:
        """Let every widget handle what is in its queue, and what follows from that.

        A key goes up through one queue per level of widgets. Textual's own way waits until the
        processor is idle, which takes long on a busy machine.
        """
        quiet, passes = 0, 0
        while quiet < _QUIET_PASSES and passes < _MOST_PASSES and self.app.is_running:
            await asyncio.sleep(0)
            passes += 1
            quiet = 0 if self._has_messages() else quiet + 1
        await self.pilot.pause(0)
        await self.pilot.pause(0)

    def _has_messages(self) -> bool:
        pumps = (self.app, *(node for top in self.app.screen_stack for node in _all_of(top)))
        return any(pump.message_queue_size for pump in pumps)

    async def shows(self, text: str) -> None:
        """Wait until the screen holds ``text``."""
        await eventually(lambda: text in self.text, f"{text!r} on screen:\n{self.text}", bound=30)

    async def shows_no(self, text: str) -> None:
        """Wait until the screen does not hold ``text``."""
        await eventually(lambda: text not in self.text, f"no {text!r} on screen", bound=30)

    async def until(self, condition: Callable[[], Any], what: str) -> None:
        """Wait for a condition."""
        await eventually(condition, what, bound=30)

    @property
    def screen(self) -> Screen[Any]:
        """The screen in front."""
        return self.app.screen

    @property
    def lines(self) -> list[str]:
        """What is on screen, modal and what lies below it together."""
        return [
            "".join(segment.text for segment in strip)
            for strip in self.app.screen._compositor.render_strips()
        ]

    @property
    def text(self) -> str:
        """The same as one text."""
        return "\n".join(self.lines)

    @property
    def draft(self) -> str:
        """What is written in the composer."""
        return self.app.main.composer.area.text


_QUIET_PASSES = 4
_MOST_PASSES = 10_000


def _all_of(screen: Screen[Any]) -> Iterator[MessagePump]:
    yield from screen.walk_children(with_self=True)


_CHARACTERS = {"space": " ", "enter": "\r", "tab": "\t", "escape": "\x1b", "backspace": "\x7f"}


def key_event(key: str) -> events.Key:
    """The event of a key by Textual's name, or of one character."""
    if len(key) > 1:
        return events.Key(key, _CHARACTERS.get(key))
    return events.Key(key if key.isalnum() else _character_to_key(key), key)


@asynccontextmanager
async def playing(
    size: tuple[int, int] = SMALLEST_WIDE, *, ready: bool = True, **around: Any
) -> AsyncIterator[Play]:
    """The app, with one session unless ``ready`` is false."""
    stage, clock = Stage(time.time), Clock()
    facts = {"directory": "/home/ada/till", "clock": clock, **around}
    app = CanopyApp(stage.make, Surroundings(**facts))
    async with app.run_test(size=size) as pilot:
        play = Play(app, pilot, stage, clock)
        await play.settle()
        if ready:
            stage.ready()
            await play.settle()
        try:
            yield play
        finally:
            IN_FORCE.use({})  # a process has one keyboard, and the next test the usual keys
