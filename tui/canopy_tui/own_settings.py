"""What the person's settings mean for the app: keys that hold, look, notices, and what is wrong.

It reads the file once, at the start; what a key does is not known here.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from canopy_tui.kept.background_note import note_width, noted, noted_width
from canopy_tui.paths import LOG, locations
from canopy_tui.settings.config_file import AUTO, FILE, Settings, read_settings


def own_settings(environment: Mapping[str, str]) -> tuple[Settings, dict[str, Any]]:
    """The person's settings, and those of them that the app is given as they are."""
    from canopy_tui.settings.config_writing import keep_setting
    from canopy_tui.view.terminal.background import guess, may_ask

    folder = locations(environment).config
    settings = read_settings(folder)
    keymap, key_notes, key_faults = _chosen(settings)
    return settings, {
        "config_file": str(folder / FILE),
        "log_file": str(locations(environment).state / LOG),
        "keymap": keymap,
        "key_notes": key_notes,
        "theme": "" if settings.theme == AUTO else settings.theme,
        "background": guess(environment) or noted(locations(environment).cache),
        "asks_background": may_ask(environment),
        "keep_theme": partial(keep_setting, folder, "theme"),
        "hides_ended": settings.ended == "hidden",
        "keep_ended": partial(keep_setting, folder, "ended"),
        "tree_width": noted_width(locations(environment).cache),
        "keep_tree_width": partial(note_width, locations(environment).cache),
        "opens_requests": settings.opens_requests,
        "copies_selection": settings.selection == "copied",
        "mouse": settings.mouse != "off",
        "still": settings.motion == "none",
        "faults": (*settings.faults, *key_faults),
    }


def _chosen(settings: Settings) -> tuple[dict[str, str], tuple[str, ...], tuple[str, ...]]:
    if not settings.keys:  # as for most, who wait for the first frame
        return {}, (), ()
    from canopy_tui.view.keyboard.key_choice import choose

    chosen = choose(settings.keys)
    return chosen.keymap, tuple(chosen.notes), tuple(chosen.faults)


def look_settings(environment: Mapping[str, str], encoding: str | None) -> dict[str, Any]:
    """Those of them that concern an app which only looks. ``encoding`` is that of the output."""
    from canopy_tui.model.glyphs import glyph_set

    settings, own = own_settings(environment)
    glyphs = settings.glyphs or glyph_set(environment, encoding)
    return {**own, **desktop_of(environment), "glyphs": glyphs}


def desktop_of(environment: Mapping[str, str]) -> dict[str, Any]:
    """What the app may use of the desktop. The Linux console has no clipboard at all."""
    from canopy_tui.desk.desktop import Desktop, write_new

    plain = environment.get("TERM", "") in ("dumb", "linux", "")
    desktop = Desktop(environment)
    return {"desktop": desktop, "terminal_copies": not plain, "write_new": write_new}
