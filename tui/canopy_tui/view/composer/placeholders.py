"""What the empty field says, the title of its frame, and what can be done in it now.

Words only, read from the state; what the keys named here do is not known.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.cells import cell_len

from canopy_tui.model.sanitize import clipped
from canopy_tui.view.composer.attaching import takes_pictures
from canopy_tui.view.drawing.labels import name_of
from canopy_tui.view.drawing.strips import fitted
from canopy_tui.view.keyboard.keymap import filled, name

_PARTS = re.compile(r"(?<! ) · ")
"""Between the parts; before a suggestion's key stands one more space."""

if TYPE_CHECKING:
    from canopy_tui.model.state import ClientState, SessionView


@dataclass(frozen=True, slots=True)
class Abilities:
    """``steering``: a turn runs that takes messages. ``suggestion`` is what to ask next.

    ``pages``: the agent answers what the pages of the client ask.
    """

    steering: bool = False
    pictures: bool = True
    suggestion: str = ""
    pages: bool = False

    @classmethod
    def of(
        cls, state: ClientState, root: SessionView | None, view: SessionView | None
    ) -> Abilities:
        """What can be done for ``root`` now, with ``view`` in view. Before an agent is there
        everything is hoped for.
        """
        known = bool(state.link.capabilities)
        return cls(
            root is not None and root.in_turn and state.link.can_steer,
            takes_pictures(state.link.capabilities) if known else True,
            suggestion_of(state, root, view),
            state.link.tells_controls,
        )


def suggestion_of(state: ClientState, root: SessionView | None, view: SessionView | None) -> str:
    """What the agent thinks the person will ask next, where the empty field shows it: in the main
    pane, while nothing runs or waits.
    """
    if root is None or view is not root or root.in_turn or root.queue_held or not root.suggestions:
        return ""
    return "" if state.link.status in ("lost", "failed") else root.suggestions[0].strip()


def title(state: ClientState, root: SessionView | None, child: SessionView | None) -> str:
    """The title of the frame: empty in the main pane. Nobody can write to another agent."""
    if child is None or root is None:
        return ""
    main = name_of(state, root)
    return f"read-only: what you write goes to {main} · {name('root')} shows {main}"


def mode(root: SessionView | None) -> str:
    """The permission mode, beside what is written; empty for the agent's first one, which asks."""
    if root is None or not root.modes or root.mode in ("", root.modes[0][0]):
        return ""
    return clipped(dict(root.modes).get(root.mode, root.mode), 40)


def placeholder(
    state: ClientState,
    root: SessionView | None,
    view: SessionView | None,
    *,
    scenes: bool = False,
) -> str:
    """What the empty field says. ``scenes``: there are some to try, as long as nothing else is
    suggested.
    """
    if state.link.status == "failed":
        return filled("The agent did not start · {restart} tries again · what you write here stays")
    if state.link.status == "lost":
        return filled("The agent is gone · {restart} starts it again · what you write here stays")
    if root is None:
        return "Write already: it is sent when the agent is ready"
    if root.loading is not None:
        return "Write already: it is sent when the session is loaded"
    if root.queue_held:
        return f"{name('send')} sends the queue"
    if view is not root:
        return f"Message to {name_of(state, root)}"
    if root.in_turn:
        waits = "Write on: it waits in the queue until this turn is over"
        return f"{waits} · {name('steer')} says it now" if state.link.can_steer else waits
    suggested = suggestion_of(state, root, view)
    if suggested:
        return f"{clipped(suggested, 200)}  · {name('complete')} takes it"
    rest = "{send} sends · {newline} new line"
    if scenes and root.turns_done:
        rest = "{palette} has the scenes (demo) · {send} sends"
    return filled(f"Message, or / for commands, @ for files · {rest}")


def fitting(words: str, room: int) -> str:
    """As many parts of ``words`` as ``room`` cells hold; of the first one its beginning. What an
    agent suggests stays whole.
    """
    parts = _PARTS.split(words)
    if len(parts) == 1 and " · " in words:
        return words
    while len(parts) > 1 and cell_len(" · ".join(parts)) > room:
        parts.pop()
    return fitted(" · ".join(parts), max(1, room))


def agent_missing(state: ClientState) -> str:
    """Why nothing can be asked of the agent now; empty when it is there."""
    match state.link.status:
        case "ready":
            return ""
        case "failed":
            return filled("The agent did not start: {restart} tries again.")
        case "lost":
            return filled("The agent is gone: {restart} starts it again.")
        case _:
            return "The agent is not there yet."
