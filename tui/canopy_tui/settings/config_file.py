"""The person's own settings: ``config.toml`` in Canopy's folder, with keys, theme, glyphs, notices.

Lenient: each wrong entry is told with its line and left out, everything else holds. What a setting
does is not known here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from canopy_shared.ordinary import read_ordinary

FILE = "config.toml"
LARGEST = 1024 * 1024
AUTO = "auto"
"""The theme that follows the terminal."""

_CHOICES: Mapping[str, tuple[str, ...]] = {
    "theme": (AUTO, "canopy-dark", "canopy-light", "ansi-dark", "ansi-light"),
    "glyphs": ("unicode", "ascii"),
    "notify": ("off", "bell", "desktop"),
    "motion": ("full", "none"),
    "ended": ("shown", "hidden"),
    "selection": ("kept", "copied"),
    "mouse": ("on", "off"),
}
"""Settings at the top of the file, and what each may be."""
_AT = re.compile(r"\(at line (\d+), column \d+\)")


@dataclass(frozen=True, slots=True)
class KeySetting:
    """One line below ``[keys]``: the id of an action and its keys, as the person wrote them."""

    id: str
    keys: tuple[str, ...]
    where: str
    """File and line, for a message."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What the file says; ``keys`` as they are written. ``faults`` are whole lines to show."""

    theme: str = ""
    glyphs: str = ""
    notify: str = ""
    motion: str = ""
    keys: tuple[KeySetting, ...] = ()
    faults: tuple[str, ...] = ()
    opens_requests: bool = True
    """``modal.auto``: questions of agents open by themselves, not only on their key."""
    ended: str = ""
    """Whether agents that ended are in the tree."""
    selection: str = ""
    """Whether what the mouse selects is copied as soon as its button is let go."""
    mouse: str = ""
    """Whether clicks and drags come to the client; ``off`` leaves them to the terminal."""


def read_settings(folder: Path) -> Settings:
    """Read the file; without one everything is as usual."""
    path = folder / FILE
    try:
        text = read_ordinary(path, LARGEST).decode("utf-8-sig")
    except FileNotFoundError:
        return Settings()
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or error
        return Settings(faults=(f"{path}: {reason}. It has to be a text file in UTF-8.",))
    return parse_settings(text, str(path))


def parse_settings(text: str, name: str = FILE) -> Settings:
    """The settings in ``text``. A file that is no TOML sets nothing, and says where it breaks."""
    import tomllib

    try:
        given = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        at = _AT.search(str(error))
        where = f"line {at.group(1) if at else max(1, len(text.splitlines()))}"
        words = _AT.sub("", str(error)).strip()
        return Settings(
            faults=(f"{name}, {where}: {words}. Until that is mended nothing of the file is used.",)
        )
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
            meant = _meant(entry, (*_CHOICES, "modal", "keys")) or "."
            faults.append(f"{where}: there is no setting {entry!r}{meant} There are {known}.")
        elif value not in allowed:
            given_as = f", not {value!r}" if isinstance(value, str) and len(value) < 40 else ""
            faults.append(f"{where}: {entry} is one of {', '.join(allowed)}{given_as}.")
        else:
            chosen[entry] = value
    keys = tuple(_keys(text, given.get("keys", {}), name, faults))
    return Settings(**chosen, keys=keys, faults=tuple(faults), opens_requests=opens_requests)


def _keys(
    text: str, given: Any, name: str, faults: list[str], within: str = ""
) -> Iterator[KeySetting]:
    if not isinstance(given, dict):
        faults.append(f"{name}, line {_line_of(text, 'keys')}: write [keys] and one key a line.")
        return
    for entry, value in given.items():
        id = f"{within}{entry}"
        if isinstance(value, dict):  # TOML reads transcript.copy without quotes as a table
            yield from _keys(text, value, name, faults, f"{id}.")
            continue
        where = f"{name}, line {_line_of_key(text, id)}"
        parts = value if isinstance(value, list) else [value]
        if not parts or not all(isinstance(part, str) and part.strip() for part in parts):
            faults.append(
                f'{where}: {id} is a key such as "ctrl+t", a list of keys, or "none"; '
                "it keeps its usual key."
            )
        else:
            yield KeySetting(id, tuple(parts), where)


def _meant(entry: str, known: Iterable[str]) -> str:
    import difflib

    near = difflib.get_close_matches(entry, sorted(known), 1)
    return f"; is it {near[0]!r}?" if near else ""


def _line_of_key(text: str, id: str) -> int:
    table, _, last = id.rpartition(".")
    found = _line_of(text, id, after="[keys")
    if found == 1 and table:
        found = _line_of(text, last, after=f"[keys.{table}")
    return found


def _line_of(text: str, entry: str, after: str = "") -> int:
    """The line on which ``entry`` is set, from 1."""
    begin = re.compile(rf"""\s*\[?\s*["']?{re.escape(entry)}["']?\s*[\].=]""")
    inside = not after
    for number, line in enumerate(text.splitlines(), 1):
        inside = inside or line.strip().replace(" ", "").startswith(after)
        if inside and begin.match(line) and line.strip() != after:
            return number
    return 1
