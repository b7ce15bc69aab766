"""What becomes of what is written: sent, said into the turn, put back in the queue, or carried out.

It posts intents through the composer; it knows neither the wire nor how the composer looks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from canopy_tui.model.own_commands import called
from canopy_tui.view.composer.placeholders import Abilities
from canopy_tui.view.composer.slash_offers import unknown
from canopy_tui.view.keyboard.keymap import name
from canopy_tui.view.posting import Posted

if TYPE_CHECKING:
    from canopy_tui.model.intents import Intent
    from canopy_tui.model.state import SessionView
    from canopy_tui.view.composer.composer import Composer
    from canopy_tui.view.surroundings import Surroundings


class Sending:
    """One per composer. ``root`` is who gets it, None before the first session is there: what is
    sent by then waits in ``early``. ``can`` is what ``root`` can be asked now.
    """

    def __init__(self, composer: Composer, around: Surroundings) -> None:
        self._composer = composer
        self._drafts = composer.drafts
        self._around = around
        self.root: SessionView | None = None
        self.can = Abilities()
        self.early: list[str] = []
        self._doubted = ""

    def enter(self, text: str) -> None:
        """Send ``text``, keep an edit, or let a held queue go."""
        from canopy_tui.model.intents import SendQueue

        root, area = self.root, self._composer.area
        if self._calls(text) or self._doubts(text, name("send")):
            return
        if self._drafts.editing is not None and root is not None:
            self._keep_edit(root, self._drafts.editing, text)
        elif text.strip():
            area.load_text("")
            self.send(text)
        elif root is not None and root.queue_held:
            self._post(SendQueue(root.id))

    def send(self, text: str) -> None:
        """Send ``text`` to the root, or as soon as there is one."""
        self._remember(text)
        if self.root is None:
            self.early.append(text)
        else:
            self._prompt(self.root, text)
        self._composer.keep_draft()

    def send_early(self) -> None:
        """The root is there: what was sent before goes to it."""
        if self.root is not None:
            early, self.early = self.early, []
            for text in early:
                self._prompt(self.root, text)

    def now(self, text: str) -> None:
        """Say ``text``, else the first message of the queue, into the turn."""
        from canopy_tui.model.intents import SteerPrompt

        root, area = self.root, self._composer.area
        editing, written = self._drafts.editing, text.strip()
        if self._calls(text) or self._doubts(text, name("steer")):
            return
        if editing is not None and root is not None:
            self._keep_edit(root, editing, text)
            self.say_queued(editing)
        elif written and root is not None and root.in_turn:
            area.load_text("")
            self._remember(text)
            self._post(SteerPrompt(root.id, *self._composer.attaching.message(text)))
            self._composer.post_message(self._composer.Written())
            self._composer.keep_draft()
            self._tell_steering()
        elif written:
            area.load_text("")
            self.send(text)
        elif root is not None and root.queue:
            self.say_queued(root.queue[0].id)
        else:
            self._composer.tell("Nothing is written.")

    def say_queued(self, prompt: int) -> None:
        """Say a message of the queue into the turn."""
        from canopy_tui.model.intents import SteerQueued

        if self.root is not None:
            self._post(SteerQueued(self.root.id, prompt))
            self._tell_steering()

    def _keep_edit(self, root: SessionView, prompt: int, text: str) -> None:
        from canopy_tui.model.intents import EditQueued

        edited = self._composer.attaching.message(text) if text.strip() else ("", (), "")
        if text.strip() and all(text != item.written for item in root.queue):
            self._remember(text)  # it goes like this
        self._post(EditQueued(root.id, prompt, *edited))
        self._composer.area.show_text(self._drafts.stop_editing())

    def _calls(self, text: str) -> bool:
        """Have a command of the client carried out, which no agent gets; whether it was one."""
        composer = self._composer
        call = called(text, composer.completing.commands, pages=self.can.pages)
        if call is None:
            return False
        if call.fault or self._drafts.editing is not None:
            composer.tell(call.fault or "A command of Canopy does not wait in the queue.")
            return True
        composer.area.load_text("")
        self._drafts.history.add(text)
        self._around.on_sent(text)
        composer.keep_draft()
        composer.post_message(composer.Called(call.command, call.value))
        return True

    def _doubts(self, text: str, key: str) -> bool:
        """Ask once more about a command that nobody told of, before the model gets it as words."""
        command = unknown(text.strip(), self._composer.completing.commands)
        doubted, self._doubted = self._doubted, ""
        if not command or text == doubted:
            return False
        self._doubted = text
        self._composer.tell(f"No command {command} is known: {key} again sends it as a message.")
        return True

    def _remember(self, text: str) -> None:
        self._drafts.history.add(text)
        self._around.on_sent(self._drafts.shelf.remembered(text))

    def _prompt(self, root: SessionView, text: str) -> None:
        from canopy_tui.model.intents import SendPrompt

        self._post(SendPrompt(root.id, *self._composer.attaching.message(text)))
        self._composer.post_message(self._composer.Written())

    def _tell_steering(self) -> None:
        if self.can.steering:
            self._composer.tell("Said into the running turn.")
        elif self.root is not None and self.root.in_turn:
            self._composer.tell(
                "This agent takes nothing into a running turn: it waits in the queue."
            )

    def _post(self, intent: Intent) -> None:
        self._composer.post_message(Posted(intent))
