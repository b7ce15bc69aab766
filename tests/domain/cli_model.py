"""A model of Claude Code that says plausible things in any order, and a client that checks them.

The model knows which runs there are; the watcher sees effects only, as a client would.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from canopy_agent.domain import effects as fx
from canopy_agent.domain import events as e
from canopy_agent.domain import facts as f
from canopy_agent.domain.state import Form, Policy
from domain.notation import LAUNCHED, ROOT, Play, returned, started

SPEECH = (f.Said, f.Thought, f.ToolOpened, f.ToolInputComplete, f.ToolReturned)


@dataclass
class Agent:
    """One subagent as the CLI knows it."""

    id: str
    launch: str
    parent: Agent | None
    background: bool
    run: int = 0
    lost_for: int | None = None
    """How many turns began since its end was lost; None when it was not."""
    delegation: str = ""
    running: bool = False
    calls: list[str] = field(default_factory=list)

    @property
    def run_id(self) -> str:
        return f"run-{self.run:04}"


class Watcher:
    """What a client may rely on, checked effect by effect."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self.known: set[str] = {ROOT}
        self.over: set[str] = set()
        self.states: dict[str, str] = {}
        self.answered: list[str] = []
        self.requeued: set[str] = set()
        self.calls: dict[str, str] = {}
        self.asked: set[str] = set()

    def see(self, effect: fx.Effect) -> None:
        match effect:
            case fx.Show(session, fact, _):
                self._shown(session, fact)
            case fx.Settle(prompt):
                assert prompt not in self.answered, f"{prompt} was answered twice"
                self.answered.append(prompt)
            case fx.Requeue(prompt):
                self.requeued.add(prompt)
            case fx.AskPermission(key, session):
                assert session in self.known - self.over, f"a question on {session}"
                self.asked.add(key)
            case fx.Withdraw(key):
                self.asked.discard(key)

    def _shown(self, session: str, fact: f.Fact) -> None:
        assert session in self.known, f"{fact} on {session}, which nobody announced"
        if self.policy.form is Form.AIR and not isinstance(fact, f.ChildEnded):
            assert session not in self.over, f"{fact} on {session} after its end"
        match fact:
            case f.ChildAnnounced(child):
                assert child not in self.known, f"{child} was announced twice"
                self.known.add(child)
            case f.ChildEnded(child):
                assert child in self.known, f"{child} ended without a beginning"
                assert child not in self.over, f"{child} ended twice"
                self.over.add(child)
            case f.ChildReported(child, state=state) if state is not None:
                self._reported(child, state["state"])
            case f.ToolInputComplete(id_) | f.ToolOpened(id_):
                self.calls[id_] = session
            case f.ToolReturned(id_) | f.ToolClosed(id_):
                if isinstance(fact, f.ToolReturned) and id_ not in self.calls:
                    return
                assert self.calls.pop(id_, session) == session, f"{id_} moved to {session}"

    def _reported(self, child: str, state: str) -> None:
        before = self.states.get(child)
        if before is None:
            assert state != "idle", f"{child} began idle"
        self.known.add(child)
        if before == "idle" and state == "idle":
            return  # the words of a failure may come late
        assert before != state, f"{child} is {state} again"
        self.states[child] = state

    def at_work(self) -> set[str]:
        """The child sessions that the client sees at work."""
        if self.policy.form is Form.AIR:
            return self.known - self.over - {ROOT}
        return {child for child, state in self.states.items() if state != "idle"}


class Model:
    """The CLI and its client around one session core."""

    def __init__(self, policy: Policy) -> None:
        self.play = Play(policy)
        self.watcher = Watcher(policy)
        self.prompts: list[str] = []
        self.queue: list[str] = []
        self.current: str | None = None
        self.merged: list[str] = []
        self.agents: list[Agent] = []
        self.frames: list[e.Event] = []
        self.count = 0
        self.told_cancelled = False
        self.open_main: list[str] = []

    def name(self, head: str) -> str:
        self.count += 1
        return f"{head}{self.count}"

    def put(self, *events: e.Event) -> list[fx.Effect]:
        """Feed events and let the watcher see what they lead to."""
        seen: list[fx.Effect] = []
        for event in events:
            at = len(self.play.effects)
            self.play.feed(event)
            effects = self.play.effects[at:]
            for effect in effects:
                self.watcher.see(effect)
            self._count_turns(effects)
            seen += effects
            self._check_work()
            self._check_silence(event, effects)
            self._check_calls(effects)
        return seen

    def _check_work(self) -> None:
        """No child is at work that is over for the CLI."""
        for session in self.watcher.at_work():
            agent = next(a for a in self.agents if a.id == session.partition(":")[0])
            lost = agent.lost_for is not None and agent.lost_for < 2
            assert agent.running or lost, f"{session} is at work, {agent} is not"

    def _count_turns(self, effects: list[fx.Effect]) -> None:
        began = [one for one in effects if isinstance(one, fx.TurnBegan) and one.prompt is not None]
        for agent in self.agents:
            if agent.lost_for is not None:
                agent.lost_for += len(began)

    def begin(self, prompt: str) -> None:
        """The CLI takes a prompt in."""
        self.current = prompt

    def _check_silence(self, event: e.Event, effects: list[fx.Effect]) -> None:
        if isinstance(event, (e.PromptEchoed, e.ModelRequested, e.ResultCame, e.StreamEnded)):
            self.told_cancelled = False
        main = isinstance(event, (e.TextCame, e.ToolUsed, e.ToolBegan)) and event.parent is None
        if self.told_cancelled and main:
            shown = [x for x in effects if isinstance(x, fx.Show) and isinstance(x.fact, SPEECH)]
            assert not shown, f"{shown} after the cancel was answered"
        for effect in effects:
            if isinstance(effect, fx.Settle) and isinstance(effect.outcome, fx.Stopped):
                cancelled = effect.outcome.stop_reason == "cancelled"
                turns = self.play.state.turns
                self.told_cancelled = cancelled and not turns.unsettled() and not turns.foreground

    def _check_calls(self, effects: list[fx.Effect]) -> None:
        """Once nothing of the main conversation works, what is open is of work that goes on."""
        state = self.play.state
        if state.turns.foreground or state.turns.queued():
            return
        if not any(isinstance(effect, fx.Settle) for effect in effects):
            return
        for call in state.ledger.open_calls():
            maker = state.maker_of(call)
            alive = state.tasks.get(maker) is not None or call.has_task
            assert alive or (call.parent is not None and maker is None), f"{call} is left open"

    def frame(self, event: e.Event) -> None:
        """A frame that may come again later."""
        self.frames.append(event)
        self.put(event)

    # --- subagents --------------------------------------------------------------------------------

    def working(self) -> list[Agent]:
        return [agent for agent in self.agents if agent.running]

    def start(self, agent: Agent, delegation: str) -> None:
        agent.run += 1
        agent.running, agent.delegation, agent.lost_for = True, delegation, None
        parent = agent.parent.id if agent.parent is not None else None
        self.frame(
            started(
                agent.id, delegation, background=agent.background, run=agent.run_id, parent=parent
            )
        )

    def end(self, agent: Agent, status: str, *, swapped: bool) -> None:
        """Both frames of an end, in either order."""
        run = agent.run_id
        patch = {"stopped": "killed"}.get(status, status)
        frames: list[e.Event] = [
            e.TaskPatched(agent.id, run, patch),
            e.TaskNotified(agent.id, status, run, agent.delegation, summary="words"),
        ]
        if swapped:
            frames.reverse()
        self.frame(frames[0])
        agent.running = False
        agent.calls.clear()
        self.frame(frames[1])
        if agent.background:
            self.put(self.level())
        elif agent.delegation == agent.launch:
            parent = agent.parent.launch if agent.parent is not None else None
            self.put(returned(agent.launch, parent))

    def level(self) -> e.Event:
        return e.BackgroundLevel(tuple(a.id for a in self.working() if a.background))

    def kill(self, *, background: bool) -> None:
        """What an interrupt does to subagents, children before their parents."""
        for agent in reversed(self.working()):
            if background or not self.goes_on(agent):
                self.end(agent, "stopped", swapped=False)

    def goes_on(self, agent: Agent | None) -> bool:
        while agent is not None:
            if agent.background:
                return True
            agent = agent.parent
        return False

    def launched(self, agent: Agent) -> None:
        parent = agent.parent.launch if agent.parent is not None else None
        input_ = {"prompt": "work", "description": agent.id}
        self.put(e.ToolUsed(parent, agent.launch, "Agent", input_))
        if agent.background:
            self.put(returned(agent.launch, parent, structured=LAUNCHED))
