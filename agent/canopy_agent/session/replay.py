"""A stored session shown again, with everything its subagents did, where they were launched.

It reads transcripts in a thread, piece by piece; when a session is replayed, and what answers the
request, is not known here.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from canopy_agent.domain.facts import Noted
from canopy_agent.domain.state import Form, Policy
from canopy_agent.history.agents import StoredAgent, by_launch, is_showable, stored_agents
from canopy_agent.history.reader import StoredConversation, open_agent, open_conversation
from canopy_agent.session.narrator import Narrator, Stage
from canopy_agent.session.replay_children import ReplayedChildren
from canopy_agent.session.replay_forms import AirReplay, RfdReplay
from canopy_shared.ext import air
from canopy_shared.updates import SessionInfoUpdate

if TYPE_CHECKING:
    from canopy_agent.capabilities import ClientProfile
    from canopy_agent.render.renderer import Renderer

log = logging.getLogger(__name__)

HELPING = 16
"""Records that are told at once: a few milliseconds."""


@dataclass(slots=True)
class Cast:
    """The stored subagents of a session, and what was seen of them so far.

    ``empty`` counts those of which nothing is stored, ``skipped`` the lines that cannot be read.
    """

    agents: list[StoredAgent]
    by_launch: Mapping[str, StoredAgent]
    launches: set[str]
    skipped: int
    played: set[str] = field(default_factory=set)
    empty: int = 0


class Replay:
    """One replay of one session."""

    def __init__(
        self,
        session_id: str,
        transcript: Path,
        policy: Policy,
        profile: ClientProfile,
        renderer: Renderer,
        stage: Stage,
    ) -> None:
        self._root = session_id
        self._transcript = transcript
        self._policy = policy
        self._profile = profile
        self._renderer = renderer
        self._stage = stage
        self._form: ReplayedChildren | None = None
        self._narrator: Narrator | None = None

    async def run(self) -> None:
        """Show everything, from the first message to the end of the last subagent.

        Raises ``OSError`` when the transcript cannot be read. Cancelling stops it where it is.
        """
        stored, agents = await asyncio.to_thread(self._open)
        cast = Cast(agents, by_launch(agents), set(stored.seen.launches), stored.skipped)
        self._form = self._form_for(stored, cast)
        narrator = self._narrator = Narrator(
            self._root,
            self._policy,
            self._renderer,
            self._stage,
            self._form,
            compactions=self._profile.compaction,
        )
        await self._play(narrator, cast, stored, None)
        await self._play_unattached(narrator, cast)
        narrator.close_calls()
        if self._form is not None:
            narrator.run(self._form.ends(stored.seen.notifications))
        self._tell_losses(narrator, cast)
        if self._profile.air_has(air.LOAD_REPLAY_END):
            self._stage.show(SessionInfoUpdate(meta=air.wrap(loadReplayEnd=True)), self._root)

    def _open(self) -> tuple[StoredConversation, list[StoredAgent]]:
        return open_conversation(self._transcript), stored_agents(self._transcript)

    def _form_for(self, stored: StoredConversation, cast: Cast) -> ReplayedChildren | None:
        if self._policy.form is Form.AIR:
            return AirReplay(self._root, cast.by_launch, self._stage.live)
        if self._policy.form is Form.RFD:
            form = RfdReplay(self._root, cast.by_launch, self._stage.live, self._policy.cwd)
            form.sent(stored.seen.messages)
            return form
        return None

    async def _play(
        self, narrator: Narrator, cast: Cast, stored: StoredConversation, parent: str | None
    ) -> None:
        batches = stored.batches()
        while batch := await asyncio.to_thread(next, batches, None):
            for number, (entry, record) in enumerate(batch):
                if number % HELPING == 0:
                    await asyncio.sleep(0)  # a client in this process has keys to answer
                    await self._stage.relieve()
                self._stage.telling(record, parent)
                for launch in narrator.tell(entry, record, parent):
                    agent = cast.by_launch.get(launch)
                    if agent is not None:
                        await self._play_agent(narrator, cast, agent, launch)

    async def _play_agent(
        self, narrator: Narrator, cast: Cast, agent: StoredAgent, call: str
    ) -> None:
        """Show what a subagent did; the form has announced it."""
        if agent.id in cast.played:
            return
        cast.played.add(agent.id)
        try:
            stored = await asyncio.to_thread(open_agent, agent.path)
        except OSError as error:
            log.warning("the transcript of subagent %s cannot be read: %s", agent.id, error)
            cast.empty += 1
            return
        cast.skipped += stored.skipped
        cast.launches |= stored.seen.launches
        if not any(entry.is_spoken for entry in stored.chain):
            cast.empty += 1
        if isinstance(self._form, RfdReplay):
            self._form.sent(stored.seen.messages)
        await self._play(narrator, cast, stored, call)

    async def _play_unattached(self, narrator: Narrator, cast: Cast) -> None:
        """Subagents whose launch is in no transcript: shown apart, where children are sessions."""
        if self._form is None:
            return
        known = {agent.id for agent in cast.agents}
        for agent in cast.agents:
            launched = agent.launch in cast.launches or agent.parent in known
            if agent.id in cast.played or launched or not is_showable(agent):
                continue
            narrator.run(self._form.unattached(agent))
            await self._play_agent(narrator, cast, agent, agent.launch or agent.id)

    def _tell_losses(self, narrator: Narrator, cast: Cast) -> None:
        lost = cast.skipped + narrator.failed
        if lost:
            log.warning("session %s: %d lines of its files cannot be read", self._root, lost)
            lines = "1 line" if lost == 1 else f"{lost} lines"
            told = f"{lines} of its files could not be read."
            narrator.place(Noted("warning", "Part of this session is missing", told))
        missing = cast.empty + (self._form.omitted if self._form is not None else 0)
        if missing and self._policy.form is Form.RFD and self._profile.notices:
            agents = "1 subagent" if missing == 1 else f"{missing} subagents"
            told = f"{agents} of this session could not be restored."
            narrator.place(Noted("info", "Subagents are missing", told))

    def session_of(self, call: str | None) -> str:
        """The session in which the agent that ``call`` launched was shown."""
        return self._root if self._form is None else self._form.session_of_call(call)

    def afterwards(self) -> None:
        """What follows the response: how subagents stand now, on which model as it is listed."""
        if self._narrator is None:
            return
        if self._form is not None:
            self._narrator.run(self._form.afterwards())
        self._narrator.reword_options()
