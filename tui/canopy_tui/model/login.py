"""Ways to log in that an agent offers, and what is known of a login that it asks for.

Plain facts; how a login is carried out is not known here.
"""

from __future__ import annotations

from dataclasses import dataclass

AGENT, TERMINAL = "agent", "terminal"
"""Kinds of a method: the agent logs in by itself, or a command does it in the terminal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoginMethod:
    """One of ``authMethods`` (https://agentclientprotocol.com/protocol/authentication).

    ``command`` is the whole command of a terminal login when the agent says it; else
    ``arguments`` go behind the command by which the agent was started.
    """

    id: str
    name: str
    description: str = ""
    kind: str = AGENT
    command: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()

    def command_line(self, agent_command: tuple[str, ...]) -> tuple[str, ...]:
        """What to run in the terminal; empty when that is not known."""
        if self.kind != TERMINAL:
            return ()
        return self.command or ((*agent_command, *self.arguments) if agent_command else ())


@dataclass(frozen=True, slots=True)
class LoginNeed:
    """The agent wants a login before it goes on. ``tried`` is why the last try did not help."""

    message: str
    tried: str = ""
    busy: bool = False
