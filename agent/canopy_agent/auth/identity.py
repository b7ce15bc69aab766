"""Who pays for a session, read from what Claude Code says of itself, without any secret.

It compares and words identities and starts nothing. Fields are those of the CLI 2.1.332: the
``account`` of its ``initialize`` response, and ``claude auth status --json``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

Json = Mapping[str, Any]

FIRST_PARTY: Final = "firstParty"
_PROVIDERS: Final = {
    "bedrock": "Amazon Bedrock",
    "vertex": "Google Vertex AI",
    "foundry": "Microsoft Foundry",
    "anthropicAws": "Claude Platform on AWS",
    "anthropicGoogleCloud": "Claude Platform on Google Cloud",
    "mantle": "Amazon Bedrock Mantle",
    "gateway": "Cloud gateway",
}
_KEY_METHODS: Final = {"api_key": "", "api_key_helper": "apiKeyHelper"}
_BEARER_TOKEN: Final = "ANTHROPIC_AUTH_TOKEN"
_BASE_URL: Final = "ANTHROPIC_BASE_URL"
_OWN_HOST: Final = "api.anthropic.com"
_PLAN_PREFIX: Final = "claude "
UNKNOWN_PLAN: Final = "unknown"


@dataclass(frozen=True, slots=True)
class Account:
    """A Claude account. ``plan`` is ``pro``, ``max``, ``team``, ...; None while nobody said."""

    plan: str | None = None
    email: str | None = None
    organization: str | None = None


@dataclass(frozen=True, slots=True)
class Identity:
    """One way to pay. ``kind`` is ``account``, ``api_key``, ``gateway``, ``external`` or ``none``.

    ``detail`` is the source of a key or the host of a gateway, never the key itself.
    """

    kind: str
    label: str
    detail: str | None = None
    account: Account | None = None

    def to_status(self) -> dict[str, Any]:
        """``authStatus`` of the ``_auth/status_update`` notification."""
        status: dict[str, Any] = {"kind": self.kind, "label": self.label}
        if self.detail is not None:
            status["detail"] = self.detail
        if self.account is not None:
            account = self.account
            given = {"email": account.email, "organization": account.organization}
            status["account"] = {
                "plan": account.plan or UNKNOWN_PLAN,
                **{key: value for key, value in given.items() if value is not None},
            }
        return status


LOGGED_OUT: Final = Identity("none", "Not logged in")


def gateway(base_url: str) -> Identity:
    """Requests go to another endpoint; of its address only the host is told."""
    return Identity("gateway", "Custom gateway", _host(base_url))


def of_account(account: Json, environ: Mapping[str, str]) -> Identity | None:
    """The identity of the CLI's ``account``; None when it says too little.

    A provider outranks a key, and a key a subscription, as in the CLI.
    """
    provider = _text(account, "apiProvider")
    if provider not in (None, FIRST_PARTY):
        return _external(provider)
    source = _text(account, "apiKeySource")
    if source not in (None, "none"):
        return _api_key(source)
    token = _text(account, "tokenSource")
    if token == _BEARER_TOKEN:
        return _bearer(environ)
    if token == "none":
        return LOGGED_OUT
    email, organization = _text(account, "email"), _text(account, "organization")
    plan = _plan(_text(account, "subscriptionType"))
    if (token, plan, email) == (None, None, None):
        return None
    return _claude(Account(plan, email, organization))


def of_report(report: Json, environ: Mapping[str, str]) -> Identity | None:
    """The identity of a ``claude auth status --json`` report; None when it says too little."""
    provider = _text(report, "apiProvider")
    if provider not in (None, FIRST_PARTY):
        return _external(provider)
    if report.get("loggedIn") is False:
        return LOGGED_OUT
    method = _text(report, "authMethod")
    source = _text(report, "apiKeySource")
    if source not in (None, "none") or method in _KEY_METHODS:
        return _api_key(source or _KEY_METHODS.get(method or "") or "ANTHROPIC_API_KEY")
    if method == "oauth_token":
        return _bearer(environ) if environ.get(_BEARER_TOKEN) else _claude(Account())
    if method != "claude.ai":
        return None
    plan = _plan(_text(report, "subscriptionType"))
    return _claude(Account(plan, _text(report, "email"), _text(report, "orgName")))


def enriched(new: Identity, old: Identity | None) -> Identity:
    """``new`` with what ``old`` knew of the same account; a poorer read takes nothing away."""
    if old is None or new.account is None or old.account is None:
        return new
    if not _same(new.account, old.account):
        return new
    return _claude(
        Account(
            new.account.plan or old.account.plan,
            new.account.email or old.account.email,
            new.account.organization or old.account.organization,
        )
    )


def _same(one: Account, other: Account) -> bool:
    return one.email is None or other.email is None or one.email == other.email


def _external(provider: str | None) -> Identity:
    return Identity("external", _PROVIDERS.get(provider or "", provider or ""))


def _api_key(source: str | None) -> Identity:
    return Identity("api_key", "Anthropic API key", source)


def _bearer(environ: Mapping[str, str]) -> Identity:
    """A bearer token of the environment belongs to a gateway, unless it goes to Anthropic."""
    host = _host(environ.get(_BASE_URL) or "")
    if host is None or host == _OWN_HOST:
        return _api_key(_BEARER_TOKEN)
    return gateway(environ[_BASE_URL])


def _claude(account: Account) -> Identity:
    plan = account.plan.capitalize() if account.plan else "account"
    return Identity("account", f"Claude {plan}", account=account)


def _plan(subscription: str | None) -> str | None:
    """``max`` for both ``max`` and ``Claude Max``."""
    if subscription is None:
        return None
    plan = subscription.lower()
    return plan.removeprefix(_PLAN_PREFIX).strip() or None


def _host(url: str) -> str | None:
    try:
        return urlsplit(url).hostname
    except ValueError:
        return None


def _text(source: Json, key: str) -> str | None:
    value = source.get(key)
    return value if isinstance(value, str) and value else None
