"""Clears up when this program is killed in a way that it cannot catch: the terminal becomes usable
again, and what it started ends: agents of the client, Claude Code of the agent.

A forked process, small because nothing is imported yet, waits at the end of a pipe. As long as the
client draws it knows how the terminal was before; the end of the pipe is the end of the program.
What is drawn, and what is started, is not known here.
"""

from __future__ import annotations

import contextlib
import marshal
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, Final

from canopy_shared import dependents, process_tree

TITLE_BACK: Final = "\x1b]2;\x07\x1b[23;2t"
"""The title from before; none in a terminal that keeps no stack of titles, where the shell's next
prompt writes its own. xterm's control sequences, XTWINOPS.
"""
CLEAN: Final = b"".join(
    (
        b"\x18",  # whatever sequence was cut off
        b"\x1b[?2026l",  # a frame that was not finished
        b"\x1b[?2004l\x1b[?2048l\x1b[?7h",  # pastes, sizes in band, wrapping
        b"\x1b[?1000l\x1b[?1003l\x1b[?1015l\x1b[?1006l\x1b[?1016l",  # the mouse
        b"\x1b[<u",  # keys of kitty, which each screen has of its own
        b"\x1b[0m\x1b[?1049l\x1b[?25h\x1b[?1004l",  # colours, the other screen, cursor, focus
        TITLE_BACK.encode(),
        b"canopy was killed.\n",  # the shell may have said so on the other screen
    )
)
"""What ends all that Textual 8.2.8 begins."""
_NAME: Final = "terminal-guard"
"""Another name than the client's, or what kills all of that name would kill the guard too."""
_PATIENCE: Final = 3.0
_LOOK: Final = 0.05
"""Seconds that a process gets to end, and between two looks."""
_IGNORED: Final = ("SIGINT", "SIGQUIT", "SIGTERM", "SIGHUP", "SIGTSTP", "SIGTTOU", "SIGTTIN")

_State = tuple[list[Any], list[Any]] | None
"""What is to be cleaned: nothing, or the modes of the terminal before and during the drawing."""

_Change = Callable[[int], int]


class Guard:
    """This program's end of the pipe."""

    def __init__(self, pipe: int, process: int) -> None:
        self._pipe = pipe
        self._process = process

    def draws(self, terminal: int, input_mode: _Change, local_mode: _Change) -> None:
        """From now on the terminal has to be cleaned. The two give the modes that the client is
        about to set for those that are, as ``LinuxDriver`` does.
        """
        import termios

        with contextlib.suppress(termios.error):
            before = termios.tcgetattr(terminal)
            during = [*before[:6], list(before[6])]
            during[0], during[3] = input_mode(during[0]), local_mode(during[3])
            during[6][termios.VMIN] = 1
            self._tell((before, during))

    def has_left(self) -> None:
        """The terminal is clean again."""
        self._tell(None)

    def depends(self, process: int, running: bool) -> None:
        """A process that leads a group runs from now on, and must end with this one; or ended."""
        born = process_tree.born(process)
        if not running or born:
            self._tell((process, born if running else ""))

    def close(self) -> None:
        """The client ends well."""
        os.close(self._pipe)
        with contextlib.suppress(OSError):
            os.waitpid(self._process, 0)

    def _tell(self, news: _State | tuple[int, str]) -> None:
        with contextlib.suppress(OSError):  # the guard was killed
            os.write(self._pipe, marshal.dumps(news))


_here: Guard | None = None


def present() -> Guard | None:
    """The guard of this process, if it has one."""
    return _here


@contextlib.contextmanager
def standing_by() -> Iterator[None]:
    """Guard the terminal on stdin and stdout, if they are one, and what is started meanwhile.
    Enter it before threads begin.
    """
    global _here
    _here = _start()
    if _here is not None:
        dependents.watch(_here.depends)
    try:
        yield
    finally:
        guard, _here = _here, None
        dependents.watch(None)
        if guard is not None:
            guard.close()


def _start() -> Guard | None:
    screen = _screen()
    # A process with threads is not forked: a lock that another thread holds would stay held.
    if not hasattr(os, "fork") or len(sys._current_frames()) > 1:
        return None
    listens, tells = os.pipe()
    try:
        process = os.fork()
    except OSError:  # no more processes: then without one
        os.close(listens)
        os.close(tells)
        return None
    if process == 0:
        with contextlib.suppress(BaseException):
            os.close(tells)
            _wait(listens, screen)
        os._exit(0)
    os.close(listens)
    return Guard(tells, process)


def _screen() -> int | None:
    """Where Textual writes: stderr, unless only stdout is the terminal. None without one."""
    for stream in (sys.__stderr__, sys.__stdout__):
        with contextlib.suppress(AttributeError, OSError, ValueError):
            if stream is not None and os.isatty(0) and os.isatty(stream.fileno()):
                return stream.fileno()
    return None


def set_back(terminal: int, modes: list[Any]) -> None:
    """Give ``terminal`` the ``modes`` that it had before another program used it, which may have
    been killed.
    """
    import termios

    with contextlib.suppress(termios.error):
        termios.tcsetattr(terminal, termios.TCSANOW, modes)


# --- in the other process -------------------------------------------------------------------------


def _wait(listens: int, screen: int | None) -> None:
    """Wait for the end of the client, with nothing of its but the pipe and the terminal."""
    for name in _IGNORED:
        signal.signal(getattr(signal, name), signal.SIG_IGN)
    os.setsid()  # what is sent to the whole job, be it SIGKILL, is not for the guard
    if screen is not None:
        os.dup2(screen, 1)
    os.dup2(listens, 2)
    _close_others((0, 1, 2) if screen is not None else (2,))
    os.chdir("/")
    with contextlib.suppress(OSError), open("/proc/self/comm", "w") as name_file:  # noqa: PTH123
        name_file.write(_NAME)
    state: _State = None
    depending: dict[int, str] = {}
    source = os.fdopen(2, "rb", closefd=False)
    with contextlib.suppress(EOFError, ValueError, TypeError):
        while True:
            match marshal.load(source):
                case (int(process), str(born)):
                    depending[process] = born
                case news:
                    state = news
    if state is not None:
        _clean(*state)
    _close_others(())
    _end({process: born for process, born in depending.items() if born})


def _close_others(kept: tuple[int, ...]) -> None:
    try:
        found = [int(name) for name in os.listdir("/proc/self/fd")]  # noqa: PTH208
    except OSError:
        found = list(range(1024))
    for descriptor in found:
        if descriptor not in kept:
            with contextlib.suppress(OSError):  # that of the listing itself
                os.close(descriptor)


def _end(processes: dict[int, str]) -> None:
    """End those that do not end with their input, and what they have started: SIGTERM, SIGKILL,
    each with its patience.
    """
    under: set[process_tree.Descendant] = set()

    def left() -> list[int]:
        return [one for one in processes if process_tree.born(one) == processes[one]]

    def orphans() -> list[process_tree.Descendant]:
        return [one for one in under if process_tree.born(one.pid) == one.born]

    for number, patience in ((0, _PATIENCE), (signal.SIGTERM, _PATIENCE), (signal.SIGKILL, 0.0)):
        leaders = left()
        under.update(process_tree.descendants(*leaders))
        for leader in leaders:
            with contextlib.suppress(OSError):
                os.killpg(leader, number)
        # Those that have a leader are ended by it, which may have more to do than to end them.
        if not leaders or number == signal.SIGKILL:
            process_tree.kill_all(under, number)
        until = time.monotonic() + patience
        while time.monotonic() < until and (left() or orphans()):
            time.sleep(_LOOK)


def _clean(before: list[Any], during: list[Any]) -> None:
    """First what shows, as the shell writes its prompt soon; then the modes, unless the shell has
    set its own already.
    """
    import termios

    with contextlib.suppress(OSError):
        os.write(1, CLEAN)
    with contextlib.suppress(termios.error):
        if _alike(termios.tcgetattr(0)) == _alike(during):
            termios.tcflush(0, termios.TCIFLUSH)  # reports of the mouse
            termios.tcsetattr(0, termios.TCSANOW, before)


def _alike(modes: list[Any]) -> list[Any]:
    """Two of the characters are numbers or not, as the modes are."""
    return [*modes[:6], [one if isinstance(one, bytes) else bytes((one,)) for one in modes[6]]]
