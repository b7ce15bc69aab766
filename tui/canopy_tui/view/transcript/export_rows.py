"""A transcript as it looks, as HTML or SVG: its rows with their styles, every entry unfolded.

It draws into a text and writes no file. Foreign text is escaped by Rich, which makes both.
"""

from __future__ import annotations

import asyncio
import html
import io
from typing import TYPE_CHECKING

from rich.console import Console
from rich.segment import Segment, Segments

from canopy_tui.model.entries import ChildEntry
from canopy_tui.model.sanitize import clipped
from canopy_tui.view.blocks.entry import Around
from canopy_tui.view.blocks.look import Look
from canopy_tui.view.drawing.labels import name_of
from canopy_tui.view.drawing.strips import Paper, Row, strip_of, without_hint
from canopy_tui.view.transcript.layout import TranscriptLayout

if TYPE_CHECKING:
    from rich.terminal_theme import TerminalTheme

    from canopy_tui.model.state import ClientState
    from canopy_tui.view.drawing.ink import Ink
    from canopy_tui.view.drawing.strips import Marks

WIDTH = 110
MOST_ROWS = {"html": 200_000, "svg": 5_000}
"""Rows of a file; a picture with more is one that no viewer opens."""


async def drawn_export(
    state: ClientState, session: str, kind: str, ink: Ink, marks: Marks, theme: TerminalTheme
) -> str:
    """``kind`` is ``html`` or ``svg``. Children come indented where their card is."""
    console = Console(
        width=WIDTH, record=True, file=io.StringIO(), force_terminal=True, color_system="truecolor"
    )
    view = state.sessions[session]
    title = clipped(view.title or name_of(state, view), 200)
    rows = 0
    for depth, one in _order(state, session, 0, {session}):
        layout = TranscriptLayout(Around(state, state.sessions[one]), _paper(depth, ink, marks))
        layout.set_all(Look(expanded=True))
        heading = f"{name_of(state, state.sessions[one])}"
        _print(console, [Row(), Row(((heading, ink.primary),)), Row()], depth)
        for index in range(len(layout)):
            for block in range(layout.block_count(index)):
                drawn = layout.rows(index, block)
                rows += len(drawn)
                _print(console, drawn, depth)
            if rows > MOST_ROWS[kind]:
                _print(console, [Row((("… the rest is left out", ink.muted),))], depth)
                return await asyncio.to_thread(_text, console, kind, theme, title)
            if index % 20 == 0:
                await asyncio.sleep(0)
    return await asyncio.to_thread(_text, console, kind, theme, title)


def _order(state: ClientState, session: str, depth: int, above: set[str]) -> list[tuple[int, str]]:
    found = [(depth, session)]
    for entry in state.sessions[session].entries:
        known = isinstance(entry, ChildEntry) and entry.child in state.sessions
        if isinstance(entry, ChildEntry) and known and entry.child not in above:
            above.add(entry.child)
            found += _order(state, entry.child, depth + 1, above)
    return found


def _paper(depth: int, ink: Ink, marks: Marks) -> Paper:
    return Paper(max(40, WIDTH - 4 * depth), ink, marks)


def _print(console: Console, rows: list[Row], depth: int) -> None:
    segments: list[Segment] = []
    for row in rows:
        segments.append(Segment(" " * min(4 * depth, WIDTH - 40)))
        segments += strip_of(without_hint(row), max(40, WIDTH - 4 * depth))
        segments.append(Segment.line())
    console.print(Segments(segments), end="", soft_wrap=True)


def _text(console: Console, kind: str, theme: TerminalTheme, title: str) -> str:
    if kind == "svg":
        drawn = console.export_svg(title="canopy", theme=theme)
        # Without it some programs (librsvg) drop the blanks at which a piece of a line begins.
        return drawn.replace("<svg ", '<svg xml:space="preserve" ', 1)
    words = html.escape(title).replace("{", "&#123;").replace("}", "&#125;")
    page = _PAGE.replace("{title}", words)
    return console.export_html(inline_styles=True, theme=theme, code_format=page)


_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="UTF-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
{stylesheet}
body {{ color: {foreground}; background-color: {background}; margin: 1.5em; }}
pre {{ font-family: Menlo, "DejaVu Sans Mono", Consolas, monospace; overflow-x: auto; }}
</style>
</head>
<body>
<pre><code style="font-family:inherit">{code}</code></pre>
</body>
</html>
"""
