"""Permission requests on the real CLI: what is answered, what is not, and what may never happen."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from canopy_agent.demo.rules import When, flow
from e2e.world import FORM, world
from tools_e2e.planning import settings
from tools_e2e.scripted import call, merged, sequence

if TYPE_CHECKING:
    from e2e.world import World

ASK = "session/request_permission"
WRITE = call("Write", file_path="{cwd}/new.txt", content="x\n")
THEN = flow(When(says="write"), [WRITE], lambda request: f"It said: {request.result_text}")


def selected(option: str) -> dict[str, Any]:
    return {"outcome": {"outcome": "selected", "optionId": option}}


def last_card(w: World) -> dict[str, Any]:
    return list(merged(w.agent.updates()).values())[-1]


ANSWERS: dict[str, Any] = {
    "an error": None,
    "unknown": selected("allow-everything"),
    "blank": selected(""),
    "missing": {"outcome": {"outcome": "selected"}},
    "a list": {"outcome": {"outcome": "selected", "optionId": ["allow-once"]}},
    "cancelled": {"outcome": {"outcome": "cancelled"}},
    "a word": {"outcome": "allow-once"},
    "foreign": {"something": "else"},
}


async def test_b50_scenario_72_no_answer_but_an_offered_one_grants_anything() -> None:
    async with world(THEN) as w:
        await w.open()
        for name, answer in ANSWERS.items():
            if answer is not None:
                w.agent.on(ASK, answer)
            before = len(w.agent.text())
            assert (await w.prompt("write it"))["stopReason"] == "end_turn", name
            card = last_card(w)
            assert card["status"] == "failed", name
            assert card["content"][0]["content"]["text"].strip("`\n"), name
            assert w.agent.text()[before:].startswith("It said: "), name
            assert not (w.cwd / "new.txt").exists(), name
        assert len(w.agent.requests(ASK)) == len(ANSWERS)


async def test_b50_a_refusal_fails_the_call_and_the_model_goes_on() -> None:
    again = call("Write", file_path="{cwd}/other.txt", content="x\n")
    rules = flow(When(says="write"), [WRITE], [again], "Both tried.")
    async with world(rules) as w:
        await w.open()
        w.agent.on_permission("allow_once", lambda p: "other.txt" in str(p))
        w.agent.on_permission("reject_once", lambda p: "new.txt" in str(p))
        assert (await w.prompt("write it"))["stopReason"] == "end_turn"
        states = [card["status"] for card in merged(w.agent.updates()).values()]
        assert states == ["failed", "completed"]
        assert (w.cwd / "other.txt").exists()
        assert not (w.cwd / "new.txt").exists()


async def test_scenario_72_a_hook_that_answers_first_withdraws_the_request() -> None:
    decision = {"hookEventName": "PermissionRequest", "decision": {"behavior": "allow"}}
    told = json.dumps({"hookSpecificOutput": decision})
    command = f"sleep 0.6; echo '{told}'"
    hooks = {"PermissionRequest": [{"matcher": "Write", "hooks": [
        {"type": "command", "command": command}
    ]}]}  # fmt: skip
    async with world(THEN) as w:
        settings(w, hooks=hooks)
        await w.open()
        w.agent.on(ASK, None)
        assert (await w.prompt("write it"))["stopReason"] == "end_turn"
        assert (w.cwd / "new.txt").exists()
        (asked,) = w.agent.requests(ASK)
        withdrawn = [f for f in w.agent.frames if f.get("method") == "$/cancel_request"]
        assert [one["params"]["requestId"] for one in withdrawn] == [asked["id"]]
        assert last_card(w)["status"] == "completed"


async def test_scenario_69_always_stays_within_what_it_said() -> None:
    """A rule for one command does not let another run; it is stored where it says."""
    first = call("Bash", command="npm --version", description="Version")
    second = call("Bash", command="npm run build", description="Build")
    async with world(sequence(first, second)) as w:
        await w.open()
        w.agent.on_permission("allow_always", lambda p: "--version" in str(p["toolCall"]))
        w.agent.on_permission("reject_once", lambda p: "run build" in str(p["toolCall"]))
        await w.prompt("go")
        asked = w.agent.requests(ASK)
        assert len(asked) == 2
        always = [o for o in asked[0]["params"]["options"] if o["kind"] == "allow_always"]
        kept = w.cwd / ".claude" / "settings.local.json"
        assert len(always) == 1
        assert "in this project" in always[0]["name"]
        rules = json.loads(kept.read_text())["permissions"]["allow"]
        assert rules
        assert all("npm" in rule and "build" not in rule for rule in rules)


async def test_b49_the_mode_decides_what_is_asked() -> None:
    calls = [
        call("Read", file_path="{cwd}/README.md"),
        WRITE,
        call("Bash", command="python3 -c \"open('made.txt', 'w')\"", description="Make"),
    ]
    expected = {
        "default": ["Write", "Bash"],
        "acceptEdits": ["Bash"],
        "bypassPermissions": [],
        "plan": ["Write", "Bash"],
    }
    async with world(flow(When(says="go"), *[[one] for one in calls], "Done.")) as w:
        await w.open()
        w.agent.on_permission("allow_once")
        for mode, asks in expected.items():
            await w.agent.request("session/set_mode", sessionId=w.session, modeId=mode)
            before = len(w.agent.requests(ASK))
            await w.prompt("go")
            asked = w.agent.requests(ASK)[before:]
            assert [one["params"]["toolCall"]["name"] for one in asked] == asks, mode


async def test_b49_an_ask_rule_asks_in_bypass_mode_too_and_offers_no_always() -> None:
    command = call("Bash", command="touch made.txt", description="Make")
    async with world(sequence(command)) as w:
        settings(w, permissions={"ask": ["Bash(touch:*)"], "defaultMode": "default"})
        await w.open(FORM)
        await w.agent.request("session/set_mode", sessionId=w.session, modeId="bypassPermissions")
        w.agent.on_permission("allow_once")
        await w.prompt("go")
        (asked,) = w.agent.requests(ASK)
        kinds = [one["kind"] for one in asked["params"]["options"]]
        assert kinds == ["allow_once", "reject_once"]


async def test_scenario_64_a_deny_rule_fails_a_shown_call_with_its_reason() -> None:
    command = call("Bash", command="touch made.txt", description="Make")
    async with world(sequence(command)) as w:
        settings(w, permissions={"deny": ["Bash(touch:*)"], "defaultMode": "default"})
        await w.open()
        await w.prompt("go")
        assert w.agent.requests(ASK) == []
        card = last_card(w)
        assert card["status"] == "failed"
        assert "denied" in str(card["content"]).lower()
        failed = [u for u in w.agent.updates("tool_call_update") if u.get("status") == "failed"]
        assert len(failed) == 1


async def test_scenario_77_a_plan_that_the_model_begins_is_a_mode_update() -> None:
    search = call("ToolSearch", query="select:EnterPlanMode")
    async with world(sequence(search, call("EnterPlanMode"))) as w:
        await w.open()
        await w.prompt("go")
        assert [u["currentModeId"] for u in w.agent.updates("current_mode_update")] == ["plan"]
        options = w.agent.updates("config_option_update")[-1]["configOptions"]
        assert options[0]["currentValue"] == "plan"
