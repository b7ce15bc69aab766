"""Which records of a transcript are the conversation: the chain that a resumed CLI goes on from.

Each record names the one before it, so a file may hold branches; the one that ends last counts.
Parallel tool calls fork the chain too: what the walk leaves out of a response is put back. Pure:
it reads no file. Behaviour follows ``get_session_messages`` of claude-agent-sdk 0.2.189, but goes
on over compactions and over lines that could not be read.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from canopy_agent.history.transcript import Entry, Index


def active_chain(index: Index) -> list[Entry]:
    """The conversation in order; of a subagent's own transcript, all of it."""
    ends = _ends(index, main=True) or _ends(index, main=False)
    return branch(index, ends[0].record) if ends else []


def branch(index: Index, end: Entry) -> list[Entry]:
    """The conversation that ends with ``end``, in order."""
    return _with_parallel_calls(index, _walk(index, end))


def branches(index: Index) -> list[list[Entry]]:
    """Every conversation of the main thread that the file holds, the newest first."""
    return [branch(index, end.record) for end in _ends(index, main=True)]


@dataclass(frozen=True, slots=True)
class _End:
    """Where a branch ends, and the last record on it that was spoken."""

    record: Entry
    spoken: Entry


def _ends(index: Index, *, main: bool) -> list[_End]:
    """The end of each branch, the one with the newest words first."""
    parents = {entry.parent for entry in index.by_uuid.values()}
    found: dict[str, _End] = {}
    for entry in index.by_uuid.values():
        if entry.uuid in parents or (main and entry.writer is not None):
            continue
        spoken = _last_spoken(index, entry, main=main)
        if spoken is not None:
            found[spoken.uuid] = _End(entry, spoken)
    return sorted(found.values(), key=lambda end: end.spoken.position, reverse=True)


def _last_spoken(index: Index, end: Entry, *, main: bool) -> Entry | None:
    here: Entry | None = end
    seen: set[str] = set()
    while here is not None and here.uuid not in seen:
        seen.add(here.uuid)
        if here.is_spoken and (not main or _is_main(here)):
            return here
        here = index.by_uuid.get(here.parent or "")
    return None


def _is_main(entry: Entry) -> bool:
    return entry.writer is None and not entry.team and not entry.meta


def _walk(index: Index, leaf: Entry) -> list[Entry]:
    chain: list[Entry] = []
    seen: set[str] = set()
    here: Entry | None = leaf
    while here is not None and here.uuid not in seen:
        seen.add(here.uuid)
        chain.append(here)
        here = _before(index, here)
    chain.reverse()
    return chain


def _before(index: Index, entry: Entry) -> Entry | None:
    """The record before ``entry``: the one it names, across a compaction the last one before it.

    When that was on a line that could not be read, the conversation goes on with what the same
    writer wrote before it.
    """
    named = entry.parent or entry.logical_parent
    if named is None:
        return None
    found = index.by_uuid.get(named)
    if found is not None or index.first_gap is None or entry.position < index.first_gap:
        return found
    for position in range(entry.position - 1, -1, -1):
        earlier = index.entries[position]
        if earlier.writer == entry.writer:
            return earlier
    return None


@dataclass(slots=True)
class _Responses:
    """The records of each model response, and the results of each tool call, by writer."""

    members: dict[tuple[str | None, str], list[Entry]] = field(default_factory=dict)
    results: dict[tuple[str | None, str], list[Entry]] = field(default_factory=dict)

    @classmethod
    def of(cls, index: Index) -> _Responses:
        made = cls()
        for entry in index.by_uuid.values():
            if entry.message is not None and entry.kind == "assistant":
                made.members.setdefault((entry.writer, entry.message), []).append(entry)
            for call in entry.answers:
                made.results.setdefault((entry.writer, call), []).append(entry)
        return made


def _with_parallel_calls(index: Index, chain: list[Entry]) -> list[Entry]:
    """Put back the calls and results of each response that the walk did not pass."""
    responses = _Responses.of(index)
    on_chain = {entry.uuid for entry in chain}
    answered = {call for entry in chain for call in entry.answers}
    last_of = {(entry.writer, entry.message): entry.uuid for entry in chain if entry.message}
    whole: list[Entry] = []
    for entry in chain:
        whole.append(entry)
        key = (entry.writer, entry.message or "")
        if entry.message is None or last_of[key] != entry.uuid:
            continue
        members = responses.members.get(key, [])
        whole += [one for one in members if one.uuid not in on_chain]
        for call in dict.fromkeys(call for one in members for call in one.calls):
            found = responses.results.get((entry.writer, call), ())
            if call in answered or not found:
                continue
            result = found[0]
            if result.uuid not in on_chain:
                on_chain.add(result.uuid)
                answered.update(result.answers)
                whole.append(result)
    return whole
