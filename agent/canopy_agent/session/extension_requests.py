"""Requests of extensions that one session has open: taken in, brought before the core, answered.

What may be stopped or steered is decided by the core; here requests wait for its word.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, assert_never

from canopy_agent.claude.errors import ClaudeError
from canopy_agent.domain import effects as fx
from canopy_agent.domain import events as e
from canopy_shared.errors import AcpError, internal_error, invalid_params

if TYPE_CHECKING:
    from canopy_agent.session.steering import Answerable
    from canopy_shared.ext.goal import Goal

Extension = fx.Reply | fx.ReplyError | fx.StopBackground | fx.Submit | fx.ReadGoal
Control = Callable[[Mapping[str, Any]], Awaitable[dict[str, Any]]]


class ExtensionRequests:
    """``control`` sends a control request and waits; ``handle`` applies an event; ``spawn`` runs
    work beside the session; ``submit`` brings an event before a CLI that runs.
    """

    def __init__(
        self,
        *,
        control: Control,
        handle: Callable[[e.Event], None],
        spawn: Callable[[Any], object],
        submit: Callable[[e.Event], None],
    ) -> None:
        self._control = control
        self._handle = handle
        self._spawn = spawn
        self._submit = submit
        self._open: dict[str, Answerable] = {}
        self._count = 0
        self.stored_goal: Callable[[], Goal | None] = lambda: None
        """Reads the goal that the transcript ends with; called in a thread."""

    def ask(self, request: Answerable, event: Callable[[str], e.Event]) -> None:
        """Put ``request`` before the core, as the event that ``event`` makes of its key."""
        self._count += 1
        key = f"request-{self._count}"
        self._open[key] = request
        self._handle(event(key))

    def run(self, effect: Extension) -> None:
        """Carry out what the core decided."""
        match effect:
            case fx.Reply(key, result):
                request = self._open.pop(key, None)
                if request is not None:
                    request.respond(result)
            case fx.ReplyError(key, message, invalid):
                self.fail(key, (invalid_params if invalid else internal_error)(message))
            case fx.StopBackground():
                self._spawn(self._stop(effect))
            case fx.Submit(event):
                self._submit(event)
            case fx.ReadGoal():
                self._spawn(self._read_goal())
            case _:
                assert_never(effect)

    def fail(self, key: str, error: AcpError) -> None:
        """Answer with an error; a request that is answered stays so."""
        request = self._open.pop(key, None)
        if request is not None:
            request.fail(error)

    async def _stop(self, effect: fx.StopBackground) -> None:
        order = (
            {"subtype": "interrupt"}
            if effect.interrupt
            else {"subtype": "stop_task", "task_id": effect.task}
        )
        problem = None
        try:
            await self._control(order)
        except ClaudeError as error:
            problem = f"Claude Code did not stop the task: {error}"
        self._handle(e.TaskStopDone(effect.key, effect.task, problem))

    async def _read_goal(self) -> None:
        self._handle(e.GoalReported(await asyncio.to_thread(self.stored_goal)))

    def close(self) -> None:
        """The session is over: whoever still waits is told."""
        for key in list(self._open):
            self.fail(key, internal_error("the session was closed"))
