"""``--hide-claude-auth``: whether a session may go on under the identity that would pay for it.

Rules follow ``@agentclientprotocol/claude-agent-acp`` 0.101.0; it reads the ``account`` of the
CLI's ``initialize`` response and knows no session.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from canopy_agent.auth.identity import FIRST_PARTY
from canopy_shared.errors import AcpError, auth_required

SUBSCRIPTION_REASON: Final = "claude_subscription_not_supported"
_KEY_SOURCES: Final = frozenset({"ANTHROPIC_API_KEY", "apiKeyHelper", "/login managed key"})
_TOKEN_SOURCES: Final = frozenset({"ANTHROPIC_AUTH_TOKEN", "apiKeyHelper"})


def refusal(account: Mapping[str, Any]) -> AcpError | None:
    """The error for an account that must not pay; None when it may.

    Allowed are an API key, a bearer token, and a provider other than Anthropic.
    """
    if account.get("apiProvider") not in (None, FIRST_PARTY):
        return None
    if account.get("apiKeySource") in _KEY_SOURCES or account.get("tokenSource") in _TOKEN_SOURCES:
        return None
    if account.get("subscriptionType") or account.get("tokenSource") not in (None, "none"):
        return auth_required(
            "a Claude subscription cannot be used here; set an API key or configure a provider",
            {"reason": SUBSCRIPTION_REASON},
        )
    return auth_required("set an Anthropic API key or configure a provider")
