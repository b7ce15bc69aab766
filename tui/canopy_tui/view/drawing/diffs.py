"""Draws a file change as rows: unified, numbered lines, the changed words marked, bounded.

It compares texts and draws; who changed the file and where the rows go is not known here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import lru_cache
from typing import TYPE_CHECKING

from canopy_tui.view.drawing.strips import Row, laid, printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.style import Style

    from canopy_tui.view.drawing.ink import Ink
    from canopy_tui.view.drawing.strips import Line, Paper, Run

CONTEXT = 3
NO_NEWLINE = " (no newline at the end)"
"""Behind a last line, where that is all that changed."""
_COMPARED = 3_000
"""Lines on both sides together above which changed parts are not compared line by line."""
_WORDS = re.compile(r"\w+|\s+|[^\w\s]")
_ALIKE = 0.4
_LONGEST = 400
"""Characters of a line above which changed words are not looked for."""


@dataclass(frozen=True, slots=True)
class Change:
    """One line of a diff: ``sign`` is ``+``, ``-`` or a space; ``marked`` are spans of change.

    ``number`` counts from 1, on the old side for ``-`` and on the new side otherwise; 0 is not
    known. A line with ``sign`` ``@`` stands for lines left out, ``number`` of them.
    """

    sign: str
    number: int
    text: str = ""
    marked: tuple[tuple[int, int], ...] = ()


def changes(
    old: str | None, new: str, first: int = 1, context: int = CONTEXT
) -> tuple[Change, ...]:
    """The diff from ``old`` (None: no such file) to ``new``, both starting at line ``first``; with
    0 the lines have no numbers.

    ``context`` lines around each change are kept.
    """
    found = _folded(_all_changes(old, new), context)
    return tuple(
        change
        if change.sign == "@"
        else replace(change, number=change.number + first - 1 if first else 0)
        for change in found
    )


def counted(old: str | None, new: str) -> tuple[int, int]:
    """How many lines were added and removed."""
    signs = [change.sign for change in _all_changes(old, new)]
    return signs.count("+"), signs.count("-")


@lru_cache(maxsize=16)
def _all_changes(old: str | None, new: str) -> tuple[Change, ...]:
    if "\r\n" in new and (old is None or "\r\n" in old):
        # Only a change of the line ends themselves is worth showing.
        old, new = old and old.replace("\r\n", "\n"), new.replace("\r\n", "\n")
    before = _lines(old or "")
    after = _lines(new)
    if before == after and before and old != new:
        side = after if old and old.endswith("\n") else before
        side[-1] += NO_NEWLINE
    head = _common(before, after)
    tail = _common(before[head:][::-1], after[head:][::-1])
    middle_old = before[head : len(before) - tail]
    middle_new = after[head : len(after) - tail]
    found = [Change(" ", 1 + at, after[at]) for at in range(head)]
    found += _compared(middle_old, middle_new, 1 + head)
    found += [Change(" ", 1 + at, after[at]) for at in range(len(after) - tail, len(after))]
    return tuple(found)


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return lines


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    length = min(len(one), len(other))
    return next((at for at in range(length) if one[at] != other[at]), length)


def _compared(old: list[str], new: list[str], start_at: int) -> Iterator[Change]:
    steps: list[tuple[str, int, int, int, int]] = [("replace", 0, len(old), 0, len(new))]
    if len(old) + len(new) <= _COMPARED:
        steps = [*SequenceMatcher(None, old, new).get_opcodes()]
    for kind, low, high, start, stop in steps:
        if kind == "equal":
            for at in range(start, stop):
                yield Change(" ", start_at + at, new[at])
            continue
        pairs = _marked(old[low:high], new[start:stop])
        for at in range(low, high):
            yield Change("-", start_at + at, old[at], pairs[0].get(at - low, ()))
        for at in range(start, stop):
            yield Change("+", start_at + at, new[at], pairs[1].get(at - start, ()))


Spans = tuple[tuple[int, int], ...]


def _marked(old: list[str], new: list[str]) -> tuple[dict[int, Spans], dict[int, Spans]]:
    """Changed spans of lines that were edited rather than replaced, paired in order."""
    gone: dict[int, Spans] = {}
    come: dict[int, Spans] = {}
    if not old or not new or len(old) + len(new) > 80:
        return gone, come
    for at, (before, after) in enumerate(zip(old, new, strict=False)):
        if len(before) > _LONGEST or len(after) > _LONGEST:
            continue
        left, right = _WORDS.findall(before), _WORDS.findall(after)
        matcher = SequenceMatcher(None, left, right, autojunk=False)
        if matcher.ratio() < _ALIKE:
            continue
        steps = [step for step in matcher.get_opcodes() if step[0] != "equal"]
        gone[at] = _spans(left, [(low, high) for _, low, high, _, _ in steps])
        come[at] = _spans(right, [(low, high) for _, _, _, low, high in steps])
    return gone, come


def _spans(words: list[str], parts: list[tuple[int, int]]) -> Spans:
    starts = [0]
    for word in words:
        starts.append(starts[-1] + len(word))
    return tuple((starts[low], starts[high]) for low, high in parts if low < high)


def _folded(found: Sequence[Change], context: int) -> Iterator[Change]:
    """``found`` without the context far from any change."""
    near: set[int] = set()
    for at, change in enumerate(found):
        if change.sign != " ":
            near.update(range(at - context, at + context + 1))
    skipped = 0
    for at, change in enumerate(found):
        if at in near or (at - 1 in near and at + 1 in near):
            if skipped:
                yield Change("@", skipped)
                skipped = 0
            yield change
        else:
            skipped += 1
    if skipped and near:
        yield Change("@", skipped)


def diff_rows(found: Sequence[Change], paper: Paper) -> list[Row]:
    """``found`` drawn over the whole width of ``paper``."""
    digits = digits_of(found)
    rows: list[Row] = []
    for change in found:
        if change.sign == "@":
            text = f"{numbered(0, digits)}{paper.marks.more} {change.number:,} unchanged"
            rows.append(Row(((text, paper.ink.faint),), len(text)))
            continue
        rows += _change_rows(change, digits, paper)
    return rows


def digits_of(found: Sequence[Change]) -> int:
    """How wide the numbers of lines are; 0 when there are none."""
    return max((len(str(one.number)) for one in found if one.sign != "@" and one.number), default=0)


def numbered(number: int, digits: int) -> str:
    """``number`` in its column, which is empty for 0."""
    return f"{number or '':>{digits}} " if digits else ""


def styles_of(sign: str, ink: Ink) -> tuple[Style, Style, Style]:
    """How a line, its changed words and its number look."""
    look: dict[str, tuple[Style, Style, Style]] = {
        "+": (ink.added, ink.added_word, ink.added + ink.success),
        "-": (ink.removed, ink.removed_word, ink.removed + ink.error),
    }
    return look.get(sign, (ink.muted, ink.muted, ink.faint))


def _change_rows(change: Change, digits: int, paper: Paper) -> list[Row]:
    style, word, label = styles_of(change.sign, paper.ink)
    first: list[Run] = [(f"{numbered(change.number, digits)}{change.sign} ", label)]
    rest: list[Run] = [(f"{numbered(0, digits)}{' ' * len(change.sign)} ", label)]
    fill = None if change.sign == " " else style
    line = marked_line(change, style, word)
    return laid([line], paper.width, first=first, rest=rest, fill=fill)


def marked_line(change: Change, style: Style, word: Style) -> Line:
    """The text of the line, its changed words in their own style."""
    line: Line = []
    at = 0
    for low, high in change.marked:
        line += [(printable(change.text[at:low]), style), (printable(change.text[low:high]), word)]
        at = high
    line.append((printable(change.text[at:]), style))
    return [run for run in line if run[0]]
