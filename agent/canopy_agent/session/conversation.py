"""The conversation behind an ACP session: the id it has on disk, and how a CLI is started for it.

The two ids are equal until a conversation is begun anew under the same session; who begins one,
and what is said in it, is not known here.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from canopy_agent.claude.process import ClaudeProcess

Greeting = tuple["ClaudeProcess", Mapping[str, Any]]
"""A process that was not started yet, and the ``initialize`` request for it."""

Prepare = Callable[[str, bool, str | None], Greeting]
"""From the id of a conversation, whether it is resumed, and the permission mode (None: the
session's)."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """One conversation of Claude Code.

    ``is_stored(id)`` says whether there is a transcript; ``keep(id)`` notes under which id the
    session goes on.
    """

    id: str
    prepare: Prepare
    is_stored: Callable[[str], bool]
    keep: Callable[[str], None]

    def greeting(self, *, resume: bool, mode: str | None = None) -> Greeting:
        """A process for this conversation. Raises ``ClaudeError`` when there is no CLI."""
        return self.prepare(self.id, resume, mode)

    @property
    def can_resume(self) -> bool:
        """Whether a CLI would find the conversation."""
        return self.is_stored(self.id)

    def begun_anew(self) -> Conversation:
        """An empty conversation with an id of its own."""
        return replace(self, id=str(uuid.uuid4()))

    def named_by(self, frame: Mapping[str, Any]) -> Conversation:
        """The conversation that a frame of the CLI says it is in: ``/clear`` begins another."""
        named = frame.get("session_id")
        if not isinstance(named, str) or named == self.id:
            return self
        return replace(self, id=named)
