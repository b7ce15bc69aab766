"""Providers: what a request may ask for, what the CLI is told, what a list of models says."""

from __future__ import annotations

from typing import Any

import pytest

from accounts.stage import models, site
from canopy_agent.auth.listing import Listing, ListingFailed, list_models
from canopy_agent.auth.provider import (
    Provider,
    VertexPlace,
    environment_provider,
    listed,
    provider_of,
)
from canopy_agent.claude.launch_options import LaunchOptions
from canopy_agent.session.models import catalog
from canopy_agent.session.provider_options import settings_object, with_provider
from canopy_shared.errors import INVALID_PARAMS, AcpError

SECRET = "Bearer sk-very-secret"
GIVEN = {
    "providerId": "main",
    "apiType": "anthropic",
    "baseUrl": "https://gw.example/v0/",
    "headers": {"Authorization": SECRET},
}
PLACE = {"claudeCode": {"vertex": {"projectId": "p", "region": "r"}}}


def test_what_may_be_asked_for() -> None:
    provider = provider_of(GIVEN)
    assert provider == Provider("anthropic", "https://gw.example/v0", {"Authorization": SECRET})
    vertex = provider_of({**GIVEN, "apiType": "vertex", "_meta": PLACE})
    assert vertex.vertex == VertexPlace("p", "r")


@pytest.mark.parametrize(
    "wrong",
    [
        {"providerId": "other"},
        {"apiType": "openai"},
        {"baseUrl": "ftp://x"},
        {"baseUrl": "gw.example"},
        {"baseUrl": "http://"},
        {"baseUrl": "http://[x"},
        {"baseUrl": None},
        {"headers": ["Authorization"]},
        {"headers": {"Authorization": 3}},
        {"headers": {"X-A": "a\r\nX-B: b"}},
        {"headers": {"no header": "x"}},
        {"apiType": "vertex"},
        {
            "apiType": "vertex",
            "_meta": {"claudeCode": {"vertex": {"projectId": "", "region": "r"}}},
        },
    ],
)
def test_scenario_87_a_wrong_provider_is_refused_without_its_secrets(wrong: dict[str, Any]) -> None:
    with pytest.raises(AcpError) as refused:
        provider_of({**GIVEN, **wrong})
    assert refused.value.code == INVALID_PARAMS
    assert "secret" not in str(refused.value.to_wire())


def test_headers_stay_here() -> None:
    provider = provider_of(GIVEN)
    assert SECRET not in str(listed(provider.current))
    assert SECRET not in repr(provider)
    assert "sk-very-secret" not in str(provider.open_settings())
    assert SECRET in str(provider.secret_settings())


def test_an_address_is_told_without_its_login() -> None:
    assert Provider("anthropic", "https://me:pw@gw.example/a").current["baseUrl"] == (
        "https://gw.example/a"
    )
    told = environment_provider({"ANTHROPIC_BASE_URL": "https://me:pw@gw.example"})
    assert told == {"apiType": "anthropic", "baseUrl": "https://gw.example"}


@pytest.mark.parametrize(
    ("environ", "current"),
    [
        ({}, {"apiType": "anthropic", "baseUrl": "https://api.anthropic.com"}),
        (
            {"CLAUDE_CODE_USE_BEDROCK": "1", "ANTHROPIC_BEDROCK_BASE_URL": "https://b.example"},
            {"apiType": "bedrock", "baseUrl": "https://b.example"},
        ),
        ({"CLAUDE_CODE_USE_VERTEX": "true"}, {"apiType": "vertex"}),
        ({"CLAUDE_CODE_USE_VERTEX": "0"}, {"apiType": "anthropic"}),
    ],
)
def test_the_provider_of_the_environment(environ: dict[str, str], current: dict[str, str]) -> None:
    assert environment_provider(environ).items() >= current.items()


def test_the_environment_of_each_kind() -> None:
    anthropic = provider_of(GIVEN).environment()
    assert anthropic["ANTHROPIC_BASE_URL"] == "https://gw.example/v0"
    assert anthropic["ANTHROPIC_CUSTOM_HEADERS"] == f"Authorization: {SECRET}"
    assert anthropic["ANTHROPIC_API_KEY"] == anthropic["CLAUDE_CODE_OAUTH_TOKEN"] == ""
    assert anthropic["CLAUDE_CODE_USE_BEDROCK"] == anthropic["CLAUDE_CODE_USE_VERTEX"] == "0"
    assert anthropic["ANTHROPIC_AUTH_TOKEN"] == "sk-very-secret"
    bedrock = Provider("bedrock", "https://b.example", region_prefix="eu").environment()
    assert bedrock["CLAUDE_CODE_USE_BEDROCK"] == "1"
    assert bedrock["ANTHROPIC_BEDROCK_REGION_PREFIX"] == "eu"
    assert bedrock["ANTHROPIC_BASE_URL"] == ""
    assert bedrock["AWS_BEARER_TOKEN_BEDROCK"]
    place = VertexPlace("p", "r")
    vertex = Provider("vertex", "https://v.example", vertex=place).environment()
    assert (vertex["CLAUDE_CODE_USE_VERTEX"], vertex["CLAUDE_CODE_USE_BEDROCK"]) == ("1", "0")
    assert (vertex["ANTHROPIC_VERTEX_PROJECT_ID"], vertex["CLOUD_ML_REGION"]) == ("p", "r")


@pytest.mark.parametrize(
    ("headers", "token"),
    [
        ({}, "acp-proxy"),
        ({"X-Api-Key": "k"}, "acp-proxy"),
        ({"authorization": "bearer  t"}, "t"),
        ({"Authorization": "Basic dTpw"}, ""),
    ],
)
def test_the_token_is_that_of_the_headers(headers: dict[str, str], token: str) -> None:
    """The CLI would send a token of its own before the header."""
    env = Provider("anthropic", "https://x", headers).environment()
    assert env["ANTHROPIC_AUTH_TOKEN"] == token
    assert (
        Provider("bedrock", "https://x", headers).environment()["AWS_BEARER_TOKEN_BEDROCK"] == token
    )


@pytest.mark.parametrize("form", ["object", "text", "file"])
def test_a_provider_goes_over_the_settings_of_the_session(form: str, tmp_path: Any) -> None:
    given: Any = {"model": "opus", "env": {"A": "1", "ANTHROPIC_BASE_URL": "https://other"}}
    if form != "object":
        import json

        (tmp_path / "mine.json").write_text(json.dumps(given))
        given = json.dumps(given) if form == "text" else "mine.json"
    before = LaunchOptions(str(tmp_path), settings=given, env={"ANTHROPIC_API_KEY": "k", "B": "2"})
    after = with_provider(before, provider_of(GIVEN))
    settings = settings_object(after)
    assert settings["model"] == "opus"
    assert settings["apiKeyHelper"] == ""
    assert settings["env"]["A"] == "1"
    assert settings["env"]["ANTHROPIC_BASE_URL"] == "https://gw.example/v0"
    assert SECRET not in str(settings)
    assert (after.env["B"], after.env["ANTHROPIC_API_KEY"]) == ("2", "")
    assert with_provider(before, None) == before


# --- lists of models ----------------------------------------------------------------------------


async def test_a_list_is_read_page_by_page_with_the_headers() -> None:
    def answer(request: dict[str, Any]) -> tuple[int, Any]:
        if "after_id" in request["path"]:
            return models("claude-b")
        return models("claude-a", has_more=True, last_id="claude-a")

    async with site(answer) as here:
        listing = await list_models(Provider("anthropic", here.url, {"Authorization": SECRET}))
        assert listing.ids == {"claude-a", "claude-b"}
        assert here.paths() == [
            "/v1/models?limit=1000",
            "/v1/models?limit=1000&after_id=claude-a",
        ]
        for request in here.requests:
            assert request["headers"]["authorization"] == SECRET
            assert request["headers"]["anthropic-version"]


async def test_bedrock_lists_its_profiles() -> None:
    rows = ["eu.anthropic.claude-x-v1:0", "global.anthropic.claude-x-v1:0", "amazon.nova"]
    page = {"modelSummaries": [{"modelId": id_} for id_ in rows]}
    async with site(lambda request: (200, page)) as here:
        listing = await list_models(Provider("bedrock", here.url))
        assert here.paths() == ["/foundation-models"]
        assert listing.region_prefix == "global"
    assert Listing(frozenset({"eu.anthropic.x", "us.anthropic.x"})).region_prefix == "eu"
    assert Listing(frozenset({"anthropic.x"})).region_prefix is None


@pytest.mark.parametrize("status", [401, 403, 404])
async def test_a_provider_without_a_list_narrows_nothing(status: int) -> None:
    async with site(lambda request: (status, {})) as here:
        assert (await list_models(Provider("anthropic", here.url))).ids is None
    assert (await list_models(Provider("vertex", "http://127.0.0.1:9"))).ids is None


@pytest.mark.parametrize(
    "reply", [(500, {}), (200, b"nonsense"), (200, []), (200, {"data": 3}), (302, "http://x.y/")]
)
async def test_a_list_that_cannot_be_read_is_a_failure(reply: tuple[int, Any]) -> None:
    async with site(lambda request: reply) as here:
        with pytest.raises(ListingFailed):
            await list_models(Provider("anthropic", here.url, {"Authorization": SECRET}))


async def test_a_redirect_gets_no_credentials() -> None:
    async with site(lambda request: models("x")) as other:
        async with site(lambda request: (302, f"{other.url}/v1/models")) as here:
            with pytest.raises(ListingFailed):
                await list_models(Provider("anthropic", here.url, {"Authorization": SECRET}))
        assert other.requests == []


async def test_a_provider_that_does_not_answer_is_left_in_time() -> None:
    async with site(lambda request: (0, None)) as here:
        with pytest.raises(ListingFailed, match="no answer"):
            await list_models(Provider("anthropic", here.url), patience=0.2)


async def test_nobody_listens() -> None:
    with pytest.raises(ListingFailed) as failed:
        await list_models(Provider("anthropic", "http://me:pw@127.0.0.1:9"))
    assert "pw" not in str(failed.value)


INIT = {
    "models": [
        {"value": "default", "displayName": "Default", "resolvedModel": "claude-opus-5-5"},
        {"value": "opus", "displayName": "Opus", "resolvedModel": "claude-opus-5-5"},
        {"value": "haiku", "displayName": "Haiku", "resolvedModel": "claude-haiku-5-5"},
    ]
}


@pytest.mark.parametrize(
    ("served", "values"),
    [
        (None, ["default", "opus", "haiku"]),
        ({"claude-haiku-5-5"}, ["haiku"]),
        ({"us.anthropic.claude-opus-5-5-v1:0"}, ["default", "opus"]),
        ({"something-else"}, []),
    ],
)
def test_only_models_that_the_provider_serves_are_offered(
    served: set[str] | None, values: list[str]
) -> None:
    found = catalog(INIT, served=None if served is None else frozenset(served))
    assert [row.value for row in found.rows] == values
