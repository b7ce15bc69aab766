"""Says why a CLI could not be started, and what to do about it.

It must not start anything itself; it only looks at the disk.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from canopy_agent.claude.errors import ClaudeStartFailed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from canopy_agent.claude.process import LaunchSpec, ProcessExit

REMEDIES = (
    "Set CLAUDE_CODE_EXECUTABLE to the path of a Claude Code executable, "
    "or unset it to use the one that comes with Canopy."
)


ENDED_HINT = "Try again; canopy doctor examines the installation."
_REASON_HINTS = {
    "temp_dir_unusable": "Set CLAUDE_CODE_TMPDIR to a directory that can be written.",
}
"""What to do, by the ``startup_failure_reason`` of a CLI whose own words do not say it."""

_SHOWN_STDERR = 2_000
"""Characters of the end of stderr that go into a message."""


def explain(spec: LaunchSpec, error: Exception) -> ClaudeStartFailed:
    """The failure to raise for ``error``, which starting ``spec`` raised."""
    path = spec.argv[0]
    number = error.errno if isinstance(error, OSError) else None
    if not Path(spec.cwd).is_dir():
        return ClaudeStartFailed(
            f"The working directory {spec.cwd} does not exist or is not a directory.",
            hint="Create it, or choose another one.",
        )
    if not os.access(spec.cwd, os.X_OK):
        return ClaudeStartFailed(
            f"The working directory {spec.cwd} may not be entered.", hint="Check its permissions."
        )
    if number == errno.E2BIG:
        return _too_long(spec)
    if not Path(path).exists():
        return ClaudeStartFailed(f"No Claude Code executable at {path}.", hint=REMEDIES)
    if Path(path).is_dir() or not os.access(path, os.X_OK):
        return ClaudeStartFailed(f"{path} is not executable.", hint=f"Check it. {REMEDIES}")
    if number == errno.ENOENT:
        return ClaudeStartFailed(
            f"{path} cannot run here: its interpreter or a library is missing.", hint=REMEDIES
        )
    if number == errno.ENOEXEC:
        return ClaudeStartFailed(
            f"{path} is not a program for this system.",
            hint=f"A script needs a first line that names its interpreter. {REMEDIES}",
        )
    return ClaudeStartFailed(f"Claude Code at {path} could not be started: {error}.", hint=REMEDIES)


def ended_early(result: Mapping[str, Any] | None, ended: ProcessExit | None) -> ClaudeStartFailed:
    """The failure of a CLI that ran and was not greeted.

    ``result`` is the frame in which it said why, if it did; else the end of its stderr has to do.
    """
    code = None if ended is None else ended.code
    tail = "" if ended is None else ended.stderr_tail
    said = (result or {}).get("errors")
    errors = [one for one in said if isinstance(one, str)] if isinstance(said, list) else []
    reason = (result or {}).get("startup_failure_reason")
    words = "\n".join(errors).strip()
    hint = _REASON_HINTS.get(reason, "") if isinstance(reason, str) else ""
    if not words:
        hint = hint or (ended.hint if ended is not None else "") or ENDED_HINT
        how = "" if ended is None else f" ({ended.describe()})"
        words = f"Claude Code ended while it started{how}."
        if tail.strip():
            words, hint = f"{words}\n{tail.strip()[-_SHOWN_STDERR:]}", ""
    if hint and words[-1] not in ".!?":
        words += "."
    return ClaudeStartFailed(
        words,
        exit_code=code,
        stderr_tail=tail,
        hint=hint,
        reason=reason if isinstance(reason, str) else None,
    )


def _too_long(spec: LaunchSpec) -> ClaudeStartFailed:
    index = max(range(1, len(spec.argv)), key=lambda at: len(spec.argv[at]), default=0)
    value = spec.argv[index]
    if value.startswith("--") or index < 2:
        option = value.partition("=")[0][:40]
    else:
        option = spec.argv[index - 1]
    return ClaudeStartFailed(
        f"The command line of Claude Code is too long: {option} has {len(value.encode())} bytes.",
        hint="Put large settings or server lists into a file and pass its path.",
    )
