"""A session that lives for weeks: nothing that it keeps grows with what is over."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import pytest

from canopy_agent.domain import events as e
from canopy_agent.domain.bounded import Recent
from domain.notation import (
    AIR,
    FLAT,
    LAUNCHED,
    RFD,
    Play,
    asked,
    begun,
    call,
    cancel,
    ended,
    hooked,
    idle,
    launch,
    level,
    message,
    moved,
    prompt,
    result,
    returned,
    started,
    text,
    woken,
)

CHILDREN = 5_000
MOST = 4_200
"""No map is as large as the number of children that were there."""

FORMS = {"flat": FLAT, "air": AIR, "rfd": RFD}


def sizes(
    value: Any, path: str = "state", seen: set[int] | None = None
) -> Iterator[tuple[str, int]]:
    """The size of every container below ``value``."""
    seen = set() if seen is None else seen
    if id(value) in seen or isinstance(value, (str, bytes, int, float, bool, type(None))):
        return
    seen.add(id(value))
    if isinstance(value, Recent):
        yield path, len(value)
        yield from sizes(dict.fromkeys(value), path, seen)
        for one in value.newest():
            yield from sizes(one, f"{path}[]", seen)
    elif isinstance(value, Mapping):
        yield path, len(value)
        for one in value.values():
            yield from sizes(one, f"{path}[]", seen)
    elif isinstance(value, (list, tuple, set, frozenset)):
        yield path, len(value)
        for one in value:
            yield from sizes(one, f"{path}[]", seen)
    elif is_dataclass(value):
        for one in fields(value):
            yield from sizes(getattr(value, one.name), f"{path}.{one.name}", seen)
    elif type(value).__module__.startswith("canopy_agent"):
        for name, one in vars(value).items():
            yield from sizes(one, f"{path}.{name}", seen)


def one_child(play: Play, n: int) -> None:
    """A child in the background that works, asks, is woken once, and ends."""
    agent, tool, again = f"a{n}", f"T{n}", f"M{n}"
    play.apply(
        launch(tool, background=True),
        started(agent, tool, background=True, run=f"{n}-1"),
        returned(tool, structured=LAUNCHED),
        hooked(agent, f"/tree/{n}"),
        e.MessageBegan(tool, f"m{n}", "model"),
        text("hello", tool, streamed=False),
        call(f"B{n}", "Bash", tool),
        asked(f"k{n}", f"B{n}", agent),
        e.RequestClosed(f"k{n}"),
        returned(f"B{n}", tool),
        ended(agent, tool, run=f"{n}-1"),
        message(again, agent),
        started(agent, again, background=True, run=f"{n}-2"),
        woken(agent, again),
        returned(again),
        ended(agent, again, "failed", run=f"{n}-2"),
    )


def one_stranger(play: Play, n: int) -> None:
    """What never becomes a child: no launch, no start, no parent, no end."""
    play.apply(
        started(f"s{n}", f"unseen{n}", run="1"),
        ended(f"s{n}", f"unseen{n}", run="1"),
        text("early", f"nobody{n}"),
        hooked(f"ghost{n}", "/elsewhere"),
        launch(f"lonely{n}"),
        returned(f"lonely{n}", failed=True),
        e.TaskStarted(f"w{n}", None, f"W{n}", task_type="local_workflow", backgrounded=True),
        text("inner", f"W{n}"),
        e.TaskNotified(f"w{n}", "completed", None, f"W{n}"),
        moved(f"foreign{n}", "started"),
    )


def one_unanswered(play: Play, n: int) -> None:
    """A call of nobody that gets no result."""
    play.apply(call(f"C{n}", "Bash", f"nobody{n}"))


def one_lost(play: Play, n: int) -> None:
    """A child whose end nobody reports."""
    play.apply(launch(f"L{n}"), started(f"l{n}", f"L{n}", background=True))
    play.apply(returned(f"L{n}", structured=LAUNCHED))
    if n % 50 == 0:
        play.apply(level(), result("p1"), idle(), *begun(f"q{n}"), result(f"q{n}"), idle())
        play.apply(*begun(f"r{n}"), result(f"r{n}"), idle(), *begun(f"t{n}"))


def one_prompt(play: Play, n: int) -> None:
    """Prompts that are merged, cancelled, dropped."""
    play.apply(*begun(f"x{n}"), prompt(f"y{n}"), e.PromptEchoed(f"y{n}"), result(f"x{n}"), idle())
    play.apply(prompt(f"z{n}"), moved(f"z{n}", "started"), cancel(), idle())


CASES = [
    *((form, one_child) for form in FORMS),
    *((form, one_stranger) for form in FORMS),
    *((form, one_lost) for form in ("air", "rfd")),
    ("flat", one_prompt),
    ("flat", one_unanswered),
]


@pytest.mark.parametrize(
    ("form", "happens"), CASES, ids=lambda value: getattr(value, "__name__", value)
)
def test_what_is_over_is_forgotten(form: str, happens: Callable[[Play, int], None]) -> None:
    play = Play(FORMS[form])
    play.feed(*begun())
    for n in range(CHILDREN):
        happens(play, n)
    where, size = max(sizes(play.state), key=lambda pair: pair[1])
    assert size <= MOST, f"{where} holds {size}"


def test_who_works_is_not_forgotten() -> None:
    """5,000 short children come and go while one works on."""
    for policy in (AIR, RFD):
        play = Play(policy)
        play.feed(*begun(), launch("long"), started("long-1", "long", background=True))
        for n in range(CHILDREN):
            tool = f"T{n}"
            play.apply(launch(tool), started(f"a{n}", tool), ended(f"a{n}", tool), returned(tool))
            if n % 100 == 0:
                assert play.feed(text("still here", "long")) == ['long-1^long "still here"']
        assert "long-1" in play.feed(ended("long-1", "long"))[0]
