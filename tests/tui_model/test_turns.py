"""Turns, what comes after them, phases, and the marks of what the person has not seen."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from canopy_shared.content import TextContent
from canopy_tui.model import events as e
from canopy_tui.model import tree
from canopy_tui.model.entries import MessageEntry, NoticeEntry, Role
from canopy_tui.model.glyphs import ASCII, badges, count_of_new, glyph_set, mark, names
from canopy_tui.model.state import Phase, QueuedPrompt, Replay
from fakes.agent import child_ended, said, spawned, tool, tool_update
from tui_model.reducing import Story, kinds


def result(kind: str) -> dict[str, Any]:
    """What the agent sends with the result of a turn, also of one it began itself."""
    return {
        "sessionUpdate": "usage_update",
        "used": 10,
        "size": 100,
        "cost": {"amount": 0.5, "currency": "USD"},
        "_meta": {"_claude/origin": {"kind": kind}, "_claude/model": "opus"},
    }


def after_a_turn(*, results: bool = True) -> Story:
    story = Story()
    story.prompt()
    story.says("answer")
    if results:
        story.update("S", result("human"))
    story.turn_ends()
    return story


def test_a_turn_runs_until_its_answer() -> None:
    story = Story()
    assert story.view().phase is Phase.IDLE
    story.prompt("hello")
    assert (story.view().phase, story.view().activity) == (Phase.RUNNING, "thinking")
    story.turn_ends()
    assert (story.view().phase, story.view().activity) == (Phase.IDLE, "")
    assert story.messages(role=Role.USER) == ["hello"]
    assert story.rules() == [("turn_end", "end_turn", 0)]


def test_the_rule_under_a_turn_counts_the_agents_that_still_work() -> None:
    story = Story()
    story.prompt()
    for child in ("a1", "a2", "a3"):
        story.update("S", spawned(child))
    story.update("a1", spawned("a4"))
    story.update("S", child_ended("a2"))
    story.turn_ends()
    assert story.rules() == [("turn_end", "end_turn", 3)]


def test_a_failed_turn_says_why() -> None:
    story = Story()
    story.prompt()
    story.turn_ends("error", error="529 overloaded")
    notice = story.entries()[-2]
    assert isinstance(notice, NoticeEntry)
    assert (notice.severity, notice.title) == ("error", "529 overloaded")
    assert story.rules() == [("turn_end", "error", 0)]


def test_overlapping_turns_run_until_the_last_answer() -> None:
    story = Story()
    story.prompt("one")
    story.prompt("two")
    story.turn_ends()
    assert story.view().phase is Phase.RUNNING
    story.turn_ends()
    assert story.view().phase is Phase.IDLE


# --- after the turn -------------------------------------------------------------------------------


def test_b26_text_after_the_turn_is_kept_and_never_appended_to_the_answer() -> None:
    story = after_a_turn()
    story.says(" late", "m1")
    assert story.messages() == ["answer", " late"]
    assert story.rules() == [("turn_end", "end_turn", 0), ("after_turn", "background", 0)]
    assert story.entries()[-1].after_turn == "background"


def test_one_rule_per_burst_which_is_named_when_its_origin_is_known() -> None:
    story = after_a_turn()
    story.says("The child ", "m2")
    story.update("S", tool("t1"))
    story.says("is done.", "m3")
    assert story.view().phase is Phase.RUNNING
    story.update("S", result("task-notification"))
    assert story.view().phase is Phase.IDLE
    assert story.view().after_turn == "task-notification"
    marked = [entry.after_turn for entry in story.entries()]
    assert marked == [None, None, None, None, *["task-notification"] * 3]
    story.says("Another.", "m4")
    assert [rule[1] for rule in story.rules()] == ["end_turn", "task-notification", "background"]


def test_an_agent_that_never_says_when_it_is_done_is_not_shown_as_running() -> None:
    story = after_a_turn(results=False)
    story.says("late", "m2")
    assert story.view().phase is Phase.IDLE
    assert story.view().after_turn == "background"


def test_a_prompt_ends_a_burst() -> None:
    story = after_a_turn()
    story.says("late", "m2")
    story.prompt("next")
    story.says("answer two", "m3")
    assert story.entries()[-1].after_turn is None
    story.turn_ends()
    assert [rule[0] for rule in story.rules()] == ["turn_end", "after_turn", "turn_end"]


def test_nothing_before_the_first_turn_came_after_one() -> None:
    story = Story()
    story.says("welcome")
    assert (story.rules(), story.entries()[-1].after_turn) == ([], None)


def test_facts_and_notices_after_the_turn_are_no_work() -> None:
    story = after_a_turn()
    story.update("S", {"sessionUpdate": "session_info_update", "title": "Title"})
    story.update("S", {"sessionUpdate": "usage_update", "used": 1, "size": 2})
    story.update("S", {"sessionUpdate": "notice", "severity": "warning", "title": "Slow"})
    assert story.view().phase is Phase.IDLE
    assert story.view().after_turn is None
    assert len(story.rules()) == 1


def test_a_child_that_works_on_marks_what_it_does() -> None:
    story = Story()
    story.prompt()
    story.update("S", spawned("a1"))
    story.update("a1", said("in the turn", "k1"))
    story.turn_ends()
    story.update("a1", said(", the same sentence", "k1"))
    story.update("a1", said("new", "k2"))
    story.update("a1", tool("t1"))
    assert story.messages("a1") == ["in the turn, the same sentence", "new"]
    assert kinds(story.entries("a1")) == ["message", "message", "rule", "message", "tool"]
    assert [entry.after_turn for entry in story.entries("a1")] == [
        None, None, None, "background", "background",
    ]  # fmt: skip
    story.prompt("next")
    story.update("a1", said("newer", "k3"))
    story.turn_ends()
    story.update("a1", said("newest", "k4"))
    assert [rule[0] for rule in story.rules("a1")] == ["after_turn", "after_turn"]


# --- unseen ---------------------------------------------------------------------------------------


def test_entries_are_counted_and_not_their_pieces() -> None:
    story = Story()
    story.prompt()
    for piece in ("a", "b", "c"):
        story.says(piece)
    story.update("S", tool("t1"))
    story.update("S", tool_update("t1", status="completed"))
    assert story.view().unseen == 2
    story.happens(e.Seen("S"))
    assert (story.view().unseen, story.view().after_turn) == (0, None)
    story.update("S", tool_update("t1", rawOutput="x"))
    assert story.view().unseen == 1


def test_nothing_becomes_unseen_while_the_pane_is_watched() -> None:
    story = Story()
    story.happens(e.Watched(frozenset({"S"})))
    story.prompt()
    story.says("text")
    assert story.view().unseen == 0
    story.happens(e.Watched(frozenset()))
    story.says("text", "m2")
    assert story.view().unseen == 1


def test_watching_a_pane_sees_it() -> None:
    story = after_a_turn()
    story.says("late", "m2")
    touched = story.happens(e.Watched(frozenset({"S"})))
    assert (story.view().unseen, touched.sessions) == (0, {"S"})
    assert story.happens(e.Watched(frozenset({"S"}))).sessions == set()


actions = st.lists(
    st.sampled_from(
        ["text", "next", "tool", "done", "child", "seen", "watch", "leave", "prompt", "end", "info"]
    ),
    max_size=60,
)


@settings(max_examples=150)
@given(actions)
def test_unseen_is_the_number_of_unseen_entries_whatever_happens(steps: list[str]) -> None:
    story = Story()
    story.update("S", spawned("a1"))
    for number, step in enumerate(steps):
        match step:
            case "text":
                story.says("x")
            case "next":
                story.says("x", f"m{number}")
            case "tool":
                story.update("S", tool(f"t{number % 3}"))
            case "done":
                story.update("S", tool_update(f"t{number % 3}", status="completed"))
            case "child":
                story.update("a1", said("x", f"k{number % 4}"))
            case "seen":
                story.happens(e.Seen("S"))
            case "watch":
                story.happens(e.Watched(frozenset({"S", "a1"})))
            case "leave":
                story.happens(e.Watched(frozenset()))
            case "prompt":
                story.prompt()
            case "end":
                story.turn_ends()
            case "info":
                story.update("S", result("task-notification"))
        for view in story.state.sessions.values():
            keys = {entry.key for entry in view.entries}
            assert 0 <= view.unseen == len(view.unseen_keys) <= len(keys)
            assert view.unseen_keys <= keys
            assert [entry.key for entry in view.entries] == list(range(1, len(keys) + 1))
            if view.id in story.state.watched:
                assert view.unseen == 0


# --- facts ----------------------------------------------------------------------------------------


def test_facts_of_a_session() -> None:
    story = Story()
    story.update("S", {"sessionUpdate": "current_mode_update", "currentModeId": "plan"})
    story.update(
        "S",
        {
            "sessionUpdate": "session_info_update",
            "title": "A \x1btitle",
            "_meta": {"promptSuggestions": {"suggestions": [{"text": "ok"}, 3]}},
        },
    )
    story.update(
        "S",
        {
            "sessionUpdate": "available_commands_update",
            "availableCommands": [{"name": "review", "description": "d"}],
        },
    )
    story.update("S", result("human"))
    view = story.view()
    assert (view.mode, view.title, view.suggestions) == ("plan", "A ␛title", ("ok",))
    assert [command.name for command in view.commands] == ["review"]
    assert (view.usage_used, view.usage_size, view.cost, view.model) == (10, 100, 0.5, "opus")
    story.prompt()
    assert view.suggestions == ()


def test_options_name_mode_model_and_role() -> None:
    story = Story()
    story.update("S", spawned("a1"))
    options = [
        {"id": "mode", "name": "Mode", "category": "mode", "type": "select",
         "currentValue": "default", "options": [{"value": "default", "name": "Manual"}]},
        {"id": "model", "name": "Model", "category": "model", "type": "select",
         "currentValue": "opus", "options": [{"value": "opus", "name": "Opus 5"}]},
        {"id": "agent", "name": "Agent", "type": "select", "currentValue": "Explore",
         "options": []},
    ]  # fmt: skip
    update = {"sessionUpdate": "config_option_update", "configOptions": options}
    story.update("S", update)
    story.update("a1", update)
    root, child = story.view(), story.view("a1")
    assert (root.mode, root.modes, root.model) == ("default", (("default", "Manual"),), "Opus 5")
    assert (root.role, child.role, child.model) == ("", "Explore", "Opus 5")


# --- queue, replay, connection --------------------------------------------------------------------


def test_a_prompt_leaves_the_queue_when_it_is_sent() -> None:
    story = Story()
    waiting = (QueuedPrompt(1, "B"), QueuedPrompt(2, "C"))
    story.happens(e.QueueChanged("S", waiting))
    story.happens(e.PromptSent(session="S", text="B", id=1, at=5.0))
    assert [prompt.text for prompt in story.view().queue] == ["C"]
    assert story.messages(role=Role.USER) == ["B"]


def test_what_goes_with_a_prompt_is_shown() -> None:
    story = Story()
    block = TextContent("more")
    story.happens(e.PromptSent(session="S", text="", blocks=(block,), at=5.0))
    [entry] = story.entries()
    assert isinstance(entry, MessageEntry)
    assert entry.extras == [block]


def test_history_is_all_seen_and_not_after_a_turn() -> None:
    story = Story()
    story.happens(e.ReplayStarted(session="old", at=1.0))
    story.update("old", {**said("question", "u1"), "sessionUpdate": "user_message_chunk"})
    story.update("old", said("answer", "m1"))
    story.update("old", spawned("a1"))
    story.update("a1", said("child", "k1"))
    story.update("old", child_ended("a1"))
    story.happens(e.SessionOpened(session="old", at=2.0))
    assert story.messages("old", Role.USER) == ["question"]
    assert (story.view("old").unseen, story.view("a1").unseen) == (0, 0)
    assert story.rules("old") == []
    assert story.view("a1").replay is Replay.NO
    story.update("old", said("live", "m2"))
    assert story.view("old").unseen == 1


def test_history_of_a_session_that_is_shown_is_not_added_again() -> None:
    story = Story()
    story.prompt("question")
    story.says("answer")
    story.update("S", spawned("a1"))
    story.update("a1", said("child", "k1"))
    story.happens(e.LinkChanged(status="lost", detail="gone", at=1.0))
    story.turn_ends("disconnected")
    before = [kinds(story.entries()), kinds(story.entries("a1"))]
    story.happens(e.LinkChanged(status="ready", at=1.0))
    story.happens(e.ReplayStarted(session="S", at=1.0))
    story.update("S", {**said("question", "u1"), "sessionUpdate": "user_message_chunk"})
    story.says("answer")
    story.update("S", spawned("a1:replay-subagent:1"))
    story.update("a1:replay-subagent:1", said("child", "k1"))
    story.update("S", {"sessionUpdate": "session_info_update", "title": "Title"})
    story.happens(e.SessionOpened(session="S", at=2.0))
    assert [kinds(story.entries()), kinds(story.entries("a1"))] == before
    assert (story.view().title, story.view().phase) == ("Title", Phase.IDLE)
    assert story.state.unplaced == {}


def test_a_lost_agent_leaves_nothing_running() -> None:
    story = Story()
    story.prompt()
    story.update("S", spawned("a1"))
    story.update("S", spawned("a2"))
    story.update("S", child_ended("a2"))
    story.update("a1", tool("t1"))
    request = story.asks("a1", "t1")
    story.happens(
        e.LinkChanged(
            status="lost", detail="exited with status 143", stderr="\x1b[31mboom\x1b[0m", at=9.0
        )
    )
    assert [view.phase.value for view in story.state.sessions.values()] == [
        "disconnected", "disconnected", "done",
    ]  # fmt: skip
    assert story.tool("t1", "a1").status == "failed"
    assert (request.state.value, story.tool("t1", "a1").waits) == ("withdrawn", False)
    notice = story.entries()[-1]
    assert isinstance(notice, NoticeEntry)
    assert (notice.title, notice.detail, notice.action) == (
        "exited with status 143", "boom", "restart_agent",
    )  # fmt: skip
    revision = notice.revision
    story.happens(e.LinkChanged(status="starting", at=10.0))
    assert notice.action == "restart_agent"
    story.happens(e.LinkChanged(status="ready", at=11.0))
    assert (notice.action, notice.revision) == (None, revision + 1)  # that was done


def test_a_closed_session_takes_its_tree_with_it() -> None:
    story = Story()
    story.happens(e.SessionOpened(session="T", at=1.0))
    story.update("S", spawned("a1"))
    story.asks("a1", "t1")
    story.happens(e.SessionClosed(session="S"))
    assert (list(story.state.sessions), story.state.roots) == (["T"], ["T"])
    assert (story.state.waiting(), story.state.aliases) == ([], {})


def test_a_replacement_inherits_what_waited() -> None:
    story = Story()
    story.happens(e.QueueChanged("S", (QueuedPrompt(1, "B"),)))
    story.happens(e.SessionOpened(session="T", at=1.0))
    story.happens(e.SessionReplaced(session="S", by="T"))
    assert (story.view().successor, story.view().queue) == ("T", [])
    assert (story.view("T").queue, story.view("T").queue_held) == ([QueuedPrompt(1, "B")], True)


# --- badges ---------------------------------------------------------------------------------------


def test_the_main_mark_of_a_row() -> None:
    story = Story()
    story.prompt()
    story.update("S", spawned("a1"))
    story.update("a1", spawned("a2"))
    assert badges(story.state, story.view("a2"), story.now).state == "running"
    assert badges(story.state, story.view("a2"), story.now + 61).state == "stale"
    story.update("a2", tool("t1"))
    story.asks("a2", "t1")
    assert badges(story.state, story.view("a2"), story.now).state == "ask"
    assert badges(story.state, story.view("a2"), story.now).asks == 1
    assert badges(story.state, story.view(), story.now).asks_below == 1
    assert badges(story.state, story.view(), story.now).state == "running"
    story.update("a2", said("x"))
    assert badges(story.state, story.view("a2"), story.now).live
    assert not badges(story.state, story.view("a2"), story.now + 3).live


def test_totals() -> None:
    story = Story()
    story.prompt()
    story.update("S", spawned("a1"))
    story.update("a1", tool("t1"))
    story.asks("a1", "t1")
    sums = tree.totals(story.state)
    assert (sums.running, sums.held, sums.waiting, sums.new) == (1, 1, 1, 2)


def test_the_tree_is_walked_in_first_seen_order() -> None:
    story = Story()
    for parent, child in [("S", "a1"), ("S", "a2"), ("a1", "a3")]:
        story.update(parent, spawned(child))
    rows = [(depth, view.id) for depth, view in tree.rows(story.state)]
    assert rows == [(0, "S"), (1, "a1"), (2, "a3"), (1, "a2")]
    rows = [(depth, view.id) for depth, view in tree.rows(story.state, frozenset({"a1"}))]
    assert rows == [(0, "S"), (1, "a1"), (1, "a2")]
    assert [view.id for view in tree.path(story.state, "a3")] == ["S", "a1", "a3"]
    assert tree.sibling(story.state, "a1", 1) == "a2"
    assert tree.sibling(story.state, "a1", -1) == "a2"
    assert tree.sibling(story.state, "S", 1) == "S"


@pytest.mark.parametrize("name", names())
def test_every_mark_is_one_cell_and_has_a_word(name: str) -> None:
    assert len(mark(name).glyph) == 1
    assert mark(name, ASCII).glyph.isascii()
    assert mark(name).word == mark(name, ASCII).word != ""


@pytest.mark.parametrize("phase", Phase)
def test_every_phase_has_a_mark(phase: Phase) -> None:
    assert mark(phase.value).word


def test_the_count_of_new_is_capped() -> None:
    assert [count_of_new(number) for number in (0, 4, 99, 100)] == ["", "●4", "●99", "●99+"]
    assert count_of_new(3, ASCII) == "*3"


@pytest.mark.parametrize(
    ("environment", "encoding", "chosen"),
    [
        ({}, "utf-8", "unicode"),
        ({}, "UTF8", "unicode"),
        ({}, "ascii", "ascii"),
        ({}, None, "ascii"),
        ({"TERM": "linux"}, "utf-8", "ascii"),
        ({"CANOPY_GLYPHS": "ascii"}, "utf-8", "ascii"),
        ({"CANOPY_GLYPHS": "unicode"}, "ascii", "unicode"),
        ({"CANOPY_GLYPHS": "?"}, "utf-8", "unicode"),
    ],
)
def test_the_glyphs_fit_the_terminal(
    environment: dict[str, str], encoding: str | None, chosen: str
) -> None:
    assert glyph_set(environment, encoding) == chosen
