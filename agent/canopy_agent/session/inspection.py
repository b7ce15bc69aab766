"""A stored session for somebody who looks at it: everything that was said and done, with its times.

It reads files and starts nothing, also while a CLI writes to them; how it is shown is not known.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from canopy_agent.capabilities import client_profile
from canopy_agent.history.effort import Effort, is_told
from canopy_agent.history.listing import found_at, one_line, read_row
from canopy_agent.history.registry import is_open_in_a_cli
from canopy_agent.history.store import agents_folder
from canopy_agent.history.tail import last_cost
from canopy_agent.render.renderer import Renderer
from canopy_agent.session.caller_options import CallerOptions
from canopy_agent.session.narrator import Stage
from canopy_agent.session.opener import policy_of
from canopy_agent.session.replay import Replay
from canopy_agent.session.replay_times import ReplayTimes
from canopy_shared.updates import SubagentStateUpdate, UserMessageChunk

if TYPE_CHECKING:
    from canopy_shared.updates import Update

Json = Mapping[str, Any]
_GONE = "disconnected"


@dataclass(frozen=True, slots=True)
class Told:
    """One update of ``session``; ``at`` is when its record was written, in epoch seconds.

    ``prompt``: it is part of a message with which a person set the session to work.
    """

    at: float
    session: str
    update: Update
    prompt: bool = False


@dataclass(frozen=True, slots=True)
class Inspected:
    """What the files of a session hold now. ``told`` is in the order of its times.

    ``efforts`` has one entry per session that appears. ``cost`` is in US dollars, as Claude Code
    noted it, None when it did not. ``running``: a CLI has the session open. ``ends`` are the times
    at which turns of the main agent ended.
    """

    session: str
    cwd: str
    title: str
    told: tuple[Told, ...]
    efforts: Mapping[str, Effort]
    cost: float | None
    running: bool
    ends: tuple[float, ...]


@dataclass(slots=True)
class _Reading:
    """One pass over the files."""

    root: str
    told: list[Told] = field(default_factory=list)
    by_call: dict[str | None, Effort] = field(default_factory=dict)
    times: ReplayTimes = field(default_factory=ReplayTimes)
    asks: bool = False

    def telling(self, record: Json, call: str | None) -> None:
        """A record is about to be told."""
        self.times.telling(record)
        self.asks = call is None and record.get("type") == "user" and is_told(record)
        self.by_call.setdefault(call, Effort()).take(record)

    def show(self, update: Update, session: str) -> None:
        """It means this."""
        at = self.times.of(update, session)
        prompt = self.asks and session == self.root and isinstance(update, UserMessageChunk)
        self.told.append(Told(at, session, update, prompt))


class Inspection:
    """The files of one session. ``capabilities`` are what the one who looks can show."""

    def __init__(self, session: str, path: Path, config_directory: str, capabilities: Json) -> None:
        self._session = session
        self._path = path
        self._config_directory = config_directory
        self._profile = client_profile(capabilities)
        self._seen: object = None

    async def changed(self) -> bool:
        """Whether the files are others than at the last :meth:`read`."""
        return await asyncio.to_thread(self._stamp) != self._seen

    async def read(self) -> Inspected:
        """Read everything. Raises ``OSError`` when the transcript cannot be read."""
        self._seen, running, row = await asyncio.to_thread(self._look)
        cwd = row.cwd if row is not None else str(self._path.parent)
        reading = _Reading(self._session)
        replay = Replay(
            self._session,
            self._path,
            policy_of(self._profile, CallerOptions(), cwd),
            self._profile,
            Renderer(self._profile, cwd),
            Stage(
                reading.show,
                _at_once,
                is_open=lambda _call: running,
                telling=reading.telling,
            ),
        )
        await replay.run()
        told = [one for one in reading.told if not (running and _is_gone(one.update))]
        told.sort(key=lambda one: one.at)
        efforts = {replay.session_of(call): one for call, one in reading.by_call.items()}
        main = reading.by_call.get(None)
        return Inspected(
            self._session,
            cwd,
            one_line(row.title) if row is not None else "",
            tuple(told),
            efforts,
            await asyncio.to_thread(last_cost, self._path),
            running,
            tuple(main.done()) if main is not None else (),
        )

    def _look(self) -> tuple[object, bool, Any]:
        found = found_at(self._path)
        row = read_row(found) if found is not None else None
        return self._stamp(), self._is_running(), row

    def _is_running(self) -> bool:
        return is_open_in_a_cli(self._config_directory, self._path.stem)

    def _stamp(self) -> object:
        """Sizes and times of all files, and whether a CLI has the session open."""
        stamps = [_size_and_time(self._path)]
        try:
            with os.scandir(agents_folder(self._path)) as files:
                stamps += sorted((file.name, *_size_and_time(Path(file.path))) for file in files)
        except OSError:
            pass
        return (self._is_running(), *stamps)


async def _at_once() -> None:
    """Nobody reads slowly here, but others want to run too."""
    await asyncio.sleep(0)


def _is_gone(update: Update) -> bool:
    return isinstance(update, SubagentStateUpdate) and update.state == _GONE


def _size_and_time(path: Path) -> tuple[Any, ...]:
    try:
        stat = path.stat()
    except OSError:
        return ()
    return stat.st_size, stat.st_mtime_ns
