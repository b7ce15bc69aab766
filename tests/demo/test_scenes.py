"""Each scene of the demo on the real Claude Code CLI, with no pauses."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from canopy_agent.demo.scenes import scene_list
from canopy_agent.demo.scenes.crew import NEW_TESTS
from canopy_agent.demo.scenes.editing import BROKEN, FIXED
from canopy_agent.demo.scenes.question import EXTRAS, LAYOUT
from canopy_agent.demo.workspace import demo_environment
from demo.claude import Claude, Frame, allow, later, refuse, running

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from canopy_agent.demo.workspace import DemoEnvironment

SAY = {scene.name: scene.example for scene in scene_list()}


@asynccontextmanager
async def demo(
    answer: Callable[[Frame], Frame | None] = allow, pace: float = 0.0, **initialize: Any
) -> AsyncIterator[tuple[DemoEnvironment, Claude]]:
    """The demo with a running CLI; whatever happens in it must have been scripted."""
    async with demo_environment(pace=pace) as place:
        async with running(place, answer, **initialize) as claude:
            yield place, claude
        assert place.model.unscripted == []
        assert place.model.faults == []


def streamed(claude: Claude, kind: str, field: str) -> str:
    """What came as deltas of one kind, in the whole session."""
    deltas = [
        one["event"].get("delta", {}) for one in claude.frames if one["type"] == "stream_event"
    ]
    return "".join(delta[field] for delta in deltas if delta.get("type") == kind)


def answered(frame: Frame) -> Frame | None:
    """Answer the questions of the form, allow everything else."""
    request = frame["request"]
    if request["tool_name"] != "AskUserQuestion":
        return allow(frame)
    answers = {LAYOUT: "Wide page", EXTRAS: "Tax number, A thank you"}
    return {"behavior": "allow", "updatedInput": {**request["input"], "answers": answers}}


def agents(claude: Claude) -> dict[str, Frame]:
    """The agents that were started, by description."""
    return {one["description"]: one for one in claude.system("task_started")}


async def all_done(claude: Claude, times: int = 1) -> None:
    """Wait until the main agent has said for the nth time that no agent is left."""
    await claude.until(
        lambda one: (
            one["type"] == "assistant"
            and one["parent_tool_use_id"] is None
            and "All agents are done." in str(one["message"]["content"])
        ),
        times,
    )


async def test_one_session_plays_scene_after_scene() -> None:
    async with demo(answered) as (place, claude):
        rules = place.cwd / "fruitstand" / "discounts.py"

        told = (await claude.turn(SAY["answer"]))["result"]
        assert streamed(claude, "thinking_delta", "thinking").startswith("The question is")
        assert streamed(claude, "text_delta", "text") == told
        assert all(
            mark in told
            for mark in ("# From", "## In code", "| module", "1. **", "```python", "```sh")
        )

        told = (await claude.turn(SAY["read"]))["result"]
        assert "`fruitstand/discounts.py`, line 22" in told
        assert "`fruitstand/receipt.py`, line 14" in told
        assert claude.asked() == []

        told = (await claude.turn(SAY["command"]))["result"]
        assert "`test_a_big_basket_starts_at_twenty`" in told

        told = (await claude.turn(SAY["edit"]))["result"]
        assert told.startswith("Done")
        assert FIXED in rules.read_text()

        assert (await claude.turn(SAY["command"]))["result"] == "All 7 tests pass."
        assert "already says `>=`" in (await claude.turn(SAY["edit"]))["result"]

        told = (await claude.turn(SAY["question"]))["result"]
        assert "**Layout:** Wide page" in told
        assert "tax no." in told
        assert "Thank you, come again!" in told
        assert "December" not in told

        asked = [one["request"]["tool_name"] for one in claude.asked()]
        assert asked == ["Bash", "Edit", "Bash", "AskUserQuestion"]


async def test_who_says_no_is_understood() -> None:
    async with demo(refuse) as (place, claude):
        assert (await claude.turn(SAY["edit"]))["result"].startswith("All right")
        assert BROKEN in (place.cwd / "fruitstand" / "discounts.py").read_text()
        assert "did not run" in (await claude.turn(SAY["command"]))["result"]
        assert "No answer is fine" in (await claude.turn(SAY["question"]))["result"]
        assert len(claude.asked()) == 3


async def test_a_session_recovers_from_an_error() -> None:
    async with demo() as (_, claude):
        failed = await claude.turn(SAY["error"])
        assert failed["is_error"]
        assert failed["api_error_status"] == 529
        assert "this is the demo of an error" in failed["result"]
        assert claude.system("api_retry")
        assert (await claude.turn("try again"))["result"].startswith("It is over")
        assert not (await claude.turn(SAY["read"]))["is_error"]


async def test_the_tree_goes_on_after_the_turn_and_one_of_it_asks() -> None:
    async with demo(later) as (place, claude):
        first = await claude.turn(SAY["tree"])
        assert "compares with `>`" in first["result"]
        assert "in the background" in first["result"]
        await claude.until(lambda one: one["type"] == "control_request")
        (ask,) = claude.asked()
        started = agents(claude)
        writer = started["Write receipt tests"]
        assert ask["request"]["tool_name"] == "Write"
        assert ask["request"]["agent_id"] == writer["task_id"]
        assert claude.frames.index(ask) > claude.frames.index(first)
        assert {name: one["is_backgrounded"] for name, one in started.items()}.items() >= {
            "Review the discount rules": False,
            "Write receipt tests": True,
            "Check the README": True,
        }.items()
        await claude.until(lambda one: "Check the README** has finished" in str(one.get("result")))
        nested = agents(claude)["Check the README commands"]
        assert nested["spawn_depth"] == 2
        claude.answer(ask, allow(ask) or {})
        await all_done(claude)
        assert "**Write receipt tests** has finished" in streamed(claude, "text_delta", "text")
        assert (place.cwd / NEW_TESTS).read_text().startswith("import unittest")
        assert len(claude.system("task_started")) == 4

        # Once more: the file is there now, so the writer wants to run the tests.
        await claude.turn(SAY["tree"])
        await claude.until(lambda one: one["type"] == "control_request", 2)
        again = claude.asked()[1]
        assert again["request"]["tool_name"] == "Bash"
        claude.answer(again, refuse(again) or {})
        await all_done(claude, 2)
        assert len(claude.system("task_started")) == 8


async def test_a_refused_agent_says_so() -> None:
    async with demo(refuse) as (place, claude):
        await claude.turn(SAY["tree"])
        await all_done(claude)
        assert "not allowed to write" in streamed(claude, "text_delta", "text")
        assert not (place.cwd / NEW_TESTS).exists()


async def test_other_words_meanwhile_and_a_stopped_agent_do_no_harm() -> None:
    async with demo(later, perTaskStopAffordance=True) as (_, claude):
        await claude.turn(SAY["tree"])
        await claude.until(lambda one: one["type"] == "control_request")
        await claude.turn(SAY["read"])
        await claude.control("stop_task", task_id=agents(claude)["Write receipt tests"]["task_id"])
        await all_done(claude)
        told = streamed(claude, "text_delta", "text")
        assert "Discounts are worked out" in told
        assert "**Write receipt tests** was stopped" in told
        assert "**Check the README** has finished" in told


async def test_a_stopped_agent_in_front_lets_the_turn_go_on() -> None:
    async with demo(later, pace=1.0, perTaskStopAffordance=True) as (place, claude):
        claude.say(SAY["tree"])
        await place.model.saw(lambda one: one.agent == "discount reviewer")
        front = agents(claude)["Review the discount rules"]
        await claude.control("stop_task", task_id=front["task_id"])
        told = (await claude.result())["result"]
        assert told.startswith("The review of the discount rules was stopped")
        await place.model.had(
            lambda one: one.request.agent == "discount reviewer" and one.outcome == "gone"
        )


async def test_a_broken_off_turn_leaves_a_session_that_answers() -> None:
    async with demo(later, perTaskStopAffordance=True) as (place, claude):
        claude.say(SAY["command"])
        await claude.until(lambda one: one["type"] == "control_request")
        await claude.control("interrupt")
        await claude.result()
        claude.say(SAY["tree"])
        await place.model.saw(lambda one: one.agent == "discount reviewer")
        await claude.control("interrupt")
        await claude.result(2)
        assert (await claude.turn(SAY["answer"]))["result"].startswith("# From basket")


async def test_a_message_typed_midway_is_answered_in_the_turn() -> None:
    async with demo(later) as (_, claude):
        claude.say(SAY["command"])
        await claude.until(lambda one: one["type"] == "control_request")
        claude.say(SAY["answer"])
        (ask,) = claude.asked()
        claude.answer(ask, allow(ask) or {})
        await claude.until(lambda one: str(one.get("result")).startswith("# From basket"))
