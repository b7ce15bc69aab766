"""A recording shows what its client showed, in its own time, and needs no agent."""

from __future__ import annotations

import os
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from canopy_shared.frames import Notification, Request, Response
from canopy_shared.record import AGENT, CLIENT, Recorder, Recording, Step, read_recording
from canopy_tui.agents.foreign_agent import launch_foreign
from canopy_tui.model.intents import (
    AnswerPermission,
    RestartAgent,
    SendPrompt,
    SetMode,
    SteerPrompt,
)
from canopy_tui.recording import recorded
from canopy_tui.replay.player import Player
from fakes.agent import (
    FakeAgentScript,
    ask_permission,
    child_ended,
    child_update,
    said,
    spawned,
    tool,
    tool_update,
)
from tui_model.client_world import world

_OF_THE_MOMENT = frozenset({"at", "key", "held", "seen", "unseen", "waited", "watched", "revision"})


def shape(value: Any) -> Any:
    """What a state holds, without times and numbers that are counted per client."""
    if is_dataclass(value) and not isinstance(value, type):
        return {
            field.name: shape(getattr(value, field.name))
            for field in fields(value)
            if field.name not in _OF_THE_MOMENT and not field.name.endswith("_at")
        }
    if isinstance(value, dict):
        return {str(key): shape(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [shape(item) for item in value]
    if isinstance(value, set | frozenset):
        return sorted(map(str, value))
    return value.name if isinstance(value, Enum) else value


SCRIPT: dict[str, Any] = {
    "initialize": {"_meta": {"steering": {"supported": True}}},
    "_session/steering": [[{"respond": {"outcome": "injected"}}]],
    "session/new": [
        [
            {
                "respond": {
                    "sessionId": "S",
                    "modes": {
                        "currentModeId": "ask",
                        "availableModes": [
                            {"id": "ask", "name": "Ask"},
                            {"id": "plan", "name": "Plan"},
                        ],
                    },
                }
            }
        ]
    ],
    "session/prompt": [
        [
            {"updates": [said("I look. "), tool("t1"), tool_update("t1", status="completed")]},
            {"update": spawned("C", "Fix the build")},
            {"update": child_update("C", title="Build", state={"type": "running"})},
            {"update": said("Building.", "c1"), "session": "C"},
            ask_permission("p", "C", "t2"),
            {"answered": "p"},
            ask_permission("w", "$SESSION", "t3"),
            {"withdraw": "w"},
            {"got": "_session/steering"},
            {"update": said("Nearly.", "m2")},
            {"respond": {"stopReason": "end_turn"}},
            {"update": child_ended("C")},
            {"update": said("It works now.", "m3")},
        ],
        [{"update": said("Oh", "m4")}, {"stderr": "out of memory"}, {"exit": 3}],
    ],
}


async def test_a_replay_ends_in_the_state_of_the_client(tmp_path: Path) -> None:
    script = FakeAgentScript(tmp_path, **SCRIPT)
    recorder = Recorder(tmp_path / "talk.jsonl")

    async def launch() -> Any:
        return await launch_foreign(script.command, script.folder, os.environ)

    async with world(recorded(launch, recorder), tmp_path) as live:
        root = await live.ready()
        live.act(SetMode(root.id, "plan"))
        live.act(SendPrompt(root.id, "make it work"))
        [request] = await live.asked()
        live.act(AnswerPermission(request.key, "yes"))
        live.act(SteerPrompt(root.id, "be quick"))
        await live.until(lambda: "It works now." in str(shape(root)), "the late message")
        live.act(SendPrompt(root.id, "and now?"))
        await live.until(lambda: live.state.link.status == "lost", "the end of the agent")
        # Of a restart the client says something itself, which is not on the wire.
        await live.until(lambda: not root.in_turn, "the end of the turn")
        sessions = shape(live.state.sessions)
        live.act(RestartAgent())
        await live.until(lambda: live.state.link.status == "ready", "the agent again")
        assert script.methods().count("initialize") == 2
    recorder.close()

    recording = read_recording(tmp_path / "talk.jsonl")
    assert recording.damage() == ""
    again = max(n for n, step in enumerate(recording.steps) if step.event == "connected")
    player = played(Recording(recording.started_at, recording.steps[:again]))
    assert shape(player.state.sessions) == sessions
    assert shape(player.state.roots) == shape(live.state.roots)
    assert [shape(one) for one in player.state.requests] == [
        shape(one) for one in live.state.requests
    ]
    assert player.state.link.status == "lost"
    assert player.state.link.stderr == "out of memory"
    assert played(recording).state.link.status == "ready"


def played(made: Recording) -> Player:
    """A player that is at the end."""
    player = Player(made, schedule=lambda *_: None, on_touched=lambda _touched: None)
    player.to_end()
    return player


class Wall:
    """A clock and the calls that wait for it."""

    def __init__(self) -> None:
        self.now = 50.0
        self.due: list[tuple[float, Any]] = []

    def schedule(self, seconds: float, call: Any) -> None:
        self.due.append((self.now + seconds, call))

    def pass_by(self, seconds: float) -> None:
        until = self.now + seconds
        while ready := [one for one in self.due if one[0] <= until]:
            first = min(ready, key=lambda one: one[0])
            self.due.remove(first)
            self.now = max(self.now, first[0])
            first[1]()
        self.now = until


def recording(*times: float) -> Recording:
    """Text that grows at those times."""
    steps = [
        Step(0.0, event="connected"),
        Step(0.0, CLIENT, Request(1, "session/new", {"cwd": "/project"})),
        Step(0.0, AGENT, Response(1, {"sessionId": "S"})),
    ]
    for number, at in enumerate(times):
        update = {"sessionId": "S", "update": said(str(number))}
        steps.append(Step(at, AGENT, Notification("session/update", update)))
    return Recording(1_700_000_000.0, tuple(steps))


def play(made: Recording, **options: Any) -> tuple[Player, Wall]:
    wall = Wall()
    player = Player(
        made, schedule=wall.schedule, on_touched=lambda _t: None, clock=lambda: wall.now, **options
    )
    player.start()
    return player, wall


def text(player: Player) -> str:
    return "".join(
        chunk
        for view in player.state.sessions.values()
        for entry in view.entries
        for chunk in getattr(entry, "chunks", ())
    )


def test_time_pause_speed_and_steps() -> None:
    player, wall = play(recording(1, 2, 3, 4, 5, 6, 7))
    wall.pass_by(1.5)
    assert (text(player), player.position) == ("0", 1.5)
    assert player.now() == 1_700_000_001.5
    player.toggle()
    wall.pass_by(100)
    assert (text(player), player.position, player.paused) == ("0", 1.5, True)
    player.step()
    assert (text(player), player.position) == ("01", 2.0)
    player.toggle()
    wall.pass_by(0.9)
    assert text(player) == "01"
    player.change_speed(1)
    assert player.speed == 2.0
    wall.pass_by(0.05)
    assert text(player) == "012"
    wall.pass_by(0.5)
    assert text(player) == "0123"
    player.change_speed(-1)
    player.change_speed(-1)
    assert player.speed == 0.5
    wall.pass_by(1.9)
    assert text(player) == "0123"
    wall.pass_by(0.1)
    assert text(player) == "01234"
    player.to_end()
    assert text(player) == "0123456"
    assert (player.done, player.position) == (True, 7.0)
    wall.pass_by(50)
    player.step()
    player.toggle()
    assert (player.position, player.duration) == (7.0, 7.0)


def test_a_long_silence_is_shortened_and_being_late_does_not_add_up() -> None:
    player, wall = play(recording(1, 5000, 5001), longest_gap=5.0)
    wall.pass_by(1)
    assert text(player) == "0"
    wall.pass_by(5)
    assert text(player) == "01"
    wall.pass_by(1)
    assert text(player) == "012"
    late, wall = play(recording(*range(1, 11)))
    for _ in range(4):
        wall.now += 2.5  # the program was not given any time
        wall.pass_by(0)
    assert text(late) == "0123456789"


def test_a_recording_of_nothing_is_over_at_once() -> None:
    player, _ = play(Recording(0.0, ()))
    assert (player.done, player.position, player.duration) == (True, 0.0, 0.0)
