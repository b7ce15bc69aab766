"""Where Canopy keeps its own files on this machine.

It only names folders: it creates none, and must not know what is written there. Claude's own
files (login, settings, transcripts) belong to the Claude CLI and lie where that puts them.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

CONFIG_DIR_VARIABLE = "CANOPY_CONFIG_DIR"
_APPLICATION = "canopy"
LOG = "canopy.log"
"""The name of the log; it lies in the folder of what Canopy remembers."""


@dataclass(frozen=True, slots=True)
class Locations:
    """Absolute folders; none needs to exist.

    ``config``: what the person sets. ``state``: what Canopy remembers by itself (prompt history).
    ``cache``: what may be deleted at any time.
    """

    config: Path
    state: Path
    cache: Path


def locations(environment: Mapping[str, str]) -> Locations:
    """The folders for this person.

    They are the platform's usual ones (platformdirs; on Linux ``~/.config/canopy``,
    ``~/.local/state/canopy`` and ``~/.cache/canopy``, which XDG_* variables move). A non-empty
    ``CANOPY_CONFIG_DIR`` keeps everything in that one folder instead: ``state`` and ``cache`` are
    then its subfolders.
    """
    chosen = environment.get(CONFIG_DIR_VARIABLE)
    if chosen:
        config = Path(chosen)
        with contextlib.suppress(RuntimeError):  # ~name of nobody: a folder of that name
            config = config.expanduser()
        config = config.absolute()
        return Locations(config, config / "state", config / "cache")
    from platformdirs import PlatformDirs

    usual = PlatformDirs(_APPLICATION, appauthor=False)
    return Locations(usual.user_config_path, usual.user_state_path, usual.user_cache_path)
