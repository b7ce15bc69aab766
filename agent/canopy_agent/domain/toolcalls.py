"""Which tool calls are open, who owns them, and what has to happen to those that never get a
result.

It keeps facts about calls, not their looks; wording and fields are the renderer's.
"""

from __future__ import annotations

from dataclasses import dataclass

from canopy_agent.domain.bounded import Recent, make_room

_OPEN = 4096


@dataclass(slots=True)
class OpenCall:
    """A call without a result yet.

    ``parent`` is the launch of the subagent that made it; ``agent`` that subagent, when a request
    named it before its launch was known. ``dispatched`` means that the CLI had the whole call.
    ``pinned`` is the session on which a permission request showed it first, which ties it there
    whatever the stream says later. ``hidden`` calls have no card.
    """

    id: str
    name: str
    parent: str | None
    dispatched: bool = False
    pinned: str | None = None
    hidden: bool = False
    agent: str | None = None
    has_task: bool = False
    """A task of the CLI stands for the call: the turn does not wait for its result."""


class ToolLedger:
    """Open calls by id, and the owners of recent ones."""

    def __init__(self) -> None:
        self._open: dict[str, OpenCall] = {}
        self._late: Recent[str, OpenCall] = Recent(64)
        self._parents: Recent[str, str | None] = Recent(2048)

    def get(self, id_: str) -> OpenCall | None:
        """The open call with this id."""
        return self._open.get(id_)

    def open_calls(self) -> list[OpenCall]:
        """All open calls, oldest first."""
        return list(self._open.values())

    def opened(self, id_: str, name: str, parent: str | None, agent: str | None = None) -> OpenCall:
        """A call was seen for the first time, or again."""
        call = self._open.get(id_)
        if call is None:
            make_room(self._open, _OPEN, lambda call: True)
            call = OpenCall(id_, name, parent, agent=agent)
            self._open[id_] = call
        elif parent is not None and call.parent is None and call.pinned is None:
            call.parent = parent
        self._parents[id_] = call.parent
        return call

    def parent_of(self, id_: str, named: str | None) -> str | None:
        """Whose call ``id_`` is: what the frame names, else what was known of it before."""
        return named if named is not None else self._parents.get(id_)

    def closed(self, id_: str) -> OpenCall | None:
        """A call got its result or was closed."""
        call = self._open.pop(id_, None)
        if call is not None:
            self._late[id_] = call
        return call

    def late(self, id_: str) -> OpenCall | None:
        """A call that was closed a short while ago: its hook, or its end, may still come."""
        return self._late.get(id_)

    def main_calls(self) -> list[OpenCall]:
        """Open calls of the main conversation."""
        calls = self._open.values()
        return [call for call in calls if call.parent is None and call.agent is None]

    def clear(self) -> None:
        """Nothing is open any more."""
        self._open.clear()
