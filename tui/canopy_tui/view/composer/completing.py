"""What can be completed at the caret: a slash command or a file, and what a pick puts there.

It asks for files without waiting for them; how a list looks is not known here.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from canopy_tui.model.mentions import open_mention, spelled
from canopy_tui.model.own_commands import offered
from canopy_tui.view.composer.completion import Completion, Offer
from canopy_tui.view.composer.prompt_area import plain
from canopy_tui.view.composer.slash_offers import SlashOffers, hint_of, offers_for
from canopy_tui.view.once import once

if TYPE_CHECKING:
    from textual.worker import Worker

    from canopy_shared.updates import Command
    from canopy_tui.desk.file_index import FileIndex, Found
    from canopy_tui.view.composer.prompt_area import PromptArea

log = logging.getLogger(__name__)

LOOK_AGAIN = 0.15
"""Seconds until a list that still grows is asked again."""
COMMAND = "command"


class Completing:
    """One per composer. ``commands`` are the agent's, ``chosen`` the mentions that were picked."""

    def __init__(self, area: PromptArea, completion: Completion, files: FileIndex | None) -> None:
        self._area = area
        self._completion = completion
        self._files = files
        self._asked = 0
        self._looked: object = None
        self._search: Worker[None] | None = None
        self.chosen: set[str] = set()
        self.commands: Sequence[Command] = ()
        self.recalled = ""
        """A message of before, put there whole: no list takes the keys that go on to the next."""

    def offer(self, *, again: bool = False) -> None:
        """Show what fits at the caret; ``again``: although it is where it was."""
        area = self._area
        row, column = area.cursor_location
        text = area.text
        looked = (text, area.selection, self.commands)
        if looked == self._looked and not again:
            return
        self._looked = looked
        self._asked += 1
        mention = open_mention(area.document[row], column)
        slash = offers_for(text, self.commands) if mention is None else None
        if not area.selection.is_empty or text == self.recalled:
            self._completion.close()
        elif slash is not None:
            self._offer_commands(text, slash)
        elif mention is not None and self._files is not None:
            look = partial(self._offer_files, self._asked, (row, mention.start), mention.path)
            self._search = area.run_worker(
                look,
                group="files",
                exclusive=True,
                exit_on_error=False,
            )
        else:
            self._completion.close()

    def _offer_commands(self, text: str, found: SlashOffers) -> None:
        self._completion.show_offers(COMMAND, text, found.offers, found.note, sure=found.sure)

    @property
    def _all(self) -> list[Command]:
        return [*self.commands, *offered(self.commands)]

    async def _offer_files(self, asked: int, place: tuple[int, int], path: str) -> None:
        assert self._files is not None
        try:
            found = await self._files.search(path, lambda: asked == self._asked)
        except Exception:  # a list that fails must not take the message with it
            log.exception("could not look for files")
            return
        if found is None or asked != self._asked:
            return
        offers = [_file_offer(one, path) for one in found.paths]
        self._completion.show_offers(place, path, offers, _note(found))
        if found.listing:
            once(self._area, LOOK_AGAIN, lambda: self._ask_again(asked))

    def _ask_again(self, asked: int) -> None:
        if asked == self._asked:
            self.offer(again=True)

    def take(self, offer: Offer) -> None:
        """Put what was picked in the place of what was typed."""
        area = self._area
        row, column = area.cursor_location
        if not offer.is_path:
            area.show_text(f"{offer.text} ")
            return
        mention = open_mention(area.document[row], column)
        if mention is None:
            return
        if offer.goes_on:
            quote = (
                '"'
                if " " in offer.text or area.document[row][mention.start + 1 :][:1] == '"'
                else ""
            )
            text = plain(f"@{quote}{offer.text}")
        else:
            text = plain(spelled(offer.text))
            self.chosen.add(text)
            text += " "
        area.replace(text, (row, mention.start), (row, column))
        area.move_cursor((row, mention.start + len(text)))
        area.history.checkpoint()

    def hint(self, text: str) -> str:
        """What may follow the command that ``text`` is, and nothing else yet."""
        name, space, rest = text.partition(" ")
        if not space or rest.strip() or not name.startswith("/"):
            return ""
        return next((hint_of(one) for one in self._all if one.name == name[1:]), "")

    def links(self, line: str) -> list[tuple[int, int]]:
        """Where picked mentions stand in ``line``."""
        if "@" not in line:
            return []
        spans = []
        for mention in self.chosen:
            at = line.find(mention)
            while at >= 0:
                spans.append((at, at + len(mention)))
                at = line.find(mention, at + len(mention))
        return spans


def _file_offer(path: str, typed: str) -> Offer:
    return Offer(path, is_path=True, goes_on=path.endswith("/") and path != typed)


def _note(found: Found) -> str:
    if found.listing:
        return f"Looking for files: {found.total:,} so far"
    if not found.paths:
        return "No file fits." if found.total else "There are no files here."
    return f"Only the first {found.total:,} files are searched." if found.cut else ""
