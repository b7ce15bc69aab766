"""300 hostile strings in every slot around the transcript: nothing steers, nothing is markup (B73).

The transcript itself is in ``faults/test_faults_of_transcripts``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rich.terminal_theme import DEFAULT_TERMINAL_THEME

from canopy_shared import jsonio
from canopy_shared.ext.canopy_controls import McpServer
from canopy_shared.updates import (
    AvailableCommandsUpdate,
    Command,
    ConfigChoice,
    ConfigOption,
    ConfigOptionUpdate,
)
from canopy_tui.model import events as e
from canopy_tui.model.catalogue import ListedSession, Query
from canopy_tui.model.efforts import report_of, rows_of
from canopy_tui.model.export import as_json, as_markdown, json_text
from canopy_tui.model.glyphs import UNICODE
from canopy_tui.model.login import LoginMethod, LoginNeed
from canopy_tui.model.state import Phase, Problem, Touched
from canopy_tui.plain.asking import question_of
from canopy_tui.plain.narrator import Narrator
from canopy_tui.view.apps.announcer import Announcer
from canopy_tui.view.controls.control_screen import ControlScreen
from canopy_tui.view.controls.options_page import OptionsPage
from canopy_tui.view.controls.servers_page import ServersPage
from canopy_tui.view.drawing.labels import marks_of
from canopy_tui.view.requests.request_screen import RequestScreen
from canopy_tui.view.screens.detail_screen import DetailScreen
from canopy_tui.view.screens.leads_screen import LeadsScreen
from canopy_tui.view.screens.login_screen import LoginScreen
from canopy_tui.view.screens.problem_screen import ProblemScreen
from canopy_tui.view.screens.trust_screen import TrustScreen
from canopy_tui.view.stored.session_picker import SessionPicker
from canopy_tui.view.transcript.export_rows import drawn_export
from faults.test_faults_of_transcripts import hostile_world
from hostile import HOSTILE, harmless
from tui_app.playing import WIDE, playing
from tui_app.stage import ROOT, Stage
from tui_transcript.drawing import paper
from tui_transcript.samples import MAIN

if TYPE_CHECKING:
    from collections.abc import Iterator

    from canopy_tui.view.controls.control_list import Item
    from tui_app.playing import Play

CAN = {"sessionCapabilities": {name: {} for name in ("list", "fork", "delete", "close")}}
OWN = {"steering": {"supported": True}, "canopy": {"version": 1, "controls": True}}


MARKUP = "[red]x[/red][@click=app.quit]y[/"


def together(number: int) -> Iterator[str]:
    """All strings, joined by so many, without those that only are long."""
    short = [one for one in HOSTILE if len(one) < 200]
    for at in range(0, len(short), number):
        yield " ".join(short[at : at + number])


def texts_of(items: list[Item]) -> str:
    """What the lines of a page say."""
    return "\n".join(part.plain for item in items for part in (item.head, *item.more))


def staged(text: str) -> Stage:
    """A session whose agent calls everything ``text``."""
    stage = Stage(lambda: 1.0)
    stage.ready(cwd=text, meta=OWN)
    stage.state.link.name = text
    choice = ConfigChoice(text, text, text)
    stage.update(
        ConfigOptionUpdate((ConfigOption(text, text, "select", text, None, text, (choice,)),))
    )
    stage.spawn("kid", text, task=text)
    return stage


def test_b73_names_of_options_servers_and_agents() -> None:
    for text in HOSTILE:
        stage = staged(text)
        view = stage.state.sessions[ROOT]
        options = OptionsPage(stage.state, ROOT, UNICODE, read_only=False)
        options.chosen(text)
        shown = texts_of(list(options.items(60)))
        view.controls = replace(
            view.controls,
            servers=(McpServer(text, text, text, (text,), text), McpServer("b", "connected", text)),
            servers_error=text,
        )
        servers = ServersPage(stage.state, ROOT, UNICODE, read_only=False)
        servers.chosen(text)
        shown += texts_of(list(servers.items(60)))
        shown += "".join(row.name + report_of(row) for row in rows_of(stage.state, None))
        assert harmless(shown), (text, shown)
        if "[red]x[/red]" in text:
            assert shown.count("[red]x[/red]") >= 5, (text, shown)


def test_b73_titles_and_notices_go_to_the_terminal_in_one_harmless_line() -> None:
    for text in HOSTILE:
        stage, written = staged(text), list[str]()
        announcer = Announcer(stage.state, UNICODE, written.append, written.append)
        stage.ask_permission(session="kid", title=text)
        announcer.look(1.0, watched=False)
        stage.state.sessions["kid"].phase = Phase.DONE
        announcer.look(9.0, watched=False)
        assert len(written) >= 2
        assert all(harmless(one) and "\n" not in one for one in written), (text, written)


def test_b73_plain_lines() -> None:
    for text in HOSTILE:
        stage = staged(text)
        narrator = Narrator(stage.state)
        touched = Touched(link=True, sessions={ROOT, "kid"})
        world = hostile_world(text)
        told = Narrator(world)
        entries = {(view.id, one.key) for view in world.sessions.values() for one in view.entries}
        lines = [*narrator.lines(touched), *narrator.rest()]
        lines += [*told.lines(Touched(entries=entries, sessions=set(world.sessions))), *told.rest()]
        key = stage.ask_permission(
            title=text, session="kid", options=[{"optionId": "o", "name": text, "kind": text}]
        )
        field = {"type": "string", "title": text, "description": text}
        option = {"const": text, "title": text, "description": text}
        schema = {"type": "object", "properties": {text: field, "q": {**field, "oneOf": [option]}}}
        stage.ask_form(schema, text)
        stage.ask_page("https://example.org/" + text, text)
        for request in stage.state.waiting():
            call = stage.state.sessions["kid"].entries[-1] if request.key == key else None
            lines += question_of(request, call).lines()  # type: ignore[arg-type]
        assert len(lines) > 10
        assert all(harmless(one.replace("\t", " ")) and "\n" not in one for one in lines), text


async def test_b73_exported_files() -> None:
    for number, text in enumerate(HOSTILE[::6]):
        state = hostile_world(text)
        kind = ("html", "svg")[number % 2]
        ink, marks = paper(90).ink, paper(90).marks
        page = await drawn_export(state, MAIN, kind, ink, marks, DEFAULT_TERMINAL_THEME)
        assert harmless(page), text
        assert "<script" not in page.lower()
        markdown = as_markdown(state, MAIN)
        assert harmless_file(markdown), text
        page.encode()
        written = json_text(state, MAIN)
        assert harmless_file(written), text
        if "\ud800" not in text:
            assert jsonio.loads(written) == jsonio.loads(jsonio.dumps(as_json(state, MAIN)))


def harmless_file(text: str) -> bool:
    """Whether a text can be shown in a terminal: no control codes but lines and tabs."""
    return not {c for c in text if (ord(c) < 32 and c not in "\n\t") or 0x7F <= ord(c) < 0xA0}


async def test_b73_lists_and_questions_over_the_main_screen() -> None:
    rows = [
        ListedSession(
            id=f"{n}-{text}",
            cwd=text,
            title=text,
            updated_at=text,
            model=text,
            state=text,
            forked_from=text,
        )
        for n, text in enumerate(HOSTILE)
    ]

    async def peek(_session: str, where: str) -> str:
        return where

    async with playing(WIDE, peek=peek) as play:
        stage = play.stage
        stage.apply(e.LinkChanged(status="ready", at=1.0, capabilities=CAN))
        stage.call("1", "x", kind="execute")
        [entry] = stage.state.sessions[ROOT].entries
        await play.press("f2")
        query = Query("/home/ada/till")
        stage.apply(e.SessionsAsked(query), e.SessionsListed(query, tuple(rows), None))
        await play.settle()
        assert isinstance(play.screen, SessionPicker)
        for _ in range(len(rows) // 20):
            check(play)
            await play.press("pagedown")
        await play.press("escape")

        await shown(play, LeadsScreen("Open", [f"{n} {text}" for n, text in enumerate(HOSTILE)]))
        for _ in range(len(HOSTILE) // 22):
            await play.press("pagedown")
            check(play)
        await play.press("escape")

        for text in (*together(20), MARKUP):
            entry.title = text  # type: ignore[union-attr]
            stage.state.login = LoginNeed(text, tried=text)
            stage.state.link.name = text
            stage.state.link.logins = (LoginMethod(id=text, name=text, description=text),)
            for screen in (
                DetailScreen(entry, text, marks_of(UNICODE)),  # type: ignore[arg-type]
                TrustScreen(text, at_start=True),
                ProblemScreen(Problem(text, text, text)),
                LoginScreen(stage.state, ()),
            ):
                await shown(play, screen)
                assert MARKUP in play.text or text != MARKUP
                play.app.pop_screen()
        stage.state.login = None


async def shown(play: Play, screen: object) -> None:
    """Show a screen, which must be harmless."""
    await play.app.push_screen(screen)  # type: ignore[call-overload]
    await play.settle()
    check(play)


def check(play: Play) -> None:
    """What is on screen steers nothing, and the app is there."""
    assert harmless(play.text), play.text
    assert play.app.return_code is None


async def test_b73_the_search_and_the_commands() -> None:
    async with playing(WIDE) as play:
        stage = play.stage
        commands = [Command(f"c{n}", text, text) for n, text in enumerate(HOSTILE)]
        stage.update(AvailableCommandsUpdate(tuple(commands)))
        for number, text in enumerate(HOSTILE):
            stage.spawn(f"kid-{number}", text) if number % 10 == 0 else None
            stage.say(f"needle {text}\n\n", message=f"m{number}")
        await play.press("ctrl+f", "tab")
        await play.write("needle")
        await play.until(lambda: len(play.app.find_panel.hits) >= 300, "the hits")
        for _ in range(30):
            await play.press("shift+enter")
            check(play)
        await play.press("escape")
        await play.write("/c1")
        for _ in range(10):
            await play.press("down")
            check(play)
        await play.press("escape", "ctrl+u", "ctrl+p")
        await play.write("agent")
        await play.settle()
        check(play)
        await play.press("escape", "f10")
        assert isinstance(play.screen, ControlScreen)
        check(play)
        await play.press("escape")
        stage.ask_permission(title=" ".join(together(20)))
        await play.press("f4")
        await play.until(lambda: isinstance(play.screen, RequestScreen), "the request")
        check(play)
