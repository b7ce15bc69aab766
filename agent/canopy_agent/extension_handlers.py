"""The methods that extensions add to the agent: a table from name to handler.

It reads requests and finds their session; what a request does is the session's.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from canopy_shared import extension_requests as xr
from canopy_shared import methods as m
from canopy_shared.errors import method_not_found
from canopy_shared.params import Params

if TYPE_CHECKING:
    from canopy_agent.session.directory import SessionDirectory
    from canopy_agent.session.indexed import IndexedSessions
    from canopy_shared.peer import IncomingRequest

Handler = Callable[["IncomingRequest"], None]
Run = Callable[["IncomingRequest", Coroutine[Any, Any, Any]], None]


def extension_handlers(directory: Callable[[], SessionDirectory], run: Run) -> dict[str, Handler]:
    """Handlers by method; ``directory`` gives the open sessions, ``run`` answers a request with
    what a coroutine gives.
    """
    return {
        **_turn_handlers(directory),
        **_work_handlers(directory),
        **_index_handlers(directory, run),
        **_control_handlers(directory, run),
    }


def _turn_handlers(directory: Callable[[], SessionDirectory]) -> dict[str, Handler]:
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


def _work_handlers(directory: Callable[[], SessionDirectory]) -> dict[str, Handler]:
    """These methods exist for a client that is given lists of work in the background only."""

    def stop(request: IncomingRequest, field: str) -> None:
        from canopy_agent.domain.events import WorkStopAsked

        if not directory().follows_work:
            raise method_not_found(request.method)
        values = Params(request.params)
        session, call = values.text("sessionId"), values.text(field)
        home = directory().home_of(session).runtime
        in_terminal = field == "terminalId"
        home.extensions.ask(request, lambda key: WorkStopAsked(key, session, call, in_terminal))

    return {
        m.TERMINAL_CANCEL: lambda request: stop(request, "terminalId"),
        m.TOOL_CALL_CANCEL: lambda request: stop(request, "toolCallId"),
    }


def _index_handlers(directory: Callable[[], SessionDirectory], run: Run) -> dict[str, Handler]:
    """These methods exist for a client that keeps an index only."""

    def indexed(request: IncomingRequest) -> IndexedSessions:
        sessions = directory().indexed
        if sessions is None:
            raise method_not_found(request.method)
        return sessions

    async def done(work: Coroutine[Any, Any, None]) -> dict[str, Any]:
        await work
        return {}

    async def rows(sessions: IndexedSessions, ids: tuple[str, ...]) -> dict[str, Any]:
        return {"sessions": await sessions.index.get(ids)}

    def batch_get(request: IncomingRequest) -> None:
        sessions = indexed(request)
        run(request, rows(sessions, xr.BatchGetParams.parse(request.params).session_ids))

    def subscribe(request: IncomingRequest) -> None:
        sessions = indexed(request)
        run(request, sessions.subscribe(xr.SubscribeParams.parse(request.params).cwd))

    def unsubscribe(request: IncomingRequest) -> None:
        sessions = indexed(request)
        sessions.changes.unsubscribe(xr.UnsubscribeParams.parse(request.params).subscription_id)
        request.respond({})

    def rename(request: IncomingRequest) -> None:
        sessions, params = indexed(request), xr.RenameParams.parse(request.params)
        run(request, done(sessions.rename(params.session_id, params.title)))

    def archive(request: IncomingRequest) -> None:
        sessions, params = indexed(request), xr.ArchiveParams.parse(request.params)
        run(request, done(sessions.archive(params.session_id)))

    def unarchive(request: IncomingRequest) -> None:
        sessions, params = indexed(request), xr.ArchiveParams.parse(request.params)
        run(request, done(sessions.unarchive(params.session_id)))

    return {
        m.SESSION_BATCH_GET: batch_get,
        m.SESSION_LIST_SUBSCRIBE: subscribe,
        m.SESSION_LIST_UNSUBSCRIBE: unsubscribe,
        m.SESSION_RENAME: rename,
        m.SESSION_ARCHIVE: archive,
        m.SESSION_UNARCHIVE: unarchive,
    }


def _control_handlers(directory: Callable[[], SessionDirectory], run: Run) -> dict[str, Handler]:
    """These methods exist for our own client only."""

    def usage(request: IncomingRequest) -> None:
        from canopy_agent.session import controls

        home, params = directory(), Params(request.params)
        session, agent = params.text("sessionId"), params.optional_text("agent")
        if not home.is_own:
            raise method_not_found(request.method)
        open_session = home.get(session)
        if agent is not None:
            run(request, controls.usage_of_agent(lambda: home.transcript_of(session), agent))
        else:
            run(request, controls.usage(open_session, lambda: home.transcript_of(session)))

    def servers(request: IncomingRequest) -> None:
        from canopy_agent.session import controls

        home, params = directory(), controls.ServerParams.parse(request.params)
        if not home.is_own:
            raise method_not_found(request.method)
        run(request, controls.servers(home.get(params.session_id), params))

    return {m.CANOPY_USAGE: usage, m.CANOPY_MCP_SERVERS: servers}
