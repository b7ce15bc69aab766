"""Request parameters, strict on the agent's side, with the schema of ACP as a second opinion."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from canopy_shared import methods, requests
from canopy_shared.errors import INVALID_PARAMS, AcpError

SESSION = {"sessionId": "s1"}
SETUP = {"cwd": "/p", "mcpServers": []}

GOOD: list[tuple[Any, str, dict[str, Any]]] = [
    (requests.InitializeParams, "InitializeRequest", {"protocolVersion": 1}),
    (requests.AuthenticateParams, "AuthenticateRequest", {"methodId": "gateway"}),
    (requests.NewSessionParams, "NewSessionRequest", SETUP),
    (requests.LoadSessionParams, "LoadSessionRequest", {**SESSION, **SETUP}),
    (requests.ResumeSessionParams, "ResumeSessionRequest", {**SESSION, **SETUP}),
    (
        requests.PromptParams,
        "PromptRequest",
        {**SESSION, "prompt": [{"type": "text", "text": "hi"}]},
    ),
    (requests.CancelParams, "CancelNotification", SESSION),
    (requests.CloseSessionParams, "CloseSessionRequest", SESSION),
    (requests.SetModeParams, "SetSessionModeRequest", {**SESSION, "modeId": "plan"}),
]
CLASSES = [row[0] for row in GOOD] + [requests.SetConfigOptionParams]


@pytest.mark.parametrize(
    ("cls", "name", "params"), GOOD, ids=lambda value: getattr(value, "__name__", "")
)
def test_what_the_schema_takes_we_take(cls: Any, name: str, params: dict[str, Any]) -> None:
    from acp import schema

    getattr(schema, name).model_validate(params)
    cls.parse(params)
    for field in params:
        less = {key: value for key, value in params.items() if key != field}
        if field == "mcpServers":
            cls.parse(less)  # older clients leave it out
            continue
        with pytest.raises(AcpError, match=field) as caught:
            cls.parse(less)
        assert caught.value.code == INVALID_PARAMS


def test_a_value_of_an_option_is_text_or_a_boolean() -> None:
    parse = requests.SetConfigOptionParams.parse
    option = {**SESSION, "configId": "fast"}
    assert parse({**option, "value": "on"}).value == "on"
    assert parse({**option, "type": "boolean", "value": True}).value is True
    for wrong in ({"type": "boolean", "value": "on"}, {"value": 3}, {}, {"value": None}):
        with pytest.raises(AcpError, match="value"):
            parse({**option, **wrong})


def test_meta_stays_apart_from_fields() -> None:
    meta = {"cwd": "/evil", "sessionId": "other", "mcpServers": "zz", "self": 1}
    loaded = requests.LoadSessionParams.parse({**SESSION, **SETUP, "_meta": meta})
    assert (loaded.session_id, loaded.setup.cwd, loaded.setup.mcp_servers) == ("s1", "/p", ())
    assert loaded.setup.meta == meta
    with pytest.raises(AcpError, match="cwd"):
        requests.NewSessionParams.parse({"_meta": {"cwd": "/p"}})
    with pytest.raises(AcpError, match="_meta"):
        requests.NewSessionParams.parse({**SETUP, "_meta": [1]})
    as_php_writes_it = requests.NewSessionParams.parse({**SETUP, "_meta": []})
    assert as_php_writes_it.setup.meta == {}


def test_blocks_need_a_type() -> None:
    malformed: tuple[Any, ...] = ("x", [3], [{}], [{"type": 3}], None)
    for bad in malformed:
        with pytest.raises(AcpError, match="prompt"):
            requests.PromptParams.parse({**SESSION, "prompt": bad})


def error_of(cls: Any, params: Any) -> str:
    """The error that parsing ends with, empty when it does not."""
    try:
        cls.parse(params)
    except AcpError as error:
        return str(error.to_wire())
    return ""


def test_errors_never_repeat_a_value() -> None:
    secret = "sk-ant-secret"
    for cls in CLASSES:
        fields = ("sessionId", "cwd", "prompt", "mcpServers", "methodId", "clientCapabilities")
        for field in fields:
            for value in ([secret], {"x": secret}, secret):
                said = error_of(cls, {**SESSION, **SETUP, field: value})
                assert secret not in said


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner),
    max_leaves=6,
)
FIELDS = st.sampled_from(
    [
        *("protocolVersion", "clientCapabilities", "clientInfo", "methodId", "cwd", "mcpServers"),
        *("additionalDirectories", "systemPrompt", "sessionId", "prompt", "modeId", "configId"),
        *("value", "type", "_meta"),
    ]
)


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(CLASSES), st.dictionaries(FIELDS, JSON, max_size=8) | JSON)
def test_parsing_raises_nothing_but_an_acp_error(cls: Any, params: Any) -> None:
    try:
        cls.parse(params)
    except AcpError as error:
        assert error.code == INVALID_PARAMS  # noqa: PT017 - any other exception fails the test


def test_each_method_says_who_sends_it() -> None:
    assert methods.METHODS[methods.SESSION_CANCEL].answered is False
    assert methods.METHODS[methods.SESSION_UPDATE].sender is methods.Sender.AGENT
    assert methods.METHODS[methods.SESSION_PROMPT].sender is methods.Sender.CLIENT
    constants = {
        value for name, value in vars(methods).items() if name.isupper() and isinstance(value, str)
    }
    assert constants == set(methods.METHODS)
