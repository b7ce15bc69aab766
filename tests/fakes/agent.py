"""What a test holds of FAKE-AGENT: writes its script, gives its command, reads its record.

It must not know what talks to the fake.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

EXECUTABLE = Path(__file__).with_name("fake_agent.py")

Step = dict[str, Any]


class FakeAgentScript:
    """One script and one record below ``folder``; any number of processes may use them."""

    def __init__(self, folder: Path, **script: Any) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self._script = folder / "script.json"
        self._record = folder / "record.jsonl"
        self.play(script)

    def play(self, script: dict[str, Any]) -> None:
        """Set the script for processes to come; see ``fake_agent.py``."""
        self._script.write_text(json.dumps(script))

    @property
    def command(self) -> tuple[str, ...]:
        """How to start it."""
        return (sys.executable, "-I", str(EXECUTABLE), str(self._script), str(self._record))

    def gate(self, name: str) -> str:
        """A path for ``{"file": …}``; :meth:`open_gate` lets the agent go on."""
        return str(self.folder / name)

    def open_gate(self, name: str) -> None:
        """Let the agent past ``{"file": gate(name)}``."""
        (self.folder / name).touch()

    def record(self) -> list[dict[str, Any]]:
        """Every row so far, of all processes in order."""
        if not self._record.exists():
            return []
        whole = self._record.read_text().rpartition("\n")[0]
        return [json.loads(line) for line in whole.splitlines()]

    def pids(self) -> list[int]:
        """The processes that were started."""
        return [row["pid"] for row in self.record() if "pid" in row]

    def received(self, method: str | None = None) -> list[dict[str, Any]]:
        """Messages that came in: all, or those of one method."""
        messages = [row["got"] for row in self.record() if "got" in row]
        return [m for m in messages if method is None or m.get("method") == method]

    def methods(self) -> list[str]:
        """The methods that were called, in order."""
        return [m["method"] for m in self.received() if "method" in m]

    def answers(self) -> list[dict[str, Any]]:
        """What was answered to the agent's own requests."""
        return [m for m in self.received() if "method" not in m]


# --- updates, as an agent spells them -------------------------------------------------------------


def said(text: str, message: str | None = "m1", **extra: Any) -> Step:
    """A piece of an answer."""
    update = {
        "sessionUpdate": "agent_message_chunk",
        "content": {"type": "text", "text": text},
        **extra,
    }
    return update if message is None else {**update, "messageId": message}


def tool(call: str, title: str = "Read a.txt", **fields: Any) -> Step:
    """A new tool call."""
    return {
        "sessionUpdate": "tool_call",
        "toolCallId": call,
        "title": title,
        "kind": "read",
        "status": "pending",
        **fields,
    }


def tool_update(call: str, **fields: Any) -> Step:
    """A change of a tool call."""
    return {"sessionUpdate": "tool_call_update", "toolCallId": call, **fields}


def spawned(child: str, name: str = "Fix the build", **fields: Any) -> Step:
    """AIR: a child begins."""
    return {
        "sessionUpdate": "subagent_spawned",
        "subagentSessionId": child,
        "name": name,
        "task": "Make the build pass",
        "prompt": "Make the build pass",
        "capabilities": {},
        **fields,
    }


def child_ended(child: str, state: str = "completed") -> Step:
    """AIR: a child ended."""
    return {
        "sessionUpdate": "subagent_state_update",
        "subagentSessionId": child,
        "state": state,
    }


def child_update(child: str, **fields: Any) -> Step:
    """RFD: a child appears or changes."""
    return {"sessionUpdate": "subagent_update", "sessionId": child, **fields}


def permission(session: str, call: str, command: str = "rm -r build") -> dict[str, Any]:
    """Parameters of a permission request."""
    return {
        "sessionId": session,
        "toolCall": {
            "toolCallId": call,
            "title": command,
            "kind": "execute",
            "status": "pending",
            "rawInput": {"command": command},
        },
        "options": [
            {"optionId": "yes", "name": "Allow", "kind": "allow_once"},
            {"optionId": "no", "name": "Reject", "kind": "reject_once"},
        ],
    }


def ask_permission(name: str, session: str, call: str, command: str = "rm -r build") -> Step:
    """A step that asks for permission."""
    return {
        "ask": "session/request_permission",
        "params": permission(session, call, command),
        "as": name,
    }
