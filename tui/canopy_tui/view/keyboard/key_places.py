"""Which groups of keys are heard together, so that a key has one meaning in each place.

What a person has changed is not known here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from canopy_tui.view.keyboard.caret_keys import AREA, CARET
from canopy_tui.view.keyboard.keys import (
    ALL,
    ANSWERS,
    BUTTON,
    CHOICES,
    COMPOSER,
    CONTROLS,
    DETAIL,
    EDITING,
    FIND,
    FORM,
    HISTORY,
    INSPECTION,
    LEADS,
    LEADS_LIST,
    LINE,
    LINK,
    MAIN,
    ON_MAIN,
    PALETTE,
    PALETTE_LINE,
    PERMISSION,
    PLAYBACK,
    PREVIEW,
    REASON,
    REVIEW,
    SERVERS,
    SESSIONS,
    SWITCH,
    TASK,
    TRANSCRIPT,
    USAGE,
)

if TYPE_CHECKING:
    from canopy_tui.view.keyboard.key import Group

_APART = (*ON_MAIN, PREVIEW, CHOICES, BUTTON, SWITCH, REASON, LEADS_LIST, PALETTE_LINE)
PLACES: tuple[tuple[Group, ...], ...] = (
    (*MAIN, COMPOSER, EDITING),
    *((*MAIN, group) for group in ON_MAIN if group not in (COMPOSER, EDITING, FIND)),
    (*MAIN, CARET, FIND),
    *((CARET, group) for group in (HISTORY, SESSIONS)),
    (*MAIN, TRANSCRIPT, PLAYBACK),
    (*MAIN, TRANSCRIPT, INSPECTION),
    *((group,) for group in ALL if group not in _APART and group not in MAIN),
    (PERMISSION, ANSWERS, PREVIEW),
    (PERMISSION, CARET, REASON),
    *((FORM, group) for group in (CHOICES, BUTTON, SWITCH)),
    (CARET, LINE, FORM),
    (AREA, FORM),
    (LINK, BUTTON),
    (LEADS, LEADS_LIST),
    (CARET, PALETTE, PALETTE_LINE),
    *((group, PREVIEW) for group in (TASK, REVIEW)),
    (DETAIL, TRANSCRIPT),
    (CONTROLS, USAGE),
    (CONTROLS, SERVERS),
)
"""Groups whose keys are heard at the same time: a key has one meaning in each place. What comes
before everything is heard in all of them.
"""
