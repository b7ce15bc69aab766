"""The body of a permission request: what would be done, and exactly the answers that were offered.

It posts the answer as an intent; which request is shown, and when keys count, is decided by the
screen around it.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static

from canopy_shared.permission import ALLOW_ONCE, REJECT_ALWAYS, REJECT_ONCE
from canopy_tui.desk.file_window import line_of
from canopy_tui.model.intents import AnswerPermission
from canopy_tui.model.sanitize import clipped
from canopy_tui.model.state import RequestState
from canopy_tui.view.blocks.tool_words import told_title
from canopy_tui.view.dialogs.answers import Answer, Answers
from canopy_tui.view.dialogs.bounded import bound, height_of
from canopy_tui.view.dialogs.preview import Preview
from canopy_tui.view.drawing.diff_split import LEAST
from canopy_tui.view.drawing.labels import foreign
from canopy_tui.view.keyboard.caret_keys import CARET
from canopy_tui.view.keyboard.keymap import is_key, name, take_keys
from canopy_tui.view.keyboard.keys import PERMISSION, REASON
from canopy_tui.view.posting import Posted
from canopy_tui.view.requests.permission_answers import alike_answer, permission_answers
from canopy_tui.view.requests.permission_preview import changed_files, preview_of, raw_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual import events
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from canopy_shared.permission import PermissionOption, PermissionRequest
    from canopy_tui.model.changes import Edit
    from canopy_tui.model.entries import ToolEntry
    from canopy_tui.model.state import PendingRequest
    from canopy_tui.view.drawing.strips import Marks

ALIKE = "answer-alike"
_SEEN, _LEAST_SEEN = 3, 2
"""Rows of a preview that come before whole answers, and before answers that can be scrolled."""
_TELL = "Reject, and tell it what to do instead"


class PermissionPane(Vertical):
    """One request. The focus is on the preview, so that no key typed for elsewhere answers."""

    BINDINGS: ClassVar[list[BindingType]] = PERMISSION.bindings()

    @dataclass
    class Told(Message):
        """The person rejected and wrote why. ``answered``: the words went with the answer."""

        session: str
        text: str
        answered: bool = False

    class Turned(Message):
        """It is shown in another way, where other keys matter."""

    def __init__(
        self,
        request: PendingRequest,
        entry: ToolEntry | None,
        cwd: str,
        marks: Marks,
        alike: Callable[[], Sequence[PendingRequest]],
    ) -> None:
        super().__init__(classes="request-pane")
        self._request = request
        self._entry = entry
        self._cwd = cwd
        self._marks = marks
        self._payload: PermissionRequest = request.payload
        self._given = permission_answers(self._payload.options)
        self._alike = alike
        self._raw = False
        self._split = False
        self._lines: dict[Edit, int] = {}
        self._armed: str | None = None
        self._tell = Answer(name("permission-tell"), _TELL, "")

    def compose(self) -> ComposeResult:
        """Title, reason, preview, answers."""
        yield Static(self._title(), id="request-title")
        reason = self._payload.description
        if reason:
            yield Static(foreign(reason), id="request-reason")
        yield Preview(self._marks)
        with VerticalScroll(id="answers-room", can_focus=False):
            yield Answers(self._offered())
        line = Input(id="tell", placeholder="What should it do instead?")
        take_keys(line, REASON, CARET)
        yield line

    def on_mount(self) -> None:
        """Draw the preview; the line to write in comes only when asked for.

        A request that is withdrawn at once takes its parts away before they are mounted.
        """
        self.query("#tell").set(display=False)
        for preview in self.query(Preview):
            preview.draw(preview_of(self._entry, self._cwd))
            preview.focus()
        if self._entry is not None and any(edit.first == 0 for edit in changed_files(self._entry)):
            self.run_worker(self._find_lines(self._entry), exit_on_error=False)

    async def _find_lines(self, entry: ToolEntry) -> None:
        """Look up where in its file an edit is that does not say so."""
        for edit in changed_files(entry):
            if edit.first == 0 and edit.old:
                line = await asyncio.to_thread(line_of, edit.path, self._cwd, edit.old)
                self._lines[edit] = line
        if any(self._lines.values()) and not self._raw and self.query(Preview):
            self._redraw()

    def _title(self) -> Content:
        told = self._payload.title or self._request.summary
        title = clipped(told_title(told), 300)
        kind = self._entry.kind if self._entry is not None else ""
        tail = f"  {kind}" if kind and kind != "other" else ""
        return Content.assemble((title, "bold"), (tail, "$text-muted"))

    def _offered(self) -> tuple[Answer, ...]:
        """What was offered, and what this client adds."""
        more = len(self._for_all()) - 1
        words = f"Allow once, this and {more} more that ask for exactly the same"
        alike = (alike_answer(words),) if more > 0 else ()
        tell = (self._tell,) if self._rejection is not None else ()
        return (*self._given, *alike, *tell)

    def offer(self) -> None:
        """Follow how many requests are like this one."""
        answers, offered = next(iter(self.query(Answers)), None), self._offered()
        if answers is not None and answers.answers != offered:
            self._armed = None
            answers.offer(offered)
            self.post_message(self.Turned())

    def _for_all(self) -> list[AnswerPermission]:
        """The answers that allow all requests like this one, when each offers that."""
        found = [
            AnswerPermission(request.key, option.option_id)
            for request in self._alike()
            for option in [_once(request)]
            if option is not None
        ]
        return found if any(one.request == self._request.key for one in found) else []

    def fit(self, room: int) -> None:
        """Share ``room`` rows: every answer has one, the preview a few, and what is left goes to
        answers that are longer than a line before it goes to the preview.
        """
        # one of both may be missing while the pane is put together or goes
        for preview, answers in zip(self.query(Preview), self.query(Answers), strict=False):
            around = answers.parent
            fixed = [one for one in self.children if one not in (preview, around)]
            room -= height_of(fixed) + preview.styles.margin.height
            if isinstance(around, VerticalScroll) and around.display:
                room -= around.styles.margin.height
                most = room - preview.gutter.height - min(_SEEN, preview.virtual_size.height)
                rows = min(answers.wanted(around.size.width), max(most, len(answers.answers)))
                answers.bound(rows)
                least = min(_LEAST_SEEN, preview.virtual_size.height)
                rows = min(rows, room - preview.gutter.height - least)
                bound(around, rows + around.styles.margin.height)
                room -= max(1, rows)
            bound(preview, room + preview.styles.margin.height)

    def on_preview_beyond(self, event: Preview.Beyond) -> None:
        """Answers that have no room come into view after the last row of the preview."""
        event.stop()
        self.query_one("#answers-room").scroll_relative(y=event.step, animate=False)

    @property
    def _rejection(self) -> str | None:
        kinds = {option.kind: option.option_id for option in reversed(self._payload.options)}
        return kinds.get(REJECT_ONCE, kinds.get(REJECT_ALWAYS))

    @property
    def is_writing(self) -> bool:
        """Whether the person writes a reason."""
        return any(line.display for line in self.query("#tell"))

    def answers_to(self, key: str) -> bool:
        """Whether ``key`` gives one of the answers, or begins to."""
        tells = self._rejection is not None and is_key("permission-tell", key)
        offered = next(iter(self.query(Answers)), None)
        return tells or (offered is not None and any(key in one.keys for one in offered.answers))

    def on_key(self, event: events.Key) -> None:
        """Keys that answer."""
        if self.is_writing:
            return
        offered = self.query_one(Answers).answers
        answer = next((one for one in offered if event.key in one.keys), None)
        if answer is not None:
            event.stop()
            self._choose(answer)

    def on_answers_chosen(self, event: Answers.Chosen) -> None:
        """A click that answers."""
        event.stop()
        if event.answer is self._tell:
            self.action_tell()
        else:
            self._choose(event.answer)

    def _choose(self, answer: Answer) -> None:
        if self._request.state is not RequestState.WAITING:
            return
        alike = answer.value == ALIKE
        option = self._payload.option(answer.value)
        careful = self._payload.default_to_no and option is not None and option.allows
        if (careful or alike) and self._armed != answer.key:
            self._armed = answer.key
            self._arm(answer)
            return
        own = [AnswerPermission(self._request.key, answer.value)]
        for intent in self._for_all() if alike else own:
            self.post_message(Posted(intent))

    def _arm(self, answer: Answer) -> None:
        """The answer needs its key once more, and has to be seen."""
        answers = self.query_one(Answers)
        answers.arm(answer.key)
        self.post_message(self.Turned())
        room = self.query_one("#answers-room")
        self.call_after_refresh(
            lambda: room.scroll_to_region(answers.place_of(answer), animate=False)
        )

    def action_tell(self) -> None:
        """Let the person write why they reject."""
        if self._rejection is None:
            return
        self.query_one("#answers-room").display = False
        line = self.query_one("#tell", Input)
        line.display = True
        line.focus()
        self.post_message(self.Turned())

    def leave_writing(self) -> bool:
        """Go back from writing a reason to the answers; whether one was being written."""
        if not self.is_writing:
            return False
        self.query_one("#tell").display = False
        self.query_one("#answers-room").display = True
        self.query_one(Preview).focus()
        self.post_message(self.Turned())
        return True

    def hand_on_reason(self) -> None:
        """The request is gone while a reason was written: what is written goes to the message."""
        reason = self.query_one("#tell", Input).value
        if self.is_writing and reason.strip():
            told = self.Told(self._request.session, reason)
            self.app.post_message(told)  # past this pane, which is on its way out

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Reject, and hand the reason on."""
        event.stop()
        if self._request.state is not RequestState.WAITING:
            return  # it is on its way out, and takes what is written along
        if self._rejection is not None:
            reason = event.value.strip()
            self.post_message(Posted(AnswerPermission(self._request.key, self._rejection, reason)))
            if reason:
                self.post_message(self.Told(self._request.session, reason, answered=True))

    def action_copy(self) -> None:
        """Copy what is shown."""
        self.app.copy(self.query_one(Preview).text)  # type: ignore[attr-defined]  # ours

    def action_raw(self) -> None:
        """Switch between the preview and the raw request."""
        self._raw = not self._raw
        self._redraw()
        words = f"raw request · {name('permission-raw')}: as usual" if self._raw else ""
        self.query_one(Preview).border_title = Content(words)
        self.post_message(self.Turned())

    def action_split(self) -> None:
        """Show changes side by side, or one below the other."""
        self._split = not self._split
        self._redraw()
        self.post_message(self.Turned())

    @property
    def hints(self) -> list[str]:
        """The keys that matter only for what is shown here."""
        preview = next(iter(self.query(Preview)), None)  # its parts are taken away one by one
        room = preview.scrollable_content_region.width if preview is not None else 0
        if self._raw or room < LEAST or self._entry is None or not changed_files(self._entry):
            return []
        words = "one below the other" if self._split else "side by side"
        return [f"{name('permission-split')} {words}"]

    def _redraw(self) -> None:
        preview = preview_of(self._entry, self._cwd, split=self._split, lines=self._lines)
        draw = raw_of(self._payload.to_params()) if self._raw else preview
        self.query_one(Preview).draw(draw)


def _once(request: PendingRequest) -> PermissionOption | None:
    """The option that allows what ``request`` asks for this one time."""
    options: Sequence[PermissionOption] = request.payload.options
    return next((option for option in options if option.kind == ALLOW_ONCE), None)
