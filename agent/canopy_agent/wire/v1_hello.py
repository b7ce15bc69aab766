"""``initialize`` of version 1: what the agent says of itself.

Shapes follow https://agentclientprotocol.com/protocol/initialization and
``@agentclientprotocol/claude-agent-acp`` 0.101.0; nothing heavy may be imported from here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from canopy_agent.advertise import NAME, OWN_OFFERS, TITLE, Offer, air_names, put, to_air
from canopy_agent.auth.methods import Relaunch, auth_methods
from canopy_shared.ext import air, claude, goal
from canopy_shared.version import __version__

if TYPE_CHECKING:
    from canopy_agent.capabilities import ClientProfile
    from canopy_agent.settings import AdapterSettings

VERSION: Final = 1

_CAPABILITIES: Final = "agentCapabilities"
_SESSIONS: Final = "sessionCapabilities"

OFFERS: Final = (
    Offer((_CAPABILITIES, "_meta", claude.NAMESPACE, "promptQueueing"), True),
    Offer((_CAPABILITIES, "_meta", "authStatus"), {}),
    Offer((_CAPABILITIES, "promptCapabilities", "image"), True),
    Offer((_CAPABILITIES, "promptCapabilities", "embeddedContext"), True),
    Offer((_CAPABILITIES, "mcpCapabilities", "http"), True),
    Offer((_CAPABILITIES, "mcpCapabilities", "sse"), True),
    Offer((_CAPABILITIES, "auth", "logout"), {}),
    Offer((_CAPABILITIES, "providers"), {}),
    Offer((_CAPABILITIES, "loadSession"), True),
    Offer((_CAPABILITIES, _SESSIONS, "additionalDirectories"), {}),
    Offer((_CAPABILITIES, _SESSIONS, "close"), {}),
    Offer((_CAPABILITIES, _SESSIONS, "delete"), {}),
    Offer((_CAPABILITIES, _SESSIONS, "fork"), {}),
    Offer((_CAPABILITIES, _SESSIONS, "list"), {}),
    Offer((_CAPABILITIES, _SESSIONS, "resume"), {}),
    Offer((_CAPABILITIES, _SESSIONS, "subagents"), {}, to_air),
    Offer((_CAPABILITIES, _SESSIONS, "systemPrompt", "mode", "override"), {}),
    Offer(("_meta", "steering", "supported"), True),
    *OWN_OFFERS,
)
"""What a response of protocol version 1 holds, in its order; a line taken out is no longer
offered.
"""


def initialize_response(
    profile: ClientProfile,
    settings: AdapterSettings,
    relaunch: Relaunch,
    *,
    hide_subscription: bool = False,
) -> dict[str, Any]:
    """The whole result of ``initialize`` for a client of protocol version 1."""
    response: dict[str, Any] = {"protocolVersion": VERSION}
    put(response, OFFERS, profile)
    meta = response.pop("_meta", {})
    response["agentInfo"] = {"name": NAME, "title": TITLE, "version": __version__}
    response["authMethods"] = auth_methods(
        profile, settings, relaunch, hide_subscription=hide_subscription
    )
    offered = {"capabilities": air_names(profile), **goal.advertisement()}
    response["_meta"] = {**meta, **(air.wrap(**offered) if profile.air else {})}
    return response
