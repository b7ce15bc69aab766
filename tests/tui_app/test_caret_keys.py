"""Every field to write in hears the keys of the caret as the person has them, and no others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from textual.widgets import Input, TextArea

from canopy_tui.settings.config_file import KeySetting
from canopy_tui.view.keyboard.caret_keys import AREA, CARET
from canopy_tui.view.keyboard.key_choice import choose
from canopy_tui.view.keyboard.keymap import USUAL
from tui_app.other_keys import OTHER
from tui_app.playing import key_event, playing

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from tui_app.playing import Play

_FORM = {
    "type": "object",
    "properties": {
        "a": {"type": "string", "title": "one line"},
        "b": {"type": "string", "title": "several", "maxLength": 900},
    },
}


def told(field: object) -> str:
    """What stands in a field."""
    assert isinstance(field, Input | TextArea)
    return field.value if isinstance(field, Input) else field.text


async def strike(play: Play, *keys: str) -> None:
    """Press keys, as fast as they can be read."""
    for key in keys:
        play.app.post_message(key_event(key))
    await play.settle()


async def find(play: Play) -> None:
    await play.press(OTHER["find"])


async def history(play: Play) -> None:
    await play.press(OTHER["history-search"])


async def palette(play: Play) -> None:
    await play.press(OTHER["palette"])


async def sessions(play: Play) -> None:
    play.stage.ready()
    await play.press(OTHER["sessions"])


async def reason(play: Play) -> None:
    play.stage.ask_permission()
    await play.press(OTHER["next-request"])
    play.clock.pass_by(60)
    await play.press(OTHER["permission-tell"])


async def form(play: Play) -> None:
    play.stage.ask_form(_FORM)
    await play.press(OTHER["next-request"])
    play.clock.pass_by(60)


async def form_lines(play: Play) -> None:
    await form(play)
    await play.press(OTHER["form-next-field"])


FIELDS: dict[Callable[[Play], Awaitable[None]], str] = {
    find: "search-close",
    history: "history-close",
    palette: "palette-close",
    sessions: "session-back",
    reason: "permission-later",
    form: "form-later",
    form_lines: "form-later",
}
"""How to get into a field, and the key that closes it."""


async def test_the_caret_of_every_field_follows_the_keys_of_the_person() -> None:
    async with playing(keymap=OTHER, history=["said before"], opens_requests=False) as play:
        for go, close in FIELDS.items():
            play.app.main.composer.area.focus()
            await go(play)
            field = play.app.focused
            assert isinstance(field, Input | TextArea), go
            assert field is not play.app.main.composer.area
            usual = {key for keys in USUAL.values() for key in keys.split(",")}
            assert usual.isdisjoint(field._bindings.key_to_bindings), go
            await strike(play, *"ab cd", OTHER["edit-line-start"], OTHER["edit-word-right"])
            await strike(play, OTHER["delete-to-end"], "x")
            await strike(play, "home", "ctrl+k", "ctrl+u", "ctrl+w", "backspace", "delete")
            assert told(field).split() in (["ab", "x"], ["abx"]), go
            await strike(play, OTHER["delete-left"], OTHER["delete-to-start"])
            assert told(field) == "", go
            await play.press(*[OTHER[close]] * (2 if go is reason else 1))
            await play.until(lambda: play.app.shows_main, "the main screen")
            for request in play.stage.state.waiting():
                play.stage.withdraw(request.key)
            await play.settle()


async def test_a_moved_key_of_the_caret_takes_none_from_a_list_around_it() -> None:
    """Both are on Ctrl+A and Ctrl+E in the list of sessions, where those of the list come first."""
    keymap = {"edit-line-start": "alt+z", "edit-line-end": "alt+e", "session-archive": "alt+b"}
    async with playing(keymap=keymap) as play:
        play.stage.ready()
        await play.press("f2")
        field = play.app.focused
        assert isinstance(field, Input)
        heard = {key: one[0].action for key, one in field._bindings.key_to_bindings.items()}
        assert heard["ctrl+a"] == "screen.everywhere"
        assert heard["alt+b"] == "screen.archive"
        assert heard["alt+z"] == "home"
        assert "ctrl+e" not in heard
        assert heard["ctrl+d"] == "screen.delete"


@pytest.mark.parametrize(
    ("wanted", "place"),
    [
        ({"search-next": "ctrl+w"}, "Find"),
        ({"history-take": "ctrl+u"}, "Search in what you sent"),
        ({"session-rename": "ctrl+w"}, "Sessions"),
        ({"palette-run": "ctrl+k"}, "All commands"),
        ({"permission-send-reason": "ctrl+e"}, "Permission"),
        ({"form-send": "ctrl+w"}, "Question"),
    ],
)
def test_a_key_of_the_caret_is_told_where_it_is_taken_twice(
    wanted: dict[str, str], place: str
) -> None:
    chosen = choose(KeySetting(id, (key,), "config.toml, line 3") for id, key in wanted.items())
    assert chosen.keymap == {}
    assert chosen.faults[0].startswith("config.toml, line 3: ctrl+")
    assert f"(in: {place})" in chosen.faults[0]


def test_the_actions_of_the_caret_are_those_of_the_fields() -> None:
    for group, kind in ((CARET, Input), (AREA, TextArea)):
        for key in group.keys:
            name = key.action.partition("(")[0]
            assert name == "app.paste_clipboard" or hasattr(kind, f"action_{name}"), key.id
