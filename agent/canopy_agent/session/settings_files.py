"""Claude Code's settings files as one view of what a session needs from them.

It reads files when asked and watches nothing; what a setting leads to is not known here. Tiers
and the trust rule follow https://code.claude.com/docs/en/settings and the Claude Agent SDK.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from canopy_shared import jsonio
from canopy_shared.ordinary import read_ordinary

Json = Mapping[str, Any]

LARGEST_FILE: Final = 8 * 1024 * 1024
_ESCALATING: Final = frozenset({"bypassPermissions", "bypass", "auto", "acceptEdits"})
_MANAGED_DIRECTORIES: Final = {
    "darwin": "/Library/Application Support/ClaudeCode",
    "win32": "C:/Program Files/ClaudeCode",
}


@dataclass(frozen=True, slots=True)
class Tiers:
    """The raw settings of each place, the strongest last in the order of the fields."""

    user: Json = field(default_factory=dict)
    project: Json = field(default_factory=dict)
    local: Json = field(default_factory=dict)
    caller: Json = field(default_factory=dict)
    managed: Json = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ClaudeSettings:
    """What the adapter uses of the settings. None means that nobody set it.

    ``default_mode`` is as it was written. ``efforts`` are levels per model.
    """

    default_mode: str | None = None
    auto_disabled: bool = False
    bypass_disabled: bool = False
    model: str | None = None
    effort: str | None = None
    efforts: Mapping[str, str] = field(default_factory=dict)
    available_models: tuple[str, ...] | None = None
    model_overrides: Mapping[str, str] = field(default_factory=dict)
    denied_models: tuple[str, ...] = ()
    workflows_off: bool = False
    compacts_when_idle: bool = True


def managed_directory(platform: str = sys.platform) -> Path:
    """Where the managed settings of this platform lie."""
    return Path(_MANAGED_DIRECTORIES.get(platform, "/etc/claude-code"))


def read_tiers(
    cwd: str,
    config_directory: str,
    caller: Json | None = None,
    managed: Path | None = None,
) -> tuple[Tiers, tuple[str, ...]]:
    """Read the four files. An unusable file counts as empty and gives a line for the log."""
    notes: list[str] = []
    project = Path(cwd) / ".claude"
    policy = managed_directory() if managed is None else managed
    tiers = Tiers(
        user=_read(Path(config_directory) / "settings.json", notes),
        project=_read(project / "settings.json", notes),
        local=_read(project / "settings.local.json", notes),
        caller=caller or {},
        managed=_managed(policy, notes),
    )
    return tiers, tuple(notes)


def read_settings_file(path: Path) -> tuple[Json, tuple[str, ...]]:
    """One settings file that a caller named by its path."""
    notes: list[str] = []
    return _read(path, notes), tuple(notes)


def _read(path: Path, notes: list[str]) -> Json:
    try:
        if not path.is_file():
            return {}
        if path.stat().st_size > LARGEST_FILE:
            notes.append(f"{path.name} is ignored: it is larger than {LARGEST_FILE} bytes")
            return {}
        value = jsonio.loads(read_ordinary(path, LARGEST_FILE).removeprefix(b"\xef\xbb\xbf"))
    except (OSError, ValueError, RecursionError):
        notes.append(f"{path.name} is ignored: it cannot be read as JSON")
        return {}
    if not isinstance(value, Mapping):
        notes.append(f"{path.name} is ignored: it holds no JSON object")
        return {}
    return value


def read_managed(directory: Path) -> tuple[Json, tuple[str, ...]]:
    """The managed settings below ``directory``, with lines for the log as :func:`read_tiers`."""
    notes: list[str] = []
    return _managed(directory, notes), tuple(notes)


def _managed(directory: Path, notes: list[str]) -> Json:
    """The managed file, with the drop-in files on top in the order of their names."""
    merged = _read(directory / "managed-settings.json", notes)
    try:
        extra = sorted((directory / "managed-settings.d").glob("*.json"))
    except OSError:
        extra = []
    for path in extra:
        merged = merge(merged, _read(path, notes))
    return merged


def merge(weak: Json, strong: Json) -> dict[str, Any]:
    """``strong`` over ``weak``: objects key by key, everything else as a whole."""
    merged = dict(weak)
    for key, value in strong.items():
        below = merged.get(key)
        both = isinstance(value, Mapping) and isinstance(below, Mapping)
        merged[key] = merge(below, value) if both and isinstance(below, Mapping) else value
    return merged


def _trusted(project: Json) -> Json:
    """The settings of a repository without a mode that gives more freedom than asking.

    Whoever opens a repository has not agreed to what is committed in it.
    """
    permissions = project.get("permissions")
    if not isinstance(permissions, Mapping):
        return project
    mode = permissions.get("defaultMode")
    if not isinstance(mode, str) or mode.lower() not in {name.lower() for name in _ESCALATING}:
        return project
    kept = {key: value for key, value in permissions.items() if key != "defaultMode"}
    return {**project, "permissions": kept}


def claude_settings(tiers: Tiers) -> ClaudeSettings:
    """Merge the tiers: managed over caller over local over project over user."""
    ordered = (tiers.user, _trusted(tiers.project), tiers.local, tiers.caller, tiers.managed)
    merged: Json = {}
    for tier in ordered:
        merged = merge(merged, tier)
    return ClaudeSettings(
        default_mode=_text(_object(merged, "permissions"), "defaultMode"),
        auto_disabled=any(_disables(tier, "disableAutoMode") for tier in ordered),
        bypass_disabled=any(
            _disables(_object(tier, "permissions"), "disableBypassPermissionsMode")
            for tier in ordered
        ),
        model=_text(merged, "model"),
        effort=_text(merged, "effortLevel"),
        efforts=_efforts(_object(merged, "modelSettings")),
        available_models=_texts(merged.get("availableModels")),
        model_overrides={
            key: value
            for key, value in _object(merged, "modelOverrides").items()
            if isinstance(value, str)
        },
        denied_models=_texts(tiers.managed.get("deniedModels")) or (),
        workflows_off=merged.get("disableWorkflows") is True
        or merged.get("enableWorkflows") is False,
        compacts_when_idle=merged.get("idleCompaction") is not False
        and merged.get("autoCompactEnabled") is not False,
    )


def _disables(tier: Json, key: str) -> bool:
    """Whether a tier switches something off; no other tier can switch it on again."""
    return "disable" in (tier.get(key), _object(tier, "permissions").get(key))


def _object(source: Json, key: str) -> Json:
    value = source.get(key)
    return value if isinstance(value, Mapping) else {}


def _text(source: Json, key: str) -> str | None:
    value = source.get(key)
    return value if isinstance(value, str) and value else None


def _texts(value: object) -> tuple[str, ...] | None:
    if not isinstance(value, list):
        return None
    return tuple(item for item in value if isinstance(item, str) and item)


def _efforts(levels: Json) -> dict[str, str]:
    found: dict[str, str] = {}
    for model, entry in levels.items():
        level = _text(entry, "effortLevel") if isinstance(entry, Mapping) else None
        if level is not None:
            found[model] = level
    return found
