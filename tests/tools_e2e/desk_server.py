"""A small MCP server on stdio, without any package: tools with odd results, questions, a prompt.

It speaks MCP 2025-06-18 as far as the tests need and knows nothing of them.
"""

from __future__ import annotations

import json
import sys
from typing import Any

PNG = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg"
    "gg=="
)
EMPTY = {"type": "object", "properties": {}}
TOOLS = {
    "note": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
    "mixed": EMPTY,
    "flood": {"type": "object", "properties": {"size": {"type": "integer"}}},
    "hostile": EMPTY,
    "ask": EMPTY,
    "ask_page": EMPTY,
    "fail": EMPTY,
}
FORM = {
    "type": "object",
    "properties": {
        "colour": {"type": "string", "enum": ["red", "blue"]},
        "count": {"type": "integer", "minimum": 1},
        "sure": {"type": "boolean", "default": True},
    },
    "required": ["colour"],
}
HOSTILE = (
    "\x1b[31mred\x1b[0m \x1b]0;title\x07 [bold]markup[/bold] \u202eabc\u202c \u200bzero \x00nul"
)


class Desk:
    """One connection."""

    def __init__(self) -> None:
        self.asked: dict[str, Any] = {}

    def send(self, message: dict[str, Any]) -> None:
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        sys.stdout.flush()

    def result(self, request: Any, *blocks: Any, is_error: bool = False) -> None:
        content = [{"type": "text", "text": b} if isinstance(b, str) else b for b in blocks]
        self.send({"id": request, "result": {"content": content, "isError": is_error}})

    def serve(self) -> None:
        for line in sys.stdin:
            message = json.loads(line)
            method, request = message.get("method"), message.get("id")
            if method is None:
                self.answered(request, message)
            elif method == "tools/call":
                self.call(request, message["params"])
            elif request is not None:
                self.send({"id": request, **self.reply(method, message.get("params") or {})})

    def reply(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        match method:
            case "initialize":
                capabilities = {"tools": {}, "prompts": {}}
                info = {"name": "desk", "version": "1"}
                version = "2025-06-18"
                found: dict[str, Any] = {
                    "protocolVersion": version,
                    "capabilities": capabilities,
                    "serverInfo": info,
                }
            case "tools/list":
                found = {
                    "tools": [
                        {"name": name, "description": name, "inputSchema": schema}
                        for name, schema in TOOLS.items()
                    ]
                }
            case "prompts/list":
                arguments = [{"name": "to", "required": True}, {"name": "tone"}]
                letter = {"name": "letter", "description": "Write", "arguments": arguments}
                found = {"prompts": [letter]}
            case "prompts/get":
                given = params.get("arguments") or {}
                text = f"Write a letter to {given.get('to')}, {given.get('tone')}."
                found = {"messages": [{"role": "user", "content": {"type": "text", "text": text}}]}
            case "ping":
                found = {}
            case _:
                return {"error": {"code": -32601, "message": "Method not found"}}
        return {"result": found}

    def call(self, request: Any, params: dict[str, Any]) -> None:
        given = params.get("arguments") or {}
        match params.get("name"):
            case "note":
                self.result(request, f"noted: {given.get('text')}")
            case "mixed":
                image = {"type": "image", "data": PNG, "mimeType": "image/png"}
                link = {"type": "resource_link", "uri": "file:///x/a.txt", "name": "a.txt"}
                inside = {"uri": "file:///x/b.txt", "mimeType": "text/plain", "text": "inside"}
                audio = {"type": "audio", "data": "AAAA", "mimeType": "audio/wav"}
                resource = {"type": "resource", "resource": inside}
                self.result(request, "words", image, link, resource, audio)
            case "flood":
                self.result(request, "x" * int(given.get("size", 0)) + " the end")
            case "hostile":
                self.result(request, HOSTILE)
            case "fail":
                self.result(request, "it broke", is_error=True)
            case "ask":
                self.ask(request, {"message": "Which colour?", "requestedSchema": FORM})
            case "ask_page":
                page = {"mode": "url", "url": "https://desk.example/sign", "elicitationId": "el-1"}
                self.ask(request, {"message": "Sign in", **page})

    def ask(self, request: Any, params: dict[str, Any]) -> None:
        id_ = f"ask-{len(self.asked)}"
        self.asked[id_] = request
        self.send({"id": id_, "method": "elicitation/create", "params": params})

    def answered(self, id_: Any, message: dict[str, Any]) -> None:
        request = self.asked.get(id_)
        if request is not None:
            told = message.get("result") or {"error": message.get("error")}
            self.result(request, json.dumps(told, sort_keys=True))


if __name__ == "__main__":
    Desk().serve()
