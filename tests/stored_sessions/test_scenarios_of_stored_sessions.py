"""Load, resume, list, fork and delete over the wire; numbers in names are those of the scenarios.

The transcripts are written by the test, the CLI is a fake that echoes.
"""

from __future__ import annotations

import json
import uuid
from datetime import datetime
from typing import TYPE_CHECKING, Any

from canopy_shared import jsonio
from canopy_shared.ext import air, canopy
from stored_sessions.desk import desk

if TYPE_CHECKING:
    from pathlib import Path

    from fakes.cli import FakeCli


async def test_scenarios_19_24_26_what_is_not_there(fake_cli: FakeCli, tmp_path: Path) -> None:
    unknown = str(uuid.uuid4())
    async with desk(fake_cli, tmp_path) as d:
        setup = {"cwd": str(d.cwd), "mcpServers": []}
        for method in ("session/load", "session/resume", "session/fork"):
            for id_ in (unknown, "../../secret"):
                told = await d.refused(method, sessionId=id_, **setup)
                assert told == (-32002, {"sessionId": id_}), method
        assert d.agent.updates() == []
        assert fake_cli.argvs() == []
        assert await d.agent.request("session/delete", sessionId=unknown) == {}
        assert await d.agent.request("session/close", sessionId=unknown) == {}
        assert await d.refused("session/list", cursor="abc") == (-32602, {"cursor": "abc"})
        for place in ("here", "/a\0b", "/half of an emoji \ud83d"):
            assert (await d.refused("session/list", cwd=place))[0] == -32602
            extra = {**setup, "additionalDirectories": [place]}
            assert (await d.refused("session/new", **extra))[0] == -32602
        assert fake_cli.argvs() == []
        assert await d.agent.request("session/list", cwd=str(d.cwd)) == {"sessions": []}


async def test_scenario_24_a_thousand_sessions_are_a_page(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    async with desk(fake_cli, tmp_path) as d:
        for _ in range(1001):
            d.transcript().user("Hello")
        first = await d.agent.request("session/list", cwd=str(d.cwd))
        assert (len(first["sessions"]), first["nextCursor"]) == (1000, "offset:1000")
        rest = await d.agent.request("session/list", cwd=str(d.cwd), cursor=first["nextCursor"])
        assert len(rest["sessions"]) == 1
        assert "nextCursor" not in rest
        ids = {row["sessionId"] for row in (*first["sessions"], *rest["sessions"])}
        assert len(ids) == 1001


async def test_scenarios_20_22_23_27_a_load_and_what_keeps_its_process(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    client = {"_meta": air.client_meta(air.LOAD_REPLAY_END)}
    async with desk(fake_cli, tmp_path, client) as d:
        stored = d.transcript()
        stored.user("Look at it")
        stored.block("m1", {"type": "thinking", "thinking": "Hm.", "signature": "s"})
        stored.calls("Read", "t1", "m1", file_path=f"{d.cwd}/a.txt")
        stored.returns("t1", "one")
        stored.says("It says one.", "m2")
        skills = [{"claudeCode": {"options": {"skills": [*names]}}} for names in ("ab", "ba")]

        await d.open("session/load", stored.id, _meta=skills[0])
        frames = d.agent.frames
        answer = next(at for at, one in enumerate(frames) if "modes" in one.get("result", {}))
        assert frames[answer]["result"]["sessionId"] == stored.id
        history = [one["params"]["update"] for one in frames[:answer] if "params" in one]
        kinds = [u["sessionUpdate"] for u in history]
        assert all("_meta" not in one["params"] for one in frames[:answer] if "params" in one)
        assert kinds[:3] == ["user_message_chunk", "agent_thought_chunk", "tool_call"]
        spoken = [u for u in history if u["sessionUpdate"].endswith("_chunk")]
        assert len({u["messageId"] for u in spoken}) == len(spoken) == 3
        end = history[-1]
        assert end["sessionUpdate"] == "session_info_update"
        assert end["_meta"] == air.wrap(loadReplayEnd=True)
        assert not {"title", "updatedAt"} & end.keys()
        await d.agent.wait_update("available_commands_update")
        assert "available_commands_update" not in kinds
        assert f"--resume={stored.id}" in fake_cli.argvs()[0]

        await d.agent.request("session/set_mode", sessionId=stored.id, modeId="plan")
        for meta in skills:
            await d.open("session/resume", stored.id, _meta=meta)
        assert len(fake_cli.argvs()) == 1
        server = {"name": "my server", "command": "true", "args": ["a b"], "env": []}
        again = await d.open("session/resume", stored.id, mcpServers=[server])
        assert again["modes"]["currentModeId"] == "plan"
        _, restarted = fake_cli.argvs()
        assert restarted[restarted.index("--permission-mode") + 1] == "plan"
        servers = json.loads(restarted[restarted.index("--mcp-config") + 1])["mcpServers"]
        assert servers["my server"]["args"] == ["a b"]

        turn = d.agent.begin_prompt(stored.id, "one more")
        assert await d.agent.request("session/close", sessionId=stored.id) == {}
        assert turn.done()
        assert await d.agent.request("session/close", sessionId=stored.id) == {}


async def test_scenario_25_forks_by_message(fake_cli: FakeCli, tmp_path: Path) -> None:
    async with desk(fake_cli, tmp_path) as d:
        stored = d.transcript()
        for number in ("one", "two"):
            stored.user(f"Say {number}")
            stored.says(number, f"m_{number}")

        async def forked(**point: Any) -> tuple[str, str]:
            result = await d.open("session/fork", stored.id, _meta=air.wrap(fork=point))
            path = stored.path.with_name(f"{result['sessionId']}.jsonl")
            assert result["sessionId"] != stored.id
            told = await d.agent.prompt(result["sessionId"], "And now?")
            assert told["stopReason"] == "end_turn"
            return result["sessionId"], path.read_text()

        before = stored.path.read_text()
        for point in ("m_one", "m_one:segment:2"):
            id_, text = await forked(version=1, messageId=point)
            assert "Say one" in text
            assert "Say two" not in text
            assert f"--resume={id_}" in fake_cli.argvs()[-1]
        for whole in ({"version": 2, "messageId": "m_one"}, {"version": 1, "messageId": " "}):
            assert "Say two" in (await forked(**whole))[1]
        none = await d.refused(
            "session/fork",
            sessionId=stored.id,
            cwd=str(d.cwd),
            mcpServers=[],
            _meta=air.wrap(fork={"version": 1, "messageId": "m_none"}),
        )
        assert none == (-32602, {"messageId": "m_none"})
        assert stored.path.read_text() == before
        assert len(list(stored.path.parent.glob("*.jsonl"))) == 5


async def test_our_own_client_is_told_when_it_all_happened(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    meta = air.client_meta(air.LOAD_REPLAY_END) | canopy.client_meta()
    async with desk(fake_cli, tmp_path, {"_meta": meta}) as d:
        stored = d.transcript()
        stored.user("Look at it")
        stored.says("It says one.", "m2")
        await d.open("session/load", stored.id)
        told = [one["params"] for one in d.agent.frames if "update" in one.get("params", {})]
        spoken = [one for one in told if one["update"]["sessionUpdate"].endswith("_chunk")]
        records = [jsonio.loads(line) for line in stored.path.read_bytes().splitlines()]
        wrote = [datetime.fromisoformat(one["timestamp"]).timestamp() for one in records]
        assert [canopy.at_of(one["_meta"]) for one in spoken] == wrote
