"""Slash commands that the client carries out itself: what is offered, and what a text calls.

Pure; an agent's own command of the same name wins, and the client's is then spelled with a prefix.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from canopy_shared.unset import UNSET

if TYPE_CHECKING:
    from canopy_shared.updates import Command

PREFIX: Final = "canopy:"


_NOTHING: Final[Mapping[str, str]] = {"": ""}


@dataclass(frozen=True, slots=True)
class OwnCommand:
    """``also`` are further names, for those who know them from elsewhere. ``arguments`` maps each
    word that may follow to what it means, "" being none; ``choices`` are those that are offered,
    with a remark.
    """

    name: str
    about: str
    also: tuple[str, ...] = ()
    hint: str = ""
    arguments: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    choices: Mapping[str, str] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """All that it may be called by."""
        return self.name, *self.also


EXPORT: Final = OwnCommand(
    "export",
    "write the transcript in view to a new file",
    hint="md | json | svg | html",
    arguments={
        "": "markdown",
        "md": "markdown",
        "markdown": "markdown",
        "json": "json",
        "svg": "svg",
        "html": "html",
    },
    choices={
        "md": "Markdown: the texts as they came, each agent below who started it",
        "json": "everything that is known, for programs",
        "svg": "a picture of the whole transcript, as it looks here",
        "html": "a page that looks as it does here",
    },
)
HELP: Final = OwnCommand("help", "all keys", ("keys",))
OPTIONS: Final = OwnCommand(
    "model", "model, effort and all other options", ("options", "config", "settings", "effort")
)
USAGE: Final = OwnCommand("usage", "context, tokens, cost and limits", ("cost", "stats", "status"))
SERVERS: Final = OwnCommand("mcp", "the MCP servers")
SESSIONS: Final = OwnCommand(
    "resume", "stored sessions: go on with one, rename, delete", ("sessions", "continue")
)
NEW: Final = OwnCommand("new", "a new session; this one stays in the tree", ("clear", "reset"))
COPY: Final = OwnCommand("copy", "copy the last answer in view")
THEME: Final = OwnCommand("theme", "choose the colours")
LOGIN: Final = OwnCommand("login", "the ways to log in that the agent offers")
QUIT: Final = OwnCommand("quit", "leave Canopy", ("exit", "q"))
OWN: Final = (
    HELP, OPTIONS, USAGE, SERVERS, SESSIONS, NEW, COPY, EXPORT, THEME, LOGIN, QUIT,
)  # fmt: skip
PAGES: Final = (OPTIONS.name, USAGE.name, SERVERS.name)
"""Where our own agent has a command of that name, its text says less than the page does."""
BY_NAME: Final = {name: own for own in OWN for name in own.names}


@dataclass(frozen=True, slots=True)
class Call:
    """A text that calls ``command`` with ``value``; with a ``fault`` it does nothing."""

    command: str
    value: str = ""
    fault: str = ""


def offered(agents: Sequence[Command], typed: str = "") -> list[Command]:
    """The client's commands beside those of the agent; by a further name once it is being typed
    (``typed`` has its slash).
    """
    from canopy_shared.updates import Command

    taken = {command.name for command in agents}
    begun = typed.lstrip("/").casefold()

    def name_of(own: OwnCommand) -> str:
        if begun.startswith(PREFIX[:3]):
            return f"{PREFIX}{own.name}"
        if begun and not own.name.startswith(begun):
            for name in own.also:
                if name.startswith(begun) and name not in taken:
                    return name
        return f"{PREFIX}{own.name}" if own.name in taken else own.name

    return [
        Command(name_of(own), f"Canopy: {own.about}", {"hint": own.hint} if own.hint else UNSET)
        for own in OWN
    ]


def arguments_of(name: str) -> Mapping[str, str]:
    """What may follow the client's command ``name``, as it is offered, with a remark for each."""
    own = BY_NAME.get(name.removeprefix(PREFIX))
    return own.choices if own is not None else {}


def called(text: str, agents: Sequence[Command], *, pages: bool = False) -> Call | None:
    """What ``text`` calls; None when it is a message, or a command of the agent.

    ``pages``: the agent is our own, and its commands that only list things give way to our pages.
    """
    words = text.split()
    if not text.lstrip().startswith("/") or "\n" in text.strip() or not words:
        return None
    name = words[0][1:]
    if any(command.name == name for command in agents):
        return Call(name) if pages and len(words) == 1 and name in PAGES else None
    own = BY_NAME.get(name.removeprefix(PREFIX))
    if own is None:
        known = ", ".join(f"/{PREFIX}{one.name}" for one in OWN)
        fault = f"Canopy has no such command. There is {known}."
        return Call(name, fault=fault) if name.startswith(PREFIX) else None
    value = own.arguments.get(" ".join(words[1:]).lower())
    if value is None:
        takes = own.hint.replace(" |", ",") or "no words after it"
        return Call(own.name, fault=f"/{name} takes {takes}.")
    return Call(own.name, value)
