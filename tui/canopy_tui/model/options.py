"""Everything of a session that can be set, in one list: config options, and the modes and models of
agents that tell them in the older way.

Pure; how a change is sent, and how the list looks, is not known here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from canopy_shared.ext import air
from canopy_tui.model.intents import SetMode, SetModel, SetOption
from canopy_tui.model.sanitize import clipped
from canopy_tui.model.state import MODE, MODEL

if TYPE_CHECKING:
    from canopy_shared.updates import ConfigChoice, ConfigOption
    from canopy_tui.model.state import OptionChange, SessionView

_NAME, _WORDS = 60, 400
ON, OFF = "on", "off"


@dataclass(frozen=True, slots=True)
class Choice:
    """One value. Name and description are harmless."""

    value: str | bool
    name: str
    description: str = ""
    recommended: bool = False


@dataclass(frozen=True, slots=True)
class Adjustable:
    """One thing that can be set. Texts are harmless; ``change`` is on its way or was refused."""

    id: str
    name: str
    value: str | bool
    choices: tuple[Choice, ...]
    description: str = ""
    change: OptionChange | None = None
    kind: str = ""
    """``mode`` or ``model`` when it is not a config option."""

    @property
    def is_switch(self) -> bool:
        """Whether it is on or off and nothing else."""
        return isinstance(self.value, bool)

    @property
    def shown(self) -> str:
        """The value that holds now, in words."""
        return self.name_of(self.value)

    def name_of(self, value: str | bool) -> str:
        """A value in words; one that is not listed by itself."""
        if isinstance(value, bool):
            return ON if value else OFF
        names = (choice.name for choice in self.choices if choice.value == value)
        return next(names, clipped(value, _NAME)) or "not told"

    def setting(self, root: str, value: str | bool) -> SetOption | SetMode | SetModel:
        """What sets it."""
        match self.kind:
            case "mode":
                return SetMode(root, str(value))
            case "model":
                return SetModel(root, str(value))
        return SetOption(root, self.id, value)


def adjustables(root: SessionView) -> tuple[Adjustable, ...]:
    """What can be set of ``root``: modes and models first when they are no config options."""
    categories = {option.category for option in root.options}
    found = []
    if root.modes and MODE not in categories:
        words = root.mode_words
        choices = tuple(_choice(id_, name, words.get(id_, "")) for id_, name in root.modes)
        found.append(_plain(root, MODE, "Mode", root.mode, choices))
    if root.models and MODEL not in categories:
        choices = tuple(_choice(*row) for row in root.models)
        found.append(_plain(root, MODEL, "Model", root.model_id, choices))
    return (*found, *(_of_option(root, option) for option in root.options))


def _plain(
    root: SessionView, kind: str, name: str, value: str, choices: tuple[Choice, ...]
) -> Adjustable:
    change = root.option_changes.get(kind)
    return Adjustable(kind, name, value, choices, change=change, kind=kind)


def _choice(value: str, name: str, description: str = "") -> Choice:
    return Choice(
        value, clipped(name, _NAME) or clipped(value, _NAME), clipped(description, _WORDS)
    )


def _of_option(root: SessionView, option: ConfigOption) -> Adjustable:
    value = option.current_value
    recommended = (air.payload_of(option.meta) or {}).get(air.RECOMMENDED_VALUE)
    given = option.options if isinstance(option.options, tuple) else ()
    choices = tuple(_of_choice(choice, recommended) for choice in given)
    if isinstance(value, bool):
        choices = (Choice(True, ON), Choice(False, OFF))
    return Adjustable(
        option.id,
        clipped(option.name, _NAME) or clipped(option.id, _NAME),
        value,
        choices,
        clipped(_text(option.description), _WORDS),
        root.option_changes.get(option.id),
    )


def _of_choice(choice: ConfigChoice, recommended: object) -> Choice:
    return Choice(
        choice.value,
        clipped(choice.name, _NAME) or clipped(choice.value, _NAME),
        clipped(_text(choice.description), _WORDS),
        choice.value == recommended,
    )


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
