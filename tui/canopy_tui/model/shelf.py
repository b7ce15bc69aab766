"""What a message holds besides its words: long pastes and pictures, each a mark in the text.

A mark such as ``[Pasted text 1: 120 lines]`` stands in the text that a person edits; what it
stands for lies here under that mark, for as long as the client runs. Nothing is read from disk
here, and nothing is drawn.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from canopy_shared.content import ImageContent


MARK = re.compile(r"\[(?:Pasted text \d+: [\d,]+ (?:lines|characters)|Image \d+)\]")
LONG_LINES, LONG_TEXT = 12, 1500
"""A paste of more lines, or of more characters, becomes a mark."""
LONGEST_LINE, LONGEST_TEXT = 10_000, 200_000
"""What a person can edit without waiting for each key, in characters; more becomes a mark."""
MOST_PICTURES = 20
LARGEST_SUM = 20 * 1024 * 1024
"""Bytes of all pictures of one message; the API takes 32 MB of base64."""
_MOST_KEPT = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Pasted:
    """A long text that was pasted."""

    text: str

    @property
    def size(self) -> int:
        """Roughly how much memory it takes."""
        return len(self.text)


@dataclass(frozen=True, slots=True)
class Picture:
    """A checked picture. ``data`` is base64; ``path`` is where it lies, to find it again."""

    name: str
    mime_type: str
    data: str
    width: int
    height: int
    path: str = ""

    @property
    def size(self) -> int:
        """Bytes."""
        return len(self.data) * 3 // 4


@dataclass(frozen=True, slots=True)
class Draft:
    """An unsent message, as it is kept: texts of its pastes and paths of its pictures by mark."""

    text: str = ""
    pasted: Mapping[str, str] = field(default_factory=dict)
    pictures: Mapping[str, str] = field(default_factory=dict)


EMPTY_DRAFT = Draft()


def is_long(text: str) -> bool:
    """Whether a pasted ``text`` is better one mark than so many lines."""
    return len(text) > LONG_TEXT or text.count("\n") >= LONG_LINES


def marks_in(text: str) -> Iterator[tuple[int, int, str]]:
    """Start, end and spelling of everything in ``text`` that looks like a mark."""
    return ((found.start(), found.end(), found.group()) for found in MARK.finditer(text))


def is_too_long(text: str) -> bool:
    """Whether each key would take long in a field that holds ``text``."""
    return len(text) > LONGEST_TEXT or (
        len(text) > LONGEST_LINE and max(map(len, text.split("\n"))) > LONGEST_LINE
    )


class Shelf:
    """Everything that marks stand for. A mark is never used for a second thing."""

    def __init__(self) -> None:
        self._things: dict[str, Pasted | Picture] = {}
        self._numbers = {"Pasted text": 0, "Image": 0}

    def put_text(self, text: str) -> str:
        """Keep a long paste; returns its mark."""
        lines = text.rstrip("\n").count("\n") + 1
        amount = f"{lines:,} lines" if lines > 1 else f"{len(text):,} characters"
        return self._put(f"[Pasted text {self._next('Pasted text')}: {amount}]", Pasted(text))

    def put_picture(self, picture: Picture) -> str:
        """Keep a picture; returns its mark."""
        return self._put(f"[Image {self._next('Image')}]", picture)

    def _next(self, kind: str) -> int:
        self._numbers[kind] += 1
        return self._numbers[kind]

    def _put(self, mark: str, thing: Pasted | Picture) -> str:
        self._things[mark] = thing
        while len(self._things) > 1 and sum(t.size for t in self._things.values()) > _MOST_KEPT:
            del self._things[next(iter(self._things))]
        return mark

    def restore(self, draft: Draft, pictures: Mapping[str, Picture]) -> None:
        """Take up what a kept draft stands on; ``pictures`` are those that were found again."""
        self._things |= {mark: Pasted(text) for mark, text in draft.pasted.items()}
        self._things |= pictures
        for mark in (*draft.pasted, *draft.pictures):
            kind, _, number = mark.strip("[]").partition(":")[0].rpartition(" ")
            if kind in self._numbers and number.isdecimal():
                self._numbers[kind] = max(self._numbers[kind], int(number))

    def get(self, mark: str) -> Pasted | Picture | None:
        """What ``mark`` stands for, None when it is only words."""
        return self._things.get(mark)

    def spans(self, line: str) -> list[tuple[int, int]]:
        """Where the marks of ``line`` begin and end."""
        if "[" not in line:
            return []
        return [(start, end) for start, end, mark in marks_in(line) if mark in self._things]

    def held(self, text: str) -> dict[str, Pasted | Picture]:
        """What the marks of ``text`` stand for, in their order."""
        found: dict[str, Pasted | Picture] = {}
        for _, _, mark in marks_in(text):
            thing = self._things.get(mark)
            if thing is not None:
                found[mark] = thing
        return found

    def whole(self, text: str) -> str:
        """``text`` as it is sent: pastes in full, pictures by their marks."""
        return MARK.sub(self._unfolded, text)

    def _unfolded(self, found: re.Match[str]) -> str:
        thing = self._things.get(found.group())
        return thing.text if isinstance(thing, Pasted) else found.group()

    def folded(self, text: str, before: str) -> str:
        """``text``, which was ``whole(before)`` and may have been edited since: pastes of which no
        character changed are marks again.
        """
        parts = [text]
        for mark, thing in self.held(before).items():
            whole = thing.text if isinstance(thing, Pasted) else ""
            if whole and text.endswith(whole.rstrip("\n")) and whole not in text:
                whole = whole.rstrip("\n")  # an editor's file has no empty lines at its end
            for number, part in enumerate(parts):
                start = part.find(whole) if whole and part not in self._things else -1
                if start >= 0:
                    parts[number : number + 1] = [part[:start], mark, part[start + len(whole) :]]
                    break
        return "".join(parts)

    def fitting(self, text: str) -> str:
        """``text`` as a field can hold it: what is too long between its marks is one more mark."""
        if not is_too_long(text):
            return text
        parts, at = [], 0
        for start, end, mark in [*marks_in(text), (len(text), len(text), "")]:
            if mark and mark not in self._things:
                continue
            between = text[at:start]
            parts += [self._mark_of(between) if is_too_long(between) else between, mark]
            at = end
        return "".join(parts)

    def _mark_of(self, text: str) -> str:
        same = (m for m, thing in self._things.items() if isinstance(thing, Pasted))
        return next((m for m in same if self._things[m] == Pasted(text)), "") or self.put_text(text)

    def remembered(self, text: str) -> str:
        """``text`` as it can be read later: pastes in full, without the marks of pictures."""
        gone = {mark for mark, thing in self.held(text).items() if isinstance(thing, Picture)}
        for mark in gone:
            text = text.replace(mark, "")
        return self.whole(text).strip() if gone else self.whole(text)

    def pictures(self, text: str) -> list[Picture]:
        """The pictures of ``text``, in order."""
        return [thing for thing in self.held(text).values() if isinstance(thing, Picture)]

    def blocks(self, text: str) -> tuple[ImageContent, ...]:
        """The pictures of ``text`` as content of a prompt, in order."""
        from canopy_shared.content import ImageContent

        return tuple(
            ImageContent(picture.data, picture.mime_type) for picture in self.pictures(text)
        )

    def draft(self, text: str) -> Draft:
        """``text`` with all that is needed to take it up again."""
        held = self.held(text)
        return Draft(
            text,
            {mark: thing.text for mark, thing in held.items() if isinstance(thing, Pasted)},
            {
                mark: thing.path
                for mark, thing in held.items()
                if isinstance(thing, Picture) and thing.path
            },
        )
