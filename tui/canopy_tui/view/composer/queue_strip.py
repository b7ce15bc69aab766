"""The messages that wait for their turn, above the composer: to be edited, or taken out again.

It shows the queue of one root and says what was clicked; it changes nothing itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.content import Content
from textual.message import Message

from canopy_tui.model.sanitize import clipped
from canopy_tui.view.drawing.clicks import Clickable, clickable
from canopy_tui.view.keyboard.keymap import filled, name

if TYPE_CHECKING:
    from canopy_tui.model.state import QueuedPrompt

_ROOMY = 70
"""Cells from which on every act is named in full."""
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

    def __init__(self) -> None:
        super().__init__(id="queue")
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
        """The message, and what can be done with it: by a click, and where a key is named by that
        key in the empty field.
        """
        under_edit = prompt.id == self._editing
        head = Content.styled(
            "  editing " if under_edit else "  queued  ",
            "$primary" if under_edit else "$text-muted",
        )
        acts = self._acts(prompt)
        room = self.size.width - head.cell_length - acts.cell_length - 1
        text = Content(clipped(prompt.written, 500)).truncate(max(1, room), ellipsis=True)
        text = text.stylize(clickable("edit", prompt.id))
        return Content.assemble(head, text, " " * (room - text.cell_length + 1), acts)

    def _acts(self, prompt: QueuedPrompt) -> Content:
        roomy, editing = self.size.width >= _ROOMY, self._editing is not None
        first = prompt is self._queue[0] and not editing
        last = prompt is self._queue[-1] and not editing
        now = f"send now {name('steer')}" if first else "send now"
        edit = f"edit {name('history-older')}" if last else "edit"
        acts = [
            *([("now", now if roomy else "now")] if self._steers else []),
            *([] if prompt.id == self._editing else [("edit", edit)]),
            ("remove", "remove"),
        ]
        parts = [
            Content.styled(f"[{w}]", "$secondary").stylize(clickable(a, prompt.id)) for a, w in acts
        ]
        return Content(" ").join(parts)

    def action_edit(self, prompt: int) -> None:
        """A message was clicked."""
        self.post_message(self.Edit(prompt))

    def action_now(self, prompt: int) -> None:
        """``send now`` beside a message was clicked."""
        self.post_message(self.Now(prompt))

    def action_remove(self, prompt: int) -> None:
        """``remove`` beside a message was clicked."""
        self.post_message(self.Remove(prompt))
