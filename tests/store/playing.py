"""A replay without a server: what it would send, session by session.

It must not know what is tested.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from canopy_agent.capabilities import client_profile
from canopy_agent.render.renderer import Renderer
from canopy_agent.session.caller_options import CallerOptions
from canopy_agent.session.live_children import LiveChild
from canopy_agent.session.narrator import Stage
from canopy_agent.session.opener import policy_of
from canopy_agent.session.replay import Replay
from canopy_shared.codec import encode
from canopy_shared.ext import air
from canopy_shared.ext.claude import SUBAGENT_TRANSCRIPT
from oracle import complaints
from store.writing import Transcript

FLAT: dict[str, Any] = {}
WHOLE = {"_meta": {SUBAGENT_TRANSCRIPT: True}}
RFD = {"subagents": {}, "session": {"notices": {}}}
AIR = {"_meta": air.client_meta(air.NATIVE_SUBAGENT_SESSIONS, air.LOAD_REPLAY_END)}

Json = dict[str, Any]


@dataclass
class Played:
    """What a replay sent: ``(session, update)`` before the response and after it."""

    root: str
    before: list[tuple[str, Json]] = field(default_factory=list)
    after: list[tuple[str, Json]] = field(default_factory=list)

    def of(self, session: str | None = None, kind: str | None = None) -> list[Json]:
        """Updates of a session (the root by default) before the response."""
        wanted = session or self.root
        return [
            update
            for where, update in self.before
            if where == wanted and kind in (None, update["sessionUpdate"])
        ]

    def said(self, session: str | None = None) -> list[str]:
        """Who said what, in order, and which calls were made (+) and ended (-)."""
        told = []
        for update in self.of(session):
            match update["sessionUpdate"]:
                case "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk" as kind:
                    told.append(f"{kind.split('_')[1][0]}:{update['content'].get('text')}")
                case "tool_call":
                    told.append(f"+{update['toolCallId']}")
                case "tool_call_update" if update.get("status") in ("completed", "failed"):
                    told.append(f"-{update['toolCallId']}:{update['status']}")
                case "subagent_spawned":
                    told.append(f"spawned:{update['name']}")
                case "subagent_state_update":
                    told.append(f"ended:{update['state']}")
                case "subagent_update":
                    told.append(f"child:{update['sessionId']}:{update.get('state')}")
                case "session_message":
                    words = "".join(block["text"] for block in update["content"])
                    told.append(
                        f"{update['senderSessionId']}>{update['recipientSessionId']}:{words}"
                    )
                case "config_option_update":
                    pass
                case kind:
                    told.append(kind)
        return told


async def played(
    transcript: Transcript,
    capabilities: Mapping[str, Any],
    *,
    cwd: str = "/home/somebody/project",
    live: Mapping[str, LiveChild] | None = None,
    open_calls: tuple[str, ...] = (),
) -> Played:
    """Replay a transcript for a client with ``capabilities``; every update must fit the schema."""
    profile = client_profile(capabilities)
    result = Played(transcript.id)
    sink = result.before

    def show(update: Any, session: str) -> None:
        sink.append((session, encode(update)))

    async def relieve() -> None:
        return

    replay = Replay(
        transcript.id,
        transcript.path,
        policy_of(profile, CallerOptions(), cwd),
        profile,
        Renderer(profile, cwd),
        Stage(show, relieve, (live or {}).get, lambda call: call in open_calls),
    )
    await replay.run()
    sink = result.after
    replay.afterwards()
    frames = [
        {"method": "session/update", "params": {"sessionId": session, "update": update}}
        for session, update in result.before + result.after
    ]
    assert complaints(frames) == []
    return result
