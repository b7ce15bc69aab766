"""Transcripts as Claude Code 2.1 writes them, made record by record.

It must not use the code that reads them.
"""

from __future__ import annotations

import json
import uuid
from pathlib import Path
from typing import Any

Json = dict[str, Any]

FOLDER = "-home-somebody-project"
CWD = "/home/somebody/project"


class Transcript:
    """One transcript; every record follows the last one unless ``parent`` says otherwise."""

    def __init__(
        self,
        projects: Path,
        session: str | None = None,
        *,
        folder: str = FOLDER,
        cwd: str = CWD,
        agent: str | None = None,
        path: Path | None = None,
    ) -> None:
        self.id = session or str(uuid.uuid4())
        self.cwd = cwd
        self.agent = agent
        self.path = path or projects / folder / f"{self.id}.jsonl"
        self.last: str | None = None
        self._count = 0

    def starts_at(self, second: int) -> None:
        """The next record is written so many seconds after the first could have been."""
        self._count = second

    def raw(self, line: bytes) -> None:
        """Write bytes as they are."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("ab") as file:
            file.write(line)

    def row(self, **fields: Any) -> None:
        """A record that is no part of the conversation."""
        self.raw(
            json.dumps({**fields, "sessionId": self.id}, separators=(",", ":")).encode() + b"\n"
        )

    def record(self, kind: str, *, parent: str | None = "", **fields: Any) -> str:
        """A record of the conversation; gives its uuid."""
        id_ = str(uuid.uuid4())
        self._count += 1
        whole = {
            "parentUuid": self.last if parent == "" else parent,
            "isSidechain": self.agent is not None,
            **({"agentId": self.agent} if self.agent else {}),
            "type": kind,
            "uuid": id_,
            "timestamp": f"2026-12-02T10:00:{self._count % 60:02}.{self._count % 1000:03}Z",
            "cwd": self.cwd,
            **fields,
        }
        self.row(**whole)
        self.last = id_
        return id_

    def user(self, content: Any, **fields: Any) -> str:
        """A user message: a text, or a list of blocks."""
        origin = {} if self.agent else {"origin": {"kind": "human"}, "permissionMode": "default"}
        message = {"role": "user", "content": content}
        return self.record("user", message=message, **{**origin, **fields})

    def block(self, message: str, block: Json, **fields: Any) -> str:
        """One block of a response, as a record of its own."""
        whole = {
            "id": message,
            "type": "message",
            "role": "assistant",
            "model": "claude-opus-5-5",
            "content": [block],
            **fields.pop("inside", {}),
        }
        return self.record("assistant", message=whole, **fields)

    def says(self, words: str, message: str | None = None, **fields: Any) -> str:
        """A text of the model."""
        block = {"type": "text", "text": words}
        return self.block(message or f"msg_{uuid.uuid4().hex[:12]}", block, **fields)

    def calls(self, tool: str, call: str, response: str | None = None, /, **input_: Any) -> str:
        """A tool call of the model."""
        block = {"type": "tool_use", "id": call, "name": tool, "input": input_}
        return self.block(response or f"msg_{uuid.uuid4().hex[:12]}", block)

    def returns(self, call: str, content: Any = "ok", **fields: Any) -> str:
        """The result of a call."""
        result: Json = {"type": "tool_result", "tool_use_id": call, "content": content}
        if fields.pop("is_error", False):
            result["is_error"] = True
        message = {"role": "user", "content": [result]}
        return self.record("user", message=message, **fields)

    def child(self, agent: str, sidecar: Json | None) -> Transcript:
        """The transcript of a subagent of this session; ``sidecar`` None leaves that out."""
        folder = self.path.with_suffix("") / "subagents"
        folder.mkdir(parents=True, exist_ok=True)
        if sidecar is not None:
            (folder / f"agent-{agent}.meta.json").write_text(json.dumps(sidecar))
        path = folder / f"agent-{agent}.jsonl"
        return Transcript(folder, self.id, cwd=self.cwd, agent=agent, path=path)
