"""An ACP client for tests that talks to an agent process line by line and hides nothing.

It must not use any of our own protocol code: it is the other side. Usage::

    async with RawClient.spawn(env=fake_cli.env) as client:
        await client.initialize()
        session = await client.new_session(tmp_path)
        client.on_permission("allow_once")
        assert (await client.prompt(session, "hi"))["stopReason"] == "end_turn"

At the end of the block the agent's stdin is closed; it must exit with status 0 within a bound, must
have written nothing but JSON-RPC lines, and must have left no process behind.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from canopy_shared.process_tree import descendants
from fakes.cli import is_running
from fakes.nursery import AgentProcess, can_be_forked
from waiting import eventually

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

STDIO = (sys.executable, "-m", "canopy_tui", "--stdio")
BOUND = 30.0
LINE_LIMIT = 256 * 1024 * 1024

Json = dict[str, Any]
Answer = Json | Callable[[Json], Json] | None
"""A result, or what makes one from the params; None holds the request until it is withdrawn."""

WITHDRAWN: dict[str, Json] = {
    "session/request_permission": {"outcome": {"outcome": "cancelled"}},
    "elicitation/create": {"action": "cancel"},
}
"""What is answered when the agent withdraws a request that is held."""


def _command_line(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


async def _begun(
    command: tuple[str, ...], env: Mapping[str, str], cwd: str | None
) -> asyncio.subprocess.Process:
    pipe = asyncio.subprocess.PIPE
    return await asyncio.create_subprocess_exec(
        *command, stdin=pipe, stdout=pipe, stderr=pipe, env=env, cwd=cwd, limit=LINE_LIMIT
    )


class RpcError(Exception):
    """An error response, as it came: ``code``, ``message``, ``data``."""

    def __init__(self, error: Json) -> None:
        super().__init__(json.dumps(error))
        self.code: int = error.get("code", 0)
        self.message: str = error.get("message", "")
        self.data: Any = error.get("data")


@dataclass(frozen=True, slots=True)
class Received:
    """One line from the agent: seconds since the start, and the frame."""

    at: float
    frame: Json


class RawClient:
    """One agent process and everything that it sent."""

    def __init__(self, process: asyncio.subprocess.Process | AgentProcess) -> None:
        self.process = process
        self.received: list[Received] = []
        self.junk: list[str] = []
        self.stderr = ""
        self._born = time.monotonic()
        self._count = 0
        self._held_back: list[bytes] | None = None
        self._pending: dict[int, asyncio.Future[Any]] = {}
        self._policies: list[tuple[str, Answer, Callable[[Json], bool]]] = []
        self._held: dict[Any, str] = {}
        self._killed = False
        self._readers = [
            asyncio.create_task(self._read_stdout()),
            asyncio.create_task(self._read_stderr()),
        ]

    @classmethod
    @contextlib.asynccontextmanager
    async def spawn(
        cls,
        *command: str,
        env: Mapping[str, str] | None = None,
        cwd: str | None = None,
        exit_code: int = 0,
        whole_env: bool = False,
    ) -> AsyncIterator[RawClient]:
        """Start ``command`` (a forked agent by default) with ``env`` over our own environment, or,
        with ``whole_env``, in ``env`` alone.
        """
        surroundings = {**({} if whole_env else os.environ), **(env or {})}
        if not command and can_be_forked(surroundings):
            client = cls(await AgentProcess.begin(surroundings, cwd, LINE_LIMIT))
        else:
            client = cls(await _begun(command or STDIO, surroundings, cwd))
        try:
            yield client
        except BaseException:
            await client._end()
            sys.stderr.write(f"--- the agent's stderr ---\n{client.stderr}\n")
            raise
        await client.aclose(exit_code)

    # sending

    def send_raw(self, data: bytes) -> None:
        """Write bytes as they are."""
        assert self.process.stdin is not None
        self.process.stdin.write(data)

    def notify(self, method: str, **params: Any) -> None:
        """Send a notification."""
        self._send({"method": method, "params": params})

    def begin(self, method: str, **params: Any) -> asyncio.Future[Any]:
        """Send a request now; the future gives its result or raises RpcError."""
        self._count += 1
        future = self._pending[self._count] = asyncio.get_running_loop().create_future()
        self._send({"id": self._count, "method": method, "params": params})
        return future

    async def request(self, method: str, **params: Any) -> Any:
        """Send a request and wait for its result. Raises RpcError."""
        async with asyncio.timeout(BOUND):
            return await self.begin(method, **params)

    async def initialize(self, capabilities: Json | None = None, protocol: int = 1) -> Json:
        """``initialize`` as a client with ``capabilities``."""
        params = {"protocolVersion": protocol, "clientCapabilities": capabilities or {}}
        return await self.request("initialize", **params)  # type: ignore[no-any-return]

    async def new_session(self, cwd: Path | str, **params: Any) -> str:
        """``session/new``; the whole answer is in :attr:`received`."""
        result = await self.request("session/new", **{"cwd": str(cwd), "mcpServers": [], **params})
        return str(result["sessionId"])

    def begin_prompt(self, session: str, text: str, **params: Any) -> asyncio.Future[Any]:
        """Send a text prompt now; the future gives the result of the turn."""
        content = [{"type": "text", "text": text}]
        return self.begin("session/prompt", **{"sessionId": session, "prompt": content, **params})

    async def prompt(self, session: str, text: str, **params: Any) -> Json:
        """Send a text prompt and wait for the end of its turn."""
        async with asyncio.timeout(BOUND):
            return await self.begin_prompt(session, text, **params)  # type: ignore[no-any-return]

    def cancel(self, session: str) -> None:
        """``session/cancel``."""
        self.notify("session/cancel", sessionId=session)

    # answering

    def on(
        self, method: str, answer: Answer, match: Callable[[Json], bool] = lambda _: True
    ) -> None:
        """Answer requests of the agent. The latest rule that fits is used; without one the agent
        gets -32601.
        """
        self._policies.insert(0, (method, answer, match))

    def on_permission(self, kind: str, match: Callable[[Json], bool] = lambda _: True) -> None:
        """Answer permission requests with the option of ``kind``, such as ``allow_once``."""

        def choose(params: Json) -> Json:
            ids = [one["optionId"] for one in params["options"] if one["kind"] == kind]
            assert ids, f"no option of kind {kind}: {params['options']}"
            return {"outcome": {"outcome": "selected", "optionId": ids[0]}}

        self.on("session/request_permission", choose, match)

    def answer(self, request_id: Any, result: Json) -> None:
        """Answer a held request by hand."""
        self._held.pop(request_id)
        self._send({"id": request_id, "result": result})

    # looking

    @property
    def frames(self) -> list[Json]:
        """All frames so far."""
        return [one.frame for one in self.received]

    def updates(self, kind: str | None = None, session: str | None = None) -> list[Json]:
        """The ``update`` objects so far, of one kind and session or of all."""
        return [
            frame["params"]["update"]
            for frame in self.frames
            if frame.get("method") == "session/update"
            and kind in (None, frame["params"]["update"]["sessionUpdate"])
            and session in (None, frame["params"]["sessionId"])
        ]

    def text(self, session: str | None = None) -> str:
        """The agent's whole spoken text so far."""
        chunks = self.updates("agent_message_chunk", session)
        return "".join(chunk["content"].get("text", "") for chunk in chunks)

    def requests(self, method: str) -> list[Json]:
        """The agent's requests so far, whole frames."""
        return [one for one in self.frames if one.get("method") == method and "id" in one]

    async def wait_update(
        self,
        kind: str,
        session: str | None = None,
        match: Callable[[Json], bool] = lambda _: True,
    ) -> Json:
        """The first update that fits, also one that came before."""

        def found() -> Json | None:
            return next((one for one in self.updates(kind, session) if match(one)), None)

        return await self._until(found, f"update {kind}")

    async def wait_request(
        self, method: str, match: Callable[[Json], bool] = lambda _: True
    ) -> Json:
        """The first request of the agent that fits, a whole frame."""

        def found() -> Json | None:
            return next((one for one in self.requests(method) if match(one["params"])), None)

        return await self._until(found, f"request {method}")

    def started(self) -> list[int]:
        """What the agent started and still is its child, with what that started; without the
        process that it forked to watch it.
        """
        own = _command_line(self.process.pid)
        found = (child.pid for child in descendants(self.process.pid))
        return [pid for pid in found if _command_line(pid) != own]

    # the end

    def close_stdin(self) -> None:
        """Say that no more will come."""
        assert self.process.stdin is not None
        if not self.process.stdin.is_closing():
            self.process.stdin.close()

    async def kill(self) -> None:
        """Kill the agent, as if it had crashed."""
        self._killed = True
        self.process.kill()
        await self.process.wait()

    async def aclose(self, exit_code: int = 0) -> None:
        """End the agent and check how it leaves."""
        children = [child.pid for child in descendants(self.process.pid)]
        self.close_stdin()
        try:
            async with asyncio.timeout(BOUND):
                code = await self.process.wait()
        except TimeoutError:
            raise AssertionError(f"the agent did not exit; stderr: {self.stderr}") from None
        finally:
            await self._end()
        exit_code = -signal.SIGKILL if self._killed else exit_code
        assert code == exit_code, f"exit status {code}; stderr: {self.stderr}"
        assert not self.junk, f"not a JSON-RPC line: {self.junk}"
        gone = "processes of the agent are gone"
        await eventually(lambda: not any(map(is_running, children)), gone)

    async def _end(self) -> None:
        if self.process.returncode is None:
            self.process.kill()
        await self.process.wait()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(5):  # A leftover process may hold the pipes.
                await asyncio.gather(*self._readers)
        for reader in self._readers:
            reader.cancel()
        if isinstance(self.process, AgentProcess):
            self.process.close_pipes()
        else:
            self.process._transport.close()  # type: ignore[attr-defined]

    @contextlib.contextmanager
    def at_once(self) -> Iterator[None]:
        """What is sent in the block goes in one write: the agent reads it in one piece."""
        self._held_back = []
        try:
            yield
        finally:
            lines, self._held_back = self._held_back, None
            self.send_raw(b"".join(lines))

    def _send(self, frame: Json) -> None:
        line = json.dumps({"jsonrpc": "2.0", **frame}).encode() + b"\n"
        if self._held_back is None:
            self.send_raw(line)
        else:
            self._held_back.append(line)

    async def _until(self, found: Callable[[], Json | None], what: str) -> Json:
        def look() -> Json | None:
            frame = found()
            if frame is None and self.process.returncode is not None:
                raise AssertionError(f"the agent ended before: {what}; stderr: {self.stderr}")
            return frame

        frame = await eventually(look, what, bound=BOUND)
        assert frame is not None
        return frame

    async def _read_stderr(self) -> None:
        assert self.process.stderr is not None
        while data := await self.process.stderr.read(65536):
            self.stderr += data.decode(errors="replace")

    async def _read_stdout(self) -> None:
        assert self.process.stdout is not None
        while line := await self.process.stdout.readline():
            frame = parsed(line)
            if frame is None:
                self.junk.append(line.decode(errors="replace")[:500])
                continue
            self.received.append(Received(time.monotonic() - self._born, frame))
            self._take(frame)
        for future in self._pending.values():
            if not future.done():
                future.set_exception(RpcError({"message": "the agent closed its stdout"}))
                future.exception()  # Nobody has to look at it.

    def _take(self, frame: Json) -> None:
        if "method" not in frame:
            future = self._pending.pop(frame["id"], None) if frame["id"] is not None else None
            if future is not None and not future.done():
                if "error" in frame:
                    future.set_exception(RpcError(frame["error"]))
                else:
                    future.set_result(frame["result"])
        elif frame["method"] == "$/cancel_request":
            request_id = frame["params"]["requestId"]
            method = self._held.pop(request_id, None)
            if method is not None:
                self._send({"id": request_id, "result": WITHDRAWN[method]})
        elif "id" in frame:
            self._serve(frame)

    def _serve(self, frame: Json) -> None:
        params = frame["params"]
        for method, answer, match in self._policies:
            if method == frame["method"] and match(params):
                if answer is None:
                    self._held[frame["id"]] = method
                else:
                    result = answer(params) if callable(answer) else answer
                    self._send({"id": frame["id"], "result": result})
                return
        error = {"code": -32601, "message": f"no rule for {frame['method']}"}
        self._send({"id": frame["id"], "error": error})


def parsed(line: bytes) -> Json | None:
    """The frame of a line, None when it is no JSON-RPC 2.0 message."""
    try:
        frame = json.loads(line)
    except ValueError:
        return None
    if not isinstance(frame, dict) or frame.get("jsonrpc") != "2.0":
        return None
    if "method" in frame:
        fine = isinstance(frame["method"], str) and isinstance(frame.get("params", {}), dict)
        return {"params": {}, **frame} if fine and not frame.keys() & {"result", "error"} else None
    return frame if "id" in frame and ("result" in frame) != ("error" in frame) else None
