"""A Claude Code that does not start: the right code, words that say what to do, nothing left."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import pytest

from accounts.stage import stage
from canopy_agent.claude.errors import ClaudeStartFailed, ControlFailed
from canopy_agent.session.startup_failure import HIDDEN, told, without_secrets
from e2e.world import world
from raw_client import RpcError

if TYPE_CHECKING:
    from pathlib import Path

    from fakes.cli import FakeCli

SECRET = "sk-ant-0123456789"


def refusal(reason: str | None, *errors: str) -> list[dict[str, Any]]:
    """Steps of a CLI that says why it does not start."""
    result = {
        "type": "result",
        "subtype": "error_during_execution",
        "is_error": True,
        "errors": list(errors),
        **({} if reason is None else {"startup_failure_reason": reason}),
    }
    return [{"emit": result}, {"exit": 1}]


CODES = [
    ("gateway_signin_required", -32000),
    ("org_pin_mismatch", -32000),
    ("org_config_refused", -32000),
    ("cwd_unavailable", -32602),
    ("managed_settings_invalid", -32603),
    ("cli_version_too_old", -32603),
    ("a_reason_of_tomorrow", -32603),
]


@pytest.mark.parametrize(("reason", "code"), CODES)
def test_each_reason_has_its_code_and_the_words_of_the_cli(reason: str, code: int) -> None:
    error = told(ClaudeStartFailed("Ask your administrator.", reason=reason))
    assert error.code == code
    assert "Ask your administrator." in error.message
    assert error.data == {"startupFailureReason": reason}


def test_a_conversation_that_is_not_there_is_not_found() -> None:
    failed = ClaudeStartFailed("No conversation found with session ID: 1")
    assert told(failed, "1").code == -32002
    assert told(failed, "1").data == {"sessionId": "1"}
    assert told(failed).code == -32603


def test_a_failure_of_our_own_tells_nothing_of_itself(caplog: pytest.LogCaptureFixture) -> None:
    error = told(KeyError(SECRET))
    assert (error.code, SECRET in error.message) == (-32603, False)
    assert told(ControlFailed("set_model", "no such model")).code == -32603


def test_credentials_are_taken_out_of_words() -> None:
    environ = {
        "ANTHROPIC_API_KEY": SECRET,
        "ANTHROPIC_CUSTOM_HEADERS": "X-A: header-value\nX-B: other-value",
        "MY_TOKEN": "short",
        "PATH": "/usr/bin",
    }
    text = without_secrets(f"bad key {SECRET}, header-value, other-value, short, /usr/bin", environ)
    assert text == f"bad key {HIDDEN}, {HIDDEN}, {HIDDEN}, short, /usr/bin"


async def test_a_refused_start_is_told_over_the_wire_and_leaves_nothing(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    reasons = [("org_pin_mismatch", -32000), ("cwd_unavailable", -32602), (None, -32603)]
    async with stage(fake_cli, tmp_path, env={"ANTHROPIC_API_KEY": SECRET}) as s:
        await s.agent.initialize()
        for reason, code in reasons:
            fake_cli.play(
                control={"initialize": {"ignore": True}},
                start=refusal(reason, f"Not here, not with {SECRET}."),
            )
            error = await s.refused("session/new", cwd=str(s.cwd), mcpServers=[])
            assert error.code == code
            assert "Not here" in error.message
            assert error.data == (reason and {"startupFailureReason": reason})
        fake_cli.play()
        await s.agent.new_session(s.cwd)
        assert SECRET not in str(s.agent.frames) + s.agent.stderr


async def test_a_start_that_ends_without_a_word_shows_the_end_of_its_stderr(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    fake_cli.play(
        control={"initialize": {"ignore": True}},
        start=[{"stderr": f"libfoo.so is missing, key {SECRET}\n"}, {"exit": 127}],
    )
    async with stage(fake_cli, tmp_path, env={"ANTHROPIC_API_KEY": SECRET}) as s:
        await s.agent.initialize()
        error = await s.refused("session/new", cwd=str(s.cwd), mcpServers=[])
        assert error.code == -32603
        assert "exit status 127" in error.message
        assert "libfoo.so is missing" in error.message
        assert SECRET not in error.message


async def test_a_cli_that_is_missing_or_wrong_is_an_error_with_a_remedy(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    (tmp_path / "text").write_text("no program\n")
    for path, words in ((tmp_path / "gone", "gone"), (tmp_path / "text", "not")):
        async with stage(fake_cli, tmp_path, env={"CLAUDE_CODE_EXECUTABLE": str(path)}) as s:
            await s.agent.initialize()
            error = await s.refused("session/new", cwd=str(s.cwd), mcpServers=[])
            assert error.code == -32603
            assert words in error.message
            assert "CLAUDE_CODE_EXECUTABLE" in error.message
            error = await s.refused("logout")
            assert "CLAUDE_CODE_EXECUTABLE" in error.message


async def test_a_directory_that_is_gone_when_the_cli_starts_again(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    fake_cli.play(turns=[[{"open": {}}, {"done": {}}, {"exit": 0}]])
    async with stage(fake_cli, tmp_path) as s:
        place = tmp_path / "elsewhere"
        place.mkdir()
        await s.agent.initialize()
        session = await s.agent.new_session(place)
        await s.agent.prompt(session, "one")
        shutil.rmtree(place)
        with pytest.raises(RpcError) as failed:
            await s.agent.prompt(session, "two")
        assert failed.value.code == -32603
        assert "elsewhere" in failed.value.message
        place.mkdir()
        assert (await s.agent.prompt(session, "three"))["stopReason"] == "end_turn"


async def test_the_real_cli_says_which_file_or_proxy_is_wrong() -> None:
    async with world(env={"HTTPS_PROXY": "nonsense"}) as w:
        await w.agent.initialize()
        with pytest.raises(RpcError) as failed:
            await w.agent.new_session(w.cwd)
        assert failed.value.code == -32603
        assert "HTTPS_PROXY" in failed.value.message
        assert failed.value.data == {"startupFailureReason": "proxy_invalid"}
    async with world() as w:
        (w.config / ".claude.json").write_text("{broken")
        await w.agent.initialize()
        with pytest.raises(RpcError) as failed:
            await w.agent.new_session(w.cwd)
        assert ".claude.json" in failed.value.message
