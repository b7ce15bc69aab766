"""The part of the app that gives the terminal back to the shell, from any screen.

Agents run in processes of their own and work on; what they say is drawn when the person is back.
"""

from __future__ import annotations

from textual.app import SuspendNotSupported

from canopy_tui.view.look_app import LookApp
from canopy_tui.view.suspending import has_shell_above, is_known_here, stop_job

_NOBODY = "Canopy is all that this terminal runs: no shell could bring it back."


class SuspendApp(LookApp):
    """Action ``suspend_process``."""

    def action_suspend_process(self) -> None:
        """Back to the shell until ``fg``. Where there are no jobs the key undoes in the message."""
        if not is_known_here():
            self.main.composer.area.undo()
        elif not has_shell_above():
            self.say(_NOBODY)
        else:
            self._suspend()

    def _suspend(self) -> None:
        try:
            with self.batch_update(), self.suspend():
                stopped = stop_job()
        except SuspendNotSupported:
            self.say("This terminal cannot be given back.")
            return
        if not stopped:
            self.say(_NOBODY)
