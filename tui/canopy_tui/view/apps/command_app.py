"""The part of the app that carries out the client's own slash commands.

Each does what a key or a line of the palette does too; what is offered, and what a text calls, is
known to ``model.own_commands``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from canopy_tui.model import own_commands as own
from canopy_tui.view.apps.export_app import ExportApp

if TYPE_CHECKING:
    from canopy_tui.view.composer.composer import Composer

ACTIONS: Final = {
    own.EXPORT.name: "export",
    own.HELP.name: "show_keys",
    own.OPTIONS.name: "show_options",
    own.USAGE.name: "show_usage",
    own.SERVERS.name: "show_servers",
    own.SESSIONS.name: "show_sessions",
    own.NEW.name: "new_session",
    own.COPY.name: "copy_answer",
    own.THEME.name: "change_theme",
    own.LOGIN.name: "log_in",
    own.QUIT.name: "ask_quit",
}


class CommandApp(ExportApp):
    """Runs an action for each command."""

    async def on_composer_called(self, event: Composer.Called) -> None:
        """A command of the client was written as a message."""
        event.stop()
        action = ACTIONS[event.command]
        value = f"({event.value!r})" if event.value else ""
        await self.run_action(f"app.{action}{value}")

    def action_copy_answer(self) -> None:
        """The last answer of the agent in view, as its source has it."""
        from canopy_tui.model.entries import MessageEntry, Role
        from canopy_tui.model.source import source_of

        entries = self.view.entries if self.view is not None else ()
        for entry in reversed(entries):
            if isinstance(entry, MessageEntry) and entry.role is Role.AGENT:
                self.copy(source_of(entry, self.state))
                return
        self.say("There is no answer to copy yet.")
