"""What happened to the agent, when it is gone: why as far as known, its last words, and the way on.

It never invents a reason: what the state does not say is not shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content
from textual.widgets import Static

from canopy_tui.model.sanitize import clipped, without_escapes
from canopy_tui.view.keyboard.keymap import name

if TYPE_CHECKING:
    from canopy_tui.model.state import AgentLink

_STDERR_LINES = 5
_ROOMY = 30
"""Lines of a screen that has room to say it twice."""
_TITLES = {
    "lost": "The connection to the agent was lost.",
    "failed": "The agent did not start.",
}


class LinkBanner(Static):
    """Hidden while the agent is there."""

    def __init__(self, *, restartable: bool = True) -> None:
        super().__init__("", id="link-banner", markup=False)
        self._restartable = restartable
        self.display = False

    def show(self, link: AgentLink, *, told: bool = False) -> None:
        """Follow the connection. ``told``: the transcript in view ends with the last words; on a
        small screen they do not stand there twice.
        """
        waits = link.status in ("starting", "ready") and bool(link.detail)
        gone = link.status in _TITLES
        self.display = gone or waits
        if not self.display:
            return
        title = clipped(link.detail, 400) or _TITLES[link.status]
        lines = [Content.styled(title, "bold $warning" if waits else "bold $error")]
        tail = [line for line in without_escapes(link.stderr).split("\n") if line.strip()]
        if not (told and self.app.size.height < _ROOMY):
            lines += [Content.styled(f"  {line}", "$text-muted") for line in tail[-_STDERR_LINES:]]
        if self._restartable:
            absent = link.status == "failed"  # there is nothing yet to take up
            again = " tries again" if absent else " starts it again and takes up its sessions"
            lines.append(Content.assemble((name("restart"), "bold $primary"), again))
        self.update(Content("\n").join(lines))
