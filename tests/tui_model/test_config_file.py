"""The person's settings: what holds, and which line is named when something is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from canopy_tui.settings.config_file import KeySetting, Settings, parse_settings, read_settings


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
    keys = (
        KeySetting("tree", ("ctrl+e",), "config.toml, line 8"),
        KeySetting("sessions", ("f10", "ctrl + l"), "config.toml, line 9"),
    )
    assert parse_settings(text) == Settings("canopy-light", "ascii", "off", "none", keys)
    assert parse_settings('theme = "auto"') == Settings("auto")
    for text in ("[modal]\nauto = false", "modal.auto = false"):
        assert parse_settings(text) == Settings(opens_requests=False)
    assert parse_settings('ended = "hidden"') == Settings(ended="hidden")
    assert parse_settings('selection = "copied"') == Settings(selection="copied")
    assert parse_settings('mouse = "off"') == Settings(mouse="off")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('theme = "canopy-dark"\nglyphs = \n', ["line 2", "nothing of the file is used"]),
        ("[keys\n", ["line 1"]),
        ('theme = "x', ["line 1"]),
        ('a = 1\nthem = "x"', ["line 2", "no setting 'them'; is it 'theme'?"]),
        ('theme = "pink"', ["line 1", "canopy-dark"]),
        ("[modal]\n\nauto = 3", ["line 3", "modal.auto is true or false"]),
        ("modal = 3", ["line 1", "modal.auto"]),
        ("theme = 7", ["line 1"]),
        ("keys = 7", ["line 1", "[keys]"]),
        ("[keys]\ntree = 9", ["line 2", "a key such as"]),
        ("[keys]\ntree = []", ["line 2"]),
        ("[keys]\ntree = ['', 'f9']", ["line 2"]),
    ],
)
def test_b94_a_wrong_line_is_named_and_the_rest_holds(text: str, words: list[str]) -> None:
    settings = parse_settings(text)
    shown = "\n".join(settings.faults)
    for word in words:
        assert word in shown, shown
    assert settings.keys == ()
    beside = parse_settings(f'motion = "none"\n{text}')
    assert beside.faults
    if "nothing of" not in "\n".join(beside.faults):
        assert beside.motion == "none"


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    assert read_settings(tmp_path) == Settings()
    (tmp_path / "config.toml").write_bytes(b"\xff")
    assert "config.toml" in read_settings(tmp_path).faults[0]
    (tmp_path / "config.toml").unlink()
    (tmp_path / "config.toml").mkdir()
    assert "config.toml" in read_settings(tmp_path).faults[0]
