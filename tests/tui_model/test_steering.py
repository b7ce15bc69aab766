"""Messages said into a turn that runs, over real pipes: taken in, too late, refused, cut off."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from canopy_tui.model.entries import MessageEntry, Role
from canopy_tui.model.intents import SendPrompt, SteerPrompt, SteerQueued
from fakes.agent import FakeAgentScript, said
from tui_model.client_world import foreign_world, notices, texts

OFFERED = {"_meta": {"steering": {"supported": True}}}


def scripted(folder: Path, *steering: list[Any], **more: Any) -> FakeAgentScript:
    """The first turn lasts until the gate ``end`` is open; later ones end at once."""
    script = FakeAgentScript(folder)
    turn = [{"update": said("working")}, {"file": script.gate("end")}]
    script.play(
        {
            "initialize": OFFERED,
            "session/prompt": [turn, []],
            "_session/steering": list(steering),
            **more,
        }
    )
    return script


async def test_a_message_goes_into_the_running_turn(tmp_path: Path) -> None:
    script = scripted(tmp_path, [{"respond": {"outcome": "injected"}}])
    async with foreign_world(script) as world:
        root = await world.ready()
        assert world.state.link.can_steer
        world.act(SendPrompt(root.id, "A"))
        world.act(SendPrompt(root.id, "B"))
        world.act(SendPrompt(root.id, "whole C", source="short C"))
        await world.until(lambda: texts(root), "the answer")
        world.act(SteerQueued(root.id, root.queue[1].id))
        assert [prompt.written for prompt in root.queue] == ["B"]
        assert [prompt.written for prompt in root.steering] == ["short C"]
        await world.until(lambda: not root.steering, "the agent to take it")
        world.act(SteerPrompt(root.id, "D"))
        await world.until(lambda: not root.steering, "the agent to take it")
        own = [e for e in root.entries if isinstance(e, MessageEntry) and e.role is Role.USER]
        assert [(entry.text, entry.into_turn) for entry in own] == [
            ("A", False),
            ("whole C", True),
            ("D", True),
        ]
        script.open_gate("end")
        await world.until(lambda: root.turns_done == 2, "both turns")
        world.act(SteerPrompt(root.id, "E"))  # no turn runs: an ordinary message
        await world.until(lambda: root.turns_done == 3, "the last turn")
    first, _ = script.received("_session/steering")
    assert first["params"] == {
        "sessionId": "S1",
        "prompt": [{"type": "text", "text": "whole C"}],
        "_meta": {"steering": {"idleBehavior": "promptRequired"}},
    }
    prompts = [m["params"]["prompt"][0]["text"] for m in script.received("session/prompt")]
    assert prompts == ["A", "B", "E"]


NOT_TAKEN = {
    "too late": ([{"respond": {"outcome": "promptRequired", "reason": "noRunningTurn"}}], ""),
    "odd answer": ([{"respond": {}}], ""),
    "refused": ([{"error": {"code": -32603, "message": "no room"}}], "no room"),
}


@pytest.mark.parametrize("what", NOT_TAKEN)
async def test_a_message_that_was_not_taken_waits_again_as_the_first(
    tmp_path: Path, what: str
) -> None:
    steps, why = NOT_TAKEN[what]
    script = scripted(tmp_path, steps)
    async with foreign_world(script) as world:
        root = await world.ready()
        world.act(SendPrompt(root.id, "A"))
        world.act(SendPrompt(root.id, "B"))
        await world.until(lambda: texts(root), "the answer")
        world.act(SteerPrompt(root.id, "now"))
        await world.until(lambda: len(root.queue) == 2, "the message to wait again")
        assert [prompt.text for prompt in root.queue] == ["now", "B"]
        assert [notice.detail for notice in notices(root)] == ([why] if why else [])
        script.open_gate("end")
        await world.until(lambda: root.turns_done == 3, "every turn")
    prompts = [m["params"]["prompt"][0]["text"] for m in script.received("session/prompt")]
    assert prompts == ["A", "now", "B"]


async def test_b20_a_message_on_its_way_survives_the_agent(tmp_path: Path) -> None:
    script = scripted(tmp_path, [{"exit": 3}])
    async with foreign_world(script) as world:
        root = await world.ready()
        world.act(SendPrompt(root.id, "A"))
        world.act(SendPrompt(root.id, "B"))
        await world.until(lambda: texts(root), "the answer")
        world.act(SteerPrompt(root.id, "now"))
        await world.until(lambda: world.state.link.status == "lost", "the loss")
        await world.until(lambda: not root.steering, "the end of the steering")
        assert [prompt.text for prompt in root.queue] == ["now", "B"]
        assert root.queue_held


async def test_an_agent_that_takes_none_gets_it_as_a_message(tmp_path: Path) -> None:
    script = scripted(tmp_path, initialize={"_meta": {"steering": {"supported": "yes"}}})
    async with foreign_world(script) as world:
        root = await world.ready()
        world.act(SendPrompt(root.id, "A"))
        await world.until(lambda: texts(root), "the answer")
        world.act(SteerPrompt(root.id, "now"))
        world.act(SteerQueued(root.id, root.queue[0].id))
        assert [prompt.text for prompt in root.queue] == ["now"]
        script.open_gate("end")
        await world.until(lambda: root.turns_done == 2, "both turns")
    assert script.received("_session/steering") == []
