"""Which directories the person trusts, kept from run to run.

A trusted directory covers those below it. What trust is asked for is not known here.
"""

from __future__ import annotations

import os
from pathlib import Path

from canopy_shared import jsonio
from canopy_shared.ordinary import read_ordinary
from canopy_tui.kept.storage import replace_file
from canopy_tui.kept.unkept import Unkept

_MOST = 2000
_LARGEST = 16 * 1024 * 1024
_SETTINGS = (
    ".mcp.json",
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".claude/agents",
    ".claude/commands",
    ".claude/skills",
    "CLAUDE.md",
    "CLAUDE.local.md",
    ".claude/CLAUDE.md",
    "AGENTS.md",
)
"""What Claude Code reads in a directory, and other agents: what can run something comes first."""


class TrustedDirectories:
    """The list, in ``trusted.json`` of a folder; a broken file is as good as none.

    A directory that is trusted for this run alone is not written down, and neither is the home
    directory, which would cover everything.
    """

    def __init__(self, folder: Path, unkept: Unkept | None = None) -> None:
        self._file = folder / "trusted.json"
        self._unkept = unkept or Unkept()
        self._here: set[str] = set()

    def holds(self, directory: str) -> bool:
        """Whether ``directory``, or one above it, is trusted."""
        place = _real(directory)
        known = self._here | set(self._kept())
        return any(str(one) in known for one in (place, *place.parents))

    def give(self, directory: str, *, keep: bool) -> None:
        """Trust ``directory`` from now on. When it cannot be written it is asked again."""
        place = _real(directory)
        self._here.add(str(place))
        if not keep or place in (_home(), *_home().parents):
            return
        kept = [one for one in self._kept() if one != str(place)]
        try:
            replace_file(self._file, jsonio.dumps([*kept, str(place)][-_MOST:]))
        except OSError as error:
            self._unkept("the trusted directories", error)

    def found(self, directory: str) -> tuple[str, ...]:
        """Settings of agents that lie in ``directory``, by name; none of them is read."""
        return tuple(name for name in _SETTINGS if os.path.lexists(Path(directory, name)))

    def _kept(self) -> list[str]:
        try:
            stored = jsonio.loads(read_ordinary(self._file, _LARGEST))
        except (OSError, ValueError):
            return []
        items = stored if isinstance(stored, list) else ()
        return [item for item in items if isinstance(item, str)]


def _real(directory: str) -> Path:
    try:
        return Path(directory).resolve()
    except (OSError, RuntimeError, ValueError):
        return Path(directory)


def _home() -> Path:
    try:
        return Path.home().resolve()
    except (OSError, RuntimeError):
        return Path("/")
