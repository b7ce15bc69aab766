"""Draws Markdown as rows: headings without boxes, lists, quotes, fitting tables, coloured code.

Nothing is hidden: HTML is shown as written, link targets are shown, and what cannot be parsed is
shown as text.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from canopy_tui.view.drawing.dunders import keep_dunders
from canopy_tui.view.drawing.highlight import code_lines
from canopy_tui.view.drawing.markdown_inline import inline_lines
from canopy_tui.view.drawing.markdown_table import table_rows
from canopy_tui.view.drawing.strips import BLANK, NONE, PROSE, Row, behind, laid, printable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rich.style import Style

    from canopy_tui.view.drawing.strips import Paper

_DEEPEST = 40
"""Levels of nesting after which the parser drops text, so such text is shown unparsed."""

_TASK = re.compile(r"\[([ xX])\][ ]")


class _Parser(MarkdownIt):
    def validateLink(self, url: str) -> bool:  # noqa: N802  # theirs
        """Links to files too: nothing is opened here, and never unasked."""
        return url.lower().startswith("file:") or super().validateLink(url)


@cache
def _parser() -> MarkdownIt:
    options = {"html": False, "maxNesting": _DEEPEST}
    parser = _Parser("commonmark", options).enable(["table", "strikethrough"])
    # A definition such as "[1]: url" would vanish, and its use may be in another piece.
    return keep_dunders(parser).disable("reference")


def markdown_rows(
    source: str, paper: Paper, number: int | None = None, style: Style | None = None
) -> list[Row]:
    """``source`` as rows, in ``style`` where Markdown itself does not say otherwise.

    ``number`` replaces the number of the first item of an ordered list.
    """
    try:
        tokens = _parser().parse(source)
        if any(token.level >= _DEEPEST - 2 for token in tokens):
            return literal_rows(source, paper, style)
        root = SyntaxTreeNode(tokens)
        return _Drawing(paper, number).blocks(root.children, style or paper.ink.text)
    except (RecursionError, IndexError, ValueError, KeyError):
        # The parser fails on some input that is valid Markdown; a text must not vanish for that.
        return literal_rows(source, paper, style)


def literal_rows(source: str, paper: Paper, style: Style | None = None) -> list[Row]:
    """``source`` as it is, wrapped."""
    style = style or paper.ink.text
    lines = printable(source).split("\n")
    return laid(([(line, style)] for line in lines), min(paper.width, PROSE))


def code_rows(source: str, language: str, paper: Paper, before: str = "") -> list[Row]:
    """Code on its background, over the whole width."""
    ink = paper.ink
    lines = code_lines(source, language, ink, before)
    return laid(
        lines, paper.width - 1, first=[(" ", ink.code)], rest=[(" ", ink.code)], fill=ink.code
    )


class _Drawing:
    """One run over a syntax tree. Width shrinks with depth, but never below what can be read."""

    def __init__(self, paper: Paper, number: int | None) -> None:
        self._paper = paper
        self._number = number
        self._depth = 0
        self._drawers: dict[str, Callable[[SyntaxTreeNode, Style], list[Row]]] = {
            "paragraph": self._paragraph,
            "heading": self._heading,
            "bullet_list": self._list,
            "ordered_list": self._list,
            "blockquote": self._quote,
            "fence": self._code,
            "code_block": self._code,
            "hr": self._rule,
            "table": self._table,
        }

    def blocks(
        self, nodes: Sequence[SyntaxTreeNode], style: Style, *, tight: bool = False
    ) -> list[Row]:
        """Rows of sibling blocks, with a blank row between them unless ``tight``."""
        rows: list[Row] = []
        for node in nodes:
            drawn = self._drawers.get(node.type, self._unknown)(node, style)
            if rows and not tight:
                rows.append(BLANK)
            rows += drawn
        return rows

    def _unknown(self, node: SyntaxTreeNode, style: Style) -> list[Row]:
        return literal_rows(node.content, self._paper, style)

    def _prose(self) -> int:
        return min(self._paper.width, PROSE)

    def _paragraph(self, node: SyntaxTreeNode, style: Style) -> list[Row]:
        inline = node.children[0]
        return laid(inline_lines(inline, self._paper, style), self._prose())

    def _heading(self, node: SyntaxTreeNode, _style: Style) -> list[Row]:
        level = min(int(node.tag[1:]), 4)
        style = self._paper.ink.heading[level - 1]
        lines = inline_lines(node.children[0], self._paper, style)
        return laid(lines, self._prose())

    def _code(self, node: SyntaxTreeNode, _style: Style) -> list[Row]:
        language = node.info.split(maxsplit=1)[0] if node.info.strip() else ""
        return code_rows(node.content.removesuffix("\n"), language, self._paper)

    def _rule(self, _node: SyntaxTreeNode, _style: Style) -> list[Row]:
        return [Row(((self._paper.marks.rule * min(self._prose(), 40), self._paper.ink.faint),))]

    def _table(self, node: SyntaxTreeNode, style: Style) -> list[Row]:
        return table_rows(node, self._paper, style)

    def _quote(self, node: SyntaxTreeNode, _style: Style) -> list[Row]:
        ink = self._paper.ink
        bar = [(self._paper.marks.quote + " ", ink.faint)]
        return behind(self._inside(2, node.children, ink.muted), bar, bar)

    def _inside(
        self, cells: int, nodes: Sequence[SyntaxTreeNode], style: Style, *, tight: bool = False
    ) -> list[Row]:
        paper, self._paper = self._paper, self._paper.narrower(cells)
        try:
            return self.blocks(nodes, style, tight=tight)
        finally:
            self._paper = paper

    def _list(self, node: SyntaxTreeNode, style: Style) -> list[Row]:
        ordered = node.type == "ordered_list"
        start = int(node.attrs.get("start", 1)) if ordered else 0
        if ordered and self._number is not None:
            start, self._number = self._number, None
        tight = _is_tight(node)
        cells = len(str(start + len(node.children) - 1)) + 2 if ordered else 2
        bullet = self._paper.marks.bullets[self._depth % 3]
        rows: list[Row] = []
        self._depth += 1
        for place, item in enumerate(node.children):
            if rows and not tight:
                rows.append(BLANK)
            label = (
                f"{start + place}.".rjust(cells - 1) + " "
                if ordered
                else self._task(item) or bullet + " "
            )
            content = self._inside(cells, item.children, style, tight=tight) or [BLANK]
            look = self._paper.ink.primary
            rows += behind(content, [(label, look)], [(" " * cells, NONE)])
        self._depth -= 1
        return rows

    def _task(self, item: SyntaxTreeNode) -> str:
        """The box of a task, taken out of its text; empty for any other item."""
        marks = self._paper.marks
        first = next((node for node in item.walk() if node.type == "text"), None)
        if first is not None and first.token is not None and (task := _TASK.match(first.content)):
            first.token.content = first.content[task.end() :]
            return (marks.unticked if task[1] == " " else marks.ticked) + " "
        return ""


def _is_tight(node: SyntaxTreeNode) -> bool:
    return all(
        block.hidden
        for item in node.children
        for block in item.children
        if block.type == "paragraph"
    )
