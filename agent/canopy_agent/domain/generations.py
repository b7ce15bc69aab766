"""Subagents in the AIR form: one child session per run, spawned once and ended once.

A resumed agent opens a new generation with a session id of its own; what still comes under an
earlier call of the same agent belongs to its newest generation. Source: the
``nativeSubagentSessions`` extension as ``@agentclientprotocol/claude-agent-acp`` 0.101.0 sends it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from canopy_agent.domain.effects import Effect, Logged, Show
from canopy_agent.domain.facts import (
    ChildAnnounced,
    ChildEnded,
    ToolInputComplete,
    ToolReturned,
    ToolShownWhole,
)
from canopy_agent.domain.lineage import (
    AGENT_TOOLS,
    Json,
    Launch,
    Lineage,
    Message,
    Waiting,
    text_field,
)

if TYPE_CHECKING:
    from canopy_agent.domain.events import TaskStarted
    from canopy_agent.domain.facts import Fact

_STATES = {"completed": "completed", "failed": "failed"}


def end_state(status: str) -> str:
    """The AIR word for how a task ended: killed, stopped and cancelled are one."""
    return _STATES.get(status, "cancelled")


@dataclass(slots=True)
class Agent:
    """One agent over all its runs. ``session`` is that of the newest generation."""

    id: str
    launch: str | None
    name: str | None = None
    prompt: str | None = None
    role: str | None = None
    generation: int = 1
    session: str = ""
    parent_session: str = ""
    spawned: bool = False
    ended: bool = False
    calls: set[str] = field(default_factory=set)


class Generations:
    """The AIR form of :class:`~canopy_agent.domain.children.Children`."""

    def __init__(self, root: str, *, cancellable: bool, spares_background: bool) -> None:
        self._root = root
        self._cancellable = cancellable
        self._spares_background = spares_background
        self._lineage = Lineage()
        self._waiting = Waiting()
        self._agents: dict[str, Agent] = {}
        self._sessions: dict[str, str] = {}

    # --- announcing -----------------------------------------------------------------------------

    def hides(self, tool: str) -> bool:
        return tool in AGENT_TOOLS

    def launched(self, launch: Launch) -> list[Effect]:
        self._lineage.launched(launch)
        return self._announce_ready()

    def messaged(self, id_: str, input_: Json, parent: str | None) -> None:
        self._lineage.sent(id_, input_)

    def started(self, event: TaskStarted) -> list[Effect]:
        agent = self._agents.get(event.task)
        if agent is not None:
            return self._started_again(agent, event)
        self._lineage.delegated(event.tool_use_id, event.task)
        agent = Agent(event.task, event.tool_use_id, event.description, event.prompt)
        agent.role = event.subagent_type
        if event.tool_use_id is not None:
            agent.calls.add(event.tool_use_id)
        self._agents[event.task] = agent
        return self._announce_ready()

    def _started_again(self, agent: Agent, event: TaskStarted) -> list[Effect]:
        message = self._lineage.message(event.tool_use_id)
        self._lineage.delegated(event.tool_use_id, agent.id)
        if event.tool_use_id is not None:
            agent.calls.add(event.tool_use_id)
        return self._next_generation(agent, message, event.prompt) if agent.ended else []

    def _announce_ready(self) -> list[Effect]:
        """Announce every agent whose parent is known, parents before their children."""
        effects: list[Effect] = []
        progress = True
        while progress:
            progress = False
            for agent in list(self._agents.values()):
                if not agent.spawned and (parent := self._parent_session(agent)) is not None:
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
        return parent.session if parent is not None and parent.spawned else None

    def _spawn(self, agent: Agent, parent_session: str) -> list[Effect]:
        agent.spawned = True
        agent.parent_session = parent_session
        agent.session = agent.session or agent.id
        self._sessions[agent.session] = agent.id
        launch = self._lineage.launch(agent.launch)
        input_ = launch.input if launch else {}
        name = text_field(input_, "name", "description", "subagent_type") or agent.name
        agent.name = name or f"Agent {agent.id[-8:]}"
        prompt = text_field(input_, "prompt") or text_field({"p": agent.prompt}, "p")
        task = prompt or text_field(input_, "description") or "Delegated task"
        effects: list[Effect] = [
            Show(parent_session, self._announcement(agent, task, prompt)),
        ]
        for call in sorted(agent.calls):
            effects += [Show(agent.session, fact, call) for fact in self._waiting.release(call)]
        return effects

    def _announcement(self, agent: Agent, task: str, prompt: str | None) -> ChildAnnounced:
        name = agent.name or agent.id
        return ChildAnnounced(agent.session, name, task, prompt, self._cancellable)

    def _next_generation(
        self, agent: Agent, message: Message | None, prompt: str | None
    ) -> list[Effect]:
        agent.generation += 1
        agent.ended = False
        agent.session = f"{agent.id}:generation:{agent.generation}"
        self._sessions[agent.session] = agent.id
        if not self._is_live_session(agent.parent_session):
            agent.parent_session = self._root
        text = (message.text if message else "") or prompt or ""
        task = text.strip() or "Delegated task"
        announced = self._announcement(agent, task, text if text.strip() else None)
        return [Show(agent.parent_session, announced)]

    def _is_live_session(self, session: str) -> bool:
        agent = self._agents.get(self._sessions.get(session, ""))
        return session == self._root or (
            agent is not None and agent.session == session and not agent.ended
        )

    # --- running and ending ---------------------------------------------------------------------

    def running(self, agent: str) -> list[Effect]:
        known = self._agents.get(agent)
        if known is None or not known.ended:
            return []
        return self._next_generation(known, None, None)

    def resumed(self, agent: str, tool_ids: tuple[str, ...]) -> list[Effect]:
        known = self._agents.get(agent)
        if known is None:
            return []
        messages = [m for id_ in tool_ids if (m := self._lineage.message(id_)) is not None]
        new = [m for m in messages if m.id not in known.calls]
        for message in new:
            known.calls.add(message.id)
            self._lineage.delegated(message.id, agent)
        # a call that had a task of its own has opened its generation then, even if that is over by
        # now
        if not known.ended or not new:
            return []
        return self._next_generation(known, new[0], None)

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
            if agent.spawned and not agent.ended:
                agent.ended = True
                effects.append(Show(agent.parent_session, ChildEnded(agent.session, state)))
        self._waiting.clear()
        return effects

    def cancelled(self) -> list[Effect]:
        # children that the interrupt spares are reported by the CLI, one by one
        return [] if self._spares_background else self._end_all("cancelled")

    def closed(self, *, cancelled: bool) -> list[Effect]:
        return self._end_all("cancelled" if cancelled else "failed")

    def reset(self) -> list[Effect]:
        effects = self._end_all("failed")
        self._agents.clear()
        self._sessions.clear()
        self._lineage.clear()
        return effects

    # --- traffic ----------------------------------------------------------------------------------

    def show(self, fact: Fact, parent: str, *, streamed: bool = True) -> list[Effect]:
        agent = self._agents.get(self._lineage.agent_of(parent) or "")
        if agent is None or not agent.spawned:
            if self._waiting.hold(parent, fact):
                return []
            return [Logged(f"dropped early output of a subagent (launch {parent})")]
        if agent.ended:
            return []
        return [Show(agent.session, fact, parent)]

    def returned(self, result: ToolReturned, parent: str | None, launch: Launch) -> list[Effect]:
        """A failed call that started nobody is shown after all; any other is what its child
        shows.
        """
        if self._lineage.agent_of(launch.id) is not None or not result.is_error:
            return []
        card = ToolShownWhole(ToolInputComplete(launch.id, launch.tool, launch.input), result)
        return [Show(self._root, card)] if parent is None else self.show(card, parent)

    def session_of(self, agent: str | None) -> str:
        known = self._agents.get(agent or "")
        return known.session if known is not None and known.spawned else self._root

    def live_session(self, agent: str) -> str | None:
        known = self._agents.get(agent)
        if known is None or not known.spawned or known.ended:
            return None
        return known.session

    def placed(self, agent: str, cwd: str) -> list[Effect]:
        return []  # the AIR form has no word for it

    def agent_of_call(self, tool_use_id: str) -> str | None:
        return self._lineage.agent_of(tool_use_id)

    def agent_of_session(self, session: str) -> str | None:
        return self._sessions.get(session) if self._cancellable else None

    def request_opened(self, agent: str) -> list[Effect]:
        return []

    def request_closed(self, agent: str, *, stopped: bool) -> list[Effect]:
        return []
