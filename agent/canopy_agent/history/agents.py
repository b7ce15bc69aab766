"""The subagents of a stored session: what their sidecars say, and who launched whom.

Blocking; call it in a thread. A transcript without a sidecar that names its launch is kept, but
unattached. Layout of Claude Code 2.1: ``subagents/agent-<id>.jsonl`` and ``.meta.json``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from canopy_agent.history.store import agents_folder
from canopy_agent.history.texts import blocks_of, is_fork_start
from canopy_agent.history.transcript import Json, lines, parse, section, text
from canopy_shared.ordinary import open_ordinary

AGENT_TOOLS = frozenset({"Agent", "Task"})

_PREFIX, _SUFFIX, _SIDECAR = "agent-", ".jsonl", ".meta.json"
_PLAIN_ID = re.compile(r"a?[0-9a-f]{7,}")
"""Ids of agents that a model launched; the harness's own helpers spell out what they are for."""

_LARGEST_SIDECAR = 1 << 20
FORK_MARK = b"<fork-boilerplate>"


@dataclass(frozen=True, slots=True)
class StoredAgent:
    """One subagent on disk.

    ``launch`` is the tool call that created it, None when it is not known. ``cwd`` is its directory
    with links resolved, when it was placed elsewhere than its parent; ``gone`` when that is not
    there any more. ``finished`` and ``stopped`` tell how its last run ended, if it did.
    """

    id: str
    path: Path
    launch: str | None = None
    parent: str | None = None
    name: str | None = None
    role: str | None = None
    description: str | None = None
    finished: bool = False
    stopped: bool = False
    cwd: str | None = None
    gone: bool = False


def stored_agents(transcript: Path) -> list[StoredAgent]:
    """The subagents of a session in the order in which their transcripts were made."""
    found: list[tuple[int, StoredAgent]] = []
    try:
        with os.scandir(agents_folder(transcript)) as files:
            for file in files:
                name = file.name
                if name.startswith(_PREFIX) and name.endswith(_SUFFIX) and file.is_file():
                    agent = name[len(_PREFIX) : -len(_SUFFIX)]
                    found.append((file.stat().st_mtime_ns, _stored(agent, Path(file.path))))
    except OSError:
        return []
    found.sort(key=lambda one: (one[0], one[1].id))
    return [agent for _, agent in found]


def is_showable(agent: StoredAgent) -> bool:
    """Whether an agent that nobody is known to have launched was launched by a model."""
    return _PLAIN_ID.fullmatch(agent.id) is not None


def by_launch(agents: list[StoredAgent]) -> dict[str, StoredAgent]:
    """The agent of each launch; of several the one written last."""
    return {agent.launch: agent for agent in agents if agent.launch is not None}


def _stored(agent: str, path: Path) -> StoredAgent:
    sidecar = _sidecar(path.with_name(f"{_PREFIX}{agent}{_SIDECAR}"))
    cwd = _placed(sidecar, path)
    return StoredAgent(
        agent,
        path,
        launch=text(sidecar.get("toolUseId")),
        parent=text(sidecar.get("parentAgentId")),
        name=text(sidecar.get("name")),
        role=text(sidecar.get("agentType")),
        description=text(sidecar.get("description")),
        finished=sidecar.get("finished") is True,
        stopped=sidecar.get("stoppedByUser") is True,
        cwd=cwd,
        gone=cwd is not None and not Path(cwd).is_dir(),
    )


def _sidecar(path: Path) -> Json:
    try:
        with open_ordinary(path) as file:
            return parse(file.read(_LARGEST_SIDECAR)) or {}
    except OSError:
        return {}


def _placed(sidecar: Json, transcript: Path) -> str | None:
    """Where the agent worked, if the sidecar says that it was placed somewhere of its own."""
    named = (text(sidecar.get(key)) for key in ("cwd", "worktreePath", "inheritedWorktreePath"))
    placed = next((path for path in named if path and Path(path).is_absolute()), None)
    if placed is None:
        return None
    return os.path.realpath(_first_cwd(transcript) or placed)


def _first_cwd(transcript: Path) -> str | None:
    try:
        with open_ordinary(transcript) as file:
            for _, _, raw in lines(file):
                record = parse(raw) if raw else None
                cwd = text(record.get("cwd")) if record else None
                if cwd and Path(cwd).is_absolute():
                    return cwd
    except OSError:
        return None
    return None


# --- who launched whom ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Launched:
    """A stored agent, and the call that launched it.

    ``parent`` is the launch of the agent that made the call, None for the main conversation.
    """

    agent: StoredAgent
    tool: str
    input: Json
    parent: str | None


def lineages(transcript: Path) -> list[Launched]:
    """The stored agents whose line of launches is known up to the main conversation.

    An agent without a sidecar, or whose launch or whose maker is not found, is left out, and so is
    one in a circle.
    """
    agents = by_launch(stored_agents(transcript))
    if not agents:
        return []
    found: dict[str, Launched] = {}
    for maker in (None, *agents.values()):
        path = transcript if maker is None else maker.path
        for launch, call in _calls_in(path, agents, maker).items():
            found.setdefault(
                launch,
                Launched(
                    agents[launch],
                    text(call.get("name")) or "Agent",
                    section(call.get("input")),
                    None if maker is None else maker.launch,
                ),
            )
    return [one for one in found.values() if _reaches_root(one, found)]


def _reaches_root(launched: Launched, found: Mapping[str, Launched]) -> bool:
    seen: set[str] = set()
    parent = launched.parent
    while parent is not None and parent not in seen:
        seen.add(parent)
        above = found.get(parent)
        if above is None:
            return False
        parent = above.parent
    return parent is None


def _calls_in(
    path: Path, agents: Mapping[str, StoredAgent], maker: StoredAgent | None
) -> dict[str, Json]:
    """The launches of ``agents`` that ``maker`` made (None: the main conversation).

    A fork begins with a copy of its parent's words, which do not count.
    """
    found: dict[str, Json] = {}
    try:
        with open_ordinary(path) as file:
            for _, _, raw in lines(file):
                if raw is None or (b'"tool_use"' not in raw and FORK_MARK not in raw):
                    continue
                record = parse(raw)
                if record is None or not _is_of(record, maker):
                    continue
                if maker is not None and is_fork_start(record):
                    found.clear()
                for block in blocks_of(record):
                    id_ = block.get("id")
                    if block.get("name") in AGENT_TOOLS and isinstance(id_, str) and id_ in agents:
                        found[id_] = block
    except OSError:
        return {}
    return found


def _is_of(record: Json, maker: StoredAgent | None) -> bool:
    if maker is None:
        return record.get("isSidechain") is not True
    return text(record.get("agentId")) in (maker.id, None)
