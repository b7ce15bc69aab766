"""The part of the app that writes a transcript to a new file, and opens what an entry leads to.

What the file holds is made by ``model.export`` and ``export_rows``; no file is ever written over.
"""

from __future__ import annotations

import asyncio
import re
import time
from pathlib import Path
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual import work

from canopy_tui.model.sanitize import clipped
from canopy_tui.model.words import reason_of
from canopy_tui.view.apps.reach_app import ReachApp
from canopy_tui.view.drawing.labels import marks_of, name_of
from canopy_tui.view.keyboard.keymap import name

if TYPE_CHECKING:
    from rich.terminal_theme import TerminalTheme

    from canopy_shared.content import ImageContent
    from canopy_tui.model.leads import Lead
    from canopy_tui.model.state import SessionView
    from canopy_tui.view.transcript.acts import TranscriptActs

_EXPORTED = "Exported to "
KINDS = {"markdown": ".md", "json": ".json", "html": ".html", "svg": ".svg"}
_ENDINGS = {"image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp"}
"""Only these are handed to a program of the desktop, whatever the agent calls them."""


class ExportApp(ReachApp):
    """``export`` writes to the directory of the session."""

    exported = ""
    """The whole path of the file that was written last."""

    @work(group="export")
    async def action_export(self, kind: str) -> None:
        """Write the transcript in view, with its children, to a new file."""
        view = self.view
        if view is None or not view.entries:
            self.say("There is nothing to export yet.")
            return
        try:
            text = await self._exported(view.id, kind)
            stem = f"canopy-{_slug(name_of(self.state, view))}-{time.strftime('%Y%m%d-%H%M')}"
            path = await asyncio.to_thread(
                self.around.write_new, self._export_folder(view), stem, KINDS[kind], text
            )
        except OSError as error:
            self.say(f"Not exported: {clipped(reason_of(error), 300)}", 10.0)
        else:
            self._tell_exported(path)

    def _tell_exported(self, path: Path) -> None:
        """Where it is, on one line that hides nothing; a click and the palette lead to the file."""
        from canopy_tui.view.bars.footer import FooterLine
        from canopy_tui.view.drawing.short_path import short_path

        self.exported = str(path)
        ask = "app.ask_exported"
        ways = (f" [click: open · {name('palette')}: copy its path]", " [click: open]", "")
        room = self.main.query_one(FooterLine).room - len(_EXPORTED)
        shown = short_path(self.exported, str(self.around.directory), room)
        more = next(way for way in ways if not way or cell_len(shown + way) <= room)
        self.say_with_more(f"{_EXPORTED}{shown}{more}", 10.0, ask)

    def action_ask_exported(self) -> None:
        """Open what was exported last, after a question that shows where it is."""
        self.ask_file(self.exported)

    def action_copy_exported(self) -> None:
        """Copy its whole path."""
        self.copy(self.exported)

    def _export_folder(self, view: SessionView) -> Path:
        """Where the session works, if that lasts; a past one, which may be of another machine,
        leaves nothing there.
        """
        if self.around.exports_to:
            return Path(self.around.exports_to)
        if self.around.read_only:
            return Path.cwd()
        return Path(self.state.root_of(view).cwd or self.around.directory)

    async def _exported(self, session: str, kind: str) -> str:
        from canopy_tui.model import export
        from canopy_tui.view.drawing import ink
        from canopy_tui.view.transcript.export_rows import drawn_export

        match kind:
            case "markdown":
                return export.as_markdown(self.state, session)
            case "json":
                return export.json_text(self.state, session)
            case _:
                pen = ink.mix(self.theme_variables, native=self.native_ansi_color)
                marks = marks_of(self.around.glyphs)
                theme = self._terminal_theme()
                return await drawn_export(self.state, session, kind, pen, marks, theme)

    def _terminal_theme(self) -> TerminalTheme:
        """The colours of the page: those of the theme in use."""
        from rich.color import Color as RichColor
        from rich.terminal_theme import TerminalTheme
        from textual.color import Color

        def triplet(name: str) -> tuple[int, int, int]:
            colour = Color.parse(self.theme_variables[name]).rich_color
            found = RichColor.get_truecolor(colour)
            return found.red, found.green, found.blue

        plain = [(value, value, value) for value in range(0, 256, 32)]
        return TerminalTheme(triplet("background"), triplet("foreground"), plain, plain)

    # --- what an entry leads to ----------------------------------------------------------------

    def on_transcript_acts_copied(self, event: TranscriptActs.Copied) -> None:
        """Copy a whole transcript."""
        event.stop()
        self.copy(event.text)

    def on_transcript_acts_detail(self, event: TranscriptActs.Detail) -> None:
        """A tool call on a screen of its own."""
        from canopy_tui.view.screens.detail_screen import DetailScreen

        event.stop()
        self.push_screen(DetailScreen(event.entry, event.cwd, marks_of(self.around.glyphs)))

    def on_transcript_acts_leads(self, event: TranscriptActs.Leads) -> None:
        """Open the only thing there is, or let one be chosen."""
        from canopy_tui.view.screens.leads_screen import LeadsScreen

        event.stop()
        leads = event.leads
        if len(leads) < 2:
            self.ask_lead(leads[0]) if leads else self.say("It leads to no link, file or picture.")
            return

        def chosen(index: int | None) -> None:
            if index is not None and index >= 0:
                self.ask_lead(leads[index])

        self.push_screen(LeadsScreen("Open", [lead.label for lead in leads]), chosen)

    def ask_lead(self, lead: Lead) -> None:
        """Open it after a question."""
        if lead.picture is not None:
            self._ask_picture(lead.picture, lead.label)
        elif re.match(r"[a-z][a-z+.-]+:", lead.target, re.IGNORECASE):
            self.ask_open(lead.target)
        else:
            self.ask_file(lead.target)

    def ask_file(self, path: str) -> None:
        """Open a file with the program of the desktop."""
        from canopy_tui.desk.file_window import is_file
        from canopy_tui.view.dialogs.confirm import ConfirmScreen

        if not is_file(path):
            self.say(f"There is no file {clipped(path, 300)}")
            return

        def answered(yes: bool | None) -> None:
            if yes:
                self.open_outside(path)

        question = f"{clipped(path, 2000)}\n\nThe program that the desktop has for it opens it."
        self.push_screen(ConfirmScreen("Open a file", question, "Open it", "Do not"), answered)

    def _ask_picture(self, picture: ImageContent, label: str) -> None:
        import base64
        import binascii

        from canopy_tui.view.dialogs.confirm import ConfirmScreen

        ending = _ENDINGS.get(picture.mime_type)
        try:
            content = base64.b64decode(picture.data, validate=True)
        except (binascii.Error, ValueError):
            content = b""
        if ending is None or not content or self.around.desktop is None:
            self.say(f"It cannot be opened: {clipped(label, 200)}")
            return
        desktop = self.around.desktop

        def answered(yes: bool | None) -> None:
            if yes:
                self.open_outside(str(desktop.keep(content, ending)))

        question = f"{clipped(label, 300)}\n\nIt is put in a file for the desktop's viewer."
        self.push_screen(ConfirmScreen("Open a picture", question, "Open it", "Do not"), answered)


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40] or "agent"
