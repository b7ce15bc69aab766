"""Which of the keys that a person wants hold, and why the others do not.

Pure: an entry that is wrong is told with its line and left out, so that the usual key stays. What
cannot be told apart, could not be typed any more, or would be answered by accident is wrong.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING

from canopy_tui.settings.key_spelling import KeySpellingError, Spelled, spelled
from canopy_tui.view.keyboard import keys
from canopy_tui.view.keyboard.key import NO_KEY
from canopy_tui.view.keyboard.key_names import shown
from canopy_tui.view.keyboard.key_places import PLACES
from canopy_tui.view.keyboard.keymap import USUAL

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from canopy_tui.settings.config_file import KeySetting
    from canopy_tui.view.keyboard.key import Group, Key

_KEYS: dict[str, Key] = {key.id: key for group in keys.ALL for key in group.keys}
_ALWAYS = tuple(
    key for group in keys.MAIN for key in group.keys if key.first or key.id in ("quit", "help")
)
_WRITING = (
    *(*keys.MAIN, keys.COMPOSER, keys.EDITING, keys.COMPLETION, keys.FIND, keys.HISTORY),
    *(keys.SESSIONS, keys.PALETTE, keys.PALETTE_LINE, keys.REASON),
)
_TYPED_OVER = frozenset(key.id for group in _WRITING for key in group.keys) | {
    *("form-later", "form-send", "form-next-field", "form-field-before", "form-next"),
    *("form-previous", "form-go-on", "permission-later"),
}
"""Ids whose keys are heard while one writes."""
_GIVES_LEAVE = frozenset(
    {
        *("answer-once", "answer-always", "answer-alike", "answer-reject", "answer-never"),
        *("trust-always", "trust-once", "confirm-yes", "link-open"),
    }
)
"""Ids that answer for good: never on a key that is pressed without a thought."""
_THOUGHTLESS = frozenset(
    {
        *("enter", "space", "escape", "tab", "shift+tab", "backspace", "delete", "insert"),
        *("up", "down", "left", "right", "home", "end", "pageup", "pagedown"),
    }
)
_ENDS = ("close", "later", "back", "no")
_NEEDED = frozenset(
    {"send", "confirm-yes"} | {id for id in _KEYS if id.rpartition("-")[2] in _ENDS}
)
"""Ids without which one could not go on, or back."""
_ONE_OF = (("quit", "interrupt"), ("help", "palette"))
"""At least one of them has to have a key."""
_SAME_AIM = (
    {"next-request", "permission-next", "form-next", "link-next"},
    {"previous-request", "permission-previous", "form-previous", "link-previous"},
)


@dataclass(slots=True)
class Chosen:
    """``keymap`` are keys by id; ``faults`` say what does not hold, ``notes`` what does not hold
    everywhere.
    """

    keymap: dict[str, str] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def choose(wanted: Iterable[KeySetting]) -> Chosen:
    """Judge each entry by itself, then all together."""
    chosen = Chosen()
    places: dict[str, str] = {}
    for entry in wanted:
        try:
            found = _judged(entry)
        except KeySpellingError as fault:
            usual = f" {entry.id} stays on {_usual(entry.id)}." if entry.id in _KEYS else ""
            chosen.faults.append(f"{entry.where}: {_sentence(str(fault))}{usual}")
            continue
        chosen.keymap[entry.id] = ",".join(one.key for one in found)
        places[entry.id] = entry.where
        if all(one.remark for one in found):
            chosen.notes.append(f"{entry.where}: {found[0].remark}; a second key helps the others.")
    while (clash := next(_clashes(chosen.keymap), None)) is not None:
        loser, why = clash
        del chosen.keymap[loser]
        chosen.faults.append(f"{places[loser]}: {why}. {loser} stays on {_usual(loser)}.")
    return chosen


def _judged(entry: KeySetting) -> list[Spelled]:
    """The keys of one entry, in Textual's spelling. Raises ``KeySpellingError``."""
    key = _KEYS.get(entry.id)
    if key is None:
        near = difflib.get_close_matches(entry.id, sorted(_KEYS), 1)
        tip = f"is it {near[0]!r}?" if near else "the page with all keys lists the names"
        raise KeySpellingError(f"there is no action {entry.id!r}; {tip}")
    if key.fixed:
        raise KeySpellingError(f"{entry.id} cannot be changed: {key.fixed}")
    found = [spelled(part) for part in entry.keys]
    names = {one.key for one in found}
    if NO_KEY in names and (len(found) > 1 or entry.id in _NEEDED):
        raise KeySpellingError(
            f"{entry.id} needs a key: there would be no way on without"
            if len(found) == 1
            else '"none" stands alone'
        )
    typed = next((one.key for one in found if one.types), None)
    if typed is not None and entry.id in _TYPED_OVER:
        raise KeySpellingError(
            f"{typed} could not be typed any more with {entry.id} on it; "
            "take a key with Ctrl or Alt, or an F key"
        )
    if entry.id in _GIVES_LEAVE and (hasty := names & _THOUGHTLESS):
        raise KeySpellingError(
            f"{min(hasty)} is pressed too easily to answer with; take a letter for {entry.id}"
        )
    if entry.id.startswith("answer-") and (digits := {n for n in names if n.isdecimal()}):
        raise KeySpellingError(f"{min(digits)} is kept for answers by number; take a letter")
    return found


def _usual(id: str) -> str:
    return shown(USUAL[id].partition(",")[0])


def _sentence(text: str) -> str:
    return text if text.endswith("?") else f"{text}."


def _clashes(keymap: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Ids that lose their key, and why; the later one of the file loses."""
    order = list(keymap)
    for one_of in _ONE_OF:
        if all(keymap.get(id) == NO_KEY for id in one_of):
            left = [id for id in one_of if id != max(one_of, key=order.index)]
            yield max(one_of, key=order.index), f"it or {left[0]} needs a key"
    for place in PLACES:
        for key, one, other in _on_one_key(place, keymap):
            changed = [id for id in (one, other) if key in keymap.get(id, "").split(",")]
            loser = max(changed, key=order.index)
            winner = other if loser == one else one
            title = place[-1].title if place[-1] is not keys.EDITING else keys.COMPOSER.title
            yield (
                loser,
                f"{key} is the key of {winner} too (in: {title}); give {winner} another key as "
                'well, or "none"',
            )


def _on_one_key(place: tuple[Group, ...], keymap: dict[str, str]) -> Iterator[tuple[str, str, str]]:
    """A key and two actions that are on it, at least one of them by the person."""
    ids = dict.fromkeys([*(key.id for group in place for key in group.keys), *_always_ids()])
    owners: dict[str, list[str]] = {}
    for id in ids:
        for key in keymap.get(id, USUAL[id]).split(","):
            owners.setdefault(key, []).append(id)
    for key, sharing in owners.items():
        for one, other in combinations(sharing, 2):
            usual = all(key in USUAL[id].split(",") for id in (one, other))
            chosen = any(key in keymap.get(id, "").split(",") for id in (one, other))
            same_aim = any({one, other} <= aim for aim in _SAME_AIM)
            if key != NO_KEY and chosen and not usual and not same_aim:
                yield key, one, other


def _always_ids() -> list[str]:
    return [key.id for key in _ALWAYS]
