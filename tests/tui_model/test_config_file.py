"""The person's settings: what holds, and which line is named when something is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from canopy_tui.config_file import Settings, conflicts, parse_settings, read_settings

KNOWN = frozenset({"tree", "sessions", "quit"})


def test_settings_are_read() -> None:
    text = """
theme = "canopy-light"
glyphs = "ascii"
notify = "off"
motion = "none"

[keys]
tree = "ctrl+e"
"sessions" = ["f10", "ctrl + l"]
"""
    keys = {"tree": "ctrl+e", "sessions": "f10,ctrl+l"}
    assert parse_settings(text, KNOWN) == Settings("canopy-light", "ascii", "off", "none", keys)
    assert parse_settings('theme = "auto"', KNOWN) == Settings("auto")
    for text in ("[modal]\nauto = false", "modal.auto = false"):
        assert parse_settings(text, KNOWN) == Settings(opens_requests=False)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('theme = "canopy-dark"\nglyphs = \n', ["line 2", "Nothing of the file is used"]),
        ("[keys\n", ["line 1"]),
        ('theme = "x', ["line 1"]),
        ('a = 1\nthem = "x"', ["line 2", "no setting 'them'"]),
        ('theme = "pink"', ["line 1", "canopy-dark"]),
        ("[modal]\n\nauto = 3", ["line 3", "modal.auto is true or false"]),
        ("modal = 3", ["line 1", "modal.auto"]),
        ("theme = 7", ["line 1"]),
        ("keys = 7", ["line 1", "[keys]"]),
        ('[keys]\n\ntre = "f9"', ["line 3", "is it 'tree'?"]),
        ("[keys]\ntree = 9", ["line 2", "a key such as"]),
        ("[keys]\ntree = []", ["line 2"]),
        ("[keys]\ntree = ['', 'f9']", ["line 2"]),
    ],
)
def test_b94_a_wrong_line_is_named_and_the_rest_holds(text: str, words: list[str]) -> None:
    settings = parse_settings(text, KNOWN)
    shown = "\n".join(settings.faults)
    for word in words:
        assert word in shown, shown
    assert settings.keys == {}
    beside = parse_settings(f'motion = "none"\n{text}', KNOWN)
    assert beside.faults
    if "Nothing" not in "\n".join(beside.faults):
        assert beside.motion == "none"


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    assert read_settings(tmp_path, KNOWN) == Settings()
    (tmp_path / "config.toml").write_bytes(b"\xff")
    assert "config.toml" in read_settings(tmp_path, KNOWN).faults[0]
    (tmp_path / "config.toml").unlink()
    (tmp_path / "config.toml").mkdir()
    assert "config.toml" in read_settings(tmp_path, KNOWN).faults[0]


def test_keys_that_collide_are_told() -> None:
    usual = {"tree": "ctrl+t", "sessions": "f2", "quit": "ctrl+q"}
    assert conflicts({"tree": "f2"}, usual) != []
    assert conflicts({"tree": "f2", "sessions": "f10"}, usual) == []
    assert conflicts({}, {"a": "x", "b": "x"}) == []
