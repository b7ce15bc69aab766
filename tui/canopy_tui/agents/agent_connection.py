"""What the client needs of an agent that it started: a transport, its end, and how to stop it.

Implemented by a foreign process and by the agent in this process; neither is known here.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from canopy_shared.transport import Transport


@dataclass(frozen=True, slots=True)
class Ending:
    """Why a connection ended, as far as that is known: one sentence, and the last lines of
    stderr.
    """

    reason: str
    stderr: str = ""


class StartFailedError(Exception):
    """The agent could not be started; the text is one sentence for the person."""


class AgentConnection(Protocol):
    """A started agent."""

    @property
    def transport(self) -> Transport:
        """The connection to it."""

    def heard(self) -> str:
        """The last lines that it wrote to stderr so far; empty where there is no such thing."""

    async def ending(self) -> Ending:
        """Why the transport ended; asked once it has. Returns within seconds."""

    async def aclose(self) -> None:
        """Stop the agent and everything it started, within seconds. Safe to call twice."""


Launch = Callable[[], Awaitable[AgentConnection]]
"""Starts an agent. Raises :class:`StartFailedError`."""
