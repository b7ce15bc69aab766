"""Whatever a plausible CLI says, in whatever order, a client can rely on what it is told."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain

import pytest
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st

from canopy_agent.domain import events as e
from canopy_agent.domain.state import Policy
from domain.cli_model import Agent, Model
from domain.notation import (
    AIR,
    AIR_BG,
    FLAT,
    LIFECYCLE,
    OURS,
    RFD,
    aborted,
    asked,
    cycle,
    result,
    returned,
)

POLICIES = {"flat": FLAT, "air": AIR, "air-bg": AIR_BG, "rfd": RFD, "ours": OURS}
EXAMPLES = 120
STATUSES = ("completed", "completed", "failed", "stopped")


class Conversation:
    """A CLI with nested and parallel subagents, and a client that prompts and cancels.

    Each action takes two numbers that decide its details.
    """

    def __init__(self, policy: Policy, *, marks: bool) -> None:
        self.policy = policy
        self.marks = marks
        self.model = Model(policy)
        if marks:
            self.model.put(e.CliInit(LIFECYCLE))
        self.prompts(0, 0)
        self.begins_a_prompt(0, 1)

    # --- the client -------------------------------------------------------------------------------

    def prompts(self, at: int, bits: int) -> None:
        name = self.model.name("p")
        self.model.prompts.append(name)
        self.model.queue.append(name)
        self.model.put(e.PromptSubmitted(name, (), 0))

    def cancels(self, at: int, bits: int) -> None:
        model = self.model
        interrupted = any("Interrupt" in str(x) for x in model.put(e.CancelRequested(0)))
        model.queue.clear()
        if not interrupted:
            return
        model.put(e.InterruptReceipt())
        model.kill(background=not self.policy.spares_background)
        if model.current is not None:
            self._close_main()
            model.put(aborted(model.current))
            model.current = None
        model.put(e.StateChanged("idle"))

    def cancels_a_child(self, at: int, bits: int) -> None:
        agents = self.model.working()
        agent = agents[at % len(agents)]
        self.model.put(e.ChildCancelRequested(agent.id))
        for one in reversed(agents):
            if one is agent or one.parent is agent:
                self.model.end(one, "stopped", swapped=False)

    def answers(self, at: int, bits: int) -> None:
        keys = sorted(self.model.watcher.asked)
        key = keys[at % len(keys)]
        self.model.watcher.asked.discard(key)
        self.model.put(e.RequestClosed(key))

    # --- the main conversation of the CLI ---------------------------------------------------------

    def begins_a_prompt(self, at: int, bits: int) -> None:
        model = self.model
        model.begin(model.queue.pop(0))
        current = model.current or ""
        model.merged = [current]
        model.put(e.StateChanged("running"))
        if self.marks:
            model.put(e.PromptMoved(current, "started"), e.ModelRequested((current,)))
        if bits & 1:
            model.put(e.PromptEchoed(current))

    def merges_a_prompt(self, at: int, bits: int) -> None:
        model = self.model
        model.put(e.PromptEchoed(model.current or ""))
        model.begin(model.queue.pop(0))
        model.merged.append(model.current or "")
        model.put(e.PromptEchoed(model.current or ""))

    def speaks(self, at: int, bits: int) -> None:
        self.model.put(e.TextCame(None, self.model.name("word "), "m"))

    def uses_a_tool(self, at: int, bits: int) -> None:
        name = self.model.name("B")
        self.model.open_main.append(name)
        self.model.put(e.ToolUsed(None, name, "Bash", {}))

    def _close_main(self) -> None:
        calls, self.model.open_main = self.model.open_main, []
        self.model.put(*(returned(name) for name in calls))

    def ends_the_turn(self, at: int, bits: int) -> None:
        model = self.model
        foreground = [agent for agent in model.working() if not model.goes_on(agent)]
        for agent in reversed(foreground):
            model.end(agent, "completed", swapped=False)
        if bits & 6 == 6:
            model.open_main = []
        self._close_main()
        model.current = None
        name = model.merged[at % len(model.merged)]
        model.put(result(*([name] if bits & 1 or model.queue else [])))
        if not model.working() and not model.queue:
            model.put(e.StateChanged("idle"))

    def reports_by_itself(self, at: int, bits: int) -> None:
        model = self.model
        if self.marks:
            model.put(e.ModelRequested())
        model.put(e.TextCame(None, "report", "m"), cycle(turns=bits & 1))
        if bits & 2 and not model.working():
            model.put(e.StateChanged("idle"))

    # --- its subagents ----------------------------------------------------------------------------

    def launches(self, at: int, bits: int) -> None:
        """Launch, start and first word in one of their orders; the launch may never be seen."""
        model = self.model
        makers: list[Agent | None] = [None] if model.current is not None else []
        makers += model.working()
        agent = Agent(model.name("a"), model.name("T"), makers[at % len(makers)], bool(bits & 1))
        model.agents.append(agent)
        word = [e.TextCame(agent.launch, model.name("early "), "m")] if bits & 2 else []
        match bits >> 2 & 3:
            case 0:
                model.put(*word)
                model.launched(agent)
                model.start(agent, agent.launch)
            case 1:
                model.launched(agent)
                model.put(*word)
                model.start(agent, agent.launch)
            case 2:
                model.start(agent, agent.launch)
                model.put(*word)
                model.launched(agent)
            case _:
                model.start(agent, agent.launch)
                model.put(*word)
        model.put(model.level())

    def child_works(self, at: int, bits: int) -> None:
        model = self.model
        agents = model.working()
        agent = agents[at % len(agents)]
        model.put(e.TextCame(agent.launch, model.name("said "), "m", streamed=False))
        name = model.name("R")
        agent.calls.append(name)
        model.put(e.ToolUsed(agent.launch, name, "Read", {}))

    def child_call_returns(self, at: int, bits: int) -> None:
        agents = [agent for agent in self.model.working() if agent.calls]
        if agents:
            agent = agents[at % len(agents)]
            self.model.put(returned(agent.calls.pop(0), agent.launch))

    def child_asks(self, at: int, bits: int) -> None:
        agents = self.model.working()
        name = self.model.name("A")
        agent = agents[at % len(agents)]
        agent.calls.append(name)
        self.model.put(asked(f"k{name}", name, agent.id))

    def child_ends(self, at: int, bits: int) -> None:
        agents = self.model.working()
        agent = agents[at % len(agents)]
        self.model.end(agent, STATUSES[bits & 3], swapped=bool(bits & 4))

    def wakes(self, at: int, bits: int) -> None:
        model = self.model
        resting = [agent for agent in model.agents if not agent.running]
        if not resting:
            return
        agent = resting[at % len(resting)]
        agent.background = True
        call = model.name("M")
        model.put(e.ToolUsed(None, call, "SendMessage", {"to": agent.id, "message": "go on"}))
        woken = e.AgentWoken(agent.id, (call,))
        if bits & 1:
            agent.running = True
            model.frame(woken)
        model.start(agent, call)
        model.frame(e.TaskPatched(agent.id, agent.run_id, "running"))
        model.put(model.level())
        if not bits & 1:
            model.frame(woken)
        model.put(returned(call, structured={"success": True, "resumedAgentId": agent.id}))

    def repeats_itself(self, at: int, bits: int) -> None:
        frames = self.model.frames
        self.model.put(frames[-1 - (bits + at) % len(frames)])

    def loses_an_end(self, at: int, bits: int) -> None:
        """The list of tasks is all that tells of it."""
        for agent in self.model.working():
            if agent.background:
                agent.running, agent.lost_for = False, 0
                agent.calls.clear()
                self.model.put(self.model.level())
                return

    # --- the end ----------------------------------------------------------------------------------

    def dies(self, at: int, bits: int) -> None:
        """Everything ends; what had not begun goes to the next process, which resumes."""
        model = self.model
        for agent in model.agents:
            agent.running, agent.lost_for = False, None
            agent.calls.clear()
        model.put(e.StreamEnded("signal 9"))
        assert model.watcher.at_work() == set()
        assert set(model.prompts) <= set(model.watcher.answered) | model.watcher.requeued
        assert model.play.state.ledger.open_calls() == []
        model.queue = [p for p in model.prompts if p not in model.watcher.answered]
        for name in model.queue:
            model.put(e.PromptSubmitted(name, (), 0))
        model.current = None
        model.open_main = []
        model.frames.clear()  # frames of a dead process do not come again

    def closes(self) -> None:
        """The last of it: what works ends, then the session is closed."""
        model = self.model
        for agent in reversed(model.working()):
            model.end(agent, "completed", swapped=False)
        model.put(model.level(), e.TimerFired("drain"), e.StateChanged("idle"))
        # what the CLI has answered is answered: nothing is held for ever
        due = set(model.prompts) - set(model.queue) - {model.current}
        assert due <= set(model.watcher.answered), due - set(model.watcher.answered)
        model.put(e.SessionClosing())
        assert model.watcher.at_work() == set()
        assert sorted(model.watcher.answered) == sorted(model.prompts)
        assert model.play.state.ledger.open_calls() == []

    # --- choosing ---------------------------------------------------------------------------------

    def actions(self) -> list[Callable[[int, int], None]]:
        """What can happen now, the likely things more than once."""
        model = self.model
        can: list[Callable[[int, int], None]] = [self.prompts, self.speaks, self.speaks]
        can += [self.repeats_itself] * 4 if model.frames else []
        can += [self.answers] * 2 if model.watcher.asked else []
        if model.current is not None:
            can += [self.uses_a_tool, self.ends_the_turn, self.ends_the_turn]
            can += [self.launches] * 4 + [self.wakes] * 3
            can += [self.merges_a_prompt] if model.queue else []
        else:
            can += [self.begins_a_prompt] * 6 if model.queue else []
            can += [self.reports_by_itself] * 2
        if model.working():
            can += [self.child_works] * 4 + [self.child_call_returns] * 2 + [self.child_ends] * 3
            can += [self.child_asks, self.launches, self.loses_an_end]
            can += [self.cancels_a_child] if self.policy.child_cancel else []
        return [*can, self.cancels, self.dies]

    def act(self, which: int, at: int, bits: int) -> None:
        can = self.actions()
        action = can[which % len(can)]
        note(f"{action.__name__}({at}, {bits})")
        action(at, bits)


CHOICE = st.tuples(st.integers(0, 719), st.integers(0, 7), st.integers(0, 15))
# several short lists together are long, and become short when they are shrunk
CHOICES = st.tuples(*[st.lists(CHOICE, max_size=12)] * 8).map(lambda lists: [*chain(*lists)])


@pytest.mark.parametrize("name", POLICIES)
@given(choices=CHOICES, marks=st.booleans())
@settings(
    max_examples=EXAMPLES, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
def test_a_client_can_rely_on_what_it_is_told(
    name: str, choices: list[tuple[int, int, int]], marks: bool
) -> None:
    conversation = Conversation(POLICIES[name], marks=marks)
    for which, at, bits in choices:
        conversation.act(which, at, bits)
    conversation.closes()
