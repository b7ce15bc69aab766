"""The part of the app that searches: the line, the hits, and the way to a hit in any transcript.

A search runs in slices, so that text of any length never holds up keys; what text an entry has is
known to ``finding``.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_left
from time import perf_counter
from typing import TYPE_CHECKING

from textual import work
from textual.css.query import NoMatches

from canopy_tui.view.apps.stop_app import StopApp
from canopy_tui.view.drawing.labels import name_of
from canopy_tui.view.transcript.find_panel import FindPanel

if TYPE_CHECKING:
    import re

    from canopy_tui.view.transcript.finding import Hit

_SLICE = 0.008
"""Seconds of searching between two looks at keys."""
_WAIT = 0.08
"""Seconds without a key before a search begins."""


class FindApp(StopApp):
    """Actions ``find`` and ``find_next``."""

    @property
    def find_panel(self) -> FindPanel:
        """The line to search with."""
        return self.main.query_one(FindPanel)

    async def action_find(self) -> None:
        """Open the line; once more: all agents."""
        panel = self.find_panel
        if panel.display and panel.has_focus_within:
            panel.action_scope()
        elif self.shows_main:
            await panel.open()

    async def action_find_next(self, step: int) -> None:
        """The next hit of the last search, or the one before."""
        panel = self.find_panel
        if not self.shows_main:
            return
        if not panel.query_text.strip():
            await self.action_find()
        elif not panel.hits:
            self.say("Nothing found.", 2.0)
        else:
            panel.step(step, self._first_from_here(panel.hits))

    def _first_from_here(self, hits: list[Hit]) -> int:
        """The hit nearest to what is in view: the first that is not above it, else the last."""
        from canopy_tui.view.transcript.finding import found_place, pattern_of

        viewport, pattern = self.main.transcript.viewport, pattern_of(self.find_panel.query_text)
        here = [number for number, hit in enumerate(hits) if hit.session == self.open_session]
        if viewport is None or not viewport.shown or not here:
            return 0
        top = viewport.shown[0][0]
        key = viewport.layout.entry(top.entry).key
        within = [number for number in here if hits[number].key == key]

        def is_above(number: int) -> bool:
            if pattern is None:
                return False
            place = found_place(viewport.layout, top.entry, pattern, hits[number].number)
            return place is not None and place < top

        above = bisect_left(within, True, key=lambda number: not is_above(number))
        rest = [*within[above:], *(number for number in here if hits[number].key > key)]
        return rest[0] if rest else here[-1]

    def on_find_panel_wanted(self, event: FindPanel.Wanted) -> None:
        """Search anew."""
        from canopy_tui.view.transcript.finding import pattern_of

        event.stop()
        self._search(pattern_of(event.query), event.everywhere)

    @work(exclusive=True, group="find")
    async def _search(self, pattern: re.Pattern[str] | None, everywhere: bool) -> None:
        from canopy_tui.view.transcript.finding import MOST_HITS, hits_in, searched

        panel, transcript = self.find_panel, self.main.transcript
        transcript.wanted = pattern
        transcript.paint()
        if pattern is not None:
            await asyncio.sleep(_WAIT)
        only = None if everywhere else self.open_session
        names = {key: name_of(self.state, view) for key, view in self.state.sessions.items()}
        hits: list[Hit] = []
        if pattern is not None:
            rested = perf_counter()
            for session in searched(self.state, only):
                view = self.state.sessions.get(session)
                for entry in list(view.entries) if view is not None else ():
                    hits += hits_in(entry, session, pattern, self.state)
                    if len(hits) >= MOST_HITS:
                        break
                    if perf_counter() - rested > _SLICE:
                        await asyncio.sleep(0)
                        rested = perf_counter()
        try:
            panel.show(hits[:MOST_HITS], names, ended=True)
            panel.mark(pattern)
        except NoMatches:  # the app is on its way out
            return

    def on_find_panel_aimed(self, event: FindPanel.Aimed) -> None:
        """Go to a hit."""
        from canopy_tui.view.transcript.finding import pattern_of

        event.stop()
        hit = event.hit
        self.main.transcript.wanted = pattern_of(self.find_panel.query_text)
        if hit.session != self.open_session:
            self.go(hit.session)
        self.main.transcript.show_found(hit.key, hit.number)

    def on_find_panel_left(self, event: FindPanel.Left) -> None:
        """Keys go to the transcript, where n and N go on."""
        event.stop()
        self._unmark()
        self.main.transcript.focus()

    def _unmark(self) -> None:
        self.main.transcript.wanted = None
        self.main.transcript.paint()

    def action_step_back(self) -> None:
        """Esc: first of all leave the search."""
        if self.find_panel.display:
            self.find_panel.action_leave()
        elif self.main.transcript.wanted is not None:
            self._unmark()
        else:
            super().action_step_back()

    def go(self, session: str | None, at: int | None = None) -> None:
        """Bring a transcript into view; a search in one agent is one in this one then."""
        before = self.open_session
        super().go(session, at)
        if self.open_session == before or not self.main.is_mounted:
            return
        panel = self.find_panel
        if not panel.everywhere and panel.query_text:
            panel.search_anew()
