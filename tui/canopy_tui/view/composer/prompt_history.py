"""What the person sent before, walked with Up and Down, with the unsent draft kept at the end.

Pure: it must not know the widget it serves, nor where the history is stored.
"""

from __future__ import annotations

from dataclasses import dataclass, field

LIMIT = 500


@dataclass(slots=True)
class PromptHistory:
    """Messages, oldest first. ``position`` is None while the person edits their own draft."""

    messages: list[str] = field(default_factory=list)
    position: int | None = None
    draft: str = ""

    def add(self, text: str) -> None:
        """Remember ``text`` as the newest message; the same text is kept once, at the end."""
        self.position = None
        self.draft = ""
        if not text.strip():
            return
        if text in self.messages:
            self.messages.remove(text)
        self.messages.append(text)
        del self.messages[:-LIMIT]

    def older(self, current: str) -> str | None:
        """The message before the one shown, None when there is none.

        ``current`` is what is shown now; it is the draft when the walk begins, or begins anew
        because the person changed what was shown.
        """
        if self.position is not None and current != self.messages[self.position]:
            self.position = None
        if self.position is None:
            if not self.messages:
                return None
            self.draft = current
            self.position = len(self.messages)
        if self.position == 0:
            return None
        self.position -= 1
        return self.messages[self.position]

    def newer(self, current: str) -> str | None:
        """The message after the one shown, at last the draft; None when that is shown already."""
        if self.position is None or current != self.messages[self.position]:
            return None
        self.position += 1
        if self.position == len(self.messages):
            self.position = None
            return self.draft
        return self.messages[self.position]
