"""The line above the tree in which a name is typed: only agents of that name are shown then.

It says what was typed and how many there are; which agents these are is the tree's business.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Input, Static

from canopy_tui.view.drawing.clicks import Clickable, clickable
from canopy_tui.view.keyboard.keymap import name
from canopy_tui.view.keyboard.keys import TREE_NAME

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from canopy_tui.view.tree.session_tree import SessionTree


class NameLine(Horizontal):
    """Hidden while no name is wanted. Its keys move the cursor of ``agents``, the tree."""

    DEFAULT_CSS = """
    NameLine { height: 1; padding: 0 1; background: $surface; }
    NameLine #name-word { width: 2; color: $primary; text-style: bold; }
    NameLine Input { width: 1fr; border: none; height: 1; padding: 0; background: $background; }
    """
    BINDINGS: ClassVar[list[BindingType]] = TREE_NAME.bindings(first=True)

    def __init__(self, agents: SessionTree) -> None:
        super().__init__(id="name-line")
        self._agents = agents
        self._count = _Count()

    def compose(self) -> ComposeResult:
        """What it is, what was typed, how many there are."""
        yield Static(Content("/"), id="name-word")
        yield Input(placeholder="name of an agent", compact=True, id="name-input")
        yield self._count

    def open(self) -> None:
        """Come into view with what was typed before, which the first key replaces."""
        self.display = True
        line = self.query_one(Input)
        line.focus()
        line.action_select_all()

    def told(self, found: int, of: int) -> None:
        """So many agents have the name, of so many."""
        self._count.show(f"{found:,} of {of:,}" if self._agents.wanted else "")

    def on_input_changed(self, event: Input.Changed) -> None:
        """Show them while one types."""
        event.stop()
        self._agents.want(event.value)

    def on_descendant_focus(self) -> None:
        """The tree shows its cursor meanwhile."""
        self._agents.lead(True)

    def on_descendant_blur(self) -> None:
        """It does so no more; a line with nothing in it goes."""
        self._agents.lead(False)
        self.display = bool(self._agents.wanted)

    def action_move(self, step: int) -> None:
        """Move the cursor of the tree."""
        self._agents.action_move(step)

    def action_take(self) -> None:
        """Open what the cursor is on, if that has the name."""
        if self._agents.matches:
            self._agents.focus()
            self._agents.action_open()

    def action_drop(self) -> None:
        """Show all agents again."""
        self.query_one(Input).value = ""
        self._agents.want("")
        self._agents.focus()
        self.display = False


class _Count(Clickable):
    """A click shows all again."""

    DEFAULT_CSS = "_Count { width: auto; height: 1; margin-left: 1; }"

    def __init__(self) -> None:
        super().__init__(id="name-count")
        self._words = ""

    def show(self, words: str) -> None:
        """Say it."""
        if words != self._words:
            self._words = words
            self.refresh(layout=True)

    def render(self) -> Content:
        """The count, and the key that shows all."""
        if not self._words:
            return Content("")
        key = name("tree-name-drop")
        parts = (f"{self._words} ", "$text-muted"), (key, "bold $primary"), (" all", "$text-muted")
        return Content.assemble(*parts).stylize(clickable("app.show_all_agents"))
