"""The app where nothing can be sent: a recording, or a session of the past.

Everything that only looks works as usual; what would need an agent says why it does nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from canopy_tui.model.intents import Watch
from canopy_tui.view.app import CanopyApp
from canopy_tui.view.keys import EVERYWHERE, SLOTS, TREE

if TYPE_CHECKING:
    from canopy_tui.model.intents import Intent
    from canopy_tui.view.keys import Group
    from canopy_tui.view.posting import Posted


class ReadOnlyApp(CanopyApp):
    """``why_not`` is what is said when a person wants to change something."""

    why_not = "Nothing can be changed here."
    key_groups: ClassVar[tuple[Group, ...]] = (EVERYWHERE, SLOTS, TREE)

    def on_posted(self, event: Posted) -> None:
        """Pass on what only concerns the view."""
        event.stop()
        self._only_look(event.intent)

    def _only_look(self, intent: Intent) -> None:
        if isinstance(intent, Watch):
            self.host.act(intent)
        else:
            self.say(self.why_not)

    def ask_stop(self, session: str) -> None:
        """Nothing runs that could be stopped."""
        self.say(self.why_not)

    def action_step_back(self) -> None:
        """Esc: leave the tree, or a child."""
        view = self.view
        if not self.main.leave_tree() and view is not None and view.parent is not None:
            self.go(view.parent)

    def action_interrupt(self) -> None:
        """Ctrl+C: copy what is selected, else leave after a second press."""
        selected = self.main.get_selected_text()
        if selected:
            self.copy(selected)
        elif self._press("quit", "Ctrl+C again quits."):
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
