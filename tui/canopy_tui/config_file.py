"""The person's own settings: ``config.toml`` in Canopy's folder, with keys, theme, glyphs, notices.

Lenient: each wrong entry is told with its line and left out, everything else holds. What a setting
does is not known here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FILE = "config.toml"
AUTO = "auto"
"""The theme that follows the terminal."""

_CHOICES: Mapping[str, tuple[str, ...]] = {
    "theme": (AUTO, "canopy-dark", "canopy-light", "ansi-dark", "ansi-light"),
    "glyphs": ("unicode", "ascii"),
    "notify": ("off", "bell", "desktop"),
    "motion": ("full", "none"),
}
"""Settings at the top of the file, and what each may be."""
_AT = re.compile(r"\(at line (\d+), column \d+\)")


@dataclass(frozen=True, slots=True)
class Settings:
    """What the file says; ``keys`` are key strings by id. ``faults`` are whole lines to show."""

    theme: str = ""
    glyphs: str = ""
    notify: str = ""
    motion: str = ""
    keys: Mapping[str, str] = field(default_factory=dict)
    faults: tuple[str, ...] = ()
    opens_requests: bool = True
    """``modal.auto``: questions of agents open by themselves, not only on their key."""


def read_settings(folder: Path, known_keys: frozenset[str]) -> Settings:
    """Read the file; without one everything is as usual. ``known_keys`` are ids of keys."""
    path = folder / FILE
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return Settings()
    except (OSError, UnicodeError) as error:
        return Settings(faults=(f"{path}: {getattr(error, 'strerror', None) or error}",))
    return parse_settings(text, known_keys, str(path))


def parse_settings(text: str, known_keys: frozenset[str], name: str = FILE) -> Settings:
    """The settings in ``text``. A file that is no TOML sets nothing, and says where it breaks."""
    import tomllib

    try:
        given = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        at = _AT.search(str(error))
        where = f"line {at.group(1) if at else max(1, len(text.splitlines()))}"
        words = _AT.sub("", str(error)).strip()
        return Settings(faults=(f"{name}, {where}: {words}. Nothing of the file is used.",))
    faults: list[str] = []
    chosen: dict[str, str] = {}
    opens_requests = True
    for entry, value in given.items():
        where = f"{name}, line {_line_of(text, entry)}"
        if entry == "keys":
            continue
        if entry == "modal":
            opens = value.get("auto", True) if isinstance(value, dict) and len(value) == 1 else None
            if isinstance(opens, bool) and "auto" in value:
                opens_requests = opens
            else:
                if "[modal]" in text:
                    where = f"{name}, line {_line_of(text, 'auto', after='[modal]')}"
                faults.append(f"{where}: modal.auto is true or false.")
            continue
        allowed = _CHOICES.get(entry)
        if allowed is None:
            known = ", ".join([*_CHOICES, "modal.auto", "[keys]"])
            faults.append(f"{where}: there is no setting {entry!r}; there are {known}.")
        elif value not in allowed:
            faults.append(f"{where}: {entry} is one of {', '.join(allowed)}.")
        else:
            chosen[entry] = value
    keys = _keys(text, given.get("keys", {}), known_keys, name, faults)
    return Settings(**chosen, keys=keys, faults=tuple(faults), opens_requests=opens_requests)


def _keys(
    text: str, given: Any, known: frozenset[str], name: str, faults: list[str]
) -> dict[str, str]:
    if not isinstance(given, dict):
        faults.append(f"{name}, line {_line_of(text, 'keys')}: write [keys] and one key a line.")
        return {}
    keys: dict[str, str] = {}
    for entry, value in given.items():
        where = f"{name}, line {_line_of(text, entry, after='[keys]')}"
        parts = value if isinstance(value, list) else [value]
        if entry not in known:
            faults.append(f"{where}: there is no key {entry!r}{_meant(entry, known)}.")
        elif not parts or not all(isinstance(part, str) and part.strip() for part in parts):
            faults.append(f'{where}: {entry} is a key such as "ctrl+t", or a list of keys.')
        else:
            keys[entry] = ",".join(part.replace(" ", "") for part in parts)
    return keys


def _meant(entry: str, known: frozenset[str]) -> str:
    import difflib

    near = difflib.get_close_matches(entry, sorted(known), 1)
    return f"; is it {near[0]!r}?" if near else "; F1 shows the names"


def conflicts(keys: Mapping[str, str], usual: Mapping[str, str], name: str = FILE) -> list[str]:
    """What cannot be told apart: a key that the file gives to one action and another has too.

    ``usual`` are the keys, by id, of one place.
    """
    now = {**usual, **{entry: value for entry, value in keys.items() if entry in usual}}
    owners: dict[str, list[str]] = {}
    for entry, value in now.items():
        for key in value.split(","):
            owners.setdefault(key, []).append(entry)
    return [
        f"{name}: {key} is the key of {' and of '.join(entries)}; only one of them gets it."
        for key, entries in owners.items()
        if len(entries) > 1 and any(entry in keys for entry in entries)
    ]


def _line_of(text: str, entry: str, after: str = "") -> int:
    """The line on which ``entry`` is set, from 1."""
    begin = re.compile(rf"""\s*\[?\s*["']?{re.escape(entry)}["']?\s*[\].=]""")
    inside = not after
    for number, line in enumerate(text.splitlines(), 1):
        inside = inside or line.strip().startswith(after)
        if inside and begin.match(line) and line.strip() != after:
            return number
    return 1
