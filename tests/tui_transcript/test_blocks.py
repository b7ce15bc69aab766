"""Each kind of entry as rows: its words, what it folds, and foreign text shown literally."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from canopy_shared.content import (
    AudioContent,
    Diff,
    EmbeddedResource,
    ImageContent,
    Location,
    ResourceLink,
    TextContent,
    ToolContent,
    UnknownContent,
)
from canopy_shared.updates import PlanEntry as PlanStep
from canopy_tui.model.entries import (
    AnyEntry,
    ChildEntry,
    NoticeEntry,
    PlanEntry,
    Role,
    RuleEntry,
    ToolEntry,
)
from canopy_tui.model.source import source_of
from canopy_tui.model.state import PendingRequest, Phase
from canopy_tui.model.values import value_lines
from canopy_tui.view.blocks.child import card as child_card
from canopy_tui.view.blocks.look import Look
from canopy_tui.view.blocks.tool import state_of
from canopy_tui.view.drawing.strips import ASCII
from tui_transcript.drawing import INK, all_rows, drawn, layout_of, paper, text_of
from tui_transcript.samples import (
    AT,
    BUILD,
    THOUGHT,
    add,
    add_child,
    message,
    text_content,
    tool,
    tour,
    world,
)


def shown(entry: AnyEntry, width: int = 60, **look: bool) -> str:
    """One entry as text."""
    layout = layout_of(world(entry), width)
    layout.set_look(0, Look(**look))
    return text_of(all_rows(layout))


# --- messages ------------------------------------------------------------------------------------


def test_a_prompt_is_shown_as_typed() -> None:
    assert shown(message("**not** markdown\n  <b>", Role.USER)) == "❯ **not** markdown\n    <b>"


def test_a_long_prompt_is_folded() -> None:
    prompt = message("\n".join(f"line {number}" for number in range(50)), Role.USER)
    lines = shown(prompt).split("\n")
    assert len(lines) == 12
    assert lines[-1] == "  … 39 more lines [space]"
    assert len(shown(prompt, expanded=True).split("\n")) == 50


def test_what_a_session_was_told_names_who_told_it() -> None:
    state = world()
    add_child(state, "explore#2")
    state.sessions["main"].entries += [
        message("Find **all**", Role.PARENT, peer="explore#2"),
        message(USED + "\nFound them", Role.CHILD, peer="explore#2"),
        message("Lost", Role.CHILD, peer="nobody"),
    ]
    assert drawn(state).split("\n") == [
        "❯ prompt from explore#2",
        "  Find all",
        "",
        "❯ from explore#2 · used Read, Grep",
        "  Found them",
        "",
        "❯ from nobody",
        "  Lost",
    ]


def test_a_thought_shows_its_start_when_complete_and_its_end_while_it_grows() -> None:
    lines = shown(message(THOUGHT, Role.THOUGHT), 50).split("\n")
    assert lines[0] == "✻ Planning the fix"
    assert len(lines) == 4
    assert "more lines [space]" in lines[3]
    growing = shown(message(THOUGHT, Role.THOUGHT, settled=False), 50)
    assert growing.endswith("Then fix the types.")
    assert len(growing.split("\n")) == 3
    whole = shown(message(THOUGHT, Role.THOUGHT), 50, expanded=True)
    assert whole.startswith("✻ Planning the fix\n\n")
    assert whole.endswith("Then fix the types.")


def test_an_answer_outside_a_turn_is_marked() -> None:
    assert shown(message("Late.\n\nMore.", after_turn="background")) == "↻ Late.\n\n  More."


def test_a_message_without_text_takes_no_room() -> None:
    state = world(message("one"), message(""), message("  \n"), message("two"))
    assert drawn(state) == "  one\n\n  two"


USED = "<tools-used-before-summary>Read, Grep</tools-used-before-summary>"
NO_OUTPUT = "(Bash completed with no output)"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (ImageContent("A" * 4096, "image/png"), "[image PNG, 3 kB] [o: open]"),
        (
            ImageContent("", "image/png", "file:///a b.png"),
            "[image PNG, 0 B file:///a b.png] [o: open]",
        ),
        (AudioContent("A" * 8_000_000, "audio/wav"), "[audio WAV, 5 MB]"),
        (ResourceLink("file:///a.py", "a.py"), "@a.py (file:///a.py) [o: open]"),
        (ResourceLink("a.py", "a.py"), "@a.py [o: open]"),
        (ResourceLink("u", "n", title="Title"), "@Title (u) [o: open]"),
        (EmbeddedResource({"uri": "u", "text": "a\nb"}), "[resource u, 2 lines]"),
        (EmbeddedResource({"uri": "u", "blob": "AAAA"}), "[resource u, 3 B]"),
        (EmbeddedResource({}), "[resource , empty]"),
        (
            UnknownContent("hologram", {}),
            "[content of a kind this version does not show: hologram]",
        ),
    ],
)
def test_other_content_has_a_placeholder(content: Any, words: str) -> None:
    assert shown(message("", extras=[content]), 80) == f"  {words}"
    plain = words.removesuffix(" [o: open]")
    assert plain in shown(message("See", Role.USER, extras=[content]), 80)
    call = tool("t", content=(ToolContent(content),))
    if not isinstance(content, UnknownContent):
        assert words in shown(call, 80, expanded=True)


# --- tool calls ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("entry", "line"),
    [
        (tool("Read a.py", kind="read"), "✓ Read a.py"),
        (tool("Find `src` `*.py`", kind="search"), "✓ Find src *.py"),
        (tool("make `x`", kind="execute"), "✓ $ make `x`"),
        (tool("make", kind="execute", status="in_progress"), "▶ $ make  running"),
        (tool("make", kind="execute", status="pending"), "◌ $ make"),
        (tool("make", kind="execute", status="pending", waits=True), "! $ make  asks"),
        (tool("make", status="in_progress", backgrounded=True), "▶ make  in background"),
        (tool("make", status="failed"), "✗ make  failed"),
        (tool("make", has_terminal=True, exited=True, exit_code=2), "✗ make  failed  exit 2"),
        (
            tool("x", has_terminal=True, exited=True, exit_code=1, output="Exit code 3\nno"),
            "✗ x  failed  exit 3",
        ),
        (tool("make", has_terminal=True, output="a\nb\n"), "✓ make  2 lines"),
        (tool("make", has_terminal=True), "✓ make  no output"),
        (tool("make", has_terminal=True, output=NO_OUTPUT), "✓ make  no output"),
        (tool("make", content=(text_content(NO_OUTPUT),)), "✓ make  no output"),
        (tool("", name="mcp__x__y"), "✓ x: y"),
        (tool(""), "✓ tool"),
        (
            tool("SendMessage", raw_input={"to": "kid", "summary": "go", "message": "x"}),
            "✓ SendMessage  kid · go",
        ),
        (
            tool("SendMessage", content=(text_content('{"success":false,"message":"nobody"}'),)),
            "✓ SendMessage  nobody",
        ),
        (
            tool("CronList", content=(text_content("one job\nanother"),)),
            "✓ CronList  one job",
        ),
        (
            tool(
                "Asking for your input",
                name="AskUserQuestion",
                content=(
                    text_content(
                        'Your questions have been answered: "Which?"="A". You can now go on.'
                    ),
                ),
            ),
            "✓ Asking for your input  Which? A",
        ),
        (
            tool("x", content=(ToolContent(ImageContent("AAAA", "image/png")),)),
            "✓ x  1 image",
        ),
        (tool("a\nb\tc"), "✓ a b c"),
        (tool("make", ended_at=AT + 3.24), "✓ make  3.2s"),
        (tool("make", ended_at=AT + 130), "✓ make  2m10"),
        (tool("grep", kind="search", content=(text_content("a\nb"),)), "✓ grep  2 matches"),
        (tool("grep", kind="search", content=(text_content("a"),)), "✓ grep  1 match"),
        (
            tool("ls", kind="search", content=(text_content("Found 3 files\na\nb"),)),
            "✓ ls  3 files",
        ),
        (tool("Read", kind="read", content=(text_content("```\na\nb\n```"),)), "✓ Read  2 lines"),
    ],
)
def test_the_line_of_a_call(entry: ToolEntry, line: str) -> None:
    assert shown(entry).split("\n")[0] == line


def test_state_words_cover_what_a_call_can_be() -> None:
    assert state_of(tool("x", status="strange")) == "pending"
    ended = tool("x", backgrounded=True, exited=True, exit_code=0)
    assert state_of(ended) == "done"
    assert state_of(tool("x", backgrounded=True)) == "background"


def test_a_narrow_line_drops_what_matters_least() -> None:
    entry = tool(
        "pytest -q tests",
        kind="execute",
        has_terminal=True,
        exited=True,
        exit_code=1,
        ended_at=AT + 9,
    )
    assert [shown(entry, width).split("\n")[0] for width in (60, 40, 32)] == [
        "✗ $ pytest -q tests  failed  exit 1  9.0s",
        "✗ $ pytest -q tests  failed  exit 1",
        "✗ $ pytest -q tests  failed",
    ]


def test_a_long_title_leaves_room_for_the_result() -> None:
    entry = tool("x" * 200, has_terminal=True, exited=True, exit_code=1)
    line = shown(entry, 40).split("\n")[0]
    assert line.endswith("…  failed  exit 1")
    assert len(line) == 40


def test_an_edit_shows_its_first_lines_and_expands_to_all() -> None:
    diff = Diff("/p/a.py", "\n".join(map(str, range(30))), None)
    entry = tool("Write a.py", kind="edit", content=(diff,))
    lines = shown(entry).split("\n")
    assert lines[0] == "✓ Write a.py  new file  +30"
    assert lines[1] == "   1 + 0"
    assert lines[-1] == "  … 20 more lines [space]"
    assert shown(entry, expanded=True).count("\n") == 30


def test_several_changes_have_titles_and_their_line_numbers() -> None:
    diffs = (Diff("/p/a.py", "new", "old"), Diff("/p/b.py", "x", "y"))
    places = (Location("/p/a.py", 7), Location("/p/b.py", 70))
    text = shown(tool("Edit", content=diffs, locations=places), expanded=True)
    assert text.split("\n") == [
        "✓ Edit",
        "  /p/a.py  +1  -1",
        "  7 - old",
        "  7 + new",
        "  /p/b.py  +1  -1",
        "  70 - y",
        "  70 + x",
    ]


def test_an_expanded_call_shows_input_contents_and_output() -> None:
    entry = tool(
        "run",
        raw_input={"command": "run", "timeout": 5, "env": {"A": "1"}, "script": "a\nb"},
        content=(text_content("**done**"),),
        has_terminal=True,
        output="out\n",
    )
    assert shown(entry, expanded=True).split("\n") == [
        "✓ run  5 · a b  out",
        "  timeout: 5",
        "  env:",
        "    A: 1",
        "  script:",
        "    a",
        "    b",
        "  done",
        "  ▎out",
    ]


def test_raw_output_is_shown_when_there_is_nothing_else() -> None:
    entry = tool("mcp", raw_output={"items": [1, {"a": None}], "ok": True})
    assert shown(entry, expanded=True).split("\n")[1:] == [
        "  items:",
        "    - 1",
        "    - a: null",
        "  ok: true",
    ]


@pytest.mark.parametrize("status", ["in_progress", "failed"])
def test_the_end_of_output_is_in_sight_while_it_runs_and_when_it_failed(status: str) -> None:
    output = "\n".join(f"line {number}" for number in range(100))
    lines = shown(tool("make", status=status, has_terminal=True, output=output)).split("\n")
    assert lines[1] == "  … 95 more lines [space]"
    assert lines[-1] == "  ▎line 99"
    assert len(lines) == 7


def test_a_failure_without_a_terminal_says_why() -> None:
    entry = tool("Edit", status="failed", content=(text_content("```\nno such file\n```"),))
    assert shown(entry).split("\n") == ["✗ Edit  failed", "  ▎no such file"]


def test_output_keeps_its_colours_and_nothing_else() -> None:
    rows = all_rows(layout_of(world(tool("t", status="failed", has_terminal=True, output=BUILD))))
    colours = {text: style.color for row in rows for text, style in row.runs}
    assert colours["AssertionError"] == INK.error.color
    assert colours["213 passed"] == INK.success.color
    assert "\x1b" not in text_of(rows)


@pytest.mark.parametrize(
    "output",
    [
        pytest.param("\n".join(map(str, range(200_000))), id="200,000 lines"),
        pytest.param("x" * 1_000_000, id="one long line"),
        pytest.param("word " * 200_000, id="one long line of words"),
        pytest.param("\x1b[31mx\x1b[0m\n" * 100_000, id="colours"),
    ],
)
def test_huge_output_is_bounded_and_its_end_is_shown(output: str) -> None:
    entry = tool("make", has_terminal=True, output=output)
    lines = shown(entry, expanded=True).split("\n")
    assert len(lines) < 1_000
    content = tool("make", content=(text_content(output),))
    assert len(shown(content, expanded=True).split("\n")) < 1_000
    if output.endswith("199999"):
        assert lines[-1] == "  ▎199999"
        assert lines[1] == "  … 199,800 more lines [v]"


def test_the_raw_view_shows_everything() -> None:
    output = "\n".join(f"line {number}" for number in range(1_000))
    entry = tool(
        "make",
        name="Bash",
        raw_input={"command": "make"},
        has_terminal=True,
        output=output,
        content=(text_content("**text**"), Diff("/p/a", "new", "old")),
        raw_output=["x"],
    )
    text = shown(entry, raw=True)
    for part in (
        "name: Bash",
        "command: make",
        "**text**",
        "before /p/a:",
        "old",
        "after /p/a:",
        "- x",
    ):
        assert part in text
    assert all(f"line {number}\n" in text for number in range(1_000))


def test_values_are_bounded_in_depth() -> None:
    deep: dict[str, Any] = {}
    for _ in range(100):
        deep = {"in": deep}
    assert value_lines(deep).count("in:") < 20
    assert value_lines({"a": [], "b": {}, "c": ""}) == "a: []\nb: {}\nc: "


# --- cards, rules, plans, notices ----------------------------------------------------------------


def card(width: int = 60, **facts: Any) -> str:
    state = world(ChildEntry(at=AT, child="kid", run=facts.pop("of_run", 1)))
    asks = facts.pop("asks", False)
    entries = facts.pop("entries", [])
    add_child(state, "kid", **facts).entries += entries
    if asks:
        request = PendingRequest(
            key=1, session="kid", kind="permission", payload=None, summary="", at=AT
        )
        state.requests.append(request)
    return drawn(state, width)


def test_a_card_tells_how_the_child_stands() -> None:
    work = [tool("a"), tool("b"), tool("c"), message("x\n" * 40)]
    running = card(66, title="explore#2", phase=Phase.RUNNING, activity="grep", entries=work)
    assert running == "▶ explore#2 · grep · 3 tools · 41 lines of text  [enter: open]"
    assert card(phase=Phase.DONE) == "✓ kid · done  [enter: open]"
    failed = card(phase=Phase.FAILED, phase_reason="no key", entries=[tool("a")])
    assert failed == "✗ kid · failed · no key · 1 tool  [enter: open]"
    assert card(phase=Phase.CANCELLED) == "⊘ kid · stopped  [enter: open]"
    assert card(phase=Phase.RUNNING, asks=True) == "! kid · asks · running  [enter: open]"
    assert card(phase=Phase.RUNNING, run=2) == "✓ kid · earlier run  [enter: open]"
    assert card(title="", task="Do it\nnow") == "◌ Do it now · idle  [enter: open]"


def test_a_card_is_one_line_at_any_width() -> None:
    for width in (20, 30, 44, 80):
        line = card(width, title="long name " * 10, phase=Phase.RUNNING, activity="reading files")
        assert "\n" not in line
        assert line.endswith("[enter: open]")
    gone = world(ChildEntry(at=AT, child="never seen"))
    assert "never seen · gone" in drawn(gone)


@pytest.mark.parametrize(
    ("kind", "text", "running", "words"),
    [
        ("turn_end", "end_turn", 0, "turn of main ended "),
        ("turn_end", "end_turn", 1, " · 1 agent still working"),
        ("turn_end", "end_turn", 2, " · 2 agents still working"),
        ("turn_end", "cancelled", 0, "turn of main stopped "),
        ("turn_end", "max_tokens", 0, "ended at the token limit"),
        ("turn_end", "disconnected", 0, "cut off: the agent is gone"),
        ("turn_end", "new reason", 0, "ended: new reason"),
        ("after_turn", "background", 0, "↻ background · after the turn of "),
        ("after_turn", "task-notification", 0, "↻ follow-up: a background task reported"),
        ("after_turn", "[b]odd", 0, "↻ [b]odd"),
        ("resumed", "New task\nmore", 0, "works again: New task ─"),
        ("resumed", "", 0, "works again ─"),
    ],
)
def test_rules_say_what_they_part(kind: str, text: str, running: int, words: str) -> None:
    line = shown(RuleEntry(at=AT, kind=kind, text=text, running=running), 70)
    assert words in line
    assert len(line) == 70
    assert line.startswith("── ")
    assert line.endswith("──")


def test_a_plan_is_a_checklist() -> None:
    steps = (
        PlanStep("Find", "completed"),
        PlanStep("Fix [b]it[/b]\nall", "in_progress"),
        PlanStep("Run", "pending"),
        PlanStep("Odd", "odd"),
    )
    assert shown(PlanEntry(at=AT, steps=steps)).split("\n") == [
        "  Plan  1 of 4 done",
        "  ✓ Find",
        "  ▶ Fix [b]it[/b]",
        "    all",
        "  ◌ Run",
        "  ◌ Odd",
    ]
    assert shown(PlanEntry(at=AT, document="# Plan\n- a")) == "  Plan\n\n  • a"


def test_notices_say_how_serious_and_what_helps() -> None:
    detail = "\n".join(f"line {number}" for number in range(20))
    notice = NoticeEntry(
        at=AT, severity="error", title="The agent ended.", detail=detail, action="restart_agent"
    )
    lines = shown(notice).split("\n")
    assert lines[0] == "✗ error: The agent ended."
    assert lines[1] == "  … 15 more lines [space]"
    assert lines[-2:] == ["  line 19", "  [enter: restart agent]"]
    assert len(shown(notice, expanded=True).split("\n")) == 22
    assert shown(NoticeEntry(at=AT, severity="warning", title="Low")) == "! warning: Low"
    assert shown(NoticeEntry(at=AT, severity="info", title="[link=x]Hi")) == "i [link=x]Hi"


def test_tools_and_cards_stand_close_and_others_apart() -> None:
    state = world(
        message("a"), tool("one"), tool("two"), ChildEntry(at=AT, child="kid"), message("b")
    )
    add_child(state, "kid")
    assert drawn(state).split("\n") == [
        "  a",
        "",
        "✓ one",
        "✓ two",
        "◌ kid · idle  [enter: open]",
        "",
        "  b",
    ]


def test_ascii_needs_no_other_glyphs() -> None:
    state = tour()
    root = state.sessions["main"]
    root.entries = [entry for entry in root.entries if "日" not in getattr(entry, "text", "")]
    layout = layout_of(state)
    layout.redraw(paper(81, ASCII))
    for index in range(len(layout)):
        for expanded in (False, True):
            layout.set_look(index, Look(expanded))
            foreign = text_of(all_rows(layout)).replace("✓", "").replace("✗", "")
            assert foreign.replace("·", "").isascii()


# --- foreign text --------------------------------------------------------------------------------

NASTY = (
    "[/",
    "[b",
    "[red]x",
    "\\[",
    "[@click=app.quit]x",
    "[/]",
    "[link=https://e.org]y[/link]",
    "$primary",
    "{x}",
    "%s",
    ":smile:",
    "[bold]",
    "]",
    "[[",
    "&lt;",
)
HIDDEN = ("\x1b[31mx", "\x9b2J", "\x00", "a\u202eb", "\ud800", "\x1b]0;t\x07", "\u200b", "\x7f")


def everywhere(text: str) -> list[AnyEntry]:
    """Entries that hold ``text`` in every place that a foreign text can have."""
    return [
        message(text, Role.USER, extras=[ResourceLink(text, text, title=text)]),
        message(text, Role.PARENT, peer=text),
        message(f"`{text}`" if "[" not in text else f"```\n{text}\n```", Role.THOUGHT),
        message(f"```\n{text}\n```"),
        message("", extras=[UnknownContent(text, {}), ImageContent("", text, text)]),
        tool(
            text,
            name=text,
            raw_input={text: text, "k": [text]},
            content=(text_content(f"```\n{text}\n```"),),
        ),
        tool(
            "x",
            content=(Diff(text, f"{text}\nnew", f"{text}\nold"),),
            locations=(Location(text, 1),),
        ),
        tool("x", status="failed", has_terminal=True, output=text, raw_output=text),
        tool("x", raw_output={text: text}),
        RuleEntry(at=AT, kind="turn_end", text=text),
        RuleEntry(at=AT, kind="after_turn", text=text),
        RuleEntry(at=AT, kind="resumed", text=text),
        PlanEntry(
            at=AT,
            steps=(PlanStep(text, "pending"), PlanStep(text, text)),
            document=f"```\n{text}\n```",
        ),
        NoticeEntry(at=AT, severity=text, title=text, detail=text, action=text),
        ChildEntry(at=AT, child="kid"),
    ]


def all_looks(text: str) -> list[list[str]]:
    """Per entry, its text in every look."""
    state = world(*everywhere(text))
    add_child(state, "kid", title=text, activity=text, phase=Phase.RUNNING)
    state.sessions["main"].title = text
    layout = layout_of(state, 120)
    found: list[list[str]] = []
    for index in range(len(layout)):
        looks = []
        for look in (Look(), Look(expanded=True), Look(raw=True)):
            layout.set_look(index, look)
            rows = [
                row
                for block in range(layout.block_count(index))
                for row in layout.rows(index, block)
            ]
            looks.append(text_of(rows))
            assert all("@click" not in style.meta for row in rows for _, style in row.runs)
            assert all(style.link is None for row in rows for _, style in row.runs)
        found.append(looks)
    return found


@pytest.mark.parametrize("text", NASTY)
def test_markup_is_shown_literally_everywhere(text: str) -> None:
    for looks in all_looks(text):
        assert any(text in shown for shown in looks)


@pytest.mark.parametrize("text", HIDDEN)
def test_control_codes_are_seen_and_not_obeyed_anywhere(text: str) -> None:
    for looks in all_looks(text):
        for shown_text in looks:
            for line in shown_text.split("\n"):
                assert not any(ord(char) < 32 or 0x7F <= ord(char) < 0xA0 for char in line)
                assert not set(line) & set("\u202e\ud800\u200b")


# --- copying -------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [*NASTY, *HIDDEN, "# **md**\r\n\ttab  \n\n", "日本👩\u200d💻"])
def test_copying_gives_the_exact_text(text: str) -> None:
    state = world()
    for role in Role:
        assert source_of(message(text, role), state) == text
    assert source_of(tool("t", has_terminal=True, output=text), state) == text
    assert source_of(tool("t", content=(text_content(text),)), state) == text
    assert source_of(tool("t", content=(Diff("p", text, "old"),)), state) == text
    assert source_of(tool("t", raw_output=text), state) == text
    assert source_of(NoticeEntry(at=AT, severity="info", title=text), state) == text


def test_copying_other_entries() -> None:
    state = world()
    add_child(state, "kid", task="Do it")
    steps = (PlanStep("a", "completed"), PlanStep("b", "in_progress"), PlanStep("c", "pending"))
    assert source_of(PlanEntry(at=AT, steps=steps), state) == "- [x] a\n- [-] b\n- [ ] c"
    assert source_of(PlanEntry(at=AT, document="# P"), state) == "# P"
    assert source_of(ChildEntry(at=AT, child="kid"), state) == "Do it"
    assert source_of(ChildEntry(at=AT, child="gone"), state) == "gone"
    assert source_of(RuleEntry(at=AT, kind="turn_end", text="end_turn"), state) == "end_turn"
    assert source_of(tool("only a title"), state) == "only a title"
    notice = NoticeEntry(at=AT, severity="error", title="T", detail="D")
    assert source_of(notice, state) == "T\nD"
    assert source_of(message("", extras=[TextContent("x")]), state) == "x"


def test_a_card_counts_what_has_settled_only_once() -> None:
    state = world()
    kid = add_child(state, "kid", phase=Phase.RUNNING)
    entry = ChildEntry(at=AT, child="kid")
    growing = message("one", settled=False)
    for one in (tool("a"), message("x\ny"), growing):
        add(state, one, "kid")
    assert child_card(entry, state).words[-2:] == ("1 tool", "3 lines of text")
    growing.chunks.append("\ntwo\n")
    add(state, tool("b"), "kid")
    assert child_card(entry, state).words[-2:] == ("2 tools", "5 lines of text")
    growing.settled = True
    add(state, message("z"), "kid")
    assert child_card(entry, state).words[-2:] == ("2 tools", "6 lines of text")
    state.sessions["kid"] = replace(kid, entries=[])
    assert child_card(entry, state).words == ("running",)
