"""What the agent says of itself in answer to ``initialize``, as lines of a table.

In which words a version of the protocol says it is the wire's; nothing heavy may be imported from
here.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from canopy_agent.capabilities import ClientProfile
from canopy_shared.ext import air, canopy, canopy_controls, canopy_reasons, session_index

NAME: Final = "acp-canopy"
TITLE: Final = "Canopy"

Condition = Callable[[ClientProfile], bool]


def always(profile: ClientProfile) -> bool:
    return True


def to_air(profile: ClientProfile) -> bool:
    return profile.air


def _to_older_air(profile: ClientProfile) -> bool:
    return profile.air and not profile.reports_work


def _to_index_client(profile: ClientProfile) -> bool:
    return profile.keeps_index


@dataclass(frozen=True, slots=True)
class Offer:
    """One thing we offer: where it stands in the response, its value, and to which clients."""

    path: tuple[str, ...]
    value: Any
    to: Condition = always


def _to_own(profile: ClientProfile) -> bool:
    return profile.own


OWN_OFFERS: Final = (
    Offer(("_meta", canopy.NAMESPACE, "version"), canopy.VERSION, _to_own),
    Offer(("_meta", canopy.NAMESPACE, canopy_controls.CONTROLS), True, _to_own),
    Offer(("_meta", canopy.NAMESPACE, canopy_reasons.REASONS), True, _to_own),
)
"""What we offer to our own client alone."""

AIR_OFFERS: Final[tuple[tuple[str, Condition], ...]] = (
    (air.SESSION_FAILURE, to_air),
    (air.AGENT_FILE_CHANGE_REPORT, to_air),
    (air.NATIVE_SUBAGENT_SESSIONS, to_air),
    (air.ASYNC_TASKS, _to_older_air),
    (air.CUSTOM_INSTRUCTIONS, to_air),
    (air.RECOMMENDED_VALUE, to_air),
    (air.DIFF_PATCH, to_air),
    (air.PLAN_FILE, to_air),
    (air.BACKGROUND_SUBAGENTS, _to_older_air),
    (air.SESSION_INDEX, _to_index_client),
    (session_index.BATCH_GET, _to_index_client),
    (session_index.ARCHIVE, _to_index_client),
    (session_index.RENAME, _to_index_client),
    (session_index.SUBSCRIBE, _to_index_client),
    (session_index.WORKTREES, _to_index_client),
)
"""The AIR capabilities in their order, and to which clients each is announced."""


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


def air_names(profile: ClientProfile) -> list[str]:
    """The AIR capabilities that are announced to this client."""
    return [name for name, to in AIR_OFFERS if to(profile)]
