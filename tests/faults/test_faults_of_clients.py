"""The client on an agent that misbehaves, as a person sees it: B10, B11, B20, B21, B26, B31, B34,
B47, B82, B87.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from canopy_shared.stdio import StdioTransport
from canopy_tui.model.entries import MessageEntry, Role
from canopy_tui.model.intents import LoadSession
from canopy_tui.view.composer.queue_strip import QueueStrip
from canopy_tui.view.keyboard.key_guard import QUIET
from canopy_tui.view.requests.request_screen import RequestScreen
from fakes.agent import (
    FakeAgentScript,
    ask_permission,
    child_ended,
    permission,
    said,
    spawned,
    tool,
    tool_update,
)
from faults.on_pipes import on_pipes

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from canopy_tui.model.state import SessionView
    from faults.on_pipes import PipedPlay

LIMIT = 6 * 2**20
"""In place of the real one, which takes long to reach where every piece of a pipe is late."""


async def send(play: PipedPlay, text: str) -> None:
    """Write a message and send it."""
    await play.write(text)
    await play.press("enter")


def answers(view: SessionView) -> list[str]:
    """The messages of the agent in a transcript."""
    return [e.text for e in view.entries if isinstance(e, MessageEntry) and e.role is Role.AGENT]


async def asked(play: PipedPlay) -> None:
    """A request is in front, and its keys count."""
    await play.until(lambda: isinstance(play.screen, RequestScreen), "a request on screen")
    await play.settle()
    play.clock.pass_by(QUIET + 0.01)


JUNK: list[Any] = [
    {"raw": "Welcome to my agent! [/b]\x1b[2J"},
    {"raw": ""},
    {"raw": "[1, 2]"},
    {"raw": '{"jsonrpc": "2.0", "method": 5}'},
    {"raw": '{"half": '},
]
ODD: list[Any] = [
    {"update": said("text with an odd end ", "m1")},
    {"update": tool("t1", "Read the odd file")},
    {"update": {"sessionUpdate": "brand_new", "value": 1}},
    {"update": tool_update("t1", content=[{"type": "terminal", "terminalId": "nobody"}])},
    {"update": tool_update("t1", content=[{"type": "hologram"}], status="completed")},
    {"update": tool_update("t77", title="Never announced", status="completed")},
    {"update": {"sessionUpdate": "plan", "entries": [{"content": "the step"}, {"bad": 1}, 7]}},
    {"update": said("", "m2", content={"type": "hologram", "data": 1})},
    {"update": said("of a stranger", "x1"), "session": "who-is-this"},
    {"update": said("and its last words", "m3")},
]
OVER = '{"jsonrpc":"2.0","id":77,"method":"session/request_permission","params":{"x":"'


async def test_b11_b82_b87_odd_lines_cost_nothing_but_themselves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(StdioTransport.__init__.__kwdefaults__, "limit", LIMIT)
    over = [
        {"raw": OVER, "partial": True},
        {"flood": LIMIT},
        {"raw": '"}}'},
        ask_permission("small", "$SESSION", "t2", "ls"),
        {"answered": "small"},
        {"update": said("still here", "m4")},
    ]
    long = [{"update": said("y" * 5 * 2**20 + " the end of it", "m5")}]
    script = FakeAgentScript(
        tmp_path, start=JUNK, **{"session/prompt": [[*JUNK, *ODD], over, long, []]}
    )
    async with on_pipes(script) as play:
        await send(play, "odd")
        await play.until(lambda: play.app.root and play.app.root.turns_done, "the odd turn")
        for text in ("text with an odd end", "and its last words", "the step", "Never announced"):
            await play.shows(text)
        for text in ("✓ Read the odd file", "hologram"):
            await play.shows(text)
        assert "Welcome" not in play.text

        await send(play, "long")
        await asked(play)
        await play.press("n")
        await play.shows("still here")
        await send(play, "longer")
        await play.shows("the end of it")
        await send(play, "z" * 1000)
        await play.until(lambda: play.app.root and play.app.root.turns_done == 4, "all turns")
        assert play.state.link.status == "ready"
    given = {one["id"]: one for one in script.answers() if one["id"] is not None}
    assert str(LIMIT) in given.pop(77)["error"]["message"]
    assert [one["result"]["outcome"]["optionId"] for one in given.values()] == ["no"]
    assert script.received("session/prompt")[-1]["params"]["prompt"][0]["text"] == "z" * 1000


async def test_b10_the_end_of_the_agent_is_told_and_one_key_goes_on(tmp_path: Path) -> None:
    dying = [
        {"update": said("half an ans")},
        {"stderr": "Traceback:"},
        {"stderr": "out of [memory]\x1b[31m"},
        {"exit": 143},
    ]
    script = FakeAgentScript(tmp_path, **{"session/prompt": [dying]})
    async with on_pipes(script) as play:
        await send(play, "go")
        await play.shows("exited with status 143")
        await play.shows("out of [memory]")
        assert play.app.root is not None
        assert not play.app.root.in_turn
        assert "running" not in play.text
        script.play({"session/prompt": [[{"update": said("I am back", "m2")}]]})
        await play.press("f5")
        await play.until(lambda: play.state.link.status == "ready", "the agent")
        await send(play, "again")
        await play.shows("I am back")
        await play.shows("half an ans")
    [load] = script.received("session/load")
    assert load["params"]["sessionId"] == "S1"


async def test_b20_b26_what_waits_is_seen_kept_over_the_agents_death_and_sent_in_order(
    tmp_path: Path,
) -> None:
    pieces = [f"{number} " for number in range(100)]
    frames: list[Any] = [
        {"method": "session/update", "params": {"sessionId": "S1", "update": said(piece, "m9")}}
        for piece in pieces
    ]
    slow = [{"update": said("slow")}, {"file": str(tmp_path / "die")}, {"exit": 1}]
    script = FakeAgentScript(tmp_path, **{"session/prompt": [slow]})
    async with on_pipes(script) as play:
        await send(play, "A")
        await play.shows("slow")
        await send(play, "B waits")
        await send(play, "C waits")
        await play.shows("C waits")
        script.open_gate("die")
        await play.shows("exited with status 1")
        for text in ("B waits", "C waits", "held"):
            await play.shows(text)
        batch = [{"batch": [*frames, {"result": {"stopReason": "end_turn"}}]}]
        script.play({"session/prompt": [[], batch]})
        await play.press("f5")
        await play.until(lambda: play.state.link.status == "ready", "the agent")
        await play.until(
            lambda: play.app.root and play.app.root.phase.value == "idle", "its session"
        )
        await play.press("enter")
        await play.shows("98 99")
        assert play.app.root is not None
        assert answers(play.app.root)[-1] == "".join(pieces)
        strip = play.app.main.query_one(QueueStrip)
        await play.until(lambda: "waits" not in strip.render().plain, "an empty queue")
    sent = [one["params"]["prompt"][0]["text"] for one in script.received("session/prompt")]
    assert sent == ["A", "B waits", "C waits"]


async def test_b21_what_streams_out_of_view_is_whole_and_its_question_is_seen(
    tmp_path: Path,
) -> None:
    pieces = [f"piece {number} of A\n\n" for number in range(200)]
    streaming = [
        {"updates": [said(piece) for piece in pieces[:100]]},
        {"file": str(tmp_path / "b-is-open")},
        {"updates": [said(piece) for piece in pieces[100:]]},
        ask_permission("p", "$SESSION", "t1", "make test"),
        {"answered": "p"},
        {"update": said("A is done", "m9")},
    ]
    script = FakeAgentScript(
        tmp_path, **{"session/prompt": [streaming, [{"update": said("words of B")}]]}
    )
    async with on_pipes(script) as play:
        await send(play, "A")
        await play.shows("piece 99 of A")
        first = play.app.open_session
        play.app.action_new_session()
        await play.until(lambda: play.app.open_session != first, "the second session in view")
        await send(play, "B")
        await play.shows("words of B")
        await play.write("a draft that no question may take")
        script.open_gate("b-is-open")
        await play.shows("1 waiting")
        assert play.app.open_session != first
        a = play.state.sessions[str(first)]
        assert a.in_turn
        await play.press("f4")
        await asked(play)
        await play.press("y")
        await play.until(lambda: not a.in_turn, "the end of the turn of A")
        assert play.draft == "a draft that no question may take"
        play.app.go(first)
        await play.shows("A is done")
        assert answers(a) == ["".join(pieces), "A is done"]
        await play.press("ctrl+home")
        await play.shows("piece 0 of A")


HISTORY: list[Any] = [
    {"update": {"sessionUpdate": "user_message_chunk", "content": {"type": "text", "text": "Hi"}}},
    {"update": said("One", "m1")},
    {"update": said("Two", "m2")},
    {"update": spawned("a1", name="linked kid")},
    {"update": said("words of the linked", "k1"), "session": "a1"},
    {"update": tool("c1", "Read b.txt", status="completed"), "session": "a1"},
    {"update": child_ended("a1")},
    {"update": said("words of nobody's", "k2"), "session": "lost-1"},
    {"update": said("Three", "m3")},
]


async def test_b31_b34_history_is_whole_and_there_once_after_two_loads(tmp_path: Path) -> None:
    dying = [{"exit": 1}]
    script = FakeAgentScript(tmp_path, **{"session/load": [HISTORY], "session/prompt": [dying]})
    async with on_pipes(script) as play:
        play.app._expects_root = True
        play.app.host.act(LoadSession("old", str(tmp_path), "An old one", "S1"))
        await play.until(lambda: play.app.open_session == "old", "the old session in view")
        old = play.state.sessions["old"]
        await play.until(lambda: old.loading is None, "the end of the load")

        async def look() -> None:
            assert answers(old) == ["One", "Two", "Three"]
            kid = play.state.sessions["a1"]
            assert (kid.parent, kid.phase.value) == ("old", "done")
            assert answers(kid) == ["words of the linked"]
            assert list(kid.tools) == ["c1"]
            lost = play.state.sessions["lost-1"]
            assert (lost.parent, answers(lost)) == ("old", ["words of nobody's"])
            assert old.children == ["a1", "lost-1"]
            assert all(view.unseen == 0 for view in play.state.sessions.values())
            for text in ("One", "Two", "Three", "linked kid", "not announced"):
                await play.shows(text)
            play.app.go("lost-1")
            await play.shows("words of nobody's")
            play.app.go("old")

        await look()
        await send(play, "die")
        await play.shows("exited with status 1")
        await play.press("f5")
        await play.until(lambda: play.state.link.status == "ready", "the agent")
        await play.until(lambda: len(script.received("session/load")) == 2, "the second load")
        await play.until(lambda: old.phase.value == "idle", "the end of the second load")
        await look()


PLAN_OPTIONS = [
    {"optionId": "bypass", "name": "Yes, and bypass permissions", "kind": "allow_always"},
    {"optionId": "manual", "name": "Yes, and approve edits", "kind": "allow_once"},
    {"optionId": "stay", "name": "No, keep planning", "kind": "reject_once"},
]
MODES = {
    "currentModeId": "plan",
    "availableModes": [
        {"id": "default", "name": "Manual"},
        {"id": "plan", "name": "Plan mode"},
        {"id": "bypassPermissions", "name": "Bypass"},
    ],
}


async def test_b47_b48_leaving_a_plan_shows_the_mode_that_was_chosen(tmp_path: Path) -> None:
    plan = "\n".join(f"step {number}" for number in range(80))
    content = [{"type": "content", "content": {"type": "text", "text": plan}}]
    call = {"toolCallId": "p", "title": "Ready to code?", "kind": "switch_mode", "content": content}
    ask = {**permission("$SESSION", "p"), "toolCall": call, "options": PLAN_OPTIONS}

    def leaving(name: str) -> list[Any]:
        return [
            {"ask": "session/request_permission", "params": ask, "as": name},
            {"answered": name},
        ]

    mode = {"sessionUpdate": "current_mode_update", "currentModeId": "bypassPermissions"}
    script = FakeAgentScript(
        tmp_path,
        **{
            "session/new": [[{"respond": {"sessionId": "S1", "modes": MODES}}]],
            "session/prompt": [leaving("a"), leaving("b"), [*leaving("c"), {"update": mode}]],
        },
    )
    async with on_pipes(script) as play:
        await play.shows("mode: Plan mode")
        for number, (key, shown) in enumerate(
            [("n", "mode: Plan mode"), ("escape", "mode: Plan mode"), ("a", "mode: Bypass")], 1
        ):
            await send(play, "go")
            await asked(play)
            await play.shows("Yes, and bypass permissions")
            await play.shows("step 0")
            await play.press("end")
            await play.shows("step 79")
            if key == "escape":  # put off, then the turn is stopped: nothing was chosen
                await play.press("escape", "ctrl+c")
            else:
                await play.press(key)
            await play.until(
                lambda n=number: play.app.root and play.app.root.turns_done == n, "the turn's end"
            )
            await play.shows(shown)
        await play.press("ctrl+o")
        await play.until(lambda: script.received("session/set_mode"), "another mode")
    assert [one["result"]["outcome"] for one in script.answers()] == [
        {"outcome": "selected", "optionId": "stay"},
        {"outcome": "cancelled"},
        {"outcome": "selected", "optionId": "bypass"},
    ]
    [change] = script.received("session/set_mode")
    assert change["params"]["modeId"] != "bypassPermissions"
