"""Where the person writes: the text field, the messages that wait for their turn, the commands.

It posts what the person wants as intents; it knows neither the wire nor how a turn goes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from canopy_tui.model.glyphs import ASCII
from canopy_tui.view.composer import placeholders
from canopy_tui.view.composer.attaching import Attaching
from canopy_tui.view.composer.attachment_strip import AttachmentStrip
from canopy_tui.view.composer.completing import Completing
from canopy_tui.view.composer.completion import Completion, Offer
from canopy_tui.view.composer.placeholders import Abilities
from canopy_tui.view.composer.prompt_area import Ghost, PromptArea, plain
from canopy_tui.view.composer.queue_strip import QueueStrip
from canopy_tui.view.composer.sending import Sending
from canopy_tui.view.drawing.labels import whole
from canopy_tui.view.keyboard import keymap
from canopy_tui.view.once import once
from canopy_tui.view.posting import Posted

if TYPE_CHECKING:
    import asyncio

    from textual import events
    from textual.app import ComposeResult
    from textual.widgets import TextArea

    from canopy_tui.model.intents import Intent
    from canopy_tui.model.shelf import Draft
    from canopy_tui.model.state import ClientState, QueuedPrompt, SessionView
    from canopy_tui.view.composer.drafts import Drafts
    from canopy_tui.view.surroundings import Surroundings

KEEP_AFTER = 0.5
"""Seconds after a change until the draft is kept."""
_EDITING = "in the queue · {send} keeps · empty removes · {stop} leaves it as it was"


class Composer(Vertical):
    """The composer of the root session whose tree is in view."""

    @dataclass
    class Shortcut(Message):
        """One of ``shortcuts`` was pressed while the field was empty."""

        character: str

    @dataclass
    class Told(Message):
        """A sentence on what became of what was written, to be shown for a while."""

        text: str
        seconds: float = 4.0

    @dataclass
    class Called(Message):
        """A command of the client itself, with what it is to do."""

        command: str
        value: str

    @dataclass
    class Written(Message):
        """A message is on its way to the root."""

    def __init__(self, drafts: Drafts, around: Surroundings) -> None:
        super().__init__(id="composer")
        self.drafts = drafts
        self.shortcuts: frozenset[str] = frozenset()
        """Characters that are commands while the field is empty."""
        self._around = around
        self.sending = Sending(self, around)
        self._title = self._said = self._mode = ""
        self._saving: asyncio.TimerHandle | None = None

    def compose(self) -> ComposeResult:
        """What can be picked, the queue, what goes with the message, and the field."""
        yield Completion()
        yield QueueStrip()
        yield AttachmentStrip(self._around.glyphs)
        with Horizontal(id="composer-box"):
            mark = ">" if self._around.glyphs == ASCII else "›"
            yield Static(mark, id="composer-mark", markup=False)
            yield PromptArea()

    def on_mount(self) -> None:
        """Wire the field to its surroundings."""
        area, shelf = self.area, self.drafts.shelf
        self._list = self.query_one(Completion)
        self._list.taken = self._take
        self.completing = Completing(area, self._list, self._around.files)
        self.attaching = Attaching(
            area, shelf, self._around, self.completing, self.tell, lambda: self.sending.can.pictures
        )
        area.first_chance = self._first_chance
        area.sends = self._enter
        area.beyond = self._beyond
        area.takes_paste = self.attaching.take_paste
        area.fits = shelf.fitting
        area.marks = shelf.spans
        area.links = self.completing.links
        area.ghost = self._ghost

    def on_unmount(self) -> None:
        """Nobody asks for files any more."""
        if self._around.files is not None:
            self._around.files.close()

    @property
    def area(self) -> PromptArea:
        """The text field."""
        return self.query_one(PromptArea)

    def tell(self, text: str) -> None:
        """Say what became of what was written."""
        told = self.Told(text, 4.0 if len(text) < 60 else 8.0)
        self.post_message(told.set_sender(self))  # a message stops at who sent it

    def say(self, text: str) -> bool:
        """Show ``text`` on the lower edge of the frame; whether there is room."""
        for box in self.query("#composer-box"):
            has_edge = self.display and bool(box.styles.border_bottom[0])
            fits = has_edge and cell_len(text) <= box.size.width - 2
            self._said = text if fits else ""
            self._show_edge()
            return fits
        return False

    def _show_edge(self) -> None:
        """What was just said, else the mode."""
        self.query_one("#composer-box").border_subtitle = Content(self._said or self._mode)

    def show(self, state: ClientState, session: str | None) -> None:
        """Follow the pane in view: ``session`` is None before the first session is there."""
        view = state.sessions.get(session or "")
        root = state.root_of(view) if view else None
        if root is not self.sending.root:
            self._change_root(root)
        self.completing.commands = root.commands if root else ()
        child = view if view is not root else None
        self.set_class(child is not None, "-child")
        self._title = placeholders.title(state, root, child)
        self._mode = placeholders.mode(root)
        self._show_edge()
        self.sending.can = Abilities.of(state, root, view)
        has_scenes = bool(self._around.scenes)
        words = placeholders.placeholder(state, root, view, scenes=has_scenes)
        self.area.invite(partial(placeholders.fitting, words))
        self.area.update_suggestion()
        forgotten = self.drafts.forget_sent(self._queue)
        if forgotten is not None:
            self.area.show_text(forgotten)
        self._show_queue()

    # --- drafts -------------------------------------------------------------------------------

    def take_up(self, draft: Draft) -> None:
        """Begin with a draft of an earlier run."""
        self.area.begin_with(self.attaching.take_up(draft))

    hands_on = False
    """What is written goes to the next root: it comes from there."""

    def keep_draft(self) -> None:
        """Have what is unsent kept now."""
        if self._saving is not None:
            self._saving.cancel()
            self._saving = None
        text = self.drafts.unsent(self.area.text)
        session = self.sending.root.id if self.sending.root is not None else ""
        self._around.on_draft(session, self.drafts.shelf.draft(text))

    def keep_changed(self) -> None:
        """The same for what would be kept soon, if there is any."""
        if self._saving is not None:
            self.keep_draft()

    def _keep_soon(self) -> None:
        if self._saving is None:
            self._saving = once(self, KEEP_AFTER, self.keep_draft)

    def stash(self) -> bool:
        """Put the draft away where Up finds it; whether there was one."""
        text = self.area.text
        if not text.strip():
            return False
        self.drafts.history.add(text)
        self._around.on_sent(self.drafts.shelf.remembered(text))
        self.area.show_text("")
        return True

    def leave_editing(self) -> bool:
        """Leave a queued message as it was; whether one was under edit."""
        if self.drafts.editing is None:
            return False
        self.area.show_text(self.drafts.stop_editing())
        self._show_queue()
        return True

    def replace_with(self, text: str) -> None:
        """Hold ``text`` instead; what was written before is in the history, and undo brings it."""
        before = self.area.text
        if text != before:
            if before.strip() and self.drafts.editing is None:
                self.drafts.history.add(before)
            self.area.show_text(text)
        self.area.focus()

    def add_text(self, text: str) -> None:
        """Add ``text`` at the caret, as if typed or pasted."""
        text = plain(text)
        if not self.attaching.take_paste(text):
            self.area.insert(text)
        self.area.focus()

    def send(self, text: str) -> None:
        """Send ``text`` to the root, or as soon as there is one."""
        self.sending.send(text)
        self._show_queue()

    def say_now(self) -> None:
        """Say what is in the field, else the first message of the queue, into the turn."""
        self.sending.now(self.area.text)
        self._show_queue()

    def on_queue_strip_now(self, event: QueueStrip.Now) -> None:
        """``now`` beside a queued message was clicked."""
        event.stop()
        if self.sending.root is not None:
            self.sending.say_queued(event.prompt)

    def _enter(self, text: str) -> None:
        """Send, keep an edit, or let a held queue go."""
        self.sending.enter(text)
        self._show_queue()

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        """Offer what fits, show what goes with the message, and keep it."""
        event.stop()
        self.completing.offer()
        self.query_one(AttachmentStrip).show(self.drafts.shelf.held(self.area.text))
        self._keep_soon()

    def on_text_area_selection_changed(self, event: TextArea.SelectionChanged) -> None:
        """The caret moved: something else may be completed there."""
        event.stop()
        self.completing.offer()

    def _take(self, offer: Offer) -> None:
        """Something was picked from the list."""
        self.completing.take(offer)
        self.area.focus()

    def on_attachment_strip_unfold(self, event: AttachmentStrip.Unfold) -> None:
        """``unfold`` beside a paste was clicked."""
        event.stop()
        self.attaching.unfold(event.mark)
        self.area.focus()

    def on_attachment_strip_remove(self, event: AttachmentStrip.Remove) -> None:
        """The cross beside a paste or picture was clicked."""
        event.stop()
        self.attaching.remove(event.mark)
        self.area.focus()

    def on_queue_strip_edit(self, event: QueueStrip.Edit) -> None:
        """A queued message was clicked."""
        event.stop()
        text = self.drafts.edit(event.prompt, self._queue, self.area.text)
        if text is not None:
            self.area.show_text(text)
        self._show_queue()
        self.area.focus()

    def on_queue_strip_remove(self, event: QueueStrip.Remove) -> None:
        """The cross of a queued message was clicked."""
        from canopy_tui.model.intents import RemoveQueued

        event.stop()
        if self.sending.root is not None:
            self._post(RemoveQueued(self.sending.root.id, event.prompt))

    @property
    def _queue(self) -> list[QueuedPrompt]:
        return self.sending.root.queue if self.sending.root is not None else []

    def _change_root(self, root: SessionView | None) -> None:
        old = self.sending.root.id if self.sending.root is not None else None
        self.keep_changed()
        if self.hands_on:
            self.hands_on, old = False, None
            self._keep_soon()
        text = self.drafts.change_root(old, root.id if root else None, self.area.text, self._recall)
        self.sending.root = root
        if text != self.area.text:
            self.area.begin_with(text)
        if root is not None:
            self.sending.send_early()

    def _recall(self, session: str) -> str:
        return self.attaching.take_up(self._around.draft_of(session))

    def _show_queue(self) -> None:
        self.query_one(QueueStrip).show(
            self._queue,
            editing=self.drafts.editing,
            held=self.sending.root is not None and self.sending.root.queue_held,
            early=self.sending.early,
            steering=self.sending.root.steering if self.sending.root is not None else (),
            steers=self.sending.can.steering,
        )
        self._show_title()

    def on_resize(self) -> None:
        """The title is cut for the width at hand."""
        self._show_title()

    def _show_title(self) -> None:
        title = keymap.filled(_EDITING) if self.drafts.editing is not None else self._title
        box = self.query_one("#composer-box")
        box.border_title = Content(whole(title.split(" · "), box.size.width - 2))

    def _first_chance(self, event: events.Key) -> bool:
        if self._list.display:
            self.completing.offer()  # for all that is typed, not only for what was told so far
        if self._list.take_key(event.key):
            return True
        if keymap.is_key("complete", event.key):
            taken = self.area.take_ghost() or self.attaching.unfold_at_caret()
            return taken or self._to_transcript()
        if event.character in self.shortcuts and not self.area.text:
            self.post_message(self.Shortcut(event.character or ""))
            return True
        return False

    def _to_transcript(self) -> bool:
        """Tab goes up where there is a transcript, at once: the next keys are meant for it."""
        if (transcript := self.screen.query_one("#transcript")).display:
            self.screen.set_focus(transcript)
        return transcript.display

    def _ghost(self, text: str) -> Ghost:
        """The rest of what the agent thinks comes next, or what may follow a command."""
        suggested = self.sending.can.suggestion
        if suggested.startswith(text) and suggested != text:
            return Ghost(suggested[len(text) :], takes=True)
        return Ghost(self.completing.hint(text))

    def _beyond(self, older: bool) -> str | None:
        walk = self.drafts.older if older else self.drafts.newer
        text = walk(self._queue, self.area.text)
        if text is not None:
            self.completing.recalled = text
        self._show_queue()
        return text

    def _post(self, intent: Intent) -> None:
        self.post_message(Posted(intent))
