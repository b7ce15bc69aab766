"""The part of the app for what goes on beside the conversation: tasks, goals, failures, reviews,
and the way through everything new.

It asks before anything is stopped; what keys there are and what else they do is in ``app``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.css.query import NoMatches

from canopy_tui.model.background import running
from canopy_tui.model.catch_up import first_unseen, next_unseen
from canopy_tui.model.entries import ChangesEntry
from canopy_tui.model.tree import stops, totals
from canopy_tui.view.apps.stop_app import OVER, StopApp
from canopy_tui.view.drawing.labels import at_work, marks_of
from canopy_tui.view.keyboard.keymap import name
from canopy_tui.view.tree import task_row

if TYPE_CHECKING:
    from canopy_tui.model.intents import CancelTurn, StopTask
    from canopy_tui.model.state import SessionView
    from canopy_tui.view.screens.task_screen import TaskScreen
    from canopy_tui.view.surroundings import MakeHost, Surroundings
    from canopy_tui.view.transcript.transcript import TranscriptView
    from canopy_tui.view.tree.background_panel import BackgroundPanel
    from canopy_tui.view.tree.tree_column import TreeColumn


class WorkApp(StopApp):
    """Between the panes and the app: what runs in the background, and what is new."""

    def __init__(self, make_host: MakeHost, around: Surroundings) -> None:
        super().__init__(make_host, around)
        self._reading: tuple[str, int] | None = None

    def on_resize(self) -> None:
        """There may be room for two transcripts now, or not any more."""
        if self.main.is_mounted:
            self.call_later(self.main.show_beside)

    # --- background tasks ---------------------------------------------------------------------

    def on_background_panel_opened(self, event: BackgroundPanel.Opened) -> None:
        """A task was chosen: show its output."""
        from canopy_tui.view.screens.task_screen import TaskScreen

        glyphs = self.around.glyphs
        self.push_screen(
            TaskScreen(self.state, event.task, marks_of(glyphs), glyphs, self.around.now)
        )

    def on_background_panel_stop_asked(self, event: BackgroundPanel.StopAsked) -> None:
        """One task is to be stopped."""
        self._ask_stop_task(event.task)

    def on_background_panel_left_up(self) -> None:
        """Beyond the first task is the tree."""
        self.main.agents.focus()

    def on_session_tree_left_down(self) -> None:
        """Below the agents are the background tasks."""
        if self.main.background.display:
            self.main.background.focus()

    def on_task_screen_stop_asked(self, event: TaskScreen.StopAsked) -> None:
        """The task in view is to be stopped."""
        self._ask_stop_task(event.task)

    def on_task_screen_copy_text(self, event: TaskScreen.CopyText) -> None:
        """Copy what was read of the output."""
        self.copy(event.text)

    def _ask_stop_task(self, key: str) -> None:
        from canopy_tui.model.intents import StopTask
        from canopy_tui.view.dialogs.confirm import ConfirmScreen

        task = self.state.tasks.get(key)
        if task is None or task.is_over:
            self.say(OVER)
            return
        name = task_row.name_of(task)
        if not task.stops:
            self.say("Stopping." if task.stopping else f"{name} ends by itself.")
            return
        stop = StopTask(key)
        screen = ConfirmScreen(
            "Stop",
            lambda: f"Stop {name}?" if self.goes_on(stop) else OVER,
            "Stop it",
            "Let it work",
        )
        self.push_screen(screen, lambda yes: self.stop_these([stop]) if yes else None)

    def action_focus_background(self) -> None:
        """To the list of background tasks."""
        panel = self.main.background
        if panel.display:
            self.main.open_tree()
            panel.focus()
        else:
            self.say("Nothing runs in the background.", holds=lambda: not panel.display)

    def _stoppable(self) -> list[CancelTurn | StopTask]:
        from canopy_tui.model.intents import CancelTurn, StopTask

        agents = [
            view.id
            for view in self.state.sessions.values()
            if view.parent is not None and stops(view)
        ]
        tasks = [task.key for task in running(self.state) if task.stops]
        return [*(CancelTurn(one) for one in agents), *(StopTask(one) for one in tasks)]

    def action_stop_background(self) -> None:
        """Stop all agents and tasks in the background, after a question."""
        from canopy_tui.view.dialogs.confirm import ConfirmScreen

        if not self._stoppable():
            words = "Nothing in the background can be stopped."
            self.say(words, holds=lambda: not self._stoppable())
            return
        screen = ConfirmScreen("Stop", self._stop_question, "Stop all of it", "Let it work")
        self.push_screen(screen, lambda yes: self.stop_these(self._stoppable()) if yes else None)

    def _stop_question(self) -> str:
        """What would be stopped, as things are now."""
        from canopy_tui.model.intents import CancelTurn

        found = self._stoppable()
        if not found:
            return "Nothing is left to stop."
        number = sum(isinstance(one, CancelTurn) for one in found)
        words = at_work(number, len(found) - number)
        return f"Stop everything in the background: {words}? The main agent goes on."

    # --- goals, failures, changed files -------------------------------------------------------

    def action_clear_goal(self) -> None:
        """Give up the goal of the root in view."""
        from canopy_tui.model.intents import ClearGoal

        if self.root is None or self.root.goal is None:
            self.say("There is no goal.")
        else:
            self.host.act(ClearGoal(self.root.id))

    def action_send_again(self) -> None:
        """Send the last message once more."""
        from canopy_tui.model.intents import SendAgain

        root = self.root
        if root is None or self.state.link.status != "ready":
            self.say("The agent is not there.")
        elif root.in_turn:
            self.say("A turn runs already.")
        else:
            self.host.act(SendAgain(root.id))

    def on_transcript_view_open_changes(self, event: TranscriptView.OpenChanges) -> None:
        """The files that a turn changed are to be reviewed."""
        view = self.state.sessions.get(event.session_id)
        entry = _entry_of(view, event.key) if view else None
        if view is not None and entry is not None:
            self._review(view, entry)

    def action_review(self) -> None:
        """Review the files that the last turn changed."""
        root = self.root
        reports = [one for one in root.entries if isinstance(one, ChangesEntry)] if root else []
        if root is None or not reports:
            self.say("No turn has reported changed files.")
            return
        self._review(root, reports[-1])

    def _review(self, view: SessionView, report: ChangesEntry) -> None:
        from canopy_tui.view.screens.review_screen import ReviewScreen

        marks = marks_of(self.around.glyphs)
        self.push_screen(ReviewScreen(self.state, view, report, marks, self.copy))

    # --- everything new -----------------------------------------------------------------------

    def action_catch_up(self) -> None:
        """Through everything new: on in this transcript, then to the next that has some."""
        view = self.view
        first = first_unseen(view) if view else None
        if view is not None and first is not None:
            if self._reading is not None and self._reading[0] == view.id:
                self.main.transcript.action_page(1)
            else:
                self._read(view, first)
            return
        self._reading = None
        found = next_unseen(self.state, self.open_session)
        key = first_unseen(found) if found else None
        if found is not None and key is not None:
            self._read(found, key)
        elif self.state.waiting():
            words = f"Nothing new, but something waits for you: {name('next-request')}."
            self.say(words, holds=lambda: self.state.waiting() and not totals(self.state).new)
        else:
            words = "Nothing new: you have seen everything."
            self.say(words, holds=lambda: not (self.state.waiting() or totals(self.state).new))

    def action_all_seen(self) -> None:
        """Take everything as seen, in all agents."""
        new, in_view = totals(self.state).new, self._watched
        self.tell_watched(*self.state.sessions)  # what is in view counts as seen
        self.tell_watched(*in_view)
        self.main.update_marks()
        self.say("Everything counts as seen." if new else "There is nothing new.")

    def action_widen_tree(self, columns: int) -> None:
        """Move the border of the tree; below a certain width of the terminal there is none."""
        if self.main.tree_is_overlay:
            self.say("Here the tree lies over the transcript: its width is fixed.")
        else:
            self.main.tree_column.step(columns)

    def on_tree_column_chosen(self, event: TreeColumn.Chosen) -> None:
        """The next start begins with this width."""
        self.around.keep_tree_width(event.width)

    async def action_name_agents(self) -> None:
        """Filter the tree by a name that is typed."""
        self.main.open_tree()
        await self.main.agents.open_name_line()

    def action_show_all_agents(self) -> None:
        """Of every name."""
        self.main.agents.show_all()

    def action_toggle_ended(self) -> None:
        """Leave ended agents out of the tree, or show them again; kept for the next start."""
        agents = self.main.agents
        agents.hides_ended = not agents.hides_ended
        self.main.update_marks()
        self.around.keep_ended("hidden" if agents.hides_ended else "shown")
        self.say(self._what_is_hidden() if agents.hides_ended else "Ended agents are shown again.")

    def _what_is_hidden(self) -> str:
        count = self.main.agents.hidden_ended
        children = [view for view in self.state.sessions.values() if view.parent is not None]
        new = sum(view.phase.ended and view.unseen > 0 for view in children)
        done = f"{count} ended {'agent' if count == 1 else 'agents'} hidden"
        if not new:
            return f"{done}." if count else "Agents that end are hidden from now on."
        return (
            f"{done}; {new} stay{'s' if new == 1 else ''}, with news ({name('tree-seen')}: seen)."
        )

    def _read(self, view: SessionView, key: int) -> None:
        self._reading = (view.id, key)
        self.go(view.id, at=key)

    # --- the end ------------------------------------------------------------------------------

    def follow_screens(self) -> None:
        """Screens over the main one that show the state draw it anew."""
        from canopy_tui.view.dialogs.confirm import ConfirmScreen
        from canopy_tui.view.screens.task_screen import TaskScreen

        for screen in self.screen_stack:
            if isinstance(screen, (TaskScreen, ConfirmScreen)) and screen.is_mounted:
                try:
                    screen.show()
                except NoMatches:  # it is being taken down
                    continue


def _entry_of(view: SessionView, key: int) -> ChangesEntry | None:
    for entry in view.entries:
        if entry.key == key and isinstance(entry, ChangesEntry):
            return entry
    return None
