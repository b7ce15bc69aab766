"""The rules of all widgets, parsed once: again only for other colours, and those of dialogs late.

Textual parses every rule twice before the first frame, which takes longer than drawing it. What
the rules say is not known here.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from textual.css.stylesheet import Stylesheet

DIALOGS: Final = Path(__file__).parent / "dialogs.tcss"
"""The rules of everything that lies over the main screen: read when the first frame is painted."""


class SteadyStylesheet(Stylesheet):
    """Keeps what it parsed for as long as the variables are the same (Textual 8.2.8)."""

    def set_variables(self, variables: dict[str, str]) -> None:
        """Set the colours; equal ones change nothing."""
        if variables != self._variables:
            super().set_variables(variables)

    def reparse(self) -> None:
        """Apply the variables of now. What fails leaves the rules as they were."""
        self.parse()
