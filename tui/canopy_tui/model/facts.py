"""Updates that change facts of a session and not its transcript: modes, options, commands, title.

Each replaces what was known before; what the facts are used for is not known here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from canopy_tui.model.sanitize import clipped

if TYPE_CHECKING:
    from canopy_shared.updates import (
        AvailableCommandsUpdate,
        ConfigOption,
        ConfigOptionUpdate,
        CurrentModeUpdate,
        SessionInfoUpdate,
    )
    from canopy_tui.model.state import SessionView

TITLE_LIMIT = 200


def commands(view: SessionView, update: AvailableCommandsUpdate) -> None:
    """The slash commands."""
    view.commands = update.available_commands


def mode(view: SessionView, update: CurrentModeUpdate) -> None:
    """The permission mode."""
    view.mode = update.current_mode_id


def options(view: SessionView, update: ConfigOptionUpdate) -> None:
    """The config options."""
    take_options(view, update.config_options)


def take_options(view: SessionView, given: tuple[ConfigOption, ...]) -> None:
    """Keep the options, and read mode, model and role out of them."""
    view.options = given
    for option in given:
        value = option.current_value
        if not isinstance(value, str):
            continue
        choices = option.options if isinstance(option.options, tuple) else ()
        if option.category == "mode":
            view.mode = value
            view.modes = tuple((choice.value, choice.name) for choice in choices)
        elif option.category == "model" and not view.model:
            names = {choice.value: choice.name for choice in choices}
            view.model = clipped(names.get(value, value), TITLE_LIMIT)
        elif option.id == "agent" and view.parent is not None and not view.role:
            view.role = clipped(value, TITLE_LIMIT)


def information(view: SessionView, update: SessionInfoUpdate) -> None:
    """The title, and what the agent suggests to ask next (``_meta.promptSuggestions``)."""
    if isinstance(update.title, str):
        view.title = clipped(update.title, TITLE_LIMIT)
    meta = update.meta
    offered = meta.get("promptSuggestions") if isinstance(meta, Mapping) else None
    if isinstance(offered, Mapping):
        rows = offered.get("suggestions")
        texts = [row.get("text") for row in rows or () if isinstance(row, Mapping)]
        view.suggestions = tuple(text for text in texts if isinstance(text, str))
