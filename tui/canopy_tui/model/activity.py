"""A few words on what a session does now, from its latest update.

The words fit a row of the tree; they are harmless text, and say nothing that the transcript does
not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from canopy_tui.model.entries import Role, ToolEntry
from canopy_tui.model.sanitize import clipped

if TYPE_CHECKING:
    from canopy_tui.model.state import SessionView

LIMIT = 24
THINKING = "thinking"
WRITING = "writing"
DELEGATING = "delegating"

_KINDS = {
    "read": "reading",
    "edit": "editing",
    "delete": "deleting",
    "move": "moving",
    "search": "searching",
    "execute": "running",
    "think": THINKING,
    "fetch": "fetching",
    "switch_mode": "changing mode",
    "other": "working",
}


def of_message(role: Role) -> str:
    """While a message of this role arrives."""
    return THINKING if role is Role.THOUGHT else WRITING


def of_tool(entry: ToolEntry) -> str:
    """While this call runs: the tool's own name, else a word for its kind."""
    if entry.name:
        return clipped(_spoken(entry.name), LIMIT)
    return _KINDS.get(entry.kind, "working")


def _spoken(name: str) -> str:
    """``mcp__server__tool`` as ``server: tool``, anything else in small letters."""
    prefix, _, rest = name.partition("__")
    server, separator, tool = rest.partition("__")
    if prefix == "mcp" and separator:
        return f"{server}: {tool}"
    return name.lower()


def after_tool(view: SessionView) -> str:
    """After a call ended: the newest one still open, else thinking about the result."""
    for entry in reversed(view.entries[-32:]):
        if isinstance(entry, ToolEntry) and not entry.ended and not entry.backgrounded:
            return of_tool(entry)
    return THINKING
