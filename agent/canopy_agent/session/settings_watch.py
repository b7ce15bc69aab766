"""Notices that Claude Code's settings files changed, by looking at them now and then.

It says that something changed and reads nothing; what a change means is not known here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

from canopy_agent.session.settings_files import managed_directory

PERIOD: Final = 1.0
"""Seconds between two looks."""
DEBOUNCE: Final = 0.1
"""Seconds for which the files have to stay as they are."""

Signature = tuple[tuple[int, int, int] | None, ...]


def watched_paths(cwd: str, config_directory: str) -> tuple[Path, ...]:
    """The files whose change matters to a session in ``cwd``."""
    project, managed = Path(cwd) / ".claude", managed_directory()
    return (
        Path(config_directory) / "settings.json",
        project / "settings.json",
        project / "settings.local.json",
        managed / "managed-settings.json",
        managed / "managed-settings.d",
    )


async def watch(
    paths: tuple[Path, ...],
    changed: Callable[[], Awaitable[None]],
    *,
    period: float = PERIOD,
    debounce: float = DEBOUNCE,
) -> None:
    """Call ``changed`` after each change, until the task is cancelled."""
    known = _signature(paths)
    while True:
        await asyncio.sleep(period)
        now = _signature(paths)
        if now == known:
            continue
        while True:
            await asyncio.sleep(debounce)
            latest = _signature(paths)
            if latest == now:
                break
            now = latest
        known = now
        await changed()


def _signature(paths: tuple[Path, ...]) -> Signature:
    return tuple(_stat(path) for path in paths)


def _stat(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
