"""One long session in ACP v2 over stdio, on the real CLI, kept in chapters for many tests to read.

A raw client plays it once; what the frames must say is not known here.
"""

from __future__ import annotations

import contextlib
from base64 import b64decode
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from canopy_agent.demo.rules import ApiError, Gate, Rule, Text, Thinking, ToolUse, When, flow
from raw_client import RpcError
from v2.world import World, world
from waiting import eventually

if TYPE_CHECKING:
    from collections.abc import Iterator

Json = dict[str, Any]

TICKS = "i=0; while [ $i -lt 900 ]; do i=$((i+1)); echo tick $i; sleep 0.1; done"
SHELL = ToolUse("Bash", {"command": TICKS, "description": "Count", "run_in_background": True})
WAITS = "until [ -e go ]; do sleep 0.05; done; seq 1 60000"
MUCH = ToolUse("Bash", {"command": WAITS, "description": "Print much", "run_in_background": True})
ECHO = ToolUse("Bash", {"command": "echo one; echo two", "description": "Say"})
LONG = ToolUse("Bash", {"command": "echo > began; sleep 900", "description": "Wait"})
EDIT = ToolUse(
    "Edit", {"file_path": "{cwd}/notes.txt", "old_string": "beta", "new_string": "gamma"}
)
AGAIN = ToolUse(
    "Edit", {"file_path": "{cwd}/notes.txt", "old_string": "gamma", "new_string": "delta"}
)
READ = ToolUse("Read", {"file_path": "{cwd}/notes.txt"})
WRITE = ToolUse("Write", {"file_path": "{cwd}/kid.txt", "content": "by the kid\n"})


def agent(role: str, *, background: bool = True) -> ToolUse:
    """The call that launches a subagent."""
    return ToolUse(
        "Agent",
        {
            "description": f"Work of {role}",
            "prompt": f"Role: {role}.\n\nDo your work.",
            "subagent_type": "general-purpose",
            "run_in_background": background,
        },
    )


SCRIPT = (
    Rule(When(says="hello"), [Thinking("Hm."), Text("Hello.")]),
    Rule(When(says="fail"), error=ApiError(400, "Refused, scripted")),
    flow(When(says="say"), [ECHO], "Said."),
    flow(When(says="edit"), [READ], [EDIT], "Edited."),
    flow(When(says="again"), [AGAIN], "Edited again."),
    flow(When(says="tick"), [SHELL], "It runs."),
    flow(When(says="much"), [MUCH], "Much comes."),
    flow(When(says="long"), [LONG], "Never."),
    Rule(When(says="later"), "Later."),
    flow(When(says="near"), [agent("near", background=False)], "It came back."),
    flow(When(agent="near"), [READ], "Near is done."),
    flow(When(says="go"), [Text("I delegate."), agent("kid"), agent("other")], "Both run."),
    flow(When(agent="kid"), [Gate("KID"), WRITE], "Kid wrote it."),
    Rule(When(agent="other"), [Text(("Working ", Gate("NEVER"), "on."))]),
    Rule(When(notified=""), "I see."),
)


@dataclass(slots=True)
class Chapter:
    """A part of what the agent sent. ``facts`` are what only the player could see."""

    frames: list[Json]
    session: str
    facts: dict[str, Any] = field(default_factory=dict)

    def __getitem__(self, fact: str) -> Any:
        return self.facts[fact]

    def params(self, method: str = "session/update") -> list[Json]:
        """The params of every frame of a method."""
        return [one["params"] for one in self.frames if one.get("method") == method]

    def updates(self, *kinds: str, session: str | None = None) -> list[Json]:
        """The updates of some kinds, or all, of one session (the root by default)."""
        here = session or self.session
        told = [one["update"] for one in self.params() if one["sessionId"] == here]
        return [one for one in told if not kinds or one["sessionUpdate"] in kinds]

    def states(self, session: str | None = None) -> list[str]:
        """The states, with why work ended: ``idle end_turn``."""
        told = self.updates("state_update", session=session)
        return [" ".join([one["state"], *filter(None, [one.get("stopReason")])]) for one in told]

    def calls(self, name: str, session: str | None = None) -> list[list[Json]]:
        """The updates of each call of a tool."""
        told = self.updates("tool_call_update", session=session)
        ids = dict.fromkeys(one["toolCallId"] for one in told if one.get("name") == name)
        return [[one for one in told if one["toolCallId"] == id_] for id_ in ids]


def merged(updates: list[Json]) -> Json:
    """A call as the client stores it."""
    whole: Json = {}
    for update in updates:
        whole.update(update)
    return whole


def printed(updates: list[Json], terminal: str) -> str:
    """What a terminal shows."""
    text = b""
    for update in updates:
        if update.get("terminalId") == terminal:
            if update["sessionUpdate"] == "terminal_output_chunk":
                text += b64decode(update["data"])
            elif "output" in update:
                text = b64decode(update["output"]["data"])
    return text.decode()


class Tale:
    """The chapters, by name."""

    def __init__(self) -> None:
        self.chapters: dict[str, Chapter] = {}

    @contextlib.contextmanager
    def chapter(self, name: str, w: World) -> Iterator[dict[str, Any]]:
        """What is sent meanwhile is a chapter."""
        since, facts = len(w.agent.frames), {}
        yield facts
        self.chapters[name] = Chapter(w.agent.frames[since:], w.session, facts)


async def played() -> dict[str, Chapter]:
    """Play it all."""
    tale = Tale()
    async with world(*SCRIPT) as w:
        (w.cwd / "notes.txt").write_text("alpha\nbeta\n")
        await w.open({"elicitation": {"form": {}}})
        w.agent.on_permission("allow_once")
        await _turns(tale, w)
        await _changes(tale, w)
        await _commands(tale, w)
        await _subagents(tale, w)
        async with w.later() as again:
            await _history(tale, again)
    return tale.chapters


async def _turns(tale: Tale, w: World) -> None:
    with tale.chapter("turn", w) as facts:
        facts["receipt"] = await w.agent.begin_prompt(w.session, "hello")
        await w.agent.idle(w.session)
    with tale.chapter("failure", w):
        before = len(w.agent.states(w.session))
        await w.agent.begin_prompt(w.session, "fail, please")
        await w.agent.idle(w.session, before)


async def _changes(tale: Tale, w: World) -> None:
    with tale.chapter("edit", w):
        await w.turn("edit it")
    with tale.chapter("option", w) as facts:
        mode = {"configId": "mode", "type": "id", "value": "acceptEdits"}
        method = "session/set_config_option"
        facts["answer"] = await w.agent.request(method, sessionId=w.session, **mode)
    with tale.chapter("edit again", w):
        await w.turn("again, please")
    assert (w.cwd / "notes.txt").read_text() == "alpha\ndelta\n"


async def _commands(tale: Tale, w: World) -> None:
    with tale.chapter("command", w):
        await w.turn("say it")
    with tale.chapter("background", w) as facts:
        end = await w.turn("tick, please")
        (facts["item"],) = end["background"]
        terminal = facts["item"]["terminalId"]
        await eventually(
            lambda: "tick 3" in printed(w.agent.updates(), terminal), "output that grows"
        )
    with tale.chapter("much", w) as facts:
        await w.turn("much, please")
        (w.cwd / "go").touch()
        calls = w.agent.updates("tool_call_update", w.session)
        call = facts["terminal"] = calls[-1]["toolCallId"]
        await eventually(lambda: _exits(w, call), "the end of a long output")
        await eventually(
            lambda: len(w.agent.states(w.session)[-1]["background"]) == 1, "a list without it"
        )
        await eventually(lambda: "I see." in w.agent.text(w.session), "what Claude says of it")
        await _rest(w)
    with tale.chapter("cancel", w) as facts:
        before = len(w.agent.states(w.session))
        await w.agent.begin_prompt(w.session, "long, please")
        late = w.agent.begin_prompt(w.session, "later")
        await eventually((w.cwd / "began").exists, "the command")
        w.agent.cancel(w.session)
        facts["end"] = await w.agent.idle(w.session, before)
        with contextlib.suppress(RpcError):
            await late
        facts["late"] = late.exception()
    with tale.chapter("stop", w) as facts:
        here = {"sessionId": w.session, "terminalId": terminal}
        facts["refused"] = await _error(w, "terminal/cancel", sessionId=w.session, terminalId="no")
        facts["answer"] = await w.agent.request("terminal/cancel", **here)
        await eventually(
            lambda: w.agent.states(w.session)[-1]["background"] == [], "an empty background"
        )
        facts["again"] = await _error(w, "terminal/cancel", **here)
        await _rest(w)


async def _subagents(tale: Tale, w: World) -> None:
    with tale.chapter("near", w):
        await w.turn("near, please")
    with tale.chapter("kids", w) as facts:
        mode = {"configId": "mode", "type": "id", "value": "default"}
        await w.agent.request("session/set_config_option", sessionId=w.session, **mode)
        w.agent.on("session/request_permission", None)
        facts["end"] = await w.turn("go")
        kids = {
            one["title"]: one["sessionId"]
            for one in w.agent.updates("subagent_update", w.session)
            if "title" in one
        }
        kid, other = kids["Work of kid"], kids["Work of other"]
        facts["kid"], facts["other"] = kid, other
        w.model.release("KID")
        request = facts["request"] = await w.agent.wait_request(
            "session/request_permission", lambda params: params["sessionId"] == kid
        )
        facts["then"] = (w.agent.states(kid)[-1]["state"], w.agent.states(w.session)[-1]["state"])
        w.agent.cancel(other)
        await w.agent.wait_update(
            "state_update", other, lambda u: u.get("stopReason") == "cancelled"
        )
        options = request["params"]["options"]
        (once,) = [one["optionId"] for one in options if one["kind"] == "allow_once"]
        w.agent.answer(request["id"], {"outcome": {"outcome": "selected", "optionId": once}})
        await w.agent.wait_update("state_update", kid, lambda u: u.get("stopReason") == "end_turn")
        await eventually(
            lambda: w.agent.states(w.session)[-1]["background"] == [], "an empty background"
        )
        await _rest(w)
    assert (w.cwd / "kid.txt").read_text() == "by the kid\n"


async def _history(tale: Tale, w: World) -> None:
    await w.agent.hello()
    here = {"cwd": str(w.cwd), "mcpServers": []}
    with tale.chapter("replay", w) as facts:
        resume = {"sessionId": w.session, **here}
        facts["refused"] = await _error(w, "session/resume", **resume, replayFrom={"type": "end"})
        since = len(w.agent.frames)
        facts["answer"] = await w.agent.request(
            "session/resume", **resume, replayFrom={"type": "start"}
        )
        told = w.agent.frames[since:]
        since += (answered := next(i for i, one in enumerate(told) if "result" in one))
        facts["before"] = [one["params"] for one in told[:answered]]
        await eventually(
            lambda: _children(told[:answered]) <= _children(w.agent.frames[since:]),
            "what is known of each child now",
        )
    with tale.chapter("resumed again", w) as facts:
        facts["answer"] = await w.agent.request("session/resume", **resume)
    with tale.chapter("fork", w) as facts:
        facts["answer"] = await w.agent.request("session/fork", sessionId=w.session, **here)
        copy = {"sessionId": facts["answer"]["sessionId"]}
        rows = (await w.agent.request("session/list", cwd=str(w.cwd)))["sessions"]
        facts["listed"] = {row["sessionId"] for row in rows}
        facts["deleted"] = await w.agent.request("session/delete", **copy)
        rows = (await w.agent.request("session/list", cwd=str(w.cwd)))["sessions"]
        facts["left"] = {row["sessionId"] for row in rows}


def _exits(w: World, terminal: str) -> list[Json]:
    """What says that the command of a terminal is over."""
    told = w.agent.updates("terminal_update")
    return [one for one in told if one["terminalId"] == terminal and "exitStatus" in one]


def _children(frames: list[Json]) -> set[str]:
    """Those that the client is told of."""
    updates = [one["params"].get("update", {}) for one in frames if "params" in one]
    told = [one for one in updates if one.get("sessionUpdate") == "subagent_update"]
    return {one["sessionId"] for one in told}


async def _error(w: World, method: str, **params: Any) -> int | None:
    """The code of the error that the request gets."""
    try:
        await w.agent.request(method, **params)
    except RpcError as error:
        return error.code
    return None


async def _rest(w: World) -> None:
    """What Claude does by itself is over, so that it is in no other chapter."""
    await eventually(lambda: w.agent.states(w.session)[-1]["state"] == "idle", "rest")
