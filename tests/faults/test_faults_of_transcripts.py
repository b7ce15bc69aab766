"""What a transcript shows: B33, B48, B50, B57, B61, B63, B64, B66, B73, B75, B76 in the client."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import pytest

from canopy_shared.content import (
    Diff,
    ImageContent,
    Location,
    ResourceLink,
    ToolContent,
    UnknownContent,
)
from canopy_shared.permission import PermissionOption
from canopy_shared.updates import PlanEntry as PlanStep
from canopy_tui.model.entries import (
    ChangesEntry,
    ChildEntry,
    CompactionEntry,
    NoticeEntry,
    PlanEntry,
    Role,
    RuleEntry,
)
from canopy_tui.model.export import as_json, as_markdown
from canopy_tui.model.leads import leads_of
from canopy_tui.view.blocks.look import Look
from canopy_tui.view.dialogs.preview import Preview
from canopy_tui.view.keyboard.key_guard import QUIET
from canopy_tui.view.requests.permission_answers import permission_answers
from canopy_tui.view.requests.permission_preview import preview_of
from canopy_tui.view.requests.request_screen import RequestScreen
from canopy_tui.view.transcript.finding import hits_in, pattern_of
from canopy_tui.view.transcript.viewport import Viewport
from hostile import HOSTILE, harmless
from tui_app.playing import NARROW, playing
from tui_transcript.drawing import all_rows, layout_of, paper, text_of, widest
from tui_transcript.samples import (
    AT,
    MAIN,
    add,
    add_child,
    grow,
    message,
    text_content,
    tool,
    world,
)

if TYPE_CHECKING:
    from canopy_tui.model.entries import AnyEntry
    from canopy_tui.model.state import ClientState

WIDTH = 60


def entries(text: str) -> list[AnyEntry]:
    """Every kind of entry with ``text`` in each of its slots."""
    call: dict[str, Any] = {
        "tool_call_id": text,
        "name": text,
        "raw_input": {text: [text], "a": text},
    }
    picture = ToolContent(ImageContent("AAAA", text))
    link = ToolContent(ResourceLink(text, text, title=text))
    odd = UnknownContent(text, {})
    return [
        message(text, Role.USER),
        message(text),
        message(text, Role.THOUGHT),
        message(text, Role.PARENT, peer=text),
        message("", extras=[ImageContent("AAAA", text), ResourceLink(text, text)]),
        tool(text, content=(text_content(text), picture, link, odd), raw_output=text, **call),
        tool(text, kind="execute", output=text, has_terminal=True, status="failed", **call),
        tool("E", content=(Diff(text, text + "new", text),), locations=(Location(text, 3),)),
        tool(text, raw_output={text: {text: text}}),
        ChildEntry(at=AT, child="kid"),
        RuleEntry(at=AT, kind="turn_end", text=text),
        RuleEntry(at=AT, kind="resumed", text=text),
        PlanEntry(at=AT, steps=(PlanStep(text, "pending"),), document=text),
        NoticeEntry(at=AT, severity="error", title=text, detail=text),
        ChangesEntry(at=AT, paths=(text,)),
        CompactionEntry(at=AT, summary=text, error=text),
    ]


def hostile_world(text: str) -> ClientState:
    """A session with all of them, and a child that is called so."""
    state = world()
    add_child(state, "kid", title=text, task=text, activity=text)
    for entry in entries(text):
        add(state, entry)
    return state


def test_b73_no_slot_of_a_transcript_lets_300_hostile_strings_through() -> None:
    assert len(set(HOSTILE)) == 300
    looks = (Look(), Look(expanded=True), Look(raw=True), Look(True, whole=True, split=True))
    for number, text in enumerate(HOSTILE):
        layout = layout_of(hostile_world(text), WIDTH)
        layout.set_all(looks[number % len(looks)])
        rows = all_rows(layout)
        shown = text_of(rows)
        assert harmless(shown), (text, shown)
        assert widest(rows) <= WIDTH, (text, shown)
        if "[red]x[/red]" in text:
            assert shown.count("[red]x[/red]") >= 6, (text, shown)
        assert all(not row.hit or row.hit in ("toggle", "open", "action") for row in rows)


def test_b73_nor_does_what_is_made_of_a_transcript() -> None:
    pattern = pattern_of("e")
    assert pattern is not None
    for text in HOSTILE[::3]:
        state = hostile_world(text)
        for entry in state.sessions[MAIN].entries:
            assert all(harmless(hit.line) for hit in hits_in(entry, MAIN, pattern, state))
            leads_of(entry, "/w")
        assert as_markdown(state, MAIN).count("<details>") >= 4
        assert as_json(state, MAIN)["session"]["entries"]
        call = tool(text, raw_input={"command": text, text: text}, content=(text_content(text),))
        edit = tool(text, raw_input={"file_path": text, "old_string": text, "new_string": "n"})
        for entry, split in product((call, edit), (False, True)):
            rows = preview_of(entry, "/w", split=split)(paper(90))
            assert harmless(text_of(rows)), text


def test_b33_b76_a_long_talk_draws_only_what_is_in_view() -> None:
    state = world()
    for number in range(20_000):
        add(state, message(f"answer {number}\n\n" + "word " * 40) if number % 2 else tool("Read"))
    view = Viewport(layout_of(state, 100), 40)
    view.settle()
    assert view.shown[-1][1].text.strip().startswith("word")
    assert view.layout.drawn_rows < 200
    view.jump(view.layout.total // 2)
    view.settle()
    assert view.layout.drawn_rows < 400
    growing = message("", settled=False)
    add(state, growing)
    view.changed([growing.key])
    view.to_end()
    for number in range(200):
        view.changed([grow(state, growing, f"part {number} of a long answer\n\n")])
        view.settle()
    assert view.layout.drawn_rows < 2_000
    assert "part 199" in view.shown[-1][1].text


def test_b55_output_is_shown_as_it_comes_and_once_at_the_end() -> None:
    state = world()
    entry = tool("run", kind="execute", status="in_progress", output="one\n", has_terminal=True)
    add(state, entry)
    layout = layout_of(state, WIDTH)
    layout.set_all(Look(expanded=True))
    assert "one" in text_of(all_rows(layout))
    entry.output, entry.status, entry.exited = "one\ntwo\n", "completed", True
    entry.raw_output = "one\ntwo\n"
    entry.revision += 1
    layout = layout_of(state, WIDTH)
    layout.set_all(Look(expanded=True))
    shown = text_of(all_rows(layout))
    assert (shown.count("one"), shown.count("two")) == (1, 1)


def test_b57_of_35000_lines_the_end_is_in_view_and_the_rest_is_reached() -> None:
    for lines in (5_000, 35_000):
        output = "\n".join(f"line {number}" for number in range(lines))
        layout = layout_of(world(tool("make", output=output, has_terminal=True)), 80)
        layout.set_look(0, Look(expanded=True))
        rows = text_of(all_rows(layout))
        assert f"line {lines - 1}" in rows
        assert rows.count("\n") < 300
        whole = layout_of(world(tool("make", output=output, has_terminal=True)), 80)
        whole.set_look(0, Look(expanded=True, whole=True))
        view = Viewport(whole, 40)
        view.settle()
        assert whole.drawn_rows < 200  # nothing but the end was drawn
        view.jump(0)
        view.settle()
        assert "line 0" in text_of(row for _, row in view.shown)
        assert abs(whole.total - lines) < lines // 5


def test_b57_20_megabytes_of_result_cost_what_is_in_view() -> None:
    text = "\n".join("\x00\x1bbinary " + "x" * 92 for _ in range(200_000))
    layout = layout_of(world(tool("cat", content=(text_content(text),))), 80)
    layout.set_look(0, Look(expanded=True))
    assert len(all_rows(layout)) < 700
    layout.set_look(0, Look(expanded=True, whole=True))
    view = Viewport(layout, 40)
    view.settle()
    view.jump(layout.total // 2)
    view.settle()
    assert layout.drawn_rows < 1_000
    assert all(harmless(row.text) for _, row in view.shown)


@pytest.mark.parametrize("fence", ["```", "````", "~~~", "```````"])
def test_b61_fences_in_output_end_no_frame(fence: str) -> None:
    output = f"before\n{fence}\n# no heading\n{fence}\n**not bold**"
    command = tool("cat `a`\n```\nb", kind="execute", output=output, has_terminal=True)
    layout = layout_of(world(command, message("after")), 80)
    layout.set_all(Look(expanded=True))
    shown = text_of(all_rows(layout))
    for line in output.split("\n"):
        assert line in shown
    assert "$ cat `a` ``` b" in shown
    outer = "`" * 8
    framed = tool("cat", content=(text_content(f"{outer}\n{output}\n{outer}"),))
    layout = layout_of(world(framed), 80)
    layout.set_all(Look(expanded=True))
    assert "**not bold**" in text_of(all_rows(layout))


def test_b63_b64_every_place_of_a_change_has_its_number_and_side_by_side_too() -> None:
    old = "\n".join("hit" if number % 30 == 0 else f"line {number}" for number in range(1, 211))
    entry = tool("Edit a", kind="edit", content=(Diff("/w/a", old.replace("hit", "new"), old),))
    for split in (False, True):
        layout = layout_of(world(entry), 120)
        layout.set_all(Look(expanded=True, whole=True, split=split))
        rows = [row.text for row in all_rows(layout)]
        assert "+7  -7" in rows[0]
        for place in range(30, 211, 30):
            changed = [row for row in rows if f"{place} + new" in row]
            assert len(changed) == 1
            assert split == (f"{place} - hit" in changed[0])
    crlf = tool("Edit", content=(Diff("/w/a", "a\r\nB\r\nc\r\n", "a\r\nb\r\nc\r\n"),))
    assert "+1  -1" in text_of(all_rows(layout_of(world(crlf), 80)))


def test_b64_what_is_copied_from_two_sides_is_the_new_one() -> None:
    entry = tool("Edit a", content=(Diff("/w/a", "one\nTWO\nthree\n", "one\ntwo\nthree\n"),))
    layout = layout_of(world(entry), 120)
    layout.set_all(Look(expanded=True, whole=True, split=True))
    rows = [row for row in all_rows(layout) if "│" in row.text]
    assert [row.text[row.gutter :].rstrip() for row in rows] == ["one", "TWO", "three"]


def test_b66_the_first_changed_line_is_in_view_and_places_outside_are_said() -> None:
    given = {"file_path": "/other/a.py", "old_string": "x = 1", "new_string": "x = 2"}
    rows = text_of(preview_of(tool("Edit", raw_input=given), "/w")(paper(80))[:4])
    assert "x = 2" in rows
    assert "outside the project" in rows
    for path, outside in (
        ("src/a.py", False),
        ("../a.py", True),
        ("/w/../x", True),
        ("/wide/a", True),
    ):
        change = tool("Edit", content=(Diff(path, "x = 2", "x = 1"),))
        first = text_of(preview_of(change, "/w")(paper(80))[:1])
        assert ("outside the project" in first) == outside, path
    here = tool("Bash", raw_input={"command": "cat <<'END' >a\nfirst\n\x1b[2Jsecond\nEND"})
    shown = text_of(preview_of(here, "/w")(paper(80)))
    assert "␛[2Jsecond" in shown
    assert "first" in shown


def test_b66_a_change_without_a_diff_says_that_it_is_outside() -> None:
    cell = {"new_source": "x"}
    for call, outside in (
        (tool("NotebookEdit", raw_input={"notebook_path": "/other/a.ipynb", **cell}), True),
        (tool("NotebookEdit", raw_input={"notebook_path": "/w/a.ipynb", **cell}), False),
        (tool("rm", kind="delete", raw_input={"n": 1}, locations=(Location("/o/[b]", 1),)), True),
        (tool("look", kind="read", raw_input={"n": 1}, locations=(Location("/o/b", 1),)), False),
    ):
        rows = text_of(preview_of(call, "/w")(paper(80)))
        assert ("outside the project" in rows.split("\n")[0]) == outside, rows


@pytest.mark.parametrize("width", [18, 30, 48, 80, 200])
def test_b66_a_warning_is_whole_at_every_width(width: int) -> None:
    path = "/other/" + "deep/" * 12 + "a.py"
    given = {"file_path": path, "old_string": "x", "new_string": "y", "replace_all": True}
    rows = preview_of(tool("Edit", raw_input=given), "/w")(paper(width))
    shown = [row.text for row in rows if row.text.strip()]
    if width >= len("  everywhere in the file"):
        assert sum("everywhere in the file" in row for row in shown) == 1
        assert sum("outside the project" in row for row in shown) == 1
        assert max(map(len, shown)) <= width
    assert shown[0].startswith("/other")


@pytest.mark.parametrize("told", [True, False])
def test_b63_a_snippet_that_stands_for_every_place_says_so(told: bool) -> None:
    given = {"file_path": "/w/a", "old_string": "a", "new_string": "b"}
    diff = (Diff("/w/a", "b", "a"),) if told else ()
    whole = (Diff("/w/a", "b\nb\n", "a\na\n"),)
    several = {"file_path": "/w/a", "edits": [{**given, "replace_all": True}]}

    def first(raw: Any, content: Any) -> str:
        entry = tool("Edit", kind="edit", raw_input=raw, content=content)
        return text_of(preview_of(entry, "/w")(paper(80))[:1])

    assert "everywhere" in first({**given, "replace_all": True}, diff)
    assert "everywhere" in first(several, diff)
    assert "everywhere" not in first({**given, "replace_all": False}, diff)
    assert "everywhere" not in first({**given, "replace_all": True}, whole)


def test_b50_answers_are_known_by_kind_and_never_by_place() -> None:
    def keys(*kinds: str) -> list[tuple[str, str]]:
        options = [PermissionOption(f"id{n}", f"n{n}", kind) for n, kind in enumerate(kinds)]
        return [(one.key, one.value) for one in permission_answers(options)]

    assert keys("reject_once", "allow_always", "allow_once") == [
        ("n", "id0"),
        ("a", "id1"),
        ("y", "id2"),
    ]
    assert keys("reject_once", "reject_once") == [("n", "id0"), ("2", "id1")]
    assert keys("allow_once") == [("y", "id0")]
    assert keys("from_the_future") == [("1", "id0")]


async def test_b48_a_plan_scrolls_to_its_end_with_the_answers_in_view() -> None:
    plan = "\n".join(f"{number}. step" for number in range(1, 301)) + "\n\n```sh\nthe end\n```"
    async with playing(NARROW) as play:
        part = {"type": "content", "content": {"type": "text", "text": plan}}
        play.stage.ask_permission(title="Ready to code?", kind="switch_mode", content=[part])
        await play.until(lambda: isinstance(play.screen, RequestScreen), "the request")
        await play.settle()
        play.clock.pass_by(QUIET + 0.01)
        for option in ("Yes", "Yes, allow all edits", "No"):
            assert option in play.text
        assert "1. step" in play.text
        play.screen.query_one(Preview).scroll_end(animate=False)
        await play.shows("the end")
        assert "Yes, allow all edits" in play.text


def test_b75_a_view_that_was_scrolled_up_holds_its_text() -> None:
    state = world()
    child = add_child(state, "kid")
    growing = message("", settled=False)
    add(state, growing)
    card = ChildEntry(at=AT, child="kid")
    pieces = [
        "```py\n",
        "x = 1\n",
        "```\n\n",
        "| a | b |\n|---|---|\n| 1 | 2 |\n\n",
        "text " * 9 + "\n\n",
    ]
    view = Viewport(layout_of(state, 80), 20)
    for number in range(300):
        view.changed([grow(state, growing, pieces[number % len(pieces)])])
        view.settle()
    view.move(-30)
    view.settle()
    top, offset = view.shown[0][1].text, view.shown[0][0]
    add(state, card)
    for number in range(500):
        child.activity = f"step {number}"
        keys = [grow(state, growing, pieces[number % len(pieces)]), card.key]
        view.changed(keys)
        view.settle()
        assert (view.shown[0][1].text, view.shown[0][0]) == (top, offset)
    assert view.new_below
    view.to_end()
    view.settle()
    assert "kid" in view.shown[-1][1].text


def test_b76_unfolding_everything_of_a_long_talk_draws_what_is_in_view() -> None:
    state = world()
    for number in range(5_000):
        add(state, tool(f"Read {number}", content=(text_content("line\n" * 50),)))
    view = Viewport(layout_of(state, 80), 40)
    view.settle()
    view.layout.set_all(Look(expanded=True))
    view.to_end()
    view.settle()
    assert view.layout.drawn_rows < 200
    view.layout.set_all(Look())
    view.to_end()
    view.settle()
    assert view.layout.total == pytest.approx(5_000, rel=0.01)
    assert "Read 4999" in view.shown[-1][1].text
