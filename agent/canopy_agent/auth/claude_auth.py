"""Runs ``claude auth ...`` beside the sessions, bounded and with no terminal.

It gives back what the CLI printed; what an identity means is not known here.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from canopy_agent.claude.errors import ClaudeError
from canopy_agent.claude.launch import NESTING_MARKS
from canopy_agent.claude.locate import locate_cli
from canopy_agent.claude.termination import signal_group
from canopy_shared import dependents, jsonio
from canopy_shared.process_tree import KILL

STATUS_PATIENCE: Final = 5.0
LOGOUT_PATIENCE: Final = 30.0
_LARGEST: Final = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Ran:
    """How a command ended. ``code`` is None when it had to be ended."""

    code: int | None
    stdout: str
    stderr: str


async def auth_status(
    environ: Mapping[str, str], *, settings: str | None = None, patience: float = STATUS_PATIENCE
) -> Mapping[str, Any] | None:
    """The report of ``claude auth status --json``; None when there is none in time.

    ``settings`` are settings of a session, as JSON text. A status of 1 only says that nobody is
    logged in.
    """
    before = () if settings is None else ("--settings", settings)
    ran = await _run((*before, "auth", "status", "--json"), environ, patience)
    if ran is None or ran.code is None:
        return None
    try:
        report = jsonio.loads(ran.stdout.encode())
    except (ValueError, RecursionError):
        return None
    return report if isinstance(report, Mapping) else None


async def auth_logout(environ: Mapping[str, str], *, patience: float = LOGOUT_PATIENCE) -> Ran:
    """Run ``claude auth logout``.

    Raises :class:`~canopy_agent.claude.errors.ClaudeStartFailed` when there is no CLI.
    """
    locate_cli(environ)
    ran = await _run(("auth", "logout"), environ, patience)
    return ran or Ran(None, "", "Claude Code could not be started")


async def _run(arguments: Sequence[str], environ: Mapping[str, str], patience: float) -> Ran | None:
    env = {name: value for name, value in environ.items() if name not in NESTING_MARKS}
    try:
        process = await asyncio.create_subprocess_exec(
            str(locate_cli(environ).path),
            *arguments,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=env,
            start_new_session=True,
        )
    except (OSError, ClaudeError):
        return None
    dependents.started(process.pid)
    try:
        async with asyncio.timeout(patience):
            stdout, stderr = await asyncio.gather(_read(process.stdout), _read(process.stderr))
            code = await process.wait()
    except TimeoutError:
        return Ran(None, "", "")
    finally:
        await _end(process)
    return Ran(code, stdout, stderr)


async def _read(stream: asyncio.StreamReader | None) -> str:
    """All output; what is beyond the bound is read and dropped, so that the CLI can go on."""
    kept = b""
    while stream is not None and (part := await stream.read(65536)):
        kept = (kept + part)[:_LARGEST]
    return kept.decode(errors="replace")


async def _end(process: asyncio.subprocess.Process) -> None:
    """Nothing of the command is left running."""
    if not signal_group(process.pid, KILL) and process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
    await process.wait()
    dependents.ended(process.pid)
