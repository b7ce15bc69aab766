"""What the client and the session's own runtime do: prompts, cancels, timers, the close.

Times and new ids come in as fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from canopy_agent.domain.facts import Noted

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class PromptSubmitted:
    """``session/prompt``, checked and converted. ``received`` counts the client's messages.

    ``idle`` is true for a compaction of our own, which no client asked for. ``detached``: no
    request waits for its end. ``shown`` are the blocks as the client sent them.
    """

    prompt: str
    blocks: tuple[Json, ...]
    received: int
    text: str = ""
    idle: bool = False
    detached: bool = False
    shown: tuple[Json, ...] = ()


@dataclass(frozen=True, slots=True)
class WindowKnown:
    """The size of the model's context became known, in tokens."""

    size: int


@dataclass(frozen=True, slots=True)
class PromptLost:
    """No CLI runs that could take ``prompt``, and none could be started."""

    prompt: str
    message: str
    detached: bool = False


@dataclass(frozen=True, slots=True)
class CancelRequested:
    """``session/cancel`` of the root."""

    received: int


@dataclass(frozen=True, slots=True)
class ChildCancelRequested:
    """``session/cancel`` of a child session."""

    child: str


@dataclass(frozen=True, slots=True)
class InterruptReceipt:
    """The CLI's answer to our interrupt: prompts that it still holds."""

    still_queued: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ConversationRestarted:
    """A CLI with an empty conversation is there for the ``plan`` of ``tool_use_id``.

    ``blocks`` carry it to the CLI, under the id of ``prompt``.
    """

    prompt: str
    blocks: tuple[Json, ...]
    plan: str
    tool_use_id: str


@dataclass(frozen=True, slots=True)
class RestartFailed:
    """No CLI with an empty conversation could be started for the plan of ``prompt``."""

    prompt: str
    message: str


@dataclass(frozen=True, slots=True)
class NoteMade:
    """The session has something to tell of its own."""

    note: Noted


@dataclass(frozen=True, slots=True)
class TimerFired:
    """A timer of ours ran out; see :class:`~canopy_agent.domain.effects.StartTimer`."""

    name: str


@dataclass(frozen=True, slots=True)
class SessionClosing:
    """The session is about to be closed: end everything."""
