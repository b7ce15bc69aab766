"""Sessions that are opened again, from wherever, and copies of them: B33, B34, B36, B39, B88."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from canopy_agent.demo.rules import Rule, When
from e2e.world import world
from raw_client import RpcError
from stored_sessions.desk import desk

if TYPE_CHECKING:
    from pathlib import Path

    from canopy_agent.demo.requests import ModelRequest
    from e2e.world import World
    from fakes.cli import FakeCli


def heard(request: ModelRequest) -> str:
    """What the human said so far, in the answer."""
    told = [one for one in request.body["messages"] if one["role"] == "user"]
    words = [word for word in ("apple", "berry", "cherry") if word in str(told)]
    return f"You said {' '.join(words)}."


async def test_b88_each_branch_answers_from_its_own_history() -> None:
    async with world(Rule(When(says="."), heard)) as first:
        await first.open()
        await first.prompt("apple")
        async with first.later() as w:
            await w.load({})
            assert w.agent.text().count("You said apple.") == 1
            assert await said(w, w.session, "berry") == "You said apple berry."
            setup = {"sessionId": w.session, "cwd": str(w.cwd), "mcpServers": []}
            branch = (await w.agent.request("session/fork", **setup))["sessionId"]
            assert branch != w.session
            assert w.updates(branch) == [
                one for one in w.updates(branch) if "chunk" not in one["sessionUpdate"]
            ]
            assert await said(w, branch, "cherry") == "You said apple berry cherry."
            assert await said(w, w.session, "what?") == "You said apple berry."
            await w.agent.request("session/close", sessionId=branch)
            await w.agent.request("session/resume", **{**setup, "sessionId": branch})
            assert await said(w, branch, "what?") == "You said apple berry cherry."
            listed = (await w.agent.request("session/list", cwd=str(w.cwd)))["sessions"]
            assert {row["sessionId"] for row in listed} == {w.session, branch}


async def said(w: World, session: str, text: str) -> str:
    """The answer to a prompt."""
    before = len(w.agent.text(session))
    await w.agent.prompt(session, text)
    return w.agent.text(session)[before:]


async def test_b39_a_session_is_found_by_its_id_from_wherever(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    async with desk(fake_cli, tmp_path) as d:
        stored = d.transcript()
        stored.user("Hello")
        stored.says("Hi.")
        (tmp_path / "link").symlink_to(d.cwd)
        for place in (tmp_path, tmp_path / "link", d.cwd):
            before = len(d.agent.text())
            await d.open("session/load", stored.id, cwd=str(place))
            assert d.agent.text()[before:] == "Hi."
            assert f"--resume={stored.id}" in fake_cli.argvs()[-1]
            await d.agent.request("session/close", sessionId=stored.id)
        for place in ("~/project", "project", ".", "..", str(tmp_path / "gone"), "", "/\0"):
            with pytest.raises(RpcError) as error:
                await d.open("session/load", stored.id, cwd=place)
            assert (error.value.code, error.value.data) == (-32602, {"cwd": place})
        assert len(fake_cli.argvs()) == 3
        (row,) = (await d.agent.request("session/list"))["sessions"]
        assert (row["sessionId"], row["title"]) == (stored.id, "Hello")


async def test_b34_two_loads_show_three_answers_under_the_same_three_ids(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    async with desk(fake_cli, tmp_path) as d:
        stored = d.transcript()
        stored.user("Count")
        for number in ("One", "Two", "Three"):
            stored.says(number)
        told = []
        for _ in range(2):
            before = len(d.agent.updates())
            await d.open("session/load", stored.id)
            chunks = [
                (one["messageId"], one["content"]["text"])
                for one in d.agent.updates()[before:]
                if one["sessionUpdate"] == "agent_message_chunk"
            ]
            told.append(chunks)
        assert [text for _, text in told[0]] == ["One", "Two", "Three"]
        assert len({id_ for id_, _ in told[0]}) == 3
        assert told[0] == told[1]


async def test_b33_a_load_that_takes_long_can_be_cancelled(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    async with desk(fake_cli, tmp_path) as d:
        stored = d.transcript()
        picture = {"type": "base64", "media_type": "image/png", "data": "aGVsbG8="}
        for number in range(1500):
            stored.user([{"type": "text", "text": f"question {number}"}])
            stored.says("answer " * 300)
        stored.user([{"type": "image", "source": picture}, {"type": "text", "text": "the last"}])
        setup = {"sessionId": stored.id, "cwd": str(d.cwd), "mcpServers": []}
        loading = d.agent.begin("session/load", **setup)
        await d.agent.wait_update("user_message_chunk")
        d.agent.notify("$/cancel_request", requestId=d.agent._count)
        with pytest.raises(RpcError) as error:
            await loading
        assert error.value.code == -32800
        told = len(d.agent.updates())
        await d.open("session/load", stored.id)
        history = d.agent.updates()[told:]
        said = [one for one in history if one["sessionUpdate"] == "user_message_chunk"]
        assert len(said) == 1502
        assert said[-2]["content"]["type"] == "image"
        assert said[-1]["content"]["text"] == "the last"


async def test_b36_each_session_that_is_listed_can_be_loaded(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    async with desk(fake_cli, tmp_path) as d:
        for number in range(3):
            mine = d.transcript()
            mine.user("<system-reminder>Be brief.</system-reminder>")
            mine.user(f"Question {number}")
            mine.says("Answer.")
        for number in range(5):
            other = d.transcript()
            other.row(type="summary", summary="A title")
            other.user(f"Task {number}", **({"isSidechain": True} if number else {"teamName": "t"}))
        d.transcript().raw(b"")
        rows = (await d.agent.request("session/list", cwd=str(d.cwd)))["sessions"]
        assert sorted(row["title"] for row in rows) == [f"Question {n}" for n in range(3)]
        for row in rows:
            before = len(d.agent.text())
            await d.open("session/load", row["sessionId"])
            assert d.agent.text()[before:] == "Answer."
