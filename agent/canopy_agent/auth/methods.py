"""Ways to log in that a client is offered, and what ``authenticate`` asks for.

Ids follow ``@agentclientprotocol/claude-agent-acp`` 0.101.0; nothing is logged in here, and no
secret leaves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from canopy_agent.auth.provider import Provider, checked_headers, is_web_address
from canopy_agent.capabilities import ClientProfile
from canopy_agent.settings import AdapterSettings
from canopy_shared.errors import invalid_params
from canopy_shared.params import Params
from canopy_shared.requests import AuthenticateParams

TERMINAL_META: Final = "terminal-auth"


@dataclass(frozen=True, slots=True)
class Relaunch:
    """How our own program is started again: the command, and arguments before any others."""

    command: str
    args: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TerminalLogin:
    """A login that the client runs in a terminal: our program with ``args``."""

    id: str
    name: str
    description: str
    args: tuple[str, ...]


REMOTE_LOGIN: Final = TerminalLogin(
    "claude-login", "Log in with Claude", "Opens Claude Code to log in", ("--cli",)
)
SUBSCRIPTION_LOGIN: Final = TerminalLogin(
    "claude-ai-login",
    "Claude Subscription",
    "Use a Claude subscription",
    ("--cli", "auth", "login", "--claudeai"),
)
CONSOLE_LOGIN: Final = TerminalLogin(
    "console-login",
    "Anthropic Console",
    "Use an account that pays by use",
    ("--cli", "auth", "login", "--console"),
)
_SUBSCRIPTION_LOGINS: Final = (REMOTE_LOGIN, SUBSCRIPTION_LOGIN)
_TERMINAL_IDS: Final = frozenset(
    login.id for login in (REMOTE_LOGIN, SUBSCRIPTION_LOGIN, CONSOLE_LOGIN)
)

_GATEWAYS: Final = {
    "gateway": ("anthropic", "Custom gateway", "Send requests to another Anthropic endpoint"),
    "gateway-bedrock": ("bedrock", "Bedrock gateway", "Send requests to a Bedrock endpoint"),
}


def auth_methods(
    profile: ClientProfile,
    settings: AdapterSettings,
    relaunch: Relaunch,
    *,
    hide_subscription: bool = False,
) -> list[dict[str, Any]]:
    """The ``authMethods`` of the initialize response, terminal logins first."""
    methods: list[dict[str, Any]] = []
    if profile.auth_terminal or profile.auth_terminal_meta:
        logins = (REMOTE_LOGIN,) if settings.remote else (SUBSCRIPTION_LOGIN, CONSOLE_LOGIN)
        methods += [
            _terminal_method(login, profile, relaunch)
            for login in logins
            if not (hide_subscription and login in _SUBSCRIPTION_LOGINS)
        ]
    if profile.auth_gateway:
        methods += [
            {
                "id": id_,
                "name": name,
                "description": description,
                "_meta": {"gateway": {"protocol": protocol}},
            }
            for id_, (protocol, name, description) in _GATEWAYS.items()
        ]
    return methods


def _terminal_method(
    login: TerminalLogin, profile: ClientProfile, relaunch: Relaunch
) -> dict[str, Any]:
    method: dict[str, Any] = {
        "id": login.id,
        "name": login.name,
        "description": login.description,
        "type": "terminal",
        "args": list(login.args),
    }
    if profile.auth_terminal_meta:
        method["_meta"] = {
            TERMINAL_META: {
                "command": relaunch.command,
                "args": [*relaunch.args, *login.args],
                "label": login.name,
            }
        }
    return method


# --- authenticate -------------------------------------------------------------------------------


def gateway_login(params: AuthenticateParams) -> Provider | None:
    """The gateway to use from now on; None when the request changes nothing.

    Raises invalid params for a login that the client has to run itself, and for a malformed
    gateway.
    """
    known = _GATEWAYS.get(params.method_id)
    if known is None and params.method_id in _TERMINAL_IDS:
        raise invalid_params("methodId names a login that the client runs in a terminal")
    if known is None:
        raise invalid_params(f"methodId must be one of {', '.join(_GATEWAYS)}")
    given = params.meta.get("gateway")
    if given is None:
        return None
    values = Params(given, "_meta.gateway.")
    base_url = values.text("baseUrl")
    if not is_web_address(base_url):
        raise values.wrong("baseUrl", "an absolute http or https address")
    return Provider(known[0], base_url, checked_headers(values))
