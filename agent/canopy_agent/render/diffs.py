"""File changes as ordinary diff blocks: one per hunk that the CLI reports, or whole texts.

Exact git patches are made in ``patches``; nothing here reads a file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from canopy_agent.render.titles import whole_number
from canopy_shared.content import Diff, Location, PatchDiff, ToolCallContent
from canopy_shared.unset import UNSET

Json = Mapping[str, Any]

GIT_PATCH: Final = "git_patch"
_SPANS: Final = ("oldStart", "oldLines", "newStart", "newLines")


@dataclass(frozen=True, slots=True)
class Change:
    """What a tool did to a file: blocks to show and the places to go to."""

    content: tuple[ToolCallContent, ...]
    locations: tuple[Location, ...]


def bare_diff(path: str, patch: str | None, *, created: bool) -> PatchDiff:
    """A change as the v2 draft tells it; ``patch`` names the path as it is."""
    change = {"operation": "add" if created else "modify", "path": path, "fileType": "text"}
    told = UNSET if patch is None else {"format": GIT_PATCH, "text": patch}
    return PatchDiff((change,), told)


def hunk_patch(path: str, patch: object) -> Change | None:
    """A ``structuredPatch`` as one patch, None when it holds no usable hunk."""
    ordinary = hunk_changes(path, patch)
    if ordinary is None:
        return None
    hunks = [one for one in _usable(patch) if all(isinstance(one.get(k), int) for k in _SPANS)]
    text = None
    if len(hunks) == len(ordinary.content) and not _is_odd(path):
        body = "".join(map(_hunk_text, hunks))
        text = f"diff --git {path} {path}\n--- {path}\n+++ {path}\n{body}"
    return Change((bare_diff(path, text, created=False),), ordinary.locations)


def _is_odd(path: str) -> bool:
    """Whether a patch would have to quote the path."""
    return not path.isascii() or not path.isprintable() or '"' in path


def _hunk_text(hunk: Json) -> str:
    old, old_lines, new, new_lines = (hunk[key] for key in _SPANS)
    lines = [line for line in hunk["lines"] if isinstance(line, str)]
    head = f"@@ -{old},{old_lines} +{new},{new_lines} @@\n"
    return head + "".join(line + "\n" for line in lines)


def _usable(patch: object) -> list[Json]:
    hunks = [hunk for hunk in patch if isinstance(hunk, Mapping)] if isinstance(patch, list) else []
    return [hunk for hunk in hunks if isinstance(hunk.get("lines"), list)]


def hunk_changes(path: str, patch: object) -> Change | None:
    """A ``structuredPatch`` as blocks, None when it holds no usable hunk.

    It is a list of ``{oldStart, oldLines, newStart, newLines, lines}``.
    """
    hunks = _usable(patch)
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
