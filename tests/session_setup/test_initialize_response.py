"""What ``initialize`` answers, to which client."""

from __future__ import annotations

from typing import Any

import pytest

from canopy_agent.auth.methods import Relaunch, gateway_login
from canopy_agent.capabilities import client_profile
from canopy_agent.settings import AdapterSettings, SettingsError, read_settings
from canopy_agent.wire.dialects import negotiated
from canopy_agent.wire.v1_hello import initialize_response
from canopy_shared.errors import AcpError
from canopy_shared.requests import AuthenticateParams, InitializeParams
from canopy_shared.version import __version__

RELAUNCH = Relaunch("/opt/python", ("-m", "canopy_tui"))
AIR_NAMES = [
    "sessionFailure",
    "agentFileChangeReport",
    "nativeSubagentSessions",
    "asyncTasks",
    "customInstructions",
    "recommendedValue",
    "diffPatch",
    "planFile",
    "backgroundSubagents",
]


def respond(
    capabilities: dict[str, Any] | None = None, *, remote: bool = False, hide: bool = False
) -> dict[str, Any]:
    profile = client_profile(capabilities or {})
    settings = AdapterSettings(remote=remote)
    return initialize_response(profile, settings, RELAUNCH, hide_subscription=hide)


def air(version: object = 1, *names: str) -> dict[str, Any]:
    return {"_meta": {"jetbrains": {"air": {"version": version, "capabilities": list(names)}}}}


def test_scenario_1_a_plain_client() -> None:
    assert respond() == {
        "protocolVersion": 1,
        "agentCapabilities": {
            "_meta": {"claudeCode": {"promptQueueing": True}, "authStatus": {}},
            "promptCapabilities": {"image": True, "embeddedContext": True},
            "mcpCapabilities": {"http": True, "sse": True},
            "auth": {"logout": {}},
            "providers": {},
            "loadSession": True,
            "sessionCapabilities": {
                "additionalDirectories": {},
                "close": {},
                "delete": {},
                "fork": {},
                "list": {},
                "resume": {},
                "systemPrompt": {"mode": {"override": {}}},
            },
        },
        "agentInfo": {"name": "acp-canopy", "title": "Canopy", "version": __version__},
        "authMethods": [],
        "_meta": {"steering": {"supported": True}},
    }


def test_scenario_2_an_air_client_with_the_session_index() -> None:
    response = respond(air(1, "sessionIndex"))
    assert response["_meta"]["jetbrains"]["air"] == {
        "version": 1,
        "capabilities": [
            *AIR_NAMES,
            "sessionIndex",
            "sessionBatchGet",
            "sessionArchive",
            "sessionRename",
            "sessionListSubscribe",
            "sessionWorktrees",
        ],
        "goal": {"version": 1, "controlMethod": "_session/goal", "actions": ["set", "clear"]},
    }
    assert response["agentCapabilities"]["sessionCapabilities"]["subagents"] == {}
    assert response["_meta"]["steering"] == {"supported": True}


def test_scenario_3_an_air_client_with_an_unusable_version_is_still_air() -> None:
    response = respond(air("1", "diffPatch"))
    assert response["_meta"]["jetbrains"]["air"]["capabilities"] == AIR_NAMES


def test_a_response_shares_nothing_with_the_next_one() -> None:
    first = respond()
    first["agentCapabilities"]["auth"]["logout"]["mine"] = True
    assert respond()["agentCapabilities"]["auth"]["logout"] == {}


def test_the_schema_of_acp_reads_the_response() -> None:
    from acp import schema

    capabilities = {"auth": {"terminal": True}, "_meta": {"terminal-auth": True}}
    read = schema.InitializeResponse.model_validate(respond(capabilities))
    assert read.agent_info is not None
    assert read.agent_info.version == __version__
    assert read.agent_capabilities is not None
    assert read.agent_capabilities.load_session is True
    ids = [method.id for method in read.auth_methods or ()]
    assert ids == ["claude-ai-login", "console-login"]


# --- versions -----------------------------------------------------------------------------------


def spoken(requested: int, environment: str) -> int:
    settings = read_settings({"CLAUDE_AGENT_ACP_PROTOCOL": environment, "HOME": "/home/me"})
    return negotiated({"protocolVersion": requested}, settings).version


@pytest.mark.parametrize("requested", [0, 1, 2, 7])
def test_scenario_4_version_1_is_spoken_with_everybody_else(requested: int) -> None:
    assert spoken(requested, "v1") == 1
    for value in ("", "auto"):
        assert spoken(requested, value) == (1 if requested < 2 else 2)


def test_scenario_4_a_client_of_version_1_where_only_2_is_allowed() -> None:
    assert spoken(2, "v2") == spoken(3, "v2") == 2
    with pytest.raises(AcpError) as caught:
        spoken(1, "v2")
    assert caught.value.code == -32022
    assert caught.value.data == {"requested": 1, "supported": [2]}


def test_scenario_4_an_unknown_version_in_the_environment_fails_at_start() -> None:
    with pytest.raises(SettingsError, match="auto, v1 or v2"):
        read_settings({"CLAUDE_AGENT_ACP_PROTOCOL": "1"})


@pytest.mark.parametrize("version", [None, "1", True, -1, 1.5, 70_000, []])
def test_the_protocol_version_is_a_number(version: object) -> None:
    with pytest.raises(AcpError, match="protocolVersion") as caught:
        InitializeParams.parse({"protocolVersion": version})
    assert caught.value.code == -32602


# --- logging in ---------------------------------------------------------------------------------


def test_scenario_6_terminal_logins() -> None:
    local = respond({"auth": {"terminal": True}})["authMethods"]
    assert [(method["id"], method["type"], method["args"]) for method in local] == [
        ("claude-ai-login", "terminal", ["--cli", "auth", "login", "--claudeai"]),
        ("console-login", "terminal", ["--cli", "auth", "login", "--console"]),
    ]
    assert all(method["name"] and method["description"] for method in local)
    assert all("_meta" not in method for method in local)
    remote = respond({"auth": {"terminal": True}}, remote=True)["authMethods"]
    assert [(method["id"], method["args"]) for method in remote] == [("claude-login", ["--cli"])]


def test_scenario_6_a_command_that_starts_us_again() -> None:
    method = respond({"_meta": {"terminal-auth": True}})["authMethods"][0]
    assert method["_meta"]["terminal-auth"] == {
        "command": "/opt/python",
        "args": ["-m", "canopy_tui", "--cli", "auth", "login", "--claudeai"],
        "label": "Claude Subscription",
    }


@pytest.mark.parametrize(
    "name", ["NO_BROWSER", "SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY", "CLAUDE_CODE_REMOTE"]
)
def test_scenario_6_what_counts_as_remote(name: str) -> None:
    assert read_settings({name: "1", "HOME": "/home/me"}).remote
    assert not read_settings({"HOME": "/home/me"}).remote


def test_scenario_7_gateways_come_last() -> None:
    capabilities = {"auth": {"terminal": True, "_meta": {"gateway": True}}}
    methods = respond(capabilities)["authMethods"]
    assert [method["id"] for method in methods][-2:] == ["gateway", "gateway-bedrock"]
    assert [method["_meta"]["gateway"]["protocol"] for method in methods[-2:]] == [
        "anthropic",
        "bedrock",
    ]


def test_hidden_subscriptions_leave_the_console() -> None:
    methods = respond({"auth": {"terminal": True}}, hide=True)["authMethods"]
    assert [method["id"] for method in methods] == ["console-login"]
    assert respond({"auth": {"terminal": True}}, remote=True, hide=True)["authMethods"] == []


def login(method: str, gateway: object = None) -> Any:
    meta = {} if gateway is None else {"_meta": {"gateway": gateway}}
    return gateway_login(AuthenticateParams.parse({"methodId": method, **meta}))


def test_scenario_88_a_gateway_and_a_login_of_the_client() -> None:
    assert login("gateway") is None
    found = login("gateway-bedrock", {"baseUrl": "https://gw.example/x", "headers": {"A": "b"}})
    assert (found.api_type, found.base_url, found.headers) == (
        "bedrock",
        "https://gw.example/x",
        {"A": "b"},
    )
    with pytest.raises(AcpError, match="terminal"):
        login("claude-ai-login")
    with pytest.raises(AcpError, match="gateway, gateway-bedrock"):
        login("nope")


@pytest.mark.parametrize(
    "gateway",
    [
        "x",
        {},
        {"baseUrl": 3},
        {"baseUrl": "ftp://sk-secret"},
        {"baseUrl": "/sk-secret"},
        {"baseUrl": "https://a.example", "headers": ["sk-secret"]},
        {"baseUrl": "https://a.example", "headers": {"Authorization": ["sk-secret"]}},
    ],
)
def test_a_malformed_gateway_is_refused_without_repeating_it(gateway: object) -> None:
    with pytest.raises(AcpError) as caught:
        login("gateway", gateway)
    assert caught.value.code == -32602
    assert "sk-secret" not in str(caught.value.to_wire())


def test_secrets_do_not_show_in_representations() -> None:
    found = login("gateway", {"baseUrl": "https://a.example", "headers": {"K": "sk-secret"}})
    settings = read_settings({"ANTHROPIC_API_KEY": "sk-secret", "HOME": "/home/me"})
    assert "sk-secret" not in repr(found) + repr(settings)
    assert settings.process["ANTHROPIC_API_KEY"] == "sk-secret"


# --- clients that say less than they should ------------------------------------------------------

ABOUT = {"name": "ide", "version": "1"}


@pytest.mark.parametrize("requested", [2, 3, 99, 65_535])
@pytest.mark.parametrize(
    ("said", "answered"),
    [
        ({"clientCapabilities": {}}, 1),
        ({"clientInfo": ABOUT}, 1),
        ({"clientCapabilities": {"fs": {}}, "clientInfo": ABOUT, "_meta": {}}, 1),
        ({"clientCapabilities": {}, "info": None, "capabilities": None}, 1),
        ({"info": ABOUT}, 2),
        ({"info": ABOUT, "capabilities": {}}, 2),
        ({"clientCapabilities": {}, "info": ABOUT}, 2),
        ({"clientInfo": ABOUT, "capabilities": {}}, 2),
        ({"clientCapabilities": None}, 2),
        ({}, 2),
    ],
)
def test_who_greets_as_version_1_has_it_is_answered_in_version_1(
    said: dict[str, Any], answered: int, requested: int
) -> None:
    hello = {"protocolVersion": requested, **said}
    assert negotiated(hello, AdapterSettings()).version == answered
    assert negotiated(hello, AdapterSettings(protocols=("v1",))).version == 1
    assert negotiated(hello, AdapterSettings(protocols=("v2",))).version == 2


def test_an_empty_list_is_an_empty_object_for_who_cannot_tell_them_apart() -> None:
    assert InitializeParams.parse(
        {"protocolVersion": 1, "clientCapabilities": [], "clientInfo": [], "_meta": []}
    ) == InitializeParams(1, {}, {}, {})
    declared = {
        "elicitation": {"form": [], "url": []},
        "session": {"notices": [], "compaction": [], "configOptions": {"boolean": []}},
        "subagents": [],
    }
    meant = {
        "elicitation": {"form": {}, "url": {}},
        "session": {"notices": {}, "compaction": {}, "configOptions": {"boolean": {}}},
        "subagents": {},
    }
    for dialect_of in ({"protocolVersion": 1}, {"protocolVersion": 2, "info": ABOUT}):
        dialect = negotiated(dialect_of, AdapterSettings())
        profiles = [
            dialect.profile_of(
                dialect.read_hello(
                    {**dialect_of, "clientCapabilities": said, "capabilities": said}
                ).client_capabilities
            )
            for said in (declared, meant)
        ]
        assert profiles[0] == profiles[1]
        assert profiles[0].notices
        assert profiles[0].elicitation_form


def test_only_an_empty_list_is_an_object() -> None:
    for wrong in ([1], [[]], "", 0, False):
        with pytest.raises(AcpError, match="clientCapabilities must be an object"):
            InitializeParams.parse({"protocolVersion": 1, "clientCapabilities": wrong})


def test_a_list_of_capabilities_stays_one() -> None:
    meta = {"jetbrains": {"air": {"version": 1, "capabilities": ["sessionFailure"]}}}
    hello = {"protocolVersion": 1, "clientCapabilities": {"_meta": meta, "fs": []}}
    profile = client_profile(InitializeParams.parse(hello).client_capabilities)
    assert profile.air_capabilities == {"sessionFailure"}


def test_capabilities_may_be_nested_without_end() -> None:
    deep: dict[str, Any] = {}
    for _ in range(5000):
        deep = {"a": deep}
    assert InitializeParams.parse({"protocolVersion": 1, "clientCapabilities": deep})
