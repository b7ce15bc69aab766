"""The messages that wait for their turn, above the composer: to be edited, or taken out again.

It shows the queue of one root and says what was clicked; it changes nothing itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.content import Content
from textual.message import Message

from canopy_tui.model.glyphs import ASCII, UNICODE
from canopy_tui.model.sanitize import clipped
from canopy_tui.view.clicks import Clickable, clickable
from canopy_tui.view.keymap import filled

if TYPE_CHECKING:
    from canopy_tui.model.state import QueuedPrompt

SHOWN = 4
"""So many of the queue are listed; the rest is a number."""


class QueueStrip(Clickable):
    """One line per message; hidden while there is none."""

    @dataclass
    class Edit(Message):
        """The person wants to edit this message."""

        prompt: int

    @dataclass
    class Now(Message):
        """The person wants this message said into the turn that runs."""

        prompt: int

    @dataclass
    class Remove(Message):
        """The person wants this message out of the queue."""

        prompt: int

    def __init__(self, glyphs: str = UNICODE) -> None:
        super().__init__(id="queue")
        self._cross = "x " if glyphs == ASCII else "× "
        self._facts: tuple[object, ...] = ()
        self._queue: tuple[QueuedPrompt, ...] = ()
        self._early: tuple[str, ...] = ()
        self._steering: tuple[QueuedPrompt, ...] = ()
        self._editing: int | None = None
        self._held = False
        self._steers = False
        self.display = False

    def show(
        self,
        queue: Sequence[QueuedPrompt],
        *,
        editing: int | None = None,
        held: bool = False,
        early: Sequence[str] = (),
        steering: Sequence[QueuedPrompt] = (),
        steers: bool = False,
    ) -> None:
        """``early`` are messages for a session that is not there yet, ``steering`` those on their
        way into the turn; ``steers``: those of the queue could go into it too.
        """
        facts = (tuple(queue), tuple(early), tuple(steering), editing, held, steers)
        if facts == self._facts:
            return
        self._facts = facts
        self._queue, self._early, self._steering, self._editing, self._held, self._steers = facts
        self.display = bool(queue or early or steering)
        self.refresh(layout=True)

    def render(self) -> Content:
        """The lines."""
        lines = [
            Content.assemble(("  saying  ", "$primary"), clipped(prompt.written, 500))
            for prompt in self._steering[:SHOWN]
        ]
        lines += [self._line(prompt) for prompt in self._queue[:SHOWN]]
        lines += [
            Content.assemble(("  waits  ", "$text-muted"), clipped(t, 500)) for t in self._early
        ]
        if len(self._queue) > SHOWN:
            lines.append(Content.styled(f"  and {len(self._queue) - SHOWN} more", "$text-muted"))
        if self._held:
            lines.append(
                Content.styled(filled("  held: {send} in the empty field sends them"), "$warning")
            )
        return Content("\n").join(line.truncate(self.size.width, ellipsis=True) for line in lines)

    def _line(self, prompt: QueuedPrompt) -> Content:
        under_edit = prompt.id == self._editing
        edit = clickable("edit", prompt.id)
        remove = clickable("remove", prompt.id)
        now = clickable("now", prompt.id)
        return Content.assemble(
            (
                "  editing " if under_edit else "  queued  ",
                "$primary" if under_edit else "$text-muted",
            ),
            Content(self._cross).stylize(remove).stylize("$text-muted"),
            Content("now ").stylize(now).stylize("$secondary") if self._steers else "",
            Content(clipped(prompt.written, 500)).stylize(edit),
        )

    def action_edit(self, prompt: int) -> None:
        """A message was clicked."""
        self.post_message(self.Edit(prompt))

    def action_now(self, prompt: int) -> None:
        """``now`` beside a message was clicked."""
        self.post_message(self.Now(prompt))

    def action_remove(self, prompt: int) -> None:
        """The cross of a message was clicked."""
        self.post_message(self.Remove(prompt))
