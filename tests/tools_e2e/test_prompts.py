"""What a prompt may hold, from the client to the model and back, on the real CLI."""

from __future__ import annotations

import base64
import json
import struct
import sys
import zlib
from typing import TYPE_CHECKING, Any

import pytest

from canopy_agent.demo.rules import ApiError, Rule, When
from e2e.world import world
from raw_client import BOUND, RpcError
from tools_e2e import desk_server
from waiting import eventually

if TYPE_CHECKING:
    from canopy_agent.demo.requests import ModelRequest
    from e2e.world import World

Json = dict[str, Any]
DESK = {"name": "desk", "command": sys.executable, "args": [desk_server.__file__], "env": []}
SAYS = Rule(When(), lambda request: f"You said: {request.says}")
PDF = base64.b64encode(b"%PDF-1.4\n%%EOF\n").decode()


def text(words: str) -> Json:
    return {"type": "text", "text": words}


def image(data: str, mime_type: str = "image/png") -> Json:
    return {"type": "image", "data": data, "mimeType": mime_type}


def png(width: int, height: int, *, fill: int = 0) -> str:
    """A PNG whose header says this size, with ``fill`` more bytes."""
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunk = b"IHDR" + header
    raw = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + chunk
    raw += struct.pack(">I", zlib.crc32(chunk)) + bytes(fill)
    return base64.b64encode(raw).decode()


async def send(w: World, *blocks: Json) -> Json:
    """Prompt with blocks."""
    return await w.agent.request("session/prompt", sessionId=w.session, prompt=list(blocks))  # type: ignore[no-any-return]


def said_to_model(w: World) -> list[Json]:
    """The blocks of the newest user message that the model got, without the CLI's own words."""
    message = next(m for m in reversed(w.model.turns[-1].body["messages"]) if m["role"] == "user")
    blocks = message["content"]
    return [b for b in blocks if not str(b.get("text", "")).startswith("<system-reminder>")]


async def test_scenarios_35_36_every_kind_of_block_reaches_the_model() -> None:
    csv = base64.b64encode("näme,1\n".encode("iso-8859-1")).decode()
    async with world(SAYS) as w:
        await w.open()
        result = await send(
            w,
            text("Look at "),
            {"type": "resource_link", "uri": f"file://{w.cwd}/README.md", "name": "r"},
            image(desk_server.PNG, "image/png"),
            {"type": "resource", "resource": {"uri": "file:///a/b.ts", "text": "let x = 1"}},
            {
                "type": "resource",
                "resource": {
                    "uri": "file:///a/c.csv",
                    "blob": csv,
                    "mimeType": "text/csv; charset=iso-8859-1",
                },
            },
            {
                "type": "resource",
                "resource": {"uri": "file:///a/d.pdf", "blob": PDF, "mimeType": "application/pdf"},
            },
        )
        assert result["stopReason"] == "end_turn"
        blocks = said_to_model(w)
        pictures = [b for b in blocks if b["type"] == "image"]
        assert pictures[0]["source"]["media_type"] == "image/png"
        (document,) = [b for b in blocks if b["type"] == "document"]
        assert document["source"]["media_type"] == "application/pdf"
        words = "".join(b.get("text", "") for b in blocks)
        assert f"[@README.md](file://{w.cwd}/README.md)" in words
        assert '<context ref="file:///a/b.ts">\nlet x = 1\n</context>' in words
        assert "näme,1" in words
        assert words.index("[@b.ts]") < words.index("<context ref")


BAD: dict[str, tuple[Json, str]] = {
    "audio": ({"type": "audio", "data": "AAAA", "mimeType": "audio/wav"}, "type audio"),
    "too large": (image(png(10, 10, fill=30 * 1024 * 1024)), "5 MiB"),
    "too many pixels": (image(png(9000, 9000)), "9000 x 9000"),
    "empty": (image(""), "empty"),
    "text": (image(base64.b64encode(b"hello, world").decode()), "is no picture"),
    "mislabelled": (image(desk_server.PNG, "image/jpeg"), "image/png"),
    "no base64": (image("%%%"), "base64"),
    "a PDF that is none": (
        {
            "type": "resource",
            "resource": {"uri": "u", "blob": desk_server.PNG, "mimeType": "application/pdf"},
        },
        "pdf",
    ),
}


async def test_b14_what_would_spoil_the_conversation_is_refused_and_nothing_is_queued() -> None:
    """Scenario 37 too: an audio block is -32602 with its type."""
    async with world(SAYS) as w:
        await w.open()
        for name, (block, words) in BAD.items():
            with pytest.raises(RpcError) as refused:
                await send(w, text("look"), block)
            assert refused.value.code == -32602, name
            assert words in refused.value.message, name
            if name == "audio":
                assert refused.value.data == {"type": "audio"}
        assert w.model.requests == []
        assert (await send(w, text("Still here?")))["stopReason"] == "end_turn"
        assert w.agent.text() == "You said: Still here?"
        assert len(w.model.turns) == 1


def has_picture(request: ModelRequest) -> bool:
    return request.purpose == "turn" and '"type": "image"' in json.dumps(request.body)


async def test_b14_a_picture_that_the_api_refuses_does_not_stay_in_the_conversation() -> None:
    refuse = Rule(When(test=has_picture), error=ApiError(400, "Could not process image"))
    async with world(refuse, SAYS) as w:
        await w.open()
        await send(w, text("look"), image(desk_server.PNG))
        assert "image" in w.agent.text()
        before = len(w.agent.text())
        assert (await send(w, text("and now?")))["stopReason"] == "end_turn"
        assert w.agent.text()[before:] == "You said: and now?"
        assert not has_picture(w.model.turns[-1])


async def test_scenario_37_commands_get_arguments_and_prompts_of_servers_their_name() -> None:
    async with world(SAYS) as w:
        commands = w.cwd / ".claude" / "commands"
        commands.mkdir(parents=True)
        (commands / "greet.md").write_text(
            '---\ndescription: greets\nargument-hint: "[who]"\n---\nGreet $ARGUMENTS now.\n'
        )
        await w.agent.initialize()
        w.session = await w.agent.new_session(w.cwd, mcpServers=[DESK])

        def offered() -> dict[str, Json]:
            updates = w.agent.updates("available_commands_update")
            rows = updates[-1]["availableCommands"] if updates else []
            return {row["name"]: row for row in rows}

        await eventually(lambda: "mcp:desk:letter" in offered(), "the server's prompt", bound=BOUND)
        assert offered()["greet"]["input"] == {"hint": "[who]"}
        await send(w, text("/greet big wide world"))
        assert w.agent.text() == "You said: Greet big wide world now."
        before = len(w.agent.text())
        await send(w, text("/mcp:desk:letter Ann kind"))
        assert w.agent.text()[before:] == "You said: Write a letter to Ann, kind."
        before = len(w.agent.text())
        await send(w, text("Say "), text("/mcp:desk:letter Ann kind"))
        assert "/mcp:desk:letter Ann kind" in w.agent.text()[before:]


async def test_scenario_39_b70_output_of_local_commands_comes_once_and_paths_are_words() -> None:
    async with world(SAYS) as w:
        await w.open()
        expected = {
            "/context": "Context Usage",
            "/cost": "Estimated cost",
            "/help": "/help",
            "/nope x": "You said: /nope x",
            "/etc/hosts is wrong": "You said: /etc/hosts is wrong",
        }
        for typed, words in expected.items():
            before = len(w.agent.updates("agent_message_chunk"))
            assert (await send(w, text(typed)))["stopReason"] == "end_turn", typed
            chunks = w.agent.updates("agent_message_chunk")[before:]
            told = "".join(chunk["content"]["text"] for chunk in chunks)
            assert told.count(words) == 1, typed
            assert "<local-command" not in told
        asked = [r.says for r in w.model.turns]
        assert asked == ["/nope x", "/etc/hosts is wrong"]


async def test_an_at_mention_in_the_text_brings_the_file() -> None:
    """Claude Code itself reads what a person mentions by path."""
    async with world(SAYS) as w:
        await w.open()
        await send(w, text("What is in @README.md ?"))
        whole = json.dumps(w.model.turns[-1].body["messages"])
        assert "fruitstand" in whole
        assert "README.md" in whole
