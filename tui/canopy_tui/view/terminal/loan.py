"""Runs another program in the terminal that the app has just left.

It knows no app: whoever calls it has given the terminal back, and takes it again afterwards.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence


def run_in_terminal(command: Sequence[str], environment: Sequence[tuple[str, str]] = ()) -> str:
    """Run ``command`` (never through a shell) and wait; what went wrong, "" for nothing."""
    try:
        done = subprocess.run(command, env={**os.environ, **dict(environment)}, check=False)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        return f"{command[0]} could not be started: {reason}."
    except KeyboardInterrupt:
        return "It was stopped."
    if done.returncode < 0:
        return "It was stopped."
    return f"It ended with status {done.returncode}." if done.returncode else ""
