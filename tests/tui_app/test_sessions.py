"""The list of stored sessions: search, directories, what can be done with one, what is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from canopy_shared.ext import air
from canopy_tui.kept.storage import Drafts
from canopy_tui.model import events as e
from canopy_tui.model import intents as i
from canopy_tui.model.catalogue import ALL, ListedSession, Query
from canopy_tui.model.shelf import Draft
from canopy_tui.model.state import Problem
from canopy_tui.view.keyboard.key import NO_KEY
from canopy_tui.view.stored.session_picker import SessionPicker
from tui_app.playing import NARROW, WIDE, Play, playing
from tui_app.stage import ROOT

if TYPE_CHECKING:
    from pathlib import Path

HERE = "/home/ada/till"
CAN = {"sessionCapabilities": {name: {} for name in ("list", "fork", "delete", "close")}}
OLD = ListedSession(
    id="old-1", cwd=HERE, title="Fix the rounding", updated_at="2026-01-02T03:04:05Z", model="opus"
)
OTHER = ListedSession(
    id="old-2", cwd=HERE, title="Write [b]notes[/b] \x1b[31m日本", state="running"
)
AWAY = ListedSession(id="old-3", cwd="/srv/shop", title="The shop", archived=True)


INDEXED = air.wrap(capabilities=[air.SESSION_INDEX])


class Trusted:
    """Trusts what it is told to."""

    def __init__(self, *directories: str) -> None:
        self.known = set(directories)
        self.kept: list[tuple[str, bool]] = []

    def holds(self, directory: str) -> bool:
        return directory in self.known

    def give(self, directory: str, *, keep: bool) -> None:
        self.known.add(directory)
        self.kept.append((directory, keep))

    def found(self, directory: str) -> tuple[str, ...]:
        return (".mcp.json", "CLAUDE.md")


async def opened(play: Play, *rows: ListedSession, index: bool = True) -> SessionPicker:
    """The list, with one page of this directory."""
    play.stage.apply(
        e.LinkChanged(status="ready", at=1.0, capabilities=CAN, meta=INDEXED if index else {})
    )
    await play.press("f2")
    await listed(play, Query(HERE), *rows)
    assert isinstance(play.screen, SessionPicker)
    return play.screen


async def listed(play: Play, query: Query, *rows: ListedSession, cursor: str | None = None) -> None:
    assert i.ListSessions(query) in play.stage.acted
    play.stage.apply(e.SessionsAsked(query), e.SessionsListed(query, rows, cursor))
    await play.settle()


@pytest.mark.parametrize("size", [WIDE, NARROW, (44, 12)])
async def test_a_session_is_found_and_opened_by_keys(size: tuple[int, int]) -> None:
    async def peek(session: str, _cwd: str) -> str:
        return f"The last words of {session}"

    async with playing(size, peek=peek) as play:
        await opened(play, OLD, OTHER)
        assert "Fix the rounding" in play.text
        assert "[b]notes[/b] ␛[31m" in play.text
        if size[1] > 12:
            assert "archived too" in play.text  # the last of the keys
            await play.shows("last words of old-1")
        await play.write("NOTES")  # as it is written, since it has capitals
        assert "No session fits" in play.text
        await play.press("escape")
        await play.write("notes")
        assert "Fix the rounding" not in play.text
        await play.press("enter")
        assert play.stage.acted[-1] == i.LoadSession("old-2", HERE, OTHER.title, ROOT)
        assert not isinstance(play.screen, SessionPicker)


async def test_what_can_be_done_with_a_stored_session() -> None:
    async with playing() as play:
        await opened(play, OLD, OTHER)
        await play.press("down", "ctrl+r")
        assert "Write the new title" in play.text
        await play.press("ctrl+u")
        await play.write("Notes")
        await play.press("enter")
        assert play.stage.acted[-1] == i.RenameSession("old-2", "Notes")
        play.stage.apply(e.StoredSessionChanged("old-2", title="Notes"))
        await play.shows("Notes")
        await play.press("ctrl+e")
        assert play.stage.acted[-1] == i.ArchiveSession("old-2", True)
        play.stage.apply(e.StoredSessionChanged("old-2", archived=True))
        await play.shows_no("Notes")
        await play.press("ctrl+t")
        await listed(play, Query(HERE, ALL), OLD, AWAY)
        assert "archived" in play.text
        await play.press("ctrl+d", "enter")  # Enter does not delete
        assert not any(isinstance(act, i.DeleteSession) for act in play.stage.acted)
        await play.press("y")
        assert play.stage.acted[-1] == i.DeleteSession("old-1")
        play.stage.apply(e.StoredSessionChanged("old-1", deleted=True))
        await play.shows_no("Fix the rounding")
        await play.press("ctrl+f")
        assert play.stage.acted[-1] == i.ForkSession("old-3", "/srv/shop", "The shop", ROOT)


async def test_all_directories_and_the_next_page_are_asked_for() -> None:
    async with playing() as play:
        await opened(play)
        assert "No sessions in this directory yet" in play.text
        await play.press("ctrl+a")
        await listed(play, Query(), OLD, AWAY, cursor="more")
        assert "/srv/shop" in play.text
        assert play.stage.acted[-1] == i.ListSessions(Query(), more=True)
        play.stage.apply(e.SessionsAsked(Query(), more=True), e.ListingFailed(Query(), "no disk"))
        await play.shows("no disk")
        assert "Fix the rounding" in play.text
        await play.press("f5")
        assert play.stage.acted[-1] == i.ListSessions(Query())
        await play.press("escape")
        assert not isinstance(play.screen, SessionPicker)


async def test_what_the_agent_cannot_do_is_not_offered() -> None:
    async with playing(WIDE) as play:
        await opened(play, OLD, index=False)
        assert "^F copy" in play.text
        assert "^R title" not in play.text
        acted = len(play.stage.acted)
        await play.press("ctrl+r", "ctrl+e")
        assert len(play.stage.acted) == acted
        assert "Write the new title" not in play.text


async def test_clicks_open_and_a_session_that_is_open_is_gone_to() -> None:
    async with playing() as play:
        await opened(play, OLD, ListedSession(id=ROOT, cwd=HERE, title="This one"))
        await play.pilot.click("#session-list", offset=(10, 1))
        await play.settle()
        await play.pilot.click("#session-list", offset=(10, 1))
        await play.settle()
        assert not isinstance(play.screen, SessionPicker)
        assert not any(isinstance(act, i.LoadSession) for act in play.stage.acted)


async def test_another_directory_is_opened_once_it_is_trusted() -> None:
    trust = Trusted(HERE)
    async with playing(trust=trust) as play:
        await opened(play, AWAY)
        await play.press("enter")
        assert "/srv/shop" in play.text
        assert "Do you trust" in play.text
        await play.press("enter", "n")
        assert trust.kept == []
        assert not any(isinstance(act, i.LoadSession) for act in play.stage.acted)
        await play.press("enter", "o")
        assert trust.kept == [("/srv/shop", False)]
        assert play.stage.acted[-1] == i.LoadSession("old-3", "/srv/shop", "The shop", ROOT)


async def test_a_session_that_another_client_has_is_opened_after_a_question() -> None:
    async with playing(held_elsewhere=lambda _session: "(process 7)") as play:
        await opened(play, OLD)
        await play.press("enter")
        assert "Another Canopy (process 7)" in play.text
        await play.press("n")
        assert not any(isinstance(act, i.LoadSession) for act in play.stage.acted)
        await play.press("enter", "y")
        assert isinstance(play.stage.acted[-1], i.LoadSession)


@pytest.mark.parametrize(("answer", "started"), [("y", 1), ("o", 1), ("n", 0), ("escape", 0)])
async def test_nothing_starts_before_the_directory_is_trusted(answer: str, started: int) -> None:
    trust = Trusted()
    async with playing(NARROW, ready=False, trust=trust) as play:
        await play.shows(HERE)
        await play.shows("It holds .mcp.json, CLAUDE.md.")
        await play.press("enter")
        assert play.stage.started == 0
        await play.press(answer)
        code = None if started else 0
        await play.until(
            lambda: (play.stage.started, play.app.return_code) == (started, code), "the answer"
        )
        assert trust.kept == ([(HERE, answer == "y")] if started else [])


async def test_a_letter_of_a_word_trusts_nothing() -> None:
    trust = Trusted()
    async with playing((40, 10), ready=False, trust=trust) as play:
        for text in ("Yes, I trust", "Only this", "No: leave"):
            await play.shows(text)  # below words that scroll
        await play.write("you, only now: no")
        await play.until(lambda: play.draft == "you, only now: no", "the message")
        assert play.app.screen is not play.app.main
        assert (trust.kept, play.stage.started) == ([], 0)
        await play.press("o")
        await play.until(lambda: play.stage.started == 1, "the answer")
        assert play.draft == "you, only now: no"


async def test_a_session_that_was_left_behind_is_offered_with_its_draft(tmp_path: Path) -> None:
    left: Any = ListedSession(id="old-1", cwd=HERE, title="Fix it")

    class Left:
        session, cwd, title = left.id, left.cwd, left.title

    drafts = Drafts(tmp_path)
    drafts.keep(HERE, "old-1", Draft("half wri"))
    kept: dict[str, Any] = {
        "draft": drafts.get(HERE),
        "draft_of": drafts.get,
        "on_draft": lambda session, draft: drafts.keep(HERE, session, draft),
    }
    async with playing(ready=False, left=Left(), **kept) as play:
        await play.shows("“Fix it”")
        assert play.stage.started == 0
        await play.press("y")
        await play.until(lambda: play.stage.started == 1, "the start")
        play.stage.ready()
        await play.settle()
        assert play.stage.acted[-1] == i.LoadSession("old-1", HERE, "Fix it", ROOT)
        opened = e.SessionOpened(session="old-1", at=2.0, cwd=HERE)
        play.stage.apply(opened, e.SessionClosed(session=ROOT))
        await play.until(lambda: play.app.open_session == "old-1", "the old session")
        assert play.draft == "half wri"
        await play.until(lambda: drafts.get("old-1").text == "half wri", "the draft")
        assert drafts.get(ROOT).text == ""


async def test_a_problem_is_told_and_leads_on() -> None:
    async with playing() as play:
        problem = Problem("There is no such session", "\x1b[2J[red]", "Pick one", "sessions")
        play.stage.apply(e.ProblemMet(problem))
        await play.shows("There is no such session")
        assert "␛[2J[red]" in play.text
        await play.press("s")
        assert isinstance(play.screen, SessionPicker)
        await play.press("escape")
        play.stage.apply(e.ProblemMet(Problem("Once more")))
        await play.shows("Once more")
        await play.press("escape")
        await play.shows_no("Once more")
        lines = "\n".join(f"line {n} is wrong" for n in range(60))
        play.stage.apply(e.ProblemMet(Problem("More than the terminal has rows", lines)))
        await play.shows("Close")
        play.screen.query_one(".small-words").scroll_end(animate=False)
        await play.shows("line 59 is wrong")


async def test_keys_can_be_changed_and_wrong_settings_are_told() -> None:
    fault = "config.toml, line 3: there is no key 'tre'; is it 'tree'?"
    around = {
        "keymap": {"sessions": "f11", "palette": NO_KEY},
        "faults": (fault,),
        "theme": "canopy-light",
    }
    async with playing((100, 60), still=True, **around) as play:
        await play.shows("line 3")
        assert "Some of your settings are wrong ─" in play.text
        assert play.app.theme == "canopy-light"
        await play.press("escape", "f2")
        assert not isinstance(play.screen, SessionPicker)
        await play.shows("F1 keys")
        assert "no key" not in play.lines[-1]
        await play.press("f1")
        await play.shows("F11")
        await play.press("escape", "f11")
        assert isinstance(play.screen, SessionPicker)


async def test_the_list_that_the_client_keeps_itself_says_so_and_forgets() -> None:
    async with playing(WIDE) as play:
        play.stage.apply(e.LinkChanged(status="ready", at=1.0, remembers=True))
        await play.press("f2")
        await listed(play, Query(HERE), OLD)
        await play.shows("1 session that Canopy remembers: this agent keeps no list")
        await play.press("ctrl+d")
        await play.shows("Canopy lists it no longer")
        await play.press("y")
        assert play.stage.acted[-1] == i.DeleteSession("old-1")
