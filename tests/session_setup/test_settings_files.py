"""Claude Code's settings files: tiers, trust, and files that cannot be used."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from canopy_agent.session import settings_files
from canopy_agent.session.settings_files import ClaudeSettings, Tiers, claude_settings, read_tiers

if TYPE_CHECKING:
    from pathlib import Path


def mode(name: str) -> dict[str, Any]:
    return {"permissions": {"defaultMode": name}}


class Disk:
    """A machine with a user's, a project's and a managed folder."""

    def __init__(self, root: Path) -> None:
        self.user = root / "home" / ".claude"
        self.project = root / "project"
        self.managed = root / "managed"
        for folder in (self.user, self.project / ".claude", self.managed):
            folder.mkdir(parents=True)

    def write(self, place: str, value: object) -> None:
        path = {
            "user": self.user / "settings.json",
            "project": self.project / ".claude" / "settings.json",
            "local": self.project / ".claude" / "settings.local.json",
            "managed": self.managed / "managed-settings.json",
        }[place]
        path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")

    def read(self, caller: dict[str, Any] | None = None) -> tuple[ClaudeSettings, tuple[str, ...]]:
        tiers, notes = read_tiers(str(self.project), str(self.user), caller, self.managed)
        return claude_settings(tiers), notes


@pytest.fixture
def disk(tmp_path: Path) -> Disk:
    return Disk(tmp_path)


def test_without_files_nothing_is_set(disk: Disk) -> None:
    assert disk.read() == (ClaudeSettings(), ())


def test_the_stronger_tier_wins(disk: Disk) -> None:
    for model, place in enumerate(("user", "project", "local")):
        disk.write(place, {"model": f"m{model}", "effortLevel": "low"})
    assert disk.read()[0].model == "m2"
    assert disk.read({"model": "caller"})[0].model == "caller"
    disk.write("managed", {"model": "managed"})
    assert disk.read({"model": "caller"})[0].model == "managed"
    assert disk.read()[0].effort == "low"


def test_managed_settings_may_be_split(disk: Disk) -> None:
    parts = disk.managed / "managed-settings.d"
    parts.mkdir()
    disk.write("managed", {"model": "a", "deniedModels": ["opus"]})
    (parts / "10.json").write_text('{"model": "b"}', encoding="utf-8")
    (parts / "20.json").write_text('{"effortLevel": "high"}', encoding="utf-8")
    settings, _ = disk.read()
    assert (settings.model, settings.effort, settings.denied_models) == ("b", "high", ("opus",))


@pytest.mark.parametrize(
    "name", ["bypassPermissions", "auto", "acceptEdits", "ACCEPTEDITS", "bypass"]
)
def test_a_repository_cannot_give_itself_more_freedom(disk: Disk, name: str) -> None:
    disk.write("project", mode(name))
    assert disk.read()[0].default_mode is None
    disk.write("user", mode("plan"))
    assert disk.read()[0].default_mode == "plan"


def test_a_repository_may_ask_for_less_freedom_and_the_user_for_more(disk: Disk) -> None:
    disk.write("user", mode("auto"))
    assert disk.read()[0].default_mode == "auto"
    disk.write("project", mode("plan"))
    assert disk.read()[0].default_mode == "plan"
    disk.write("local", mode("acceptEdits"))
    assert disk.read()[0].default_mode == "acceptEdits"


@pytest.mark.parametrize(
    "value", [{"disableAutoMode": "disable"}, {"permissions": {"disableAutoMode": "disable"}}]
)
def test_what_one_tier_switches_off_no_other_switches_on(disk: Disk, value: Any) -> None:
    disk.write("user", value)
    disk.write("local", {"disableAutoMode": "no", "permissions": {"disableAutoMode": "no"}})
    assert disk.read()[0].auto_disabled


def test_bypass_can_be_switched_off(disk: Disk) -> None:
    disk.write("managed", {"permissions": {"disableBypassPermissionsMode": "disable"}})
    disk.write("project", {"permissions": {"disableBypassPermissionsMode": "enable"}})
    assert disk.read()[0].bypass_disabled


@pytest.mark.parametrize("text", ["{", "[]", "3", "\x00", "[" * 100_000])
def test_an_unusable_file_is_noted_and_the_others_count(disk: Disk, text: str) -> None:
    disk.write("user", text)
    disk.write("local", {"model": "m"})
    settings, notes = disk.read()
    assert settings.model == "m"
    assert len(notes) == 1
    assert notes[0].startswith("settings.json is ignored")


def test_a_byte_order_mark_is_no_obstacle(disk: Disk) -> None:
    (disk.user / "settings.json").write_bytes(b'\xef\xbb\xbf{"model":"m"}')
    assert disk.read() == (ClaudeSettings(model="m"), ())


def test_values_of_wrong_types_count_as_absent() -> None:
    nonsense: dict[str, Any] = {
        "permissions": 3,
        "model": ["x"],
        "effortLevel": "",
        "availableModels": "opus",
        "modelOverrides": {"a": 1},
        "modelSettings": {"a": 3, "b": {"effortLevel": "low"}},
    }
    assert claude_settings(Tiers(user=nonsense)) == ClaudeSettings(efforts={"b": "low"})


def test_lists_and_workflows() -> None:
    tiers = Tiers(user={"availableModels": ["a", 3, ""], "enableWorkflows": False})
    settings = claude_settings(tiers)
    assert (settings.available_models, settings.workflows_off) == (("a",), True)
    denied = Tiers(user={"deniedModels": ["a"]}, managed={"disableWorkflows": True})
    assert claude_settings(denied).denied_models == ()


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
def test_each_platform_has_a_place_for_managed_settings(platform: str) -> None:
    found = str(settings_files.managed_directory(platform))
    assert ("claude" in found.lower()) is True
