"""Growing a transcript: appending entries, joining text deltas, and the marks that go with it.

It knows what counts as unseen and what came after a turn; which update means what is not known
here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from canopy_shared.content import TextContent
from canopy_tui.model.background import BACKGROUND, cause_of
from canopy_tui.model.entries import (
    AnyEntry,
    CompactionEntry,
    MessageEntry,
    NoticeEntry,
    Role,
    RuleEntry,
    ToolEntry,
)
from canopy_tui.model.state import Burst, Replay

if TYPE_CHECKING:
    from canopy_shared.content import ContentBlock
    from canopy_tui.model.state import ClientState, SessionView, Touched

_COUNTED = (MessageEntry, ToolEntry, NoticeEntry, CompactionEntry)


def append(
    state: ClientState, view: SessionView, entry: AnyEntry, touched: Touched, *, work: bool = True
) -> int:
    """Add ``entry`` and give it its key; returns its index.

    ``work`` says that the model or a tool produced it: outside a turn it then carries the origin,
    and the first of its kind is preceded by a rule.
    """
    if work and view.replay is Replay.NO:
        entry.after_turn = _origin_outside_turn(state, view, touched)
    return _add(state, view, entry, touched)


def _add(state: ClientState, view: SessionView, entry: AnyEntry, touched: Touched) -> int:
    entry.key = view.next_key
    view.next_key += 1
    view.entries.append(entry)
    changed(state, view, entry, touched)
    return len(view.entries) - 1


def changed(state: ClientState, view: SessionView, entry: AnyEntry, touched: Touched) -> None:
    """Note that ``entry`` is new or different: its revision, its repaint, its place among the
    unseen.
    """
    entry.revision += 1
    touched.entries.add((view.id, entry.key))
    touched.sessions.add(view.id)
    if view.id in state.watched or view.replay is not Replay.NO or not _counts(entry):
        return
    view.unseen_keys.add(entry.key)
    view.unseen = len(view.unseen_keys)
    if entry.after_turn is not None:
        view.after_turn = entry.after_turn


def redrawn(view: SessionView, entry: AnyEntry, touched: Touched) -> None:
    """Note that ``entry`` looks different, in a way that is no news."""
    entry.revision += 1
    touched.entries.add((view.id, entry.key))
    touched.sessions.add(view.id)


def _counts(entry: AnyEntry) -> bool:
    return isinstance(entry, _COUNTED) and getattr(entry, "role", None) is not Role.USER


def seen(view: SessionView, touched: Touched) -> None:
    """Everything in ``view`` has been seen."""
    if view.unseen or view.after_turn is not None:
        touched.sessions.add(view.id)
    view.unseen_keys.clear()
    view.unseen = 0
    view.after_turn = None


# --- outside a turn -------------------------------------------------------------------------------


def _origin_outside_turn(state: ClientState, view: SessionView, touched: Touched) -> str | None:
    """The mark for a new entry, after drawing the rule that the first one needs."""
    root = state.root_of(view)
    if root.in_turn or not root.turns_done:
        return None
    if view is root:
        if view.burst is None:
            origin, words = cause_of(state.tasks.get(root.cycle or ""))
            at = root.turn_ended_at
            rule = RuleEntry(at=at, kind="after_turn", text=origin, detail=words)
            view.burst = Burst(_add(state, view, rule, touched))
        started = view.entries[view.burst.rule]
        return started.text if isinstance(started, RuleEntry) else BACKGROUND
    if view.ruled_turn != root.turns_done:
        view.ruled_turn = root.turns_done
        if view.entries:
            rule = RuleEntry(at=root.turn_ended_at, kind="after_turn", text=BACKGROUND)
            _add(state, view, rule, touched)
    return BACKGROUND


def name_burst(state: ClientState, view: SessionView, origin: str, touched: Touched) -> None:
    """End the burst of a root, whose origin is known now."""
    if view.burst is None:
        return
    rule = view.entries[view.burst.rule]
    if isinstance(rule, RuleEntry) and rule.text != origin:
        rule.text = origin
        changed(state, view, rule, touched)
        for entry in view.entries[view.burst.rule + 1 :]:
            if entry.after_turn is not None:
                entry.after_turn = origin
                entry.revision += 1
                touched.entries.add((view.id, entry.key))
        if view.after_turn is not None:
            view.after_turn = origin
    close_message(state, view, touched)
    view.burst = None


# --- messages -------------------------------------------------------------------------------------


def close_message(state: ClientState, view: SessionView, touched: Touched) -> None:
    """No more text comes for the open message."""
    if view.open_message is None:
        return
    entry = view.entries[view.open_message]
    view.open_message = None
    if isinstance(entry, MessageEntry):
        entry.settled = True
        entry.revision += 1
        touched.entries.add((view.id, entry.key))


def add_chunk(
    state: ClientState,
    view: SessionView,
    role: Role,
    block: ContentBlock,
    message_id: str | None,
    at: float,
    touched: Touched,
) -> None:
    """Add a piece of a message: to the open one when it is the same message, else to a new one.

    Takes constant time however long the message is. Text after a picture opens a new entry, so
    that the order is kept.
    """
    text = block.text if isinstance(block, TextContent) else None
    if text == "":
        return
    entry = _open_entry(view)
    if (
        entry is None
        or entry.role is not role
        or entry.message_id != message_id
        or (text is not None and entry.extras)
    ):
        close_message(state, view, touched)
        entry = MessageEntry(at=at, role=role, message_id=message_id)
        _extend(entry, block, text)
        view.open_message = append(state, view, entry, touched)
        return
    _extend(entry, block, text)
    changed(state, view, entry, touched)


def _open_entry(view: SessionView) -> MessageEntry | None:
    if view.open_message is None:
        return None
    entry = view.entries[view.open_message]
    return entry if isinstance(entry, MessageEntry) else None


def _extend(entry: MessageEntry, block: ContentBlock, text: str | None) -> None:
    if text is None:
        entry.extras.append(block)
    else:
        entry.chunks.append(text)


def whole_message(role: Role, blocks: tuple[ContentBlock, ...], at: float) -> MessageEntry:
    """A settled message of these blocks; texts are joined by blank lines."""
    texts = [block.text for block in blocks if isinstance(block, TextContent) and block.text]
    extras: list[ContentBlock] = [b for b in blocks if not isinstance(b, TextContent)]
    body = "\n\n".join(texts)
    return MessageEntry(
        at=at, role=role, chunks=[body] if body else [], extras=extras, settled=True
    )
