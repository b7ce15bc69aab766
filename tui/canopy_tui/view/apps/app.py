"""The Textual app: keys and messages become moves between panes, and intents for the host.

It draws nothing itself and sends nothing to an agent; it imports no agent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.widgets import Input, TextArea

from canopy_tui.model import tree
from canopy_tui.model.glyphs import ASCII
from canopy_tui.model.state import Touched
from canopy_tui.view.apps.announcer import DESKTOP, OFF, Announcer
from canopy_tui.view.apps.command_app import CommandApp
from canopy_tui.view.apps.control_app import ControlApp
from canopy_tui.view.apps.find_app import FindApp
from canopy_tui.view.apps.follow_app import FollowApp
from canopy_tui.view.apps.request_desk import RequestDesk
from canopy_tui.view.apps.session_app import SessionApp
from canopy_tui.view.composer.prompt_area import plain
from canopy_tui.view.drawing.labels import is_done, marks_of
from canopy_tui.view.drawing.stylesheet import DIALOGS, SteadyStylesheet
from canopy_tui.view.keyboard import keymap
from canopy_tui.view.keyboard.key_order import KeyOrder
from canopy_tui.view.keyboard.keys import EVERYWHERE, GROUPS, SLOTS, Group
from canopy_tui.view.keyboard.lone_keys import LoneKeys
from canopy_tui.view.screens.commands import Commands
from canopy_tui.view.terminal import keys as terminal_keys

if TYPE_CHECKING:
    from textual.binding import BindingType
    from textual.command import Provider

    from canopy_tui.model.state import SessionView
    from canopy_tui.view.apps.agent_use import AgentUseWatch
    from canopy_tui.view.composer.composer import Composer
    from canopy_tui.view.posting import Posted
    from canopy_tui.view.requests.request_screen import RequestScreen
    from canopy_tui.view.surroundings import MakeHost, Surroundings
    from canopy_tui.view.terminal.calm import Calm
    from canopy_tui.view.transcript.start_view import StartView
    from canopy_tui.view.transcript.transcript import TranscriptView
    from canopy_tui.view.tree.session_tree import SessionTree

TICK = 1.0
"""Seconds between two looks at times that are shown."""
LAST_LOOKS = 3
"""Looks after the end of all work: a count falls to nothing a moment after there is nothing."""
NOT_CYCLED = frozenset({"bypassPermissions", "dontAsk"})
"""Modes that ask nothing any more: chosen by name in the palette, never by going round."""


class CanopyApp(SessionApp, ControlApp, FindApp, CommandApp, FollowApp):
    """The client. Returns 0 when the person quit."""

    TITLE = "canopy"
    CSS_PATH = "app.tcss"
    COMMANDS: ClassVar[set[type[Provider]]] = {Commands}  # type: ignore[assignment]
    BINDINGS: ClassVar[list[BindingType]] = [*EVERYWHERE.bindings(), *SLOTS.bindings()]
    ENABLE_COMMAND_PALETTE = True
    key_groups: ClassVar[tuple[Group, ...]] = GROUPS
    """What the page with all keys lists."""

    def __init__(self, make_host: MakeHost, around: Surroundings) -> None:
        terminal_keys.teach()
        keymap.IN_FORCE.use(around.keymap, ascii_only=around.glyphs == ASCII)  # screens name keys
        super().__init__(make_host, around)
        self.desk = RequestDesk(self, self.state, marks_of(around.glyphs))
        self.lone_keys = LoneKeys(self)
        self.key_order = KeyOrder(self, self._take_typed, around.clock)
        self._agent_use: AgentUseWatch | None = None
        self._announcer = Announcer(self.state, around.glyphs, self._ring, self._write_title)
        self._turns: dict[str, int] = {}
        self._last_looks = 0
        self._calm: Calm | None = None
        self.stylesheet = SteadyStylesheet(variables=self.get_css_variables())
        self.set_keymap(dict(around.keymap))
        if around.still:
            self.animation_level = "none"

    # --- life ---------------------------------------------------------------------------------

    def on_mount(self) -> None:
        """Paint first; the agent is started when the first frame is on screen."""
        self.set_interval(TICK, self._tick)
        self.call_after_refresh(self._painted)
        self.screen_change_signal.subscribe(self, lambda _screen: self.desk.mark_screen())
        # Textual 8.2.8 draws only what changes after Ctrl+Z and fg, on a terminal that is empty.
        self.app_resume_signal.subscribe(self, lambda _app: self.call_later(self.refresh))

    def _watch_app_focus(self, focus: bool) -> None:
        """The terminal came to the front, or left it. Textual 8.2.8 takes the focus away meanwhile
        and gives it back only where the same screen is still in front, and a screen that opens
        meanwhile gets none: a person who comes back would type into nothing, or into the tree.
        """
        self.screen.update_node_styles()
        if focus:
            self.screen._update_auto_focus()

    def _painted(self) -> None:
        from canopy_tui.view.terminal.calm import Calm

        self.around.on_painted()
        self._calm = Calm()
        self.stylesheet.read(DIALOGS)
        self.begin()
        self.ask_background()
        from canopy_tui.view.apps.agent_use import AgentUseWatch  # the agent starts meanwhile

        self._agent_use = AgentUseWatch(self.state, self.host.act)
        self.stylesheet.parse()  # now, and not when the first key has something restyled

    def show_touched(self, touched: object) -> None:
        """Draw what changed. Called by the host, at most once a frame."""
        if not isinstance(touched, Touched) or not self.main.is_mounted:
            return
        ended = self._turn_end(touched)
        self._last_looks = LAST_LOOKS  # also after work that was over within a tick
        self.keep_pane()
        self.main.update(touched)
        self.follow_screens()
        if touched.link or touched.catalogue or touched.tree:
            self.call_later(self.show_outside)
        if touched.requests or touched.tree:
            self.call_later(self.desk.requests_changed)
        self._announcer.look(self.around.clock(), watched=self.app_focus)
        self.stop_seen()
        if ended is not None:
            words = is_done(self.state, ended)
            self.say(words, holds=lambda: is_done(self.state, ended) == words)

    def _turn_end(self, touched: Touched) -> SessionView | None:
        """The root whose turn ended while agents still work."""
        for root in (self.state.sessions.get(session) for session in touched.sessions):
            if root is None or root.parent is not None:
                continue
            done, self._turns[root.id] = self._turns.get(root.id, 0), root.turns_done
            if root.turns_done > done and is_done(self.state, root):
                return root
        return None

    def _tick(self) -> None:
        at_work = tree.totals(self.state).at_work
        if self._running and (at_work or self._last_looks):  # also around a dialog
            self.main.update_marks()
        self._last_looks = LAST_LOOKS if at_work else max(0, self._last_looks - 1)
        if self._announcer.has_more:
            self._announcer.look(self.around.clock(), watched=self.app_focus)
        self.desk.look()
        self.call_later(self.key_order.look)
        if self._agent_use is not None:
            self._agent_use.look(self.main.agents.marked, self.around.clock())
        if self._calm is not None:
            self._calm.look()

    async def on_event(self, event: events.Event) -> None:
        """Keys are taken one after the other."""
        if self._calm is not None and isinstance(event, events.InputEvent | events.Paste):
            self._calm.used()
            self.around.on_key()
        match event:
            case events.Key() | events.Paste() if not event.is_forwarded:
                if isinstance(event, events.Paste):
                    event.text = plain(event.text)  # fields of one line would draw it as it is
                await self.key_order.take(event)
            case _:
                await super().on_event(event)

    async def _take_typed(self, event: events.Key | events.Paste) -> None:
        """Keys are judged first, so that none answers a question by accident."""
        if await self.lone_keys.takes(event):
            return
        if not isinstance(event, events.Key) or not self.takes_for_selection(event.key):
            await super().on_event(event)

    async def hand_on(self, event: events.Key) -> None:
        """A letter that was held back goes where it was meant for."""
        await super().on_event(event)

    def _ring(self, words: str) -> None:
        if not self.around.bell or self.around.notify == OFF or self.away:
            return
        self.bell()
        if self.around.notify == DESKTOP and not self.app_focus:
            self._tell_terminal(f"\x1b]9;canopy: {words}\x07")

    def _write_title(self, title: str) -> None:
        if self.around.bell and self._driver is not None:
            vars(self._driver)["window_title"] = title  # for when the screen is drawn anew
            self._tell_terminal(f"\x1b]2;{title}\x07")

    def _tell_terminal(self, sequence: str) -> None:
        if self._driver is not None and not self.is_headless and not self.away:
            self._driver.write(sequence)

    # --- what widgets say ---------------------------------------------------------------------

    def on_posted(self, event: Posted) -> None:
        """Hand an intent to the host."""
        event.stop()
        self.host.act(event.intent)

    def on_composer_written(self, _event: Composer.Written) -> None:
        """A message goes to the root: show it there."""
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
        self.end_seen(event.session_id, seen=True)

    def on_transcript_view_left_end(self, event: TranscriptView.LeftEnd) -> None:
        """What comes now is not seen."""
        self.end_seen(event.session_id, seen=False)

    def on_transcript_view_notice_action(self, event: TranscriptView.NoticeAction) -> None:
        """The action that a notice offers."""
        actions = {
            "restart_agent": self.action_restart_agent,
            "send_again": self.action_send_again,
            "new_session": self.action_new_session,
        }
        if event.action in actions:
            actions[event.action]()

    def on_request_screen_open_asker(self, event: RequestScreen.OpenAsker) -> None:
        """See what the asker did before it asked, whatever lay over it."""
        self.main.pop_until_active()
        self.go(event.session)

    # --- what the desk asks -------------------------------------------------------------------

    @property
    def nothing_half_written(self) -> bool:
        """Whether no message is half written, and nothing is typed into another line."""
        area, focused = self.main.composer.area, self.main.focused
        return not area.text and (focused is area or not isinstance(focused, Input | TextArea))

    # --- actions ------------------------------------------------------------------------------

    def action_nothing(self) -> None:
        """A key that is kept free."""

    def action_command_palette(self) -> None:
        """All commands."""
        from canopy_tui.view.screens.palette import Palette

        if not isinstance(self.screen, Palette):
            self.push_screen(Palette(id="--command-palette"))

    def action_show_keys(self) -> None:
        """The page with all keys."""
        from canopy_tui.view.screens.help import HelpScreen

        if not isinstance(self.screen, HelpScreen):
            self.push_screen(HelpScreen(self.around, self.key_groups))

    def action_next_request(self, step: int) -> None:
        """The next request that waits."""
        self.desk.open_next(step)

    def action_cycle_mode(self) -> None:
        """The next permission mode."""
        from canopy_tui.model.intents import SetMode

        root = self.root
        if root is None:
            return
        modes = [mode for mode, _ in root.modes if mode not in NOT_CYCLED]
        if modes:
            place = modes.index(root.mode) + 1 if root.mode in modes else 0
            self.host.act(SetMode(root.id, modes[place % len(modes)]))

    def action_restart_agent(self) -> None:
        """Start the agent again when it is gone."""
        from canopy_tui.model.intents import RestartAgent

        link = self.state.link
        if link.status in ("lost", "failed") or link.detail:
            self.host.act(RestartAgent())
        else:
            self.ask_restart()
