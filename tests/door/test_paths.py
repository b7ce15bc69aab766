"""Where Canopy's own files lie."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from canopy_tui.paths import locations


def test_one_folder_for_everything_when_the_person_says_so(tmp_path: Path) -> None:
    found = locations({"CANOPY_CONFIG_DIR": str(tmp_path / "my canopy")})
    assert found.config == tmp_path / "my canopy"
    assert found.state == tmp_path / "my canopy" / "state"
    assert found.cache == tmp_path / "my canopy" / "cache"
    assert not found.config.exists(), "naming a folder must not make it"


def test_the_chosen_folder_may_be_relative_or_below_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "home"))
    assert locations({"CANOPY_CONFIG_DIR": "here"}).config == tmp_path / "here"
    assert locations({"CANOPY_CONFIG_DIR": "~/c"}).config == tmp_path / "home" / "c"
    nobody = locations({"CANOPY_CONFIG_DIR": "~of-no-such-person/c"})
    assert nobody.config == tmp_path / "~of-no-such-person" / "c"


@pytest.mark.parametrize("environment", [{}, {"CANOPY_CONFIG_DIR": ""}])
def test_otherwise_the_usual_folders_of_the_platform(
    environment: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("CONFIG", "STATE", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name))
    found = locations(environment)
    assert all(folder.is_absolute() for folder in (found.config, found.state, found.cache))
    if sys.platform == "linux":
        assert found.config == tmp_path / "CONFIG" / "canopy"
        assert found.state == tmp_path / "STATE" / "canopy"
        assert found.cache == tmp_path / "CACHE" / "canopy"
