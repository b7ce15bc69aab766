"""What the agent says of itself in answer to ``initialize``: one table of what it can do.

Shapes follow https://agentclientprotocol.com/protocol/initialization and
``@agentclientprotocol/claude-agent-acp`` 0.101.0; nothing heavy may be imported from here.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from canopy_agent.auth.methods import Relaunch, auth_methods
from canopy_agent.capabilities import ClientProfile
from canopy_agent.settings import AdapterSettings
from canopy_shared.ext import air, claude, goal, session_index
from canopy_shared.version import __version__

NAME: Final = "acp-canopy"
TITLE: Final = "Canopy"
VERSION: Final = 1

Condition = Callable[[ClientProfile], bool]


def _always(profile: ClientProfile) -> bool:
    return True


def _to_air(profile: ClientProfile) -> bool:
    return profile.air


def _to_air_v1(profile: ClientProfile) -> bool:
    return profile.air and not profile.reports_work


def _to_index_client(profile: ClientProfile) -> bool:
    return profile.keeps_index


@dataclass(frozen=True, slots=True)
class Offer:
    """One thing we offer: where it stands in the response, its value, and to which clients."""

    path: tuple[str, ...]
    value: Any
    to: Condition = _always


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
    Offer((_CAPABILITIES, _SESSIONS, "subagents"), {}, _to_air),
    Offer((_CAPABILITIES, _SESSIONS, "systemPrompt", "mode", "override"), {}),
    Offer(("_meta", "steering", "supported"), True),
)
"""What a response of protocol version 1 holds, in its order; a line taken out is no longer
offered.
"""

AIR_OFFERS: Final[tuple[tuple[str, Condition], ...]] = (
    (air.SESSION_FAILURE, _to_air),
    (air.AGENT_FILE_CHANGE_REPORT, _to_air_v1),
    (air.NATIVE_SUBAGENT_SESSIONS, _to_air),
    (air.ASYNC_TASKS, _to_air_v1),
    (air.CUSTOM_INSTRUCTIONS, _to_air),
    (air.RECOMMENDED_VALUE, _to_air),
    (air.DIFF_PATCH, _to_air),
    (air.PLAN_FILE, _to_air),
    (air.BACKGROUND_SUBAGENTS, _to_air_v1),
    (air.SESSION_INDEX, _to_index_client),
    (session_index.BATCH_GET, _to_index_client),
    (session_index.ARCHIVE, _to_index_client),
    (session_index.RENAME, _to_index_client),
    (session_index.SUBSCRIBE, _to_index_client),
    (session_index.WORKTREES, _to_index_client),
)
"""The AIR capabilities in their order, and to which clients each is announced."""


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
    response["_meta"] = {**meta, **(_air_meta(profile) if profile.air else {})}
    return response


def put(target: dict[str, Any], offers: tuple[Offer, ...], profile: ClientProfile) -> None:
    """Write every offer that is one to this client where it belongs."""
    for offer in offers:
        if not offer.to(profile):
            continue
        *parents, last = offer.path
        place = target
        for name in parents:
            place = place.setdefault(name, {})
        place[last] = copy.deepcopy(offer.value)


def _air_meta(profile: ClientProfile) -> dict[str, Any]:
    names = [name for name, to in AIR_OFFERS if to(profile)]
    return air.wrap(capabilities=names, **goal.advertisement())
