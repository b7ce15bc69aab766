"""The session's title: made by the CLI from what was asked, shown once, never over a person's own.

It decides when to ask and what to show; how the CLI makes a title is not known here.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from datetime import UTC, datetime
from typing import Any

from canopy_agent.claude.errors import ClaudeError
from canopy_shared.updates import SessionInfoUpdate, Update

LONGEST_TITLE = 256
_ENOUGH = 10
_RECENT = 1000

Ask = Callable[[str], Coroutine[Any, Any, dict[str, Any]]]


def clean_title(title: str) -> str:
    """One line of at most 256 characters."""
    words = " ".join(title.split())
    return words if len(words) <= LONGEST_TITLE else words[: LONGEST_TITLE - 1] + "…"


class TitleKeeper:
    """Asks for a title with the first prompt that says enough, else when the first turn is over.

    ``ask`` sends ``generate_session_title``; ``spawn`` runs work beside the session.
    """

    def __init__(
        self,
        ask: Ask,
        spawn: Callable[[Coroutine[Any, Any, Any]], object],
        show: Callable[[Update], None],
    ) -> None:
        self._ask = ask
        self._spawn = spawn
        self._show = show
        self._asked = False
        self._title: str | None = None
        self._recent = ""

    def prompted(self, text: str) -> None:
        """A prompt was queued."""
        self._recent = f"{self._recent}\n{text}"[-_RECENT:]
        if len(text.strip()) >= _ENOUGH:
            self._begin(text)

    def idle(self) -> None:
        """Every prompt is answered."""
        if self._recent.strip():
            self._begin(self._recent.strip())

    def _begin(self, description: str) -> None:
        if self._asked or self._title is not None:
            return
        self._asked = True
        self._spawn(self._make(description))

    async def _make(self, description: str) -> None:
        try:
            title = (await self._ask(description)).get("title")
        except ClaudeError:
            title = None
        if isinstance(title, str) and title.strip():
            self.changed(title)
        else:
            self._asked = False  # the next prompt tries again

    def changed(self, title: str) -> None:
        """The title is ``title`` now, whoever made it."""
        title = clean_title(title)
        if title and title != self._title:
            self._title = title
            self._show(SessionInfoUpdate(title, datetime.now(UTC).isoformat()))

    def reset(self) -> None:
        """A new conversation began."""
        self._asked, self._title, self._recent = False, None, ""
