"""The line at the top: where the client works, with which agent, and the sums over all agents.

It draws the state and knows no keys but the clickable ones.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.content import Content

from canopy_tui.model import tree
from canopy_tui.model.glyphs import UNICODE, mark
from canopy_tui.model.sanitize import clipped
from canopy_tui.model.steady import MOMENT, Steady
from canopy_tui.model.words import model_name
from canopy_tui.view.drawing.clicks import Clickable, clickable
from canopy_tui.view.drawing.strips import fitted
from canopy_tui.view.once import once

if TYPE_CHECKING:
    from collections.abc import Callable

    from canopy_tui.model.state import ClientState, SessionView

PRODUCT = "canopy"
_LEAST_PLACE = 12
_LINK_WORDS = {"starting": "starting", "lost": "gone", "failed": "did not start"}


class HeaderLine(Clickable):
    """One line. ``directory`` is shown until a session says where it works."""

    def __init__(
        self,
        state: ClientState,
        directory: str,
        glyphs: str = UNICODE,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(id="header")
        # Not the time of what is shown: that of a recording stands still at its end.
        self._clock = clock
        self._agents, self._background = Steady(), Steady()
        self._state = state
        self._directory = directory
        self._glyphs = glyphs
        self._session: str | None = None

    def show(self, session: str | None) -> None:
        """Follow the pane in view."""
        self._session = session
        self.refresh()

    def render(self) -> Content:
        """The line."""
        width = self.size.width
        right = self._totals()
        view = self._state.sessions.get(self._session or "")
        root = self._state.root_of(view) if view else None
        room = width - right.cell_length - 2
        facts = Content("").join(
            part
            for word in self._facts(root)
            for part in (Content.styled(" · ", "$text-muted"), word)
        )
        # The directory gives way before the mode, which says what is done without a question.
        place = min(room // 2, max(_LEAST_PLACE, room - len(PRODUCT) - 2 - facts.cell_length))
        left = Content.assemble((PRODUCT, "bold $primary"), "  ", self._where(root, place), facts)
        left = left.truncate(max(1, room), ellipsis=True)
        gap = width - left.cell_length - right.cell_length
        return Content.assemble(left, " " * max(1, gap), right)

    def _where(self, root: SessionView | None, room: int) -> Content:
        path = clipped(home_short(root.cwd if root and root.cwd else self._directory), 200)
        return Content(path if cell_len(path) <= room else ending(path, room))

    def _facts(self, root: SessionView | None) -> list[Content]:
        link = self._state.link
        own = link.name.lower() == PRODUCT
        facts = [] if own else [Content(clipped(link.name or "agent", 40))]
        if root is not None and root.model:
            model = Content.styled(clipped(model_name(root.model), 40), "$text-muted")
            facts.append(model.stylize(clickable("app.show_options")))
        if link.status in _LINK_WORDS:
            style = "$text-muted" if link.status == "starting" else "bold $error"
            return [*facts, Content.styled(_LINK_WORDS[link.status], style)]
        if root is not None and root.mode:
            names = dict(root.modes)
            name = clipped(names.get(root.mode, root.mode), 40)
            go = clickable("app.cycle_mode")
            facts.append(Content(f"mode: {name}").stylize(go))
        return facts

    def _again(self) -> None:
        self.refresh()

    def _totals(self) -> Content:
        sums, now = tree.totals(self._state), self._clock()
        running, tasks = sums.running, sums.tasks
        if self._state.link.status == "ready":
            running = self._agents.shown(running, now)
            tasks = self._background.shown(tasks, now)
            if (running, tasks) != (sums.running, sums.tasks):
                once(self, MOMENT, self._again)
        parts = []
        if running:
            glyph = mark("running", self._glyphs).glyph
            parts.append(Content.styled(f"{glyph} {running} running", "$primary"))
        if tasks:
            go = clickable("app.focus_background")
            some = f"{'+' if running else ''}{tasks} in background"
            parts.append(Content(some).stylize("$primary").stylize(go))
        if sums.waiting:
            go = clickable("app.next_request", 1)
            parts.append(Content(f"! {sums.waiting} waiting").stylize("bold $warning").stylize(go))
        if sums.new:
            glyph = mark("new", self._glyphs).glyph
            new = Content.styled(f"{glyph} {sums.new} new", "$secondary")
            parts.append(new.stylize(clickable("app.catch_up")))
        return Content("  ").join(parts)


def ending(path: str, room: int) -> str:
    """The end of ``path``, which says more than its start, in ``room`` cells."""
    return fitted(path[::-1], room)[::-1]


def home_short(path: str) -> str:
    """``path`` with the home directory written as ``~``."""
    from pathlib import Path

    try:
        home = str(Path.home())
    except RuntimeError:
        return path
    if home == "/":  # of somebody who has none: everything would be below it
        return path
    if path == home or path.startswith(home.rstrip("/") + "/"):
        return "~" + path[len(home.rstrip("/")) :]
    return path
