"""The methods that extensions add to the agent: a table from name to handler.

It reads requests and finds their session; what a request does is the session's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from canopy_shared import extension_requests as xr
from canopy_shared import methods as m

if TYPE_CHECKING:
    from canopy_agent.session.directory import SessionDirectory
    from canopy_shared.peer import IncomingRequest

Handler = Callable[["IncomingRequest"], None]


def extension_handlers(directory: Callable[[], SessionDirectory]) -> dict[str, Handler]:
    """Handlers by method; ``directory`` gives the open sessions."""

    def steer(request: IncomingRequest) -> None:
        from canopy_agent.session.steering import steer

        params = xr.SteeringParams.parse(request.params)
        steer(directory().get(params.message.session_id), request, params)

    def set_goal(request: IncomingRequest) -> None:
        from canopy_agent.session.steering import set_goal

        params = xr.GoalParams.parse(request.params)
        set_goal(directory().get(params.session_id), request, params)

    def stop_task(request: IncomingRequest) -> None:
        from canopy_agent.domain.events import TaskStopAsked

        params = xr.StopTaskParams.parse(request.params)
        session = directory().of_task(params.session_id, params.task_id)
        session.runtime.extensions.ask(request, lambda key: TaskStopAsked(key, params.task_id))

    return {m.STEERING: steer, m.GOAL: set_goal, m.ASYNC_TASK_STOP: stop_task}
