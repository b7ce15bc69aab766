"""What a client asks for by extensions: steering, goals, the end of a background task.

``key`` names the request; its answer is an effect with the same key.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class TaskStopAsked:
    """``_session/async_task/stop``."""

    key: str
    task: str


@dataclass(frozen=True, slots=True)
class TaskStopDone:
    """The CLI took the order to stop ``task``; ``problem`` words why it did not."""

    key: str
    task: str
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class SteerSubmitted:
    """``_session/steering``, checked and converted; ``prompt`` is the id of its message.

    ``only_running``: nothing may begin when no turn runs.
    """

    key: str
    prompt: str
    blocks: tuple[Json, ...]
    received: int
    text: str = ""
    only_running: bool = False


@dataclass(frozen=True, slots=True)
class WorkStopAsked:
    """The client wants to stop what ``call`` left running in the background of ``session``."""

    key: str
    session: str
    call: str
    in_terminal: bool


ExtensionEvent = TaskStopAsked | TaskStopDone | SteerSubmitted | WorkStopAsked
