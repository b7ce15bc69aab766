"""Content that is not text: a placeholder with the facts, for pictures, resources and the unknown.

Nothing is decoded and nothing is fetched.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from canopy_shared.content import ImageContent, ResourceLink
from canopy_tui.model.attachments import described
from canopy_tui.model.sanitize import visible
from canopy_tui.view.blocks.block import beside, inside
from canopy_tui.view.drawing.strips import laid

if TYPE_CHECKING:
    from canopy_shared.content import ContentBlock
    from canopy_tui.view.drawing.strips import Paper, Row


@dataclass(frozen=True, slots=True, eq=False)
class Attachment:
    """One placeholder. Equal only to one of the very same content."""

    content: ContentBlock

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Attachment) and other.content is self.content

    def __hash__(self) -> int:
        return id(self.content)

    def draw(self, paper: Paper) -> list[Row]:
        """One line, wrapped when the name is long."""
        page = inside(paper)
        text = visible(described(self.content), multiline=False)
        line = [(text, paper.ink.muted)]
        if isinstance(self.content, ImageContent | ResourceLink):
            line.append((" [o: open]", paper.ink.faint))
        return beside(laid([line], page.width))

    def guess(self, width: int) -> int:
        """Names are mostly short."""
        return 1
