"""What the app is given from outside: where it runs, what it remembers, and who carries things out.

Plain facts and a protocol; made by the composition root and by tests.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from canopy_tui.model.glyphs import UNICODE
from canopy_tui.model.shelf import EMPTY_DRAFT, Draft

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from canopy_tui.desk.file_index import FileIndex
    from canopy_tui.model.intents import Intent
    from canopy_tui.model.state import ClientState, Touched
    from canopy_tui.view.transcript.start_view import Scene

Peek = Callable[[str, str], Awaitable[str]]
"""Session id and directory → its last words, "" when nobody knows."""
OnTouched = Callable[["Touched"], None]
Schedule = Callable[[float, Callable[[], None]], object]


class Host(Protocol):
    """Who carries out what the person wants. The controller is one."""

    @property
    def state(self) -> ClientState:
        """The state that is drawn."""

    def act(self, intent: Intent) -> None:
        """Carry out ``intent``; returns at once."""

    def start(self) -> None:
        """Start the agent. Called once, after the first frame is painted."""


class Desktop(Protocol):
    """What lies around the terminal. ``canopy_tui.desk.desktop`` has the real one."""

    async def copy(self, text: str) -> str:
        """Put ``text`` where it can be pasted from, and say where (``clipboard``, ``tmux``,
        ``tmux only``); empty when no program took it.
        """

    async def open(self, target: str) -> str:
        """Open an address or a file. Empty, or why not."""

    def keep(self, content: bytes, ending: str) -> Path:
        """Put ``content`` in a new file of its own. Raises ``OSError``."""


class Trust(Protocol):
    """The directories that the person trusts."""

    def holds(self, directory: str) -> bool:
        """Whether ``directory`` is trusted."""

    def give(self, directory: str, *, keep: bool) -> None:
        """Trust it, for this run or for good (``keep``)."""

    def found(self, directory: str) -> Sequence[str]:
        """Settings of agents that lie in ``directory``, by name; none of them was read."""


class Left(Protocol):
    """A session whose client ended without leaving."""

    @property
    def session(self) -> str:
        """Its id."""

    @property
    def cwd(self) -> str:
        """Where it works."""

    @property
    def title(self) -> str:
        """What it is about."""


MakeHost = Callable[[Schedule, OnTouched], Host]
"""Makes the host, given a way to wait and the function to call with what changed."""


def _nothing(_text: str) -> None:
    """Where nothing is remembered."""


def _kept_nowhere(_session: str, _draft: Draft) -> None:
    """Where nothing is remembered."""


def _no_draft(_session: str) -> Draft:
    return Draft()


def _kept_until_the_end(theme: str) -> str:
    return f"theme is {theme} until you quit."


def _no_file(_content: bytes, _ending: str) -> str:
    return ""


def _no_folder(folder: Path, _stem: str, _ending: str, _text: str) -> Path:
    raise OSError(f"{folder} is not written to")


def _nobody(_session: str) -> str | None:
    """Where no other client is known of."""
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """``directory`` is where the client works. ``history`` is what was sent there before, oldest
    first; ``draft`` is what was left unsent.

    ``on_sent`` is called with every message that the history keeps; ``older`` gives what was sent
    in any directory, ``sent_at`` when each was sent last.
    ``on_draft`` is called with what is unsent, for a session (empty before there is one), soon
    after it changed; ``draft_of`` gives it back. ``files`` lists what ``@`` offers.
    ``environment`` says which editor and which clipboard are there, ``keep_picture`` puts a picture
    in a file and gives its path.
    ``bell`` false silences the bell and the window title; ``notify`` is ``off``, ``bell`` or
    ``desktop``. ``clock`` is monotonic, in seconds;
    ``now`` is the time of what is shown, in epoch seconds. ``read_only``: nothing can be sent.
    ``trust`` None: no directory is asked about. ``peek`` gives the last words of a stored session.
    ``held_elsewhere`` names the other client that has a session open. ``left`` is a session to be
    offered at the start. ``agent_command`` is how the agent was started, empty for our own.
    ``keymap`` are keys that the person changed, by id; ``theme`` "" follows the background
    of the terminal, which ``background`` guesses (``light``, ``dark`` or ""), and
    ``on_background`` is told; ``asks_background``: the terminal may be asked for it. ``still``:
    nothing moves; ``faults`` are wrong lines of the person's settings.
    """

    directory: str
    glyphs: str = UNICODE
    scenes: Sequence[Scene] = ()
    history: Sequence[str] = ()
    older: Callable[[], Sequence[str]] = tuple
    sent_at: Callable[[], Mapping[str, float]] = dict
    draft: Draft = EMPTY_DRAFT
    on_sent: Callable[[str], None] = _nothing
    on_draft: Callable[[str, Draft], None] = _kept_nowhere
    draft_of: Callable[[str], Draft] = _no_draft
    files: FileIndex | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    keep_picture: Callable[[bytes, str], str] = _no_file
    bell: bool = True
    notify: str = "bell"
    clock: Callable[[], float] = time.monotonic
    now: Callable[[], float] = time.time
    read_only: bool = False
    exports_to: str = ""
    """The folder for exports where that of the session does not last; "" for that of the session.
    """
    write_new: Callable[[Path, str, str, str], Path] = _no_folder
    """Writes a new file (folder, stem, ending, text) and gives its path; raises ``OSError``."""
    desktop: Desktop | None = None
    """None: copying and opening are left to the terminal and to Textual."""
    terminal_copies: bool = True
    """The terminal knows the sequence for its clipboard (OSC 52)."""
    trust: Trust | None = None
    peek: Peek | None = None
    held_elsewhere: Callable[[str], str | None] = _nobody
    left: Left | None = None
    agent_command: tuple[str, ...] = ()
    keymap: Mapping[str, str] = field(default_factory=dict)
    config_file: str = "config.toml"
    """Where the person's settings are, or would be."""
    log_file: str = ""
    """Where faults are logged, "" for nowhere."""
    key_notes: Sequence[str] = ()
    """Keys of the person that not every terminal sends."""
    theme: str = ""
    background: str = ""
    asks_background: bool = False
    on_background: Callable[[str], None] = _nothing
    keep_theme: Callable[[str], str] = _kept_until_the_end
    """Keeps the theme that was chosen (or ``auto``), and says what became of it."""
    hides_ended: bool = False
    """Agents that ended and have nothing new are left out of the tree."""
    keep_ended: Callable[[str], object] = _nothing
    """Keeps ``hidden`` or ``shown`` for the next start."""
    tree_width: int = 0
    """Columns of the tree as they were chosen, 0 for as many as usual."""
    keep_tree_width: Callable[[int], None] = lambda _width: None
    """Keeps them for the next start."""
    copies_selection: bool = False
    """What the mouse selects is copied as soon as its button is let go."""
    mouse: bool = True
    """Clicks and drags come here; else the terminal selects text by itself."""
    still: bool = False
    opens_requests: bool = True
    """Questions of agents open by themselves, not only on their key."""
    faults: tuple[str, ...] = ()
    hear_unkept: Callable[[Callable[[str], None]], None] = lambda _tell: None
    """Takes who is told when what is remembered cannot be written; that happens once."""
    on_painted: Callable[[], None] = lambda: None
    """Called once, when the first frame is on screen."""
    on_key: Callable[[], None] = lambda: None
    """Called with everything that the person does."""
