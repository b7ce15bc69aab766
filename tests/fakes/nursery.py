"""Agent processes that are forked from one that has imported everything, and not begun anew.

Each is a process like any other, with its own pipes, environment, directory and exit status; only
the quarter of a second that Python takes to import the agent is saved. Start it as a program to be
the one that is forked. It must not know what is tested.
"""

from __future__ import annotations

import array
import asyncio
import atexit
import contextlib
import gc
import importlib
import json
import os
import pkgutil
import random
import selectors
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

_LONGEST = 1024 * 1024
_OF_THE_INTERPRETER = ("PYTHON", "LC_", "LANG")
"""Names of variables that Python reads once, when it starts."""


def can_be_forked(env: Mapping[str, str]) -> bool:
    """Whether an agent in ``env`` would be the same when it is begun anew."""
    names = {name for name in {*env, *os.environ} if name.startswith(_OF_THE_INTERPRETER)}
    names.discard("PYTHONDONTWRITEBYTECODE")
    return hasattr(os, "fork") and all(env.get(name) == os.environ.get(name) for name in names)


class AgentProcess:
    """What :class:`asyncio.subprocess.Process` is, of a process that another one forked."""

    stdin: asyncio.StreamWriter
    stdout: asyncio.StreamReader
    stderr: asyncio.StreamReader
    pid: int

    def __init__(self) -> None:
        self.returncode: int | None = None
        self._transports: list[asyncio.BaseTransport] = []
        self._ended = asyncio.Event()

    @classmethod
    async def begin(cls, env: Mapping[str, str], cwd: str | None, limit: int) -> AgentProcess:
        """Fork ``canopy --stdio``."""
        self, loop = cls(), asyncio.get_running_loop()
        pipes = [os.pipe() for _ in range(4)]
        (child_in, to_child), (out, child_out), (err, child_err), (status, child_status) = pipes
        theirs = (child_in, child_out, child_err, child_status)
        try:
            _nursery().ask({"env": dict(env), "cwd": str(cwd or Path.cwd())}, theirs)
        finally:
            for number in theirs:
                os.close(number)
        writing, protocol = await loop.connect_write_pipe(
            lambda: asyncio.StreamReaderProtocol(asyncio.StreamReader(loop=loop), loop=loop),
            os.fdopen(to_child, "wb"),
        )
        self.stdin = asyncio.StreamWriter(writing, protocol, None, loop)
        self._transports.append(writing)
        self.stdout = await self._reader(out, limit)
        self.stderr = await self._reader(err, limit)
        told = await self._reader(status, limit)
        self.pid = int(await told.readline())
        self._watching = asyncio.create_task(self._watch(told))
        return self

    async def _reader(self, number: int, limit: int) -> asyncio.StreamReader:
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader(limit=limit, loop=loop)
        transport, _ = await loop.connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader, loop=loop), os.fdopen(number, "rb")
        )
        self._transports.append(transport)
        return reader

    async def _watch(self, told: asyncio.StreamReader) -> None:
        self.returncode = int(await told.readline() or -signal.SIGKILL)
        self._ended.set()

    async def wait(self) -> int:
        """The exit status, negative for a signal."""
        await self._ended.wait()
        assert self.returncode is not None
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send a signal unless it is over."""
        if self.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill(self) -> None:
        """SIGKILL."""
        self.send_signal(signal.SIGKILL)

    def close_pipes(self) -> None:
        """Nothing is read or written any more."""
        for transport in self._transports:
            transport.close()


class _Nursery:
    """The process that is forked, from outside."""

    def __init__(self) -> None:
        self._socket, theirs = socket.socketpair()
        with theirs:
            number = theirs.fileno()
            subprocess.run([sys.executable, __file__, str(number)], pass_fds=[number], check=True)
        atexit.register(self._socket.close)

    def ask(self, order: dict[str, Any], descriptors: tuple[int, ...]) -> None:
        """Have an agent forked; the last of ``descriptors`` tells its id and exit status."""
        line = json.dumps(order).encode() + b"\n"
        ancillary = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))
        sent = self._socket.sendmsg([line], [ancillary])
        self._socket.sendall(line[sent:])
        assert self._socket.recv(1), "the process that is forked is gone"


_one: list[_Nursery] = []


def _nursery() -> _Nursery:
    if not _one:
        _one.append(_Nursery())
    return _one[0]


# --- inside ---------------------------------------------------------------------------------------


def _import_all() -> None:
    import canopy_agent

    importlib.import_module("canopy_tui.cli")

    for module in pkgutil.walk_packages(canopy_agent.__path__, "canopy_agent."):
        if ".demo." not in module.name and not module.name.endswith("__main__"):
            importlib.import_module(module.name)


class _Parent:
    """Forks on demand and tells how each ended."""

    def __init__(self, orders: socket.socket) -> None:
        self._orders = orders
        self._watchers: dict[int, int] = {}
        self._wake, self._woken = os.pipe()
        os.set_blocking(self._woken, False)
        os.set_blocking(self._wake, False)

    def serve(self) -> dict[str, Any] | None:
        """Until nobody asks any more; gives what to be, once, in each child."""
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._woken)
        with selectors.DefaultSelector() as selector:
            selector.register(self._orders, selectors.EVENT_READ)
            selector.register(self._wake, selectors.EVENT_READ)
            while True:
                for key, _ in selector.select():
                    if key.fileobj is self._wake or key.fd == self._wake:
                        self._bury()
                        continue
                    order = self._order()
                    if order is None or self._forked(order):
                        return order

    def _order(self) -> dict[str, Any] | None:
        line, descriptors, _, _ = socket.recv_fds(self._orders, _LONGEST, 4)
        while line and not line.endswith(b"\n"):
            line += self._orders.recv(_LONGEST)
        return {**json.loads(line), "descriptors": descriptors} if line else None

    def _forked(self, order: dict[str, Any]) -> bool:
        """Whether this is the child."""
        *pipes, status = order["descriptors"]
        pid = os.fork()
        if pid == 0:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for number in (*self._watchers.values(), status, self._wake, self._woken):
                os.close(number)
            self._orders.close()
            return True
        for number in pipes:
            os.close(number)
        self._watchers[pid] = status
        os.write(status, b"%d\n" % pid)
        self._orders.sendall(b".")
        return False

    def _bury(self) -> None:
        with contextlib.suppress(BlockingIOError):
            os.read(self._wake, 4096)
        with contextlib.suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                status = self._watchers.pop(ended[0])
                with contextlib.suppress(BrokenPipeError):
                    os.write(status, b"%d\n" % os.waitstatus_to_exitcode(ended[1]))
                os.close(status)


def _be(order: dict[str, Any]) -> int:
    from canopy_tui.cli import main

    for number, descriptor in enumerate(order["descriptors"][:3]):
        os.dup2(descriptor, number)
        os.close(descriptor)
    os.environ.clear()
    os.environ.update(order["env"])
    os.chdir(order["cwd"])
    random.seed()
    time.tzset()
    sys.argv[1:] = ["--stdio"]
    return main()


if __name__ == "__main__":
    if os.fork():
        os._exit(0)  # no child of the tests, which look for processes that are left
    _import_all()
    gc.freeze()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the keyboard is for who runs the tests
    if (given := _Parent(socket.socket(fileno=int(sys.argv[1]))).serve()) is not None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.exit(_be(given))
