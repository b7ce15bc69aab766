"""Subagents in the AIR form: one child session per run, spawned once and ended once.

A resumed agent opens a new generation with a session id of its own; what still comes under an
earlier call of the same agent belongs to its newest generation. Source: the
``nativeSubagentSessions`` extension as ``@agentclientprotocol/claude-agent-acp`` 0.101.0 sends it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from canopy_agent.domain.bounded import Recent, make_room
from canopy_agent.domain.effects import Effect, Show
from canopy_agent.domain.facts import (
    ChildAnnounced,
    ChildEnded,
    ToolInputComplete,
    ToolReturned,
    ToolShownWhole,
)
from canopy_agent.domain.lineage import (
    AGENT_TOOLS,
    KNOWN_AGENTS,
    Json,
    Launch,
    Lineage,
    Message,
    Waiting,
    text_field,
)
from canopy_agent.domain.past import Past

if TYPE_CHECKING:
    from canopy_agent.domain.child_options import ChildOptions
    from canopy_agent.domain.events import TaskStarted
    from canopy_agent.domain.facts import Fact
    from canopy_agent.domain.past import PastAgent

_STATES = {"completed": "completed", "failed": "failed", "": "disconnected"}
UNNAMED_TASK = "Delegated task"


def end_state(status: str) -> str:
    """The AIR word for how a task ended: killed, stopped and cancelled are one, and an end that
    was never reported ("") is a lost connection.
    """
    return _STATES.get(status, "cancelled")


@dataclass(slots=True)
class Agent:
    """One agent over all its runs. ``session`` is that of the newest generation."""

    id: str
    launch: str | None
    name: str | None = None
    prompt: str | None = None
    task: str = UNNAMED_TASK
    generation: int = 1
    session: str = ""
    parent_session: str = ""
    spawned: bool = False
    ended: bool = False
    calls: Recent[str, bool] = field(default_factory=lambda: Recent(64))

    @property
    def live(self) -> bool:
        """Whether the client sees its newest generation at work."""
        return self.spawned and not self.ended


class Generations:
    """The AIR form of :class:`~canopy_agent.domain.children.Children`."""

    drops_after_end = True

    def __init__(
        self, root: str, options: ChildOptions, *, cancellable: bool, spares_background: bool
    ) -> None:
        self.ends_at_cancel = not spares_background
        self._root = root
        self._options = options
        self._cancellable = cancellable
        self._lineage = Lineage()
        self._waiting = Waiting()
        self._agents: dict[str, Agent] = {}
        self._pending: dict[str, Agent] = {}
        self._past = Past()
        self._sessions: Recent[str, str] = Recent(2 * KNOWN_AGENTS)

    # --- announcing -----------------------------------------------------------------------------

    def hides(self, tool: str) -> bool:
        return tool in AGENT_TOOLS

    def launched(self, launch: Launch) -> list[Effect]:
        self._lineage.launched(launch)
        return self._announce_ready()

    def messaged(self, id_: str, input_: Json, parent: str | None) -> None:
        self._lineage.sent(id_, input_, parent)

    def remembered(self, agents: tuple[PastAgent, ...], at: int) -> None:
        self._past.take(agents, at)

    def _restore(self, past: PastAgent | None) -> Agent | None:
        """A stored agent works again: its next generation is the first one of this process."""
        if past is None:
            return None
        self._lineage.launched(past.launch)
        self._lineage.delegated(past.launch.id, past.id)
        given = past.launch.input
        agent = Agent(past.id, past.launch.id, spawned=True, ended=True)
        agent.name = text_field(given, "name", "description", "subagent_type") or past.name
        agent.task = text_field(given, "prompt", "description") or UNNAMED_TASK
        agent.generation = self._past.at - 1
        maker = self._past.launched_by(past.launch.parent)
        agent.parent_session = self.session_of(maker.id if maker is not None else None)
        agent.calls[past.launch.id] = True
        self._agents[past.id] = agent
        return agent

    def _known(self, agent: str) -> Agent | None:
        return self._agents.get(agent) or self._restore(self._past.get(agent))

    def started(self, event: TaskStarted) -> list[Effect]:
        agent = self._agents.get(event.task)
        if agent is None and self._lineage.message(event.tool_use_id) is not None:
            agent = self._restore(self._past.get(event.task))
        if agent is not None:
            return self._started_again(agent, event)
        self._lineage.delegated(event.tool_use_id, event.task)
        for gone in make_room(self._agents, KNOWN_AGENTS, lambda agent: not agent.live):
            self._pending.pop(gone, None)
        agent = Agent(event.task, event.tool_use_id, event.description, event.prompt)
        if event.tool_use_id is not None:
            agent.calls[event.tool_use_id] = True
        self._agents[event.task] = self._pending[event.task] = agent
        return self._announce_ready()

    def _started_again(self, agent: Agent, event: TaskStarted) -> list[Effect]:
        message = self._lineage.message(event.tool_use_id)
        self._lineage.delegated(event.tool_use_id, agent.id)
        if event.tool_use_id is not None:
            agent.calls[event.tool_use_id] = True
        return self._next_generation(agent, message, event.prompt) if agent.ended else []

    def _announce_ready(self) -> list[Effect]:
        """Announce every agent whose parent is known, parents before their children."""
        effects: list[Effect] = []
        progress = True
        while progress:
            progress = False
            for agent in list(self._pending.values()):
                if agent.spawned or (parent := self._parent_session(agent)) is None:
                    continue
                effects += self._spawn(agent, parent)
                progress = True
        return effects

    def _parent_session(self, agent: Agent) -> str | None:
        """Where to announce ``agent``: None while that is not known."""
        if agent.launch is None:
            return self._root
        launch = self._lineage.launch(agent.launch)
        if launch is None:
            return None
        if launch.parent is None:
            return self._root
        parent = self._agents.get(self._lineage.agent_of(launch.parent) or "")
        if parent is None or not parent.spawned:
            return None
        # an ended session takes no more updates
        return self._root if parent.ended else parent.session

    def _spawn(self, agent: Agent, parent_session: str) -> list[Effect]:
        self._pending.pop(agent.id, None)
        agent.spawned = True
        agent.parent_session = parent_session
        agent.session = agent.id
        launch = self._lineage.launch(agent.launch)
        input_ = launch.input if launch else {}
        name = text_field(input_, "name", "description", "subagent_type") or agent.name
        agent.name = name or f"Agent {agent.id[-8:]}"
        prompt = text_field(input_, "prompt") or text_field({"p": agent.prompt}, "p")
        agent.task = prompt or text_field(input_, "description") or UNNAMED_TASK
        effects = self._announce(agent, prompt)
        for call in (agent.launch, *(call for call in agent.calls if call != agent.launch)):
            if call is not None:
                held = self._waiting.release(call)
                effects += [Show(agent.session, fact, call) for fact in held]
        return effects

    def _announce(self, agent: Agent, prompt: str | None) -> list[Effect]:
        self._sessions[agent.session] = agent.id
        name = agent.name or agent.id
        announced = ChildAnnounced(agent.session, name, agent.task, prompt, self._cancellable)
        return [Show(agent.parent_session, announced), *self._options.tell(agent.id, self)]

    def _next_generation(
        self, agent: Agent, message: Message | None, prompt: str | None
    ) -> list[Effect]:
        agent.generation += 1
        agent.ended = False
        agent.session = f"{agent.id}:generation:{agent.generation}"
        if not self._is_live_session(agent.parent_session):
            agent.parent_session = self._root
        message = message or self._lineage.newest_message(agent.id, agent.name)
        text = (message.text if message else "") or prompt or ""
        agent.task = text.strip() or agent.task
        return self._announce(agent, text if text.strip() else None)

    def _is_live_session(self, session: str) -> bool:
        agent = self._agents.get(self._sessions.get(session) or "")
        return session == self._root or (
            agent is not None and agent.session == session and agent.live
        )

    # --- running and ending ---------------------------------------------------------------------

    def running(self, agent: str) -> list[Effect]:
        known = self._known(agent)
        if known is None or not known.ended:
            return []
        return self._next_generation(known, None, None)

    def resumed(self, agent: str, tool_ids: tuple[str, ...]) -> list[Effect]:
        known = self._known(agent)
        if known is None:
            return []
        messages = [m for id_ in tool_ids if (m := self._lineage.message(id_)) is not None]
        message = self._lineage.addressed(messages, agent, known.name)
        if message is None or message.id in known.calls:
            # a call that had a task of its own has opened its generation then, even if that is
            # over by now
            return []
        known.calls[message.id] = True
        self._lineage.delegated(message.id, agent)
        return self._next_generation(known, message, None) if known.ended else []

    def ended(
        self,
        agent: str,
        status: str,
        *,
        error: str | None = None,
        reason: str | None = None,
        tool_use_id: str | None = None,
    ) -> list[Effect]:
        known = self._agents.get(agent)
        if known is None or known.ended:
            return []
        effects: list[Effect] = []
        if not known.spawned:
            effects += self._spawn(known, self._root)
            effects += self._announce_ready()
        known.ended = True
        effects.append(Show(known.parent_session, ChildEnded(known.session, end_state(status))))
        return effects

    def _end_all(self, state: str) -> list[Effect]:
        effects: list[Effect] = []
        for agent in reversed(self._agents.values()):
            if agent.live:
                agent.ended = True
                effects.append(Show(agent.parent_session, ChildEnded(agent.session, state)))
        self._waiting.clear()
        return effects

    def cancelled(self) -> list[Effect]:
        # children that the interrupt spares are reported by the CLI, one by one
        return self._end_all("cancelled") if self.ends_at_cancel else []

    def closed(self, *, cancelled: bool) -> list[Effect]:
        for agent in list(self._pending.values()):  # nobody will tell who launched them
            del self._agents[agent.id]
        self._pending.clear()
        return self._end_all("cancelled" if cancelled else "failed")

    def reset(self) -> list[Effect]:
        effects = self.closed(cancelled=False)
        self._agents.clear()
        self._sessions.clear()
        self._lineage.clear()
        self._past.clear()
        return effects

    # --- traffic ----------------------------------------------------------------------------------

    def show(self, fact: Fact, parent: str, *, streamed: bool = True) -> list[Effect]:
        agent = self._agents.get(self._lineage.agent_of(parent) or "")
        past = self._past.launched_by(parent) if agent is None else None
        if past is not None and past.id not in self._agents and self._restore(past) is not None:
            return self.running(past.id) + self.show(fact, parent)
        if agent is None or not agent.spawned:
            return self._waiting.hold(parent, fact)
        if agent.ended:
            return []
        return [Show(agent.session, fact, parent)]

    def nobody(self, call: str) -> None:
        self._waiting.refuse(call)

    def returned(self, result: ToolReturned, parent: str | None, launch: Launch) -> list[Effect]:
        """A failed call that started nobody is shown after all; any other is what its child
        shows.
        """
        if self._lineage.agent_of(launch.id) is not None or not result.is_error:
            return []
        self._waiting.refuse(launch.id)
        card = ToolShownWhole(ToolInputComplete(launch.id, launch.tool, launch.input), result)
        return [Show(self._root, card)] if parent is None else self.show(card, parent)

    def session_of(self, agent: str | None) -> str:
        return self.live_session(agent or "") or self._root

    def live_session(self, agent: str) -> str | None:
        known = self._agents.get(agent)
        return known.session if known is not None and known.live else None

    def placed(self, agent: str, cwd: str) -> list[Effect]:
        return []  # the AIR form has no word for it

    def agent_of_call(self, tool_use_id: str) -> str | None:
        return self._lineage.agent_of(tool_use_id)

    def agent_of_session(self, session: str) -> str | None:
        agent = self._sessions.get(session) if self._cancellable else None
        return agent if agent is not None and self.live_session(agent) == session else None

    def request_opened(self, agent: str) -> list[Effect]:
        return []

    def request_closed(self, agent: str, *, stopped: bool) -> list[Effect]:
        return []
