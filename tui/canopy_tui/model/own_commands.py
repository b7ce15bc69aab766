"""Slash commands that the client carries out itself: what is offered, and what a text calls.

Pure; an agent's own command of the same name wins, and the client's is then spelled with a prefix.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from canopy_shared.updates import Command

PREFIX = "canopy:"


@dataclass(frozen=True, slots=True)
class OwnCommand:
    """``arguments`` maps each word that may follow to what it means, "" being none; ``choices``
    are those that are offered, with a remark.
    """

    name: str
    hint: str
    about: str
    arguments: Mapping[str, str]
    choices: Mapping[str, str]


EXPORT = OwnCommand(
    "export",
    "md | json | svg | html",
    "write the transcript in view to a new file",
    {
        "": "markdown",
        "md": "markdown",
        "markdown": "markdown",
        "json": "json",
        "svg": "svg",
        "html": "html",
    },
    {
        "md": "Markdown: the texts as they came, each agent below who started it",
        "json": "everything that is known, for programs",
        "svg": "a picture of the whole transcript, as it looks here",
        "html": "a page that looks as it does here",
    },
)
OWN = (EXPORT,)


@dataclass(frozen=True, slots=True)
class Call:
    """A text that calls ``command`` with ``value``; with a ``fault`` it does nothing."""

    command: str
    value: str = ""
    fault: str = ""


def offered(agents: Sequence[Command]) -> list[Command]:
    """The client's commands beside those of the agent."""
    from canopy_shared.updates import Command

    taken = {command.name for command in agents}
    return [
        Command(
            f"{PREFIX}{own.name}" if own.name in taken else own.name,
            f"Canopy: {own.about}",
            {"hint": own.hint},
        )
        for own in OWN
    ]


def arguments_of(name: str) -> Mapping[str, str]:
    """What may follow the client's command ``name``, as it is offered, with a remark for each."""
    own = next((one for one in OWN if name in (one.name, f"{PREFIX}{one.name}")), None)
    return own.choices if own is not None else {}


def called(text: str, agents: Sequence[Command]) -> Call | None:
    """What ``text`` calls; None when it is a message, or a command of the agent."""
    words = text.split()
    if not text.lstrip().startswith("/") or "\n" in text.strip() or not words:
        return None
    name = words[0][1:]
    if any(command.name == name for command in agents):
        return None
    own = next((one for one in OWN if name in (one.name, f"{PREFIX}{one.name}")), None)
    if own is None:
        known = ", ".join(f"/{PREFIX}{one.name}" for one in OWN)
        fault = f"Canopy has no such command. There is {known}."
        return Call(name, fault=fault) if name.startswith(PREFIX) else None
    value = own.arguments.get(" ".join(words[1:]).lower())
    if value is None:
        return Call(own.name, fault=f"/{name} takes {own.hint.replace(' |', ',')}.")
    return Call(own.name, value)
