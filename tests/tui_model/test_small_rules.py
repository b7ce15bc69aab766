"""Small rules of the client that nothing else would miss, each where it matters to a person."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from canopy_shared.ext.failure import SessionFailure
from canopy_shared.ext.failure import wrap as failure_meta
from canopy_shared.updates import SessionInfoUpdate
from canopy_tui.host.prompt_flow import PromptFlow
from canopy_tui.host.stop_watch import StopWatch
from canopy_tui.model import events as e
from canopy_tui.model import intents as i
from canopy_tui.model import tree
from canopy_tui.model.shelf import Draft, Picture, Shelf
from canopy_tui.model.state import Phase
from fakes.agent import child_ended, spawned
from tui_model.reducing import Story
from tui_model.test_properties_of_order import Sending
from waiting import eventually


def test_who_works_and_who_of_them_is_held_by_a_question() -> None:
    story = Story()
    story.prompt()
    for child in ("a", "b", "c"):
        story.update("S", spawned(child))
    story.update("S", child_ended("c"))
    story.asks("a", "t1")
    story.asks("c", "t2")
    told = tree.totals(story.state)
    assert (told.running, told.held, told.waiting, told.at_work) == (2, 1, 2, 3)


def test_a_warning_recovers_once_however_much_work_follows() -> None:
    story = Story()
    story.prompt()
    record = SessionFailure("p:error", "service", "Overloaded", 1, "warning")
    story.update("S", SessionInfoUpdate(meta=failure_meta(record)))
    key = story.entries()[-1].key
    assert ("S", key) in story.says("on", "m1").entries
    assert ("S", key) not in story.says("and on", "m1").entries
    assert ("S", key) not in story.says("and on", "m2").entries


ODD_MARKS = ("[Image x: y]", "[Sound 3: z]", "[Image: y]", "[]", "Image 9", "[Image -4]")


def test_a_kept_draft_with_odd_marks_is_taken_up_all_the_same() -> None:
    shelf = Shelf()
    picture = Picture("a.png", "image/png", "", 1, 1)
    draft = Draft("x", dict.fromkeys(ODD_MARKS, "long"), {"[Image 4]": "/a.png"})
    shelf.restore(draft, {"[Image 4]": picture})
    assert all(shelf.get(mark) for mark in (*ODD_MARKS, "[Image 4]"))
    assert shelf.put_picture(picture) not in {*ODD_MARKS, "[Image 4]"}


# --- the way of messages -------------------------------------------------------------------------


def flow_of(story: Story, *, linked: bool) -> tuple[PromptFlow, Sending]:
    """The way of messages; ``linked``: there is an agent."""
    sending = Sending(story)
    client: Any = sending if linked else None
    return PromptFlow(story.state, lambda: client, story.happens, lambda: 1.0), sending


@pytest.mark.parametrize("linked", [False, True])
def test_what_is_written_where_nothing_can_be_sent_is_held(linked: bool) -> None:
    story = Story()
    if linked:  # the agent is there again, and this session is not yet
        story.happens(e.LinkChanged(status="lost", at=1.0))
        assert story.view().phase is Phase.DISCONNECTED
    flow, sending = flow_of(story, linked=linked)
    flow.act(story.view(), i.SendPrompt("S", "hello"))
    assert sending.sent == []
    assert [one.text for one in story.view().queue] == ["hello"]
    assert story.view().queue_held


# --- a turn that does not stop -------------------------------------------------------------------


async def test_a_session_that_is_closed_while_it_stops_is_forgotten() -> None:
    odd: list[dict[str, Any]] = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _loop, context: odd.append(context))
    story = Story()
    story.happens(e.SessionOpened(session="T", at=1.0))
    for session in ("S", "T"):
        story.prompt(session=session)
    watch = StopWatch(story.state, story.happens, lambda: 1.0, patience=0.001)
    watch.stopping(story.view("S"))
    watch.stopping(story.view("T"))
    story.happens(e.SessionClosed(session="S"))
    await eventually(lambda: len(story.entries("T")) > 1, "the word on the other")
    assert odd == []


async def test_nobody_is_told_after_the_watch_has_closed() -> None:
    story = Story()
    story.prompt()
    first, second = list[e.Event](), list[e.Event]()
    closed = StopWatch(story.state, first.append, lambda: 1.0, patience=0.001)
    kept = StopWatch(story.state, second.append, lambda: 1.0, patience=0.001)
    closed.stopping(story.view())
    closed.close()
    kept.stopping(story.view())
    await eventually(lambda: second, "a word of the one that watches")
    assert first == []
