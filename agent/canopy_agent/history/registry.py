"""Which sessions run in a Claude Code of somebody else, as those programs note it down.

Blocking; call it in a thread. Files are those of the CLI 2.1.332: ``sessions/<pid>.json``.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from canopy_shared import jsonio
from canopy_shared.ext.session_index import ASKING, IDLE, RUNNING
from canopy_shared.ordinary import read_ordinary

_STATES: Final = {"busy": RUNNING, "shell": RUNNING, "waiting": ASKING, "idle": IDLE}
_SDK: Final = "sdk-"
_LARGEST = 64 * 1024


def running_elsewhere(config_directory: str) -> dict[str, str]:
    """The state of each session that such a program has open, by id.

    Programs that an SDK drives are left out: their note does not follow what they do.
    """
    states: dict[str, str] = {}
    try:
        files = list((Path(config_directory) / "sessions").iterdir())
    except OSError:
        return states
    for file in files:
        if file.suffix == ".json" and file.stem.isdigit() and _is_alive(int(file.stem)):
            note = _note(file)
            session, state = note.get("sessionId"), _STATES.get(str(note.get("status")))
            entry = note.get("entrypoint")
            if isinstance(entry, str) and entry.startswith(_SDK):
                continue
            if isinstance(session, str) and state is not None:
                states[session] = state
    return states


def is_open_in_a_cli(config_directory: str, session_id: str) -> bool:
    """Whether a program that runs, whoever started it, has this session open."""
    try:
        files = list((Path(config_directory) / "sessions").iterdir())
    except OSError:
        return False
    return any(
        file.suffix == ".json"
        and file.stem.isdigit()
        and _is_alive(int(file.stem))
        and _note(file).get("sessionId") == session_id
        for file in files
    )


def _note(file: Path) -> Mapping[str, object]:
    try:
        value = jsonio.loads(read_ordinary(file, _LARGEST))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, Mapping) else {}


def _is_alive(pid: int) -> bool:
    """Whether a process with this id runs. On Windows nobody can be asked without harm."""
    if sys.platform == "win32":
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
