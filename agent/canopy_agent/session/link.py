"""One run of the CLI as a session sees it: events in order, control requests, one end.

It reads for as long as the process lives, whatever the client does; what events lead to is not
known here.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from canopy_agent.claude.control import ENDED, ControlPeer
from canopy_agent.claude.decode import Decoder
from canopy_agent.claude.errors import ControlFailed
from canopy_agent.claude.start_failure import ended_early
from canopy_agent.session.valve import Rewrite, Valve, as_they_are

if TYPE_CHECKING:
    from canopy_agent.claude.process import ClaudeProcess, ProcessExit
    from canopy_agent.domain.effects import SendPrompt
    from canopy_agent.domain.events import Event

log = logging.getLogger(__name__)

OnEvent = Callable[["Event"], None]
OnFrame = Callable[[Mapping[str, Any]], None]
OnEnd = Callable[["CliLink", "ProcessExit | None"], None]


def user_frame(prompt: SendPrompt, session_id: str) -> dict[str, Any]:
    """The user message that a prompt is for the CLI."""
    frame: dict[str, Any] = {
        "type": "user",
        "uuid": prompt.prompt,
        "session_id": session_id,
        "parent_tool_use_id": None,
        "origin": {"kind": "human"},
        "message": {"role": "user", "content": list(prompt.blocks)},
    }
    if prompt.priority is not None:
        frame["priority"] = prompt.priority
    return frame


class CliLink:
    """A started CLI process with its reader.

    ``on_event`` gets every event in the order of the stream; ``on_frame`` every frame, before
    its events; ``on_end`` is called once, when the output ended. ``relieve`` is awaited between
    batches, so that a client that reads slowly slows the CLI down. ``rewrite`` may take a frame's
    place, while those behind it wait.
    """

    def __init__(
        self,
        process: ClaudeProcess,
        *,
        on_event: OnEvent,
        on_frame: OnFrame,
        on_end: OnEnd,
        relieve: Callable[[], Awaitable[None]],
        rewrite: Rewrite = as_they_are,
    ) -> None:
        self._process = process
        self._on_event = on_event
        self._on_frame = on_frame
        self._on_end = on_end
        self._relieve = relieve
        self._decoder = Decoder()
        self._valve = Valve(rewrite, self._deliver)
        self._refusal: Mapping[str, Any] | None = None
        self._reader: asyncio.Task[None] | None = None
        self.control = ControlPeer(process.write)
        self.closing = False
        self.greeted = False
        """The process has answered ``initialize``."""

    @property
    def exit(self) -> ProcessExit | None:
        """How the process ended, None while it runs."""
        return self._process.exit

    async def start(self, initialize: Mapping[str, Any]) -> dict[str, Any]:
        """Start the process and greet it; gives its ``initialize`` response.

        Raises :class:`~canopy_agent.claude.errors.ClaudeError`. A process that could not be
        greeted is closed again.
        """
        try:
            await self._process.start()
            self._reader = asyncio.create_task(self._read(), name="claude-frames")
            response = await self.control.request("initialize", **initialize)
            self.greeted = True
            return response
        except ControlFailed as error:
            await self.aclose()
            if error.code != ENDED:
                raise
            raise ended_early(self._refusal, self._process.exit) from error
        except BaseException:
            await self.aclose()
            raise

    def write(self, frame: Mapping[str, Any]) -> None:
        """Send one frame."""
        self._process.write(frame)

    async def _read(self) -> None:
        try:
            while frames := await self._process.read():
                for frame in frames:
                    self._take(frame)
                await self._relieve()
        finally:
            ended = self._process.exit
            self._valve.open()
            self.control.fail_all(ended)
            self._on_end(self, ended)

    def _take(self, frame: Mapping[str, Any]) -> None:
        if frame.get("type") == "control_response":
            self.control.resolve(frame)
            return
        if not self.greeted and frame.get("type") == "result":
            self._refusal = frame
        self._valve.take(frame)

    def _deliver(self, frame: Mapping[str, Any]) -> None:
        try:
            self._on_frame(frame)
            events = self._decoder.decode(frame)
            for event in events:
                self._on_event(event)
            if not events and frame.get("type") == "control_request":
                self._refuse(frame, "the host does not know this request")
        except Exception:
            # one frame that we mishandle must not end the conversation, nor wait for ever
            log.exception("could not handle a frame of type %s", frame.get("type"))
            if frame.get("type") == "control_request":
                self._refuse(frame, "the request could not be handled")

    def _refuse(self, frame: Mapping[str, Any], why: str) -> None:
        """Answer a question of the CLI that nobody else will answer."""
        request_id = frame.get("request_id")
        if isinstance(request_id, str):
            self.control.refuse(request_id, why)

    def hurry(self) -> None:
        """Pass on what waits for better words, as it is."""
        self._valve.open()

    async def aclose(self, *, grace: float = 5.0) -> None:
        """End the process within bounds: ``grace`` seconds for each gentle step.

        Safe to call twice and from any task.
        """
        self.closing = True
        await self._process.aclose(grace=grace)
        if self._reader is not None and self._reader is not asyncio.current_task():
            await asyncio.wait({self._reader}, timeout=5.0)
