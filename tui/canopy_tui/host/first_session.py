"""Which session a started client begins with: a new one, the last one, one by its id, or a choice.

Pure wishes, and how each is fulfilled at an agent; the command line is not known here.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from canopy_shared.errors import AUTH_REQUIRED, AcpError, ConnectionClosedError
from canopy_tui.model.catalogue import ListedSession
from canopy_tui.model.sanitize import clipped
from canopy_tui.model.state import Problem

if TYPE_CHECKING:
    from canopy_tui.host.session_library import SessionLibrary
    from canopy_tui.model import events as e
    from canopy_tui.wire.answers import AgentFacts
    from canopy_tui.wire.client import AcpClient

CHOOSE = "sessions"


@dataclass(frozen=True, slots=True)
class FirstSession:
    """``resume``: the id, or its beginning, of the session to go on with. ``last``: go on with the
    one used last in the directory. ``choose``: show the list of stored sessions.
    """

    resume: str | None = None
    last: bool = False
    choose: bool = False

    @property
    def goes_on(self) -> bool:
        """Whether it is an old session, if it can be opened."""
        return self.last or self.resume is not None


def _anywhere(_directory: str) -> bool:
    return True


def _nobody(_session: str) -> str | None:
    return None


@dataclass(frozen=True, slots=True)
class Beginning:
    """What is needed to begin. ``may_open`` says whether a directory is trusted; ``held_elsewhere``
    names the other client that has a session open; ``asks_for_login`` false: an agent that wants a
    login cannot be used.
    """

    wish: FirstSession = FirstSession()
    may_open: Callable[[str], bool] = _anywhere
    asks_for_login: bool = True
    held_elsewhere: Callable[[str], str | None] = _nobody


async def begin(
    client: AcpClient,
    facts: AgentFacts,
    library: SessionLibrary,
    beginning: Beginning,
    cwd: str,
    emit: Callable[[e.Event], None],
) -> None:
    """Open the first session. Where the wish cannot be fulfilled, that is told and a new session
    opened. Raises what ``session/new`` raises.
    """
    from canopy_tui.model import events as e

    wish = beginning.wish
    problem = None
    if wish.goes_on:
        try:
            problem = await _go_on(facts, library, beginning, cwd)
        except ConnectionClosedError:
            raise
        except AcpError as error:
            if error.code == AUTH_REQUIRED:
                raise
            problem = Problem("The stored sessions could not be listed", error.message)
        if problem is None:
            return
    elif wish.choose:
        emit(e.ProblemMet(Problem("", offers=CHOOSE)))
    await client.new_session(cwd)
    if problem is not None and problem.title:
        emit(e.ProblemMet(problem))


_OPENED = None
_TOLD = Problem("")
"""The session could not be opened, and that was told already."""


async def _go_on(
    facts: AgentFacts, library: SessionLibrary, beginning: Beginning, cwd: str
) -> Problem | None:
    wish = beginning.wish
    if not facts.takes_up_sessions:
        return Problem(
            "This agent cannot load an old session", advice="This is a new session instead."
        )
    row = await _wanted(library, wish, cwd)
    if row is None and wish.resume is None:
        return Problem(
            "There is no session here to go on with",
            f"in {cwd}",
            "This is a new one. {sessions} lists the sessions of all directories too.",
        )
    if row is None:
        return Problem(
            "There is no such session",
            f"The agent knows no session whose id is, or alone begins with, {wish.resume}",
            "Pick one of the list, or {session-back} goes on in a new session.",
            CHOOSE,
        )
    if row.cwd and not beginning.may_open(row.cwd):
        command = f"cd {shlex.quote(row.cwd)} && canopy --resume {shlex.quote(row.id)}"
        return Problem(
            "That session belongs to another directory, which you have not trusted yet",
            row.cwd,
            f"To go on with it: {command}",
        )
    holder = beginning.held_elsewhere(row.id)
    if holder is not None:
        return Problem(
            f"Another Canopy {holder} has that session open",
            clipped(row.title, 200) or row.id,
            "When two go on with one session, each misses what the other does. This is a new "
            "session; the list can copy that one, or open it here too.",
            CHOOSE,
        )
    return _OPENED if await library.open_row(row) else _TOLD


async def _wanted(library: SessionLibrary, wish: FirstSession, cwd: str) -> ListedSession | None:
    if wish.resume is None:
        return await library.newest(cwd) if library.lists else None
    row = await library.find(wish.resume) if library.lists else None
    if row is None and (library.remembers or not library.lists):
        return ListedSession(id=wish.resume, cwd=cwd)  # the agent says whether it has it
    return row
