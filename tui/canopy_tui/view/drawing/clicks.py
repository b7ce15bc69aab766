"""Parts of a drawn line that do something when they are clicked, without looking like web links.

Textual styles and runs ``@click`` in any text; here a part carries the action under a key of our
own, as a tuple, so that nothing in foreign text can be read as an action.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual.style import Style
from textual.widget import Widget

if TYPE_CHECKING:
    from textual import events

ACTION = "canopy_action"


def clickable(action: str, *parameters: Any) -> Style:
    """The style of a part that runs ``action`` (of the widget, or ``app.…``) when clicked."""
    return Style.from_meta({ACTION: (action, parameters)})


class Clickable(Widget):
    """A widget whose drawn parts may be :func:`clickable`; not text to copy."""

    ALLOW_SELECT = False

    async def on_click(self, event: events.Click) -> None:
        """Run the action under the pointer."""
        found = event.style.meta.get(ACTION)
        if found is None:
            return
        event.stop()
        action, parameters = found
        namespace, _, name = action.rpartition(".")
        await self.app.run_action((namespace, name, tuple(parameters)), default_namespace=self)
