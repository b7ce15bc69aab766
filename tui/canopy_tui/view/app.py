"""The Textual app: keys and messages become moves between panes, and intents for the host.

It draws nothing itself and sends nothing to an agent; it imports no agent.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, ClassVar

from textual import constants, events

from canopy_tui.model import tree
from canopy_tui.model.intents import CancelTurn, RestartAgent, SetMode
from canopy_tui.model.sanitize import clipped
from canopy_tui.model.state import Phase, Touched
from canopy_tui.view import terminal_keys
from canopy_tui.view.announcer import Announcer
from canopy_tui.view.arming import WINDOW, Arming
from canopy_tui.view.commands import Commands
from canopy_tui.view.composer import Composer
from canopy_tui.view.confirm import ConfirmScreen
from canopy_tui.view.help import HelpScreen
from canopy_tui.view.keys import EVERYWHERE, SLOTS
from canopy_tui.view.labels import agents, marks_of, name_of
from canopy_tui.view.pane_app import PaneApp
from canopy_tui.view.permission import PermissionPane
from canopy_tui.view.posting import Posted
from canopy_tui.view.request_desk import RequestDesk
from canopy_tui.view.request_screen import RequestScreen
from canopy_tui.view.session_tree import SessionTree
from canopy_tui.view.start_view import StartView
from canopy_tui.view.theme import DARK, LIGHT, THEMES
from canopy_tui.view.transcript import TranscriptView

if TYPE_CHECKING:
    from textual.binding import BindingType
    from textual.command import Provider
    from textual.timer import Timer

    from canopy_tui.view.surroundings import MakeHost, Surroundings

TICK = 1.0
"""Seconds between two looks at times that are shown."""
NOT_CYCLED = frozenset({"bypassPermissions", "dontAsk"})
"""Modes that ask nothing any more: chosen by name in the palette, never by going round."""


class CanopyApp(PaneApp):
    """The client. Returns 0 when the person quit."""

    TITLE = "canopy"
    CSS_PATH = "app.tcss"
    COMMANDS: ClassVar[set[type[Provider]]] = {Commands}  # type: ignore[assignment]
    BINDINGS: ClassVar[list[BindingType]] = [*EVERYWHERE.bindings(), *SLOTS.bindings()]
    ENABLE_COMMAND_PALETTE = True

    def __init__(self, make_host: MakeHost, around: Surroundings) -> None:
        terminal_keys.teach()
        super().__init__(make_host, around)
        self.desk = RequestDesk(self, self.state, marks_of(around.glyphs))
        self._announcer = Announcer(self.state, around.glyphs, self._ring, self._write_title)
        self._arming = Arming()
        self._turns: dict[str, int] = {}
        self._saying: Timer | None = None
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = LIGHT if constants.DEFAULT_THEME == LIGHT else DARK

    # --- life ---------------------------------------------------------------------------------

    def on_mount(self) -> None:
        """Paint first; the agent is started when the first frame is on screen."""
        if self.around.draft:
            self.main.composer.area.load_text(self.around.draft)
        self.set_interval(TICK, self._tick)
        self.call_after_refresh(self.host.start)

    def show_touched(self, touched: object) -> None:
        """Draw what changed. Called by the host, at most once a frame."""
        if not isinstance(touched, Touched) or not self.main.is_mounted:
            return
        ended = self._turn_end(touched)
        self.keep_pane()
        self.main.update(touched)
        if touched.requests or touched.tree:
            self.call_later(self.desk.requests_changed)
        self._announcer.look(time.monotonic(), watched=self.app_focus)
        if ended:
            self.say(ended)

    def _turn_end(self, touched: Touched) -> str:
        """A sentence when a turn ended and agents still work."""
        for root in (self.state.sessions.get(session) for session in touched.sessions):
            if root is None or root.parent is not None:
                continue
            done, self._turns[root.id] = self._turns.get(root.id, 0), root.turns_done
            still = tree.running_below(self.state, root.id)
            if root.turns_done > done and still and not root.in_turn:
                return f"{name_of(self.state, root)} is done · {agents(still)} still working"
        return ""

    def _tick(self) -> None:
        if self.shows_main and tree.totals(self.state).running:
            self.main.update_marks()

    async def on_event(self, event: events.Event) -> None:
        """Keys go past the desk first, so that none answers a request by accident."""
        match event:
            case events.Key() | events.Paste() if not event.is_forwarded and self.desk.takes(event):
                return
        await super().on_event(event)

    def _ring(self) -> None:
        if self.around.bell:
            self.bell()

    def _write_title(self, title: str) -> None:
        if self.around.bell and self._driver is not None and not self.is_headless:
            self._driver.write(f"\x1b]2;{title}\x07")

    # --- what widgets say ---------------------------------------------------------------------

    def on_posted(self, event: Posted) -> None:
        """Hand an intent to the host."""
        event.stop()
        self.host.act(event.intent)

    def on_composer_written(self, event: Composer.Written) -> None:
        """A message goes to the root: show it there."""
        self.around.on_sent(self.drafts.history.messages[-1])
        self.action_open_root()
        self.main.transcript.action_end()

    def on_composer_shortcut(self, event: Composer.Shortcut) -> None:
        """A number of the list on the start page."""
        self.main.composer.send(self.around.scenes[int(event.character) - 1].prompt)

    def on_start_view_scene_chosen(self, event: StartView.SceneChosen) -> None:
        """A scene was clicked."""
        self.main.composer.send(event.scene.prompt)

    def on_session_tree_opened(self, event: SessionTree.Opened) -> None:
        """A row of the tree was chosen."""
        self.go(event.session)
        if self.main.tree_is_overlay:
            self.main.leave_tree()

    def on_session_tree_stop_asked(self, event: SessionTree.StopAsked) -> None:
        """One agent is to be stopped."""
        self.ask_stop(event.session)

    def on_transcript_view_open_child(self, event: TranscriptView.OpenChild) -> None:
        """A card was opened."""
        self.go(event.session_id)

    def on_transcript_view_seen_end(self, event: TranscriptView.SeenEnd) -> None:
        """Everything so far was seen."""
        if event.session_id == self.open_session:
            self.watch(event.session_id)

    def on_transcript_view_left_end(self, event: TranscriptView.LeftEnd) -> None:
        """What comes now is not seen."""
        if event.session_id == self.open_session:
            self.watch()

    def on_transcript_view_copy_text(self, event: TranscriptView.CopyText) -> None:
        """Copy an entry."""
        self.copy(event.text)

    def on_transcript_view_open_link(self, event: TranscriptView.OpenLink) -> None:
        """A link in foreign text: show where it really goes, and ask."""
        self.ask_open(event.url)

    def on_transcript_view_notice_action(self, event: TranscriptView.NoticeAction) -> None:
        """The action that a notice offers."""
        if event.action == "restart_agent":
            self.action_restart_agent()

    def on_request_screen_open_asker(self, event: RequestScreen.OpenAsker) -> None:
        """See what the asker did before it asked."""
        self.go(event.session)

    def on_permission_pane_told(self, event: PermissionPane.Told) -> None:
        """The reason of a rejection becomes a message to the root, to be sent or not."""
        self.main.composer.add_text(event.text)

    # --- what the desk asks -------------------------------------------------------------------

    @property
    def draft_is_empty(self) -> bool:
        """Whether nothing is half written."""
        return not self.main.composer.area.text

    def give_to_composer(self, text: str) -> None:
        """Text that was typed for the message and not for a request."""
        self.main.composer.add_text(text)

    def say(self, text: str, seconds: float = 4.0) -> None:
        """Put a sentence in the footer for a while."""
        if self._saying is not None:
            self._saying.stop()
        self.main.say(text)
        self._saying = self.set_timer(seconds, lambda: self.main.say(""))

    # --- actions ------------------------------------------------------------------------------

    def action_nothing(self) -> None:
        """A key that is kept free."""

    def action_show_keys(self) -> None:
        """The page with all keys."""
        if not isinstance(self.screen, HelpScreen):
            self.push_screen(HelpScreen(self.around.glyphs))

    def action_next_request(self, step: int) -> None:
        """The next request that waits."""
        self.desk.open_next(step)

    def action_cycle_mode(self) -> None:
        """The next permission mode."""
        root = self.root
        if root is None:
            return
        modes = [mode for mode, _ in root.modes if mode not in NOT_CYCLED]
        if modes:
            place = modes.index(root.mode) + 1 if root.mode in modes else 0
            self.host.act(SetMode(root.id, modes[place % len(modes)]))

    def action_restart_agent(self) -> None:
        """Start the agent again when it is gone."""
        if self.state.link.status in ("lost", "failed"):
            self.host.act(RestartAgent())
        else:
            self.say("The agent is there.")

    def copy(self, text: str) -> None:
        """Put ``text`` on the clipboard and say so."""
        self.copy_to_clipboard(text)
        lines = text.count("\n") + 1
        self.say(f"Copied {lines} lines." if lines > 1 else "Copied.", 2.0)

    # --- back, stop, quit -----------------------------------------------------------------------

    def action_step_back(self) -> None:
        """Esc: leave an edit, the tree, a child; in the main pane, twice, stop the turn."""
        view = self.view
        if self.main.composer.leave_editing() or self.main.leave_tree():
            return
        if view is not None and view.parent is not None:
            self.go(view.parent)
        elif self._turn_runs and self._press("stop", "Esc again stops the turn."):
            self.action_stop_turn()

    def action_interrupt(self) -> None:
        """Ctrl+C: copy a selection, else stop the turn, else put the draft away, else quit."""
        selected = self.main.get_selected_text() or self.main.composer.area.selected_text
        if selected:
            self.copy(selected)
        elif self._turn_runs:
            self.action_stop_turn()
        elif self.main.composer.stash():
            self.say("Put away. Up brings it back.")
        elif self._press("quit", "Ctrl+C again quits."):
            self.action_ask_quit()

    @property
    def _turn_runs(self) -> bool:
        root = self.root
        return root is not None and (root.in_turn or root.phase is Phase.RUNNING)

    def _press(self, name: str, first: str) -> bool:
        second = self._arming.press(name, time.monotonic())
        self.say("" if second else first, WINDOW)
        return second

    def action_stop_turn(self) -> None:
        """Stop the turn of the main agent; agents in the background go on."""
        if self.root is not None and self._turn_runs:
            self.host.act(CancelTurn(self.root.id))
            self.say("Stopping.")

    def ask_stop(self, session: str) -> None:
        """Stop one agent, after a question."""
        view = self.state.sessions.get(session)
        if view is None or view.phase is not Phase.RUNNING:
            self.say("It does not run.")
            return
        name = name_of(self.state, view)
        if view.parent is not None and not view.cancellable:
            self.say(f"{name} cannot be stopped by itself.")
            return
        question = f"Stop {name} only? Everything else goes on."
        screen = ConfirmScreen("Stop", question, f"Stop {name}", "Let it work")
        self.push_screen(screen, lambda yes: self.host.act(CancelTurn(session)) if yes else None)

    def ask_open(self, url: str) -> None:
        """Open a web page, after showing its address."""
        if not url.startswith(("https://", "http://")):
            self.say("Only web pages are opened.")
            return
        screen = ConfirmScreen("Open in the browser", clipped(url, 2000), "Open it", "Do not")
        self.push_screen(screen, lambda yes: self.open_url(url) if yes else None)

    def action_ask_quit(self) -> None:
        """Quit, after a question when something runs."""
        running = tree.totals(self.state).running
        if not running:
            self.leave()
        elif not isinstance(self.screen, ConfirmScreen):
            question = f"{agents(running)} still at work. Quitting stops what runs."
            screen = ConfirmScreen("Quit", question, "Quit", "Stay")
            self.push_screen(screen, lambda yes: self.leave() if yes else None)

    def leave(self) -> None:
        """Quit; what is unsent is kept by whoever remembers drafts."""
        draft = self.drafts.unsent(self.main.composer.area.text)
        self.around.on_draft(draft)
        self.exit(0)
