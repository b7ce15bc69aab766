"""A question that comes by itself at the start, over the field that somebody may write in already.

What is asked, and what the answers mean, is not known here.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen, ScreenResultType

from canopy_tui.view.answers import Answers
from canopy_tui.view.confirm import ConfirmScreen
from canopy_tui.view.lone_letter import SETTLE, LoneLetter
from canopy_tui.view.once import once

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from textual import events

_TYPED = "What you type goes into the message. A key answers by itself."


class UnaskedQuestion(ModalScreen[ScreenResultType]):
    """``spill`` takes what was typed and is no answer; None: the person asked for the question,
    and every key counts at once.
    """

    spill: Callable[[str], object] | None = None

    def __init__(self, *words: str) -> None:
        super().__init__(*words)
        self._lone = LoneLetter()
        self._settling: asyncio.TimerHandle | None = None

    async def on_key(self, event: events.Key) -> None:
        """A letter among others is text."""
        if self.spill is None or not event.is_printable or not event.character:
            return
        event.stop()  # bindings are looked up later, when more may have been typed
        active = self.active_bindings.get(event.key)
        answers = active is not None and active.node is self
        text = self._lone.typed(event.character, time.monotonic(), answers=answers)
        if active is not None and not text:
            await self.run_action(active.binding.action)
        elif text:
            self._settle(None)
            self.spill(text)
            frame = self.query_one(Answers).parent
            if isinstance(frame, Vertical):
                frame.border_subtitle = Content(_TYPED)

    def action_answer(self, value: ScreenResultType) -> None:
        """A key answered: at once, or when nothing else is typed after it."""
        if self._lone.waiting:
            self._settle(value)
        else:
            self.dismiss(value)

    def _settle(self, value: ScreenResultType | None) -> None:
        if self._settling is not None:
            self._settling.cancel()
        self._settling = None

        def settled() -> None:
            self.dismiss(value)  # not awaited: that cannot be done from a timer of the screen

        if value is not None:
            self._settling = once(self, SETTLE, settled)


class UnaskedConfirm(UnaskedQuestion[bool], ConfirmScreen):
    """Yes or no, where nobody asked for the question."""
