"""Search over the source text of transcripts, not over what is on screen.

Pure: it reads entries and gives hits; where a hit lies on screen is worked out by ``found_place``
from a layout, and nothing here scrolls.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from canopy_tui.model import tree
from canopy_tui.model.entries import AnyEntry, MessageEntry, PlanEntry, Role
from canopy_tui.model.sanitize import clipped
from canopy_tui.view.transcript.place import Place

if TYPE_CHECKING:
    from canopy_tui.model.state import ClientState
    from canopy_tui.view.transcript.layout import TranscriptLayout

MOST_HITS = 1_000
"""Hits after which a search ends; a person narrows the query then."""
_LONGEST = 2_000
"""Characters of a line that are read as Markdown."""
_BEFORE, _LINE = 40, 200
"""Characters of a hit's line that are kept: before the hit, and all together."""
_LEAST = 4
"""Characters from which a cut is shown as one."""


@dataclass(frozen=True, slots=True)
class Hit:
    """One occurrence: ``number`` counts those of the same entry from 0. ``line`` is one harmless
    line around it, ``at`` about where it is in there.
    """

    session: str
    key: int
    number: int
    line: str
    at: int = 0

    def excerpt(self, room: int) -> str:
        """As many characters of ``line``, the occurrence in their middle."""
        over = len(self.line) - room
        if over <= 0 or room < _LEAST:
            return self.line[: max(0, room)]
        start = max(0, min(self.at - room // 3, over))
        cut = self.line[start : start + room]
        cut = f"…{cut[1:]}" if start else cut
        return f"{cut[:-1]}…" if start < over else cut


def pattern_of(query: str) -> re.Pattern[str] | None:
    """What ``query`` stands for, None when it is blank.

    Case counts only when the query has a capital letter; a space stands for any white space, so
    that text is found over the end of a line.
    """
    words = query.split()
    if not words:
        return None
    flags = re.NOFLAG if any(word != word.lower() for word in words) else re.IGNORECASE
    return re.compile(r"\s+".join(map(re.escape, words)), flags)


def searched(state: ClientState, only: str | None) -> list[str]:
    """The sessions to search: ``only``, or all, in the order of the tree."""
    if only is not None:
        return [only]
    order: list[str] = []
    for root in state.roots:
        order += [root, *(view.id for view in tree.below(state, root))]
    return order


def hits_in(
    entry: AnyEntry, session: str, pattern: re.Pattern[str], state: ClientState
) -> list[Hit]:
    """The occurrences in one entry, at most ``MOST_HITS``."""
    from canopy_tui.model.source import searchable
    from canopy_tui.view.drawing.markdown_split import fences

    text = searchable(entry, state)
    if not pattern.search(text):
        return []
    code = fences(text) if _is_markdown(entry) else [(0, len(text))]
    found: list[Hit] = []
    for number, match in enumerate(pattern.finditer(text)):
        if number >= MOST_HITS:
            break
        at = match.start()
        as_read = not any(begin <= at < end for begin, end in code)
        line = (as_read and _words_around(text, at, pattern)) or _line_around(text, at)
        found.append(Hit(session, entry.key, number, *line))
    return found


def _is_markdown(entry: AnyEntry) -> bool:
    """Whether it is drawn as Markdown."""
    if isinstance(entry, MessageEntry):
        return entry.role in (Role.AGENT, Role.THOUGHT)
    return isinstance(entry, PlanEntry)


def _words_around(text: str, at: int, pattern: re.Pattern[str]) -> tuple[str, int] | None:
    """The same as ``_line_around`` from the line as it is read; None when it is not in there."""
    start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
    end = end if end >= 0 else len(text)
    if end - start > _LONGEST:
        return None
    from canopy_tui.view.drawing.plain_words import plain_words

    line = text[start:end]
    words = plain_words(line)
    before = sum(1 for _ in pattern.finditer(line, 0, at - start))
    places = [match.start() for match in pattern.finditer(words)]
    return _line_around(words, places[min(before, len(places) - 1)]) if places else None


def _line_around(text: str, at: int) -> tuple[str, int]:
    """Some of the line, and where the occurrence is in it."""
    start = max(text.rfind("\n", 0, at) + 1, at - _BEFORE)
    end = text.find("\n", at)
    cut = "…" if start and text[start - 1] != "\n" else ""
    line = cut + clipped(text[start : end if end >= 0 else len(text)].lstrip()[:_LINE], _LINE)
    return line, len(cut + clipped(text[start:at].lstrip(), _LINE))


def found_place(
    layout: TranscriptLayout, index: int, pattern: re.Pattern[str], number: int
) -> Place | None:
    """Where the occurrence is in the rows of the entry as it is shown now, None when it is not.

    Blocks of plain source are drawn only when they hold it, so that a long text costs little.
    """
    passed = 0
    last: Place | None = None
    for block in range(layout.block_count(index)):
        source = layout.source(index, block)
        if source is not None and not pattern.search(source):
            continue
        for row_number, row in enumerate(layout.rows(index, block)):
            for _ in pattern.finditer(row.text, row.gutter):
                last = Place(index, block, row_number)
                if passed == number:
                    return last
                passed += 1
        if source is not None and last is None:
            last = Place(index, block)  # markup or a line's end stands inside of it
    return last
