"""How far the load of a stored session has come, in words.

Pure; who loads, and how a load is stopped, is not known here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from canopy_tui.model import tree
from canopy_tui.model.words import agents, duration

if TYPE_CHECKING:
    from canopy_tui.model.state import ClientState, SessionView


def is_loading(state: ClientState) -> bool:
    """Whether any session is being loaded."""
    return any(state.sessions[root].loading is not None for root in state.roots)


def progress(state: ClientState, root: SessionView, now: float) -> str:
    """``1,204 updates · 310 entries · 3 agents · 4s``; empty when nothing is loaded."""
    loading = root.loading
    if loading is None:
        return ""
    below = list(tree.below(state, root.id))
    entries = len(root.entries) + sum(len(view.entries) for view in below)
    parts = [_counted(loading.updates, "update")]
    if entries:
        parts.append(f"{entries:,} {'entry' if entries == 1 else 'entries'}")
    if below:
        parts.append(agents(len(below)))
    parts.append(duration(max(0.0, now - loading.since)))
    return " · ".join(parts)


def _counted(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"
