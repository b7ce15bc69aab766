"""The half of the fake ``claude`` that talks to its host: log, pipes, answers, matching.

It must not know the steps of a script. Standard library only; ``fake_cli.py`` imports it.
"""

from __future__ import annotations

import json
import os
import re
import sys
import threading
from pathlib import Path
from typing import Any

PATIENCE = 30.0

INIT: dict[str, Any] = {
    "commands": [{"name": "compact", "description": "Compact", "argumentHint": ""}],
    "agents": [{"name": "general-purpose", "description": "General"}],
    "models": [
        {"value": "default", "displayName": "Default", "description": "The default model"},
        {"value": "haiku", "displayName": "Haiku", "description": "The quick model"},
    ],
    "account": {},
    "output_style": "default",
    "available_output_styles": ["default"],
}


def stat_of(pid: int) -> list[str]:
    """The fields of ``/proc/PID/stat`` from the state on; empty where there is no such process, or
    no ``/proc``.
    """
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def began(pid: int) -> str:
    """When a process began, in ticks: tells it from a later one with its number."""
    return "".join(stat_of(pid)[19:20])


class Log:
    """Appends facts to the file that the test reads."""

    def __init__(self) -> None:
        self._path = os.environ.get("FAKE_CLI_LOG")
        self._lock = threading.Lock()

    def __call__(self, kind: str, **facts: Any) -> None:
        if self._path:
            line = json.dumps({"pid": os.getpid(), "kind": kind, **facts})
            with self._lock, Path(self._path).open("a") as file:
                file.write(line + "\n")


class Host:
    """The two pipes to the host: frames out, and everything that came in."""

    def __init__(self, script: dict[str, Any], log: Log) -> None:
        self.log = log
        self.control = script.get("control", {})
        self.on_eof = script.get("on_eof", "exit")
        self.ended = False
        self.mode: str | None = None
        """The permission mode that the host set last."""
        self.prompts: list[dict[str, Any]] = []
        self._inbox: list[dict[str, Any]] = []
        self._news = threading.Condition()
        self._out = threading.Lock()

    def send(self, frame: dict[str, Any]) -> None:
        self.raw(json.dumps(frame) + "\n")

    def raw(self, text: str) -> None:
        """Write ``text``; whichever thread finds that nobody reads ends the program."""
        with self._out:
            data = text.encode()
            try:
                while data:
                    data = data[os.write(1, data) :]
            except BrokenPipeError:
                os._exit(0)

    def listen(self) -> None:
        """Body of the reading thread: logs, answers control requests, keeps the rest."""
        for line in sys.stdin.buffer:
            frame = json.loads(line)
            self.log("in", frame=frame)
            if frame["type"] == "control_request":
                self._answer(frame)
            with self._news:
                self._inbox.append(frame)
                if frame["type"] == "user":
                    self.prompts.append(frame)
                self._news.notify_all()
        self.log("eof")
        if self.on_eof == "exit":
            os._exit(0)
        with self._news:
            self.ended = True
            self._news.notify_all()

    def wait_prompt(self, number: int) -> dict[str, Any] | None:
        """The ``number``-th prompt; None at the end of input."""
        with self._news:
            self._news.wait_for(lambda: len(self.prompts) > number or self.ended)
            return self.prompts[number] if len(self.prompts) > number else None

    def wait_frame(self, pattern: Any) -> dict[str, Any]:
        """The first frame not yet taken that fits; taken by this call."""

        def found() -> dict[str, Any] | None:
            return next((frame for frame in self._inbox if fits(frame, pattern)), None)

        with self._news:
            frame = self._news.wait_for(found, PATIENCE)
            if frame is None:
                self.log("problem", text=f"no frame like {json.dumps(pattern)}")
                os._exit(97)
            self._inbox.remove(frame)
            return frame

    def respond(self, request_id: str, response: dict[str, Any]) -> None:
        body = {"subtype": "success", "request_id": request_id, "response": response}
        self.send({"type": "control_response", "response": body})

    def _answer(self, frame: dict[str, Any]) -> None:
        subtype, request_id = frame["request"].get("subtype"), frame["request_id"]
        rule = self.control.get(subtype, {})
        if subtype == "set_permission_mode" and not rule:
            self.mode = frame["request"]["mode"]
        if rule.get("ignore"):
            return
        if "error" in rule:
            body = {"subtype": "error", "request_id": request_id, "error": rule["error"]}
            if "code" in rule:
                body["error_code"] = rule["code"]
            self.send({"type": "control_response", "response": body})
            return
        default = {**INIT, "pid": os.getpid()} if subtype == "initialize" else {}
        self.respond(request_id, rule.get("response", default))


def fits(value: Any, pattern: Any) -> bool:
    """Whether ``value`` holds all that ``pattern`` names."""
    if isinstance(pattern, dict):
        if set(pattern) == {"$re"}:
            return isinstance(value, str) and re.search(pattern["$re"], value) is not None
        return isinstance(value, dict) and all(
            key in value and fits(value[key], part) for key, part in pattern.items()
        )
    if isinstance(pattern, list):
        return (
            isinstance(value, list)
            and len(value) >= len(pattern)
            and all(fits(one, part) for one, part in zip(value, pattern, strict=False))
        )
    return bool(value == pattern)


def text_of(prompt: dict[str, Any]) -> str:
    content = prompt.get("message", {}).get("content", "")
    if isinstance(content, str):
        return content
    return "".join(block.get("text", "") for block in content if isinstance(block, dict))
