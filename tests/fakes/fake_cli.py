#!/usr/bin/env python3
"""A stand-in for the ``claude`` executable, driven by a JSON file. Standard library only.

Start it through ``CLAUDE_CODE_EXECUTABLE`` (the class ``FakeCli`` in ``fakes/cli.py`` does). It
speaks stream-json like Claude Code 2.1.332, as far as the tests need: frames and order are those
a real CLI sends. ``FAKE_CLI_SCRIPT`` names the JSON file, ``FAKE_CLI_LOG`` a JSONL file that gets
what happened: ``{"pid", "kind": "start"|"in"|"eof"|"signal"|"child"|"problem", ...}``.

The script is an object, every key optional::

    control         {subtype: {"response": {...}} | {"error": text, "code": text} |
                    {"ignore": true}}: answers to control requests. Without an entry: success
                    with {} (initialize: INIT)
    start           steps done before the first prompt
    turns           [[step, ...], ...]: the steps of the n-th prompt; the last list serves the rest.
                    Without it every prompt is answered with "echo: <text>"
    on_eof          "exit" (status 0 at once, the default), "ignore", "finish" (the current turn)
    auth            answers to ``claude auth``: {"delay": seconds, "status": {report fields, or
                    "out", "code"}, "logout": {"err", "code"}}; by default an API key is there
    ignore_sigterm  true: SIGTERM does nothing; else it ends the program with status 143

A step is an object with one key::

    emit: frame | [frame, ...]      raw: text for stdout, as it is     stderr: text
    big: bytes (one frame whose line has this length)
    open: {} (what opens a turn)    say: text | {text, parent}         think: text
    tool: {id, name, input, parent} tool_result: {id, content, is_error, parent, extra}
    ask: {subtype, ...} (a control request to the host; waits for the answer)
    done: {result fields} (result, lifecycle, idle)
    expect: part of a frame the host must send (objects match by part, {"$re": x} by regex)
    respond: {response} (answers the control request that the last expect matched)
    sleep: seconds   exit: code   signal: "SIGKILL" (to itself)   close_stdout: true
    hang: true (for good)           repeat: {times, steps}
    grandchild: {ignore_sigterm, own_session, hold_stdout, heartbeat: path}
    heartbeat: path (a file that grows every 20 ms while this process lives)

Strings may hold {prompt}, {prompt_uuid}, {prompt_uuid:0}, {session_id}, {cwd}, {i} (of a repeat)
and {answer} (JSON of the last answer to an ask). Nothing lives longer than two minutes.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
import uuid
from pathlib import Path
from typing import Any

from fake_host import Host, Log, began, text_of

LIFE = 120.0
VERSION = "2.1.332"

ECHO: list[dict[str, Any]] = [{"open": {}}, {"say": "echo: {prompt}"}, {"done": {}}]

GRANDCHILD = """
import pathlib, signal, sys, time
if "deaf" in sys.argv: signal.signal(signal.SIGTERM, signal.SIG_IGN)
end = time.monotonic() + 60
print("up", file=sys.stderr, flush=True)
while time.monotonic() < end:
    if sys.argv[1]:
        with pathlib.Path(sys.argv[1]).open("a") as file: file.write(".")
    time.sleep(0.02)
"""


class Stage:
    """Plays the steps."""

    def __init__(self, script: dict[str, Any], host: Host) -> None:
        self.script = script
        self.host = host
        self.session = option("--session-id") or option("--resume") or str(uuid.uuid4())
        self.values: dict[str, str] = {"session_id": self.session, "cwd": str(Path.cwd())}
        self.prompt: dict[str, Any] = {}
        self.matched: dict[str, Any] = {}
        self.count = 0

    def run(self) -> None:
        self.play(self.script.get("start", []))
        turns = self.script.get("turns") or [
            [{"open": {}}, {"say": "echo: {prompt}"}, {"done": {}}]
        ]
        number = 0
        while (prompt := self.host.wait_prompt(number)) is not None:
            self.prompt = prompt
            self.values |= {"prompt": text_of(prompt), "prompt_uuid": prompt.get("uuid", "")}
            self.values[f"prompt_uuid:{number}"] = prompt.get("uuid", "")
            self.play(turns[min(number, len(turns) - 1)])
            number += 1
        if self.host.on_eof == "finish":
            os._exit(0)
        threading.Event().wait()

    def play(self, steps: list[dict[str, Any]]) -> None:
        for step in steps:
            ((name, value),) = step.items()
            if name == "repeat":
                for index in range(value["times"]):
                    self.values["i"] = str(index)
                    self.play(value["steps"])
            else:
                getattr(self, f"step_{name}")(self.filled(value))

    def filled(self, value: Any) -> Any:
        """``value`` with the {names} in its strings replaced."""
        if isinstance(value, str):
            for name, text in self.values.items():
                value = value.replace("{%s}" % name, text)  # noqa: UP031 - braces
            return value
        if isinstance(value, list):
            return [self.filled(one) for one in value]
        if isinstance(value, dict):
            return {key: self.filled(one) for key, one in value.items()}
        return value

    def frame(self, kind: str, **fields: Any) -> None:
        """Send a frame with the ids that every frame has."""
        ids = {"uuid": str(uuid.uuid4()), "session_id": self.session}
        self.host.send({"type": kind, **fields, **ids})

    def next_id(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}_{self.count:04d}"

    # frames

    def step_emit(self, value: Any) -> None:
        for frame in value if isinstance(value, list) else [value]:
            self.host.send(frame)

    def step_raw(self, text: str) -> None:
        self.host.raw(text)

    def step_big(self, size: int) -> None:
        head, tail = '{"type":"big","fill":"', '"}'
        self.host.raw(head + "x" * (size - len(head) - len(tail)) + tail + "\n")

    def step_open(self, _: Any) -> None:
        uid = self.values["prompt_uuid"]
        self.frame("system", subtype="session_state_changed", state="running")
        self.frame("command_lifecycle", command_uuid=uid, state="queued")
        self.frame("command_lifecycle", command_uuid=uid, state="started")
        self.frame(
            "system", subtype="init", cwd=self.values["cwd"], tools=[], model="fake",
            claude_code_version=VERSION,
            permissionMode=self.host.mode or option("--permission-mode") or "default",
            slash_commands=[],
            user_message_uuid=uid, user_message_uuids=[uid],
        )  # fmt: skip
        echo = {**self.prompt, "session_id": self.session, "isReplay": True}
        self.host.send({"parent_tool_use_id": None, **echo})

    def step_say(self, value: Any) -> None:
        said = {"text": value} if isinstance(value, str) else value
        block = {"type": "text", "text": said["text"]}
        self.blocks(block, said.get("parent"), {"type": "text_delta", "text": said["text"]})

    def step_think(self, text: str) -> None:
        block = {"type": "thinking", "thinking": text, "signature": "fake"}
        self.blocks(block, None, {"type": "thinking_delta", "thinking": text})

    def step_tool(self, value: dict[str, Any]) -> None:
        block = {key: value[key] for key in ("id", "name", "input")}
        partial = {"type": "input_json_delta", "partial_json": json.dumps(value["input"])}
        self.blocks({"type": "tool_use", **block}, value.get("parent"), partial)

    def blocks(self, block: dict[str, Any], parent: str | None, delta: dict[str, Any]) -> None:
        """One content block: streamed on the main thread, whole for a subagent."""
        fixed = {"type": "message", "role": "assistant", "model": "fake"}
        message: dict[str, Any] = {"id": self.next_id("msg"), **fixed, "usage": {}}
        empty = {"text": "", "thinking": "", "signature": "", "input": {}}
        hollow = {key: value for key, value in empty.items() if key in block}
        opening: list[dict[str, Any]] = [
            {"type": "message_start", "message": {**message, "content": []}},
            {"type": "content_block_start", "index": 0, "content_block": {**block, **hollow}},
            {"type": "content_block_delta", "index": 0, "delta": delta},
        ]
        # The whole block comes before its end in the stream, as from a real CLI.
        closing: list[dict[str, Any]] = [
            {"type": "content_block_stop", "index": 0},
            {"type": "message_stop"},
        ]
        for event in opening if parent is None else []:
            self.frame("stream_event", event=event, parent_tool_use_id=None)
        self.frame("assistant", message={**message, "content": [block]}, parent_tool_use_id=parent)
        for event in closing if parent is None else []:
            self.frame("stream_event", event=event, parent_tool_use_id=None)

    def step_tool_result(self, value: dict[str, Any]) -> None:
        block = {
            "type": "tool_result",
            "tool_use_id": value["id"],
            "content": value.get("content", ""),
            "is_error": value.get("is_error", False),
        }
        self.frame(
            "user",
            message={"role": "user", "content": [block]},
            parent_tool_use_id=value.get("parent"),
            **value.get("extra", {}),
        )

    def step_ask(self, request: dict[str, Any]) -> None:
        request_id = self.next_id("cli")
        permission = request["subtype"] == "can_use_tool"
        if permission:
            self.frame("system", subtype="session_state_changed", state="requires_action")
        self.host.send({"type": "control_request", "request_id": request_id, "request": request})
        frame = self.host.wait_frame(
            {"type": "control_response", "response": {"request_id": request_id}}
        )
        self.values["answer"] = json.dumps(frame["response"])
        self.host.send(frame)  # With --replay-user-messages a CLI echoes the answers it gets.
        if permission:
            self.frame("system", subtype="session_state_changed", state="running")

    def step_done(self, fields: dict[str, Any]) -> None:
        uid = self.values["prompt_uuid"]
        result = {
            "subtype": "success", "is_error": False, "duration_ms": 1, "duration_api_ms": 1,
            "num_turns": 1, "result": "", "stop_reason": "end_turn", "total_cost_usd": 0,
            "usage": {}, "modelUsage": {}, "permission_denials": [], "origin": {"kind": "human"},
            "user_message_uuid": uid, "user_message_uuids": [uid], **fields,
        }  # fmt: skip
        self.frame("result", **result)
        self.frame("command_lifecycle", command_uuid=uid, state="completed")
        self.frame("system", subtype="session_state_changed", state="idle")

    # the host

    def step_expect(self, pattern: Any) -> None:
        self.matched = self.host.wait_frame(pattern)

    def step_respond(self, response: dict[str, Any]) -> None:
        self.host.respond(self.matched["request_id"], response)

    # the process

    def step_stderr(self, text: str) -> None:
        os.write(2, text.encode())

    def step_sleep(self, seconds: float) -> None:
        time.sleep(seconds)

    def step_exit(self, code: int) -> None:
        os._exit(code)

    def step_signal(self, name: str) -> None:
        os.kill(os.getpid(), getattr(signal, name))
        threading.Event().wait()

    def step_close_stdout(self, _: Any) -> None:
        os.close(1)

    def step_hang(self, _: Any) -> None:
        threading.Event().wait()

    def step_heartbeat(self, path: str) -> None:
        def beat() -> None:
            while True:
                with Path(path).open("a") as file:
                    file.write(".")
                time.sleep(0.02)

        threading.Thread(target=beat, daemon=True).start()

    def step_grandchild(self, value: dict[str, Any]) -> None:
        deaf = ["deaf"] if value.get("ignore_sigterm") else []
        child = subprocess.Popen(
            [sys.executable, "-ES", "-c", GRANDCHILD, value.get("heartbeat", ""), *deaf],
            stdin=subprocess.DEVNULL,
            stdout=None if value.get("hold_stdout") else subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=value.get("own_session", False),
        )
        assert child.stderr is not None
        child.stderr.readline()  # It is deaf from here on.
        self.host.log("child", child=child.pid, began=began(child.pid))


def option(name: str) -> str | None:
    """The value of a command line option in either spelling."""
    for index, word in enumerate(sys.argv):
        if word.startswith(f"{name}="):
            return word.partition("=")[2]
        if word == name and index + 1 < len(sys.argv):
            return sys.argv[index + 1]
    return None


def run_auth(auth: dict[str, Any], log: Log) -> None:
    """``claude [--settings JSON] auth status --json`` and ``claude auth logout``."""
    words = sys.argv[sys.argv.index("auth") + 1 :]
    log("auth", argv=sys.argv[1:], env=sorted(os.environ))
    time.sleep(auth.get("delay", 0))
    told = auth.get(words[0], {})
    if words[0] == "status":
        told = {"out": json.dumps({"loggedIn": True, "authMethod": "api_key", **told}), **told}
    sys.stdout.write(told.get("out", ""))
    sys.stderr.write(told.get("err", ""))
    sys.exit(told.get("code", 0))


def main() -> None:
    if sys.argv[1:] == ["--version"]:
        print(f"{VERSION} (Claude Code)")
        return
    path = os.environ.get("FAKE_CLI_SCRIPT")
    script = json.loads(Path(path).read_text()) if path else {}
    log = Log()
    if "auth" in sys.argv[1:4]:
        run_auth(script.get("auth", {}), log)
        return

    def on_term(number: int, _: Any) -> None:
        log("signal", number=number)
        if not script.get("ignore_sigterm"):
            os._exit(143)

    signal.signal(signal.SIGTERM, on_term)
    claude = {key: value for key, value in os.environ.items() if key.startswith("CLAUDE")}
    facts = {"env": sorted(os.environ), "claude": claude, "cwd": str(Path.cwd())}
    log("start", argv=sys.argv[1:], began=began(os.getpid()), **facts)
    timer = threading.Timer(LIFE, os._exit, [98])
    timer.daemon = True
    timer.start()
    host = Host(script, log)
    threading.Thread(target=host.listen, daemon=True).start()
    Stage(script, host).run()


if __name__ == "__main__":
    main()
