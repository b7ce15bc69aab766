"""Divides growing Markdown into pieces that stay as they are once closed; only the last is redrawn.

It reads lines and knows no more of Markdown than what decides where a piece may end.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from canopy_shared.fences import closes, opening

CODE_LINES = 64
"""Lines of a code fence that make a piece of their own."""
PROSE_LINES = 60
PROSE_CHARS = 4_000

_INNER_FENCE = re.compile(r"[ \t]*(?:(?:[-+*]|\d{1,9}[.)])[ \t]+)*(`{3,}|~{3,})[^`\n]*$")
_ITEM = re.compile(r" {0,3}(?:([-+*])|(\d{1,9})[.)])(?:[ \t]+\S|[ \t]*$)")
_DELIMITERS = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")
_BEGUN_DELIMITERS = re.compile(r"[ \t]*\|[ \t|:-]*")
_HEAD = re.compile(r" {0,3}\|[^|]*[^|\s][^|]*\|")
"""The head of a table from the end of its first cell on; what begins so is hardly anything else."""
_BAR = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True, slots=True)
class Prose:
    """Markdown other than a code fence. ``gap``: a blank row goes before it.

    ``number`` is set where it continues an ordered list: the number of its first item.
    """

    source: str
    gap: bool = False
    number: int | None = None


@dataclass(frozen=True, slots=True)
class Code:
    """Lines of one code fence; ``before`` are lines ahead of it that colouring needs to know."""

    source: str
    language: str = ""
    before: str = ""
    gap: bool = False


Piece: TypeAlias = Prose | Code


@dataclass(slots=True)
class _Scan:
    """What is open after some lines; ``out`` collects closed pieces."""

    lines: list[str] = field(default_factory=list)
    chars: int = 0
    fence: tuple[str, int, str] | None = None
    """Mark, indentation and language of an open top-level fence."""
    before: str = ""
    inner: str | None = None
    in_list: bool = False
    number: int | None = None
    """Number of the first item, where the list was begun in an earlier piece."""
    start: int | None = None
    """Number that the source gives the first item of an ordered list."""
    items: int = 0
    blank: bool = False
    gap: bool = False
    out: list[Piece] = field(default_factory=list)

    def line(self, line: str) -> None:
        """Take one line, without its newline."""
        if self.fence is not None:
            self._code(line, *self.fence)
        elif self.inner is not None:
            self._keep(line)
            if closes(line, self.inner, in_list=True):
                self.inner = None
        elif not line.strip():
            self._blank()
        else:
            self._text(line)

    def finish(self) -> None:
        """Close what is open."""
        if self.fence is not None:
            self._emit_code()
        else:
            self._emit_prose()

    def _code(self, line: str, mark: str, indent: int, _language: str) -> None:
        if closes(line, mark):
            self._emit_code()
            self.fence, self.before, self.gap = None, "", True
            return
        self._keep(_unindented(line, indent))
        if len(self.lines) >= CODE_LINES or self.chars > PROSE_CHARS:
            self._emit_code()

    def _emit_code(self) -> None:
        assert self.fence is not None
        source = "\n".join(self.lines)
        if self.lines or not self.before:
            self.out.append(Code(source, self.fence[2], self.before, self.gap))
        self.before, self.gap = source, False
        self.lines, self.chars = [], 0

    def _blank(self) -> None:
        if self.in_list:
            if self.lines:
                self.blank = True
                self._keep("")
        else:
            self._emit_prose()

    def _text(self, line: str) -> None:
        item = _ITEM.match(line)
        indented = line.startswith(("  ", "\t"))
        if self.in_list and self.blank and not item and not indented:
            self._emit_prose()
        self.blank = False
        fence = opening(line)
        if fence and not (self.in_list and indented):
            self._emit_prose()
            language = fence.words.split(maxsplit=1)[0] if fence.words.strip() else ""
            self.fence = (fence.mark, fence.indent, language)
            return
        if self._is_long():
            self._cut(item)
        if item and not indented:
            self._begin_item(item)
        if self.in_list and (inner := _INNER_FENCE.match(line)):
            self.inner = inner[1]
        self._keep_long(line)

    def _begin_item(self, item: re.Match[str]) -> None:
        if not self.in_list:
            self.in_list, self.items = True, 0
            self.start = int(item[2]) if item[2] and not self.lines else None
        self.items += 1

    def _is_long(self) -> bool:
        return len(self.lines) >= PROSE_LINES or self.chars > PROSE_CHARS

    def _cut(self, item: re.Match[str] | None) -> None:
        """Close a long piece early; what follows joins it without a gap."""
        if self.in_list:
            if item is None or item.start(1 if item[1] else 2) > 1:
                return
            start = self.start if self.number is None else self.number
            number = None if start is None else start + self.items
            self._emit_prose()
            self.in_list, self.gap = True, False
            self.number = self.start = number
        elif len(self.lines) > 2 and _DELIMITERS.match(self.lines[1]) and "|" in self.lines[0]:
            head = self.lines[:2]
            self._emit_prose()
            self.lines, self.gap = head, False
        else:
            self._emit_prose()
            self.gap = False

    def _keep_long(self, line: str) -> None:
        while len(line) > PROSE_CHARS:
            at = line.rfind(" ", PROSE_CHARS // 2, PROSE_CHARS) + 1 or PROSE_CHARS
            self._keep(line[:at])
            line = line[at:]
            if not self.in_list:
                self._emit_prose()
                self.gap = False
        self._keep(line)

    def _keep(self, line: str) -> None:
        self.lines.append(line)
        self.chars += len(line) + 1

    def _emit_prose(self) -> None:
        if self.lines:
            source = "\n".join(self.lines).rstrip("\n")
            self.out.append(Prose(source, self.gap, self.number))
            self.gap = True
        self.lines, self.chars = [], 0
        self.in_list, self.blank, self.inner = False, False, None
        self.number, self.start, self.items = None, None, 0


def _with_table_begun(lines: list[str]) -> list[str]:
    """``lines`` with the whole line of dashes below the head of a table whose own is still on its
    way: its rows then stand where they will, and nothing jumps.
    """
    at = len(lines) - 1
    if at > 0 and _BEGUN_DELIMITERS.fullmatch(lines[at]):
        at -= 1
    is_head = at >= 0 and _HEAD.match(lines[at]) is not None
    if not is_head or any(map(_DELIMITERS.match, lines[1 : at + 1])):
        return lines
    columns = _columns(lines[at])
    if at + 1 < len(lines) and _columns(lines[at + 1]) == columns:
        return lines
    return [*lines[: at + 1], "|" + "---|" * columns]


def _columns(row: str) -> int:
    return len(_BAR.split(row.strip().removeprefix("|").removesuffix("|")))


def _unindented(line: str, indent: int) -> str:
    return line[min(indent, len(line) - len(line.lstrip(" "))) :]


class Splitter:
    """Splits one text that only grows; each call costs what was added, not what was there."""

    def __init__(self) -> None:
        self._restart()

    def _restart(self) -> None:
        self._seen = ""
        self._at = 0
        self._scan = _Scan()
        self._closed = 0

    def pieces(self, text: str, *, grows: bool = False) -> tuple[int, list[Piece]]:
        """``(kept, pieces)``: the first ``kept`` of the last answer, then ``pieces``. ``grows``:
        more is on its way, and what looks like the head of a table becomes one.
        """
        if not text.startswith(self._seen):
            self._restart()
        self._seen = text
        kept = self._closed
        while (end := text.find("\n", self._at)) >= 0:
            self._scan.line(_plain(text[self._at : end]))
            self._at = end + 1
        fresh, self._scan.out = self._scan.out, []
        self._closed += len(fresh)
        rest = replace(self._scan, lines=list(self._scan.lines), out=[])
        if self._at < len(text):
            rest.line(_plain(text[self._at :]))
        if grows and rest.fence is None and not rest.in_list:
            rest.lines = _with_table_begun(rest.lines)
        rest.finish()
        return kept, fresh + rest.out


def fences(text: str) -> list[tuple[int, int]]:
    """Begin and end of every code fence in ``text``, as offsets, those of list items too."""
    scan, found = _Scan(), list[tuple[int, int]]()
    at, begin = 0, -1
    for line in text.split("\n") if "```" in text or "~~~" in text else ():
        scan.line(_plain(line))
        is_open = scan.fence is not None or scan.inner is not None
        if is_open and begin < 0:
            begin = at
        at += len(line) + 1
        if not is_open and begin >= 0:
            found.append((begin, at - 1))
            begin = -1
    return [*found, (begin, len(text))] if begin >= 0 else found


def _plain(line: str) -> str:
    """``line`` so that the parser counts the same lines as we do."""
    line = line.removesuffix("\r")
    return line.replace("\r", "␍").replace("\0", "␀") if "\r" in line or "\0" in line else line
