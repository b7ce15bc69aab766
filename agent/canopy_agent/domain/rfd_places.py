"""Where the subagents of the RFD form work, and when their parents hear of it.

A directory is told once when it differs from the parent's, and once when it does so no more.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from canopy_agent.domain.bounded import Recent
from canopy_agent.domain.effects import Effect, Show
from canopy_agent.domain.facts import ChildReported

if TYPE_CHECKING:
    from canopy_agent.domain.rfd_children import Child


class Places:
    """Directories with links resolved; ``root`` is that of the main conversation."""

    def __init__(self, root: str | None, children: Mapping[str, Child]) -> None:
        self._root = root
        self._children = children
        self._early: Recent[str, str] = Recent(64)

    def early(self, agent: str, cwd: str) -> None:
        """``agent`` works in ``cwd``; nobody has announced it yet."""
        self._early[agent] = cwd

    def take_early(self, agent: str) -> str | None:
        """What was known of ``agent`` before it was announced; it is known no longer."""
        return self._early.pop(agent)

    def report(self, child: Child, cwd: str) -> list[Effect]:
        """``child`` works in ``cwd``."""
        elsewhere = cwd if cwd != self._directory(child.parent_session) else None
        if elsewhere == child.cwd:
            return []
        child.cwd = elsewhere
        report = ChildReported(child.id, cwd=elsewhere, clear_cwd=elsewhere is None)
        return [Show(child.parent_session, report)]

    def _directory(self, session: str) -> str | None:
        """Where the conversation of ``session`` works."""
        child = self._children.get(session)
        if child is None:
            return self._root
        return child.cwd or self._directory(child.parent_session)

    def clear(self) -> None:
        """The conversation is gone."""
        self._early.clear()
