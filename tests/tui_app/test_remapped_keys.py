"""Every key is another one: each screen names it, and each key does what the usual one did."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import canopy_tui
from canopy_shared.content import Diff
from canopy_tui.model import events as e
from canopy_tui.model.intents import AnswerElicitation, SendPrompt
from canopy_tui.model.login import LoginNeed
from canopy_tui.model.state import Problem
from canopy_tui.settings.config_file import KeySetting
from canopy_tui.view.keyboard.key_choice import choose
from canopy_tui.view.screens.leads_screen import LeadsScreen
from canopy_tui.view.screens.trust_screen import TrustScreen
from canopy_tui.view.transcript.start_view import Scene
from tui_app.other_keys import IDS, OTHER, unnamed
from tui_app.playing import playing
from tui_app.stage import ROOT


async def test_no_screen_names_a_usual_key_and_the_others_work() -> None:
    assert len(OTHER) == len(IDS)
    entries = [KeySetting(id, (key,), "") for id, key in OTHER.items()]
    assert choose(entries).faults == []
    assert choose(entries).keymap == OTHER
    scenes = (Scene("Say hello", "hello", "it answers"),)
    async with playing(ready=False, keymap=OTHER, scenes=scenes, history=["said before"]) as play:
        stage, app = play.stage, play.app

        async def press(*ids: str) -> None:
            await play.press(*(OTHER[id] for id in ids))
            unnamed(play)

        async def over(what: type | str, *ids: str, close: str) -> None:
            """A screen comes, names its keys, and goes."""
            await press(*ids)
            name = what if isinstance(what, str) else what.__name__
            assert type(play.screen).__name__ == name
            await press(close)
            assert type(play.screen).__name__ != name

        unnamed(play)  # the start page
        stage.ready()
        await play.settle()
        unnamed(play)
        await over("HelpScreen", "help", close="help-close")
        await press("help", "help-last", "help-page-up", "help-up", "help")
        await over("Palette", "palette", close="palette-close")
        await over("ConfirmScreen", "restart", close="confirm-no")
        await over("HistoryScreen", "history-search", close="history-close")
        await over("SessionPicker", "sessions", close="session-back")
        for page in ("options", "usage", "servers"):
            await over("ControlScreen", page, close="controls-close")

        await play.write("one")
        await press("newline")
        await play.write("two")
        await press("undo")
        assert play.draft != "one\ntwo"
        await press("redo", "send")
        assert stage.acted[-1] == SendPrompt(ROOT, "one\ntwo")
        await play.write("in the queue")
        await press("send", "history-older")
        assert play.draft == "in the queue"
        await press("stop", "history-older", "stop")  # leaves the message of the queue
        await press("stop")  # asks for a second press
        assert "again stops" in play.text
        await play.write("/mod")
        await press("list-down", "list-up", "list-close", "delete-to-start")
        await press("find")
        await play.write("one")
        await press("search-everywhere", "search-next", "search-close", "complete")
        assert app.main.transcript.has_focus
        await press("transcript.previous", "transcript.expand", "transcript.times")
        stage.spawn("a", "explore")
        stage.say("at work", "a")
        stage.begin_task("t", "make test")
        await play.settle()
        await press("root", "tree")
        assert app.main.agents.has_focus
        await press(*["tree-filter"] * 5, "tree-down")
        await press("tree-open")
        assert app.open_session == "a"
        await press(
            "next-sibling", "parent", "first-child", "root", "stop-background", "confirm-no"
        )
        await press("tree", "tree-background", "tasks-open", "task-close", "tree")

        diff = Diff("/home/ada/till/prices", "new", "old")
        stage.call("1", "Edit prices", kind="edit", content=(diff,))
        stage.ask_permission(call="1", title="Edit prices")
        stage.ask_permission(call="2", title="Edit more")
        await press("next-request")
        play.clock.pass_by(60.0)
        assert type(play.screen).__name__ == "RequestScreen"
        await press("permission-split", "permission-raw", "permission-tell", "permission-later")
        await press("permission-next")
        play.clock.pass_by(60.0)
        await press("answer-once")
        await play.until(lambda: len(stage.state.waiting()) == 1, "an answer")
        await press("permission-later")
        stage.withdraw(stage.state.waiting()[0].key)
        fields = {
            "q": {"type": "string", "title": "which", "enum": ["pears", "plums"]},
            "b": {"type": "boolean", "title": "ripe"},
            "t": {"type": "string", "title": "name"},
        }
        form = stage.ask_form({"type": "object", "properties": fields}, "which ones")
        await press("next-request")
        play.clock.pass_by(60.0)
        await press("form-down", "form-pick", "form-go-on", "form-switch", "form-next-field")
        await play.write("plum")
        await press("form-field-before", "form-next-field", "form-go-on", "form-press")
        await play.until(lambda: not stage.state.waiting(), "the answer to the form")
        content = {"q": "plums", "b": True, "t": "plum"}
        assert stage.acted[-1] == AnswerElicitation(form, "accept", content)
        stage.ask_page("https://example.org/")
        await press("next-request")
        play.clock.pass_by(60.0)
        await press("link-next-button", "link-decline")
        await play.until(lambda: not stage.state.waiting(), "the answer to the page")

        stage.end_turn()
        await play.settle()
        unnamed(play)
        await press("complete", "transcript.end", "transcript.previous", "transcript.previous")
        await over("DetailScreen", "transcript.open", "detail-split", close="detail-close")
        app.push_screen(LeadsScreen("Open", ["one", "two"]))
        await play.settle()
        await press("leads-down", "leads-close")
        app.push_screen(TrustScreen("/srv/shop", at_start=True))
        await play.settle()
        await press("trust-no")
        stage.apply(e.LoginChanged(LoginNeed("Not logged in")))
        await play.settle()
        await press("login-close")
        advice = "This is a new one. {sessions} lists them."
        stage.apply(e.ProblemMet(Problem("There is none", "here", advice, "sessions")))
        await play.settle()
        await press("problem-close")
        stage.apply(e.LinkChanged(status="lost", at=1.0, detail="It ended."))
        await play.settle()
        unnamed(play)


SPELLS_KEYS = {"key_names.py", "key_spelling.py"}
"""Modules whose business the names of keys are."""
NAME = re.compile(
    r"(?<![\w+{$])(?:Esc|Enter|Tab|PgUp|PgDn|(?:Ctrl|Alt|Shift)\+\S|F\d+)(?!\w)|\^[A-Z]\b"
)


def test_no_text_of_the_client_spells_a_key() -> None:
    folder = Path(canopy_tui.__file__).parent
    for file in folder.rglob("*.py"):
        if file.name in SPELLS_KEYS or "plain" in file.relative_to(folder).parts:
            continue
        module = ast.parse(file.read_text(encoding="utf-8"))
        remarks = {id(node.value) for node in ast.walk(module) if isinstance(node, ast.Expr)}
        for node in ast.walk(module):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                told = id(node) not in remarks and NAME.search(node.value)
                own = file.name == "help.py" and node.value.strip() in ("Alt+1", "Alt+9")
                assert not told or own, f"{file.name}: {node.value!r}: use keymap.filled"
