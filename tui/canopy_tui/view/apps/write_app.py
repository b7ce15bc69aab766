"""The part of the app that serves the composer: what it needs from outside the main screen.

What is written, and what becomes of it, is the composer's business.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from textual.app import SuspendNotSupported
from textual.widgets import Input, TextArea

from canopy_tui.model.sanitize import clipped, visible
from canopy_tui.view.apps.stop_app import StopApp
from canopy_tui.view.drawing.labels import name_of
from canopy_tui.view.keyboard.keymap import filled

if TYPE_CHECKING:
    from canopy_tui.view.composer.composer import Composer
    from canopy_tui.view.requests.permission import PermissionPane
    from canopy_tui.view.surroundings import MakeHost, Surroundings

_ON_THE_FRAME = 100
"""Characters of a sentence that the frame of the message may hold."""


class WriteApp(StopApp):
    """Actions of the keys of the composer. ``away``: another program has the terminal."""

    def __init__(self, make_host: MakeHost, around: Surroundings) -> None:
        super().__init__(make_host, around)
        self.away = False

    def on_composer_told(self, event: Composer.Told) -> None:
        """What became of what was written."""
        event.stop()
        self.say(event.text, event.seconds)

    def on_permission_pane_told(self, event: PermissionPane.Told) -> None:
        """Why a permission was rejected: a message to the root, to be sent or not, unless the
        agent that asked hears it.
        """
        asker = self.state.sessions.get(event.session)
        if event.answered and self.state.link.takes_reasons:
            name = name_of(self.state, asker) if asker is not None else "the agent"
            self.say(f"Rejected, and told {clipped(name, 40)} what you wrote.")
            return
        composer = self.main.composer
        composer.area.move_cursor(composer.area.document.end)
        written = composer.area.text
        composer.add_text(
            event.text if not written or written.endswith("\n") else f"\n{event.text}"
        )
        self.say(filled("What you wrote is in the message now: {send} sends it."), 8.0)

    def action_say_now(self) -> None:
        """Say what is written, or what waits, into the turn that runs."""
        self.main.composer.say_now()

    def action_paste_clipboard(self) -> None:
        """Paste what is on the clipboard, into the message a picture too."""
        composer, field = self.main.composer, self.focused
        if isinstance(field, Input | TextArea) and field is not composer.area:
            paste = self._paste_into(field)
        else:
            paste = composer.attaching.paste_clipboard(self.clipboard)
        self.run_worker(paste, group="clipboard", exclusive=True, exit_on_error=False)

    async def _paste_into(self, field: Input | TextArea) -> None:
        from canopy_tui.view.composer.pasting import paste_into

        if why := await paste_into(field, self.around.environment, self.clipboard):
            self.say(why, 8.0)

    def action_search_history(self) -> None:
        """Look for something that was sent before."""
        from canopy_tui.view.screens.history_screen import HistoryScreen

        if not self.shows_main:
            return
        history = self.drafts.history
        if history.messages:
            screen = HistoryScreen(
                tuple(history.messages), self.around.older, self.around.sent_at()
            )
            self.push_screen(screen, self._take_from_history)
        else:
            self.say("Nothing was sent from here yet.")

    def _take_from_history(self, text: str | None) -> None:
        if text is not None:
            self.main.composer.replace_with(text)

    def action_undo(self) -> None:
        """Take back the last change of the message."""
        self.main.composer.area.undo()

    def action_redo(self) -> None:
        """Make it again."""
        self.main.composer.area.redo()

    def action_edit_outside(self) -> None:
        """Write the message in the editor of the person."""
        if not self.away and self.shows_main:
            self.run_worker(self._edit_outside(), group="editor", exit_on_error=False)

    async def _edit_outside(self) -> None:
        """Give the terminal to the editor; agents work on meanwhile, and nothing is drawn."""
        from canopy_tui.desk.external_editor import EditorError, edited, editor_command

        environment = {**os.environ, **self.around.environment}
        composer, shelf = self.main.composer, self.drafts.shelf
        written = composer.area.text
        self.away = True
        try:
            command = editor_command(environment)
            with self.batch_update(), self.suspend():
                text = await edited(command, shelf.whole(written), environment)
        except EditorError as error:
            self._say_of_editor(str(error))
        except SuspendNotSupported:
            self.say("This terminal cannot be given to an editor.", 8.0)
        else:
            composer.replace_with(shelf.folded(text, written))
        finally:
            self.away = False
        self.screen.refresh(layout=True)

    def _say_of_editor(self, text: str) -> None:
        if len(text) <= _ON_THE_FRAME:
            self.say(text, 8.0)
        else:
            words = visible(clipped(text, 1000), multiline=True)
            self.notify(words, severity="warning", timeout=15.0, markup=False)
