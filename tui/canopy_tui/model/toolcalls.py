"""Merging what is told of a tool call into its entry.

Lenient as a client must be: an unknown call is created, null and absent fields change nothing, and
a call that has ended does not start again. What a tool does is not known here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from canopy_shared.ext import claude, terminal
from canopy_shared.unset import UNSET
from canopy_shared.updates import ToolCallStart, ToolCallUpdate
from canopy_tui.model import transcript
from canopy_tui.model.entries import ToolEntry

if TYPE_CHECKING:
    from canopy_tui.model.state import ClientState, SessionView, Touched

OUTPUT_LIMIT = 1 << 20
"""Characters of terminal output that are kept of one call; older ones are dropped."""

_RANK = {"pending": 0, "in_progress": 1, "completed": 2, "failed": 2}


def find(view: SessionView, tool_call_id: str) -> ToolEntry | None:
    """The entry of a call in this session."""
    index = view.tools.get(tool_call_id)
    entry = view.entries[index] if index is not None else None
    return entry if isinstance(entry, ToolEntry) else None


def apply(
    state: ClientState,
    view: SessionView,
    report: ToolCallStart | ToolCallUpdate,
    at: float,
    touched: Touched,
) -> ToolEntry:
    """Merge a report of a call, creating its entry when it is the first one."""
    entry = find(view, report.tool_call_id)
    if entry is not None:
        merge(entry, report, at)
        if entry.ended:
            view.open_tools.pop(report.tool_call_id, None)
        transcript.changed(state, view, entry, touched)
        return entry
    transcript.close_message(state, view, touched)
    entry = ToolEntry(at=at, tool_call_id=report.tool_call_id)
    merge(entry, report, at)
    index = view.tools[report.tool_call_id] = transcript.append(state, view, entry, touched)
    if not entry.ended:
        view.open_tools[report.tool_call_id] = index
    return entry


def merge(entry: ToolEntry, report: ToolCallStart | ToolCallUpdate, at: float) -> None:
    """Take over the fields that ``report`` has. A late start only fills what is still unknown."""
    late = isinstance(report, ToolCallStart) and entry.revision > 0
    if isinstance(report.title, str) and report.title and not (late and entry.title):
        entry.title = report.title
    if isinstance(report.kind, str) and not (late and entry.kind != "other"):
        entry.kind = report.kind
    name = report.name if isinstance(report.name, str) else claude.tool_name(report.meta)
    entry.name = name or entry.name
    if isinstance(report.content, tuple) and not (late and entry.content):
        entry.content = report.content
    if isinstance(report.locations, tuple) and not (late and entry.locations):
        entry.locations = report.locations
    if _tells(report.raw_input, entry.raw_input) and not (late and entry.raw_input):
        entry.raw_input = report.raw_input
    if report.raw_output is not UNSET and report.raw_output is not None:
        entry.raw_output = report.raw_output
    if isinstance(report.status, str):
        _advance(entry, report.status, at, late)
    _merge_terminal(entry, report.meta)


def _tells(new: Any, old: Any) -> bool:
    """Whether ``new`` raw input is worth taking: emptiness never blanks what is known."""
    return new is not UNSET and (bool(new) or not old)


def _advance(entry: ToolEntry, status: str, at: float, late: bool) -> None:
    new, old = _RANK.get(status), _RANK[entry.status]
    if new is None or (late and new <= old) or (entry.ended and new < old):
        return
    entry.status, entry.stopped = status, False
    if entry.ended and entry.ended_at is None:
        entry.ended_at = at


def _merge_terminal(entry: ToolEntry, meta: object) -> None:
    if not isinstance(meta, Mapping):
        return
    if terminal.read(meta, terminal.INFO) is not None:
        entry.has_terminal = True
    whole = terminal.read(meta, terminal.OUTPUT)
    if whole is not None and isinstance(whole.get("data"), str):
        show_output(entry, whole["data"])
    more = terminal.read(meta, terminal.OUTPUT_DELTA)
    if more is not None and isinstance(more.get("data"), str):
        show_output(entry, entry.output + more["data"])
    end = terminal.read(meta, terminal.EXIT)
    if end is not None:
        code = end.get("exit_code")
        entry.exited = True
        entry.exit_code = code if isinstance(code, int) else None


def show_output(entry: ToolEntry, text: str) -> None:
    """Set the terminal output of a call, of which only the end is kept."""
    entry.has_terminal = True
    entry.output = text if len(text) <= OUTPUT_LIMIT else text[-OUTPUT_LIMIT:]


def close_open(
    state: ClientState, view: SessionView, at: float, touched: Touched, *, background: bool
) -> None:
    """End the calls without a result, those in the background only when ``background``."""
    for call in list(view.open_tools):
        entry = find(view, call)
        if entry is None or (entry.backgrounded and not background):
            continue
        del view.open_tools[call]
        entry.status, entry.stopped = "failed", True
        entry.ended_at = at
        transcript.changed(state, view, entry, touched)
