"""Everything that is written but not sent: a draft per root, queued messages under edit, history.

Pure: it must not know the widget it serves, nor the wire.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from canopy_tui.model.shelf import Shelf
from canopy_tui.view.composer.prompt_history import PromptHistory

if TYPE_CHECKING:
    from canopy_tui.model.state import QueuedPrompt


@dataclass(slots=True)
class Drafts:
    """``editing`` is the queued message whose text is in the field, None for the person's own.

    Methods that return a text want it shown in the field; None leaves the field as it is.
    """

    history: PromptHistory = field(default_factory=PromptHistory)
    shelf: Shelf = field(default_factory=Shelf)
    editing: int | None = None
    _own: str = ""
    _kept: dict[str, str] = field(default_factory=dict)

    def change_root(
        self,
        old: str | None,
        new: str | None,
        current: str,
        recall: Callable[[str], str] = lambda _session: "",
    ) -> str:
        """Keep what is written for ``old`` and return what was written for ``new``: in this run,
        else what ``recall`` gives.

        What is written before there is any session belongs to the first one.
        """
        own = self.unsent(current)
        self.editing = None
        if old is not None:
            self._kept[old] = own
        elif own:
            return own
        if new is None:
            return ""
        return self._kept.pop(new) if new in self._kept else recall(new)

    def edit(self, prompt: int, queue: Sequence[QueuedPrompt], current: str) -> str | None:
        """Take a queued message into the field."""
        text = next((item.written for item in queue if item.id == prompt), None)
        if text is not None:
            if self.editing is None:
                self._own = current
            self.editing = prompt
        return text

    def unsent(self, current: str) -> str:
        """The person's own draft, also while the field shows a queued message."""
        return current if self.editing is None else self._own

    def stop_editing(self) -> str:
        """Give the field back to the person's own draft."""
        own, self._own, self.editing = self._own, "", None
        return own

    def forget_sent(self, queue: Sequence[QueuedPrompt]) -> str | None:
        """Stop editing a message that has left the queue; it went as it was."""
        if self.editing is None or any(item.id == self.editing for item in queue):
            return None
        return self.stop_editing()

    def older(self, queue: Sequence[QueuedPrompt], current: str) -> str | None:
        """What lies above the first line: the queue, newest first, then the history."""
        ids = [item.id for item in queue]
        if self.editing in ids:
            place = ids.index(self.editing)
            return self.edit(ids[place - 1], queue, current) if place else None
        if ids and not current:
            return self.edit(ids[-1], queue, current)
        return self.history.older(current)

    def newer(self, queue: Sequence[QueuedPrompt], current: str) -> str | None:
        """What lies below the last line: newer messages, at last the person's own draft."""
        ids = [item.id for item in queue]
        if self.editing in ids:
            place = ids.index(self.editing) + 1
            if place < len(ids):
                return self.edit(ids[place], queue, current)
            return self.stop_editing()
        return self.history.newer(current)
