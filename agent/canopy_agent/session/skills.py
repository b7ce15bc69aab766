"""Which slash commands are skills, and the files of those that have one, for AIR clients.

Claude Code names most of them when asked about its context; the usual folders are looked through
for the rest. Forms follow the CLI 2.1.332; what a client does with a path is not known here.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from canopy_agent.claude.errors import ClaudeError
from canopy_agent.session.commands import Skills
from canopy_shared.ordinary import open_ordinary

log = logging.getLogger(__name__)

Json = Mapping[str, Any]
Ask = Callable[[Json], Awaitable[Json]]

FILE: Final = "SKILL.md"
FOLDERS: Final = (Path(".claude") / "skills", Path(".agents") / "skills")
BUILT_IN: Final = "built-in"
_HEAD = 4096
_NAME: Final = re.compile(r"^name:\s*[\"']?(?P<name>[^\"'\n]+?)[\"']?\s*$", re.MULTILINE)
_MOST_SKILLS = 1000


class SkillFinder:
    """The skills of one session. ``found`` is called with each new state of knowledge."""

    def __init__(
        self,
        places: tuple[str, ...],
        ask: Ask,
        spawn: Callable[[Any], object],
        found: Callable[[Skills], None],
    ) -> None:
        self._places = places
        self._ask = ask
        self._spawn = spawn
        self._found = found
        self._known = Skills()
        self._named: frozenset[str] = frozenset()
        self._plugins: tuple[str, ...] = ()

    def look(self) -> None:
        """Find out about the skills, beside everything else."""
        self._spawn(self._look())

    def frame(self, frame: Json) -> None:
        """One frame of the CLI: it names its skills at the start of every turn."""
        kind = frame.get("type"), frame.get("subtype")
        if kind == ("system", "commands_changed"):
            self.look()
        if kind != ("system", "init") or not isinstance(frame.get("skills"), list):
            return
        named = frozenset(name for name in frame["skills"] if isinstance(name, str))
        rows = frame.get("plugins")
        paths = (row.get("path") for row in _rows(rows))
        plugins = tuple(
            path for path in paths if isinstance(path, str) and Path(path).is_absolute()
        )
        if (named, plugins) != (self._named, self._plugins):
            self._named, self._plugins = named, plugins
            self.look()

    async def _look(self) -> None:
        try:
            told = await self._ask({"subtype": "get_context_usage"})
        except ClaudeError as error:
            log.info("Claude Code did not name its skills: %s", error)
            told = {}
        skills = told.get("skills")
        rows = _rows(skills.get("skillFrontmatter") if isinstance(skills, Mapping) else None)
        folders = [Path(place) / folder for place in self._places for folder in FOLDERS]
        folders += [Path(plugin) / "skills" for plugin in self._plugins]
        on_disk = await asyncio.to_thread(skill_files, folders)
        known = merged(rows, self._named, on_disk)
        if known != self._known:
            self._known = known
            self._found(known)


def _rows(value: object) -> tuple[Json, ...]:
    return (
        tuple(row for row in value if isinstance(row, Mapping)) if isinstance(value, list) else ()
    )


def merged(rows: Iterable[Json], named: frozenset[str], on_disk: Mapping[str, str]) -> Skills:
    """What Claude Code's ``rows`` and ``named`` skills say, with paths of ``on_disk`` for those
    that it names without one. A bundled skill has no file.
    """
    names, paths = set(named), {}
    for row in rows:
        name, path = row.get("name"), row.get("path")
        if not isinstance(name, str):
            continue
        if row.get("source") == BUILT_IN:
            continue  # a skill only if it is named as one; a few commands are listed here too
        names.add(name)
        if isinstance(path, str) and Path(path).name == FILE:
            paths[name] = path
    for name in names - paths.keys():
        if name in on_disk:
            paths[name] = on_disk[name]
    return Skills(frozenset(names), paths)


def skill_files(folders: Iterable[Path]) -> dict[str, str]:
    """The skill files below ``folders``, by name; an earlier folder goes before a later one."""
    found: dict[str, str] = {}
    for name, path in _files(folders):
        found.setdefault(name, path)
        if len(found) >= _MOST_SKILLS:
            break
    return found


def _files(folders: Iterable[Path]) -> Iterator[tuple[str, str]]:
    for folder in folders:
        try:
            places = sorted(folder.iterdir())
        except OSError:
            continue
        for place in places:
            name = _name_in(place / FILE)
            if name is not None:
                yield name, str(place / FILE)


def _name_in(path: Path) -> str | None:
    """The name that a skill file gives itself, else that of its folder; None without a file."""
    try:
        with open_ordinary(path) as file:
            head = file.read(_HEAD).decode(errors="replace")
    except OSError:
        return None
    front = head[3:].partition("\n---")[0] if head.startswith("---") else ""
    named = _NAME.search(front)
    return named["name"].strip() if named else path.parent.name
