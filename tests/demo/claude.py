"""A small host for the real Claude Code CLI over stream-json, only for the tests of the demo.

It starts the bundled CLI in a `DemoEnvironment`, answers what it asks, and waits for frames.
"""

from __future__ import annotations

import asyncio
import itertools
import json
from contextlib import asynccontextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping

    from canopy_agent.demo.workspace import DemoEnvironment

Frame = dict[str, Any]
BOUND = 60.0  # seconds; a hang, not a slow machine
FLAGS = (
    "--input-format",
    "stream-json",
    "--output-format",
    "stream-json",
    "--verbose",
    "--include-partial-messages",
    "--permission-prompt-tool",
    "stdio",
)


def bundled_cli() -> Path:
    """The CLI that the SDK package brings."""
    spec = find_spec("claude_agent_sdk")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / "_bundled" / "claude"


def allow(frame: Frame) -> Frame | None:
    """Answer a permission request with yes."""
    return {"behavior": "allow", "updatedInput": frame["request"]["input"]}


def refuse(frame: Frame) -> Frame | None:
    """Answer a permission request with no."""
    return {"behavior": "deny", "message": "The user said no."}


def later(frame: Frame) -> Frame | None:
    """Leave a permission request open."""
    return None


class Claude:
    """One running CLI."""

    def __init__(
        self, process: asyncio.subprocess.Process, answer: Callable[[Frame], Frame | None]
    ) -> None:
        self._process = process
        self._answer = answer
        self._numbers = itertools.count(1)
        self._news = asyncio.Event()
        self.frames: list[Frame] = []

    def send(self, frame: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(frame).encode() + b"\n")

    def say(self, text: str) -> None:
        self.send({"type": "user", "message": {"role": "user", "content": text}})

    def answer(self, asked: Frame, response: Frame) -> None:
        inner = {
            "subtype": "success",
            "request_id": asked["request_id"],
            "response": response,
        }
        self.send({"type": "control_response", "response": inner})

    async def control(self, subtype: str, **fields: Any) -> Frame:
        """Make a control request and wait for its response."""
        request_id = f"test-{next(self._numbers)}"
        request = {"subtype": subtype, **fields}
        self.send({"type": "control_request", "request_id": request_id, "request": request})
        found = await self.until(
            lambda one: (
                one["type"] == "control_response" and one["response"]["request_id"] == request_id
            )
        )
        response: Frame = found["response"]
        return response

    async def until(self, wanted: Callable[[Frame], bool], count: int = 1) -> Frame:
        """Wait until that many frames fit, and return the last of them."""
        try:
            async with asyncio.timeout(BOUND):
                while len(fit := [one for one in self.frames if wanted(one)]) < count:
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            seen = "\n".join(json.dumps(one)[:300] for one in self.frames[-30:])
            raise AssertionError(f"the frame did not come; the last were:\n{seen}") from None
        return fit[count - 1]

    async def result(self, count: int = 1) -> Frame:
        """Wait for the end of the nth turn."""
        return await self.until(lambda one: one["type"] == "result", count)

    async def turn(self, text: str) -> Frame:
        """Say something and wait for the end of one more turn."""
        before = sum(one["type"] == "result" for one in self.frames)
        self.say(text)
        return await self.result(before + 1)

    def asked(self, tool: str | None = None) -> list[Frame]:
        """The permission requests so far."""
        return [
            one
            for one in self.frames
            if one["type"] == "control_request"
            and one["request"]["subtype"] == "can_use_tool"
            and tool in (None, one["request"]["tool_name"])
        ]

    def system(self, subtype: str) -> list[Frame]:
        return [one for one in self.frames if one.get("subtype") == subtype]

    async def read(self) -> None:
        assert self._process.stdout is not None
        async for line in self._process.stdout:
            frame: Frame = json.loads(line)
            self.frames.append(frame)
            self._news.set()
            if frame["type"] == "control_request":
                response = self._answer(frame)
                if response is not None:
                    self.answer(frame, response)


@asynccontextmanager
async def running(
    place: DemoEnvironment,
    answer: Callable[[Frame], Frame | None] = allow,
    **initialize: Any,
) -> AsyncIterator[Claude]:
    """A CLI in a demo environment; it is killed at the end."""
    process = await asyncio.create_subprocess_exec(
        str(bundled_cli()),
        *FLAGS,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        limit=64 * 1024 * 1024,
        cwd=place.cwd,
        env=dict(place.env),
        start_new_session=True,
    )
    claude = Claude(process, answer)
    reading = asyncio.create_task(claude.read())
    try:
        await claude.control("initialize", hooks=None, **initialize)
        yield claude
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
        await reading
        transport = getattr(process, "_transport", None)
        if transport is not None:
            transport.close()
