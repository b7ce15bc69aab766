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

from canopy_agent.brokers.choices import Choice, KeepPlanning, LeavePlan, RestartWithPlan
from canopy_agent.brokers.plan_exit import continuation_prompt, plan_of
from canopy_agent.claude.errors import ControlFailed
from canopy_agent.domain import effects as fx
from canopy_agent.domain import events as e
from canopy_agent.domain.facts import ModeShown, Noted
from canopy_agent.domain.session import step
from canopy_agent.session.asking import Questions
from canopy_agent.session.cli_life import CliLife, Watch
from canopy_agent.session.extension_requests import ExtensionRequests
from canopy_agent.session.link import user_frame
from canopy_agent.session.live_children import LiveChild, live_child
from canopy_agent.session.open_prompts import LOST_TWICE, OpenPrompts
from canopy_agent.session.output_tails import OutputTails
from canopy_agent.session.timers import Timers
from canopy_shared.updates import SessionUpdate, Update

if TYPE_CHECKING:
    from canopy_agent.brokers.asked import PermissionAsked
    from canopy_agent.brokers.permission_options import Decision
    from canopy_agent.capabilities import ClientProfile
    from canopy_agent.claude.process import ProcessExit
    from canopy_agent.domain.facts import Fact
    from canopy_agent.domain.state import SessionState
    from canopy_agent.render.renderer import Renderer
    from canopy_agent.session.config import SessionConfig
    from canopy_agent.session.conversation import Conversation
    from canopy_agent.session.link import CliLink
    from canopy_shared.errors import AcpError
    from canopy_shared.peer import IncomingRequest, Peer

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
        peer: Peer,
        profile: ClientProfile,
        renderer: Renderer,
        watch: Watch,
    ) -> None:
        self.id = state.root
        self.config = config
        self._state = state
        self._peer = peer
        self._renderer = renderer
        self._prompts = OpenPrompts()
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
        self._tails = OutputTails(self.control_request, self.spawn, self.handle)
        self.extensions = ExtensionRequests(
            control=self.control_request,
            handle=self.handle,
            spawn=self.spawn,
            submit=self._cli.submit,
        )
        self._questions = Questions(
            peer,
            profile,
            renderer,
            root=self.id,
            policy=config.permission_policy,
            on_closed=lambda key, allowed: self.handle(e.RequestClosed(key, allowed=allowed)),
            on_decided=self._decided,
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
        self.handle(e.StreamEnded(status))
        self.spawn(link.aclose())  # it may have closed its output and live on

    def _refuse(self, event: e.Event, error: AcpError) -> None:
        """No CLI runs, and none could be started for what the client sent."""
        if isinstance(event, e.PromptSubmitted):
            self._prompts.refuse(event.prompt, error)

    def spawn(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Run ``work`` beside the session; it ends with the session at the latest."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    # --- what the client does ---------------------------------------------------------------------

    def prompt(self, request: IncomingRequest, blocks: tuple[Any, ...], text: str) -> str:
        """Queue a prompt; ``request`` is answered when its turn ends. Gives the prompt's id."""
        for update in self._renderer.unfinished_plan():
            self.show(update)
        request.on_cancel(self.cancel)
        return self._submit(request, blocks, text)

    def compact(self) -> None:
        """Compact the conversation while nobody works; nobody is answered."""
        self._submit(None, ({"type": "text", "text": COMPACT},), COMPACT)

    def _submit(self, request: IncomingRequest | None, blocks: tuple[Any, ...], text: str) -> str:
        self._received += 1
        prompt = str(uuid.uuid4())
        event = e.PromptSubmitted(prompt, blocks, self._received, text, idle=request is None)
        self._prompts.opened(event, request)
        self._cli.submit(event)
        return prompt

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
        for event in self._cli.drop_waiting():
            if isinstance(event, e.PromptSubmitted):
                self._prompts.settle(event.prompt, fx.Stopped("cancelled"))
        self.handle(e.CancelRequested(self._received))

    def cancel_child(self, child: str) -> bool:
        """``session/cancel`` of a child session; False when ``child`` is none of ours."""
        if self._state.children.agent_of_session(child) is None:
            return False
        self.handle(e.ChildCancelRequested(child))
        return True

    def live_child(self, agent: str) -> LiveChild | None:
        """A subagent of this process, None for one that it does not know."""
        return live_child(self._state, agent)

    def is_open(self, call: str) -> bool:
        """Whether a tool call runs now."""
        return self._state.ledger.get(call) is not None

    async def close(self, *, grace: float = 5.0) -> None:
        """End everything: prompts are answered, requests withdrawn, the CLI is gone.

        Bounded: ``grace`` seconds for each gentle step of ending the CLI.
        """
        if self._closed:
            return
        self._closed = True
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

    def show(self, update: Update, session: str | None = None) -> None:
        """Send one update to the client."""
        self._peer.notify("session/update", SessionUpdate(session or self.id, update))

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
            case fx.SendPrompt():
                if self._cli.link is not None:
                    self._cli.link.write(user_frame(effect, self.conversation_id))
            case fx.Requeue(prompt, lost):
                self._requeue(prompt, lost=lost)
            case fx.Interrupt():
                self._interrupt()
            case fx.DropQueued(prompt):
                self._control("cancel_async_message", message_uuid=prompt)
            case fx.StopTask(task):
                self._control("stop_task", task_id=task)
            case fx.AskPermission():
                self._questions.permission(effect, self._state.usage.used_percent)
            case fx.AskQuestion(key, session, _, _):
                self._questions.question(key, session)
            case fx.AskElicitation(key):
                self._questions.mcp(key, str(uuid.uuid4()))
            case fx.AskDialog(key):
                self._questions.dialog(key)
            case fx.Refuse(key, message):
                self._questions.refuse(key, message)
            case fx.AnswerHook(key):
                if self._cli.link is not None:
                    self._cli.link.control.answer(key, {"continue": True})
            case fx.Withdraw(key):
                self._questions.withdraw(key)
            case fx.StartTimer(name, seconds):
                self._timers.start(name, seconds)
            case fx.StopTimer(name):
                self._timers.stop(name)
            case fx.ReplaceProcess():
                self._replace()
            case fx.FollowOutput(task):
                self._tails.follow(task)
            case fx.ReadRest(task):
                self._tails.finish(task)
            case fx.StopFollowing(task):
                self._tails.stop(task)
            case fx.RestartConversation():
                self._begin_anew(effect)
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
        for update in self._renderer.render(fact, parent):
            self.show(update, session)
        if isinstance(fact, ModeShown) and session == self.id:
            self.config.mode_changed(fact.mode)

    def _requeue(self, prompt: str, *, lost: bool) -> None:
        event = self._prompts.once_more(prompt, lost=lost)
        if event is None:
            self._prompts.settle(prompt, LOST_TWICE)
        else:
            self._cli.submit(event)

    def _control(self, subtype: str, **fields: Any) -> asyncio.Future[dict[str, Any]] | None:
        if self._cli.link is None:
            return None
        return self._cli.link.control.send(subtype, **fields)

    def _interrupt(self) -> None:
        answer = self._control("interrupt")
        if answer is None:
            return

        def receipt(done: asyncio.Future[dict[str, Any]]) -> None:
            if done.cancelled() or done.exception() is not None:
                return
            queued = done.result().get("still_queued")
            ids = tuple(i for i in queued if isinstance(i, str)) if isinstance(queued, list) else ()
            if isinstance(queued, list):
                self.handle(e.InterruptReceipt(ids))

        answer.add_done_callback(receipt)

    def _replace(self) -> None:
        """End a CLI that does not obey; the next prompt starts another."""
        link = self._cli.let_go()
        self._questions.withdraw_all()
        if link is not None:
            self.spawn(link.aclose())

    # --- plans ------------------------------------------------------------------------------------

    def _decided(self, asked: PermissionAsked, decision: Decision) -> None:
        """The person decided on a permission: what it changes is shown before the CLI acts on
        it.
        """
        match decision.choice:
            case Choice(effect=KeepPlanning()):
                self.handle(e.PlanRefused(asked.tool_use_id))
            case Choice(effect=LeavePlan(mode)):
                self.config.plan_approved(mode)
            case Choice(effect=RestartWithPlan(mode)):
                plan = plan_of(asked) or ""
                self.handle(e.PlanAccepted(asked.tool_use_id, plan, mode))

    def _begin_anew(self, effect: fx.RestartConversation) -> None:
        """Carry an approved plan into a fresh conversation."""
        mode = self.config.mode_in_effect(effect.mode)

        def done(problem: str | None) -> None:
            if problem is not None:
                words = f"the fresh conversation for the plan could not be started: {problem}"
                self.handle(e.RestartFailed(effect.prompt, words))
                return
            self.config.plan_approved(effect.mode)
            blocks = ({"type": "text", "text": continuation_prompt(effect.plan)},)
            self.handle(
                e.ConversationRestarted(effect.prompt, blocks, effect.plan, effect.tool_use_id)
            )

        self._questions.withdraw_all()
        self._cli.renew(mode, done)
