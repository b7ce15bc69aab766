"""What each agent of a stored session took, and all of them together: work, tokens, calls.

Pure; names are harmless here, as the tree has them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from canopy_tui.model import tree
from canopy_tui.model.children import agent_of
from canopy_tui.model.names import name_of
from canopy_tui.model.sanitize import clipped
from canopy_tui.model.timeline import Span, worked
from canopy_tui.model.words import agents, amount, duration, model_name

if TYPE_CHECKING:
    from canopy_tui.model.state import ClientState, SessionView
    from canopy_tui.model.stored import Reading

_MODEL = 60


@dataclass(frozen=True, slots=True)
class Row:
    """One agent: ``name`` is harmless, ``depth`` how deep below the main agent it is. Tokens are
    those ``read`` anew, ``cached`` and ``written``.
    """

    session: str
    name: str
    depth: int
    model: str = ""
    spans: Sequence[Span] = ()
    calls: int = 0
    read: int = 0
    cached: int = 0
    written: int = 0

    @property
    def tokens(self) -> int:
        """All of them."""
        return self.read + self.cached + self.written


def rows_of(state: ClientState, reading: Reading | None) -> list[Row]:
    """One row per agent, in the order of the tree."""
    efforts = {} if reading is None else reading.efforts
    by_agent = {agent_of(session): effort for session, effort in efforts.items()}
    rows = []
    for view, depth in _walk(state):
        row = Row(view.id, name_of(state, view), depth)
        effort = by_agent.get(view.id)
        if effort is not None:
            row = Row(
                row.session,
                row.name,
                depth,
                clipped(model_name(effort.model), _MODEL),
                tuple(effort.spans),
                effort.calls,
                effort.read,
                effort.cached,
                effort.written,
            )
        rows.append(row)
    return rows


def _walk(state: ClientState) -> Iterator[tuple[SessionView, int]]:
    for root in state.roots:
        depths = {root: 0}
        yield state.sessions[root], 0
        for view in tree.below(state, root):
            depths[view.id] = depths.get(view.parent or "", 0) + 1
            yield view, depths[view.id]


def summary_of(state: ClientState, reading: Reading | None) -> str:
    """How long was worked, by how many, for how much, on what."""
    if reading is None:
        return "reading …"
    rows = rows_of(state, reading)
    calls = sum(row.calls for row in rows)
    parts = [
        agents(len(rows)),
        f"{duration(worked([span for row in rows for span in row.spans]))} of work",
        f"{calls:,} tool call{'' if calls == 1 else 's'}",
        f"{amount(sum(row.tokens for row in rows))} tokens",
    ]
    if reading.cost is not None:
        parts.append(f"${reading.cost:,.2f}")
    return " · ".join([*parts, *sorted({model_name(row.model) for row in rows if row.model})])


def report_of(row: Row) -> str:
    """One agent in a line."""
    if not row.spans:
        return "nothing of its work is stored"
    calls = f"{row.calls:,} tool call{'' if row.calls == 1 else 's'}"
    tokens = f"{amount(row.read)} tokens read, {amount(row.cached)} cached, "
    parts = [
        f"worked {duration(worked(row.spans))}",
        calls,
        f"{tokens}{amount(row.written)} written",
    ]
    return ", ".join([*parts, *([model_name(row.model)] if row.model else [])])
