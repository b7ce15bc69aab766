"""The app where nothing can be sent: a recording, or a session of the past.

Everything that only looks works as usual; what would need an agent says why it does nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.widgets import Input, TextArea

from canopy_tui.model.intents import Watch
from canopy_tui.view.apps.app import CanopyApp
from canopy_tui.view.keyboard.keymap import name
from canopy_tui.view.keyboard.keys import READ_ONLY

if TYPE_CHECKING:
    from collections.abc import Callable

    from canopy_tui.model.intents import Intent
    from canopy_tui.model.state import ClientState
    from canopy_tui.view.keyboard.keys import Group
    from canopy_tui.view.posting import Posted
    from canopy_tui.view.surroundings import Host, MakeHost, OnTouched, Schedule, Surroundings


class _OnlyLook:
    """A host that is asked for nothing but what concerns the view."""

    def __init__(self, inner: Host, refuse: Callable[[], None], passes: tuple[type, ...]) -> None:
        self._inner = inner
        self._passes = passes
        self._refuse = refuse

    @property
    def state(self) -> ClientState:
        """The state that is drawn."""
        return self._inner.state

    def start(self) -> None:
        """Begin."""
        self._inner.start()

    def act(self, intent: Intent) -> None:
        """Pass on what was looked at, and say of all else why it does nothing."""
        if isinstance(intent, self._passes):
            self._inner.act(intent)
        else:
            self._refuse()


class ReadOnlyApp(CanopyApp):
    """``why_not`` is what is said when a person wants to change something.

    ``plain_keys`` are actions on letters and the like, which come before the widget that has the
    focus, but not where something can be typed. ``inner`` is the host that was made.
    """

    passes: ClassVar[tuple[type, ...]] = (Watch,)
    """Intents that the host is asked for."""
    why_not = "Nothing can be changed here."
    key_groups: ClassVar[tuple[Group, ...]] = READ_ONLY

    plain_keys: ClassVar[frozenset[str]] = frozenset()

    def __init__(self, make_host: MakeHost, around: Surroundings) -> None:
        def looking(schedule: Schedule, on_touched: OnTouched) -> Host:
            self.inner = make_host(schedule, on_touched)
            return _OnlyLook(self.inner, lambda: self.tell(self.why_not), self.passes)

        super().__init__(looking, around)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Letters are letters wherever something can be typed."""
        typing = isinstance(self.focused, Input | TextArea)
        if action in self.plain_keys and (typing or self.screen is not self.main):
            return False
        return super().check_action(action, parameters)

    def on_posted(self, event: Posted) -> None:
        """Pass on what only concerns the view."""
        event.stop()
        self.host.act(event.intent)

    def ask_stop(self, session: str) -> None:
        """Nothing runs that could be stopped."""
        self.say(self.why_not)

    def action_step_back(self) -> None:
        """Esc: leave the search, the tree, or a child."""
        view = self.view
        if self.find_panel.display or self.main.transcript.wanted is not None:
            super().action_step_back()
        elif not self.main.leave_tree() and view is not None and view.parent is not None:
            self.go(view.parent)

    def action_interrupt(self) -> None:
        """Ctrl+C: copy what is selected, else leave after a second press."""
        selected = self.main.get_selected_text()
        if selected:
            self.copy(selected)
        elif self._press("quit", f"{name('interrupt')} again quits."):
            self.leave()

    def action_ask_quit(self) -> None:
        """Nothing is lost by leaving."""
        self.leave()

    def leave(self) -> None:
        """Quit."""
        self.exit(0)

    def action_cycle_mode(self) -> None:
        """There is no mode to change."""
        self.say(self.why_not)

    def action_restart_agent(self) -> None:
        """There is no agent."""
        self.say(self.why_not)
