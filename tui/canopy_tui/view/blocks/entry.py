"""From an entry to its blocks; for a message that grows, only what is new.

This is the one table of kinds: a new kind of entry gets a module of its own and a line here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, assert_never

from canopy_tui.model.attachments import described, is_named_in
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
from canopy_tui.model.source import source_of
from canopy_tui.view.blocks.attachment import Attachment
from canopy_tui.view.blocks.block import literal_blocks
from canopy_tui.view.blocks.changes import changed_files
from canopy_tui.view.blocks.child import card
from canopy_tui.view.blocks.compaction import compaction_blocks
from canopy_tui.view.blocks.look import Look
from canopy_tui.view.blocks.message import Letter, Markdown, Prompt
from canopy_tui.view.blocks.notice import notice
from canopy_tui.view.blocks.plan import checklist
from canopy_tui.view.blocks.rule import rule
from canopy_tui.view.blocks.thought import folded_thought
from canopy_tui.view.blocks.tool_parts import tool_blocks
from canopy_tui.view.drawing.labels import name_of
from canopy_tui.view.drawing.markdown_split import Splitter

if TYPE_CHECKING:
    from canopy_tui.model.state import ClientState, SessionView
    from canopy_tui.view.blocks.block import Block


@dataclass(frozen=True, slots=True)
class Around:
    """What entries refer to: the session whose transcript it is, and all others."""

    state: ClientState
    session: SessionView

    def name(self, session: str | None) -> str:
        """What a person calls a session."""
        view = self.state.sessions.get(session or "")
        return name_of(self.state, view) if view else session or "?"


class EntryBlocks:
    """The blocks of one entry over its revisions."""

    def __init__(self) -> None:
        self._splitter = Splitter()
        self._look: Look | None = None

    def update(self, entry: AnyEntry, look: Look, around: Around) -> tuple[int, list[Block]]:
        """``(kept, blocks)``: the first ``kept`` blocks of the last answer, then ``blocks``."""
        known, self._look = self._look, look
        if isinstance(entry, MessageEntry) and _grows(entry, look):
            if known != look:
                self._splitter = Splitter()
            kept, pieces = self._splitter.pieces(entry.text, grows=not entry.settled)
            thought = entry.role is Role.THOUGHT
            marked = thought or entry.after_turn is not None
            blocks: list[Block] = [
                Markdown(piece, marked and not (kept or number), thought)
                for number, piece in enumerate(pieces)
            ]
            return kept, blocks + [Attachment(extra) for extra in entry.extras]
        return 0, _blocks(entry, look, around)


def _grows(entry: MessageEntry, look: Look) -> bool:
    """Whether the entry is drawn piece by piece."""
    if look.raw:
        return False
    return entry.role is Role.AGENT or (entry.role is Role.THOUGHT and look.expanded)


def _blocks(entry: AnyEntry, look: Look, around: Around) -> list[Block]:
    blocks = _drawn(entry, look, around)
    if not look.raw:
        return blocks
    from canopy_tui.view.blocks.raw import RawLabel

    return [RawLabel(), *blocks]


def _drawn(entry: AnyEntry, look: Look, around: Around) -> list[Block]:
    if isinstance(entry, ToolEntry):
        return tool_blocks(entry, look)
    if look.raw:
        return [*literal_blocks(source_of(entry, around.state))]
    match entry:
        case MessageEntry():
            return _message(entry, look, around)
        case ChildEntry():
            return [card(entry, around.state)]
        case RuleEntry():
            return [rule(entry, name_of(around.state, around.session))]
        case PlanEntry():
            return [checklist(entry)]
        case CompactionEntry():
            return compaction_blocks(entry, expanded=look.expanded)
        case ChangesEntry():
            return [changed_files(entry, around.session, around.state)]
        case NoticeEntry():
            return [notice(entry, look.expanded)]
        case _:
            assert_never(entry)


_USED = re.compile(
    r"\A\s*<tools-used-before-summary>([^<]*)</tools-used-before-summary>\s*", re.ASCII
)
"""What Claude Code 2.1.332 puts before the answer of a subagent, for the model."""


def _message(entry: MessageEntry, look: Look, around: Around) -> list[Block]:
    extras: list[Block] = [Attachment(extra) for extra in entry.extras]
    text = entry.text
    if entry.role is Role.USER:
        words = tuple(described(one) for one in entry.extras if not is_named_in(text, one))
        words += ("into the running turn",) if entry.into_turn else ()
        return [Prompt(text, look.expanded, words)] if text.strip() or words else []
    if not text.strip():
        return extras
    match entry.role:
        case Role.THOUGHT:
            return [folded_thought(text, entry.settled), *extras]
        case Role.PARENT:
            name = around.name(entry.peer or around.session.parent)
            return [Letter(f"prompt from {name}", text, look.expanded), *extras]
        case Role.CHILD:
            used = _USED.match(text)
            tools = f" · used {used[1].strip()}" if used is not None else ""
            rest = text[used.end() :] if used is not None else text
            heading = f"from {around.name(entry.peer)}{tools}"
            return [Letter(heading, rest, look.expanded), *extras]
        case _:
            return extras
