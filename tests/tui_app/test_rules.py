"""Rules of the client's views that need no screen."""

from __future__ import annotations

from dataclasses import replace

import pytest
from rich.cells import cell_len
from textual.color import Color

from canopy_shared.content import Diff, Location
from canopy_shared.elicitation_fields import TextField
from canopy_shared.permission import PermissionOption
from canopy_shared.updates import Command
from canopy_tui.model import events as e
from canopy_tui.model.entries import ToolEntry
from canopy_tui.model.glyphs import ASCII, UNICODE, Badges
from canopy_tui.model.intents import SendPrompt
from canopy_tui.model.state import Phase, QueuedPrompt, SessionView
from canopy_tui.model.steady import Steady
from canopy_tui.view.apps.announcer import (
    BELL,
    BELL_GAP,
    DESKTOP,
    LONG_RUN,
    OFF,
    SETTLED,
    Announcer,
    notify_setting,
    window_title,
)
from canopy_tui.view.bars.header import home_short
from canopy_tui.view.blocks.tool import state_of
from canopy_tui.view.composer.drafts import Drafts
from canopy_tui.view.composer.prompt_history import LIMIT, PromptHistory
from canopy_tui.view.composer.slash_offers import matching
from canopy_tui.view.drawing import graphemes
from canopy_tui.view.drawing.ink import mix
from canopy_tui.view.drawing.labels import duration
from canopy_tui.view.drawing.strips import Paper
from canopy_tui.view.drawing.theme import THEMES
from canopy_tui.view.keyboard import keys
from canopy_tui.view.keyboard.arming import WINDOW, Arming
from canopy_tui.view.keyboard.key_guard import (
    IDLE,
    QUIET,
    QUIET_OVER_DRAFT,
    RUN,
    SETTLE,
    KeyGuard,
    Verdict,
    may_open,
)
from canopy_tui.view.requests.elicitation_fields import is_multiline, read_number, written
from canopy_tui.view.requests.permission_answers import permission_answers
from canopy_tui.view.requests.permission_preview import DANGER, changed_files, preview_of
from canopy_tui.view.tree.session_row import RowLook, guides, row, time_of, word_of
from tui_app.stage import ROOT, Stage

# --- keys -----------------------------------------------------------------------------------------


def test_every_key_has_an_id_of_its_own() -> None:
    ids = [key.id for group in keys.GROUPS for key in group.keys]
    assert len(ids) == len(set(ids))


def test_no_key_means_two_things_in_one_place() -> None:
    everywhere = [*keys.EVERYWHERE.keys, *keys.SLOTS.keys]
    for own in ([], keys.COMPOSER.keys, keys.TREE.keys):
        names = [name for key in (*everywhere, *own) for name in key.keys.split(",")]
        assert len(names) == len(set(names))


def test_no_key_that_terminals_keep_for_themselves() -> None:
    used = {name for group in keys.GROUPS for key in group.keys for name in key.keys.split(",")}
    assert not used & {"ctrl+s", "ctrl+h", "ctrl+i", "ctrl+m"}


def test_nothing_is_on_alt_alone() -> None:
    second_ways = {
        "parent": "escape",
        "first-child": "tree",
        "slot": "tree-slot",
        "usage": "options",  # pages beside it
        "servers": "options",
    }
    for group in keys.GROUPS:
        for key in group.keys:
            if all(name.startswith("alt+") for name in key.keys.split(",")):
                assert key.id.partition("-")[0] in second_ways or key.id in second_ways


@pytest.mark.parametrize(
    ("name", "shown", "ascii_only"),
    [
        ("ctrl+t", "Ctrl+T", "Ctrl+T"),
        ("alt+left,f7", "Alt+← / F7", "Alt+Left / F7"),
        ("N", "N", "N"),
        ("x", "x", "x"),
        ("escape", "Esc", "Esc"),
    ],
)
def test_keys_as_a_person_reads_them(name: str, shown: str, ascii_only: str) -> None:
    assert keys.shown(name) == shown
    assert keys.shown(name, ascii_only=True) == ascii_only


# --- requests and typing --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("after", "by_person", "over_draft", "types_text", "verdict"),
    [
        (QUIET - 0.01, False, False, True, Verdict.GIVE_BACK),
        (QUIET - 0.01, False, False, False, Verdict.IGNORE),
        (QUIET - 0.01, True, False, True, Verdict.IGNORE),
        (QUIET + 0.01, False, False, True, Verdict.PASS),
        (QUIET + 0.01, False, True, True, Verdict.GIVE_BACK),
        (QUIET + 0.01, True, True, True, Verdict.PASS),
        (QUIET_OVER_DRAFT + 0.01, False, True, True, Verdict.PASS),
    ],
)
def test_when_a_key_counts(
    after: float, by_person: bool, over_draft: bool, types_text: bool, verdict: Verdict
) -> None:
    guard = KeyGuard(100.0, by_person, over_draft)
    assert guard.verdict(100.0 + after, text="q" if types_text else "") is verdict
    assert guard.verdict(100.0, harmless=True) is Verdict.PASS


def judged(guard: KeyGuard, *typed: tuple[float, str]) -> list[Verdict]:
    """What a question with the answers a, n and y makes of what is typed, at these times."""
    return [guard.verdict(at, text=one, answers=bool(one) and one in "any") for at, one in typed]


HOLD, TEXT, IGNORE, PASS = Verdict.HOLD, Verdict.TEXT, Verdict.IGNORE, Verdict.PASS


@pytest.mark.parametrize(
    ("typed", "verdicts"),
    [
        ([(5.0, "y")], [HOLD]),
        ([(5.0, "y"), (5.03, "y"), (5.06, "y")], [HOLD, HOLD, HOLD]),  # held down: one press
        ([(5.0, "a"), (5.1, "n"), (5.2, "y")], [HOLD, TEXT, TEXT]),
        ([(5.0, "a"), (5.1, "b"), (5.2, " "), (5.8, "y")], [HOLD, TEXT, TEXT, TEXT]),
        ([(5.0, "j"), (4.99 + RUN, "y")], [PASS, IGNORE]),  # moved, and no word
        ([(5.0, "j"), (5.01 + RUN, "y")], [PASS, HOLD]),
        ([(5.0, "a"), (5.1, "n"), (5.11 + RUN, "y")], [HOLD, TEXT, HOLD]),
        ([(5.0, "d"), (5.1, "")], [PASS, PASS]),
        ([(5.0, "d"), (5.1, ""), (5.2, "y")], [PASS, PASS, HOLD]),  # another key ends a word
        ([(0.1, "a"), (0.4, "n"), (1.0, "y")], [IGNORE, IGNORE, IGNORE]),  # begun too early
    ],
)
def test_a_letter_answers_only_alone(
    typed: list[tuple[float, str]], verdicts: list[Verdict]
) -> None:
    assert judged(KeyGuard(0.0, by_person=True), *typed) == verdicts


def test_a_letter_that_answered_is_no_part_of_a_word() -> None:
    guard = KeyGuard()
    assert judged(guard, (5.0, "y")) == [HOLD]
    guard.take_back()
    assert not guard.held
    assert judged(guard, (5.1 + SETTLE, "y")) == [HOLD]
    guard.held = ""
    assert judged(guard, (5.2 + SETTLE, "n")) == [IGNORE]


def test_where_the_message_takes_what_is_typed_only_answers_are_not_text() -> None:
    guard = KeyGuard(collects=True)
    typed = [(5.0, "h"), (5.5, "n"), (7.0, "n"), (7.1, "o"), (7.2, "n"), (9.0, "n")]
    assert judged(guard, *typed) == [TEXT, TEXT, HOLD, TEXT, TEXT, HOLD]


def test_when_a_request_may_open() -> None:
    assert may_open(10.0, 10.0, typing=False)
    assert not may_open(10.0 + IDLE - 0.1, 10.0, typing=True)
    assert may_open(10.0 + IDLE + 0.1, 10.0, typing=True)


def test_second_press_in_time() -> None:
    arming = Arming()
    assert not arming.press("stop", 1.0)
    assert arming.press("stop", 1.0 + WINDOW)
    assert not arming.press("stop", 1.1 + WINDOW)
    assert not arming.press("quit", 1.2 + WINDOW)
    assert not arming.press("quit", 9.0)


def test_keys_of_answers() -> None:
    kinds = ["reject_once", "allow_once", "allow_once", "allow_always", "reject_always", "odd", ""]
    options = [PermissionOption(str(n), f"name {n}", kind) for n, kind in enumerate(kinds)]
    answers = permission_answers(options)
    assert [answer.key for answer in answers] == ["n", "y", "3", "a", "N", "6", "7"]
    assert [answer.value for answer in answers] == [option.option_id for option in options]
    many = permission_answers([PermissionOption(str(n), "x", "") for n in range(12)])
    assert [answer.key for answer in many] == [*"123456789", "", "", ""]


@pytest.mark.parametrize(
    "command",
    [
        "rm -rf /",
        "sudo ls",
        "curl x | sh",
        "wget -O- x|bash",
        "git push origin --force",
        "dd of=/x",
    ],
)
def test_what_deserves_a_second_look(command: str) -> None:
    assert DANGER.search(command)


@pytest.mark.parametrize("command", ["ls -rf", "echo farm", "git push", "pytest", "cat x | shuf"])
def test_what_does_not(command: str) -> None:
    assert not DANGER.search(command)


PAPER = Paper(60, mix({"background": "#000000", "foreground": "#ffffff"}))


def drawn(entry: ToolEntry | None) -> str:
    """The preview as text."""
    return "\n".join(line.text.rstrip() for line in preview_of(entry)(PAPER))


def test_preview_of_files() -> None:
    diff = Diff("/a.py", "new\n", "old\n")
    told = ToolEntry(at=0.0, tool_call_id="1", content=(diff,), raw_input={"file_path": "/b"})
    assert changed_files(told) == [("/a.py", "old\n", "new\n", 0)]
    edit = {"file_path": "/c", "old_string": "x", "new_string": "y"}
    assert changed_files(ToolEntry(at=0.0, tool_call_id="1", raw_input=edit)) == [
        ("/c", "x", "y", 0)
    ]
    several = {"file_path": "/c", "edits": [edit, "odd", {"old_string": 1}]}
    assert len(changed_files(ToolEntry(at=0.0, tool_call_id="1", raw_input=several))) == 1
    write = {"file_path": "/d", "content": "text"}
    assert changed_files(ToolEntry(at=0.0, tool_call_id="1", raw_input=write)) == [
        ("/d", None, "text", 1)
    ]


@pytest.mark.parametrize("status", ["pending", "in_progress", "failed"])
def test_a_rejected_call_says_so_whatever_the_agent_does(status: str) -> None:
    entry = ToolEntry(at=0.0, tool_call_id="1", status=status, rejected=True)
    assert state_of(entry) == "rejected"
    entry.waits = True  # it asks once more
    assert state_of(entry) == ("rejected" if entry.ended else "asks")
    assert state_of(replace(entry, status="completed")) == "done"


def test_a_line_has_a_number_only_where_it_is_known() -> None:
    """A part of a file does not begin at line 1; a whole one, and a new one, does."""
    part = Diff("/a.py", "same\nnew\n", "same\nold\n")
    unsaid = ToolEntry(at=0.0, tool_call_id="1", content=(part,), raw_input={"file_path": "/a.py"})
    assert drawn(unsaid).splitlines()[1:] == ["  same", "- old", "+ new"]
    split = preview_of(unsaid, split=True)(replace(PAPER, width=80))
    assert [row.text.split("│")[0].rstrip() for row in split[1:]] == ["  same", "- old"]
    found = preview_of(unsaid, lines={changed_files(unsaid)[0]: 41})(PAPER)
    assert [row.text.rstrip() for row in found[1:]] == ["41   same", "42 - old", "42 + new"]
    said = replace(unsaid, locations=(Location("/a.py", 9),))
    assert drawn(said).splitlines()[1:] == [" 9   same", "10 - old", "10 + new"]
    whole = replace(unsaid, raw_input={"path": "/a.py"})
    assert drawn(whole).splitlines()[1:] == ["1   same", "2 - old", "2 + new"]
    new = replace(unsaid, content=(Diff("/a.py", "one\n"),))
    assert drawn(new).splitlines()[1:] == ["1 + one"]


def test_paths_are_written_from_the_project() -> None:
    inside = {"file_path": "/home/ada/till/a.py", "content": "x"}
    outside = (
        {"file_path": "/etc/x", "content": "x"},
        {"file_path": "/home/ada/till/../x", "content": ""},
    )

    def first(given: object) -> str:
        entry = ToolEntry(at=0.0, tool_call_id="1", raw_input=given)
        return preview_of(entry, "/home/ada/till")(PAPER)[0].text

    assert first(inside) == "a.py  new file  +1"
    assert first(outside[0]) == "/etc/x  new file  +1  outside the project"
    assert first(outside[1]).startswith("/home/ada/till/../x")
    assert "outside" in first(outside[1])


def test_preview_of_anything_else() -> None:
    assert "Nothing more is known" in drawn(None)
    values = {"url": "https://x", "deep": {"a": [1, 2]}, "text": "one\ntwo"}
    text = drawn(ToolEntry(at=0.0, tool_call_id="1", raw_input=values))
    assert text.split("\n")[0] == "url: https://x"
    assert "  - 2" in text
    assert "  two" in text
    assert drawn(ToolEntry(at=0.0, tool_call_id="1", raw_input="just text")) == "just text"
    command = {"command": "a\x1b[2J\nb", "timeout": 5}
    text = drawn(ToolEntry(at=0.0, tool_call_id="1", raw_input=command))
    assert text == "$ a␛[2J\n  b\n\ntimeout: 5"


# --- writing --------------------------------------------------------------------------------------


def test_where_a_caret_may_stand() -> None:
    assert graphemes.boundaries("ab") == [0, 1, 2]
    assert graphemes.boundaries("a🇯🇵🇩🇪b") == [0, 1, 3, 5, 6]
    assert graphemes.before("a👩‍💻", 4) == 1
    assert graphemes.after("e\u0301x", 0) == 2
    assert graphemes.before("", 0) == 0


def test_history_is_walked_both_ways() -> None:
    history = PromptHistory(["a", "b"])
    assert history.older("draft") == "b"
    assert history.older("b") == "a"
    assert history.older("a") is None
    assert history.newer("a") == "b"
    assert history.newer("b") == "draft"
    assert history.newer("draft") is None
    history.add("a")
    assert history.messages == ["b", "a"]
    assert history.older("x") == "a"
    assert history.older("a changed") == "a"  # what was changed is the draft now
    assert history.newer("a") == "a changed"
    for number in range(LIMIT + 5):
        history.add(str(number))
    assert len(history.messages) == LIMIT
    history.add("  ")
    assert history.messages[-1] == str(LIMIT + 4)


def test_drafts_walk_the_queue_before_the_history() -> None:
    queue = [QueuedPrompt(1, "one"), QueuedPrompt(2, "two")]
    drafts = Drafts(PromptHistory(["old"]))
    assert drafts.older(queue, "") == "two"
    assert drafts.older(queue, "two") == "one"
    assert drafts.older(queue, "one") is None
    assert drafts.newer(queue, "one") == "two"
    assert drafts.newer(queue, "two") == ""
    assert drafts.editing is None
    assert drafts.older(queue, "text") == "old"
    assert drafts.edit(2, queue, "mine") == "two"
    assert drafts.unsent("two") == "mine"
    assert drafts.forget_sent(queue) is None
    assert drafts.forget_sent([]) == "mine"
    assert drafts.edit(9, queue, "mine") is None


def test_commands_that_fit() -> None:
    commands = [Command("compact", ""), Command("mcp:pack", ""), Command("init", "")]
    assert [c.name for c in matching(commands, "/pac")] == ["compact", "mcp:pack"]
    assert [c.name for c in matching(commands, "/C")] == ["compact", "mcp:pack"]
    assert len(matching(commands, "/")) == 3
    assert (
        matching(commands, "") == matching(commands, "/init now") == matching(commands, "x/") == []
    )


def test_numbers_of_a_form() -> None:
    assert read_number(" 3 ") == 3
    assert read_number("2.5") == 2.5
    assert read_number("") is None
    assert read_number("many") == "many"
    assert [written(value) for value in (3.0, 2.5, None, "x")] == ["3", "2.5", "", "x"]
    assert is_multiline(TextField(key="a", max_length=500))
    assert not is_multiline(TextField(key="a", max_length=500, format="uri"))
    assert not is_multiline(TextField(key="a"))


# --- rows, names, notices -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["short", "a name that is far too long for its row", "日本語の名前です", "👩‍💻"]
)
@pytest.mark.parametrize("width", [8, 20, 33])
@pytest.mark.parametrize("glyphs", [UNICODE, ASCII])
def test_a_row_is_as_wide_as_it_should_be(name: str, width: int, glyphs: str) -> None:
    view = SessionView(id="a", parent="r", phase=Phase.RUNNING, activity="reading", started_at=1.0)
    badges = Badges("running", 0, 1, 120, "background", False)
    look = RowLook(name, badges, word_of(view, badges), time_of(view, 90.0), hidden=2)
    line = row(look, width, glyphs)
    assert cell_len(line.plain) == width
    if width == 33:
        assert line.plain.endswith("1m29")
        assert "99+" in line.plain
    assert glyphs == UNICODE or width == 8 or not set("▶●↻") & set(line.plain)


def test_lines_of_the_tree() -> None:
    assert guides([], UNICODE) == ""
    assert guides([False, True], UNICODE) == "│ └─"
    assert guides([True, False], ASCII) == "  |-"


def test_durations() -> None:
    assert [duration(n) for n in (0.4, 59.9, 60, 3599, 3600)] == [
        "0s",
        "59s",
        "1m00",
        "59m59",
        "1h00",
    ]


def test_home_is_a_tilde(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ada")
    assert home_short("/home/ada/till") == "~/till"
    assert home_short("/home/ada") == "~"
    assert home_short("/home/adam") == "/home/adam"


def test_the_bell_rings_once_and_not_too_often() -> None:
    stage = Stage(lambda: 1.0)
    rung: list[tuple[float, str]] = []
    titles: list[str] = []
    now = 0.0
    announcer = Announcer(stage.state, UNICODE, lambda w: rung.append((now, w)), titles.append)

    def look(at: float, *, watched: bool = True) -> None:
        nonlocal now
        now = at
        announcer.look(at, watched=watched)

    stage.ready()
    look(1.0)
    stage.act(SendPrompt(ROOT, "go"))
    look(2.0)
    first = stage.ask_permission(call="a", title="Edit \x1b]0;x\x07")
    look(3.0)
    look(3.1)
    second = stage.ask_permission(call="b")
    look(3.0 + BELL_GAP / 2)
    assert [at for at, _ in rung] == [3.0]
    assert rung[0][1].startswith("! main asks: Edit")
    assert rung[0][1].isprintable()
    assert announcer.has_more
    look(3.0 + BELL_GAP)  # the second one rings too, a little later
    assert [at for at, _ in rung] == [3.0, 3.0 + BELL_GAP]
    assert titles == ["canopy", "▶ 1 · canopy", "! 1 · canopy", "! 2 · canopy"]
    stage.withdraw(first)
    stage.withdraw(second)
    stage.end_turn()
    look(2.0 + LONG_RUN + 1)
    assert len(rung) == 2
    assert announcer.has_more
    look(2.0 + LONG_RUN + 1 + SETTLED)  # a long run is over
    assert rung[-1][1] == "All is done."
    assert not announcer.has_more
    stage.act(SendPrompt(ROOT, "go"))
    look(100.0)
    stage.end_turn()
    look(101.0)
    look(110.0)  # a short one, before the eyes of the person
    assert len(rung) == 3
    stage.act(SendPrompt(ROOT, "go"))
    look(120.0)
    stage.end_turn()
    look(121.0, watched=False)
    stage.act(SendPrompt(ROOT, "go"))
    look(121.5, watched=False)  # a turn followed: not everything was done
    look(130.0, watched=False)
    assert len(rung) == 3
    stage.end_turn()
    look(131.0, watched=False)
    look(133.0, watched=False)
    assert len(rung) == 4
    assert titles[-1] == "● 2 · canopy"
    stage.apply(e.Seen(ROOT))
    look(134.0)
    assert titles[-1] == "canopy"


def test_nothing_is_called_done_while_a_task_in_the_background_runs() -> None:
    stage = Stage(lambda: 1.0)
    rung: list[str] = []
    titles: list[str] = []
    announcer = Announcer(stage.state, UNICODE, rung.append, titles.append)
    stage.ready()
    stage.apply(e.Watched(frozenset({ROOT})))
    stage.act(SendPrompt(ROOT, "go"))
    stage.begin_task("b1", "npm test")
    announcer.look(1.0, watched=False)
    assert titles == ["▶ 2 · canopy"]
    stage.end_turn()
    announcer.look(2.0, watched=False)
    announcer.look(2.0 + SETTLED, watched=False)
    assert rung == ["The agents are done · 1 task still working"]
    assert titles[-1] == "▶ 1 · canopy"
    assert not announcer.has_more
    announcer.look(50.0, watched=False)
    stage.apply(e.Watched(frozenset()))
    stage.say("The tests still run.")
    announcer.look(51.0, watched=False)
    assert titles[-1] == "▶ 1 · ● 1 · canopy"
    stage.end_task("b1")
    announcer.look(52.0, watched=True)
    announcer.look(52.0 + SETTLED, watched=True)  # a long run
    assert rung[1:] == ["All is done."]
    assert titles[-1] == "● 1 · canopy"
    announcer.look(99.0, watched=False)
    assert len(rung) == 2


@pytest.mark.parametrize(("took", "told"), [(LONG_RUN, 1), (LONG_RUN - 0.01, 0)])
@pytest.mark.parametrize("rested", [SETTLED, SETTLED - 0.01])
def test_how_long_a_run_is_and_its_end_lasts_before_it_is_told(
    took: float, told: int, rested: float
) -> None:
    stage = Stage(lambda: 1.0)
    rung: list[str] = []
    announcer = Announcer(stage.state, UNICODE, rung.append, lambda _title: None)
    stage.ready()
    stage.act(SendPrompt(ROOT, "go"))
    announcer.look(0.0, watched=True)
    stage.end_turn()
    announcer.look(took, watched=True)
    announcer.look(took + rested, watched=True)
    assert len(rung) == (told if rested >= SETTLED else 0)


def test_an_end_that_is_none_any_more_is_not_told() -> None:
    """The bell had rung just before, and by the time it may again work has begun."""
    stage = Stage(lambda: 1.0)
    rung: list[str] = []
    announcer = Announcer(stage.state, UNICODE, rung.append, lambda _title: None)
    stage.ready()
    stage.act(SendPrompt(ROOT, "go"))
    announcer.look(0.0, watched=False)
    stage.end_turn()
    announcer.look(1.0, watched=False)
    key = stage.ask_permission()
    announcer.look(2.0, watched=False)
    stage.withdraw(key)
    announcer.look(2.5, watched=False)
    assert len(rung) == 1
    assert announcer.has_more
    stage.act(SendPrompt(ROOT, "go"))
    announcer.look(3.0, watched=False)
    announcer.look(9.0, watched=False)
    assert len(rung) == 1


def test_a_question_that_is_over_before_the_bell_may_ring_is_not_told() -> None:
    stage = Stage(lambda: 1.0)
    rung: list[str] = []
    announcer = Announcer(stage.state, UNICODE, rung.append, lambda _title: None)
    stage.ready()
    stage.ask_permission(call="a")
    announcer.look(1.0, watched=False)
    stage.withdraw(stage.ask_permission(call="b"))
    second = stage.ask_permission(call="c")
    announcer.look(1.5, watched=False)
    for request in (second, stage.state.waiting()[0].key):
        stage.withdraw(request)
    announcer.look(2.0, watched=False)
    announcer.look(9.0, watched=False)
    assert len(rung) == 1


def test_a_pause_between_two_turns_is_no_end_and_each_run_has_its_own_time() -> None:
    stage = Stage(lambda: 1.0)
    rung: list[str] = []
    announcer = Announcer(stage.state, UNICODE, rung.append, lambda _title: None)
    stage.ready()
    stage.begin_task("b1", "npm test")
    stage.act(SendPrompt(ROOT, "go"))
    announcer.look(0.0, watched=True)
    stage.end_turn()
    announcer.look(LONG_RUN, watched=True)
    stage.act(SendPrompt(ROOT, "on"))
    announcer.look(LONG_RUN + 1.0, watched=True)
    stage.end_turn()
    announcer.look(LONG_RUN + 2.0, watched=True)
    announcer.look(LONG_RUN + 1.9 + SETTLED, watched=True)
    assert rung == []  # it rests since the second end
    announcer.look(LONG_RUN + 2.0 + SETTLED, watched=True)
    assert rung == ["The agents are done · 1 task still working"]
    stage.end_task("b1")
    announcer.look(2 * LONG_RUN, watched=True)
    announcer.look(2 * LONG_RUN + SETTLED, watched=True)
    assert len(rung) == 1  # the task alone took no long time


def test_the_title_names_what_is_new_only_when_no_agent_works() -> None:
    stage = Stage(lambda: 1.0)
    stage.ready()
    stage.act(SendPrompt(ROOT, "go"))
    stage.say("News.")
    assert window_title(stage.state, UNICODE) == "▶ 1 · canopy"
    stage.end_turn()
    assert window_title(stage.state, UNICODE) == "● 1 · canopy"


def test_who_is_told_and_how() -> None:
    assert notify_setting({}) == BELL
    assert notify_setting({"CANOPY_NOTIFY": "Desktop"}) == DESKTOP
    assert notify_setting({"CI": "true"}) == notify_setting({"TERM": "dumb"}) == OFF
    assert notify_setting({"CI": "true", "CANOPY_NOTIFY": "bell"}) == BELL
    assert notify_setting({"CI": "false", "CANOPY_NOTIFY": "loud"}) == BELL


def test_a_count_does_not_flicker() -> None:
    count = Steady()
    assert [count.shown(2, 1.0), count.shown(0, 1.2), count.shown(1, 1.3)] == [2, 2, 1]
    assert [count.shown(0, 1.5), count.shown(0, 1.7), count.shown(0, 1.2)] == [1, 0, 0]


# --- colours --------------------------------------------------------------------------------------


def luminance(colour: Color) -> float:
    """Relative luminance as WCAG 2 defines it."""
    parts = [value / 255 for value in (colour.r, colour.g, colour.b)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """The ratio of WCAG 2."""
    high, low = sorted((luminance(Color.parse(one)), luminance(Color.parse(other))), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_text_can_be_read_on_every_ground(theme: object) -> None:
    grounds = [theme.background, theme.surface, theme.panel, theme.variables["raised"]]  # type: ignore[attr-defined]
    inks = ["primary", "secondary", "accent", "warning", "error", "success", "foreground"]
    for ground in grounds:
        for ink in (*(getattr(theme, name) for name in inks), theme.variables["quiet"]):  # type: ignore[attr-defined]
            assert contrast(ink, ground) >= 4.5, (ink, ground)
