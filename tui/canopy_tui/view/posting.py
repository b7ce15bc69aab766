"""How a widget says what the person wants: a message that carries an intent up to the app."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.message import Message

if TYPE_CHECKING:
    from canopy_tui.model.intents import Intent


@dataclass
class Posted(Message):
    """The app hands ``intent`` to whoever carries it out."""

    intent: Intent
