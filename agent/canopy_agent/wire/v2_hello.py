"""``initialize`` of ACP v2: what the client says, and what the agent says of itself.

Shapes follow the v2 draft (``@agentclientprotocol/sdk`` 2.4, ``schema/v2``) and
``@agentclientprotocol/claude-agent-acp`` 0.101.0; nothing heavy may be imported from here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from canopy_agent.advertise import NAME, OWN_OFFERS, TITLE, Offer, air_names, put
from canopy_agent.auth.methods import Relaunch, auth_methods
from canopy_agent.capabilities import ChildForm, client_profile
from canopy_shared.ext import air, claude
from canopy_shared.params import Params, as_objects
from canopy_shared.requests import InitializeParams
from canopy_shared.version import __version__

if TYPE_CHECKING:
    from canopy_agent.capabilities import ClientProfile
    from canopy_agent.settings import AdapterSettings

VERSION: Final = 2

_CAPABILITIES: Final = "capabilities"
_SESSION: Final = (_CAPABILITIES, "session")

OFFERS: Final = (
    Offer((*_SESSION, "prompt", "image"), {}),
    Offer((*_SESSION, "prompt", "embeddedContext"), {}),
    Offer((*_SESSION, "mcp", "stdio"), {}),
    Offer((*_SESSION, "mcp", "http"), {}),
    Offer((*_SESSION, "delete"), {}),
    Offer((*_SESSION, "fork"), {}),
    Offer((*_SESSION, "additionalDirectories"), {}),
    Offer((*_SESSION, "systemPrompt", "mode", "override"), {}),
    Offer((_CAPABILITIES, "providers"), {}),
    Offer((_CAPABILITIES, "_meta", claude.NAMESPACE, "promptQueueing"), True),
    Offer((_CAPABILITIES, "_meta", "authStatus"), {}),
    *OWN_OFFERS,
)
"""What a response of protocol version 2 holds; a line taken out is no longer offered."""


def read_hello(params: object) -> InitializeParams:
    """The client's hello; of what need not be there, what is malformed counts as absent.

    Raises invalid params.
    """
    values = Params(params)
    about = values.optional_object("info")
    if about is None:
        raise values.wrong("info", "an object with a name and a version")
    Params(about, "info.").text("name")
    Params(about, "info.").text("version")
    capabilities, meta = as_objects(values.raw("capabilities")), values.raw("_meta")
    return InitializeParams(
        values.whole_number("protocolVersion", 65_535),
        capabilities if isinstance(capabilities, Mapping) else {},
        about,
        meta if isinstance(meta, Mapping) else {},
    )


def profile_of(capabilities: Mapping[str, Any]) -> ClientProfile:
    """What a client of version 2 can do: much of it without saying so, and nothing of AIR that
    changes how its subagents are told.
    """
    auth = capabilities.get("auth")
    return replace(
        client_profile(capabilities),
        child_form=ChildForm.RFD,
        child_cancel=False,
        reports_work=True,
        terminal="delta",
        terminal_replaces=True,
        boolean_options=True,
        notices=True,
        compaction=True,
        plan_documents=True,
        auth_terminal=isinstance(auth, Mapping) and isinstance(auth.get("terminal"), Mapping),
    )


def hello(
    profile: ClientProfile,
    settings: AdapterSettings,
    relaunch: Relaunch,
    *,
    hide_subscription: bool = False,
) -> dict[str, Any]:
    """The result of ``initialize``."""
    response: dict[str, Any] = {
        "protocolVersion": VERSION,
        "info": {"name": NAME, "title": TITLE, "version": __version__},
    }
    put(response, OFFERS, profile)
    methods = auth_methods(profile, settings, relaunch, hide_subscription=hide_subscription)
    response["authMethods"] = [_auth_method(method) for method in methods]
    if profile.air:
        meta = response.get("_meta", {})
        response["_meta"] = {**meta, **air.wrap(capabilities=air_names(profile))}
    return response


def _auth_method(method: Mapping[str, Any]) -> dict[str, Any]:
    """One way to log in, from its version 1 shape."""
    told = {**method}
    told["methodId"] = told.pop("id")
    told.setdefault("type", "agent")
    if isinstance(told.get("env"), Mapping):
        told["env"] = [{"name": name, "value": value} for name, value in told["env"].items()]
    return told
