"""What is put into a message besides typing: pastes, dropped files, the clipboard.

A long paste and a picture become marks, a file becomes a mention; what cannot be used is told in
one sentence. How a mark looks is not known here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from canopy_tui.desk.picture_files import (
    PictureError,
    checked_picture,
    looks_like_picture,
    read_picture,
)
from canopy_tui.model.mentions import dropped_paths, spelled
from canopy_tui.model.shelf import LARGEST_SUM, MOST_PICTURES, Draft, Picture, is_long, is_too_long
from canopy_tui.view.composer.prompt_area import plain
from canopy_tui.view.keyboard.keymap import filled

if TYPE_CHECKING:
    from canopy_shared.content import ContentBlock
    from canopy_tui.model.shelf import Shelf
    from canopy_tui.view.composer.completing import Completing
    from canopy_tui.view.composer.prompt_area import PromptArea
    from canopy_tui.view.surroundings import Surroundings

_MIB = 1024 * 1024


class Attaching:
    """One per composer. ``tell`` shows a sentence; ``takes_pictures`` says what the agent can."""

    def __init__(
        self,
        area: PromptArea,
        shelf: Shelf,
        around: Surroundings,
        completing: Completing,
        tell: Callable[[str], None],
        takes_pictures: Callable[[], bool],
    ) -> None:
        self._area = area
        self._shelf = shelf
        self._around = around
        self._completing = completing
        self._tell = tell
        self._takes_pictures = takes_pictures

    def take_paste(self, text: str) -> bool:
        """Use a paste that is more than text to type; whether it was used."""
        paths = dropped_paths(text)
        if paths:
            self._area.run_worker(self._attach(text, paths), exit_on_error=False)
            return True
        if is_long(text):
            self._area.put(self._shelf.put_text(text))
            self._tell(filled("Folded: it is sent whole. {complete} behind it unfolds it."))
            return True
        return False

    async def _attach(self, text: str, paths: list[str]) -> None:
        """Files were dropped: when all of them are there they are attached, else it is text."""
        places = [_place(path) for path in paths]
        if not await asyncio.to_thread(lambda: all(_is_file(place) for place in places)):
            if is_long(text):
                text = self._shelf.put_text(text)
            self._area.put(text)
            return
        for place in places:
            if not looks_like_picture(place.name):
                self._mention(place)
            elif not self._takes_pictures():
                self._mention(place)
                self._tell("This agent takes no pictures: the file is mentioned instead.")
            else:
                try:
                    self._put(await asyncio.to_thread(read_picture, place))
                except PictureError as error:
                    self._tell(str(error))

    def _mention(self, place: Path) -> None:
        root = Path(self._around.directory)
        path = str(place.relative_to(root)) if place.is_relative_to(root) else str(place)
        mention = spelled(path)
        self._completing.chosen.add(mention)
        self._put_word(mention)

    def _put(self, picture: Picture) -> None:
        there = self._shelf.pictures(self._area.text)
        if len(there) >= MOST_PICTURES:
            self._tell(f"A message holds at most {MOST_PICTURES} pictures.")
        elif sum(one.size for one in there) + picture.size > LARGEST_SUM:
            limit = LARGEST_SUM // _MIB
            self._tell(
                f"The pictures of one message may be {limit} MiB together; send these first."
            )
        else:
            self._put_word(self._shelf.put_picture(picture))

    def _put_word(self, word: str) -> None:
        """A word of its own: what it names would not be seen in the middle of another."""
        row, column = min(self._area.selection)
        before = self._area.document[row][:column]
        self._area.put(f"{' ' if before and not before[-1].isspace() else ''}{word} ")

    async def paste_clipboard(self, own: str) -> None:
        """Paste what is on the clipboard of the desktop, else ``own``: what was copied in here."""
        from canopy_tui.desk.clipboard import read_clipboard

        clipping = await read_clipboard(self._around.environment)
        if clipping.picture:
            self._paste_picture(clipping.picture)
        elif clipping.text or own:
            text = plain(clipping.text or own)
            if not self.take_paste(text):
                self._area.put(text)
        else:
            self._tell(clipping.why)

    def _paste_picture(self, content: bytes) -> None:
        if not self._takes_pictures():
            self._tell("This agent takes no pictures.")
            return
        try:
            picture = checked_picture("picture from the clipboard", content)
        except PictureError as error:
            self._tell(str(error)[:1].upper() + str(error)[1:])
            return
        ending = picture.mime_type.removeprefix("image/")
        path = self._around.keep_picture(content, ending)
        facts = (picture.mime_type, picture.data, picture.width, picture.height)
        self._put(Picture(picture.name, *facts, path))

    def message(self, text: str) -> tuple[str, tuple[ContentBlock, ...], str]:
        """``text`` as it is sent, what goes with it, and ``text`` itself when that is shorter.

        A command is sent as one text: the agent reads the mentions in it.
        """
        shelf, files = self._shelf, self._around.files
        whole = shelf.whole(text)
        blocks: tuple[ContentBlock, ...] = shelf.blocks(text)
        if files is not None and "@" in text and not text.startswith("/"):
            blocks += files.links(text)
        return whole, blocks, text if whole != text else ""

    def take_up(self, draft: Draft) -> str:
        """The text of a kept draft, whose pastes and pictures are on the shelf afterwards."""
        pictures: dict[str, Picture] = {}
        for mark, path in draft.pictures.items():
            try:
                pictures[mark] = read_picture(Path(path))
            except PictureError as error:
                self._tell(f"{mark.strip('[]')} is no longer there: {error}")
        self._shelf.restore(draft, pictures)
        return draft.text

    def unfold(self, mark: str) -> bool:
        """Put the text of a paste in the place of its mark; whether there was one."""
        found = self._shelf.held(self._area.text).get(mark)
        if found is None or isinstance(found, Picture):
            return False
        if is_too_long(found.text):
            self._tell("It is too long to be edited here. It is sent whole.")
            return True
        return self._replace(mark, found.text)

    def remove(self, mark: str) -> None:
        """Take a mark out of the message; undo brings it back."""
        self._replace(mark, "")

    def unfold_at_caret(self) -> bool:
        """Unfold the paste beside the caret; whether there was one."""
        row, column = self._area.cursor_location
        line = self._area.document[row]
        beside = [line[s:e] for s, e in self._shelf.spans(line) if column in (s, e)]
        return any(self.unfold(mark) for mark in beside)

    def _replace(self, mark: str, text: str) -> bool:
        area = self._area
        for row, line in enumerate(area.document.lines):
            column = line.find(mark)
            if column >= 0:
                end = column + len(mark)
                if not text and line[end : end + 1] == " ":
                    end += 1
                result = area.replace(text, (row, column), (row, end))
                area.move_cursor(result.end_location)
                area.history.checkpoint()
                return True
        return False


def takes_pictures(capabilities: Mapping[str, object]) -> bool:
    """Whether the agent's ``promptCapabilities`` hold ``image``."""
    prompt = capabilities.get("promptCapabilities")
    return isinstance(prompt, Mapping) and prompt.get("image") is True


def _place(path: str) -> Path:
    return Path(path).expanduser()


def _is_file(place: Path) -> bool:
    try:
        return place.is_file()
    except (OSError, ValueError):
        return False
