"""Who pays, as the CLI says it in two forms: one wording, ranked, and never a secret."""

from __future__ import annotations

from typing import Any

import pytest

from canopy_agent.auth.guard import SUBSCRIPTION_REASON, refusal
from canopy_agent.auth.identity import Account, Identity, enriched, of_account, of_report
from canopy_shared.errors import AUTH_REQUIRED

MAX = Account("max", "me@example.com", "Org")
GATEWAY = {"ANTHROPIC_AUTH_TOKEN": "sk-secret", "ANTHROPIC_BASE_URL": "https://u:p@gw.example/x"}

# The same identities in both forms, as Claude Code 2.1.332 gives them.
BOTH: list[tuple[dict[str, Any], dict[str, Any], dict[str, str], Identity]] = [
    (
        {"tokenSource": "none", "apiProvider": "firstParty"},
        {"loggedIn": False, "authMethod": "none", "apiProvider": "firstParty"},
        {},
        Identity("none", "Not logged in"),
    ),
    (
        {"tokenSource": "none", "apiKeySource": "ANTHROPIC_API_KEY", "apiProvider": "firstParty"},
        {"loggedIn": True, "authMethod": "api_key", "apiKeySource": "ANTHROPIC_API_KEY"},
        {},
        Identity("api_key", "Anthropic API key", "ANTHROPIC_API_KEY"),
    ),
    (
        {"tokenSource": "apiKeyHelper", "apiKeySource": "apiKeyHelper"},
        {"loggedIn": True, "authMethod": "api_key_helper", "apiKeySource": "apiKeyHelper"},
        {},
        Identity("api_key", "Anthropic API key", "apiKeyHelper"),
    ),
    (
        {
            "email": "me@example.com",
            "organization": "Org",
            "subscriptionType": "Claude Max",
            "apiProvider": "firstParty",
        },
        {
            "loggedIn": True,
            "authMethod": "claude.ai",
            "apiProvider": "firstParty",
            "email": "me@example.com",
            "orgName": "Org",
            "subscriptionType": "max",
        },
        {},
        Identity("account", "Claude Max", account=MAX),
    ),
    (
        {"apiProvider": "bedrock"},
        {"loggedIn": True, "authMethod": "third_party", "apiProvider": "bedrock"},
        {},
        Identity("external", "Amazon Bedrock"),
    ),
    (
        {"tokenSource": "ANTHROPIC_AUTH_TOKEN", "apiProvider": "firstParty"},
        {"loggedIn": True, "authMethod": "oauth_token", "apiProvider": "firstParty"},
        GATEWAY,
        Identity("gateway", "Custom gateway", "gw.example"),
    ),
    (
        {"tokenSource": "CLAUDE_CODE_OAUTH_TOKEN", "apiProvider": "firstParty"},
        {"loggedIn": True, "authMethod": "oauth_token", "apiProvider": "firstParty"},
        {},
        Identity("account", "Claude account", account=Account()),
    ),
]


@pytest.mark.parametrize(("account", "report", "environ", "identity"), BOTH)
def test_both_forms_say_the_same(
    account: dict[str, Any], report: dict[str, Any], environ: dict[str, str], identity: Identity
) -> None:
    assert of_account(account, environ) == identity
    assert of_report(report, environ) == identity
    assert "sk-secret" not in str(identity.to_status())


def test_a_key_outranks_a_subscription_and_a_provider_outranks_both() -> None:
    both = {"tokenSource": "claude.ai", "apiKeySource": "ANTHROPIC_API_KEY", "email": "a@b.c"}
    key = of_account(both, {})
    assert key is not None
    assert key.kind == "api_key"
    provider = of_account({**both, "apiProvider": "vertex"}, {})
    assert provider == Identity("external", "Google Vertex AI")


@pytest.mark.parametrize(
    "nothing", [{}, {"apiProvider": "firstParty"}, {"tokenSource": 3}, {"email": ["x"]}]
)
def test_an_account_that_says_nothing_is_not_told(nothing: dict[str, Any]) -> None:
    assert of_account(nothing, {}) is None


def test_a_login_that_this_version_does_not_know_is_not_told() -> None:
    assert of_report({"loggedIn": True, "authMethod": "magic"}, {}) is None
    assert of_report({}, {}) is None


def test_a_poorer_read_of_the_same_account_takes_nothing_away() -> None:
    old = Identity("account", "Claude Max", account=MAX)
    poorer = of_account({"tokenSource": "claude.ai"}, {})
    assert poorer is not None
    assert enriched(poorer, old) == old
    other = Identity("account", "Claude Pro", account=Account("pro", "you@example.com"))
    assert enriched(other, old) == other
    key = Identity("api_key", "Anthropic API key", "x")
    assert enriched(key, old) == key


def test_the_wire_form() -> None:
    assert Identity("account", "Claude Max", account=MAX).to_status() == {
        "kind": "account",
        "label": "Claude Max",
        "account": {"plan": "max", "email": "me@example.com", "organization": "Org"},
    }
    assert Identity("account", "Claude account", account=Account()).to_status()["account"] == {
        "plan": "unknown"
    }


ALLOWED = [
    {"apiKeySource": "ANTHROPIC_API_KEY", "tokenSource": "claude.ai"},
    {"apiKeySource": "/login managed key"},
    {"apiKeySource": "apiKeyHelper"},
    {"tokenSource": "ANTHROPIC_AUTH_TOKEN"},
    {"apiProvider": "vertex"},
]
SUBSCRIBED = [
    {"subscriptionType": "Claude Pro"},
    {"tokenSource": "claude.ai"},
    {"tokenSource": "CLAUDE_CODE_OAUTH_TOKEN"},
]


@pytest.mark.parametrize("account", ALLOWED)
def test_what_may_pay_when_subscriptions_are_hidden(account: dict[str, Any]) -> None:
    assert refusal(account) is None


@pytest.mark.parametrize("account", SUBSCRIBED)
def test_a_subscription_may_not_pay(account: dict[str, Any]) -> None:
    error = refusal(account)
    assert error is not None
    assert (error.code, error.data) == (AUTH_REQUIRED, {"reason": SUBSCRIPTION_REASON})


@pytest.mark.parametrize("account", [{}, {"tokenSource": "none"}, {"apiKeySource": "user"}])
def test_nobody_may_not_pay_either(account: dict[str, Any]) -> None:
    error = refusal(account)
    assert error is not None
    assert (error.code, error.data) == (AUTH_REQUIRED, None)
