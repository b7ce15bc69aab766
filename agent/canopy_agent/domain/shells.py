"""Commands that run as tasks of the CLI, and how much of their output was seen.

A reading is the end of what a command printed so far; what is new in it is worked out here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from canopy_agent.domain.toolcalls import OpenCall

SKIPPED = "\n[…]\n"
"""Stands for output that came faster than it was read."""


@dataclass(slots=True)
class Shell:
    """One command. ``call`` is the tool call that began it; ``followed`` while it is read."""

    call: OpenCall
    followed: bool = False
    ended: bool = False
    seen: int = 0

    def took(self, output: str, total: int) -> str:
        """A reading that is all new: ``total`` bytes in all were read."""
        self.seen = total
        return output

    def news(self, output: str, total: int) -> str:
        """What a reading adds: ``output`` are the last bytes, as text, of ``total`` in all."""
        raw = output.encode(errors="surrogatepass")
        fresh = total - self.seen
        if fresh <= 0:
            return ""
        first, self.seen = self.seen == 0, total
        text = raw[-fresh:].decode(errors="ignore") if fresh < len(raw) else output
        return text if fresh <= len(raw) else ("" if first else SKIPPED) + text


@dataclass(slots=True)
class Shells:
    """The running commands by task id."""

    running: dict[str, Shell] = field(default_factory=dict)

    def of_call(self, call_id: str) -> tuple[str, Shell] | None:
        """The task that a call began."""
        return next(
            (pair for pair in self.running.items() if pair[1].call.id == call_id),
            None,
        )
