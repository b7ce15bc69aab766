"""The way from the main agent to the one in view, each step clickable, with the state of the last.

Drawn as the title of the transcript, and alone, as the rail, where there is no room for a tree.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.content import Content

from canopy_tui.model import tree
from canopy_tui.model.glyphs import UNICODE, badges, count_of_new, mark
from canopy_tui.model.state import Phase
from canopy_tui.view.drawing.clicks import Clickable, clickable
from canopy_tui.view.drawing.labels import name_of
from canopy_tui.view.drawing.strips import fitted, fitted_name, shared_out
from canopy_tui.view.keyboard.keymap import name
from canopy_tui.view.tree.session_row import (
    STATE_STYLES,
    badge_parts,
    glyph_of,
    word_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from canopy_tui.model.state import ClientState, SessionView

_ROOMY = 60
_ARROW = 3
"""Cells between two names."""
_NAME, _SHORT, _LEAST = 24, 12, 6
"""Cells that the name of the one in view gets if it can, that the others get, and that each gets
always.
"""
_COUNTED = (Phase.RUNNING, Phase.DONE, Phase.FAILED, Phase.CANCELLED)


class Crumbs(Clickable):
    """The path. ``rail`` adds a mark to every step and the counts of all agents."""

    def __init__(
        self,
        state: ClientState,
        glyphs: str = UNICODE,
        *,
        rail: bool = False,
        now: Callable[[], float] = time.time,
        id: str | None = None,
    ) -> None:
        super().__init__(id=id or ("rail" if rail else "crumbs"))
        self._state = state
        self._glyphs = glyphs
        self._rail = rail
        self._now = now
        self._session: str | None = None

    def show(self, session: str | None) -> None:
        """Follow the pane in view."""
        self._session = session
        self.refresh()

    def render(self) -> Content:
        """One line."""
        width = self.size.width
        view = self._state.sessions.get(self._session or "")
        if view is None:
            return Content.styled("main", "bold")
        right = self._counts() if self._rail else self._own(view)
        room = width - right.cell_length - 1
        left = self._path(room)
        return Content.assemble(
            left, " " * max(1, width - left.cell_length - right.cell_length), right
        )

    def _path(self, room: int) -> Content:
        levels = tree.path(self._state, self._session or "")
        wanted = [cell_len(name_of(self._state, view)) for view in levels]
        mark_cells = 2 if self._rail else 0
        # The one in view keeps its name longest; those between it and the main agent go first.
        left_out = 0
        while True:
            kept = [wanted[0], *wanted[1 + left_out :]]
            cells = room - (_ARROW + mark_cells) * len(kept)
            cells -= (_ARROW + 1) if left_out else 0
            least = min(kept[-1], _NAME) + sum(min(one, _SHORT) for one in kept[:-1])
            if least <= cells or left_out >= len(levels) - 2:
                break
            left_out += 1
        last = max(_LEAST, min(kept[-1], cells - sum(min(one, _SHORT) for one in kept[:-1])))
        each = [*shared_out(cells - last, kept[:-1], least=_LEAST), last]
        shown = [levels[0], *levels[1 + left_out :]]
        steps = [
            self._step(view, cells, last=view is levels[-1])
            for view, cells in zip(shown, each, strict=True)
        ]
        if left_out:
            go = clickable("app.open_session", levels[left_out].id)
            steps.insert(1, Content.styled("…", "$text-muted").stylize(go))
        way = Content.styled(" › ", "$text-muted").join(steps)
        return way.truncate(max(1, room), ellipsis=True)

    def _step(self, view: SessionView, room: int, *, last: bool) -> Content:
        go = clickable("app.open_session", view.id)
        name = Content(fitted_name(name_of(self._state, view), room))
        name = name.stylize("bold" if last else "$text-muted").stylize(go)
        if not self._rail:
            return name
        marks = badges(self._state, view, self._now())
        return Content.assemble(glyph_of(marks, self._glyphs), " ", name)

    def _own(self, view: SessionView) -> Content:
        now = self._now()
        marks = badges(self._state, view, now)
        if marks.state == "idle":
            return Content("")
        parts = [glyph_of(marks, self._glyphs)]
        word = word_of(view, marks)
        if word:
            parts.append(Content.styled(fitted(word, 28), STATE_STYLES[marks.state]))
        return Content(" ").join([*parts, *badge_parts(view, marks, now, self._glyphs)])

    def _counts(self) -> Content:
        sums = tree.totals(self._state)
        phases = [view.phase for view in self._state.sessions.values()]
        parts = []
        for phase in _COUNTED if len(phases) > 1 else ():
            number = sums.running if phase is Phase.RUNNING else phases.count(phase)
            if number:
                glyph = mark(phase.value, self._glyphs).glyph
                parts.append(Content.styled(f"{glyph}{number}", STATE_STYLES[phase.value]))
        tasks = sums.tasks
        if tasks:
            go = clickable("app.focus_background")
            words = f"+{tasks} in background" if self.size.width >= _ROOMY else f"+{tasks}"
            parts.append(Content(words).stylize("$primary").stylize(go))
        if sums.new:
            new = Content.styled(count_of_new(sums.new, self._glyphs), "$secondary")
            parts.append(new.stylize(clickable("app.catch_up")))
        waiting = len(self._state.waiting())
        if waiting:
            go = clickable("app.next_request", 1)
            parts.append(
                Content(f"! {waiting} waiting {name('next-request')}")
                .stylize("bold $warning")
                .stylize(go)
            )
        return Content(" ").join(parts)
