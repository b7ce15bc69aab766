"""Turns what is stored of a session into the events of a client that was there, each thing once.

Pure. What was told already is remembered per session, so that a session that grows is followed; one
that became another, as after a rewind, is told anew.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from canopy_shared.content import TextContent
from canopy_shared.updates import SubagentSpawned, UserMessageChunk
from canopy_tui.model import events as e
from canopy_tui.model.children import agent_of

if TYPE_CHECKING:
    from canopy_shared.content import ContentBlock
    from canopy_shared.updates import Update
    from canopy_tui.model.stored import Reading, Told

AGENT = "Claude Code"


class Story:
    """Of one root session."""

    def __init__(self) -> None:
        self._told: dict[str, list[Update]] = {}
        self._ends = 0
        self._in_turn = False
        self._root_at = 0.0

    def events(self, reading: Reading) -> Iterator[e.Event]:
        """What is new in ``reading``."""
        fresh = self._fresh(reading)
        if fresh is None or not self._told:
            yield from self._begin(reading, again=bool(self._told))
            fresh = list(reading.told)
        ends = list(reading.ends[self._ends :])
        self._ends = len(reading.ends)
        for group in _messages(fresh):
            at = group[0].at
            while ends and ends[0] < at:
                yield from self._turn_ends(reading, ends.pop(0))
            for one in group:
                self._told.setdefault(one.session, []).append(one.update)
            yield from self._happens(reading, group)
        for end in ends:
            yield from self._turn_ends(reading, end)
        if self._in_turn and not reading.running:
            yield from self._turn_ends(reading, self._root_at, "cancelled")

    def _fresh(self, reading: Reading) -> list[Told] | None:
        """What was not told yet; None when what was told is not the beginning of what there is."""
        places: dict[str, int] = {}
        fresh = []
        for one in reading.told:
            place = places.get(one.session, 0)
            places[one.session] = place + 1
            known = self._told.get(one.session, [])
            if place >= len(known):
                fresh.append(one)
            elif known[place] != one.update:
                return None
        whole = all(places.get(session, 0) >= len(known) for session, known in self._told.items())
        return fresh if whole else None

    def _begin(self, reading: Reading, *, again: bool) -> Iterator[e.Event]:
        self._told.clear()
        self._ends, self._in_turn = 0, False
        at = reading.told[0].at if reading.told else 0.0
        if again:
            yield e.SessionClosed(session=reading.session)
        yield e.LinkChanged(status="ready", name=AGENT, at=at)
        yield e.SessionOpened(session=reading.session, at=at, cwd=reading.cwd, title=reading.title)
        sessions = {reading.session, *(agent_of(one.session) for one in reading.told)}
        for one in reading.told:
            if isinstance(one.update, SubagentSpawned):
                sessions.add(agent_of(one.update.subagent_session_id))
        yield e.Watched(frozenset(sessions))  # the past is nothing new

    def _happens(self, reading: Reading, group: list[Told]) -> Iterator[e.Event]:
        first = group[0]
        if first.session == reading.session:
            self._root_at = first.at
        if not first.prompt:
            yield from (e.UpdateArrived(one.session, one.update, one.at) for one in group)
            return
        if self._in_turn:
            yield from self._turn_ends(reading, first.at, "cancelled")
        self._in_turn = True
        text, blocks = _content(group)
        yield e.PromptSent(session=first.session, text=text, blocks=blocks, at=first.at)

    def _turn_ends(self, reading: Reading, at: float, how: str = "end_turn") -> Iterator[e.Event]:
        """Only of a turn that a person began; other work has no rule of its own."""
        if self._in_turn:
            self._in_turn = False
            yield e.TurnEnded(session=reading.session, stop_reason=how, at=at)


def _messages(told: list[Told]) -> Iterator[list[Told]]:
    """Each update alone, but the parts of one prompt together."""
    group: list[Told] = []
    for one in told:
        if group and not (one.prompt and group[0].prompt and _same(one, group[0])):
            yield group
            group = []
        group.append(one)
    if group:
        yield group


def _same(one: Told, other: Told) -> bool:
    pair = one.update, other.update
    first, second = (part.message_id for part in pair if isinstance(part, UserMessageChunk))
    return one.session == other.session and one.at == other.at and first == second


def _content(group: list[Told]) -> tuple[str, tuple[ContentBlock, ...]]:
    contents = [one.update.content for one in group if isinstance(one.update, UserMessageChunk)]
    texts = [content.text for content in contents if isinstance(content, TextContent)]
    others = [content for content in contents if not isinstance(content, TextContent)]
    return "\n\n".join(texts), tuple(others)
