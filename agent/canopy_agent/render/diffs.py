"""File changes as ordinary diff blocks: one per hunk that the CLI reports, or whole texts.

Exact git patches are made in ``patches``; nothing here reads a file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from canopy_agent.render.titles import whole_number
from canopy_shared.content import Diff, Location, ToolCallContent

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Change:
    """What a tool did to a file: blocks to show and the places to go to."""

    content: tuple[ToolCallContent, ...]
    locations: tuple[Location, ...]


def hunk_changes(path: str, patch: object) -> Change | None:
    """A ``structuredPatch`` as blocks, None when it holds no usable hunk.

    It is a list of ``{oldStart, oldLines, newStart, newLines, lines}``.
    """
    hunks = [hunk for hunk in patch if isinstance(hunk, Mapping)] if isinstance(patch, list) else []
    hunks = [hunk for hunk in hunks if isinstance(hunk.get("lines"), list)]
    if not hunks:
        return None
    return Change(
        tuple(_hunk_diff(path, hunk["lines"]) for hunk in hunks),
        tuple(Location(path, max(1, whole_number(hunk, "newStart") or 1)) for hunk in hunks),
    )


def _hunk_diff(path: str, lines: list[Any]) -> Diff:
    old = "\n".join(_side(lines, " -"))
    return Diff(path, "\n".join(_side(lines, " +")), old or None)


def _side(lines: list[Any], marks: str) -> Iterator[str]:
    for line in lines:
        if isinstance(line, str) and line[:1] and line[0] in marks:
            yield line[1:]


def whole_change(path: str, old: str | None, new: str) -> Change:
    """The file before and after, ``old`` None when there was none."""
    return Change((Diff(path, new, old),), (Location(path),))
