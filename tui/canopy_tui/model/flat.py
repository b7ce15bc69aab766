"""Subagents of an agent that announces none: found by the tool call that launched them.

Such an agent sends a subagent's work on the root session and tags it with
``_meta.claudeCode.parentToolUseId`` (claude-agent-acp 0.101.0). Each launch becomes a child that
exists only here; an agent that announces its children is left alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from canopy_shared.ext import claude
from canopy_tui.model import transcript
from canopy_tui.model.children import TITLE_LIMIT, add_card, end_run, place
from canopy_tui.model.entries import MessageEntry, Role, ToolEntry
from canopy_tui.model.sanitize import clipped
from canopy_tui.model.state import Phase
from canopy_tui.model.toolcalls import find

if TYPE_CHECKING:
    from canopy_tui.model.state import ClientState, SessionView, Touched


def owner(
    state: ClientState, root: SessionView, update: object, at: float, touched: Touched
) -> SessionView:
    """The session that an update on ``root`` belongs to: the root, or a child found by its tag.

    An update of a call that is already known stays with its owner, tagged or not.
    """
    if root.native or root.parent is not None:
        return root
    call = getattr(update, "tool_call_id", None)
    if isinstance(call, str) and call in root.flat_owners:
        return state.sessions[root.flat_owners[call]]
    launch = claude.parent_tool_use_id(getattr(update, "meta", None))
    if launch is None or launch == call:
        return root
    child = root.flat_launches.get(launch)
    view = state.sessions[child] if child else _found(state, root, launch, at, touched)
    if isinstance(call, str):
        root.flat_owners[call] = view.id
        _adopt(state, root, call, view, at, touched)
    return view


def _found(
    state: ClientState, root: SessionView, launch: str, at: float, touched: Touched
) -> SessionView:
    """A child for the call ``launch``, below the session that made the call."""
    parent = state.sessions[root.flat_owners.get(launch, root.id)]
    view = place(state, parent, f"{root.id}#{launch}", at, touched, card=False)
    root.flat_launches[launch] = view.id
    view.wire_id = root.wire_id
    entry = find(parent, launch)
    if entry is not None:
        launched(state, root, parent, entry, None, at, touched)
    return view


def _adopt(
    state: ClientState,
    root: SessionView,
    call: str,
    parent: SessionView,
    at: float,
    touched: Touched,
) -> None:
    """Move the child of ``call`` below the session that turned out to have made the call."""
    child = root.flat_launches.get(call)
    if child is None:
        return
    view = state.sessions[child]
    if view.parent == parent.id or any(up.id == child for up in _ancestors(state, parent)):
        return
    if view.parent is not None:
        state.sessions[view.parent].children.remove(child)
    view.parent = parent.id
    parent.children.append(child)
    touched.tree = True


def _ancestors(state: ClientState, view: SessionView) -> list[SessionView]:
    found = [view]
    while found[-1].parent is not None:
        found.append(state.sessions[found[-1].parent])
    return found


def launched(
    state: ClientState,
    root: SessionView,
    parent: SessionView,
    entry: ToolEntry,
    meta: object,
    at: float,
    touched: Touched,
) -> None:
    """Carry over what is known of the launching call: name, task, and whether it is over."""
    child = root.flat_launches.get(entry.tool_call_id)
    if child is None:
        return
    view = state.sessions[child]
    if entry.child is None:
        entry.child = child
        add_card(state, parent, view, at, touched)
    view.title = clipped(entry.title, TITLE_LIMIT)
    _take_input(state, view, parent, entry.raw_input, at, touched)
    if _is_detached(entry, meta):
        view.detached = True
    if entry.ended and not view.detached:
        phase = Phase.FAILED if entry.status == "failed" else Phase.DONE
        end_run(state, view, phase, "", at, touched)
    touched.sessions.add(child)


def _take_input(
    state: ClientState,
    view: SessionView,
    parent: SessionView,
    given: Any,
    at: float,
    touched: Touched,
) -> None:
    if not isinstance(given, Mapping):
        return
    role, task = given.get("subagent_type"), given.get("prompt")
    if isinstance(role, str):
        view.role = clipped(role, TITLE_LIMIT)
    if isinstance(task, str) and task and not view.task:
        view.task = task
        prompt = MessageEntry(at=at, role=Role.PARENT, chunks=[task], settled=True, peer=parent.id)
        transcript.append(state, view, prompt, touched)


def _is_detached(entry: ToolEntry, meta: object) -> bool:
    """Whether the call returned at once while its subagent goes on."""
    given = entry.raw_input
    if isinstance(given, Mapping) and given.get("run_in_background") is True:
        return True
    response = claude.payload_of(meta).get("toolResponse")
    return isinstance(response, Mapping) and (
        response.get("isAsync") is True or response.get("status") == "async_launched"
    )
