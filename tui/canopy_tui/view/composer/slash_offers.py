"""What is offered while a slash command is being typed: commands, what may follow, what is alike.

Pure: texts in, offers out; which of them is picked, and what that does, is not known here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from canopy_tui.model.own_commands import arguments_of, called, offered
from canopy_tui.model.sanitize import clipped
from canopy_tui.view.composer.completion import Offer
from canopy_tui.view.keyboard.keymap import filled

if TYPE_CHECKING:
    from canopy_shared.updates import Command

NO_COMMANDS = "No commands yet: the agent has not told them."
_LONGEST_NAME = 60


@dataclass(frozen=True, slots=True)
class SlashOffers:
    """``sure``: Enter takes what is highlighted. If not, nothing is, and Enter twice sends what is
    typed: an agent may know commands that it has not told.
    """

    offers: tuple[Offer, ...] = ()
    note: str = ""
    sure: bool = True


def offers_for(text: str, agents: Sequence[Command]) -> SlashOffers | None:
    """What to offer for the whole message ``text``; None when it is no command in the making."""
    if not text.startswith("/") or "\n" in text:
        return None
    name, space, rest = text[1:].partition(" ")
    if "/" in name or any(character.isspace() for character in name):
        return None
    commands = [*agents, *offered(agents, name)]
    known = next((one for one in commands if one.name == name), None)
    if known is not None and known not in agents:
        found = _of_the_client(known, rest)
        if not space:
            found += [_offer(one) for one in matching(commands, text) if one is not known]
        return SlashOffers(tuple(found), "" if found else _fault(text, agents))
    if space:
        unknown = known is None and bool(agents) and bool(name)
        return SlashOffers(note=_unknown(text, name, agents), sure=False) if unknown else None
    matches = [_offer(one) for one in matching(commands, text)]
    if matches or not name:
        return SlashOffers(tuple(matches), "" if agents else NO_COMMANDS)
    if not agents:
        return SlashOffers(note=NO_COMMANDS, sure=False)
    return SlashOffers(_alike(commands, name), _unknown(text, name, agents), sure=False)


def unknown(text: str, agents: Sequence[Command]) -> str:
    """The command that ``text`` calls and nobody has told of; empty for any other text, and while
    the agent has told no commands yet.
    """
    found = offers_for(text, agents) if agents else None
    if found is None or found.sure:
        return ""
    return clipped(text.partition(" ")[0], _LONGEST_NAME)


def matching(commands: Sequence[Command], text: str) -> list[Command]:
    """Commands whose name fits ``text``: the one that it is, then those that begin with it, then
    those that hold it. Empty when ``text`` is not a command in the making.
    """
    if not text.startswith("/") or any(character.isspace() for character in text):
        return []
    typed = text[1:].casefold()
    names = [(command, command.name.casefold()) for command in commands]
    begins = [command for command, name in names if name.startswith(typed)]
    holds = [command for command, name in names if typed in name and not name.startswith(typed)]
    begins.sort(key=lambda command: command.name != text[1:])
    return begins + holds


def hint_of(command: Command) -> str:
    """What the agent says may follow the name of ``command``."""
    given = command.input
    hint = given.get("hint") if isinstance(given, Mapping) else None
    return clipped(hint, 120) if isinstance(hint, str) else ""


def _offer(command: Command) -> Offer:
    return Offer(f"/{command.name}", hint_of(command), command.description)


def _of_the_client(command: Command, rest: str) -> list[Offer]:
    """The command, then what may follow it; with a beginning of that, only what fits."""
    typed = rest.strip().casefold()
    whole = [] if typed else [_offer(command)]
    follow = arguments_of(command.name).items()
    return whole + [
        Offer(f"/{command.name} {word}", about=about)
        for word, about in follow
        if word.startswith(typed)
    ]


def _alike(commands: Sequence[Command], name: str) -> tuple[Offer, ...]:
    from canopy_tui.model.nearest import nearest

    likely = nearest(name, [command.name for command in commands])
    by_name = {command.name: command for command in commands}
    return tuple(_offer(by_name[one]) for one in likely)


def _fault(text: str, agents: Sequence[Command]) -> str:
    call = called(text, agents)
    return call.fault if call is not None else ""


def _unknown(text: str, name: str, agents: Sequence[Command]) -> str:
    told = f"The agent has told of no /{clipped(name, _LONGEST_NAME)}: "
    told += filled("{list-take-or-send} twice sends it as a message.")
    return _fault(text, agents) or told
