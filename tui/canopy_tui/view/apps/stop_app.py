"""The part of the app by which a person goes back, stops what runs, and leaves.

One order for Esc and one for Ctrl+C; nothing is lost by either. What else keys do is in ``app``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.app import SuspendNotSupported

from canopy_tui.model import tree
from canopy_tui.model.state import Phase
from canopy_tui.view.apps.look_app import LookApp
from canopy_tui.view.drawing.labels import name_of, runs_still
from canopy_tui.view.keyboard.arming import WINDOW, Arming
from canopy_tui.view.keyboard.keymap import name
from canopy_tui.view.once import once

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Sequence

    from canopy_tui.model.intents import CancelTurn, StopTask
    from canopy_tui.model.state import SessionView
    from canopy_tui.view.surroundings import MakeHost, Surroundings


_STOPPING = 60.0
"""Seconds after which nobody is told any more that something is being stopped."""
OVER = "It does not run any more."
_NOBODY = "Canopy is all that this terminal runs: no shell could bring it back."


class StopApp(LookApp):
    """``say`` puts a sentence in the footer for a while."""

    def __init__(self, make_host: MakeHost, around: Surroundings) -> None:
        super().__init__(make_host, around)
        self._arming = Arming()
        self._saying: asyncio.TimerHandle | None = None
        self._stopping: str | None = None
        self._holds: Callable[[], object] | None = None

    def say(
        self, text: str, seconds: float = 4.0, *, holds: Callable[[], object] | None = None
    ) -> None:
        """Put a sentence in the footer for a while, and no longer than ``holds``."""
        if self._saying is not None:
            self._saying.cancel()
        self._stopping, self._holds = None, holds
        self.main.say(text)
        self._saying = once(self, seconds, lambda: self.main.say(""))

    def say_with_more(self, text: str, seconds: float, action: str, *parameters: object) -> None:
        """The same, with an action behind it for a click."""
        self.say("", seconds)
        self.main.say_with_more(text, action, *parameters)

    def copy(self, text: str) -> None:
        """Put ``text`` on the clipboard and say so."""
        raise NotImplementedError

    def action_step_back(self) -> None:
        """Esc: leave an edit, the tree, a child; in the main pane, twice, stop the turn."""
        view = self.view
        if self.main.composer.leave_editing() or self.main.leave_tree():
            return
        if view is not None and view.parent is not None:
            self.go(view.parent)
        elif self.turn_runs and self._press("stop", self._first_press, lambda: self.turn_runs):
            self.action_stop_turn()

    @property
    def _first_press(self) -> str:
        return f"{name('stop')} again stops {self._what_runs}."

    def action_interrupt(self) -> None:
        """Ctrl+C: copy a selection, else stop the turn, else put the draft away, else quit."""
        selected = self.main.get_selected_text() or self.main.composer.area.selected_text
        if selected:
            self.copy(selected)
        elif self.turn_runs:
            self.action_stop_turn()
        elif self.main.composer.stash():
            self.say(f"Put away. {name('history-older')} brings it back.")
        elif self._press("quit", f"{name('interrupt')} again quits."):
            self.action_ask_quit()

    @property
    def turn_runs(self) -> bool:
        """Whether the main agent of the session in view works, or is being loaded."""
        return _runs(self.root)

    @property
    def _what_runs(self) -> str:
        return "loading" if self.root is not None and self.root.loading else "the turn"

    def _press(self, name: str, first: str, holds: Callable[[], object] | None = None) -> bool:
        second = self._arming.press(name, self.around.clock())
        self.say("" if second else first, WINDOW, holds=holds)
        return second

    def action_stop_turn(self) -> None:
        """Stop the turn of the main agent; agents in the background go on."""
        from canopy_tui.model.intents import CancelTurn

        if self.root is not None and self.turn_runs:
            root = self.root.id
            self.say("Stopping.", _STOPPING)
            self._stopping = root
            self.host.act(CancelTurn(root))
            self.stop_seen()

    def stop_seen(self) -> None:
        """Whatever the end of what was stopped was: nothing says any more that it is stopping, nor
        anything else that is not so any more.
        """
        if (self._stopping is not None and not _runs(self.state.sessions.get(self._stopping))) or (
            self._holds is not None and not self._holds()
        ):
            self.say("")

    def ask_stop(self, session: str) -> None:
        """Stop one agent, after a question."""
        from canopy_tui.model.intents import CancelTurn
        from canopy_tui.view.dialogs.confirm import ConfirmScreen

        view = self.state.sessions.get(session)
        if view is None:
            self.say(OVER)
            return
        name = name_of(self.state, view)
        if not tree.stops(view):
            runs = view.phase is Phase.RUNNING
            words = f"{name} cannot be stopped by itself." if runs else f"{name} does not run."
            self.say(words, holds=lambda: (view.phase is Phase.RUNNING) is runs)
            return

        stop = CancelTurn(session)
        screen = ConfirmScreen(
            "Stop",
            lambda: f"Stop {name} only? Everything else goes on." if self.goes_on(stop) else OVER,
            f"Stop {name}",
            "Let it work",
        )
        self.push_screen(screen, lambda yes: self.stop_these([stop]) if yes else None)

    def stop_these(self, wanted: Sequence[CancelTurn | StopTask]) -> None:
        """Stop what of ``wanted`` still runs, and say so while some of it goes on."""
        found = [one for one in wanted if self.goes_on(one)]
        if not found:
            self.say(OVER)
            return
        self.say("Stopping.", holds=lambda: any(self.goes_on(one) for one in found))
        for intent in found:
            self.host.act(intent)
        self.stop_seen()

    def goes_on(self, wanted: CancelTurn | StopTask) -> bool:
        """Whether what would be stopped still runs."""
        from canopy_tui.model.intents import CancelTurn

        if isinstance(wanted, CancelTurn):
            return _runs(self.state.sessions.get(wanted.session))
        task = self.state.tasks.get(wanted.task)
        return task is not None and not task.is_over

    def ask_restart(self) -> None:
        """Start the agent again although it is there, as when it hangs, after a question."""
        from canopy_tui.model.intents import RestartAgent
        from canopy_tui.view.dialogs.confirm import ConfirmScreen

        if not self.shows_main or self.state.link.status != "ready":
            return
        question = (
            "Starting it again cuts off what runs, in all sessions; then they are taken up again."
        )
        screen = ConfirmScreen("Start the agent again", question, "Start it again", "Leave it")
        again = RestartAgent(although_there=True)
        self.push_screen(screen, lambda yes: self.host.act(again) if yes else None)

    def action_ask_quit(self) -> None:
        """Quit, after a question when something runs or messages wait to be sent."""
        if not tree.totals(self.state).at_work and not self._unsent:
            self.leave()
            return
        from canopy_tui.view.dialogs.confirm import ConfirmScreen

        if not isinstance(self.screen, ConfirmScreen):
            screen = ConfirmScreen("Quit", self._quit_question, "Quit", "Stay")
            self.push_screen(screen, lambda yes: self.leave() if yes else None)

    def _quit_question(self) -> str:
        """What quitting would stop, as things are now."""
        sums = tree.totals(self.state)
        waits = f" {self._unsent}" if self._unsent else ""
        if not sums.at_work:
            return (waits or "Nothing runs any more.").strip() + " Quit?"
        return f"{runs_still(self.state)} Quitting stops what runs.{waits}"

    @property
    def _unsent(self) -> str:
        """What is said of messages that still wait; they are in the history already."""
        count = sum(len(view.queue) for view in self.state.sessions.values())
        if not count:
            return ""
        waits = "1 message was" if count == 1 else f"{count} messages were"
        them = "it" if count == 1 else "them"
        return f"{waits} not sent; {name('history-older')} brings {them} back next time."

    def leave(self) -> None:
        """Quit; what is unsent is kept by whoever remembers drafts."""
        self.main.composer.keep_draft()
        self.exit(0)

    def action_suspend_process(self) -> None:
        """Back to the shell until ``fg``. Where there are no jobs the key undoes in the message."""
        from canopy_tui.view.terminal.suspending import has_shell_above, is_known_here

        if not is_known_here():
            self.main.composer.area.undo()
        elif not has_shell_above():
            self.say(_NOBODY)
        else:
            self._suspend()

    def _suspend(self) -> None:
        from canopy_tui.view.terminal.suspending import stop_job

        try:
            with self.batch_update(), self.suspend():
                stopped = stop_job()
        except SuspendNotSupported:
            self.say("This terminal cannot be given back.")
            return
        if not stopped:
            self.say(_NOBODY)


def _runs(root: SessionView | None) -> bool:
    if root is None:
        return False
    return root.in_turn or root.phase is Phase.RUNNING or root.loading is not None
