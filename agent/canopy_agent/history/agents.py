"""The subagents of a stored session: what their sidecars say, and who launched whom.

Blocking; call it in a thread. A transcript without a sidecar that names its launch is kept, but
unattached. Layout of Claude Code 2.1: ``subagents/agent-<id>.jsonl`` and ``.meta.json``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from canopy_agent.history.store import agents_folder
from canopy_agent.history.texts import blocks_of, is_fork_start
from canopy_agent.history.transcript import Json, lines, parse, section, text

AGENT_TOOLS = frozenset({"Agent", "Task"})

_PREFIX, _SUFFIX, _SIDECAR = "agent-", ".jsonl", ".meta.json"
_PLAIN_ID = re.compile(r"a?[0-9a-f]{7,}")
"""Ids of agents that a model launched; the harness's own helpers spell out what they are for."""

_LARGEST_SIDECAR = 1 << 20


@dataclass(frozen=True, slots=True)
class StoredAgent:
    """One subagent on disk.

    ``launch`` is the tool call that created it, None when it is not known. ``cwd`` is its directory
    with links resolved, when it was placed elsewhere than its parent. ``finished`` and ``stopped``
    tell how its last run ended, if it did.
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
        cwd=_placed(sidecar, path),
    )


def _sidecar(path: Path) -> Json:
    try:
        with path.open("rb") as file:
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
        with transcript.open("rb") as file:
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
class Ancestor:
    """One step of an agent's lineage: the agent, and the call that launched it.

    ``parent`` is the launch of the agent that made the call, None for the main conversation.
    """

    agent: StoredAgent
    tool: str
    input: Json
    parent: str | None


def lineage(transcript: Path, agent_id: str) -> tuple[Ancestor, ...] | None:
    """The agent and everybody above it, the topmost first.

    None when the agent is not stored, its launch cannot be found, or the steps run in a circle.
    """
    agents = stored_agents(transcript)
    known = {agent.id: agent for agent in agents}
    steps: list[Ancestor] = []
    here = known.get(agent_id)
    seen: set[str] = set()
    while here is not None:
        if here.id in seen or here.launch is None:
            return None
        seen.add(here.id)
        found = _launch_of(here, transcript, known)
        if found is None:
            return None
        call, maker = found
        steps.append(
            Ancestor(
                here,
                text(call.get("name")) or "Agent",
                section(call.get("input")),
                None if maker is None else maker.launch,
            )
        )
        here = maker
        if maker is None:
            return tuple(reversed(steps))
    return None


def _launch_of(
    agent: StoredAgent, transcript: Path, known: Mapping[str, StoredAgent]
) -> tuple[Json, StoredAgent | None] | None:
    """The call that launched ``agent``, and the agent that made it (None: nobody above)."""
    hinted = known.get(agent.parent or "")
    makers: list[StoredAgent | None] = [hinted] if hinted is not None else [None]
    makers += [one for one in (None, *known.values()) if one not in makers]
    for maker in makers:
        path = transcript if maker is None else maker.path
        call = _find_call(path, agent.launch or "", maker)
        if call is not None:
            return call, maker
    return None


def _find_call(path: Path, launch: str, maker: StoredAgent | None) -> Json | None:
    """The call ``launch`` as ``maker`` made it; copies of its parent's words in a fork do not
    count.
    """
    needle, found = launch.encode(), None
    try:
        with path.open("rb") as file:
            for _, _, raw in lines(file):
                if raw is None or (needle not in raw and b"<fork-boilerplate>" not in raw):
                    continue
                record = parse(raw)
                if record is None or not _is_of(record, maker):
                    continue
                if maker is not None and is_fork_start(record):
                    found = None
                    continue
                found = next(_calls(record, launch), found)
    except OSError:
        return None
    return found


def _is_of(record: Json, maker: StoredAgent | None) -> bool:
    if maker is None:
        return record.get("isSidechain") is not True
    return text(record.get("agentId")) in (maker.id, None)


def _calls(record: Json, launch: str) -> Iterator[Json]:
    for block in blocks_of(record):
        is_call = block.get("type") == "tool_use" and block.get("id") == launch
        if is_call and block.get("name") in AGENT_TOOLS:
            yield block
