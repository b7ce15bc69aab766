"""What is checked before a session is opened: paths, the system prompt, tools, MCP servers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from canopy_agent.capabilities import ClientProfile
from canopy_agent.session.caller_options import ALL_TOOLS, caller_options
from canopy_agent.session.mcp_servers import claude_servers
from canopy_agent.session.validation import (
    PromptOverride,
    PromptPreset,
    SystemPrompt,
    session_place,
    system_prompt,
)
from canopy_shared.errors import INVALID_PARAMS, AcpError
from canopy_shared.requests import NewSessionParams

if TYPE_CHECKING:
    from pathlib import Path

FORM = ClientProfile(elicitation_form=True)


def refused(params: dict[str, Any]) -> AcpError:
    with pytest.raises(AcpError) as caught:
        session_place(NewSessionParams.parse(params).setup)
    assert caught.value.code == INVALID_PARAMS
    return caught.value


# --- paths --------------------------------------------------------------------------------------


def test_scenario_10_the_working_directory(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    missing = str(tmp_path / "missing")
    messages = set()
    for cwd in ("rel", "", missing, str(file), "/nul\0"):
        error = refused({"cwd": cwd, "mcpServers": []})
        assert error.data == {"cwd": cwd}
        messages.add(error.message.partition(":")[2].partition(":")[0])
    assert messages == {
        " cwd must be an absolute path",
        " cwd does not exist on the machine where the agent runs",
        " cwd is not a directory on the machine where the agent runs",
    }
    place = session_place(NewSessionParams.parse({"cwd": str(tmp_path)}).setup)
    assert (place.cwd, place.additional_directories) == (str(tmp_path), ())


def test_scenario_10_additional_directories_are_absolute(tmp_path: Path) -> None:
    error = refused({"cwd": str(tmp_path), "additionalDirectories": ["/a", "x"]})
    assert error.data == {"additionalDirectories": ["/a", "x"]}
    setup = NewSessionParams.parse(
        {"cwd": str(tmp_path), "additionalDirectories": ["/nowhere"]}
    ).setup
    assert session_place(setup).additional_directories == ("/nowhere",)


def test_older_extra_roots_count_only_without_the_field(tmp_path: Path) -> None:
    meta = {"_meta": {"additionalRoots": ["/old", 3]}}
    old = NewSessionParams.parse({"cwd": str(tmp_path), **meta}).setup
    new = NewSessionParams.parse({"cwd": str(tmp_path), "additionalDirectories": [], **meta}).setup
    assert session_place(old).additional_directories == ("/old",)
    assert session_place(new).additional_directories == ()


# --- the system prompt --------------------------------------------------------------------------


def prompt(given_prompt: object = None, **meta: Any) -> SystemPrompt:
    params: dict[str, Any] = {"cwd": "/", "_meta": meta}
    if given_prompt is not None:
        params["systemPrompt"] = given_prompt
    return system_prompt(NewSessionParams.parse(params).setup)


def texts(mode: str, *parts: str) -> dict[str, Any]:
    return {"mode": mode, "content": [{"type": "text", "text": part} for part in parts]}


@pytest.mark.parametrize(
    ("given_prompt", "data"),
    [
        ({"mode": "replace", "content": []}, {"systemPrompt": {"mode": "replace"}}),
        ({"content": []}, {"systemPrompt": {"mode": None}}),
        (
            {"mode": "override", "content": [{"type": "image", "data": "", "mimeType": "x"}]},
            {"systemPrompt": {"content": {"type": "image"}}},
        ),
        ({"mode": "append", "content": ["x"]}, {"systemPrompt": {"content": {"type": None}}}),
        ({"mode": "append", "content": "x"}, None),
        ({"mode": "append", "content": [{"type": "text"}]}, None),
    ],
)
def test_scenario_15_a_malformed_system_prompt(given_prompt: object, data: object) -> None:
    with pytest.raises(AcpError, match=r"systemPrompt\.") as caught:
        prompt(given_prompt)
    assert (caught.value.code, caught.value.data) == (INVALID_PARAMS, data)


def test_scenario_15_override_and_append() -> None:
    assert prompt(texts("override", "A", "B")) == PromptOverride("A\n\nB")
    appended = prompt(texts("append", "A", "B"))
    assert isinstance(appended, PromptPreset)
    assert appended.to_option() == {"type": "preset", "preset": "claude_code", "append": "A\n\nB"}
    nothing = prompt(texts("append"))
    assert isinstance(nothing, PromptPreset)
    assert nothing.to_option() == {"type": "preset", "preset": "claude_code"}


def test_scenario_16_the_older_spelling() -> None:
    assert prompt(systemPrompt="X") == PromptOverride("X")
    extended = prompt(systemPrompt={"append": "Y", "excludeDynamicSections": True, "type": "x"})
    assert isinstance(extended, PromptPreset)
    assert extended.to_option() == {
        "type": "preset",
        "preset": "claude_code",
        "append": "Y",
        "excludeDynamicSections": True,
    }
    assert prompt(texts("override", "A"), systemPrompt="X") == PromptOverride("A")
    assert prompt() == PromptPreset()


def test_custom_instructions_come_last() -> None:
    meta = {"jetbrains": {"air": {"customInstructions": "Be brief."}}}
    assert prompt(texts("append", "A"), **meta) == PromptPreset("A\n\nBe brief.")
    assert prompt(texts("override", "A"), **meta) == PromptOverride("A\n\nBe brief.")
    assert prompt(**meta) == PromptPreset("Be brief.")


# --- tools --------------------------------------------------------------------------------------


def claude_meta(**options: Any) -> dict[str, Any]:
    return {"claudeCode": {"options": options}}


def test_scenario_17_built_in_tools() -> None:
    off = {"disableBuiltInTools": True}
    assert caller_options({}, FORM).tools == ALL_TOOLS
    assert caller_options(off, FORM).tools == []
    assert caller_options({**off, **claude_meta(tools=["Read"])}, FORM).tools == ["Read"]


def test_scenario_18_without_forms_there_are_no_questions() -> None:
    meta = claude_meta(disallowedTools=["Bash", 3])
    assert caller_options(meta, FORM).disallowed_tools == ("Bash",)
    assert caller_options(meta, ClientProfile()).disallowed_tools == ("Bash", "AskUserQuestion")
    again = claude_meta(disallowedTools=["AskUserQuestion"])
    assert caller_options(again, ClientProfile()).disallowed_tools == ("AskUserQuestion",)


def test_malformed_options_count_as_absent() -> None:
    broken: list[dict[str, Any]] = [{"claudeCode": 3}, {"claudeCode": {"options": []}}]
    for meta in (*broken, claude_meta(env=3, tools=4)):
        options = caller_options(meta, FORM)
        assert (options.tools, options.env, options.allow_bypass) == (ALL_TOOLS, {}, True)


# --- MCP servers --------------------------------------------------------------------------------


def test_mcp_servers_as_the_cli_takes_them() -> None:
    env = [{"name": "TOKEN", "value": "t"}]
    plain = {"name": "a", "command": "srv", "args": ["-x"], "env": env}
    remote = {"url": "https://a.example", "headers": [{"name": "K", "value": "v"}]}
    assert claude_servers(
        (
            plain,
            {**plain, "name": "b", "type": "stdio", "args": [], "env": []},
            {"type": "http", "name": "c", **remote},
            {"type": "sse", "name": "d", "url": "https://b.example", "headers": []},
            {"type": "acp", "name": "e", "serverId": "1"},
        )
    ) == {
        "a": {"type": "stdio", "command": "srv", "args": ["-x"], "env": {"TOKEN": "t"}},
        "b": {"type": "stdio", "command": "srv", "args": [], "env": {}},
        "c": {"type": "http", "url": "https://a.example", "headers": {"K": "v"}},
        "d": {"type": "sse", "url": "https://b.example", "headers": {}},
    }


@pytest.mark.parametrize(
    ("server", "field"),
    [
        ({}, "name"),
        ({"name": "a"}, "command"),
        ({"name": "a", "command": " "}, "command"),
        ({"name": "a", "command": "c", "args": "x"}, "args"),
        ({"name": "a", "command": "c", "args": [1]}, r"args\[0\]"),
        ({"name": "a", "command": "c", "env": {"K": "sk-secret"}}, "env"),
        ({"name": "a", "command": "c", "env": [{"name": "K", "value": 3}]}, r"env\[0\]\.value"),
        ({"name": "a", "command": "c", "env": [{"value": "sk-secret"}]}, r"env\[0\]\.name"),
        ({"name": "a", "type": "http"}, "url"),
        ({"name": "a", "type": "http", "url": ""}, "url"),
        ({"name": "a", "type": "pigeon"}, "type"),
        ({"name": "a", "type": 3}, "type"),
    ],
)
def test_a_malformed_server_is_named_and_its_secrets_are_not(server: Any, field: str) -> None:
    with pytest.raises(AcpError, match=rf"mcpServers\[1\]\.{field}") as caught:
        claude_servers(({"type": "acp", "name": "x"}, server))
    assert caught.value.code == INVALID_PARAMS
    assert "sk-secret" not in str(caught.value.to_wire())


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner),
    max_leaves=8,
)
SERVERS = st.lists(
    st.dictionaries(
        st.sampled_from(["type", "name", "command", "args", "env", "url", "headers"]),
        st.sampled_from(["stdio", "http", "acp", "x"]) | JSON,
    ),
    max_size=2,
)
PROMPTS = st.dictionaries(
    st.sampled_from(["mode", "content"]),
    st.sampled_from(["append", [{"type": "text", "text": "x"}], [{"type": "text"}]]) | JSON,
)


@settings(max_examples=200, deadline=None)
@given(
    st.fixed_dictionaries(
        {},
        optional={
            "cwd": st.sampled_from(["/", "rel"]) | JSON,
            "additionalDirectories": JSON,
            "mcpServers": SERVERS | JSON,
            "systemPrompt": PROMPTS | JSON,
            "_meta": st.dictionaries(
                st.sampled_from(["systemPrompt", "jetbrains", "claudeCode", "additionalRoots"]),
                JSON,
            )
            | JSON,
        },
    )
)
def test_whatever_a_client_sends_it_gets_a_session_or_an_acp_error(params: dict[str, Any]) -> None:
    try:
        setup = NewSessionParams.parse(params).setup
        session_place(setup)
        system_prompt(setup)
        claude_servers(setup.mcp_servers)
        caller_options(setup.meta, FORM)
    except AcpError as error:
        assert error.code == INVALID_PARAMS  # noqa: PT017 - any other exception fails the test
