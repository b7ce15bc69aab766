"""What is told in lines, how questions are answered by lines, and when a talk is over."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from canopy_shared.elicitation import parse_elicitation
from canopy_tui.model import events as e
from canopy_tui.model import intents as i
from canopy_tui.model import transcript
from canopy_tui.model.entries import ChangesEntry, CompactionEntry, NoticeEntry
from canopy_tui.model.state import PendingRequest, Touched
from canopy_tui.plain.asking import question_of
from canopy_tui.plain.exporting import exported
from canopy_tui.plain.narrator import Narrator
from canopy_tui.plain.talk import FOLLOW_UP, IN_LINES, Talk, question_about
from fakes.agent import child_ended, said, spawned, tool, tool_update
from tui_model.reducing import Story

FORM = {
    "type": "object",
    "required": ["name"],
    "properties": {
        "name": {"type": "string", "title": "Name", "maxLength": 9},
        "size": {
            "type": "string",
            "title": "Size",
            "oneOf": [{"const": "s", "title": "Small"}, {"const": "l", "title": "Large"}],
            "default": "l",
        },
        "tags": {
            "type": "array",
            "title": "Tags",
            "items": {"anyOf": [{"const": "a", "title": "A"}, {"const": "b", "title": "B"}]},
        },
        "count": {"type": "integer", "title": "Count", "minimum": 1},
        "sure": {"type": "boolean", "title": "Sure", "default": False},
    },
}


def pending(params: dict[str, Any]) -> PendingRequest:
    payload = parse_elicitation({"sessionId": "S", **params})
    assert payload is not None
    return PendingRequest(
        key=7, session="S", kind="elicitation", payload=payload, summary="", at=0.0
    )


def form() -> PendingRequest:
    return pending({"mode": "form", "message": "Tell me", "requestedSchema": FORM})


def answers(*typed: str) -> list[Any]:
    """What each line gave: an answer, a sentence, or None for the next field."""
    question = question_of(form(), None)
    return [question.take(line) for line in typed]


def test_a_form_is_filled_in_line_by_line() -> None:
    question = question_of(form(), None)
    shown = []
    for line in ("Ada", "1", "1, 2", "3"):
        shown += [*question.lines(), question.hint()]
        assert question.take(line) is None
    shown += [*question.lines(), question.hint()]
    assert question.take("yes") == i.AnswerElicitation(
        7, "accept", {"name": "Ada", "size": "s", "tags": ("a", "b"), "count": 3, "sure": True}
    )
    assert shown == [
        "Tell me",
        "(1 of 5) Name",
        "Type your answer. /decline and /cancel end the form.",
        "(2 of 5) Size (may stay empty)",
        "  1. Small",
        "  2. Large",
        "Type a number, or nothing for Large.",
        "(3 of 5) Tags (may stay empty)",
        "  1. A",
        "  2. B",
        "Type numbers with commas.",
        "(4 of 5) Count (may stay empty)",
        "Type a whole number.",
        "(5 of 5) Sure (may stay empty)",
        "Type yes or no, or nothing for no.",
    ]


def test_an_empty_line_takes_the_default_or_nothing() -> None:
    *_, answer = answers("Ada", "", "", "", "")
    assert answer == i.AnswerElicitation(7, "accept", {"name": "Ada", "size": "l", "sure": False})


def test_a_line_that_is_no_answer_is_told_and_asked_again() -> None:
    empty, long, fine, size, tags = answers("", "x" * 10, "Ada", "3", "1")
    assert "Name: it" in empty
    assert "Name: it" in long
    assert fine is None
    assert size is not None
    assert "Size: it" in size
    assert tags is None
    *_, count = answers("Ada", "", "", "many")
    assert "Count: it" in count


@pytest.mark.parametrize("word", ["decline", "cancel"])
def test_a_form_can_be_refused(word: str) -> None:
    assert answers("Ada", f"/{word}")[-1] == i.AnswerElicitation(7, word)


def test_a_page_is_shown_whole_and_never_opened() -> None:
    url = "https://example.org/" + "x" * 300
    question = question_of(
        pending({"mode": "url", "message": "Log in", "url": url, "elicitationId": "e"}), None
    )
    assert f"  {url}" in question.lines()
    assert "no answer" in str(question.take("4"))
    assert question.take("2") == i.AnswerElicitation(7, "decline")
    assert question.refusal() == i.AnswerElicitation(7, "cancel")


# --- telling --------------------------------------------------------------------------------------


def told(narrator: Narrator, *touched: Touched) -> list[str]:
    return [line for one in touched for line in narrator.lines(one)]


def test_each_thing_is_told_once_and_messages_line_by_line() -> None:
    story = Story()
    narrator = Narrator(story.state)
    assert told(narrator, story.says("One\nTw")) == ["main: One"]
    assert told(narrator, story.says("o\nThr"), story.says("ee")) == ["main: Two"]
    begins = story.update("S", tool("t1", "Read a.txt", status="in_progress"))
    assert told(narrator, begins) == ["main: Three", "main: tool: Read a.txt"]
    again = story.update("S", tool_update("t1", title="Read a.txt"))
    ends = story.update("S", tool_update("t1", status="completed"))
    assert told(narrator, again, ends) == ["main: tool done: Read a.txt"]
    assert told(narrator, ends) == []


def test_agents_of_one_name_are_told_apart() -> None:
    story = Story()
    narrator = Narrator(story.state)
    lines = told(
        narrator,
        story.update("S", spawned("A", "Look")),
        story.update("S", spawned("B", "Look")),
        story.says("Here\n", session="B"),
        story.update("S", child_ended("B", "failed")),
    )
    assert "main: agent started: Look" in lines
    assert "main: agent started: Look (2)" in lines
    assert lines[-2:] == ["Look (2): Here", "Look (2): agent failed"]


# --- a talk ---------------------------------------------------------------------------------------


class Room:
    """A talk on a story: what a person wants is played as far as a test needs it."""

    def __init__(self, *, once: bool = True, answers: bool = True) -> None:
        self.story = Story()
        self.state = self.story.state
        self.lines: list[str] = []
        self.acted: list[i.Intent] = []
        self.now = 0.0
        self.talk = Talk(
            self,
            self.lines.extend,
            once=once,
            answers=answers,
            echo=True,
            clock=lambda: self.now,
        )

    def act(self, intent: i.Intent) -> None:
        self.acted.append(intent)
        match intent:
            case i.SendPrompt(session, text):
                self.happens(e.PromptSent(session=session, text=text, at=self.story.now))
            case i.AnswerPermission(key, option):
                self.happens(e.RequestAnswered(key, option))
            case i.CancelTurn():
                self.turn_ends("cancelled")

    def happens(self, *events: e.Event) -> None:
        for event in events:
            self.talk.happened(self.story.happens(event))

    def update(self, session: str, update: Any) -> None:
        self.talk.happened(self.story.update(session, update))

    def asks(self, call: str = "t1") -> PendingRequest:
        request = self.story.asks("S", call)
        self.talk.happened(self.story.touched)
        return request

    def turn_ends(self, stop: str = "end_turn") -> None:
        self.story.turn_ends(stop)
        self.talk.happened(self.story.touched)


@pytest.mark.parametrize(
    ("stop", "code"),
    [
        ("end_turn", 0),
        ("max_tokens", 3),
        ("max_turn_requests", 3),
        ("refusal", 3),
        ("error", 1),
        ("cancelled", 130),
        ("a_new_reason", 1),
    ],
)
def test_the_end_of_the_turn_is_the_exit_code(stop: str, code: int) -> None:
    room = Room()
    room.talk.say("go")
    assert room.talk.over is None
    room.turn_ends(stop)
    assert room.talk.over == code


def test_agents_that_still_work_and_what_is_said_of_them_are_waited_for() -> None:
    room = Room()
    room.talk.say("go")
    room.update("S", spawned("C"))
    room.turn_ends()
    assert room.talk.over is None
    assert room.talk.wake_at is None
    room.update("S", child_ended("C"))
    assert room.talk.over is None
    assert room.talk.wake_at == FOLLOW_UP
    room.now = FOLLOW_UP
    assert room.talk.over == 0
    room.now = 0.0
    room.update("S", said("C is done.", "m9"))
    assert room.talk.over == 0
    assert room.lines[-1] == "main: C is done."


def test_with_nobody_there_the_answer_is_no_and_the_exit_code_says_so() -> None:
    room = Room(answers=False)
    room.talk.say("go")
    request = room.asks()
    assert room.acted[-1] == i.AnswerPermission(request.key, "no")
    room.turn_ends()
    assert room.talk.over == 4


def test_answers_that_come_early_wait_for_their_questions() -> None:
    room = Room()
    room.talk.say("go")
    first = room.asks()
    room.talk.typed("1")
    room.talk.typed("x")
    room.talk.typed("2")
    room.talk.no_more_input()
    second = room.asks("t2")
    third = room.asks("t3")
    assert room.acted[1:] == [
        i.AnswerPermission(first.key, "yes"),
        i.AnswerPermission(second.key, "no"),
        i.AnswerPermission(third.key, "no"),
    ]
    assert [line for line in room.lines if line.startswith("canopy: ")] == [
        "canopy: That is no answer: type a number from 1 to 2.",
        "canopy: nobody is there to answer, so the answer is no: Reject",
    ]
    # What is read by nobody does not say what to type.
    assert [line.endswith("Type a number from 1 to 2.") for line in room.lines].count(True) == 2


def test_the_end_of_input_refuses_what_is_asked_and_what_comes() -> None:
    room = Room(once=False)
    room.talk.typed("go")
    first = room.asks()
    assert room.talk.asks
    room.talk.no_more_input()
    second = room.asks("t2")
    refused = [i.AnswerPermission(one.key, "no") for one in (first, second)]
    assert room.acted[1:] == refused
    room.turn_ends()
    assert room.talk.over == 4


def test_a_line_is_an_answer_only_while_a_question_stands() -> None:
    room = Room(once=False)
    room.talk.typed("go")
    request = room.asks()
    room.talk.typed("1x")
    room.talk.typed("1")
    assert room.acted[-1] == i.AnswerPermission(request.key, "yes")
    room.turn_ends()
    room.talk.typed("1")
    assert room.acted[-1] == i.SendPrompt("S", "1")
    other = room.asks("t2")
    room.happens(e.RequestWithdrawn(other.key))
    assert "canopy: that question no longer needs an answer" in room.lines
    room.talk.typed("/quit")
    room.turn_ends()
    assert room.talk.over == 0


def test_ctrl_c_stops_the_turn_first() -> None:
    room = Room()
    room.talk.say("go")
    assert room.talk.interrupt()
    assert room.acted[-1] == i.CancelTurn("S")
    assert not room.talk.interrupt()
    assert room.talk.over == 130


def test_ctrl_c_at_rest_asks_once_more_and_says_who_still_works() -> None:
    room = Room(once=False)
    room.talk.typed("go")
    room.update("S", spawned("C"))
    room.turn_ends()
    assert room.talk.interrupt()
    assert room.lines[-1] == "canopy: Ctrl+C again ends the program; 1 agent still working"
    room.talk.typed("go on")  # then it was meant for something else
    assert room.talk.interrupt()
    assert room.acted[-1] == i.CancelTurn("S")
    assert not room.talk.interrupt()


@pytest.mark.parametrize("elsewhere", [True, False])
def test_b66_a_question_in_lines_says_how_far_the_call_goes(elsewhere: bool) -> None:
    place = "/other/" if elsewhere else "/project/"
    edit = {"file_path": f"{place}a", "old_string": "a", "new_string": "b", "replace_all": True}
    diffs = [
        {"type": "diff", "path": f"{place}a", "oldText": "a", "newText": "b"},
        {"type": "diff", "path": "b", "newText": "b"},
    ]
    outside = "outside the project"
    far = f", {outside}" * elsewhere
    for told, content, shown in (
        (edit, diffs, [f"{place}a (everywhere in the file{far})", "b (new file)"]),
        ({"notebook_path": f"{place}n"}, [], [f"{place}n ({outside})"] * elsewhere),
    ):
        room = Room(once=False)
        request = room.asks("t1")
        room.update("S", tool_update("t1", content=content))
        room.story.tool("t1").raw_input = told
        lines = question_about(room.state, request).lines()
        assert [line[4:] for line in lines if line.endswith(")")] == shown


def test_an_option_can_be_called_by_its_name_and_a_number_beyond_them_is_doubted() -> None:
    room = Room(once=False)
    room.talk.typed("go")
    request = room.asks()
    room.talk.typed(" reject ")
    assert room.acted[-1] == i.AnswerPermission(request.key, "no")
    size = FORM["properties"]["size"]  # type: ignore[index]
    schema = {"properties": {"size": size, "size_custom": {"type": "string"}}}
    question = question_of(
        pending({"mode": "form", "message": "?", "requestedSchema": schema}), None
    )
    assert question.hint().startswith(
        "Type a number, or an answer of your own, or nothing for Larg"
    )
    assert question.take("3") == "There is no 3; type it once more to say it in your own words."
    assert question.take("4") == "There is no 4; type it once more to say it in your own words."
    assert question.take("4") == i.AnswerElicitation(7, "accept", {"size_custom": "4"})


def test_a_command_of_the_client_is_carried_out_and_not_sent(tmp_path: Path) -> None:
    room = Room(once=False)
    room.talk = Talk(
        room,
        room.lines.extend,
        once=False,
        answers=True,
        echo=True,
        clock=lambda: room.now,
        export=lambda kind: exported(room.state, kind, tmp_path),
    )
    room.talk.typed("/export")
    assert room.lines[-1] == "canopy: There is nothing to export yet."
    room.talk.typed("go")
    for line in ("/export", "/export json", "/help", "/export svg", "/export pdf"):
        room.talk.typed(line)
    assert [path.suffix for path in sorted(tmp_path.iterdir())] == [".json", ".md"]
    assert "go" in next(tmp_path.glob("*.md")).read_text()
    assert room.lines[-3] == f"canopy: {IN_LINES}"
    assert room.lines[-2].startswith("canopy: In lines there are /export md and /export json")
    assert room.lines[-1] == "canopy: /export takes md, json, svg, html."
    assert room.acted == [i.SendPrompt("S", "go")]


def test_why_the_agent_is_gone_is_told_once() -> None:
    story = Story()
    narrator, touched = Narrator(story.state), Touched()
    story.prompt("go")
    story.happens(e.LinkChanged(status="lost", detail="It exited.", stderr="no disk", at=9.0))
    touched.merge(story.touched)
    assert sum("It exited." in line for line in narrator.lines(touched)) == 1


def test_an_agent_that_does_not_answer_is_told_of() -> None:
    story = Story()
    narrator = Narrator(story.state)

    def lines(status: str, detail: str = "", stderr: str = "") -> list[str]:
        link = e.LinkChanged(status=status, detail=detail, stderr=stderr, at=1.0)  # type: ignore[arg-type]
        return list(narrator.lines(story.happens(link)))

    assert lines("starting") == []
    slow = ["canopy: It has not answered.", "canopy: stderr: loading"]
    assert lines("starting", "It has not answered.", "loading\n") == slow
    assert lines("starting", "It has not answered.", "loading more\n") == []
    assert lines("ready") == ["canopy: connected to the agent"]


def test_a_call_that_was_rejected_did_not_fail() -> None:
    room = Room(answers=False)
    room.talk.say("go")
    room.asks("t1")
    room.update("S", tool_update("t1", status="failed"))
    assert any(line.startswith("main: tool rejected: ") for line in room.lines)
    assert not any("failed" in line for line in room.lines)


def test_background_tasks_are_told_and_not_waited_for() -> None:
    room = Room()
    room.talk.say("go")
    for task in ("one", "two"):
        spawn = {
            "sessionUpdate": "async_task_spawned",
            "asyncTaskId": task,
            "name": f"Serve {task}",
        }
        room.update("S", {**spawn, "taskType": "shell"})
    ended = {"sessionUpdate": "async_task_state_update", "asyncTaskId": "one"}
    room.update("S", {**ended, "state": "failed", "summary": "exit 1"})
    room.turn_ends()
    assert room.talk.over == 0
    told = [line for line in room.lines if "task" in line]
    assert told == [
        "main: background task started: Serve one",
        "main: background task started: Serve two",
        "main: background task failed: Serve one: exit 1",
        "canopy: this background task is stopped now: Serve two",
    ]


def test_compaction_and_changed_files_are_told() -> None:
    story = Story()
    entries = [
        CompactionEntry(at=1.0, status="completed", before=120_000, after=9_000),
        ChangesEntry(at=2.0, paths=("/a.py", "/b\x1b.py")),
    ]
    touched = Touched()
    for entry in entries:
        transcript.append(story.state, story.view(), entry, touched)
    assert told(Narrator(story.state), touched) == [
        "main: conversation compacted, 120,000 to 9,000 tokens",
        "main: file changed: /a.py",
        "main: file changed: /b␛.py",
    ]


HOSTILE = st.text(
    st.characters(codec="utf-8") | st.sampled_from("\x1b\x07\x9b\u202e\u2028\r\x00[]/"), max_size=20
)


@settings(max_examples=100, deadline=None)
@given(words=st.lists(HOSTILE, min_size=9, max_size=9))
def test_no_text_of_others_controls_the_terminal(words: list[str]) -> None:
    told, message, title, output, name, task, reason, notice, path = words
    story = Story()
    narrator = Narrator(story.state)
    touched = Touched()
    story.prompt(told)
    touched.merge(story.touched)
    for session, update in (
        ("S", said(message)),
        ("S", tool("t1", title, kind="execute", status="in_progress")),
        ("S", tool_update("t1", status="failed", rawOutput=output)),
        ("S", spawned("C", name, task=task, prompt=task)),
        ("C", said(message)),
        ("S", {"sessionUpdate": "plan", "entries": [{"content": title, "status": "pending"}]}),
    ):
        touched.merge(story.update(session, update))
    for entry in (
        NoticeEntry(at=1.0, severity="error", title=notice, detail=output),
        ChangesEntry(at=2.0, paths=(path,)),
        CompactionEntry(at=3.0, status="failed", error=reason),
    ):
        transcript.append(story.state, story.view(), entry, touched)
    story.happens(e.LinkChanged(status="lost", detail=reason, stderr=output, at=9.0))
    touched.merge(story.touched)
    request = story.asks("S", "t9", command=output)
    question = question_of(request, story.tool("t9"))
    lines = [*narrator.lines(touched), *narrator.rest(), *question.lines()]
    lines += [question.hint(), question.refused()]
    assert not CONTROLS & set("".join(lines))


CONTROLS = {chr(code) for code in (*range(32), *range(127, 160), 0x202E, 0x2028)}
CONTROLS.discard("\t")
