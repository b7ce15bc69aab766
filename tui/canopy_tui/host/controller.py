"""Carries out what the person wants, and keeps the state up to date with what the agent says.

Between the views and the client endpoint: it holds the one state, the queue of prompts and the
life of the agent. It knows no widget and imports no user interface.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine, Mapping
from typing import TYPE_CHECKING, Any, assert_never

from canopy_shared.errors import AcpError
from canopy_tui.host.agent_life import AgentLife
from canopy_tui.host.background_work import BackgroundWork
from canopy_tui.host.control_work import ControlWork
from canopy_tui.host.frame_pump import FramePump, frame_rate
from canopy_tui.host.prompt_flow import PromptFlow
from canopy_tui.host.stop_watch import StopWatch
from canopy_tui.model import events as e
from canopy_tui.model import intents as i
from canopy_tui.model.loading import is_loading
from canopy_tui.model.queue import get
from canopy_tui.model.reduce import reduce
from canopy_tui.model.requests import left_behind
from canopy_tui.model.state import MODE, MODEL, ClientState, Phase, RequestState, Touched
from canopy_tui.wire.answers import UnusableAgentError, details_of

if TYPE_CHECKING:
    from pathlib import Path

    from canopy_shared.frames import Malformed
    from canopy_tui.agents.agent_connection import Launch
    from canopy_tui.host.first_session import Beginning
    from canopy_tui.host.frame_pump import Schedule
    from canopy_tui.host.lost_lines import LostLines
    from canopy_tui.host.prompt_flow import PromptIntent
    from canopy_tui.host.session_library import Recent
    from canopy_tui.model.state import SessionView
    from canopy_tui.wire.client import AcpClient

log = logging.getLogger(__name__)

_STOP_PATIENCE = 15.0
"""Seconds in which an agent is stopped that ends neither by itself nor when told."""


class Controller:
    """The one thing that views talk to: read :attr:`state`, call :meth:`act`.

    ``on_touched`` is called with what changed, at most a few times a second and at once for
    requests; ``schedule(seconds, callback)`` is how it waits for that. ``state`` is one that
    nothing has happened to yet.
    """

    def __init__(
        self,
        launch: Launch,
        directory: Path,
        *,
        schedule: Schedule,
        on_touched: Callable[[Touched], None],
        environment: Mapping[str, str],
        clock: Callable[[], float] = time.time,
        beginning: Beginning | None = None,
        observe: Callable[[e.Event], None] | None = None,
        recent: Recent | None = None,
        state: ClientState | None = None,
    ) -> None:
        self._observe = observe
        self.state = state if state is not None else ClientState()
        self._clock = clock
        self._tasks: set[asyncio.Task[Any]] = set()
        self._pump = FramePump(
            on_touched,
            schedule,
            rate=frame_rate(environment),
            loading=lambda: is_loading(self.state),
        )
        self._work = BackgroundWork(
            lambda: self.state, lambda: self._client, self.apply, self._spawn, clock
        )
        self._controls = ControlWork(
            lambda: self.state, lambda: self._client, self.apply, self._spawn
        )
        self._environment = environment
        self._lost_lines: LostLines | None = None
        self._life = AgentLife(
            launch,
            str(directory),
            self.apply,
            lambda: self.state,
            clock,
            beginning,
            recent=recent,
            on_lost_line=self._line_lost,
        )
        self._stops = StopWatch(self.state, self.apply, clock)
        self._flow = PromptFlow(self.state, lambda: self._client, self.apply, clock)

    # --- life ---------------------------------------------------------------------------------

    def start(self) -> None:
        """Start the agent and open the first session, in the background."""
        self._spawn(self._life.run())

    async def aclose(self) -> None:
        """Answer open requests with ``cancelled`` and stop the agent, within seconds.

        Nothing is painted from here on.
        """
        self._pump.stop()
        self._stops.close()
        await self._life.aclose()
        if self._tasks and not self._life.launching:
            await asyncio.wait(self._tasks, timeout=_STOP_PATIENCE)
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _line_lost(self, line: Malformed) -> None:
        if self._lost_lines is None:
            from canopy_tui.host.lost_lines import LostLines
            from canopy_tui.paths import LOG, locations

            log_file = str(locations(self._environment).state / LOG)
            self._lost_lines = LostLines(self.state, self.apply, self._clock, log_file)
        self._lost_lines.lost(line)

    def apply(self, event: e.Event) -> None:
        """Reduce one event and have it painted with the next frame."""
        touched = reduce(self.state, event)
        if self._observe is not None:
            self._observe(event)
        self._pump.add(touched)
        if touched.tasks:
            self._work.follow()
        if isinstance(event, e.UpdateArrived) and self._client is not None:
            for request in left_behind(self.state, event.update):
                self._client.give_up(request.key)
        elif isinstance(event, e.TurnEnded | e.SteerEnded):
            self._answered(event)
        elif isinstance(event, e.SessionOpened) and (root := self._root(event.session)) is not None:
            self._flow.advance(root)  # what was written while it was loaded

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._finished)

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("a task of the controller failed", exc_info=error)

    # --- what the person wants ----------------------------------------------------------------

    def act(self, intent: i.Intent) -> None:
        """Carry out ``intent``. Returns at once; an intent that has no use now does nothing."""
        match intent:
            case i.SendPrompt() | i.EditQueued() | i.RemoveQueued() | i.SendQueue() | i.SendAgain():
                self._prompts(intent)
            case i.SteerPrompt() | i.SteerQueued():
                self._prompts(intent)
            case i.AnswerPermission() | i.AnswerElicitation():
                self._answer(intent)
            case i.CancelTurn(session):
                self._cancel(session)
            case i.StopTask() | i.ClearGoal():
                self._work.act(intent)
            case i.SetMode() | i.SetModel() | i.SetOption():
                self._set(intent)
            case i.AskUsage() | i.AskServers() | i.AskAgentUse():
                self._controls.act(intent)
            case i.OpenSession(cwd):
                self._spawn(self._life.open_session(cwd))
            case (
                i.ListSessions()
                | i.LoadSession()
                | i.ForkSession()
                | i.DeleteSession()
                | i.RenameSession()
                | i.ArchiveSession()
            ):
                if self._life.library is not None:
                    self._spawn(self._life.library.carry_out(intent))
            case i.LogIn(method):
                self._spawn(self._logging_in(self._life.log_in(method)))
            case i.LoginDone(problem):
                self._spawn(self._logging_in(self._life.logged_in(problem)))
            case i.CloseSession(session):
                self._close(session)
            case i.RestartAgent(although_there):
                self._restart(although_there=although_there)
            case i.Watch(sessions):
                if sessions != self.state.watched:
                    self.apply(e.Watched(sessions))
                return
            case _:
                assert_never(intent)
        self._pump.flush()

    @property
    def _client(self) -> AcpClient | None:
        """The endpoint, while the agent is there."""
        return self._life.client if self.state.link.status == "ready" else None

    def _root(self, session: str) -> SessionView | None:
        """The root that serves ``session`` now."""
        view = self.state.sessions.get(session)
        root = self.state.root_of(view) if view else None
        while root is not None and root.successor is not None:
            root = self.state.sessions.get(root.successor)
        return root

    def _prompts(self, intent: PromptIntent) -> None:
        root = self._root(intent.session)
        if root is not None:
            self._flow.act(root, intent)

    def _answered(self, event: e.TurnEnded | e.SteerEnded) -> None:
        root = self._root(event.session)
        if root is None:
            return
        if isinstance(event, e.TurnEnded) and event.needs_login:
            self._flow.login_wanted(root, event.error)
        elif isinstance(event, e.TurnEnded):
            self._flow.turn_ended(root, event.stop_reason)
        else:
            self._flow.steer_ended(root, event)

    async def _logging_in(self, work: Coroutine[Any, Any, bool]) -> None:
        """Log in; then every message goes that waited for it."""
        if await work:
            for root in [self.state.sessions[root] for root in self.state.roots]:
                self._prompts(i.SendQueue(root.id))

    # --- answers and cancelling ---------------------------------------------------------------

    def _answer(self, intent: i.AnswerPermission | i.AnswerElicitation) -> None:
        request = get(self.state, intent.request)
        client = self._client
        if client is None or request is None or request.state is not RequestState.WAITING:
            return
        if isinstance(intent, i.AnswerElicitation):
            if request.kind == "elicitation":
                client.answer_elicitation(request.key, intent.action, intent.content)
        elif request.kind == "permission":
            offered = request.payload.option(intent.option) if intent.option else None
            if intent.option is None or offered is not None:
                reason = intent.reason if self.state.link.takes_reasons else ""
                client.answer_permission(request.key, intent.option, reason)

    def _cancel(self, session: str) -> None:
        view = self.state.sessions.get(session)
        client = self._client
        if view is None or client is None:
            return
        if view.loading is not None:
            client.stop_loading(view.wire_id)
            return
        if view.cycle is not None and not view.in_turn and self._work.stop_cycle(view.cycle):
            return
        if view.parent is None or (view.cancellable and view.phase is Phase.RUNNING):
            client.cancel(view.wire_id)
            self._stops.stopping(view)

    # --- settings and sessions ----------------------------------------------------------------

    def _set(self, intent: i.SetMode | i.SetModel | i.SetOption) -> None:
        root = self._root(intent.session)
        client = self._client
        if root is None or client is None:
            return
        if isinstance(intent, i.SetOption):
            option, value = intent.option, intent.value
            change = client.set_option(root.wire_id, option, value)
        elif isinstance(intent, i.SetModel):
            option, value = MODEL, intent.model
            change = client.set_model(root.wire_id, intent.model)
        else:
            mode = next((one.id for one in root.options if one.category == "mode"), None)
            option, value = mode or MODE, intent.mode
            change = (
                client.set_option(root.wire_id, option, intent.mode)
                if mode is not None
                else client.set_mode(root.wire_id, intent.mode)
            )
        self.apply(e.OptionAsked(root.id, option, value))
        self._spawn(self._changing(root.id, option, change))

    async def _changing(self, session: str, option: str, work: Coroutine[Any, Any, None]) -> None:
        """Change an option; when the agent refuses, say so beside it and in the transcript."""
        what, refused = "The setting was not changed", ""
        try:
            await work
        except (AcpError, UnusableAgentError) as error:
            refused = str(error) or what
            detail = details_of(error) if isinstance(error, AcpError) else ""
            self.apply(
                e.Noticed(
                    session=session,
                    severity="error",
                    title=f"{what}: {error}",
                    detail=detail,
                    at=self._clock(),
                )
            )
        self.apply(e.OptionSettled(session, option, refused))

    def _close(self, session: str) -> None:
        root = self._root(session)
        client = self._client
        if root is None:
            return
        if client is not None and root.loading is not None:
            client.stop_loading(root.wire_id)
        elif client is not None:
            self._spawn(self._life.close_session(client, root.wire_id))
        self.apply(e.SessionClosed(session=root.id))

    def _restart(self, *, although_there: bool) -> None:
        link = self.state.link
        waits = link.status in ("starting", "ready") and link.detail
        there = link.status == "ready" and although_there
        if link.status not in ("lost", "failed") and not (waits or there):
            return
        if self._life.busy:
            self._life.run_again()
        else:
            self._spawn(self._life.run())
