"""Child sessions in their three forms: AIR, RFD, and guessed from tool calls."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from canopy_shared.codec import decode_update
from canopy_tui.model import children, tree
from canopy_tui.model import events as e
from canopy_tui.model.children import agent_of
from canopy_tui.model.entries import ChildEntry, MessageEntry, Role, RuleEntry
from canopy_tui.model.export import as_markdown, json_text
from canopy_tui.model.reduce import reduce
from canopy_tui.model.state import ClientState, Phase
from canopy_tui.model.updates import WAITING_SESSIONS, WAITING_UPDATES
from canopy_tui.view.blocks.tool import state_of
from fakes.agent import child_ended, child_update, said, spawned, tool, tool_update
from tui_model.reducing import Story, kinds


def shape(state: ClientState, session: str) -> Any:
    """The tree below a session, with phases."""
    view = state.sessions[session]
    return (view.id, view.phase.value, [shape(state, child) for child in view.children])


# --- AIR ------------------------------------------------------------------------------------------


def test_air_a_child_begins_and_ends() -> None:
    story = Story()
    story.prompt()
    touched = story.update("S", spawned("a1"))
    assert touched.tree
    story.update("a1", said("Looking.", "k1"))
    story.update("S", child_ended("a1"))
    child = story.view("a1")
    assert (child.title, child.task, child.parent) == ("Fix the build", "Make the build pass", "S")
    assert (child.phase, child.cancellable) == (Phase.DONE, False)
    assert child.ended_at is not None
    assert story.messages("a1", Role.PARENT) == ["Make the build pass"]
    assert story.messages("a1") == ["Looking."]
    assert kinds(story.entries()) == ["message", "child"]


@pytest.mark.parametrize(
    ("told", "phase"),
    [
        ("completed", Phase.DONE),
        ("failed", Phase.FAILED),
        ("cancelled", Phase.CANCELLED),
        ("disconnected", Phase.DISCONNECTED),
        ("brand_new", Phase.RUNNING),
    ],
)
def test_air_states(told: str, phase: Phase) -> None:
    story = Story()
    story.update("S", spawned("a1"))
    story.update("S", child_ended("a1", told))
    assert story.view("a1").phase is phase


def test_a_call_of_an_agent_that_was_stopped_waits_no_more() -> None:
    story = Story()
    story.update("S", spawned("a1"))
    story.update("a1", tool("t1"))
    story.update("a1", tool("t2"))
    story.update("S", child_ended("a1", "cancelled"))
    first, second = story.tool("t1", "a1"), story.tool("t2", "a1")
    assert first.stopped
    assert second.stopped
    assert not story.view("a1").open_tools
    assert (state_of(first), first.ended) == ("stopped", True)
    story.update("a1", tool_update("t1", status="completed"))
    assert (state_of(first), state_of(second)) == ("done", "stopped")


def test_air_a_child_that_may_be_stopped_says_so() -> None:
    story = Story()
    story.update("S", spawned("a1", capabilities={"cancel": {}}))
    assert story.view("a1").cancellable


def test_air_a_new_generation_continues_the_row() -> None:
    story = Story()
    story.prompt()
    story.update("S", spawned("a1"))
    story.update("a1", said("first", "k1"))
    story.update("S", child_ended("a1"))
    story.update("S", spawned("a1:generation:2", prompt="Look again", task="Look again"))
    story.update("a1:generation:2", said("second", "k2"))
    child = story.view("a1")
    assert story.view().children == ["a1"]
    assert (child.wire_id, child.run, child.phase) == ("a1:generation:2", 2, Phase.RUNNING)
    assert story.messages("a1") == ["first", "second"]
    assert story.messages("a1", Role.PARENT) == ["Make the build pass", "Look again"]
    assert story.rules("a1") == [("resumed", "Look again", 0)]
    cards = [entry for entry in story.entries() if isinstance(entry, ChildEntry)]
    assert [(card.child, card.run) for card in cards] == [("a1", 1), ("a1", 2)]
    story.update("S", child_ended("a1:generation:2", "failed"))
    assert child.phase is Phase.FAILED


def test_air_the_late_end_of_an_earlier_generation_does_not_end_the_run() -> None:
    story = Story()
    story.update("S", spawned("a1"))
    story.update("S", spawned("a1:generation:2"))
    story.update("S", child_ended("a1"))
    assert story.view("a1").phase is Phase.RUNNING


def test_air_a_generation_of_an_agent_that_was_never_seen_is_its_first_run() -> None:
    story = Story()
    story.update("S", spawned("a9:generation:1764668400000"))
    assert (story.view("a9").run, story.rules("a9")) == (1, [])


def test_air_announcing_twice_changes_nothing() -> None:
    story = Story()
    story.update("S", spawned("a1"))
    before = len(story.entries())
    story.update("S", spawned("a1"))
    assert (story.view("a1").run, len(story.entries())) == (1, before)


@pytest.mark.parametrize(
    ("session", "agent"),
    [
        ("a1", "a1"),
        ("a1:generation:2", "a1"),
        ("a1:generation:1764668400000", "a1"),
        ("a1:generation:x", "a1:generation:x"),
        (":generation:2", ":generation:2"),
        ("a1:replay-subagent:2", "a1:replay-subagent:2"),
    ],
)
def test_what_counts_as_a_generation(session: str, agent: str) -> None:
    assert agent_of(session) == agent


# --- RFD ------------------------------------------------------------------------------------------


def running(child: str, **fields: Any) -> dict[str, Any]:
    return child_update(child, title="Fix", state={"state": "running"}, **fields)


def test_rfd_a_child_begins_asks_and_rests() -> None:
    story = Story()
    story.prompt()
    story.update("S", running("a1", description="Explore", capabilities={"cancel": {}}))
    child = story.view("a1")
    assert (child.title, child.role, child.cancellable) == ("Fix", "Explore", True)
    story.update("S", child_update("a1", state={"state": "requires_action"}))
    assert (child.phase, child.requires_action) == (Phase.RUNNING, True)
    story.update("S", child_update("a1", state={"state": "idle", "stopReason": "end_turn"}))
    assert (child.phase, child.requires_action) == (Phase.DONE, False)
    assert story.rules("a1") == []


@pytest.mark.parametrize(
    ("told", "phase", "reason"),
    [
        ({"state": "idle", "stopReason": "cancelled"}, Phase.CANCELLED, ""),
        (
            {"state": "idle", "stopReason": "error", "error": {"message": "529 overloaded"}},
            Phase.FAILED,
            "529 overloaded",
        ),
        ({"state": "idle"}, Phase.IDLE, ""),
        ({"state": "unknown"}, Phase.DISCONNECTED, ""),
    ],
)
def test_rfd_states(told: dict[str, Any], phase: Phase, reason: str) -> None:
    story = Story()
    story.update("S", running("a1"))
    story.update("S", child_update("a1", state=told))
    assert (story.view("a1").phase, story.view("a1").phase_reason) == (phase, reason)


def test_rfd_a_reason_may_follow_the_failure() -> None:
    story = Story()
    story.update("S", running("a1"))
    failed = {"state": "idle", "stopReason": "error"}
    story.update("S", child_update("a1", state=failed))
    story.update("S", child_update("a1", state={**failed, "error": {"message": "why"}}))
    assert story.view("a1").phase_reason == "why"


def test_rfd_the_same_id_works_again() -> None:
    story = Story()
    story.update("S", running("a1"))
    story.update("S", child_update("a1", state={"state": "idle", "stopReason": "end_turn"}))
    story.update("S", child_update("a1", state={"state": "running"}))
    assert (story.view("a1").run, story.view("a1").phase) == (2, Phase.RUNNING)
    assert [rule[0] for rule in story.rules("a1")] == ["resumed"]


def test_rfd_a_directory_of_its_own_comes_and_goes() -> None:
    story = Story()
    story.update("S", running("a1", cwd="/worktree"))
    assert story.view("a1").cwd == "/worktree"
    story.update("S", child_update("a1", cwd=None))
    assert story.view("a1").cwd == "/project"


def message(sender: str, recipient: str, text: str, **ids: str) -> dict[str, Any]:
    return {
        "sessionUpdate": "session_message",
        "messageId": "toolu_A",
        "senderSessionId": sender,
        "recipientSessionId": recipient,
        "content": [{"type": "text", "text": text}],
        **ids,
    }


def test_rfd_a_delegation_is_shown_once_in_the_child() -> None:
    story = Story()
    story.prompt()
    story.update("S", running("a1"))
    story.update("S", message("S", "a1", "Make it pass", recipientMessageId="toolu_A"))
    story.update("a1", message("S", "a1", "Make it pass", senderMessageId="toolu_A"))
    assert story.messages("a1", Role.PARENT) == ["Make it pass"]
    assert kinds(story.entries()) == ["message", "child"]
    assert story.view("a1").task == "Make it pass"


def test_rfd_what_a_child_reports_is_shown_in_both() -> None:
    story = Story()
    story.prompt()
    story.update("S", running("a1"))
    story.update("a1", message("a1", "S", "It passes.", recipientMessageId="toolu_H"))
    story.update("S", message("a1", "S", "It passes.", senderMessageId="toolu_H"))
    assert story.messages("a1") == ["It passes."]
    [entry] = [e for e in story.entries() if isinstance(e, MessageEntry) and e.role is Role.CHILD]
    assert (entry.text, entry.peer) == ("It passes.", "a1")


# --- unknown and out of order ---------------------------------------------------------------------


def test_updates_that_overtook_the_announcement_are_kept_in_order() -> None:
    story = Story()
    story.prompt()
    for piece in ("one ", "two ", "three"):
        story.update("a1", said(piece, "k1"))
    story.update("a1", spawned("a2"))
    story.update("a2", said("grandchild", "g1"))
    story.update("S", spawned("a1"))
    assert story.messages("a1") == ["one two three"]
    assert story.messages("a2") == ["grandchild"]
    assert shape(story.state, "S") == (
        "S", "running", [("a1", "running", [("a2", "running", [])])],
    )  # fmt: skip
    assert story.state.unplaced == {}


def test_what_waits_for_an_announcement_is_bounded() -> None:
    story = Story()
    for number in range(WAITING_SESSIONS + 5):
        story.update(f"x{number}", said("text"))
    for _ in range(WAITING_UPDATES + 5):
        story.update("y", said("text"))
    assert len(story.state.unplaced) == WAITING_SESSIONS
    assert len(story.state.unplaced["y"]) == WAITING_UPDATES


def test_a_card_changes_with_its_child() -> None:
    story = Story()
    story.prompt()
    story.update("S", spawned("a1"))
    touched = story.update("a1", tool("t1", "Grep x", name="Grep"))
    card = story.entries()[-1]
    assert ("S", card.key) in touched.entries
    assert story.view("a1").activity == "grep"


# --- agents that flatten --------------------------------------------------------------------------


def tagged(update: dict[str, Any], launch: str) -> dict[str, Any]:
    meta = {"claudeCode": {"parentToolUseId": launch}}
    return {**update, "_meta": meta}


def launch(call: str, title: str = "Fix the build", **given: Any) -> dict[str, Any]:
    given = {"prompt": "Make it pass", "subagent_type": "Explore", **given}
    return tool(call, title, name="Agent", kind="think", rawInput=given)


def test_b28_the_calls_of_three_flattened_agents_are_told_apart() -> None:
    story = Story()
    story.prompt()
    for agent in "ABC":
        story.update("S", launch(agent, f"agent {agent}"))
    for number in range(4):
        for agent in "ABC":
            story.update("S", tagged(tool(f"{agent}{number}"), agent))
    story.update("S", tagged(launch("A9", "deeper"), "A"))
    story.update("S", tagged(tool("D0"), "A9"))
    for agent in "ABC":
        for number in range(4):
            # the parent is named in the first report only
            story.update("S", tool_update(f"{agent}{number}", status="completed"))
    root = story.view()
    children = [story.view(child) for child in root.children]
    assert [child.title for child in children] == ["agent A", "agent B", "agent C"]
    assert [len(child.tools) for child in children] == [5, 4, 4]
    assert set(root.tools) == {"A", "B", "C"}
    [deeper] = children[0].children
    assert set(story.view(deeper).tools) == {"D0"}
    assert all(
        story.tool(f"{agent}{number}", child.id).status == "completed"
        for agent, child in zip("ABC", children, strict=True)
        for number in range(4)
    )


def test_a_flattened_child_follows_its_call() -> None:
    story = Story()
    story.prompt()
    story.update("S", launch("A"))
    story.update("S", tagged(said("Looking", "k1"), "A"))
    child = story.view(story.view().children[0])
    assert (child.title, child.task, child.role) == ("Fix the build", "Make it pass", "Explore")
    assert story.messages(child.id) == ["Looking"]
    assert story.messages() == []
    assert story.tool("A").child == child.id
    assert child.phase is Phase.RUNNING
    story.update("S", tool_update("A", status="completed"))
    assert child.phase is Phase.DONE
    assert kinds(story.entries()) == ["message", "tool", "child"]


def test_a_flattened_child_that_runs_on_is_done_with_the_turn_that_waited_for_it() -> None:
    story = Story()
    story.prompt()
    story.update("S", launch("A", run_in_background=True))
    story.update("S", tagged(tool("A0"), "A"))
    story.update("S", tool_update("A", status="completed"))
    child = story.view(story.view().children[0])
    assert child.phase is Phase.RUNNING
    story.turn_ends()
    assert child.phase is Phase.DONE


def test_a_launch_that_is_told_late_puts_the_child_in_its_place() -> None:
    story = Story()
    story.prompt()
    story.update("S", launch("A"))
    story.update("S", tagged(said("deep"), "B"))
    story.update("S", tagged(launch("B", "deeper"), "A"))
    [outer] = story.view().children
    [inner] = story.view(outer).children
    assert (story.view(inner).title, story.messages(inner)) == ("deeper", ["deep"])


def test_agents_that_name_themselves_as_parent_do_no_harm() -> None:
    story = Story()
    story.update("S", tagged(tool("A"), "A"))
    story.update("S", tagged(tool("B"), "C"))
    story.update("S", tagged(tool("C"), "B"))
    assert set(story.view().tools) == {"A"}
    assert [view.id for view in tree.below(story.state, "S")]


def test_tags_on_an_announced_child_mean_itself() -> None:
    story = Story()
    story.update("S", spawned("a1"))
    story.update("a1", tagged(said("Looking", "k1"), "toolu_launch"))
    story.update("S", tagged(tool("t1"), "toolu_launch"))
    assert story.messages("a1") == ["Looking"]
    assert set(story.view().tools) == {"t1"}
    assert [view.id for view in tree.below(story.state, "S")] == ["a1"]


# --- any order of N children gives the same tree --------------------------------------------------


def streams(children: int) -> list[list[tuple[str, dict[str, Any]]]]:
    """Per child its updates in their order, the announcement and the end on its parent."""
    made = []
    for number in range(children):
        child = f"a{number}"
        parent = "S" if number < 2 else f"a{number - 2}"
        made.append(
            [
                (parent, spawned(child, name=f"agent {number}")),
                (child, said(f"text {number}", f"k{number}")),
                (child, tool(f"t{number}")),
                (child, tool_update(f"t{number}", status="completed")),
                (child, said(f"more {number}", f"k{number}")),
                (parent, child_ended(child)),
            ]
        )
    return made


def transcript(state: ClientState, session: str) -> list[Any]:
    """What a child's transcript says, without the cards of its own children."""
    return [
        (type(entry).__name__, getattr(entry, "text", ""), getattr(entry, "status", ""))
        for entry in state.sessions[session].entries
        if not isinstance(entry, ChildEntry | RuleEntry)
    ]


def unordered(node: Any) -> Any:
    session, phase, children = node
    return (session, phase, sorted(unordered(child) for child in children))


@settings(max_examples=60)
@given(data=st.data())
def test_any_interleaving_of_children_gives_the_same_tree(data: st.DataObject) -> None:
    children = data.draw(st.integers(1, 6))
    per_child = streams(children)
    order = data.draw(st.permutations([n for n in range(children) for _ in per_child[n]]))
    story = Story()
    story.prompt()
    queues = [iter(stream) for stream in per_child]
    for number in order:
        session, update = next(queues[number])
        story.update(session, update)

    plain = Story()
    plain.prompt()
    for stream in per_child:
        for session, update in stream:
            plain.update(session, update)
    assert unordered(shape(story.state, "S")) == unordered(shape(plain.state, "S"))
    for number in range(children):
        child = f"a{number}"
        assert transcript(story.state, child) == transcript(plain.state, child)
    assert story.state.unplaced == {}


@settings(max_examples=60)
@given(data=st.data())
def test_an_announcement_may_come_last_for_its_child(data: st.DataObject) -> None:
    """Whatever of a child overtakes its announcement, it ends up in its place."""
    children = data.draw(st.integers(1, 5))
    rows = [
        (session, update)
        for stream in streams(children)
        for session, update in stream
        if update["sessionUpdate"] not in ("subagent_spawned", "subagent_state_update")
    ]
    announcements = [stream[0] for stream in streams(children)]
    order = data.draw(st.permutations(announcements))
    state = ClientState()
    reduce(state, e.SessionOpened(session="S", at=1.0))
    for session, update in [*rows, *order]:
        reduce(state, e.UpdateArrived(session, decode_update(update), 2.0))
    assert sorted(state.sessions) == sorted(["S", *(f"a{n}" for n in range(children))])
    for number in range(children):
        said_by = [row for row in transcript(state, f"a{number}") if row[1].startswith("text")]
        assert len(said_by) == 1


# --- never announced ------------------------------------------------------------------------------


def test_b31_what_nobody_announces_is_shown_below_the_root_when_its_turn_ends() -> None:
    story = Story()
    story.prompt()
    story.update("x", said("lost words", "k1"))
    story.update("y", {"sessionUpdate": "available_commands_update", "availableCommands": []})
    assert story.view().children == []
    story.turn_ends()
    assert story.view().children == ["x"]
    assert story.messages("x") == ["lost words"]
    assert story.view("x").title == "not announced: x"
    assert kinds(story.entries()) == ["message", "child", "rule"]
    story.update("x", said(", more", "k1"))
    assert story.messages("x") == ["lost words, more"]
    assert list(story.state.unplaced) == ["y"]  # facts may be those of a session on its way in


@pytest.mark.parametrize("form", ["AIR", "RFD", "root"])
def test_b31_an_announcement_that_comes_late_puts_it_in_its_place(form: str) -> None:
    story = Story()
    story.prompt()
    story.update("x", said("early", "k1"))
    story.turn_ends()
    story.update("S", spawned("a1"))
    if form == "root":
        story.happens(e.SessionOpened(session="x", at=story.now))
        assert story.state.roots == ["S", "x"]
        assert story.view("x").parent is None
    else:
        told = spawned("x", name="Fix") if form == "AIR" else running("x")
        story.update("a1", told)
        assert (story.view("x").parent, story.view("x").title) == ("a1", "Fix")
        assert story.view("x").phase is Phase.RUNNING
        assert kinds(story.entries("a1"))[-1] == "child"
    assert story.view().children == ["a1"]
    assert story.messages("x") == ["early"]
    story.update("x", said("late", "k2"))
    assert story.messages("x") == ["early", "late"]


def test_b31_nothing_is_adopted_while_another_root_may_be_the_one() -> None:
    story = Story()
    story.happens(e.SessionOpened(session="T", at=story.now))
    story.prompt()
    story.prompt(session="T")
    story.update("x", said("whose?", "k1"))
    story.turn_ends()
    assert "x" not in story.state.sessions
    story.turn_ends(session="T")
    assert story.view("x").parent == "T"


def test_children_without_end_are_shown_and_exported() -> None:
    story = Story()
    story.prompt()
    parent = "S"
    for number in range(1500):
        story.update(parent, spawned(parent := f"k{number}"))
    story.says("so deep", session=parent)
    story.update("S", spawned("beside"))
    story.update(parent, spawned("beside it"))
    rows = list(tree.rows(story.state))
    assert len(rows) == 1503
    assert max(depth for depth, _ in rows) == children.DEEPEST
    assert sum(1 for _ in tree.below(story.state, "S")) == 1502
    for text in (as_markdown(story.state, "S"), json_text(story.state, "S")):
        assert "so deep" in text
