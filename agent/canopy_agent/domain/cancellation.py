"""The time after a cancel: which late output still counts, and which prompts may come back as
ghosts.

The window opens at ``session/cancel`` and ends with the next turn or with new work that is not the
cancelled one; it does not cancel anything itself.
"""

from __future__ import annotations

from canopy_agent.domain.bounded import Recent

FORCE_SECONDS = 30.0
"""How long a cancelled turn may go on before it is ended by force."""


class CancelWindow:
    """State of the window of one session."""

    def __init__(self) -> None:
        self.open = False
        self.told = False
        """The client was told that the cancelled work ended; its output is dropped from then on."""
        self.end_due = False
        """The CLI may still report the end of the cancelled work, without naming its prompt."""
        self._orphans: set[str] = set()
        self._begun: Recent[str, bool] = Recent(512)
        self._cancelled: Recent[str, bool] = Recent(512)

    def begin(self, *, working: bool) -> None:
        """A cancel came. ``working``: something runs whose end will be reported later."""
        self.open = self.end_due = True
        self.told = not working

    def end(self) -> None:
        """New work began."""
        self.open = self.told = False

    def work_ended(self) -> None:
        """The end of the cancelled work was reported."""
        if self.open:
            self.told = True

    @property
    def drops_output(self) -> bool:
        """Whether output of the main conversation belongs to work that the client saw end."""
        return self.open and self.told

    # --- prompts that were cancelled before the CLI had taken them in -----------------------------

    def abandoned(self, prompt: str) -> None:
        """``prompt`` was answered ``cancelled`` while the CLI may still run it."""
        self._orphans.add(prompt)
        self._cancelled[prompt] = True

    def cancelled(self, prompt: str) -> None:
        """``prompt`` was cancelled while it ran."""
        self._cancelled[prompt] = True

    def was_cancelled(self, prompt: str) -> bool:
        """Whether ``prompt`` was cancelled, now or earlier."""
        return prompt in self._cancelled

    def begun(self, prompt: str) -> None:
        """The CLI works on ``prompt``; if it was abandoned, its end will be reported."""
        self._begun[prompt] = True

    def gone(self, prompt: str) -> None:
        """The CLI is done with ``prompt`` in whatever way."""
        self._orphans.discard(prompt)

    def receipt(self, still_queued: tuple[str, ...]) -> None:
        """The interrupt's receipt: of the abandoned prompts that it has not begun, the CLI still
        holds only these.
        """
        self._orphans = {p for p in self._orphans if p in self._begun or p in still_queued}

    def forget_orphans(self) -> None:
        """No abandoned prompt can come back any more."""
        self._orphans.clear()

    @property
    def expects_orphans(self) -> bool:
        """Whether the CLI may still run a prompt that was answered already."""
        return bool(self._orphans)

    def ends_with(self, prompts: tuple[str, ...], *, unsettled: bool) -> bool:
        """Whether a model request for ``prompts`` is new work. ``unsettled``: a cancelled turn
        lives.
        """
        if not self.open or unsettled or self._orphans:
            return False
        return not any(prompt in self._cancelled for prompt in prompts)
