"""What a permission request is about, drawn in full: the change of a file, the command, the values.

It reads what is known of the tool call and shows it with nothing hidden; it answers nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from rich.style import Style

from canopy_shared.content import ToolContent, text_of
from canopy_tui.model.changes import Edit, edits_of
from canopy_tui.model.reach import (
    EVERYWHERE,
    OUTSIDE,
    is_inside,
    places_outside,
    replaced_everywhere,
    replacements,
)
from canopy_tui.model.values import value_lines
from canopy_tui.view.blocks.diff import change_runs
from canopy_tui.view.drawing.diff_split import LEAST, split_rows
from canopy_tui.view.drawing.diffs import changes, diff_rows
from canopy_tui.view.drawing.markdown import literal_rows
from canopy_tui.view.drawing.strips import BLANK, Row, fitted, laid, printable

if TYPE_CHECKING:
    from canopy_tui.model.entries import ToolEntry
    from canopy_tui.view.dialogs.preview import Draw
    from canopy_tui.view.drawing.strips import Line, Paper, Run

_LIMIT = 200_000
"""Characters of one value above which the rest is only counted."""

_NAME = 20
"""Cells that the name of a file has at least beside what is said of it."""

DANGER = re.compile(
    r"\brm\s+(-\w*[rf]\w*\s*)+|\bsudo\b|\|\s*(sudo\s+)?(ba|z|da)?sh\b"
    r"|\bgit\s+push\b[^\n;&|]*(--force|-f)\b|\bgit\s+(reset\s+--hard|clean\s+-\w*f)"
    r"|\bdd\s+[^\n]*\bof=|\bmkfs\b|\bchmod\s+-R\b|\bchown\s+-R\b|>\s*/dev/(sd|nvme)"
)
"""Parts of a command that deserve a second look: a hint, never a gate."""


def preview_of(
    entry: ToolEntry | None,
    cwd: str = "",
    *,
    split: bool = False,
    lines: Mapping[Edit, int] | None = None,
) -> Draw:
    """How to draw what ``entry`` would do; None when nothing is known of the call.

    ``lines`` says where edits begin that do not say so themselves. ``split`` draws changes side by
    side where there is room. Paths below ``cwd`` are written from there, and files outside of it
    are pointed out.
    """

    def draw(paper: Paper) -> list[Row]:
        if entry is None:
            return [Row((("Nothing more is known of this call.", paper.ink.muted),))]
        rows = (
            _file_changes(entry, paper, cwd, split, lines or {})
            or _command(entry, paper)
            or [*_places_outside(entry, paper, cwd), *_values(entry, paper)]
        )
        rows += _texts(entry, paper)
        return rows or [Row((("Without arguments.", paper.ink.muted),))]

    return draw


def raw_of(value: Any) -> Draw:
    """The raw request, every field of it."""

    def draw(paper: Paper) -> list[Row]:
        return literal_rows(value_lines(value), paper)

    return draw


def _file_changes(
    entry: ToolEntry, paper: Paper, cwd: str, split: bool, lines: Mapping[Edit, int]
) -> list[Row]:
    rows: list[Row] = []
    everywhere = replaced_everywhere(entry.raw_input)
    for edit in changed_files(entry):
        path, old, new, first = edit
        if rows:
            rows.append(BLANK)
        inside = bool(cwd) and is_inside(path, cwd)
        warnings = [EVERYWHERE] if (old, new) in everywhere else []
        warnings += [OUTSIDE] if cwd and not inside else []
        name = str(PurePath(cwd, path).relative_to(cwd)) if inside else path
        rows += _headed(name, change_runs(old, new, paper), warnings, paper)
        draw = split_rows if split and paper.width >= LEAST else diff_rows
        rows += draw(changes(old, new, first or lines.get(edit, 0)), paper)
    return rows


def _places_outside(entry: ToolEntry, paper: Paper, cwd: str) -> list[Row]:
    """Where a call without a diff would change something outside the project."""
    rows: list[Row] = []
    for path in places_outside(entry, cwd):
        rows += _headed(path, [], [OUTSIDE], paper)
    return rows


def _headed(path: str, tail: list[Run], warnings: list[str], paper: Paper) -> list[Row]:
    """A file, with what to beware of: beside it where there is room, else below."""
    alarm = paper.ink.warning + Style(bold=True)
    marks: list[Run] = [(f"  {words}", alarm) for words in warnings]
    beside = paper.width - sum(len(text) for text, _ in (*tail, *marks)) >= _NAME
    tail = tail + marks if beside else tail
    room = paper.width - sum(len(text) for text, _ in tail)
    rows = [Row(((fitted(printable(path), room, paper.marks.more), paper.ink.strong), *tail))]
    return rows if beside else rows + [Row((mark,)) for mark in marks]


def changed_files(entry: ToolEntry) -> list[Edit]:
    """What is changed in every file."""
    return edits_of(entry) or _changes_in_input(entry.raw_input)


def _changes_in_input(given: Any) -> list[Edit]:
    """The same from the input of Claude's own editing tools, before their diff was reported."""
    if not isinstance(given, Mapping) or not isinstance(given.get("file_path"), str):
        return []
    path = given["file_path"]
    found = [Edit(path, step["old_string"], step["new_string"], 0) for step in replacements(given)]
    content = given.get("content")
    if not found and isinstance(content, str):
        found.append(Edit(path, None, content))
    return found


def _command(entry: ToolEntry, paper: Paper) -> list[Row]:
    given = entry.raw_input
    command = given.get("command") if isinstance(given, Mapping) else None
    if isinstance(command, (list, tuple)):
        command = " ".join(map(str, command))
    if not isinstance(command, str) or not command:
        return []
    ink = paper.ink
    lines = [
        _marked(line, ink.text, ink.warning) for line in printable(command[:_LIMIT]).split("\n")
    ]
    rows = laid(lines, paper.width, first=[("$ ", ink.muted)])
    rest = {key: value for key, value in given.items() if key != "command"}
    return rows + ([BLANK, *_pairs(rest, paper)] if rest else [])


def _marked(line: str, plain: Style, warning: Style) -> Line:
    alarm = warning + Style(underline=True, bold=True)
    runs: Line = []
    at = 0
    for found in DANGER.finditer(line):
        runs += [(line[at : found.start()], plain), (found.group(), alarm)]
        at = found.end()
    runs.append((line[at:], plain))
    return [run for run in runs if run[0]]


def _values(entry: ToolEntry, paper: Paper) -> list[Row]:
    given = entry.raw_input
    if isinstance(given, Mapping):
        return _pairs(given, paper)
    if given in (None, ""):
        return []
    return literal_rows(_written(given), paper)


def _pairs(values: Mapping[str, Any], paper: Paper) -> list[Row]:
    """``key: value`` of every value, longer ones below their key."""
    rows: list[Row] = []
    for key, value in values.items():
        text = printable(_written(value))
        label = [(f"{printable(str(key))}: ", paper.ink.muted)]
        if "\n" in text:
            rows.append(Row(tuple(label)))
            lines: list[Line] = [[(line, paper.ink.text)] for line in text.split("\n")]
            indent = [("  ", paper.ink.text)]
            rows += laid(lines, paper.width, first=indent, rest=indent)
        else:
            rows += laid([[*label, (text, paper.ink.text)]], paper.width)
    return rows


def _written(value: Any) -> str:
    text = value_lines(value)
    hidden = len(text) - _LIMIT
    return text if hidden <= 0 else f"{text[:_LIMIT]}\n… {hidden:,} more characters"


def _texts(entry: ToolEntry, paper: Paper) -> list[Row]:
    """Text that came with the call, such as a plan to approve."""
    rows: list[Row] = []
    for part in entry.content:
        text = text_of(part.content) if isinstance(part, ToolContent) else ""
        if text.strip():
            rows += [BLANK, *literal_rows(text, paper)]
    return rows
