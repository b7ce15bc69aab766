"""The agent of version 2 without processes: raw frames of the CLI in, frames for the client out.

The decoder, the core, the renderer and the encoder are the real ones. It must not know what is
tested.
"""

from __future__ import annotations

from typing import Any

from air.playing import Play
from canopy_agent.domain import effects as fx
from canopy_agent.wire.v2_updates import Updates
from canopy_shared.codec import encode
from canopy_shared.replayed import ReplayedUpdate
from canopy_shared.updates import SessionUpdate, Update
from v2.schema import complaint

Json = dict[str, Any]


class V2Play(Play):
    """One session of one client of version 2."""

    def __init__(self, capabilities: Json | None = None, meta: Json | None = None) -> None:
        super().__init__(capabilities or {}, 2, meta or {})
        self.encoder = Updates()

    def _carry_out(self, effect: fx.Effect) -> None:
        match effect:
            case fx.Show(session, fact, parent):
                for update in self.renderer.render(fact, parent):
                    self.told(session, update)
            case fx.Take(prompt):
                self.sent.append(("S", {"sessionUpdate": "taken", "prompt": prompt}))
            case _:
                super()._carry_out(effect)

    def told(self, session: str, update: Update, *, replayed: bool = False) -> None:
        """Let the client have an update."""
        kind = ReplayedUpdate if replayed else SessionUpdate
        for params in self.encoder.told(kind(session, update)):
            frame = encode(params)
            for by_subset in (False, True):
                assert complaint("UpdateSessionNotification", frame, by_subset=by_subset) is None
            self.sent.append((frame["sessionId"], frame["update"]))

    def states(self, session: str = "S") -> list[str]:
        """The states of a session, with why it stopped: ``idle end_turn``."""
        told = self.updates("state_update", session=session)
        return [" ".join([one["state"], *filter(None, [one.get("stopReason")])]) for one in told]

    def background(self, session: str = "S") -> list[Json]:
        """The list that a session was told last."""
        told: list[Json] = self.updates("state_update", session=session)[-1]["background"]
        return told

    def statuses(self, call: str) -> list[str]:
        """The statuses of a call, in order."""
        updates = self.updates("tool_call_update")
        mine = [u for u in updates if u["toolCallId"] == call and u.get("status")]
        return [one["status"] for one in mine]
