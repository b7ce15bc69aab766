"""Every place that says how many work, wait or are new says the same, whatever happened."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING, Any

from hypothesis import given, settings
from hypothesis import strategies as st

from canopy_shared.codec import decode_update
from canopy_tui.model import events as e
from canopy_tui.model import tree
from canopy_tui.model.background import running
from canopy_tui.model.entries import RuleEntry
from canopy_tui.model.glyphs import UNICODE, badges
from canopy_tui.model.reduce import reduce
from canopy_tui.model.state import Phase
from canopy_tui.view.apps.announcer import window_title
from canopy_tui.view.bars.crumbs import Crumbs
from canopy_tui.view.bars.header import HeaderLine
from canopy_tui.view.blocks.rule import rule
from canopy_tui.view.drawing.labels import is_done, runs_still
from tui_model.reducing import Story
from tui_model.test_background import began, moved
from tui_model.test_properties_of_the_client import Asks, happenings

if TYPE_CHECKING:
    from collections.abc import Iterable

    from canopy_tui.model.state import ClientState, SessionView

NOW = 10.0


def tasks() -> st.SearchStrategy[e.Event]:
    """Tasks in the background come and go."""
    updates = [began("b1"), began("b2"), moved("completed", "b1"), moved("paused", "b2")]
    return st.sampled_from([e.UpdateArrived("S", decode_update(update), 2.0) for update in updates])


def marked(state: ClientState, views: Iterable[SessionView]) -> tuple[int, int]:
    """How many are marked in the tree as at work, and how many of those that run as asking."""
    found = [(badges(state, view, NOW).state, view.phase) for view in views]
    held = sum(mark == "ask" and phase is Phase.RUNNING for mark, phase in found)
    return sum(mark in ("running", "stale") for mark, _ in found), held


def number(text: str, pattern: str) -> int:
    """The number that ``pattern`` holds, 0 where it is not said."""
    found = re.search(pattern, text)
    return int(found[1]) if found else 0


def in_words(text: str) -> tuple[int, int, int]:
    """Agents that work, those that wait for the person, and tasks, of a sentence on them."""
    agents = r"(\d+) agents?(?: and \d+ tasks?)? still"
    return (
        number(text, agents),
        number(text, r"(\d+)(?: agents?)? waits? for you"),
        number(text, r"(\d+) tasks? still"),
    )


def check(state: ClientState, clock: Iterable[float]) -> None:
    """All places, one after the other."""
    views = list(state.sessions.values())
    at_work, held = marked(state, views)
    waiting, new = len(state.waiting()), sum(view.unseen for view in views)
    background = len(running(state))
    times = iter(clock)
    header = HeaderLine(state, "/", clock=lambda: next(times))._totals().plain
    assert (
        number(header, r"▶ (\d+) running"),
        number(header, r"(\d+) in background"),
        number(header, r"! (\d+) waiting"),
        number(header, r"● (\d+) new"),
    ) == (at_work, background, waiting, new)
    rail = Crumbs(state, UNICODE, rail=True, now=lambda: NOW)._counts().plain
    if len(views) > 1:
        assert number(rail, r"▶(\d+)") == at_work
    assert (number(rail, r"\+(\d+)"), number(rail, r"! (\d+) waiting")) == (background, waiting)
    title = window_title(state, UNICODE)
    shown = (number(title, r"! (\d+)"), number(title, r"▶ (\d+)"))
    assert shown == ((waiting, 0) if waiting else (0, at_work + background))
    works = [view.id for view in views if badges(state, view, NOW).state in ("running", "stale")]
    assert tree.kept(state, tree.Filter.WORKING) == tree.with_those_above(state, works)
    if at_work or held or background:
        assert in_words(runs_still(state)) == (at_work, held, background)
    for root in (state.sessions[one] for one in state.roots):
        if not root.in_turn:
            below = marked(state, tree.below(state, root.id))
            assert in_words(is_done(state, root)) == (*below, background)


@settings(max_examples=150)
@given(happenings(tasks()))
def test_all_places_count_alike(steps: list[Any]) -> None:
    story, clock = Story(), itertools.count(step=10.0)
    check(story.state, clock)
    for step in steps:
        if isinstance(step, Asks):
            story.asks(step.session, step.call)
        else:
            reduce(story.state, step)
            if isinstance(step, e.TurnEnded) and step.session in story.state.sessions:
                last = story.entries(step.session)[-1]
                below = marked(story.state, tree.below(story.state, step.session))
                assert isinstance(last, RuleEntry)
                assert in_words(rule(last, "main").words) == (*below, 0)
        check(story.state, clock)
