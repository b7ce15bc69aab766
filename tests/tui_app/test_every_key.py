"""Every key of the table does its action where it is said to work, and so does every clickable
part; a key or place that is added comes under this by itself.

Actions are noted instead of carried out, so that one screen bears all its keys one after another.
What each action does is tested where it belongs.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from canopy_shared.ext import air
from canopy_shared.ext.goal import Goal
from canopy_shared.ext.goal import wrap as goal_meta
from canopy_tui.model import events as e
from canopy_tui.model.catalogue import ListedSession, Query
from canopy_tui.model.efforts import rows_of
from canopy_tui.model.entries import ChangesEntry
from canopy_tui.model.glyphs import UNICODE
from canopy_tui.model.intents import SendPrompt
from canopy_tui.view.apps.replay_app import ReplayApp
from canopy_tui.view.drawing.clicks import ACTION
from canopy_tui.view.drawing.labels import marks_of
from canopy_tui.view.keyboard import caret_keys, keys
from canopy_tui.view.keyboard.keys import Group, Key
from canopy_tui.view.keyboard.lone_keys import AnsweredByKeys
from canopy_tui.view.requests.request_screen import RequestScreen
from canopy_tui.view.screens.history_screen import HistoryScreen
from canopy_tui.view.screens.review_screen import ReviewScreen
from canopy_tui.view.screens.task_screen import TaskScreen
from canopy_tui.view.screens.timeline_screen import TimelineScreen
from tui_app.playing import Play, key_event, playing
from tui_app.stage import ROOT

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

ALL = {
    name: group
    for name, group in (vars(keys) | vars(caret_keys)).items()
    if isinstance(group, Group)
}
ELSEWHERE = {
    "ANSWERS": "no bindings: test_requests gives each of them",
    "USAGE": "read by the page in view: test_controls presses them",
    "SERVERS": "read by the page in view: test_controls presses them",
    "PLAYBACK": "of another app: replay/test_replay_app, and below",
    "INSPECTION": "of another app: inspect_sessions/test_inspect_app",
    **dict.fromkeys(("CARET", "AREA"), "of fields of other screens: test_caret_keys"),
    **dict.fromkeys(
        (
            *("FIND", "HELP", "PALETTE", "PALETTE_LINE", "COMPLETION", "PREVIEW", "DETAIL"),
            *("CHOICES", "BUTTON", "SWITCH", "LINE", "CONFIRM", "TRUST", "LOGIN", "PROBLEM"),
            *("REASON", "LEADS", "LEADS_LIST"),
        ),
        "test_remapped_keys presses them, on other keys",
    ),
}
TYPED = {
    "send": "enter",
    "newline": "ctrl+j,alt+enter,shift+enter",
    "complete": "tab",
    "list-up": "up",
    "list-down": "down",
    "list-take": "tab",
    "list-take-or-send": "enter",
    "list-close": "escape",
}
"""Keys that a field reads itself: test_composer, test_writing and test_forms press them."""


VIEW = Path(keys.__file__).parent
NAMED = {
    found.rpartition(".")[2]
    for file in VIEW.glob("*.py")
    for found in re.findall(r'clickable\(\s*"([\w.]+)"', file.read_text(encoding="utf-8"))
}
"""The actions of all clickable parts, but for those that stand for a key."""
CLICKED_ELSEWHERE = {
    "stop_turn",  # test_loading
    "toggle_ended",  # test_ended
    "show_sessions",  # only where a stored session is inspected
}

FIRST = {one: key for key in keys.EVERYWHERE.keys if key.first for one in key.keys.split(",")}
"""They reach the app before any screen, which goes on to what is in front."""


class Notes:
    """Stands before ``App.run_action``; ``of`` are names and arguments of what was wanted."""

    def __init__(self, play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
        self.of: list[tuple[str, tuple[Any, ...]]] = []
        self._app = play.app
        monkeypatch.setattr(play.app, "run_action", self.run_action)

    async def run_action(
        self, action: Any, default_namespace: Any = None, namespaces: Any = None
    ) -> bool:
        """As Textual finds it, but not carried out."""
        default = self._app if default_namespace is None else default_namespace
        target, name, given = self._app._parse_action(action, default, namespaces)
        if not target.check_action(name, given):
            return False
        if name.startswith("scroll_") and not getattr(target, "allow_vertical_scroll", True):
            return False  # Textual's own, which goes on to the next where nothing scrolls
        assert any(hasattr(target, f"{lead}{name}") for lead in ("action_", "_action_")), (
            target,
            name,
        )
        self.of.append((name, tuple(given)))
        return True


def wanted(key: Key, play: Play) -> tuple[str, tuple[Any, ...]]:
    """The name and arguments of the action of a key."""
    _, name, given = play.app._parse_action(key.action, play.app)
    return name.rpartition(".")[2], tuple(given)


async def family(play: Play) -> None:
    """Something in every part of the main screen."""
    stage = play.stage
    stage.spawn("kid", "fix tests")
    stage.spawn("other", "lint")
    stage.begin_task("b1", "npm test")
    stage.say("words\n\n[a link](https://example.org)")
    stage.call("c", "Read a.py", kind="read", status="completed", locations=())
    stage.tell(goal_meta(Goal("all tests pass", 2, "")))
    stage.act(SendPrompt(ROOT, "go"))
    stage.act_queue("one", "two")
    stage.ask_permission(session="other")
    stage.usage(50_000)
    stage.state.sessions[ROOT].model = "opus"
    stage.say("news", session="kid")
    play.app.main.composer.add_text("pasted\n" * 50)
    await play.settle()


async def in_message(play: Play) -> None:
    play.app.main.composer.area.focus()


async def in_transcript(play: Play) -> None:
    play.app.main.transcript.focus()


async def in_tree(play: Play) -> None:
    play.app.main.agents.focus()


async def in_tree_name(play: Play) -> None:
    await play.app.action_name_agents()
    await play.write("fix")


async def in_background(play: Play) -> None:
    play.app.main.background.focus()


async def in_task(play: Play) -> None:
    await play.app.push_screen(
        TaskScreen(play.stage.state, f"{ROOT}/b1", marks_of(UNICODE), UNICODE)
    )


async def in_review(play: Play) -> None:
    state = play.stage.state
    entry = ChangesEntry(at=1.0, paths=("/home/ada/till/a.py", "/home/ada/till/b.py"))
    await play.app.push_screen(
        ReviewScreen(state, state.sessions[ROOT], entry, marks_of(UNICODE), play.app.copy)
    )


async def in_history(play: Play) -> None:
    await play.app.push_screen(HistoryScreen(["a", "b"], lambda: []))


async def in_timeline(play: Play) -> None:
    rows = rows_of(play.stage.state, None)
    await play.app.push_screen(TimelineScreen(lambda: rows, lambda: "", ascii_only=False))


async def in_controls(play: Play) -> None:
    play.app.action_show_options()


async def in_sessions(play: Play) -> None:
    can = {"sessionCapabilities": {name: {} for name in ("list", "fork", "delete", "close")}}
    index = air.wrap(capabilities=[air.SESSION_INDEX])
    play.stage.apply(e.LinkChanged(status="ready", at=1.0, capabilities=can, meta=index))
    play.app.action_show_sessions()
    await play.settle()
    query, row = Query("/home/ada/till"), ListedSession(id="old", cwd="/", title="Old")
    play.stage.apply(e.SessionsAsked(query), e.SessionsListed(query, (row,), None))


async def in_permission(play: Play) -> None:
    play.stage.ask_permission()
    await requested(play)


async def in_form(play: Play) -> None:
    play.stage.ask_form({"type": "object", "properties": {"a": {"type": "boolean"}}})
    await requested(play)


async def in_link(play: Play) -> None:
    play.stage.ask_page("https://example.org/")
    await requested(play)


async def requested(play: Play) -> None:
    """The request is in front and its keys count."""
    newest = play.stage.state.waiting()[-1].key
    play.app.action_next_request(-1)
    await play.until(lambda: isinstance(play.screen, RequestScreen), "the request")
    assert play.screen.key == newest  # type: ignore[attr-defined]
    await play.settle()
    play.clock.pass_by(60)


async def in_followed(play: Play) -> None:
    play.app.action_toggle_follow()
    await play.settle()
    play.app.main.query_one("#followed-file").focus()


PLACES: dict[str, Callable[[Play], Awaitable[None]]] = {
    "EVERYWHERE": in_message,
    "SLOTS": in_message,
    "COMPOSER": in_message,
    "EDITING": in_message,
    "TRANSCRIPT": in_transcript,
    "TREE": in_tree,
    "TREE_NAME": in_tree_name,
    "BACKGROUND": in_background,
    "TASK": in_task,
    "REVIEW": in_review,
    "HISTORY": in_history,
    "TIMELINE": in_timeline,
    "CONTROLS": in_controls,
    "SESSIONS": in_sessions,
    "PERMISSION": in_permission,
    "FORM": in_form,
    "LINK": in_link,
    "FOLLOWED": in_followed,
}


async def test_every_key_does_its_action_where_it_works(monkeypatch: pytest.MonkeyPatch) -> None:
    assert set(ALL) == set(PLACES) | set(ELSEWHERE)
    bare = {key.id: key.keys for group in ALL.values() for key in group.keys if not key.action}
    assert bare == TYPED | {key.id: key.keys for key in keys.ANSWERS.keys}
    async with playing((140, 36), opens_requests=False) as play:
        await family(play)
        done: set[Any] = set()
        for name, go in PLACES.items():
            await go(play)
            await play.settle()
            with monkeypatch.context() as patch:
                notes = Notes(play, patch)
                mine = [key for key in ALL[name].keys if key.action]
                presses = [
                    (one, FIRST.get(one, key)) for key in mine for one in key.keys.split(",")
                ]
                presses.sort(key=lambda press: press[0] not in FIRST)  # those overtake the others
                for one, _ in presses:
                    if isinstance(play.screen, AnsweredByKeys):
                        await play.press(one)
                    else:
                        play.app.post_message(key_event(one))
                await play.settle()
                expected = [wanted(key, play) for _, key in presses]
                assert notes.of == expected, (name, [one for one, _ in presses])
                await clicked(play, notes, done)
            for request in play.stage.state.waiting()[1:]:
                play.stage.withdraw(request.key)
            while not play.app.shows_main:
                play.app.pop_screen()
                await play.settle()
    names = {name for name, _ in done} | CLICKED_ELSEWHERE
    assert names >= NAMED, NAMED - names
    own = {binding.key: binding.action for binding in ReplayApp.BINDINGS}  # type: ignore[union-attr]
    assert own == {key.keys: key.action for key in keys.PLAYBACK.keys}


async def clicked(play: Play, notes: Notes, done: set[Any]) -> None:
    """Click every part in front that does something and is not ``done``."""
    parts: dict[Any, tuple[int, int]] = {}
    for y, strip in enumerate(play.screen._compositor.render_strips()):
        x = 0
        for segment in strip:
            found = (segment.style.meta if segment.style else {}).get(ACTION)
            if found is not None and play.screen in play.screen.get_widget_at(x, y)[0].ancestors:
                parts.setdefault((found[0].rpartition(".")[2], tuple(found[1])), (x, y))
            x += segment.cell_length
    for part in parts.keys() - done:
        place = parts[part]
        notes.of.clear()
        await play.pilot.click(offset=place)
        await play.settle()
        assert notes.of == [part], (part, place)
    done.update(parts)
