"""What every form of showing subagents has to answer, and the form that has no child sessions.

The session core asks these questions and knows no form; a form knows nothing of turns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from canopy_agent.domain.effects import Effect, Show
from canopy_agent.domain.facts import Said, Thought, ToolReturned

if TYPE_CHECKING:
    from canopy_agent.domain.events import TaskStarted
    from canopy_agent.domain.facts import Fact
    from canopy_agent.domain.lineage import Json, Launch
    from canopy_agent.domain.past import PastAgent


class Children(Protocol):
    """One form. Methods give effects in the order in which the client must see them.

    ``ends_at_cancel`` is true when a cancel of the root ends all children at once, before the CLI
    says so; ``drops_after_end`` when nothing of a child can be shown after its end.
    """

    ends_at_cancel: bool
    drops_after_end: bool

    def hides(self, tool: str) -> bool:
        """Whether the card of a call of ``tool`` is left out because a child session stands for
        it.
        """

    def launched(self, launch: Launch) -> list[Effect]:
        """The complete Agent call was seen."""

    def messaged(self, id_: str, input_: Json, parent: str | None) -> None:
        """A complete SendMessage call was seen; ``parent`` as in :class:`Launch`."""

    def remembered(self, agents: tuple[PastAgent, ...], at: int) -> None:
        """These subagents worked before this process; ``at`` as in ``AgentsRemembered``."""

    def started(self, event: TaskStarted) -> list[Effect]:
        """A subagent's task began, or began again."""

    def running(self, agent: str) -> list[Effect]:
        """A sign, without details, that ``agent`` works."""

    def resumed(self, agent: str, tool_ids: tuple[str, ...]) -> list[Effect]:
        """A SendMessage result says that it woke ``agent``."""

    def ended(
        self,
        agent: str,
        status: str,
        *,
        error: str | None = None,
        reason: str | None = None,
        tool_use_id: str | None = None,
    ) -> list[Effect]:
        """A run of ``agent`` ended."""

    def show(self, fact: Fact, parent: str, *, streamed: bool = True) -> list[Effect]:
        """Place a fact of the subagent that ``parent`` launched."""

    def nobody(self, call: str) -> None:
        """``call`` began something that is no subagent: what comes under it is nobody's."""

    def returned(self, result: ToolReturned, parent: str | None, launch: Launch) -> list[Effect]:
        """The result of a hidden call came; ``launch`` is that call, of whatever tool."""

    def session_of(self, agent: str | None) -> str:
        """The session on which a question of ``agent`` is put."""

    def live_session(self, agent: str) -> str | None:
        """The session of an announced child that can still be told something."""

    def placed(self, agent: str, cwd: str) -> list[Effect]:
        """``agent`` works in ``cwd``."""

    def agent_of_session(self, session: str) -> str | None:
        """The agent behind an announced child session."""

    def agent_of_call(self, tool_use_id: str) -> str | None:
        """The agent that works for this call."""

    def request_opened(self, agent: str) -> list[Effect]:
        """A question of ``agent`` went to the client."""

    def request_closed(self, agent: str, *, stopped: bool) -> list[Effect]:
        """A question of ``agent`` is over; ``stopped`` when a cancel took it back."""

    def cancelled(self) -> list[Effect]:
        """The client cancelled the root."""

    def closed(self, *, cancelled: bool) -> list[Effect]:
        """The CLI is gone, and every subagent with it."""

    def reset(self) -> list[Effect]:
        """The conversation was cleared."""


class FlatChildren:
    """No child sessions: everything is shown on the root, attributed to the launch.

    ``text`` is true when the client asked for the whole text of subagents; ``deltas`` when it gets
    at least what the CLI streams of it (clients that are not AIR).
    """

    ends_at_cancel = False
    drops_after_end = False

    def __init__(self, root: str, *, text: bool, deltas: bool) -> None:
        self._root = root
        self._text = text
        self._deltas = deltas

    def hides(self, tool: str) -> bool:
        return False

    def launched(self, launch: Launch) -> list[Effect]:
        return []

    def messaged(self, id_: str, input_: Json, parent: str | None) -> None:
        return

    def remembered(self, agents: tuple[PastAgent, ...], at: int) -> None:
        return

    def started(self, event: TaskStarted) -> list[Effect]:
        return []

    def running(self, agent: str) -> list[Effect]:
        return []

    def resumed(self, agent: str, tool_ids: tuple[str, ...]) -> list[Effect]:
        return []

    def ended(
        self,
        agent: str,
        status: str,
        *,
        error: str | None = None,
        reason: str | None = None,
        tool_use_id: str | None = None,
    ) -> list[Effect]:
        return []

    def show(self, fact: Fact, parent: str, *, streamed: bool = True) -> list[Effect]:
        if isinstance(fact, (Said, Thought)) and not self._text:
            wanted = streamed and self._deltas
            return [Show(self._root, fact, parent)] if wanted else []
        return [Show(self._root, fact, parent)]

    def nobody(self, call: str) -> None:
        return

    def returned(self, result: ToolReturned, parent: str | None, launch: Launch) -> list[Effect]:
        return [Show(self._root, result, parent)]

    def session_of(self, agent: str | None) -> str:
        return self._root

    def live_session(self, agent: str) -> str | None:
        return None

    def placed(self, agent: str, cwd: str) -> list[Effect]:
        return []

    def agent_of_session(self, session: str) -> str | None:
        return None

    def agent_of_call(self, tool_use_id: str) -> str | None:
        return None

    def request_opened(self, agent: str) -> list[Effect]:
        return []

    def request_closed(self, agent: str, *, stopped: bool) -> list[Effect]:
        return []

    def cancelled(self) -> list[Effect]:
        return []

    def closed(self, *, cancelled: bool) -> list[Effect]:
        return []

    def reset(self) -> list[Effect]:
        return []
