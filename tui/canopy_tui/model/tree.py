"""Questions about the tree of sessions that its state answers, computed when asked.

Nothing here changes anything, and nothing here knows how a tree is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from canopy_tui.model.background import TURN
from canopy_tui.model.names import name_of
from canopy_tui.model.state import Phase

if TYPE_CHECKING:
    from canopy_tui.model.state import ClientState, SessionView

LIVE_SECONDS = 2.0
"""How long after an update a session counts as live."""
STALE_SECONDS = 60.0
"""How long a running session may be silent before it is called stale."""


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums over all sessions, the main ones too, as every place tells them. ``running`` work,
    ``held`` would, but wait for the person; ``waiting`` is how many questions that makes. ``tasks``
    is what runs in the background and is no agent.
    """

    running: int
    waiting: int
    new: int
    tasks: int = 0
    held: int = 0

    @property
    def at_work(self) -> int:
        """Everything that is not over."""
        return self.running + self.held + self.tasks


def below(state: ClientState, session: str) -> Iterator[SessionView]:
    """Every session below ``session``, depth first in tree order, without itself."""
    for _, view in _walk(state, (session,) if session in state.sessions else ()):
        if view.id != session:
            yield view


def rows(
    state: ClientState, collapsed: frozenset[str] = frozenset()
) -> Iterator[tuple[int, SessionView]]:
    """``(depth, session)`` of every row in tree order; children of ``collapsed`` ones left out."""

    yield from _walk(state, state.roots, collapsed)


def _walk(
    state: ClientState, tops: Sequence[str], collapsed: frozenset[str] = frozenset()
) -> Iterator[tuple[int, SessionView]]:
    """Depth first without recursion: an agent decides how deep its children go."""
    ahead = [(0, session) for session in reversed(tops)]
    while ahead:
        depth, session = ahead.pop()
        view = state.sessions[session]
        yield depth, view
        if session not in collapsed:
            ahead += [(depth + 1, child) for child in reversed(view.children)]


class Filter(Enum):
    """Which rows a tree shows. The word is what a person reads."""

    ALL = "all"
    NEEDS_YOU = "needs you"
    WORKING = "working"
    DONE = "done"
    FAILED = "failed"

    @property
    def following(self) -> Filter:
        """The next one, going round."""
        every = list(Filter)
        return every[(every.index(self) + 1) % len(every)]


def kept(state: ClientState, wanted: Filter) -> frozenset[str] | None:
    """The sessions that ``wanted`` leaves, with those above them; None when it leaves all."""
    if wanted is Filter.ALL:
        return None
    asking = _asking(state)
    fits: dict[Filter, Callable[[SessionView], bool]] = {
        Filter.NEEDS_YOU: lambda view: view.id in asking,
        Filter.WORKING: lambda view: view.phase is Phase.RUNNING and view.id not in asking,
        Filter.DONE: lambda view: view.parent is not None and view.phase.ended,
        Filter.FAILED: lambda view: view.phase in (Phase.FAILED, Phase.DISCONNECTED),
    }
    return with_those_above(
        state, (view.id for view in state.sessions.values() if fits[wanted](view))
    )


def called(state: ClientState, words: str) -> frozenset[str] | None:
    """The sessions whose names have all of ``words`` in them, upper or lower case; None when there
    are no words.
    """
    parts = words.casefold().split()
    if not parts:
        return None
    return frozenset(
        view.id
        for view in state.sessions.values()
        if all(part in name_of(state, view).casefold() for part in parts)
    )


def with_those_above(state: ClientState, sessions: Iterable[str]) -> frozenset[str]:
    """``sessions`` and every session above one of them."""
    found: set[str] = set()
    for session in sessions:
        view: SessionView | None = state.sessions[session]
        while view is not None and view.id not in found:
            found.add(view.id)
            view = state.sessions.get(view.parent or "")
    return frozenset(found)


def path(state: ClientState, session: str) -> list[SessionView]:
    """From the root down to ``session``."""
    found: list[SessionView] = []
    view = state.sessions.get(session)
    while view is not None:
        found.append(view)
        view = state.sessions.get(view.parent) if view.parent else None
    return found[::-1]


def sibling(state: ClientState, session: str, step: int) -> str:
    """The session ``step`` places on among its siblings, going round at the ends."""
    view = state.sessions[session]
    level = state.sessions[view.parent].children if view.parent else state.roots
    return level[(level.index(session) + step) % len(level)]


def running_below(state: ClientState, session: str) -> tuple[int, int]:
    """How many agents below ``session`` work, and how many would, but wait for the person."""
    running = [view for view in below(state, session) if view.phase is Phase.RUNNING]
    if not running:
        return 0, 0
    asking = _asking(state)
    held = sum(view.id in asking for view in running)
    return len(running) - held, held


def _asking(state: ClientState) -> set[str]:
    """The sessions that wait for the person."""
    found = {request.session for request in state.waiting()}
    return found | {view.id for view in state.sessions.values() if view.requires_action}


def waiting_at(state: ClientState, session: str) -> int:
    """How many requests of ``session`` itself wait for the person."""
    return sum(request.session == session for request in state.waiting())


def waiting_below(state: ClientState, session: str) -> int:
    """How many requests of the sessions below ``session`` wait for the person."""
    return sum(_lies_below(state, request.session, session) for request in state.waiting())


def _lies_below(state: ClientState, session: str, above: str) -> bool:
    view = state.sessions.get(session)
    while view is not None and view.parent is not None:
        if view.parent == above:
            return True
        view = state.sessions.get(view.parent)
    return False


def begins_at(state: ClientState, sessions: Sequence[str], session: str) -> str:
    """Where a list of ``sessions`` that does not fit begins: with the first that waits for the
    person; else with ``session``, or, since all others are below a root, with the first at work.
    """
    asking = {request.session for request in state.waiting()}
    waiting = next((one for one in sessions if one in asking), None)
    if waiting is not None or state.sessions[session].parent is not None:
        return waiting or session
    views = (state.sessions[one] for one in sessions)
    return next((one.id for one in views if one.parent and one.phase is Phase.RUNNING), session)


def totals(state: ClientState) -> Totals:
    """Running, waiting and new over all sessions."""
    running = [view for view in state.sessions.values() if view.phase is Phase.RUNNING]
    asking = _asking(state) if running else ()
    held = sum(view.id in asking for view in running)
    return Totals(
        held=held,
        running=len(running) - held,
        waiting=len(state.waiting()),
        new=sum(view.unseen for view in state.sessions.values()),
        tasks=sum(task.kind != TURN and not task.is_over for task in state.tasks.values()),
    )


def stops(view: SessionView) -> bool:
    """Whether an agent works that can be stopped by itself."""
    return view.phase is Phase.RUNNING and (view.parent is None or view.cancellable)


def is_live(view: SessionView, now: float) -> bool:
    """Whether something came within the last two seconds."""
    return view.last_update_at > 0 and now - view.last_update_at < LIVE_SECONDS


def is_stale(view: SessionView, now: float, after: float = STALE_SECONDS) -> bool:
    """Whether the session runs but has been silent for long: tells a hang from work."""
    return view.phase is Phase.RUNNING and now - max(view.last_update_at, view.started_at) >= after


def elapsed(view: SessionView, now: float) -> float:
    """Seconds that the run or turn has taken so far, or took; 0 when there was none. What a root
    does outside a turn counts from its own beginning.
    """
    if view.woke_at:
        return max(0.0, now - view.woke_at)
    start = view.started_at if view.parent else view.turn_started_at
    end = view.ended_at if view.parent else (None if view.in_turn else view.turn_ended_at)
    return max(0.0, (now if end is None else end) - start) if start else 0.0
