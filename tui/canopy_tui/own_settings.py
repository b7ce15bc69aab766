"""What the person's settings mean for the app: keys that hold, look, notices, and what is wrong.

It reads the file once, at the start; what a key does is not known here.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from canopy_tui.background_note import noted
from canopy_tui.config_file import AUTO, Settings, conflicts, read_settings
from canopy_tui.paths import locations


def own_settings(environment: Mapping[str, str]) -> tuple[Settings, dict[str, Any]]:
    """The person's settings, and those of them that the app is given as they are."""
    from canopy_tui.config_writing import keep_setting
    from canopy_tui.view.keys import GROUPS
    from canopy_tui.view.terminal_background import guess, may_ask

    remapped = ("send", "newline")  # the field looks at these by itself
    usual = [
        {key.id: key.keys for key in group.keys if key.action or key.id in remapped}
        for group in GROUPS
    ]
    known = frozenset(name for keys in usual for name in keys)
    settings = read_settings(locations(environment).config, known)
    doubled = [fault for keys in usual for fault in conflicts(settings.keys, keys)]
    return settings, {
        "keymap": settings.keys,
        "theme": "" if settings.theme == AUTO else settings.theme,
        "background": guess(environment) or noted(locations(environment).cache),
        "asks_background": may_ask(environment),
        "keep_theme": partial(keep_setting, locations(environment).config, "theme"),
        "opens_requests": settings.opens_requests,
        "still": settings.motion == "none",
        "faults": (*settings.faults, *doubled),
    }
