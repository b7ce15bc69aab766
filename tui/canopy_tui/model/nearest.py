"""Which known words a mistyped one may stand for.

Pure; what the words are for is not known here.
"""

from __future__ import annotations

from collections.abc import Iterable

_LONGEST = 60
"""Characters beyond which nothing is a slip of the fingers."""
_ALIKE = 0.7
_START = 3
"""Characters from which a word may stand for those that begin with it or hold it."""


def nearest(word: str, known: Iterable[str], most: int = 3) -> list[str]:
    """At most ``most`` of ``known``, likeliest first: those that begin with ``word``, then those
    that look like it. Empty for the word itself, and for one that is like none.
    """
    names = list(dict.fromkeys(known))
    if not word or word in names or len(word) > _LONGEST:
        return []
    from difflib import get_close_matches

    typed = word.casefold()
    folded: dict[str, str] = {}
    for name in names:
        folded.setdefault(name.casefold(), name)
    begins = [one for one in folded if len(typed) >= _START and one.startswith(typed)]
    alike = get_close_matches(typed, folded, most, _ALIKE)
    return [folded[one] for one in dict.fromkeys([*begins, *alike])][:most]
