"""Teaches Textual's key parser how terminals report Enter or a digit pressed with another key.

Terminals without an extended key protocol (and tmux) send Alt as an Escape before the key; Textual
8.2.8 reads ``ESC CR`` as a plain Enter, ``ESC 1`` as the letter that Option-1 types on a Mac, and
``ESC u`` as a key that types ``u`` into whatever field has the focus. It knows no widget.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from textual import _ansi_sequences, events
from textual._xterm_parser import XTermParser

from canopy_tui.view.terminal.background import REPLIES, BackgroundTold
from canopy_tui.view.terminal.paste import PasteFilter

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.message import Message


@dataclass(frozen=True, slots=True)
class _NamedKey:
    """Stands in Textual's table where it expects a member of its ``Keys`` enum."""

    value: str


NEWLINE_KEYS = frozenset(
    {
        "shift+enter",
        "ctrl+enter",
        "alt+enter",
        "ctrl+j",
        # xterm's modifyOtherKeys form of the same keys, as Textual names them.
        "shift+\r",
        "ctrl+\r",
        "alt+\r",
    }
)
"""Keys that put a line break into the message instead of sending it."""

SEQUENCES: dict[str, str] = {
    "\x1b\r": "alt+enter",
    **{f"\x1b{digit}": f"alt+{digit}" for digit in range(10)},
}


def teach() -> None:
    """Put :data:`SEQUENCES` into the table of Textual's parser, and filters before it for pastes
    and for what the terminal answers; a second call changes nothing.
    """
    table = cast("dict[str, Any]", _ansi_sequences.ANSI_SEQUENCES_KEYS)
    for sequence, key in SEQUENCES.items():
        table[sequence] = (_NamedKey(key),)
    XTermParser.feed = _filtered  # type: ignore[method-assign, assignment]
    XTermParser.tick = _ticked  # type: ignore[method-assign, assignment]


_feed, _tick = XTermParser.feed, XTermParser.tick


def _filtered(parser: XTermParser, data: str) -> Iterable[Message]:
    """Feed the parser of Textual with what may be read of ``data``."""
    paste = parser.__dict__.setdefault("paste_filter", PasteFilter())
    typed = data if paste.takes(data) else REPLIES(data)
    while REPLIES.told:
        yield BackgroundTold(REPLIES.told.pop())
    readable = paste(typed)
    if readable or not data:
        for message in _feed(parser, readable):
            if isinstance(message, events.Paste) and paste.texts:
                message = events.Paste(paste.texts.popleft())
            yield _without_text(message)


def _ticked(parser: XTermParser) -> Iterable[Message]:
    """Let the parser look at the time, with what was held back for too long."""
    late = REPLIES.overdue()
    if late:
        yield from map(_without_text, _feed(parser, late))
    yield from map(_without_text, _tick(parser))


def _without_text(message: Message) -> Message:
    """A letter pressed with Alt is a command, never text: a field would take it otherwise."""
    if isinstance(message, events.Key) and message.key.startswith("alt+"):
        message.character = None
    return message
