"""The environment as settings."""

from __future__ import annotations

import pytest

from canopy_agent.settings import AdapterSettings, Thinking, model_config, read_settings
from canopy_shared.errors import AcpError


def read(**env: str) -> AdapterSettings:
    return read_settings({"HOME": "/home/me", **env}, root=False)


def test_without_variables_everything_has_its_default() -> None:
    settings = read()
    assert settings.config_directory.replace("\\", "/") == "/home/me/.claude"
    assert settings.cli_path is None
    assert settings.thinking is None
    assert settings.preferred_model is None
    assert settings.notes == ()


def test_paths_and_models() -> None:
    settings = read(
        CLAUDE_CODE_EXECUTABLE="/opt/claude",
        CLAUDE_CONFIG_DIR="/etc/claude",
        CLAUDE_AGENT_LOGS="/var/log/c",
        ANTHROPIC_MODEL="opus",
        ANTHROPIC_CUSTOM_MODEL_OPTION="mine",
    )
    assert (settings.cli_path, settings.config_directory) == ("/opt/claude", "/etc/claude")
    assert (settings.log_directory, settings.preferred_model) == ("/var/log/c", "opus")
    assert settings.custom_model == "mine"


@pytest.mark.parametrize(
    ("tokens", "display", "expected", "noted"),
    [
        ("0", "", Thinking("disabled"), False),
        ("0", "omitted", Thinking("disabled"), False),
        ("2048", "", Thinking("enabled", 2048), False),
        ("2048", "summarized", Thinking("enabled", 2048, "summarized"), False),
        ("", "omitted", Thinking("adaptive", display="omitted"), False),
        ("many", "", None, True),
        ("-1", "", None, True),
        ("1.5", "", None, True),
        ("inf", "", None, True),
        ("", "loud", None, True),
    ],
)
def test_thinking(tokens: str, display: str, expected: Thinking | None, noted: bool) -> None:
    settings = read(MAX_THINKING_TOKENS=tokens, CLAUDE_CODE_THINKING_DISPLAY=display)
    assert settings.thinking == expected
    assert bool(settings.notes) is noted


def test_bypass_needs_a_user_or_a_sandbox() -> None:
    env = {"HOME": "/home/me"}
    assert not read_settings(env, root=True).may_bypass
    assert read_settings({**env, "IS_SANDBOX": "1"}, root=True).may_bypass
    assert read_settings(env, root=False).may_bypass


@pytest.mark.parametrize("value", ["", "0", "true", "yes", "on", "1 ", "2"])
def test_a_sandbox_is_named_as_the_cli_wants_it(value: str) -> None:
    env = {"HOME": "/home/me", "IS_SANDBOX": value}
    assert not read_settings(env, root=True).may_bypass


def test_the_model_configuration() -> None:
    found = model_config(
        read(CLAUDE_MODEL_CONFIG='{"modelOverrides":{"a":"b","c":3},"availableModels":["a",1]}')
    )
    assert (found.overrides, found.available) == ({"a": "b"}, ("a",))
    assert model_config(read()).available is None


@pytest.mark.parametrize("text", ["{", "[]", "3", "[" * 100_000])
def test_a_broken_model_configuration_fails_when_it_is_needed(text: str) -> None:
    settings = read(CLAUDE_MODEL_CONFIG=text)
    with pytest.raises(AcpError, match="CLAUDE_MODEL_CONFIG"):
        model_config(settings)
