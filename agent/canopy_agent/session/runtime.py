"""The only async object of a session: events into the core, its effects out into the world.

It owns the CLI process, timers and open requests, and holds no rule; what an effect means to the
client is the renderer's, what it means to the CLI is spelled here.
"""

from __future__ import annotations

import asyncio
import logging
import os
import uuid
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, assert_never

from canopy_agent.claude.errors import ControlFailed
from canopy_agent.domain import effects as fx
from canopy_agent.domain import events as e
from canopy_agent.domain.facts import ModeShown, Noted
from canopy_agent.domain.session import step
from canopy_agent.session.asking import Questions
from canopy_agent.session.cli_life import CliLife, Watch
from canopy_agent.session.extension_requests import ExtensionRequests
from canopy_agent.session.link import user_frame
from canopy_agent.session.live_children import LiveChild, live_child, standing, was_cancelled
from canopy_agent.session.open_prompts import LOST_TWICE, OpenPrompts
from canopy_agent.session.orders import Orders
from canopy_agent.session.outlet import Outlet
from canopy_agent.session.output_tails import OutputTails
from canopy_agent.session.plan_decisions import PlanDecisions
from canopy_agent.session.prompts import ClaudePrompt
from canopy_agent.session.timers import Timers
from canopy_shared.errors import INTERNAL_ERROR, REQUEST_CANCELLED, detail_of, request_cancelled

if TYPE_CHECKING:
    from canopy_agent.capabilities import ClientProfile
    from canopy_agent.claude.process import ProcessExit
    from canopy_agent.domain.facts import Fact
    from canopy_agent.domain.state import SessionState
    from canopy_agent.render.renderer import Renderer
    from canopy_agent.session.config import SessionConfig
    from canopy_agent.session.conversation import Conversation
    from canopy_agent.session.link import CliLink
    from canopy_agent.session.steering import Answerable
    from canopy_shared.errors import AcpError
    from canopy_shared.outbound import Outbound
    from canopy_shared.updates import Update

log = logging.getLogger(__name__)

COMPACT = "/compact"
UNANSWERED_MARKS = "ask_user_question_unanswered_v1"


class SessionRuntime:
    """One open session, about one conversation. ``watch`` hears of its CLI too."""

    def __init__(
        self,
        state: SessionState,
        config: SessionConfig,
        conversation: Conversation,
        *,
        peer: Outbound,
        profile: ClientProfile,
        renderer: Renderer,
        watch: Watch,
    ) -> None:
        self.id = state.root
        self.config = config
        self._state = state
        self.outlet = Outlet(peer, state.root)
        self._renderer = renderer
        self._prompts = OpenPrompts(receipts=profile.reports_work)
        self._timers = Timers(lambda name: self.handle(e.TimerFired(name)))
        self._tasks: set[asyncio.Task[Any]] = set()
        self._received = 0
        self._closed = False
        self._quiet = asyncio.Event()
        self.on_turn: Callable[[str | None], None] = lambda prompt: None
        self._cli = CliLife(
            conversation,
            on_event=self._from_cli,
            watch=watch,
            on_lost=self._lost,
            hand_on=self.handle,
            refuse=self._refuse,
            restore=config.restore,
            relieve=peer.drained,
        )
        self._orders = Orders(lambda: self._cli.link, self.handle)
        self._tails = OutputTails(self.control_request, self.spawn, self.handle, peer.drained)
        self.extensions = ExtensionRequests(
            control=self.control_request,
            handle=self.handle,
            spawn=self.spawn,
            submit=self._bring,
        )
        self._plans = PlanDecisions(config, self.handle, self._renew)
        self._questions = Questions(
            peer,
            profile,
            renderer,
            root=self.id,
            policy=config.permission_policy,
            on_closed=lambda key, allowed: self.handle(e.RequestClosed(key, allowed=allowed)),
            on_decided=self._plans.decided,
            was_cancelled=lambda key: was_cancelled(self._state, key),
        )

    # --- the process ------------------------------------------------------------------------------

    @property
    def conversation_id(self) -> str:
        """The id under which the conversation is stored now."""
        return self._cli.conversation.id

    async def open(self, *, resume: bool = False) -> dict[str, Any]:
        """Start the CLI; gives its ``initialize`` response. Raises :class:`ClaudeError`."""
        return await self._cli.open(resume=resume)

    async def control_request(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Send a control request, ``subtype`` and fields, and wait for its answer.

        Raises :class:`ClaudeError`, also when no CLI runs.
        """
        fields = dict(request)
        subtype = str(fields.pop("subtype"))
        if self._cli.link is None:
            raise ControlFailed(subtype, "Claude Code does not run; a prompt starts it again")
        return await self._cli.link.control.request(subtype, **fields)

    def exchange(self) -> Coroutine[Any, Any, None]:
        """Go on in another CLI, once every prompt that was handed on is answered.

        Prompts wait from this call on. Awaiting the result raises ClaudeError or an ACP error when
        no CLI could be started; then the next prompt tries again.
        """
        self._cli.hold()
        return self._exchange()

    async def _exchange(self) -> None:
        try:
            await self._cli.started()
            while self._state.turns.unsettled():
                self._quiet.clear()
                await self._quiet.wait()
            self._questions.withdraw_all()
            self.handle(e.StreamEnded())
            await self._cli.exchange()
        finally:
            self._cli.let_flow()

    def _lost(self, link: CliLink, ended: ProcessExit | None) -> None:
        status = None if ended is None else ended.describe()
        log.warning("Claude Code of session %s ended: %s", self.id, status)
        self._questions.withdraw_all()
        self.handle(e.StreamEnded(status, "" if ended is None else ended.hint))
        self.spawn(link.aclose())  # it may have closed its output and live on

    def _refuse(self, event: e.Event, error: AcpError) -> None:
        """What the client sent reaches no CLI: none could be started, or it was cancelled."""
        match event:
            case e.PromptSubmitted() if error.code == REQUEST_CANCELLED:
                self._prompts.settle(event.prompt, fx.Stopped("cancelled"))
            case e.PromptSubmitted() if error.code == INTERNAL_ERROR:
                self.handle(e.PromptLost(event.prompt, detail_of(error), event.detached))
            case e.PromptSubmitted():
                self._prompts.refuse(event.prompt, error)
            case e.SteerSubmitted():
                self.extensions.fail(event.key, error)

    def spawn(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Run ``work`` beside the session; it ends with the session at the latest."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    # --- what the client does ---------------------------------------------------------------------

    def prompt(self, request: Answerable, prompt: ClaudePrompt, *, detached: bool = False) -> str:
        """Queue a prompt; ``request`` is answered when its turn ends. Gives the prompt's id.

        ``detached``: that answer does not say how the turn ended.
        """
        for update in self._renderer.unfinished_plan():
            self.show(update)
        request.on_cancel(self.cancel)
        return self._submit(request, prompt, detached=detached)

    def steer(
        self, request: Answerable, blocks: tuple[Any, ...], text: str, *, only_running: bool
    ) -> str:
        """Bring a message into the turn that runs, or begin one unless ``only_running``; gives the
        message's id.
        """
        self._received += 1
        event = e.SteerSubmitted("", str(uuid.uuid4()), blocks, self._received, text, only_running)
        self.extensions.ask(request, lambda key: replace(event, key=key))
        return event.prompt

    @property
    def has_turn(self) -> bool:
        """Whether a prompt is unanswered."""
        return bool(self._state.turns.unsettled())

    def has_task(self, task: str) -> bool:
        """Whether the client was told of the background task ``task``."""
        return self._state.async_tasks is not None and task in self._state.async_tasks

    def _bring(self, event: e.Event) -> None:
        """An event of the core's making comes before a CLI that runs."""
        if isinstance(event, e.PromptSubmitted):
            self._prompts.opened(event, None)
        self._cli.submit(event)

    def compact(self) -> None:
        """Compact the conversation while nobody works; nobody is answered."""
        self._submit(None, ClaudePrompt(({"type": "text", "text": COMPACT},), COMPACT, COMPACT))

    def _submit(
        self, request: Answerable | None, prompt: ClaudePrompt, *, detached: bool = False
    ) -> str:
        self._received += 1
        told = (prompt.text, request is None, detached, prompt.shown)
        event = e.PromptSubmitted(str(uuid.uuid4()), prompt.content, self._received, *told)
        self._prompts.opened(event, request)
        self._cli.submit(event)
        return event.prompt

    @property
    def is_at_rest(self) -> bool:
        """Whether nothing runs, waits or asks."""
        turns, requests = self._state.turns, self._state.requests
        busy = turns.unsettled() or requests or turns.foreground or turns.state != "idle"
        return self._cli.link is not None and not busy

    def cancel(self) -> None:
        """``session/cancel`` of the root."""
        self._received += 1
        self._cli.hurry()
        self._cli.fail_waiting(request_cancelled())
        self.handle(e.CancelRequested(self._received))

    def cancel_child(self, child: str) -> bool:
        """``session/cancel`` of a child session; False when ``child`` is none of ours."""
        if not self.has_child(child):
            return False
        self.handle(e.ChildCancelRequested(child))
        return True

    def has_child(self, session: str) -> bool:
        """Whether ``session`` is that of a subagent of ours."""
        return self._state.children.agent_of_session(session) is not None

    def live_child(self, agent: str) -> LiveChild | None:
        """A subagent of this process, None for one that it does not know."""
        return live_child(self._state, agent)

    def is_open(self, call: str) -> bool:
        """Whether a tool call runs now."""
        return self._state.ledger.get(call) is not None

    async def close(self, *, grace: float = 2.0) -> None:
        """End everything: prompts are answered, requests withdrawn, the CLI is gone.

        Bounded: ``grace`` seconds for each gentle step of ending the CLI.
        """
        if self._closed:
            return
        self._closed = True
        self._cli.fail_waiting(request_cancelled())
        self.handle(e.SessionClosing())
        self._questions.withdraw_all()
        self._timers.stop_all()
        self.extensions.close()
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await self._cli.aclose(grace=grace)
        if tasks:
            await asyncio.wait(tasks, timeout=5.0)

    # --- events and effects -----------------------------------------------------------------------

    def _from_cli(self, link: CliLink, event: e.Event) -> None:
        match event:
            case e.PermissionAsked(key=key, request=raw) | e.DialogAsked(key=key, request=raw):
                self._questions.arrived(key, raw, link.control)
            case e.ElicitationAsked(key=key, request=raw):
                self._questions.arrived(key, raw, link.control)
            case e.CliInit(capabilities=capabilities):
                self._questions.marks_unanswered = UNANSWERED_MARKS in capabilities
            case e.HookFired(input=input_) if isinstance(input_.get("cwd"), str):
                event = replace(event, cwd=os.path.realpath(input_["cwd"]))
        self.handle(event)

    def handle(self, event: e.Event) -> None:
        """Apply one event."""
        for effect in step(self._state, event):
            self._run(effect)

    def tell_work(self) -> None:
        """Say what goes on, to a client that follows work and opens the session."""
        for effect in standing(self._state):
            self._run(effect)

    def show(self, update: Update, session: str | None = None) -> None:
        """Send one update to the client."""
        self.outlet.show(update, session)

    def note(self, fact: Fact) -> None:
        """Show a fact of our own on the root."""
        if isinstance(fact, Noted):
            self.handle(e.NoteMade(fact))
        else:
            self._show(self.id, fact, None)

    def _run(self, effect: fx.Effect) -> None:
        match effect:
            case fx.Show(session, fact, parent):
                self._show(session, fact, parent)
            case fx.Settle(prompt, outcome):
                self._prompts.settle(prompt, outcome)
            case fx.Take(prompt):
                if (message := self._prompts.taken_in(prompt)) is not None:
                    self.show(message)
                    self._prompts.receipt(prompt)
            case fx.SendPrompt():
                if self._cli.link is not None:
                    self._cli.link.write(user_frame(effect, self.conversation_id))
            case fx.Requeue(prompt, lost):
                self._requeue(prompt, lost=lost)
            case fx.Interrupt():
                self._orders.interrupt()
            case fx.DropQueued(prompt):
                self._orders.drop_queued(prompt)
            case fx.StopTask(task):
                self._orders.stop_task(task)
            case fx.AskPermission() | fx.AskQuestion() | fx.AskElicitation() | fx.AskDialog():
                self._questions.run(effect, self._state.usage.used_percent)
            case fx.Refuse() | fx.Withdraw():
                self._questions.run(effect)
            case fx.AnswerHook(key):
                if self._cli.link is not None:
                    self._cli.link.control.answer(key, {"continue": True})
            case fx.StartTimer(name, seconds):
                self._timers.start(name, seconds)
            case fx.StopTimer(name):
                self._timers.stop(name)
            case fx.ReplaceProcess():
                self._replace()
            case fx.FollowOutput(task, file):
                self._tails.follow(task, file)
            case fx.ReadRest(task):
                self._tails.finish(task)
            case fx.StopFollowing(task):
                self._tails.stop(task)
            case fx.RestartConversation():
                self._plans.begin_anew(effect)
            case fx.Reply() | fx.ReplyError() | fx.StopBackground() | fx.Submit() | fx.ReadGoal():
                self.extensions.run(effect)
            case fx.TurnBegan(prompt):
                if prompt is None:
                    self._quiet.set()
                self.on_turn(prompt)
            case fx.Logged(text):
                log.warning("session %s: %s", self.id, text)
            case _:
                assert_never(effect)

    def _show(self, session: str, fact: Fact, parent: str | None) -> None:
        mode = fact.mode if isinstance(fact, ModeShown) and session == self.id else None
        known = mode is not None and self.config.is_in(mode)  # the CLI reports a mode in two ways
        for update in () if known else self._renderer.render(fact, parent):
            self.show(update, session)
        if mode is not None:
            self.config.mode_changed(mode)

    def _requeue(self, prompt: str, *, lost: bool) -> None:
        event = self._prompts.once_more(prompt, lost=lost)
        if event is None:
            self.handle(e.PromptLost(prompt, LOST_TWICE, self._prompts.is_detached(prompt)))
        else:
            self._cli.submit(event)

    def _replace(self) -> None:
        """End a CLI that does not obey; the next prompt starts another."""
        link = self._cli.let_go()
        self._questions.withdraw_all()
        if link is not None:
            self.spawn(link.aclose())

    def _renew(self, mode: str, done: Callable[[str | None], None]) -> None:
        """Go on in an empty conversation."""
        self._questions.withdraw_all()
        self._cli.renew(mode, done)
