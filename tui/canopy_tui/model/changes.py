"""The files that a turn changed, with every edit of them that the transcripts of its agents hold.

A report names files without their contents; the edits come from the tool calls. What a shell
command changed has no edit here. Nothing is read from disk.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from canopy_shared.content import Diff
from canopy_tui.model.entries import ToolEntry
from canopy_tui.model.tree import below

if TYPE_CHECKING:
    from canopy_tui.model.entries import ChangesEntry
    from canopy_tui.model.state import ClientState, SessionView


class Edit(NamedTuple):
    """One change of a file: ``old`` is None when it was not there or that is not known, ``first``
    the number of the first line of both texts, 0 when not known.
    """

    path: str
    old: str | None
    new: str
    first: int = 1


@dataclass(slots=True)
class ChangedFile:
    """``edits`` are those of its agents, ``(session, edit)``, in the order of their calls."""

    path: str
    edits: list[tuple[str, Edit]] = field(default_factory=list)


def edits_of(call: ToolEntry) -> list[Edit]:
    """The changes that ``call`` makes or made, as the agent tells them."""
    diffs = [part for part in call.content if isinstance(part, Diff)]
    lines = [place.line if isinstance(place.line, int) else 0 for place in call.locations]
    given = call.raw_input
    # what Claude's own tools change is told as a part of the file until it is done
    unsaid = 0 if isinstance(given, Mapping) and "file_path" in given else 1
    found = []
    for at, diff in enumerate(diffs):
        old = diff.old_text if isinstance(diff.old_text, str) else None
        line = lines[at] if len(lines) == len(diffs) else 0
        first = max(0, line) or (1 if old is None else unsaid)
        found.append(Edit(diff.path, old, diff.new_text, first))
    return found


def reviewed(state: ClientState, root: SessionView, entry: ChangesEntry) -> list[ChangedFile]:
    """The files of a report in its order, each with its edits between the turn's start and end."""
    files = {path: ChangedFile(path) for path in entry.paths}
    for view in (root, *below(state, root.id)):
        for call in _calls(view, entry):
            for edit in edits_of(call):
                file = _file_of(files, edit.path)
                if file is not None:
                    file.edits.append((view.id, edit))
    return list(files.values())


def _calls(view: SessionView, entry: ChangesEntry) -> Iterator[ToolEntry]:
    for call in view.entries:
        if isinstance(call, ToolEntry) and call.status == "completed":
            when = call.at if call.ended_at is None else call.ended_at
            if entry.since <= when <= entry.at:
                yield call


def _file_of(files: dict[str, ChangedFile], path: str) -> ChangedFile | None:
    """The file with that path; also when a report resolved links that the call did not."""
    if path in files:
        return files[path]
    alike = [file for name, file in files.items() if _same_end(name, path)]
    return alike[0] if len(alike) == 1 else None


def _same_end(one: str, other: str) -> bool:
    parts = one.replace("\\", "/").split("/")[-2:]
    return parts == other.replace("\\", "/").split("/")[-2:]


def shortened(path: str, cwd: str) -> str:
    """``path`` from ``cwd`` on when it lies in there."""
    inside = cwd and path.startswith(cwd.rstrip("/\\") + "/")
    return path[len(cwd.rstrip("/\\")) + 1 :] if inside else path
