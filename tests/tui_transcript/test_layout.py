"""Heights and places: the sums are right whatever happens, and only what is asked for is drawn."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from canopy_tui.model.entries import AnyEntry, MessageEntry, Role, ToolEntry
from canopy_tui.view.blocks.look import Look
from canopy_tui.view.transcript import layout as transcript_layout
from canopy_tui.view.transcript.offsets import CHUNK, Offsets
from canopy_tui.view.transcript.place import Place
from canopy_tui.view.transcript.viewport import Viewport
from tui_transcript.drawing import all_rows, layout_of, paper
from tui_transcript.samples import (
    ANSWER,
    BUILD,
    MAIN,
    THOUGHT,
    add,
    grow,
    message,
    text_content,
    tool,
    tour,
    world,
)

heights = st.integers(0, 5)


@given(
    st.lists(heights, max_size=3 * CHUNK),
    st.lists(
        st.tuples(st.sampled_from(["append", "extend", "set", "truncate"]), st.integers(0, 999)),
        max_size=20,
    ),
)
@settings(max_examples=40)
def test_offsets_agree_with_plain_sums(first: list[int], steps: list[tuple[str, int]]) -> None:
    plain, offsets = list(first), Offsets(first)
    for kind, number in steps:
        if kind == "append":
            plain.append(number % 6)
            offsets.append(number % 6)
        elif kind == "extend":
            many = [at % 5 for at in range(number)]
            plain += many
            offsets.extend(many)
        elif kind == "set" and plain:
            plain[number % len(plain)] = number % 7
            offsets.set(number % len(plain), number % 7)
        elif kind == "truncate":
            del plain[number % (len(plain) + 1) :]
            offsets.truncate(len(plain))
    assert offsets.total == sum(plain)
    for index in {0, len(plain) // 2, len(plain)}:
        assert offsets.before(index) == sum(plain[:index])
    for offset in (0, sum(plain) // 2, sum(plain) - 1, sum(plain) + 3):
        index, rest = offsets.find(offset)
        if 0 <= offset < sum(plain):
            assert sum(plain[:index]) + rest == offset
            assert rest < plain[index]


texts = st.sampled_from(
    [
        "word ",
        "two\n",
        "\n",
        "\n\n",
        "- item\n",
        "```py\n",
        "x = 1\n",
        "```\n",
        "| a | b |\n",
        "|-|-|\n",
        "> said\n",
        "# Head\n",
        "日本語のテキスト",
        "1. one\n",
        "    deep\n",
        "*em",
        "* ",
        "`c` ",
        "[l](u) ",
    ]
)
actions = st.one_of(
    st.tuples(st.just("grow"), texts),
    st.tuples(st.just("message"), st.sampled_from(Role)),
    st.tuples(st.just("tool"), st.sampled_from(["pending", "completed", "failed"])),
    st.tuples(st.just("expand"), st.integers(0, 9)),
    st.tuples(st.just("raw"), st.integers(0, 9)),
    st.tuples(st.just("width"), st.integers(10, 120)),
    st.tuples(st.just("move"), st.integers(-30, 30)),
    st.tuples(st.just("jump"), st.integers(0, 60)),
    st.tuples(st.just("end"), st.none()),
    st.tuples(st.just("height"), st.integers(1, 30)),
)


class Playground:
    """A transcript with a viewport, and every step that can happen to it."""

    def __init__(self) -> None:
        self.state = world(message(ANSWER), message(THOUGHT, Role.THOUGHT))
        self.layout = layout_of(self.state)
        self.view = Viewport(self.layout, 10)
        self.view.settle()

    @property
    def entries(self) -> list[AnyEntry]:
        return self.state.sessions[MAIN].entries

    def step(self, kind: str, value: object) -> None:
        match kind, value:
            case "grow", str(text):
                if not isinstance(self.entries[-1], MessageEntry):
                    add(self.state, message("", settled=False))
                last = self.entries[-1]
                assert isinstance(last, MessageEntry)
                self.view.changed([grow(self.state, last, text)])
            case "message", Role() as role:
                self.view.changed([add(self.state, message("Said.", role, settled=False))])
            case "tool", str(status):
                content = (text_content(ANSWER),)
                call = tool("run", status=status, output=BUILD, content=content, raw_input={"a": 1})
                self.view.changed([add(self.state, call)])
            case (("expand" | "raw"), int(number)):
                index = number % len(self.layout)
                self.view.hold()
                self.layout.set_look(index, Look(kind == "expand", kind == "raw"))
            case "width", int(width):
                self.view.redraw(paper(width), self.view.height)
            case "height", int(height):
                self.view.redraw(self.layout.paper, height)
            case "move", int(rows):
                self.view.move(rows)
            case "jump", int(offset):
                self.view.jump(offset)
            case _:
                self.view.to_end()
        self.view.settle()


@given(st.lists(actions, max_size=25))
@settings(max_examples=50, deadline=None)
def test_whatever_happens_the_sums_are_right(steps: list[tuple[str, object]]) -> None:
    play = Playground()
    for kind, value in steps:
        play.step(kind, value)
        view, layout = play.view, play.layout
        places = [place for place, _ in view.shown]
        assert places == sorted(set(places))
        assert len(places) <= view.height
        assert view.offset == layout.offset(places[0])
        assert view.at_end == view.following
        if view.at_end:
            assert view.offset + len(places) == layout.total
        else:
            assert len(places) == view.height
    parts = all_rows(play.layout)
    assert play.layout.total == len(parts)
    fresh = layout_of(play.state, play.layout.paper.width)
    for index in range(len(fresh)):
        fresh.set_look(index, play.layout.look(index))
    assert [row.text for row in all_rows(fresh)] == [row.text for row in parts]


@given(st.integers(10, 130))
@settings(max_examples=8, deadline=None)
def test_height_is_the_sum_of_parts_at_any_width(width: int) -> None:
    layout = layout_of(tour(), 80)
    all_rows(layout)
    for now in (width, 80, width):
        layout.redraw(paper(now))
        parts = all_rows(layout)
        assert layout.total == len(parts)
        for number, offset in ((0, 0), (len(parts) // 2, len(parts) // 2)):
            assert layout.offset(layout.at(offset)) == number


def test_only_what_is_looked_at_is_parsed_and_drawn() -> None:
    state = world(*(message(ANSWER) for _ in range(500)))
    layout = layout_of(state)
    view = Viewport(layout, 30)
    view.settle()
    assert layout.drawn_rows < 200
    assert layout.total > 10_000
    view.jump(layout.total // 2)
    view.settle()
    assert layout.drawn_rows < 400


def test_rows_are_forgotten_and_their_height_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcript_layout, "KEPT_ROWS", 300)
    layout = layout_of(world(*(message(f"Number {n}.\n\n" + "line\n\n" * 20) for n in range(30))))
    all_rows(layout)
    assert layout.total > 1_000
    assert layout.drawn_rows <= 300
    assert layout.offset(layout.at(700)) == 700
    assert layout.drawn_rows <= 300


def test_another_theme_keeps_all_heights() -> None:
    layout = layout_of(tour())
    before = len(all_rows(layout))
    layout.redraw(paper(80))
    assert layout.drawn_rows == 0
    assert layout.total == before


def test_settled_pieces_are_drawn_once() -> None:
    open_message = message("", settled=False)
    state = world(open_message)
    view = Viewport(layout_of(state), 20)
    view.settle()
    for part in (ANSWER, "\n\nMore", " text", " and"):
        view.changed([grow(state, open_message, part)])
        view.settle()
    known = {id(row): row for _, row in view.shown}
    view.changed([grow(state, open_message, " more")])
    view.settle()
    new = [row.text for _, row in view.shown if id(row) not in known]
    assert new == ["  More text and more"]


def test_a_tool_that_changes_keeps_the_parts_that_did_not() -> None:
    call = tool("run", kind="execute", status="in_progress", has_terminal=True, output=BUILD)
    state = world(call)
    layout = layout_of(state)
    before = layout.rows(0, 1)
    assert isinstance(call, ToolEntry)
    call.title, call.revision = "run it", call.revision + 1
    layout.sync([call.key])
    assert layout.rows(0, 1) is before
    assert "run it" in layout.rows(0, 0)[0].text


def test_places_of_an_empty_transcript() -> None:
    layout = layout_of(world())
    view = Viewport(layout, 10)
    view.settle()
    assert view.shown == []
    assert layout.at(5) == Place(0)
    view.move(-3)
    view.move(3)
    view.jump(4)
    view.settle()
    assert view.shown == []
    assert view.following
