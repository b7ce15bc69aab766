"""What an expanded tool call shows: its input, its contents, its output, each of bounded length.

The raw view of a call is not bounded; it is drawn in pieces.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from canopy_shared.content import (
    Diff,
    ImageContent,
    TerminalRef,
    TextContent,
    ToolContent,
    UnknownContent,
)
from canopy_tui.model.changes import edits_of
from canopy_tui.model.sanitize import visible
from canopy_tui.model.values import value_lines
from canopy_tui.view.blocks.attachment import Attachment
from canopy_tui.view.blocks.block import (
    Literal,
    beside,
    guessed,
    inside,
    literal_blocks,
    more_row,
)
from canopy_tui.view.blocks.diff import FileChange
from canopy_tui.view.blocks.tool import tool_line
from canopy_tui.view.drawing.ansi import ansi_lines
from canopy_tui.view.drawing.markdown import literal_rows, markdown_rows
from canopy_tui.view.drawing.strips import laid, printable

if TYPE_CHECKING:
    from canopy_tui.model.entries import ToolEntry
    from canopy_tui.view.blocks.block import Block
    from canopy_tui.view.blocks.look import Look
    from canopy_tui.view.drawing.strips import Paper, Row

LINES = 200
PIECE = 64
CHARS = 20_000
TAIL = 5
"""Lines of output shown of a call that runs or failed, before it is expanded."""
_INPUT_LINES = 12
_LONG_LINE = 2_000


@dataclass(frozen=True, slots=True)
class Output:
    """The end of terminal output; ``above`` lines before it are left out."""

    text: str
    above: int = 0
    key: str = "space"

    def draw(self, paper: Paper) -> list[Row]:
        """Colours of the command kept, long lines cut."""
        page = inside(paper)
        rows = [more_row(self.above, page, self.key)] if self.above else []
        lines = ansi_lines(self.text, paper.ink.muted, paper.ink.named)
        bar = [(paper.marks.quote, paper.ink.faint)]
        rows += laid(lines, page.width, first=bar, rest=bar)
        return beside(rows)

    def guess(self, width: int) -> int:
        """By characters and newlines."""
        return guessed(self.text, width) + bool(self.above)


@dataclass(frozen=True, slots=True)
class Contents:
    """What a tool gave back; ``below`` lines after it are left out."""

    text: str
    below: int = 0
    markdown: bool = True

    def draw(self, paper: Paper) -> list[Row]:
        """In the text column."""
        page = inside(paper)
        draw = markdown_rows if self.markdown else literal_rows
        rows = draw(self.text, page, style=paper.ink.muted)
        if self.below:
            rows.append(more_row(self.below, page, "v"))
        return beside(rows)

    def guess(self, width: int) -> int:
        """By characters and newlines."""
        return guessed(self.text, width) + bool(self.below)


@dataclass(frozen=True, slots=True)
class Input:
    """The arguments of a call: key, value, and whether the value goes on lines of its own."""

    arguments: tuple[tuple[str, str, bool], ...]
    whole: bool = False

    def draw(self, paper: Paper) -> list[Row]:
        """Values below their key are cut when they are long."""
        ink, page = paper.ink, inside(paper)
        rows: list[Row] = []
        for key, value, below in self.arguments:
            name = [(f"{visible(key, multiline=False)}: ", ink.faint)]
            lines = printable(value).split("\n")
            if not below:
                rows += laid([[*name, (lines[0], ink.muted)]], page.width, rest=[("  ", ink.muted)])
                continue
            rows += laid([name], page.width)
            indent = [("  ", ink.muted)]
            bound = LINES if self.whole else _INPUT_LINES
            shown = [[(line, ink.muted)] for line in lines[:bound]]
            rows += laid(shown, page.width, first=indent, rest=indent)
            if len(lines) > bound:
                rows.append(more_row(len(lines) - bound, page, "v"))
        return beside(rows)

    def guess(self, width: int) -> int:
        """By characters and newlines."""
        return sum(min(guessed(value, width), _INPUT_LINES) for _, value, _ in self.arguments)


def tool_blocks(entry: ToolEntry, look: Look) -> list[Block]:
    """The line of the call and, as far as wanted, what is below it."""
    below = _raw(entry) if look.raw else _below(entry, look)
    opens = bool(below) or look.expanded or _has_more(entry)
    return [tool_line(entry, opens=opens), *below]


def _has_more(entry: ToolEntry) -> bool:
    return bool(entry.raw_input or entry.content or entry.output or entry.raw_output)


def _below(entry: ToolEntry, look: Look) -> list[Block]:
    expanded = look.expanded
    blocks: list[Block] = []
    if expanded and (arguments := _arguments(entry)):
        blocks.append(Input(arguments, look.whole))
    blocks += _changes(entry, look)
    blocks += _contents(entry, look) if expanded else _pictures(entry)
    if look.whole and entry.output.strip():
        blocks += [Output(piece) for piece in _pieces(entry.output)]
    elif entry.output.strip() and (expanded or not entry.ended or entry.status == "failed"):
        blocks.append(_output(entry.output, LINES if expanded else TAIL, expanded))
    elif entry.status == "failed" and not expanded and (text := _first_text(entry)):
        blocks.append(_output(text, TAIL, expanded))
    elif expanded and not entry.content and entry.raw_output is not None:
        text = value_lines(entry.raw_output)
        blocks += literal_blocks(text) if look.whole else [_bounded(text, markdown=False)]
    return blocks


def _arguments(entry: ToolEntry) -> tuple[tuple[str, str, bool], ...]:
    """The input without what the title or a diff says already."""
    given = entry.raw_input
    if not isinstance(given, Mapping):
        return (_argument("input", given),) if given else ()
    shown = {entry.title}
    for part in entry.content:
        if isinstance(part, Diff):
            shown |= {part.new_text, part.old_text if isinstance(part.old_text, str) else ""}
    return tuple(
        _argument(str(key), value)
        for key, value in given.items()
        if not (isinstance(value, str) and value in shown)
    )


def _argument(key: str, value: object) -> tuple[str, str, bool]:
    text = value_lines(value)
    nested = isinstance(value, Mapping | list | tuple) and bool(value)
    return key, text, nested or "\n" in text


def _pieces(text: str) -> list[str]:
    """``text`` in pieces that are drawn one by one, however long it is."""
    lines = [_cut_line(line) for line in text.rstrip("\n").split("\n")]
    return ["\n".join(lines[at : at + PIECE]) for at in range(0, len(lines), PIECE)]


def _changes(entry: ToolEntry, look: Look) -> list[Block]:
    edits = edits_of(entry)
    return [
        FileChange(*edit, len(edits) > 1, look.expanded, look.whole, look.split) for edit in edits
    ]


def _contents(entry: ToolEntry, look: Look) -> list[Block]:
    blocks: list[Block] = []
    for part in entry.content:
        match part:
            case ToolContent(content=TextContent(text=text)):
                short = len(text) <= CHARS and text.count("\n") < LINES
                blocks += literal_blocks(text) if look.whole and not short else [_bounded(text)]
            case ToolContent(content=content):
                blocks.append(Attachment(content))
            case UnknownContent():
                blocks.append(Attachment(part))
            case Diff() | TerminalRef():
                pass
    return blocks


def _pictures(entry: ToolEntry) -> list[Block]:
    return [
        Attachment(part.content)
        for part in entry.content
        if isinstance(part, ToolContent) and isinstance(part.content, ImageContent)
    ]


def _first_text(entry: ToolEntry) -> str:
    for part in entry.content:
        if isinstance(part, ToolContent) and isinstance(part.content, TextContent):
            lines = part.content.text.strip("\n").split("\n")
            return "\n".join(line for line in lines if not line.startswith("```"))
    return entry.raw_output if isinstance(entry.raw_output, str) else ""


def _bounded(text: str, *, markdown: bool = True) -> Contents:
    lines = text[: CHARS + 1].split("\n")[:LINES]
    kept = "\n".join(lines)[:CHARS]
    below = text.count("\n", len(kept)) if len(kept) < len(text) else 0
    return Contents(kept, max(below, int(len(kept) < len(text.rstrip("\n")))), markdown)


def _output(text: str, lines: int, expanded: bool) -> Output:
    """The last ``lines`` of ``text``."""
    text = text.rstrip("\n")
    at = len(text)
    for _ in range(lines):
        at = text.rfind("\n", max(0, len(text) - CHARS), at)
        if at < 0:
            break
    start = at + 1 if at >= 0 else max(0, len(text) - CHARS)
    kept = "\n".join(_cut_line(line) for line in text[start:].split("\n"))
    return Output(kept, text.count("\n", 0, start), "v" if expanded else "space")


def _cut_line(line: str) -> str:
    if len(line) <= _LONG_LINE:
        return line
    return f"{line[:_LONG_LINE]}… {len(line) - _LONG_LINE:,} more characters"


def _raw(entry: ToolEntry) -> list[Block]:
    """Everything, as it came."""
    facts: dict[str, Any] = {
        "call": entry.tool_call_id,
        "name": entry.name,
        "kind": entry.kind,
        "status": entry.status,
        "locations": [f"{place.path}:{place.line or ''}" for place in entry.locations],
        "input": entry.raw_input,
    }
    text = value_lines({key: value for key, value in facts.items() if value})
    blocks: list[Block] = [*literal_blocks(text)]
    for part in entry.content:
        if isinstance(part, ToolContent) and isinstance(part.content, TextContent):
            blocks += [Literal("content:"), *literal_blocks(part.content.text)]
        elif isinstance(part, Diff):
            old = part.old_text if isinstance(part.old_text, str) else ""
            blocks += [Literal(f"before {part.path}:"), *literal_blocks(old)]
            blocks += [Literal(f"after {part.path}:"), *literal_blocks(part.new_text)]
    if entry.output:
        blocks += [Literal("output:"), *literal_blocks(entry.output)]
    if entry.raw_output is not None:
        blocks += [Literal("raw output:"), *literal_blocks(value_lines(entry.raw_output))]
    return blocks
