"""A transcript with those of its children as one text: Markdown for people, JSON for programs.

Pure: it reads the state and writes no file. Foreign text stays as it came, fenced where it could
end what is around it; only control codes are shown as pictures, and escaped in JSON.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from enum import Enum
from typing import TYPE_CHECKING, Any

from canopy_shared import jsonio
from canopy_shared.content import Diff, TextContent, ToolContent
from canopy_shared.fences import fenced, left_open
from canopy_shared.unset import UNSET
from canopy_tui.model.attachments import described
from canopy_tui.model.entries import AnyEntry, ChildEntry, MessageEntry, Role, RuleEntry, ToolEntry
from canopy_tui.model.names import name_of
from canopy_tui.model.rule_words import rule_words
from canopy_tui.model.sanitize import for_file
from canopy_tui.model.source import source_of
from canopy_tui.model.values import value_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from canopy_tui.model.state import ClientState, SessionView

FORMAT = "canopy-transcript"
VERSION = 1
_RARE_CONTROLS = re.compile("[\x7f-\x9f]")
"""Those that JSON allows as they are."""
_WHO = {Role.USER: "You", Role.AGENT: "Answer", Role.THOUGHT: "Thought", Role.PARENT: "Task"}


def time_of(at: float) -> str:
    """UTC, as ISO 8601."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


# --- Markdown -------------------------------------------------------------------------------------


def as_markdown(state: ClientState, session: str) -> str:
    """The session, each child folded (``<details>``) where its card is."""
    view = state.sessions[session]
    lines = [f"# {_one_line(view.title or name_of(state, view))}", ""]
    facts = [("Directory", view.cwd), ("Model", view.model), ("Session", view.id)]
    lines += [f"- {label}: `{_one_line(value)}`" for label, value in facts if value]
    text = "\n".join([*lines, "", *_entries(state, view, {session})])
    return for_file(text).rstrip("\n") + "\n"


def _entries(state: ClientState, view: SessionView, above: set[str]) -> Iterator[str]:
    for entry in view.entries:
        match entry:
            case MessageEntry():
                yield from _message(entry, state)
            case ToolEntry():
                yield from _call(entry)
            case ChildEntry(child=child) if child in state.sessions and child not in above:
                yield from _child(state, state.sessions[child], above)
            case ChildEntry():
                yield from (f"*{_one_line(source_of(entry, state))}*", "")
            case RuleEntry():
                yield from (f"*— {_one_line(rule_words(entry, time_of))} —*", "")
            case _:
                yield from (source_of(entry, state), "")


def _message(entry: MessageEntry, state: ClientState) -> Iterator[str]:
    who = _WHO.get(entry.role, "")
    if entry.role is Role.CHILD:
        peer = state.sessions.get(entry.peer or "")
        who = f"From {name_of(state, peer) if peer else entry.peer}"
    yield from (f"**{who}** ({time_of(entry.at)})", "")
    if entry.role in (Role.USER, Role.THOUGHT):
        yield from (f"> {line}" for line in entry.text.split("\n"))
    else:
        yield _closed(entry.text)
    yield from (f"\n*{_one_line(described(extra))}*" for extra in entry.extras)
    yield ""


def _call(entry: ToolEntry) -> Iterator[str]:
    title = _one_line(entry.title or entry.name or "tool")
    code = f", exit {entry.exit_code}" if entry.exit_code is not None else ""
    yield from ("<details>", f"<summary>{_escaped(title)} ({entry.status}{code})</summary>", "")
    if entry.raw_input:
        yield from _fenced(value_lines(entry.raw_input))
    for part in entry.content:
        if isinstance(part, Diff):
            yield from (f"`{_one_line(part.path)}`", "")
            yield from _fenced(part.new_text)
        elif isinstance(part, ToolContent) and isinstance(part.content, TextContent):
            yield from (_closed(part.content.text), "")
        elif isinstance(part, ToolContent):
            yield from (f"*{_one_line(described(part.content))}*", "")
    if entry.output:
        yield from _fenced(entry.output)
    elif entry.raw_output is not None and not entry.content:
        yield from _fenced(value_lines(entry.raw_output))
    yield from ("</details>", "")


def _child(state: ClientState, view: SessionView, above: set[str]) -> Iterator[str]:
    name = _escaped(name_of(state, view))
    yield from ("<details>", f"<summary><b>{name}</b> ({view.phase.word})</summary>", "")
    yield from _entries(state, view, above | {view.id})
    yield from ("</details>", "")


def _fenced(text: str) -> Iterator[str]:
    yield from (fenced(text.rstrip("\n")), "")


def _closed(text: str) -> str:
    """``text`` without a fence left open, which would swallow what follows."""
    mark = left_open(text)
    return f"{text}\n{mark}" if mark else text


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


# --- JSON -----------------------------------------------------------------------------------------


def json_text(state: ClientState, session: str) -> str:
    """:func:`as_json` as one line, with every control code escaped."""
    text = jsonio.dumps(as_json(state, session)).decode()
    return _RARE_CONTROLS.sub(lambda found: f"\\u{ord(found.group()):04x}", text) + "\n"


def as_json(state: ClientState, session: str) -> dict[str, Any]:
    """``{format, version, session}``; a session holds its entries and its children's sessions."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "session": _session(state, state.sessions[session], {session}),
    }


def _session(state: ClientState, view: SessionView, above: set[str]) -> dict[str, Any]:
    below = [child for child in view.children if child in state.sessions and child not in above]
    return {
        "id": view.id,
        "name": name_of(state, view),
        "task": view.task,
        "role": view.role,
        "cwd": view.cwd,
        "model": view.model,
        "phase": view.phase.value,
        "startedAt": time_of(view.started_at),
        "endedAt": time_of(view.ended_at) if view.ended_at is not None else None,
        "entries": [_entry(entry) for entry in view.entries],
        "children": [_session(state, state.sessions[c], above | {c}) for c in below],
    }


_OWN = frozenset({"key", "revision", "chunks", "settled", "waits", "at"})


def _entry(entry: AnyEntry) -> dict[str, Any]:
    kind = type(entry).__name__.removesuffix("Entry").lower()
    told: dict[str, Any] = {"kind": kind, "at": time_of(entry.at)}
    if isinstance(entry, MessageEntry):
        told["text"] = entry.text
    return told | {
        field.name: _plain(value)
        for field in fields(entry)
        if field.name not in _OWN
        and (value := getattr(entry, field.name)) not in (None, (), [], "", False)
    }


def _plain(value: object) -> Any:
    match value:
        case Enum():
            return value.value
        case None | bool() | int() | float() | str():
            return value
        case _ if is_dataclass(value) and not isinstance(value, type):
            held = {field.name: getattr(value, field.name) for field in fields(value)}
            return {key: _plain(item) for key, item in held.items() if item is not UNSET}
        case Mapping():
            return {str(key): _plain(item) for key, item in value.items()}
        case list() | tuple() | set() | frozenset():
            return [_plain(item) for item in value]
        case _:
            return str(value)
