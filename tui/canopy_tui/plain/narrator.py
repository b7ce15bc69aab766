"""Tells what happens as lines of text, each with who it is about, and each thing once.

Pure: from the client's state and what was touched to lines; foreign text is made harmless here.
Where lines go, and what is asked, is not known here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, assert_never

from canopy_shared.content import Diff
from canopy_tui.model.attachments import described
from canopy_tui.model.background import shown
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
from canopy_tui.model.names import name_of
from canopy_tui.model.sanitize import visible, without_escapes
from canopy_tui.model.source import source_of
from canopy_tui.model.state import Phase
from canopy_tui.model.words import still
from canopy_tui.plain.spoken import Spoken

if TYPE_CHECKING:
    from canopy_tui.model.state import ClientState, SessionView, Touched

CANOPY = "canopy"
OUTPUT_LINES = 20
"""Lines of a command's output that are told, from its end."""

_FENCE = re.compile(r"\s*(`{3,}|~{3,})\w*\s*")
_STOPS = {
    "end_turn": "turn ended",
    "not_said": "turn ended (the agent did not say why)",
    "cancelled": "turn stopped",
    "max_tokens": "turn ended at the token limit",
    "max_turn_requests": "turn ended at the request limit",
    "refusal": "turn ended: the model refused",
    "error": "turn failed",
    "disconnected": "turn cut off: the agent is gone",
}
_ORIGINS = {"task-notification": "a background task reported"}
_PREFIXES = {Role.THOUGHT: "thought: ", Role.PARENT: "task: ", Role.USER: "told: "}


@dataclass(slots=True)
class _Told:
    """How much of an entry was told: characters of a text, and the marks of its stages."""

    characters: int = 0
    stages: set[str] = field(default_factory=set)
    spoken: Spoken | None = None

    def first(self, stage: str) -> bool:
        """Whether ``stage`` is new; it is not from now on."""
        new = stage not in self.stages
        self.stages.add(stage)
        return new


class Narrator:
    """One per state. ``echo``: what the person says is told too. ``spoken``: a person reads the
    lines, who wants the words without the marks of Markdown.
    """

    def __init__(self, state: ClientState, *, echo: bool = True, spoken: bool = False) -> None:
        self._state = state
        self._echo = echo
        self._spoken = spoken
        self._told: dict[tuple[str, int], _Told] = {}
        self._phases: dict[str, Phase] = {}
        self._phases_of_tasks: dict[str, str] = {}
        self._link = ("", "")
        """Its status, and what was said of it."""
        self._gone = ""

    def lines(self, touched: Touched) -> list[str]:
        """What is new, in the order in which it happened."""
        found = list(self._connection()) if touched.link else []
        for view, entry in self._in_order(touched):
            found += self._entry(view, entry)
        for session in touched.sessions:
            found += self._phase(session)
        if touched.tasks:
            found += self._tasks()
        return found

    def rest(self) -> list[str]:
        """What was held back because more could have come."""
        found: list[str] = []
        for view in self._state.sessions.values():
            for entry in view.entries:
                if isinstance(entry, MessageEntry):
                    found += self._message(view, entry, whole=True)
        return found

    def name(self, view: SessionView) -> str:
        """Who speaks."""
        return name_of(self._state, view)

    def name_of_session(self, session: str) -> str:
        """The same by id; for a session that nobody announced our own name."""
        view = self._state.sessions.get(session)
        return CANOPY if view is None else self.name(view)

    # --- order ----------------------------------------------------------------------------------

    def _in_order(self, touched: Touched) -> Iterator[tuple[SessionView, AnyEntry]]:
        by_session: dict[str, set[int]] = {}
        for session, key in touched.entries:
            by_session.setdefault(session, set()).add(key)
        found = [
            (view, entry)
            for view in self._state.sessions.values()
            if view.id in by_session
            for entry in _with_keys(view.entries, by_session[view.id])
        ]
        # Stable, so that of one session the order stays.
        found.sort(key=lambda pair: pair[1].at)
        yield from found

    # --- the connection and the sessions ----------------------------------------------------------

    def _connection(self) -> Iterator[str]:
        link = self._state.link
        if (link.status, link.detail) == self._link:
            return
        before, self._link = self._link, (link.status, link.detail)
        if link.status == before[0] and link.status != "starting":
            return
        match link.status:
            case "starting" if link.detail:
                yield from _said(CANOPY, link.detail)
                yield from _said(CANOPY, without_escapes(link.stderr), "stderr: ")
            case "ready":
                yield from _said(CANOPY, f"connected to {link.name or 'the agent'}")
            case "lost" | "failed":
                what = "the agent is gone" if link.status == "lost" else "the agent did not start"
                self._gone = link.detail
                yield from _said(CANOPY, f"{what}: {link.detail}" if link.detail else what)
                yield from _said(CANOPY, without_escapes(link.stderr), "stderr: ")

    def _phase(self, session: str) -> Iterator[str]:
        view = self._state.sessions.get(session)
        if view is None or view.parent is None:
            return
        before, self._phases[session] = self._phases.get(session), view.phase
        if view.phase is before or not view.phase.ended:
            return
        yield from self._unfinished(view)
        reason = f": {view.phase_reason}" if view.phase_reason else ""
        yield from _said(self.name(view), f"agent {view.phase.word}{reason}")

    def _tasks(self) -> Iterator[str]:
        """Background tasks that began, and those that are over."""
        for task in shown(self._state):
            before = self._phases_of_tasks.get(task.key)
            self._phases_of_tasks[task.key] = task.state
            owner = self._state.sessions.get(task.session)
            if owner is None or before == task.state or (before is None and task.is_over):
                continue
            word = task.state if task.is_over or before else "started"
            summary = f": {task.summary}" if task.is_over and task.summary else ""
            yield from _said(self.name(owner), f"background task {word}: {task.name}{summary}")

    def _said_before(self, view: SessionView, entry: AnyEntry) -> Iterator[str]:
        """The end of the message that stands before a new entry: what follows it comes later."""
        place = next(n for n in range(len(view.entries), 0, -1) if view.entries[n - 1] is entry) - 1
        before = view.entries[place - 1] if place else None
        if isinstance(before, MessageEntry):
            yield from self._message(view, before, whole=True)

    def _unfinished(self, view: SessionView) -> Iterator[str]:
        for entry in view.entries[-3:]:
            if isinstance(entry, MessageEntry):
                yield from self._message(view, entry, whole=True)

    # --- entries ----------------------------------------------------------------------------------

    def _entry(self, view: SessionView, entry: AnyEntry) -> Iterator[str]:
        who = self.name(view)
        if (view.id, entry.key) not in self._told:
            yield from self._said_before(view, entry)
        told = self._told.setdefault((view.id, entry.key), _Told())
        match entry:
            case MessageEntry():
                yield from self._message(view, entry, whole=entry.settled)
            case ToolEntry():
                yield from _tool(who, entry, told, self._state)
            case ChildEntry():
                child = self._state.sessions.get(entry.child)
                if child is not None and told.first("started"):
                    again = "again" if entry.run > 1 else "started"
                    yield from _said(who, f"agent {again}: {self.name(child)}")
            case RuleEntry():
                if told.first(entry.text):
                    yield from _said(who, _rule(entry))
            case PlanEntry():
                for step in source_of(entry, self._state).splitlines():
                    if told.first(step):
                        yield from _said(who, step, "plan: ")
            case CompactionEntry():
                if told.first(entry.status):
                    yield from _said(who, _compaction(entry))
            case ChangesEntry():
                for path in entry.paths:
                    if told.first(path):
                        yield from _said(who, path, "file changed: ")
            case NoticeEntry():
                # Why the agent is gone is told of the connection already.
                if told.first("told") and entry.title != self._gone:
                    yield from _said(who, entry.title, f"{entry.severity}: ")
                    yield from _said(who, entry.detail, "  ")
            case _:
                assert_never(entry)

    def _message(self, view: SessionView, entry: MessageEntry, *, whole: bool) -> Iterator[str]:
        """The lines that are complete; with ``whole`` the last one too."""
        if entry.role is Role.USER and not (self._echo and entry.settled):
            return
        if entry.role is Role.THOUGHT and not whole:
            return
        person = entry.role is Role.USER and view.parent is None
        who = "you" if person else self.name(view)
        prefix = "" if person else _PREFIXES.get(entry.role, "")
        if entry.role is Role.CHILD and entry.peer in self._state.sessions:
            prefix = f"from {self.name(self._state.sessions[entry.peer])}: "
        told = self._told.setdefault((view.id, entry.key), _Told())
        text = entry.text
        end = len(text) if whole else text.rfind("\n") + 1
        if end > told.characters:
            part = text[told.characters : end]
            told.characters = end
            if self._spoken and entry.role is not Role.USER:
                told.spoken = told.spoken or Spoken()
                part = "\n".join(map(told.spoken, part.removesuffix("\n").split("\n")))
            yield from _said(who, part.removesuffix("\n"), prefix)
        if whole and entry.extras and told.first("extras"):
            for extra in entry.extras:
                yield from _said(who, described(extra), prefix)


def _with_keys(entries: Sequence[AnyEntry], keys: set[int]) -> list[AnyEntry]:
    """Those entries, found from the end, where news mostly is."""
    found: list[AnyEntry] = []
    for entry in reversed(entries):
        if entry.key in keys:
            found.append(entry)
            if len(found) == len(keys):
                break
    return found[::-1]


def _said(who: str, text: str, prefix: str = "") -> Iterator[str]:
    """``who: text``, line by line; blank lines are left out."""
    for line in visible(text, multiline=True).split("\n"):
        if line.strip():
            yield f"{who}: {prefix}{line.rstrip()}"


def _rule(entry: RuleEntry) -> str:
    match entry.kind:
        case "after_turn":
            return f"after the turn: {_ORIGINS.get(entry.text, entry.text)}"
        case "resumed":
            return f"works again: {entry.text}" if entry.text else "works again"
    words = still(entry.running, 0, entry.held)
    how = _STOPS.get(entry.text, f"turn ended: {entry.text}")
    return f"{how}, {words}" if words else how


_COMPACTIONS = {
    "in_progress": "compacting the conversation",
    "completed": "conversation compacted",
    "failed": "compaction failed",
    "cancelled": "compaction stopped",
}


def _compaction(entry: CompactionEntry) -> str:
    words = _COMPACTIONS.get(entry.status, entry.status)
    if entry.error:
        words += f": {entry.error}"
    if entry.before is not None and entry.after is not None:
        words += f", {entry.before:,} to {entry.after:,} tokens"
    return words


# --- tool calls -----------------------------------------------------------------------------------


def _tool(who: str, entry: ToolEntry, told: _Told, state: ClientState) -> Iterator[str]:
    """A line when the call runs, by when its title is known; one when it is over; its output."""
    title = entry.title or entry.name or "tool"
    if entry.kind == "execute" and entry.title:
        title = f"$ {title}"
    begun = entry.status != "pending" or entry.waits
    if begun and told.first("begun"):
        yield from _said(who, " ".join(title.split()), "tool: ")
    if not entry.ended or not told.first("ended"):
        return
    yield from _said(who, _outcome(entry, " ".join(title.split())))
    output = entry.output if entry.has_terminal else source_of(entry, state)
    if output.strip() and (entry.has_terminal or entry.status == "failed"):
        lines = without_escapes(output).strip("\n").split("\n")
        lines = [line for line in lines if not _FENCE.fullmatch(line)]
        hidden = len(lines) - OUTPUT_LINES
        if hidden > 0:
            yield f"{who}: | … {hidden:,} lines before"
        for line in lines[-OUTPUT_LINES:]:
            yield f"{who}: | {line}".rstrip()


def _outcome(entry: ToolEntry, title: str) -> str:
    if entry.status == "failed" and entry.rejected:
        return f"tool rejected: {title}"
    failed = entry.status == "failed" or bool(entry.exit_code)
    how = "tool failed" if failed else "tool done"
    facts = [f"exit {entry.exit_code}"] if entry.exit_code else []
    facts += [_change(part) for part in entry.content if isinstance(part, Diff)]
    return f"{how}: {title}" + (f" ({', '.join(facts)})" if facts else "")


def _change(diff: Diff) -> str:
    """``+3 -1``."""
    import difflib

    old = diff.old_text if isinstance(diff.old_text, str) else ""
    pair = old.splitlines(), diff.new_text.splitlines()
    lines = list(difflib.unified_diff(*pair, lineterm="", n=0))[2:]
    plus, minus = (sum(line.startswith(sign) for line in lines) for sign in "+-")
    return f"+{plus} -{minus}"
