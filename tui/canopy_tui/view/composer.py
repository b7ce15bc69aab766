"""Where the person writes: the text field, the messages that wait for their turn, the commands.

It posts what the person wants as intents; it knows neither the wire nor how a turn goes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from canopy_tui.model.intents import (
    EditQueued,
    RemoveQueued,
    SendPrompt,
    SendQueue,
    SteerPrompt,
    SteerQueued,
)
from canopy_tui.model.steering import can_steer
from canopy_tui.view.completion import Completion
from canopy_tui.view.labels import name_of
from canopy_tui.view.posting import Posted
from canopy_tui.view.prompt_area import PromptArea
from canopy_tui.view.queue_strip import QueueStrip

if TYPE_CHECKING:
    from textual import events
    from textual.app import ComposeResult
    from textual.widgets import TextArea

    from canopy_tui.model.intents import Intent
    from canopy_tui.model.state import ClientState, QueuedPrompt, SessionView
    from canopy_tui.view.drafts import Drafts

_EDITING = "in the queue · Enter keeps · empty removes · Esc leaves it as it was"


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
    class Written(Message):
        """``text`` is on its way to the root."""

        text: str

    def __init__(self, drafts: Drafts) -> None:
        super().__init__(id="composer")
        self.drafts = drafts
        self.shortcuts: frozenset[str] = frozenset()
        """Characters that are commands while the field is empty."""
        self._root: SessionView | None = None
        self._steers = False
        self._early: list[str] = []
        self._title = ""

    def compose(self) -> ComposeResult:
        """Commands above the queue above the field."""
        yield Completion()
        yield QueueStrip()
        with Horizontal(id="composer-box"):
            yield Static("›", id="composer-mark", markup=False)
            yield PromptArea()

    def on_mount(self) -> None:
        """Wire the field to its surroundings."""
        self.area.first_chance = self._first_chance
        self.area.beyond = self._beyond

    @property
    def area(self) -> PromptArea:
        """The text field."""
        return self.query_one(PromptArea)

    def show(self, state: ClientState, session: str | None) -> None:
        """Follow the pane in view: ``session`` is None before the first session is there."""
        view = state.sessions.get(session or "")
        root = state.root_of(view) if view else None
        if root is not self._root:
            self._change_root(root)
        self.query_one(Completion).commands = root.commands if root else ()
        self.area.placeholder = Content(_placeholder(state, root, view))
        child = view if view is not root else None
        self.set_class(child is not None, "-child")
        self._title = _title(state, root, child)
        self._steers = root is not None and root.in_turn and can_steer(state)
        forgotten = self.drafts.forget_sent(self._queue)
        if forgotten is not None:
            self.area.show_text(forgotten)
        self._show_queue()

    def stash(self) -> bool:
        """Put the draft away where Up finds it; whether there was one."""
        text = self.area.text
        if not text.strip():
            return False
        self.drafts.history.add(text)
        self.area.show_text("")
        return True

    def leave_editing(self) -> bool:
        """Leave a queued message as it was; whether one was under edit."""
        if self.drafts.editing is None:
            return False
        self.area.show_text(self.drafts.stop_editing())
        self._show_queue()
        return True

    def add_text(self, text: str) -> None:
        """Add ``text`` at the caret, as if typed."""
        self.area.insert(text)
        self.area.focus()

    def send(self, text: str) -> None:
        """Send ``text`` to the root, or as soon as there is one."""
        self.drafts.history.add(text)
        if self._root is None:
            self._early.append(text)
        else:
            self._post(SendPrompt(self._root.id, text))
            self.post_message(self.Written(text))
        self._show_queue()

    def say_now(self) -> None:
        """Say what is in the field, else the first message of the queue, into the turn."""
        root, text = self._root, self.area.text
        editing, written = self.drafts.editing, text.strip()
        if editing is not None and root is not None:
            self._post(EditQueued(root.id, editing, text if written else ""))
            self.area.show_text(self.drafts.stop_editing())
            self._say_queued(root, editing)
        elif written and root is not None and root.in_turn:
            self.area.load_text("")
            self.drafts.history.add(text)
            self._post(SteerPrompt(root.id, text))
            self.post_message(self.Written(text))
            self._tell_steering()
        elif written:
            self.area.load_text("")
            self.send(text)
        elif root is not None and root.queue:
            self._say_queued(root, root.queue[0].id)
        else:
            self.post_message(self.Told("Nothing is written."))
        self._show_queue()

    def _say_queued(self, root: SessionView, prompt: int) -> None:
        self._post(SteerQueued(root.id, prompt))
        self._tell_steering()

    def _tell_steering(self) -> None:
        if self._steers:
            self.post_message(self.Told("Said into the running turn."))
        elif self._root is not None and self._root.in_turn:
            said = "This agent takes nothing into a running turn: it waits in the queue."
            self.post_message(self.Told(said, 6.0))

    def on_queue_strip_now(self, event: QueueStrip.Now) -> None:
        """``now`` beside a queued message was clicked."""
        event.stop()
        if self._root is not None:
            self._say_queued(self._root, event.prompt)

    def on_prompt_area_sent(self, event: PromptArea.Sent) -> None:
        """Send, keep an edit, or let a held queue go."""
        event.stop()
        text, root = event.text, self._root
        if self.drafts.editing is not None and root is not None:
            self._post(EditQueued(root.id, self.drafts.editing, text if text.strip() else ""))
            self.area.show_text(self.drafts.stop_editing())
            self._show_queue()
        elif text.strip():
            self.area.load_text("")
            self.send(text)
        elif root is not None and root.queue_held:
            self._post(SendQueue(root.id))

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        """Offer commands."""
        event.stop()
        self.query_one(Completion).offer(self.area.text)

    def on_completion_chosen(self, event: Completion.Chosen) -> None:
        """A command was picked from the list."""
        event.stop()
        self.area.show_text(event.text)
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
        event.stop()
        if self._root is not None:
            self._post(RemoveQueued(self._root.id, event.prompt))

    @property
    def _queue(self) -> list[QueuedPrompt]:
        return self._root.queue if self._root is not None else []

    def _change_root(self, root: SessionView | None) -> None:
        old = self._root.id if self._root is not None else None
        text = self.drafts.change_root(old, root.id if root else None, self.area.text)
        self._root = root
        if text != self.area.text:
            self.area.begin_with(text)
        if root is not None:
            early, self._early = self._early, []
            for message in early:
                self._post(SendPrompt(root.id, message))
                self.post_message(self.Written(message))

    def _show_queue(self) -> None:
        self.query_one(QueueStrip).show(
            self._queue,
            editing=self.drafts.editing,
            held=self._root is not None and self._root.queue_held,
            early=self._early,
            steering=self._root.steering if self._root is not None else (),
            steers=self._steers,
        )
        title = _EDITING if self.drafts.editing is not None else self._title
        self.query_one("#composer-box").border_title = Content(title)

    def _first_chance(self, event: events.Key) -> bool:
        if self.query_one(Completion).take_key(event.key):
            return True
        if event.character in self.shortcuts and not self.area.text:
            self.post_message(self.Shortcut(event.character or ""))
            return True
        return False

    def _beyond(self, older: bool) -> str | None:
        walk = self.drafts.older if older else self.drafts.newer
        text = walk(self._queue, self.area.text)
        self._show_queue()
        return text

    def _post(self, intent: Intent) -> None:
        self.post_message(Posted(intent))


def _title(state: ClientState, root: SessionView | None, child: SessionView | None) -> str:
    if child is None or root is None:
        return ""
    main = name_of(state, root)
    return f"to {main} · {name_of(state, child)} is read-only · Ctrl+G goes to {main}"


def _placeholder(state: ClientState, root: SessionView | None, view: SessionView | None) -> str:
    if state.link.status in ("lost", "failed"):
        return "The agent is gone · F5 starts it again · what you write here stays"
    if root is None:
        return "Write already: it is sent when the agent is ready"
    if root.queue_held:
        return "Enter sends the queue"
    if view is not root:
        return f"Reply to {name_of(state, root)}"
    if root.in_turn:
        waits = "Write on: it waits in the queue until this turn is over"
        return f"{waits} · Ctrl+N says it now" if can_steer(state) else waits
    return "Message, or / for commands · Enter sends · Ctrl+J new line"
