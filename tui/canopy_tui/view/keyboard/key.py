"""What a key is, and what keys of one place are: rows from which bindings, help and hints are made.

Which keys there are is not known here.
"""

from __future__ import annotations

from dataclasses import dataclass

from textual.binding import Binding, BindingType

NO_KEY = "none"
"""Stands where an action has no key: no terminal sends it."""


@dataclass(frozen=True, slots=True)
class Key:
    """``keys`` in Textual's spelling, separated by commas. ``palette``: it is also a command."""

    id: str
    keys: str
    action: str
    label: str
    palette: bool = False
    hint: str = ""
    """A word or two for a line of keys; empty for keys that are not listed there."""
    first: bool = False
    """It comes before whatever has the focus, also on screens that lie over the main one."""
    fixed: str = ""
    """Why it cannot be another key."""


@dataclass(frozen=True, slots=True)
class Group:
    """Keys that work in the same place."""

    title: str
    keys: tuple[Key, ...]

    def bindings(self, *, first: bool = False) -> list[BindingType]:
        """Bindings for the ``BINDINGS`` of a widget, screen or app."""
        return [
            Binding(
                key.keys, key.action, key.label, show=False, id=key.id, priority=first or key.first
            )
            for key in self.keys
            if key.action
        ]
