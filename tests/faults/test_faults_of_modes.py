"""Which permission mode a session is in, and that it is the one that is shown: B47, B49."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from brokers.conftest import ask
from canopy_agent.brokers.durable import Place
from canopy_agent.brokers.permission_options import PermissionPolicy, decide, options_for
from canopy_agent.brokers.plan_exit import PlanPolicy
from canopy_shared.permission import PermissionOutcome
from raw_client import RpcError
from stored_sessions.desk import desk

if TYPE_CHECKING:
    from pathlib import Path

    from fakes.cli import FakeCli

PLAN = ask("ExitPlanMode", {"plan": "# Plan\n"})
CANCELLED = PermissionOutcome(None)
SUFFIXES = {
    "acceptEdits": "accept-edits",
    "auto": "auto",
    "bypassPermissions": "bypass",
}


@pytest.mark.parametrize("bypass", [True, False])
@pytest.mark.parametrize("auto", [True, False])
@pytest.mark.parametrize("before", ["default", *SUFFIXES])
def test_b47_every_way_out_of_plan_mode(before: str, auto: bool, bypass: bool) -> None:
    plan = PlanPolicy(auto_available=auto, bypass_available=bypass, mode_before=before)
    policy = PermissionPolicy(Place("/project", "/home/me"), plan)
    options = {one.id: one for one in options_for(PLAN, policy)}
    here = {"auto": auto, "bypassPermissions": bypass, "acceptEdits": before == "acceptEdits"}
    offered = [mode for mode, there in here.items() if there] or ["acceptEdits"]
    modes = {f"exit-plan-{SUFFIXES[mode]}": mode for mode in offered}
    assert {id_ for id_ in options if "clear" not in id_} == {
        "exit-plan-default",
        "reject",
        *modes,
    }
    if before in offered:
        assert list(options)[1:3] == [
            f"exit-plan-clear-{SUFFIXES[before]}",
            f"exit-plan-{SUFFIXES[before]}",
        ]
    for id_, mode in {"exit-plan-default": "default", **modes}.items():
        decision = decide(PermissionOutcome(id_), tuple(options.values()), PLAN, policy)
        response: Any = decision.answer.response  # type: ignore[union-attr]
        assert response["behavior"] == "allow"
        assert [one["mode"] for one in response["updatedPermissions"]] == [mode]
    for refusal in (PermissionOutcome("reject"), PermissionOutcome("exit-plan-unknown"), CANCELLED):
        refused = decide(refusal, tuple(options.values()), PLAN, policy)
        assert getattr(refused.answer, "response", {}).get("behavior") != "allow"


@pytest.mark.parametrize("by", ["the person", "the model"])
async def test_b47_the_mode_before_planning_is_offered_first(
    fake_cli: FakeCli, tmp_path: Path, by: str
) -> None:
    leave = {
        "subtype": "can_use_tool",
        "tool_name": "ExitPlanMode",
        "tool_use_id": "t1",
        "input": {"plan": "# Plan"},
    }
    status = {"type": "system", "subtype": "status", "permissionMode": "plan"}
    enter: list[dict[str, Any]] = [{"emit": status}] if by == "the model" else []
    tool = {"tool": {"id": "t1", "name": "ExitPlanMode", "input": {"plan": "# Plan"}}}
    refused = {"tool_result": {"id": "t1", "content": "no", "is_error": True}}
    entering = [{"open": {}}, *enter, {"done": {}}]
    leaving = [{"open": {}}, tool, {"ask": leave}, refused, {"done": {}}]
    fake_cli.play(turns=[entering, leaving])
    async with desk(fake_cli, tmp_path) as d:
        session = await d.agent.new_session(d.cwd)
        modes = ["acceptEdits", *(["plan"] if by == "the person" else [])]
        for mode in modes:
            await d.agent.request("session/set_mode", sessionId=session, modeId=mode)
        d.agent.on_permission("reject_once")
        await d.agent.prompt(session, "plan it")
        if by == "the model":
            await d.agent.wait_update("current_mode_update")
        await d.agent.prompt(session, "now do it")
        [asked] = d.agent.requests("session/request_permission")
        ids = [one["optionId"] for one in asked["params"]["options"]]
        ids = [one for one in ids if "clear" not in one]
        assert ids[:2] == ["exit-plan-default", "exit-plan-accept-edits"]


async def test_b49_the_mode_that_is_shown_is_the_one_the_cli_is_in(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    async with desk(fake_cli, tmp_path) as d:
        stored = d.transcript()
        stored.user("Hello", permissionMode="acceptEdits")
        stored.says("Hi.")
        loaded = await d.open("session/load", stored.id)
        assert loaded["modes"]["currentModeId"] == "acceptEdits"
        argv = fake_cli.argvs()[0]
        assert argv[argv.index("--permission-mode") + 1] == "acceptEdits"

        await d.agent.request("session/set_mode", sessionId=stored.id, modeId="plan")
        assert fake_cli.requests("set_permission_mode")[-1]["mode"] == "plan"
        await d.open("session/resume", stored.id)
        assert loaded["modes"] != (await d.open("session/load", stored.id))["modes"]
        told = d.agent.updates("config_option_update")[-1]["configOptions"]
        assert {one["id"]: one["currentValue"] for one in told}["mode"] == "plan"


async def test_b49_a_mode_that_the_cli_refuses_is_an_error_and_not_shown(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    fake_cli.play(control={"set_permission_mode": {"error": "not allowed here"}})
    (tmp_path / ".claude").mkdir()
    settings = tmp_path / ".claude" / "settings.json"
    settings.write_text('{"permissions": {"defaultMode": "default"}}')
    async with desk(fake_cli, tmp_path) as d:
        session = await d.agent.new_session(d.cwd)
        before = len(d.agent.updates("config_option_update"))
        with pytest.raises(RpcError, match="not allowed here"):
            await d.agent.request("session/set_mode", sessionId=session, modeId="plan")
        assert len(d.agent.updates("config_option_update")) == before
        assert d.agent.updates("current_mode_update") == []
        wrong = {"sessionId": session, "modeId": "unlimited"}
        assert (await d.refused("session/set_mode", **wrong))[0] == -32602
