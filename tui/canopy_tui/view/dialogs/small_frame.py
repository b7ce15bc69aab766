"""The frame of a small dialog: words, and below them answers that no terminal is too small for.

What is asked or told is not known here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import Vertical, VerticalScroll
from textual.content import Content

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.geometry import Size
    from textual.widgets import Static

    from canopy_tui.view.dialogs.answers import Answers

_FRAME = 3
"""Rows of the frame, and between the words and the answers."""


class _Words(VerticalScroll):
    """They scroll where there is no room for all of them."""

    def __init__(self, words: Iterable[Static], answers: int) -> None:
        super().__init__(*words, classes="small-words")
        self._taken = _FRAME + answers

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many rows as the words have, or as the answers leave."""
        rows = super().get_content_height(container, viewport, width)
        return max(1, min(rows, viewport.height - self._taken))


class SmallFrame(Vertical):
    """``words`` one below the other, then the answers."""

    def __init__(self, title: str, words: Iterable[Static], answers: Answers) -> None:
        shown = [one.add_class("words") for one in words]
        super().__init__(_Words(shown, len(answers.answers)), answers, classes="small-frame")
        self.border_title = Content(title)
