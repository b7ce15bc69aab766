"""Asks on a terminal whether a directory is trusted, before anything of an agent is started in it.

Blocking, and without a screen; where the answer is kept is not known here.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, TextIO

from canopy_tui.model.sanitize import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from canopy_tui.kept.trust import TrustedDirectories

ALWAYS, ONCE, REFUSED = "always", "once", "refused"
WHY = (
    "An agent that works here reads this directory's own settings: hooks, MCP servers and",
    "instructions in it can run commands on your machine. Nothing of it has been read or run yet.",
)
_CHOICES = (
    "1. Yes, I trust this directory and what lies below it",
    "2. Only this time",
    "3. No: leave",
)
_WORDS = {
    **dict.fromkeys(("1", "y", "yes"), ALWAYS),
    **dict.fromkeys(("2", "o", "once"), ONCE),
    **dict.fromkeys(("3", "n", "no"), REFUSED),
}
_LONGEST_LINE = 4096


def why_not(directory: str, trust: TrustedDirectories, *, given: bool) -> str:
    """Why nothing may be started in ``directory``, empty when it is trusted. ``given``: the person
    trusted it with ``--trust``, for this run.
    """
    if given:
        trust.give(directory, keep=False)
    if trust.holds(directory):
        return ""
    out = _terminal()
    if out is None:
        return (
            f"{directory!r} is not trusted yet, and there is no terminal to ask on; --trust trusts "
            "it for this run, and an answer in canopy or canopy --plain on a terminal for good"
        )
    answer = _ask(directory, trust.found(directory), out)
    if answer == REFUSED:
        return "nothing was started, because the directory is not trusted"
    trust.give(directory, keep=answer == ALWAYS)
    return ""


def _terminal() -> TextIO | None:
    """Where a question is read by somebody who can answer it; what goes to a file stays clean."""
    if sys.stdin is None or not sys.stdin.isatty():
        return None
    outs = (one for one in (sys.stderr, sys.stdout) if one is not None and one.isatty())
    return next(outs, None)


def _ask(directory: str, found: Sequence[str], out: TextIO) -> str:
    shown = visible(directory, multiline=False).encode(out.encoding or "ascii", "backslashreplace")
    place = shown.decode(out.encoding or "ascii")
    there = [f"It holds {', '.join(found)}."] if found else []
    question = ("canopy: question: Do you trust this directory?", f"  {place}", *there, *WHY)
    lines = [*question, *(f"  {choice}" for choice in _CHOICES), "Type 1 to 3."]
    print("\n".join(lines), file=out, flush=True)
    while (line := _line()) is not None:
        answer = _WORDS.get(line.strip().lower())
        if answer is not None:
            return answer
        print("That is no answer: type a number from 1 to 3.", file=out, flush=True)
    return REFUSED


def _line() -> str | None:
    """A line of stdin, and not one byte more: the rest is for whoever reads next."""
    typed = bytearray()
    while (byte := os.read(0, 1)) not in (b"", b"\n"):
        typed += byte[: _LONGEST_LINE - len(typed)]
    return None if not byte and not typed else typed.decode(errors="replace")
