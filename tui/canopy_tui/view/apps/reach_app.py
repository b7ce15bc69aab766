"""The part of the app that reaches out of the terminal: copying, opening, exporting.

Nothing of foreign text is opened without a question that shows where it leads; the programs are
the business of the desktop it is given.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from textual import work

from canopy_tui.model.sanitize import clipped, encodable, visible
from canopy_tui.model.words import reason_of
from canopy_tui.view.apps.stop_app import StopApp
from canopy_tui.view.keyboard.keymap import is_key

if TYPE_CHECKING:
    from canopy_tui.view.transcript.transcript import TranscriptView

OSC_52_LIMIT = 74_000
"""Bytes that every terminal with a clipboard sequence takes; xterm's limit is the lowest."""
_PLACES = {
    "tmux": " by tmux, into its buffer and the clipboard of the terminal",
    "tmux only": " into the buffer of tmux alone: its paste key (prefix ]) has it",
}
"""What is said of other places than the clipboard."""
_QUESTIONS = {
    "http": "Open in the browser",
    "https": "Open in the browser",
    "mailto": "Write a mail",
    "file": "Open this file with the program of the desktop",
}
"""Schemes that are opened at all: others may run what a model wrote."""


class ReachApp(StopApp):
    """``copy`` and ``ask_open`` for everybody."""

    def copy(self, text: str) -> None:
        """Put ``text`` on the clipboard, exactly as it is, and say how. An empty one would empty
        the clipboard.
        """
        if text:
            self._copy(encodable(text))
        else:
            self.tell("There is nothing to copy here.", 2.0)

    def takes_for_selection(self, key: str) -> bool:
        """Whether a key is about what is selected with the mouse, on any screen: Ctrl+C copies it,
        Esc takes the selection away. Screens would do something else first.
        """
        copies = is_key("interrupt", key) or is_key("copy", key)
        if not (copies or is_key("stop", key)) or not self.screen.selections:
            return False
        selected = self.screen.get_selected_text()
        if selected and copies:
            self.copy(selected)
        elif selected:
            self.screen.clear_selection()
        return bool(selected)

    def on_text_selected(self) -> None:
        """The button of the mouse was let go, on any screen."""
        selected = self.screen.get_selected_text() if self.around.copies_selection else None
        if selected:
            self.copy(selected)

    def copy_to_clipboard(self, text: str) -> None:
        """By the terminal. Textual would fail on what UTF-8 cannot hold."""
        super().copy_to_clipboard(encodable(text))

    @work(group="copy")
    async def _copy(self, text: str) -> None:
        lines = text.count("\n") + 1
        what = f"Copied {lines:,} lines" if lines > 1 else "Copied"
        desktop = self.around.desktop
        place = await desktop.copy(text) if desktop is not None else ""
        if place:
            self.tell(f"{what}{_PLACES.get(place, '')}.", 2.0 if place == "clipboard" else 4.0)
            return
        size = len(text.encode())
        if desktop is None or (size <= OSC_52_LIMIT and self.around.terminal_copies):
            self.copy_to_clipboard(text)
            self.tell(f"{what} by the terminal, if it allows that.", 4.0)
            return
        try:
            path = desktop.keep(text.encode(), ".txt")
        except OSError as error:
            self.tell(f"Not copied: {clipped(reason_of(error), 200)}")
        else:
            words = f"Too much for the clipboard of the terminal. It is in the file {path}"
            self.notify(words, timeout=20.0, markup=False)

    def tell(self, text: str, seconds: float = 4.0) -> None:
        """In the footer, or over whatever hides it."""
        if self.shows_main:
            self.say(text, seconds)
        else:
            self.notify(visible(text, multiline=True), timeout=seconds, markup=False)

    def ask_open(self, url: str) -> None:
        """Open an address, after showing it."""
        from canopy_tui.view.dialogs.confirm import ConfirmScreen

        title = _QUESTIONS.get(_scheme(url))
        if title is None:
            self.tell("Only web pages, mail and files are opened.")
            return

        def answered(yes: bool | None) -> None:
            if yes:
                self.open_outside(url)

        self.push_screen(ConfirmScreen(title, clipped(url, 2000), "Open it", "Do not"), answered)

    @work(group="open")
    async def open_outside(self, target: str) -> None:
        """Open an address or a file without a further question."""
        desktop = self.around.desktop
        if desktop is None:
            self.open_url(target)
        elif problem := await desktop.open(target):
            self.tell(clipped(problem, 400), 12.0)

    def on_transcript_view_copy_text(self, event: TranscriptView.CopyText) -> None:
        """Copy an entry, or all of a transcript."""
        self.copy(event.text)


def _scheme(url: str) -> str:
    """Empty for what is no address, and for what no program could be given."""
    try:
        url.encode()
        scheme = urlsplit(url).scheme.lower()
    except ValueError:
        return ""
    return "" if {"\n", "\0"} & set(url) else scheme
