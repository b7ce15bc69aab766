"""The part of the app that clears the tree: ended agents out of it, and everything seen.

Which agents count as over is decided by the model; nothing is removed, only left out.
"""

from __future__ import annotations

from canopy_tui.model import tree
from canopy_tui.view.follow_app import FollowApp
from canopy_tui.view.keymap import name


class EndedApp(FollowApp):
    """Two actions, for the tree and the palette."""

    def action_toggle_ended(self) -> None:
        """Leave ended agents out of the tree, or show them again; kept for the next start."""
        agents = self.main.agents
        agents.hides_ended = not agents.hides_ended
        self.main.update_marks()
        self.around.keep_ended("hidden" if agents.hides_ended else "shown")
        self.say(self._what_is_hidden() if agents.hides_ended else "Ended agents are shown again.")

    def _what_is_hidden(self) -> str:
        count = self.main.agents.hidden_ended
        new = sum(
            view.parent is not None and view.phase.ended and view.unseen > 0
            for view in self.state.sessions.values()
        )
        done = f"{count} ended {'agent' if count == 1 else 'agents'} hidden"
        if not new:
            return f"{done}." if count else "Agents that end are hidden from now on."
        return (
            f"{done}; {new} stay{'s' if new == 1 else ''}, with news ({name('tree-seen')}: seen)."
        )

    def action_all_seen(self) -> None:
        """Take everything as seen, in all agents."""
        new = tree.totals(self.state).new
        in_view = self._watched
        self.tell_watched(*self.state.sessions)  # what is in view counts as seen
        self.tell_watched(*in_view)
        self.main.update_marks()
        self.say("Everything counts as seen." if new else "There is nothing new.")
