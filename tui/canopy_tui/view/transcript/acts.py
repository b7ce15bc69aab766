"""What a person does with a whole transcript: copy, export, fold, jump between prompts, show times.

It says by messages what leaves the transcript; where the cursor is, is known to the view that
builds on this.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.message import Message

from canopy_tui.view.blocks.look import Look
from canopy_tui.view.transcript.canvas import TranscriptCanvas

if TYPE_CHECKING:
    from canopy_tui.model.entries import ToolEntry
    from canopy_tui.model.leads import Lead


class TranscriptActs(TranscriptCanvas):
    """Keys of a transcript that are not about one line."""

    @dataclass
    class Copied(Message):
        """The person wants ``text`` on the clipboard."""

        text: str

    @dataclass
    class Leads(Message):
        """The person wants to open one of ``leads``; there may be none."""

        leads: list[Lead]

    @dataclass
    class Detail(Message):
        """The person wants to see all of a tool call on a screen of its own."""

        entry: ToolEntry
        cwd: str

    def chosen(self) -> int | None:
        """The entry that a key is meant for."""
        raise NotImplementedError

    def to_entry(self, index: int) -> None:
        """Put the cursor on an entry, its first row at the top."""
        raise NotImplementedError

    @property
    def cwd(self) -> str:
        """Where relative paths of the shown session start."""
        if self.session is None or self.state is None:
            return ""
        return self.session.cwd or self.state.root_of(self.session).cwd

    def action_copy_all(self) -> None:
        """Copy the source of every entry."""
        from canopy_tui.model.source import copied_whole

        if self.session is not None and self.state is not None:
            self.post_message(self.Copied(copied_whole(self.session.entries, self.state)))

    def action_lead(self) -> None:
        """Open something that the entry leads to."""
        from canopy_tui.desk.file_window import is_file
        from canopy_tui.model.leads import leads_of

        if (index := self.chosen()) is not None and self.viewport is not None:
            entry = self.viewport.layout.entry(index)
            self.post_message(self.Leads(leads_of(entry, self.cwd, is_file)))

    def follow_link(self, address: str) -> None:
        """Open what a link in a text leads to."""
        from canopy_tui.model.leads import lead_to

        self.post_message(self.Leads([lead_to(address, self.cwd)]))

    def action_prompt(self, step: int) -> None:
        """Go to the prompt before the cursor, or to the next one."""
        from canopy_tui.model.entries import MessageEntry, Role

        prompts = (Role.USER, Role.PARENT)

        if self.viewport is None or self.session is None:
            return
        seen, entries = self.viewport.entries_in_view(), self.session.entries
        at = seen[0] if seen else 0
        if (marked := self.marked()) in seen and marked is not None:
            at = marked
        elif step < 0 and self.viewport.following:
            at = len(entries)
        way = range(at - 1, -1, -1) if step < 0 else range(at + 1, len(entries))
        for index in way:
            entry = entries[index]
            if isinstance(entry, MessageEntry) and entry.role in prompts:
                self.to_entry(index)
                return

    def action_fold_all(self) -> None:
        """Show every entry at its shortest."""
        self._show_all(Look())

    def action_unfold_all(self) -> None:
        """Show every entry with its detail."""
        self._show_all(Look(expanded=True))

    def _show_all(self, look: Look) -> None:
        viewport = self.viewport
        if viewport is None:
            return
        seen, follows = viewport.entries_in_view(), viewport.following
        viewport.layout.set_all(look)
        if follows or not seen:
            viewport.to_end()
        else:
            viewport.top_entry(seen[0])
        self.paint()

    def action_times(self) -> None:
        """Show when each entry came, or not."""
        self.shows_times = not self.shows_times
        self.paint()
