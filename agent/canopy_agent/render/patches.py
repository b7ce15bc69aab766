"""Exact git patches for clients with the AIR capability ``diffPatch``.

A patch is given only when it says precisely what happens to the file; otherwise None, and the
caller shows an ordinary diff. Format: ``git diff`` with three lines of context, as ``git apply``
takes it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from canopy_agent.render.diffs import GIT_PATCH, Change, bare_diff
from canopy_agent.render.lines import Change as LineChange
from canopy_agent.render.lines import changes
from canopy_shared.content import Diff, Location, PatchDiff
from canopy_shared.ext import air

ReadFile = Callable[[str], bytes | None]
"""The bytes of a file, None when there is none. Raises ``OSError`` for one that cannot be read."""

MAX_BYTES = 1024 * 1024
_NUL_WINDOW = 8000
_CONTEXT = 3
_LINES = re.compile(r"[^\n]*\n|[^\n]+")
_NO_NEWLINE = "\n\\ No newline at end of file\n"
_BOM = "\ufeff"
_ESCAPES = {7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r", 34: '"', 92: "\\"}
_DRIVE = re.compile(r"[A-Za-z]:[\\/]|\\\\")


@dataclass(frozen=True, slots=True)
class GitPatch:
    """Text of the patch and, per hunk, the first line of the new side (from 1)."""

    text: str
    starts: tuple[int, ...]


def no_files(_: str) -> bytes | None:
    """A ``ReadFile`` that can read nothing: every patch falls back to an ordinary diff."""
    raise OSError("no file access")


def readable_text(raw: bytes) -> str | None:
    """``raw`` as text that a patch can tell; None for binary, CR line ends, BOM, or too much."""
    if len(raw) > MAX_BYTES or b"\0" in raw[:_NUL_WINDOW] or b"\r" in raw:
        return None
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        return None
    return None if text.startswith(_BOM) else text


def git_patch(path: str, old: str | None, new: str, *, bare: bool = False) -> GitPatch | None:
    """The patch from ``old`` (None: no such file) to ``new``; None when nothing changes. ``bare``:
    it names the path as it is.
    """
    before = _LINES.findall(old or "")
    after = _LINES.findall(new)
    hunks = list(_hunks(changes(before, after), len(before), len(after)))
    a_name, b_name = (_quoted("", path),) * 2 if bare else (_quoted("a", path), _quoted("b", path))
    if not hunks or a_name is None or b_name is None:
        return None
    tab = "\t" if " " in path else ""
    created = old is None
    head = f"diff --git {a_name} {b_name}\n" + ("new file mode 100644\n" if created else "")
    head += (
        f"--- /dev/null\n+++ {b_name}{tab}\n"
        if created
        else f"--- {a_name}{tab}\n+++ {b_name}{tab}\n"
    )
    body = "".join(_hunk_text(hunk, before, after) for hunk in hunks)
    return GitPatch(head + body, tuple(max(1, hunk[0][2] + 1) for hunk in hunks))


def patch_change(path: str, patch: GitPatch, *, created: bool, bare: bool = False) -> Change:
    """The patch as what a tool call shows; a created file is one place, else one per hunk."""
    block: Diff | PatchDiff
    if bare:
        block = bare_diff(path, patch.text, created=created)
    else:
        payload = {"version": 1, "format": GIT_PATCH, "text": patch.text}
        block = Diff(path, "", None, air.wrap(diffPatch=payload))
    places = (Location(path),) if created else tuple(Location(path, line) for line in patch.starts)
    return Change((block,), places)


def done_patch(
    name: str, path: str, response: Mapping[str, Any], read: ReadFile, *, bare: bool = False
) -> Change | None:
    """What Edit or Write did: ``originalFile`` of the hook's response against the file on disk."""
    created = response.get("type") == "create"
    old = None if created else response.get("originalFile")
    if not created and not isinstance(old, str):
        return None
    if name == "Edit" and not old and not response.get("oldString"):
        return None
    new = _on_disk(path, read)
    if new is None or (created and new != response.get("content")):
        return None
    if isinstance(old, str) and not _speakable(old):
        return None
    patch = git_patch(path, old, new, bare=bare)
    return patch_change(path, patch, created=created, bare=bare) if patch else None


def coming_patch(
    name: str, path: str, tool_input: Mapping[str, Any], read: ReadFile, *, bare: bool = False
) -> Change | None:
    """What Edit or Write would do, applied in memory to the file as it is on disk."""
    try:
        raw = read(path)
    except (OSError, ValueError):
        return None
    old = None if raw is None else readable_text(raw)
    if raw is not None and old is None:
        return None
    new = _edited(old, tool_input) if name == "Edit" else written_text(tool_input)
    if new is None or not _speakable(new):
        return None
    patch = git_patch(path, old, new, bare=bare)
    return patch_change(path, patch, created=old is None, bare=bare) if patch else None


def _speakable(text: str) -> bool:
    try:
        return readable_text(text.encode()) is not None
    except UnicodeEncodeError:
        return False


def _on_disk(path: str, read: ReadFile) -> str | None:
    try:
        raw = read(path)
    except (OSError, ValueError):
        return None
    return None if raw is None else readable_text(raw)


def written_text(tool_input: Mapping[str, Any]) -> str | None:
    """The text that a Write input holds, under any of its known keys."""
    for key in ("content", "file_text", "file_content"):
        value = tool_input.get(key)
        if isinstance(value, str):
            return value
    return None


def _edited(text: str | None, tool_input: Mapping[str, Any]) -> str | None:
    """``text`` after the Edit, as the CLI applies it; None when the Edit would not be exact."""
    old, new = tool_input.get("old_string"), tool_input.get("new_string")
    if not isinstance(old, str) or not isinstance(new, str):
        return None
    if not old:
        return new if text is None else None
    if not text:
        return None
    found = text.count(old)
    everywhere = tool_input.get("replace_all") is True
    if found == 0 or (found > 1 and not everywhere):
        return None
    if not new and not old.endswith("\n") and f"{old}\n" in text:
        old += "\n"  # removing a text removes the line end behind it
    return text.replace(old, new, -1 if everywhere else 1)


# --- text of a patch -----------------------------------------------------------------------------

_Hunk = tuple[LineChange, list[LineChange]]


def _hunks(found: Sequence[LineChange], old_size: int, new_size: int) -> Iterator[_Hunk]:
    """Changes grouped with their context: the span of the hunk and what changes in it."""
    group: list[LineChange] = []
    for change in found:
        if group and change[0] - group[-1][1] > 2 * _CONTEXT:
            yield _span(group, old_size, new_size), group
            group = []
        group.append(change)
    if group:
        yield _span(group, old_size, new_size), group


def _span(group: list[LineChange], old_size: int, new_size: int) -> LineChange:
    before = min(_CONTEXT, group[0][0])
    behind = min(_CONTEXT, old_size - group[-1][1], new_size - group[-1][3])
    return (
        group[0][0] - before,
        group[-1][1] + behind,
        group[0][2] - before,
        group[-1][3] + behind,
    )


def _hunk_text(hunk: _Hunk, before: list[str], after: list[str]) -> str:
    (a0, a1, b0, b1), group = hunk
    parts = [f"@@ -{_range(a0, a1)} +{_range(b0, b1)} @@\n"]
    at = a0
    for old_start, old_end, new_start, new_end in group:
        parts += [_line(" ", line) for line in before[at:old_start]]
        parts += [_line("-", line) for line in before[old_start:old_end]]
        parts += [_line("+", line) for line in after[new_start:new_end]]
        at = old_end
    parts += [_line(" ", line) for line in before[at:a1]]
    return "".join(parts)


def _range(start: int, end: int) -> str:
    size = end - start
    if size == 1:
        return str(start + 1)
    return f"{start + 1 if size else start},{size}"


def _line(mark: str, line: str) -> str:
    return mark + line if line.endswith("\n") else mark + line + _NO_NEWLINE


def _quoted(side: str, path: str) -> str | None:
    """``a/path`` as git writes it: C-quoted for control characters, quotes and non-ASCII. Without
    a ``side`` the path stays as it is.
    """
    name = path.replace("\\", "/") if _DRIVE.match(path) else path
    try:
        named = f"{side}/{name.lstrip('/')}" if side else path
        raw = named.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return None
    if all(32 <= byte < 127 and byte not in _ESCAPES for byte in raw):
        return raw.decode("ascii")
    return '"' + "".join(_escaped(byte) for byte in raw) + '"'


def _escaped(byte: int) -> str:
    if byte in _ESCAPES:
        return "\\" + _ESCAPES[byte]
    return chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}"
