"""Keys of the person's settings: what holds, and what each wrong line is told."""

from __future__ import annotations

import itertools

import pytest

from canopy_tui.settings.config_file import parse_settings
from canopy_tui.settings.key_spelling import spelled
from canopy_tui.view.keyboard import keymap, keys
from canopy_tui.view.keyboard.key import Group
from canopy_tui.view.keyboard.key_choice import Chosen, choose
from canopy_tui.view.keyboard.key_places import PLACES


def chosen(*lines: str) -> Chosen:
    """What becomes of lines below ``[keys]``, which is line 1."""
    settings = parse_settings("\n".join(("[keys]", *lines)))
    found = choose(settings.keys)
    found.faults[:0] = settings.faults
    return found


@pytest.mark.parametrize(
    ("written", "key"),
    [
        ("Ctrl + T", "ctrl+t"),
        ("^t", "ctrl+t"),
        ("Esc", "escape"),
        ("PgUp", "pageup"),
        ("?", "question_mark"),
        ("question_mark", "question_mark"),
        ("shift+a", "A"),
        ("N", "N"),
        ("cmd+z", "super+z"),
        ("Alt+↑", "alt+up"),
        ("ctrl+_", "ctrl+underscore"),
        ("ctrl++", "ctrl+plus"),
        ("+", "plus"),
        ("shift+alt+F4", "alt+shift+f4"),
    ],
)
def test_keys_are_read_as_people_write_them(written: str, key: str) -> None:
    assert spelled(written).key == key
    assert key == "alt+shift+f4" or spelled(keymap.shown(key)).key == key


def test_every_usual_key_can_be_written() -> None:
    for id, usual in keymap.USUAL.items():
        for key in usual.split(","):
            if key != "1-9":
                assert spelled(key).key == key, id


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('tree = "ctlr+x"', ["'ctlr+x' is no key", "is it 'ctrl+x'?", "tree stays on Ctrl+T."]),
        ('tree = "escap"', ["is it 'escape'?"]),
        ('tree = ["f9", "f99"]', ["'f99' is no key", "stays on"]),
        ('tree = "ctrl+i"', ["terminals send Tab for", "another key"]),
        ('tree = "ctrl+["', ["terminals send Esc"]),
        ('tree = "shift+1"', ["without shift"]),
        ('tree = "t"', ["could not be typed any more", "Ctrl or Alt"]),
        ('send = "space"', ["could not be typed"]),
        ('tre = "f9"', ["no action 'tre'", "is it 'tree'?"]),
        ('qqqq = "f9"', ["page with all keys lists the names"]),
        ("tree = 9", ["a key such as"]),
        ('answer-once = "enter"', ["pressed too easily", "take a letter", "stays on y"]),
        ('answer-once = "3"', ["by number"]),
        ('answer-other = "x"', ["cannot be changed"]),
        ('trust-always = "space"', ["pressed too easily"]),
        ('send = "none"', ["needs a key"]),
        ('timeline-close = "none"', ["needs a key"]),
        ('tree = ["f9", "none"]', ["stands alone"]),
        ('undo = "ctrl+z"', ["ctrl+z is the key of suspend too", "give suspend another key"]),
        ('permission-raw = "y"', ["y is the key of answer-once too"]),
        ('review-copy = "f4"', ["f4 is the key of next-request too"]),
    ],
)
def test_b94_what_is_wrong_is_told_with_its_line(line: str, words: list[str]) -> None:
    found = chosen("", "# more", line, 'sessions = "alt+s"')
    [fault] = found.faults
    assert "config.toml, line 4: " in fault
    for word in words:
        assert word in fault
    assert found.keymap == {"sessions": "alt+s"}


def test_what_holds_together() -> None:
    assert chosen('undo = "ctrl+z"', 'suspend = "none"').keymap["undo"] == "ctrl+z"
    assert chosen('tree = "ctrl+g"', 'root = "ctrl+t"').faults == []
    assert chosen('transcript.copy = "c"', 'transcript."raw" = "y"').keymap == {
        "transcript.copy": "c",
        "transcript.raw": "y",
    }
    assert chosen('tree-stop = "w"', 'transcript.open = "w"').faults == []
    both = chosen('tree = "alt+x"', 'root = "alt+x"')
    assert both.keymap == {"tree": "alt+x"}
    assert "line 3: alt+x is the key of tree too" in both.faults[0]
    last = chosen('quit = "none"', 'interrupt = "none"')
    assert last.keymap == {"quit": "none"}
    assert "line 3: it or quit needs a key. interrupt stays on Ctrl+C." in last.faults[0]
    some = chosen('tree = "ctrl+1"')
    assert some.keymap == {"tree": "ctrl+1"}
    assert "line 2: only some terminals send" in some.notes[0]
    assert chosen('tree = ["ctrl+1", "alt+x"]').notes == []


def test_the_usual_keys_do_not_clash() -> None:
    usual = {key.id: key.keys for group in keys.ALL for key in group.keys if not key.fixed}
    settings = parse_settings(
        "[keys]\n" + "\n".join(f'"{id}" = {list(each.split(","))}' for id, each in usual.items())
    )
    assert choose(settings.keys).faults == []


def test_every_place_is_one_of_the_places() -> None:
    heard = {id(group) for place in PLACES for group in place}
    assert all(id(group) in heard for group in keys.ALL)
    for place in PLACES:
        for one, other in itertools.combinations(place, 2):
            assert isinstance(one, Group)
            assert one is not other
