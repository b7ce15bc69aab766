"""The main screen: header, tree of agents, one transcript under its path, composer, footer.

It places widgets and passes on what changed; what keys do is decided by the app.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import events
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Static

from canopy_tui.model import background, tree
from canopy_tui.model.sanitize import clipped
from canopy_tui.model.state import Phase
from canopy_tui.view.bars.crumbs import Crumbs
from canopy_tui.view.bars.footer import FooterLine
from canopy_tui.view.bars.goal_banner import GoalBanner
from canopy_tui.view.bars.header import HeaderLine
from canopy_tui.view.bars.link_banner import LinkBanner
from canopy_tui.view.bars.load_banner import LoadBanner
from canopy_tui.view.composer.composer import Composer
from canopy_tui.view.drawing.labels import details, marks_of
from canopy_tui.view.keyboard.keymap import filled, name
from canopy_tui.view.transcript.beside import Beside
from canopy_tui.view.transcript.find_panel import FindPanel
from canopy_tui.view.transcript.selection import SelectsWithin
from canopy_tui.view.transcript.start_view import StartView
from canopy_tui.view.transcript.transcript import TranscriptView
from canopy_tui.view.tree.background_panel import BackgroundPanel
from canopy_tui.view.tree.session_tree import SessionTree
from canopy_tui.view.tree.tree_column import TreeColumn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from textual.app import ComposeResult
    from textual.widget import Widget

    from canopy_tui.model.state import ClientState, Touched
    from canopy_tui.view.composer.drafts import Drafts
    from canopy_tui.view.surroundings import Surroundings
    from canopy_tui.view.transcript.follow_panel import FollowPanel
    from canopy_tui.view.tree.ended_line import EndedLine

MINIMUM = (40, 10)
_TO_WRITE = "{stop} goes back to the message."
TREE_OPEN = "-tree-open"
READ_ONLY = "-read-only"

_WIDTHS = [
    (0, "-minute"),
    (MINIMUM[0], "-tiny"),
    (60, "-narrow"),
    (100, "-regular"),
    (140, "-wide"),
]
_HEIGHTS = [(0, "-flat"), (MINIMUM[1], "-low"), (20, "-high")]


class MainScreen(SelectsWithin[None]):
    """``show`` follows the pane in view, ``update`` what changed in the state."""

    AUTO_FOCUS = ""
    """Never what comes first, which is the tree."""
    HORIZONTAL_BREAKPOINTS = _WIDTHS
    VERTICAL_BREAKPOINTS = _HEIGHTS

    def __init__(
        self,
        state: ClientState,
        around: Surroundings,
        drafts: Drafts,
        foot: Callable[[], Iterable[Widget]] = tuple,
    ) -> None:
        super().__init__(id="main")
        self._state = state
        self._around = around
        self._foot = foot
        self._session: str | None = None
        self.split = False
        """The main agent is wanted beside one of its own, where there is room."""
        self.followed: FollowPanel | None = None
        """The file at which the agent works, once it was wanted."""
        self._ended: EndedLine | None = None
        self.set_class(around.read_only, READ_ONLY)
        # Kept, not looked up: a message to the application may come when they are unmounted again.
        glyphs, now = around.glyphs, around.now
        self.composer = Composer(drafts, around)
        self.transcript = TranscriptView(marks=marks_of(glyphs), now=now, id="transcript")
        self.beside = Beside(state, glyphs, now)
        self.agents = SessionTree(state, glyphs, now, hides_ended=around.hides_ended)
        self.tree_column = TreeColumn(around.tree_width)
        self.background = BackgroundPanel(state, glyphs, now)

    def compose(self) -> ComposeResult:
        """Everything at once: hidden parts cost nothing until they are drawn."""
        state, glyphs, now = self._state, self._around.glyphs, self._around.now
        yield Static(
            Content("Canopy needs {} columns and {} rows.".format(*MINIMUM)), id="too-small"
        )
        yield HeaderLine(state, self._around.directory, glyphs)
        yield Crumbs(state, glyphs, rail=True, now=now)
        with Horizontal(id="middle"):
            with self.tree_column:
                yield Static(Content("Agents"), id="tree-title", classes="-plain")
                yield self.agents
                yield Static("", id="tree-detail", markup=False)
                yield Static("Background", id="tasks-title", markup=False)
                yield self.background
            yield self.beside
            with Vertical(id="pane"):
                yield Crumbs(state, glyphs, now=now)
                yield LoadBanner(state, now)
                yield StartView(self._around.scenes, self._around.exports_to)
                yield self.transcript
                yield FindPanel()
        yield LinkBanner(restartable=not self._around.read_only)
        yield GoalBanner()
        yield self.composer
        yield from self._foot()
        around = self._around
        yield FooterLine(
            state,
            glyphs,
            read_only=around.read_only,
        )

    def on_mount(self) -> None:
        """Draw the state as it is, and let the person write on."""
        self.composer.take_up(self._around.draft)
        self.show(self._session)
        self.focus_home()

    @property
    def _home(self) -> Widget:
        """Where keys go when they go nowhere else."""
        return self.transcript if self._around.read_only else self.composer.area

    def focus_home(self) -> None:
        """To the message, or where there is none to the transcript."""
        self._home.focus()

    def set_focus(
        self, widget: Widget | None, scroll_visible: bool = True, from_app_focus: bool = False
    ) -> None:
        """Keys always go somewhere, and to what can be seen. Textual 8.2.8 has nothing focused once
        the terminal was too small for what was, or was clicked where nothing is drawn yet.
        """
        seen = widget if widget is not None and widget.display else self._home
        super().set_focus(seen, scroll_visible, from_app_focus)

    def show(self, session: str | None, at: int | None = None) -> None:
        """Bring the pane of ``session`` into view, from the entry with the key ``at`` on; None
        before there is any.
        """
        self._session = session
        if session is not None:
            self.transcript.show(session, self._state, at)
        self._show_pane()
        self.update_marks()

    def update(self, touched: Touched) -> None:
        """Draw what changed."""
        self._show_pane()
        own = [key for session, key in touched.entries if session == self._session]
        if own or touched.sessions or touched.tree:
            self.transcript.touched(own)
        self.beside.update(touched)
        self.update_marks()

    def update_marks(self) -> None:
        """Draw everything that shows states, sums or times."""
        session = self._session
        self.query_one(HeaderLine).show(session)
        for crumbs in self.query("#rail, #crumbs").results(Crumbs):
            crumbs.show(session)
        self.show_beside()
        self.agents.show(session)
        self.on_session_tree_moved()
        self.composer.show(self._state, session)
        self._show_link()
        self.query_one(LoadBanner).show(session)
        self._show_work(session)
        if self.followed is not None:
            self.followed.show(session)
        self.query_one(FooterLine).show(session)

    def show_beside(self) -> None:
        """Show the main agent beside one of its own, where that is wanted and there is room."""
        view = self._state.sessions.get(self._session or "")
        is_child = view is not None and view.parent is not None
        wanted = self.split and is_child and self.has_class("-wide")
        root = self._state.root_of(view).id if view is not None and wanted else None
        self.beside.show(root)

    def _show_link(self) -> None:
        view = self._state.sessions.get(self._session or "")
        gone = view is not None and view.parent is None and view.phase is Phase.DISCONNECTED
        self.query_one(LinkBanner).show(self._state.link, told=gone)

    def on_resize(self) -> None:
        """What a small screen does not say twice; the tree beside the transcript, or over it."""
        self._show_link()
        self.tree_column.fit(beside=not self.tree_is_overlay)
        if self.agents.has_focus or self.background.has_focus:
            self.open_tree()  # whoever is there stays there

    def _show_work(self, session: str | None) -> None:
        view = self._state.sessions.get(session or "")
        self.query_one(GoalBanner).show(self._state.root_of(view).goal if view else None)
        self.background.show()
        title = self.query_one("#tasks-title", Static)
        title.display = self.background.display
        running = len(background.running(self._state))
        words = f"Background · {running} running" if running else "Background"
        if title.content != words:
            title.update(words, layout=False)  # of one line, whatever it says

    def _show_pane(self) -> None:
        view = self._state.sessions.get(self._session or "")
        empty = view is None or (not view.entries and view.parent is None and not view.loading)
        start = self.query_one(StartView)
        start.show(self._state.link)
        start.display = empty and not self._around.read_only
        self.transcript.display = not start.display
        scenes = self._around.scenes if empty else ()
        self.composer.shortcuts = frozenset(
            str(number) for number in range(1, min(len(scenes), 9) + 1)
        )

    def on_key(self, event: events.Key) -> None:
        """What is typed elsewhere, and is no command there, belongs to the message; not in a list,
        where half of its letters would be commands.
        """
        elsewhere = self.focused is not self.composer.area and not self._around.read_only
        is_command = event.key in self.active_bindings
        if event.character and event.is_printable and elsewhere and not is_command:
            event.stop()
            if self.agents.has_focus or self.background.has_focus:
                self.say(filled(f"“{clipped(event.character, 4)}” does nothing here. {_TO_WRITE}"))
            else:
                self.composer.add_text(event.character)

    def on_paste(self, event: events.Paste) -> None:
        """What is pasted elsewhere belongs to the message too."""
        area = self.composer.area
        if self.focused is not area and not self._around.read_only:
            event.stop()
            area.focus()
            area.post_message(events.Paste(event.text))

    def say(self, text: str) -> None:
        """Put a sentence on the lower edge of the message's frame, where it hides nothing; in the
        last line where that frame has no room for it.
        """
        on_edge = self.composer.say(text)
        self._say_below("" if on_edge else text)

    def say_with_more(self, text: str, action: str, *parameters: object) -> None:
        """The same in the last line, where a click on it runs ``action``."""
        self.composer.say("")
        self._say_below(text, (action, parameters))

    def _say_below(self, text: str, leads_to: tuple[str, tuple[object, ...]] | None = None) -> None:
        for footer in self.query(FooterLine):  # none once the screen is being taken down
            footer.say(text, leads_to)

    # --- the tree where there is no room for it -----------------------------------------------

    @property
    def tree_is_overlay(self) -> bool:
        """Whether the tree lies over the transcript when it is open."""
        return not (self.has_class("-regular") or self.has_class("-wide"))

    def toggle_tree(self) -> None:
        """Go to the tree, or back to the message."""
        if self.agents.has_focus or self.background.has_focus:
            self.leave_tree()
        else:
            self.open_tree()
            self.agents.focus()
            self.agents.bring_up()

    def on_session_tree_moved(self) -> None:
        """What is known of the work of the agent under the cursor, or of the open one."""
        view = self.agents.marked
        detail = self.query_one("#tree-detail", Static)
        words = details(view, detail.size.width or 1000) if view else ""
        detail.update(Content(words), layout=False)
        self._show_hidden()
        self.on_background_panel_moved()

    def on_background_panel_moved(self) -> None:
        """Which keys there are depends on the row."""
        self.query_one(FooterLine).refresh()

    def on_session_tree_filtered(self) -> None:
        """The title names the filter."""
        chosen = self.agents.filter
        words = (
            "Agents"
            if chosen is tree.Filter.ALL
            else f"Agents · {chosen.value} ({name('tree-filter')}: next)"
        )
        title = self.query_one("#tree-title", Static)
        title.set_class(chosen is tree.Filter.ALL, "-plain")
        title.update(Content(words))
        self._show_hidden()

    def _show_hidden(self) -> None:
        """The line on the agents that are left out, made when there are some first."""
        hidden = self.agents.hidden_ended
        if self._ended is None and hidden:
            from canopy_tui.view.tree.ended_line import EndedLine

            self._ended = EndedLine()
            self.query_one("#tree-column").mount(self._ended, after=self.agents)
        if self._ended is not None:
            self._ended.show(hidden)

    def open_tree(self) -> None:
        """Lay the tree over the transcript where there is no room for both."""
        self.add_class(TREE_OPEN)

    def leave_tree(self) -> bool:
        """Go back to the message; whether the tree was in use."""
        used = self.agents.has_focus or self.background.has_focus
        used = used or (self.tree_is_overlay and self.has_class(TREE_OPEN))
        self.remove_class(TREE_OPEN)
        self.focus_home()
        return used
