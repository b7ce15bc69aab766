"""300 hostile strings in the slots of one line or one field: banners, pages, lists, fields to
write in, and what is written to the terminal itself (B73).

Every widget is the real one, on a running app; a slot that is cut gets each string alone.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pytest
from textual.widgets import OptionList, Static

from canopy_shared.elicitation_fields import TextField
from canopy_shared.ext.canopy_controls import AgentUse, Limit, ModelUse, UsageReport
from canopy_shared.ext.goal import Goal
from canopy_shared.updates import AvailableCommandsUpdate, Command
from canopy_tui.desk.desktop import Desktop
from canopy_tui.model import events as e
from canopy_tui.model.catalogue import ListedSession, Query
from canopy_tui.model.changes import ChangedFile, Edit
from canopy_tui.model.efforts import rows_of
from canopy_tui.model.entries import ChangesEntry
from canopy_tui.model.glyphs import UNICODE
from canopy_tui.model.intents import AnswerElicitation, RenameSession
from canopy_tui.model.shelf import Pasted, Picture
from canopy_tui.model.state import AgentLink, QueuedPrompt
from canopy_tui.view.apps.announcer import DESKTOP
from canopy_tui.view.apps.app import CanopyApp
from canopy_tui.view.bars.footer import FooterLine
from canopy_tui.view.bars.goal_banner import GoalBanner
from canopy_tui.view.bars.link_banner import LinkBanner
from canopy_tui.view.composer.attachment_strip import AttachmentStrip
from canopy_tui.view.composer.queue_strip import QueueStrip
from canopy_tui.view.controls.usage_page import UsagePage
from canopy_tui.view.drawing.labels import marks_of
from canopy_tui.view.requests.elicitation_fields import FieldRow, start_value
from canopy_tui.view.requests.request_screen import RequestScreen
from canopy_tui.view.screens.history_screen import SHOWN, HistoryScreen
from canopy_tui.view.screens.review_screen import ReviewScreen
from canopy_tui.view.screens.task_screen import TaskScreen
from canopy_tui.view.screens.timeline_screen import TimelineRows, TimelineScreen
from canopy_tui.view.stored.session_picker import SearchLine, SessionPicker
from canopy_tui.view.tree import task_row
from hostile import HOSTILE, harmless
from tui_app.playing import WIDE, Play, playing
from tui_app.stage import ROOT, Stage
from tui_app.test_hostile_text import staged, texts_of
from tui_transcript.drawing import paper, text_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CAN = {"sessionCapabilities": {"list": {}}}
INDEX = {"jetbrains": {"air": {"version": 1, "capabilities": ["sessionIndex"]}}}
MARKUP = "[red]x[/red]"


def plain(widget: Any) -> str:
    """What a widget of a line or two would draw."""
    content = widget.visual if isinstance(widget, Static) else widget.render()
    return str(content.plain)


def checked(shown: str, text: str, *, lines: int = 10_000) -> None:
    """``text`` stands there, harmless; Textual makes spaces of tabs."""
    shown = shown.replace("\t", " ")
    assert harmless(shown), (text, shown)
    assert shown.count("\n") < lines, (text, shown)
    if text.startswith(MARKUP):
        assert MARKUP in shown, (text, shown)


def of_the_main_screen(play: Play) -> dict[str, Callable[[str], str]]:
    """What draws a string in each of its small parts."""
    main = play.app.main
    banner, goal, queue = (main.query_one(one) for one in (LinkBanner, GoalBanner, QueueStrip))
    strip, footer = AttachmentStrip(), main.query_one(FooterLine)

    def link(text: str) -> str:
        banner.show(AgentLink(status="lost", detail=text, stderr=text))
        return plain(banner)

    def goals(text: str) -> str:
        goal.show(Goal(text, 2, text))
        return plain(goal)

    def queued(text: str) -> str:
        prompt = QueuedPrompt(1, text)
        queue.show([prompt], early=[text], steering=[prompt], steers=True)
        return plain(queue)

    def attached(text: str) -> str:
        picture = Picture(text, "image/png", "", 1, 1)
        strip.show({"[Pasted 1: 9 lines]": Pasted(text), "[Image 1]": picture})
        return "\n".join(strip._line(*one).plain for one in strip._held.items())

    def said(text: str) -> str:
        footer.say(text)
        return plain(footer)

    return {"link": link, "goal": goals, "queue": queued, "attachments": attached, "footer": said}


async def test_b73_banners_strips_and_rows_of_the_main_screen() -> None:
    async with playing((200, 40)) as play:
        stage, main = play.stage, play.app.main
        for widget in main.query("#link-banner, #goal, #queue"):
            widget.display = True
        await play.settle()
        for draw in of_the_main_screen(play).values():
            for text in HOSTILE:
                if text not in {"", "$"}:
                    checked(draw(text), text, lines=7)
        main.say("")
        key = stage.begin_task("b1", "a task")
        task = stage.state.tasks[key]
        screen = TaskScreen(stage.state, key, marks_of(UNICODE), UNICODE, lambda: 2.0)
        for text in HOSTILE:
            for facts in (
                {"name": text, "tail": text},
                {"name": "", "description": text, "summary": text},
                {"name": "", "id": text, "kind": text, "output_file": text},
            ):
                odd = replace(task, **facts)  # type: ignore[arg-type]
                lines = task_row.rows(odd, 2.0, 80, UNICODE)
                checked("\n".join(line.plain for line in lines), "", lines=2)
                checked(screen._facts(odd).plain, "", lines=3)


def test_b73_the_usage_page() -> None:
    for text in HOSTILE:
        stage = staged(text)
        view = stage.state.sessions[ROOT]
        view.model, view.currency = text, text
        report = UsageReport(
            plan=text,
            has_limits=True,
            limits=(Limit(text, 50.0, text), Limit("", 101.0)),
            cost=1.0,
            models=(ModelUse(text, 1), ModelUse("b", 2, cost=1.0)),
            agents=(AgentUse("kid", text, 1), AgentUse(text, text)),
        )
        view.controls = replace(view.controls, report=report)
        page = UsagePage(stage.state, ROOT, UNICODE, lambda: 1.0, read_only=False)
        shown = texts_of(list(page.items(80)))
        checked(shown, text)
        view.controls = replace(view.controls, report=None, report_error=text)
        checked(texts_of(list(page.items(40))), text)


async def test_b73_what_was_sent_before_the_timeline_and_the_review() -> None:
    stage = Stage(lambda: 1.0)
    stage.ready()
    for number, text in enumerate(HOSTILE):
        stage.spawn(f"k{number}", text)
    told = [replace(row, model=row.name) for row in rows_of(stage.state, None)]
    entry = ChangesEntry(at=1.0, paths=tuple(HOSTILE))
    root, marks = stage.state.sessions[ROOT], marks_of(UNICODE)
    review = ReviewScreen(stage.state, root, entry, marks, lambda _text: None)
    review._files = [
        ChangedFile(
            text, [("k0", Edit(text, text, f"{text}\nnew", 0)), (text, Edit(text, None, text))]
        )
        for text in HOSTILE[::2]
    ]
    for file in review._files:
        rows = text_of(review._edits_of(file)(paper(80)))
        assert harmless(rows), (file, rows)
    async with playing(WIDE) as play:
        history = HistoryScreen(HOSTILE, lambda: HOSTILE)
        await play.app.push_screen(history)
        shown = [option.prompt.plain for option in history.query_one(OptionList).options]  # type: ignore[union-attr]
        assert len(shown) == SHOWN
        assert all(harmless(one) and "\n" not in one for one in shown)
        for at, text in enumerate(history._found):
            history.on_option_list_option_highlighted(Highlighted(at))  # type: ignore[arg-type]
            checked(plain(history.query_one("#history-text")), text)
        timeline = TimelineScreen(lambda: told, lambda: "All", ascii_only=False)
        for screen in (history, timeline, review):
            if screen is not history:
                await play.app.push_screen(screen)
            await play.settle()
            assert harmless(play.text), play.text
        checked(plain(timeline.query_one(TimelineRows)), "")
        checked(plain(review.query_one("#review-files")), "")


@dataclass
class Highlighted:
    """A line of a list is under the cursor."""

    option_index: int

    def stop(self) -> None:
        """Nobody else is told."""


async def test_b73_a_session_that_is_looked_into_and_renamed() -> None:
    rows = [
        ListedSession(id=f"{n}", cwd="/w", title=text)
        for n, text in enumerate(HOSTILE)
        if n % 6 == 0
    ]

    async def peek(session: str, _where: str) -> str:
        return HOSTILE[int(session)]

    async with playing(WIDE, peek=peek) as play:
        play.stage.apply(e.LinkChanged(status="ready", at=1.0, capabilities=CAN, meta=INDEX))
        await play.press("f2")
        query = Query("/home/ada/till")
        play.stage.apply(e.SessionsAsked(query), e.SessionsListed(query, tuple(rows), None))
        await play.settle()
        picker, line = play.screen, play.screen.query_one(SearchLine)
        assert isinstance(picker, SessionPicker)
        for at in range(len(rows)):
            picker._list.move(1)
            row = picker._list.current
            assert row is not None, at
            await picker._get_words(row, peek)
            checked(plain(picker.query_one("#session-facts")), HOSTILE[int(row.id)])

            picker.action_rename()
            assert harmless(line.value), line.value
            assert "\n" not in line.value
            if at % 15 == 0:
                await play.settle()
                assert harmless(play.text), play.text
            picker.action_pick()
        assert not [one for one in play.stage.acted if isinstance(one, RenameSession)]


async def test_b73_fields_begin_with_what_an_agent_wrote() -> None:
    """Defaults of a form, its placeholders, commands and suggestions that a key takes."""
    async with playing() as play:
        for text in HOSTILE[::7]:
            for field in (
                TextField(key="a", title=text, description=text, default=text),
                TextField(key="q", title=text, custom_answer_to="a", default=text),
            ):
                row = FieldRow(field, start_value(field), 0)
                line = row._line()
                assert harmless(line.value + line.placeholder), text
                assert "\n" not in line.value + line.placeholder
                assert row._typed(line.value) == text
            row = FieldRow(TextField(key="a", max_length=9999, default=text), text, 0)
            assert harmless(row._begins_with(multiline=True).replace("\t", " ")), text
        area = play.app.main.composer.area
        for text in HOSTILE[::10]:
            for put in (area.begin_with, area.show_text, area.put):
                put(text)
                assert not CONTROLS & set(area.text), text
        play.app.main.composer.area.load_text("")
        play.stage.update(AvailableCommandsUpdate((Command("x\x1b[2Jy\x00", "\x1b"),)))
        await play.write("/x")
        await play.press("tab")
        assert play.draft == "/x[2Jy "

        string = {"type": "string", "description": WORST, "default": WORST}
        long = {**string, "maxLength": 5000}
        key = play.stage.ask_form({"type": "object", "properties": {"a": string, "b": long}}, WORST)
        await play.press("f4")
        await play.until(lambda: isinstance(play.screen, RequestScreen), "the form")
        await play.settle()
        assert harmless(play.text), play.text
        play.clock.pass_by(60)
        await play.press("ctrl+enter")
        # Nobody wrote anything, so what is sent is what was offered.
        assert play.stage.acted[-1] == AnswerElicitation(key, "accept", {"a": WORST, "b": WORST})


WORST = "\x1b]52;c;eA==\x07[red]x[/red]\x00\x9bm"
CONTROLS = {chr(code) for code in (*range(32), *range(127, 160), 0xD800)} - {"\n", "\t"}


async def test_b73_nothing_but_whole_sequences_goes_to_the_terminal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The title of the window, the notice of the desktop, the clipboard of the terminal."""
    written: list[str] = []
    some = [*HOSTILE[::23], *(text for text in HOSTILE if "\ud800" in text)]
    async with playing(notify=DESKTOP, bell=True) as play:
        app, stage = play.app, play.stage
        assert app._driver is not None
        monkeypatch.setattr(app._driver, "write", written.append)
        monkeypatch.setattr(CanopyApp, "is_headless", property(lambda _app: False))
        app.app_focus = False
        for text in some:
            play.clock.pass_by(5)
            stage.spawn("kid", text)
            stage.withdraw(stage.ask_permission(title=text, session="kid"))
            stage.end_child("kid")
        notices = [one for one in written if one.startswith("\x1b]9;")]
        titles = [one for one in written if one.startswith("\x1b]2;")]
        assert len(notices) == len(some)
        assert len(titles) >= len(some)
        for one in (*notices, *titles):
            assert one.endswith("\x07")
            assert harmless(one[4:-1]), one
            assert "\n" not in one
            one.encode()
        del written[:]
        for text in some:
            app.copy_to_clipboard(text)
        for text, one in zip(some, written, strict=True):
            assert (one[:7], one[-1]) == ("\x1b]52;c;", "\x07")
            copied = base64.b64decode(one[7:-1], validate=True).decode()
            assert copied == text.replace("\ud800", "\ufffd")
        del written[:]
        app.copy("a\ud800b")
        await play.until(lambda: app.clipboard == "a\ufffdb", "the copy")
        monkeypatch.undo()
        assert app.is_running
        for text in some:
            app.tell(text, 60.0)
        assert harmless(plain(app.main.query_one(FooterLine)))
        toasts: list[str] = []
        monkeypatch.setattr(app, "notify", lambda words, **_facts: toasts.append(words))
        app.action_show_keys()
        await play.settle()
        for text in some:
            app.tell(text, 60.0)
        assert len(toasts) == len(some)
        assert all(harmless(one.replace("\t", " ")) for one in toasts)


ODD_PLACES = ("http://[", "https://[x]y/", "https://exa\u2100mple.org", "file://[", "/a" * 3000)


async def test_b73_no_address_and_no_path_ends_the_client(tmp_path: Path) -> None:
    async with playing(directory=str(tmp_path), desktop=Desktop({"PATH": ""})) as play:
        app = play.app
        for text in (*ODD_PLACES, *(f"https://a/{one}" for one in HOSTILE[::20])):
            for ask in (app.ask_open, app.ask_file):
                ask(text)
                if app.screen is not app.main:
                    app.screen.dismiss(True)
                    await play.settle()
            app.main.composer.add_text(text)
            app.main.composer.area.load_text("")
        await play.settle()
        assert app.is_running
