"""The source text of an entry: what copying it gives, exactly as the model holds it.

Nothing here is drawn, so nothing is made visible or shortened.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from canopy_shared.content import Diff, TextContent, ToolContent
from canopy_tui.model.attachments import described
from canopy_tui.model.entries import (
    AnyEntry,
    ChangesEntry,
    ChildEntry,
    CompactionEntry,
    MessageEntry,
    NoticeEntry,
    PlanEntry,
    Role,
    RuleEntry,
    ToolEntry,
)
from canopy_tui.model.values import value_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from canopy_tui.model.state import ClientState

_ANSWERS = (Role.AGENT, Role.CHILD)
_BOXES = {"completed": "x", "in_progress": "-"}


def source_of(entry: AnyEntry, state: ClientState) -> str:
    """The text of ``entry``: Markdown of a message, output or contents of a tool call, …"""
    match entry:
        case MessageEntry():
            return entry.text or "\n".join(map(described, entry.extras))
        case ToolEntry():
            return _tool(entry)
        case ChildEntry():
            view = state.sessions.get(entry.child)
            return (view.task or view.title or view.id) if view else entry.child
        case RuleEntry():
            return entry.text
        case PlanEntry():
            steps = [f"- [{_BOXES.get(step.status, ' ')}] {step.content}" for step in entry.steps]
            return "\n".join([*([entry.document] if entry.document else []), *steps])
        case CompactionEntry():
            return entry.summary or entry.error
        case ChangesEntry():
            return "\n".join(entry.paths)
        case NoticeEntry():
            return f"{entry.title}\n{entry.detail}" if entry.detail else entry.title
        case _:
            assert_never(entry)


def copied_at(entries: Sequence[AnyEntry], at: int, state: ClientState) -> str:
    """What copying the entry ``at`` gives: its source; at the end of a turn, its answer."""
    if not _is_end(entries[at]):
        return source_of(entries[at], state)
    for above in reversed(entries[:at]):
        if isinstance(above, MessageEntry) and above.role in _ANSWERS:
            return source_of(above, state)
        if isinstance(above, MessageEntry) and above.role is not Role.THOUGHT:
            break  # that turn has no answer, and one of a turn before it is not meant
    return ""


def copied_whole(entries: Sequence[AnyEntry], state: ClientState) -> str:
    """The sources of all entries, without the words of the protocol at the ends of turns."""
    texts = (source_of(entry, state) for entry in entries if not _is_end(entry))
    return "\n\n".join(text for text in texts if text)


def _is_end(entry: AnyEntry) -> bool:
    return isinstance(entry, RuleEntry) and entry.kind != "resumed"


def _tool(entry: ToolEntry) -> str:
    if entry.output:
        return entry.output
    texts = []
    for part in entry.content:
        if isinstance(part, ToolContent) and isinstance(part.content, TextContent):
            texts.append(part.content.text)
        elif isinstance(part, Diff):
            texts.append(part.new_text)
    if texts:
        return "\n".join(texts)
    if entry.raw_output is not None:
        return value_lines(entry.raw_output)
    return entry.title


def searchable(entry: AnyEntry, state: ClientState) -> str:
    """All text of ``entry`` in the order in which it is shown; nothing for the card of a child,
    whose own transcript is searched.
    """
    match entry:
        case ToolEntry():
            return "\n".join(filter(None, _texts_of_call(entry)))
        case ChildEntry():
            return ""
        case _:
            return source_of(entry, state)


def _texts_of_call(entry: ToolEntry) -> Iterator[str]:
    yield entry.title
    if entry.raw_input:
        yield value_lines(entry.raw_input)
    for part in entry.content:
        if isinstance(part, ToolContent) and isinstance(part.content, TextContent):
            yield part.content.text
        elif isinstance(part, Diff):
            yield part.path
            yield part.old_text if isinstance(part.old_text, str) else ""
            yield part.new_text
    yield entry.output
    if entry.raw_output is not None and not entry.content and not entry.output:
        yield value_lines(entry.raw_output)
