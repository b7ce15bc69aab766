"""Records what is said with an agent, whichever way it was started.

It stands between the agent and the client and changes nothing; the format is that of
``canopy_shared.record``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from canopy_shared.record import CLIENT, RecordingTransport

if TYPE_CHECKING:
    from canopy_shared.record import Recorder
    from canopy_shared.transport import Transport
    from canopy_tui.agents.agent_connection import AgentConnection, Ending, Launch


class RecordedAgent:
    """An agent connection of which everything is recorded."""

    def __init__(self, inner: AgentConnection, recorder: Recorder) -> None:
        self._inner = inner
        self._recorder = recorder
        self._transport = RecordingTransport(inner.transport, recorder, CLIENT)
        recorder.happened("connected")

    @property
    def transport(self) -> Transport:
        """The connection to it."""
        return self._transport

    def heard(self) -> str:
        """The last lines of its stderr."""
        return self._inner.heard()

    async def ending(self) -> Ending:
        """Why it ended."""
        ending = await self._inner.ending()
        self._recorder.happened("closed", reason=ending.reason, stderr=ending.stderr)
        return ending

    async def aclose(self) -> None:
        """Stop it."""
        await self._inner.aclose()


def recorded(launch: Launch, recorder: Recorder) -> Launch:
    """``launch``, with everything that is said to the agents it starts recorded."""

    async def start() -> AgentConnection:
        return RecordedAgent(await launch(), recorder)

    return start
