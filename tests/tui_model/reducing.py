"""A state with short names for what happens to it, for tests of the pure model."""

from __future__ import annotations

import itertools
from typing import Any

from canopy_shared.codec import decode_update
from canopy_shared.permission import parse_permission_request
from canopy_tui.model import events as e
from canopy_tui.model.entries import AnyEntry, MessageEntry, Role, RuleEntry, ToolEntry
from canopy_tui.model.reduce import reduce
from canopy_tui.model.state import ClientState, PendingRequest, SessionView, Touched
from fakes import agent as wire


class Story:
    """Events in order, one second apart; ``root`` is open and idle at the start."""

    def __init__(self, root: str = "S") -> None:
        self.state = ClientState()
        self.now = 1000.0
        self.keys = itertools.count(1)
        self.touched = Touched()
        self.happens(e.LinkChanged(status="ready", at=self.now))
        self.happens(e.SessionOpened(session=root, at=self.now, cwd="/project"))

    def happens(self, event: e.Event) -> Touched:
        self.now += 1
        self.touched = reduce(self.state, event)
        return self.touched

    def update(self, session: str, update: Any) -> Touched:
        """An update as a wire dict or object."""
        decoded = decode_update(update) if isinstance(update, dict) else update
        return self.happens(e.UpdateArrived(session, decoded, self.now))

    def says(self, text: str, message: str | None = "m1", session: str = "S") -> Touched:
        return self.update(session, wire.said(text, message))

    def prompt(self, text: str = "go", session: str = "S") -> None:
        self.happens(e.PromptSent(session=session, text=text, at=self.now))

    def turn_ends(self, stop: str = "end_turn", session: str = "S", error: str = "") -> None:
        self.happens(e.TurnEnded(session=session, stop_reason=stop, error=error, at=self.now))

    def asks(self, session: str, call: str, command: str = "rm -r build") -> PendingRequest:
        request = parse_permission_request(wire.permission(session, call, command))
        assert request is not None
        pending = PendingRequest(
            key=next(self.keys),
            session=session,
            kind="permission",
            payload=request,
            summary=request.title,
            at=self.now,
            tool_call_id=call,
        )
        self.happens(e.RequestArrived(pending, request.tool_call))
        return pending

    def view(self, session: str = "S") -> SessionView:
        return self.state.sessions[session]

    def entries(self, session: str = "S") -> list[AnyEntry]:
        return self.view(session).entries

    def tool(self, call: str, session: str = "S") -> ToolEntry:
        entry = self.entries(session)[self.view(session).tools[call]]
        assert isinstance(entry, ToolEntry)
        return entry

    def messages(self, session: str = "S", role: Role = Role.AGENT) -> list[str]:
        return [
            entry.text
            for entry in self.entries(session)
            if isinstance(entry, MessageEntry) and entry.role is role
        ]

    def rules(self, session: str = "S") -> list[tuple[str, str, int]]:
        return [
            (entry.kind, entry.text, entry.running)
            for entry in self.entries(session)
            if isinstance(entry, RuleEntry)
        ]


def kinds(entries: list[AnyEntry]) -> list[str]:
    """What a transcript consists of, in short words."""
    return [type(entry).__name__.removesuffix("Entry").lower() for entry in entries]
