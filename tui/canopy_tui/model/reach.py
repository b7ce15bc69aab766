"""How far a call goes beyond its diff: to every place of a file, to places outside the project.

Nothing is read from disk: a path is taken as it is written.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from canopy_tui.model.entries import ToolEntry

EVERYWHERE = "everywhere in the file"
OUTSIDE = "outside the project"

_CHANGING = frozenset({"edit", "delete", "move"})


def is_inside(path: str, cwd: str) -> bool:
    """Agents should name whole paths; one that does not means a place below ``cwd``."""
    place = PurePath(path)
    return (place.is_relative_to(cwd) or not place.anchor) and ".." not in place.parts


def places_outside(entry: ToolEntry, cwd: str) -> list[str]:
    """Paths outside ``cwd`` that a call without a diff would change, such as a notebook."""
    given = entry.raw_input
    notebook = given.get("notebook_path") if isinstance(given, Mapping) else None
    paths = [notebook] if isinstance(notebook, str) else []
    if entry.kind in _CHANGING:
        paths += [place.path for place in entry.locations]
    return [path for path in dict.fromkeys(paths) if cwd and not is_inside(path, cwd)]


def replaced_everywhere(given: Any) -> set[tuple[str | None, str]]:
    """The old and new texts that Claude's editing tools would put in every place of the file."""
    return {
        (step["old_string"], step["new_string"])
        for step in replacements(given)
        if step.get("replace_all") is True
    }


def replacements(given: Any) -> list[Mapping[str, Any]]:
    """The replacements in an input of Claude's editing tools."""
    edits = given.get("edits") if isinstance(given, Mapping) else None
    steps = edits if isinstance(edits, (list, tuple)) else [given]
    return [
        step
        for step in steps
        if isinstance(step, Mapping)
        and isinstance(step.get("old_string"), str)
        and isinstance(step.get("new_string"), str)
    ]
