"""The fields of a form as a list that scrolls: what is in use stays in view, with its question.

Which fields there are, and what is filled in, is not known here.
"""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING

from textual.containers import VerticalScroll
from textual.widget import Widget

from canopy_tui.view.dialogs.choice_list import ChoiceList

if TYPE_CHECKING:
    from textual.geometry import Region


class FormFields(VerticalScroll, can_focus=False):
    """Rows of fields. A row that is too tall shows its option under the highlight."""

    def on_resize(self) -> None:
        """There is more or less room."""
        self.call_after_refresh(self.follow)

    def on_descendant_focus(self) -> None:
        """Another field is in use; Textual scrolls to the middle of its control before this."""
        self.call_after_refresh(self.follow)

    def on_option_list_option_highlighted(self) -> None:
        """The highlight moved."""
        self.call_after_refresh(self.follow)

    def follow(self) -> None:
        """Bring what is in use into view."""
        focused = self.screen.focused if self.is_attached else None
        if focused is None or focused is self or self not in focused.ancestors:
            return
        region = self._inside(self._row_of(focused))
        if region.height > self.size.height:
            region = self._inside(focused)
            if isinstance(focused, ChoiceList):
                region = focused.highlighted_lines.translate(region.offset)
        self.scroll_to_region(region, animate=False, force=True)

    def _row_of(self, widget: Widget) -> Widget:
        return [widget, *self._around(widget)][-1]

    def _inside(self, widget: Widget) -> Region:
        """Where ``widget`` lies in all that can be scrolled to."""
        region = widget.virtual_region
        for above in self._around(widget):
            region = region.translate(above.virtual_region.offset)
        return region

    def _around(self, widget: Widget) -> list[Widget]:
        """What ``widget`` lies in, up to its row."""
        inside = takewhile(lambda above: above is not self, widget.ancestors)
        return [above for above in inside if isinstance(above, Widget)]
