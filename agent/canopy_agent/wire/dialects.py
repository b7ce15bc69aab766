"""The versions of ACP that the agent speaks, and which one a connection is held in.

The only place that goes from a number to a way of speaking; nothing heavy may be imported from
here before ``initialize`` is answered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from canopy_agent.capabilities import client_profile
from canopy_agent.wire import v1_hello
from canopy_shared.errors import unsupported_version
from canopy_shared.params import Params
from canopy_shared.requests import InitializeParams

if TYPE_CHECKING:
    from canopy_agent.auth.methods import Relaunch
    from canopy_agent.capabilities import ClientProfile
    from canopy_agent.settings import AdapterSettings
    from canopy_shared.outbound import Outbound
    from canopy_shared.peer import IncomingRequest, Peer

_NEWEST: Final = 65_535
_FIELDS_OF_V1: Final = frozenset({"clientCapabilities", "clientInfo"})
_FIELDS_OF_V2: Final = frozenset({"capabilities", "info"})


@dataclass(frozen=True, slots=True)
class Wire:
    """One connection in one version: the way out, and how a request is read on the way in."""

    outbound: Outbound
    translated: Callable[[IncomingRequest], IncomingRequest]


@dataclass(frozen=True, slots=True)
class Dialect:
    """One version of the protocol."""

    version: int
    read_hello: Callable[[object], InitializeParams]
    hello: Callable[..., dict[str, Any]]
    profile_of: Callable[[Mapping[str, Any]], ClientProfile]
    connect: Callable[[Peer, ClientProfile], Wire]


def _as_it_came(request: IncomingRequest) -> IncomingRequest:
    return request


def _connect_v1(peer: Peer, profile: ClientProfile) -> Wire:
    return Wire(peer, _as_it_came)


def _connect_v2(peer: Peer, profile: ClientProfile) -> Wire:
    from canopy_agent.wire.v2_outbound import V2Outbound
    from canopy_agent.wire.v2_requests import Requests

    outbound = V2Outbound(peer, air=profile.air)
    return Wire(outbound, Requests(outbound).translated)


def _v2() -> Dialect:
    """Version 2, imported by who asks for it."""
    from canopy_agent.wire import v2_hello

    return Dialect(V2, v2_hello.read_hello, v2_hello.hello, v2_hello.profile_of, _connect_v2)


V1: Final = Dialect(
    v1_hello.VERSION,
    InitializeParams.parse,
    v1_hello.initialize_response,
    client_profile,
    _connect_v1,
)
V2: Final = 2
NAMES: Final = {V1.version: "v1", V2: "v2"}
"""The versions by their numbers, as the environment names them."""


def negotiated(params: object, settings: AdapterSettings) -> Dialect:
    """The version to speak with who sends this ``initialize``. Raises unsupported version when
    there is none in common, and invalid params.

    Version 1 is spoken with every client unless the environment rules it out, also with one that
    knows a number above it but greets as version 1 has it.
    """
    values = Params(params)
    requested = values.whole_number("protocolVersion", _NEWEST)
    served = [number for number, name in NAMES.items() if name in settings.protocols]
    if V1.version in served and (requested < V2 or _greets_as_v1(values)):
        return V1
    if requested >= V2 and V2 in served:
        return _v2()
    if V1.version in served:
        return V1
    raise unsupported_version(requested, served)


def _greets_as_v1(values: Params) -> bool:
    """Whether a hello has fields of version 1 and none of those that version 2 put in their
    place.
    """
    said = {field for field in values.fields() if values.raw(field) is not None}
    return bool(said & _FIELDS_OF_V1) and not said & _FIELDS_OF_V2


def hello(
    dialect: Dialect,
    params: InitializeParams,
    settings: AdapterSettings,
    relaunch: Relaunch,
    *,
    hide_subscription: bool,
) -> tuple[ClientProfile, dict[str, Any]]:
    """The client's profile, and the result of its ``initialize``."""
    profile = dialect.profile_of(params.client_capabilities)
    told = dialect.hello(profile, settings, relaunch, hide_subscription=hide_subscription)
    return profile, told
