"""The goal that Claude Code works towards on its own, with a way to give it up.

Hidden while there is none; it draws the state and clears nothing itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from canopy_tui.model.sanitize import clipped
from canopy_tui.view.drawing.clicks import Clickable, clickable
from canopy_tui.view.drawing.strips import fitted

if TYPE_CHECKING:
    from canopy_shared.ext.goal import Goal

_CLEAR = "[clear]"


class GoalBanner(Clickable):
    """One line, two where there is a reason why the goal is not met yet."""

    def __init__(self) -> None:
        super().__init__(id="goal")
        self._goal: Goal | None = None
        self.display = False

    def show(self, goal: Goal | None) -> None:
        """Follow the root in view."""
        if goal == self._goal:
            return
        self._goal = goal
        self.display = goal is not None
        self.refresh(layout=True)

    def render(self) -> Content:
        """The lines."""
        goal = self._goal
        if goal is None:
            return Content("")
        width = self.size.width
        checks = ""
        if goal.iterations:
            checks = f" · checked {goal.iterations} time{'' if goal.iterations == 1 else 's'}"
        clear = Content.styled(_CLEAR, "$primary").stylize(clickable("app.clear_goal"))
        room = width - len("Goal: ") - len(checks) - len(_CLEAR) - 2
        objective = fitted(clipped(goal.objective, 400), max(8, room))
        line = Content.assemble(
            ("Goal: ", "bold $secondary"), objective, (checks, "$text-muted"), "  ", clear
        )
        lines = [line.truncate(max(1, width), ellipsis=True)]
        if goal.last_reason:
            reason = f"      not yet: {clipped(goal.last_reason, 400)}"
            lines.append(Content.styled(fitted(reason, max(1, width)), "$text-muted"))
        return Content("\n").join(lines)
