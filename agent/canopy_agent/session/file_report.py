"""The report of the files that a turn changed: asked for with a prompt, sent before its end is.

Claude Code's own checkpoints name what the main conversation edited; subagents are followed by
their frames. What a shell command changed is in neither, so a report never claims to be complete.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from canopy_agent.claude.errors import ClaudeError
from canopy_agent.domain.bounded import Recent
from canopy_shared.errors import REQUEST_CANCELLED
from canopy_shared.ext import file_report as fr
from canopy_shared.ext.file_report import FileReport
from canopy_shared.updates import SessionInfoUpdate, Update

if TYPE_CHECKING:
    from canopy_agent.session.steering import Answerable
    from canopy_shared.errors import AcpError

Json = Mapping[str, Any]
Ask = Callable[[Json], Awaitable[Json]]

PATIENCE: Final = 2.0
"""Seconds that Claude Code gets to name the files."""
MOST_PATHS: Final = 1024
LONGEST_PATH: Final = 4096
MOST_BYTES: Final = 256 * 1024
EDITORS: Final = frozenset({"Edit", "Write", "MultiEdit", "NotebookEdit"})


@dataclass(frozen=True, slots=True)
class Roots:
    """The directories of a session, whose files a report may name."""

    paths: tuple[str, ...]

    def sorted_out(self, paths: Iterable[str]) -> tuple[tuple[str, ...], bool]:
        """The paths that may be told, each once, and whether any was left out. It reads links."""
        roots = [os.path.realpath(root) for root in self.paths]
        kept: dict[str, None] = {}
        size, left_out = 0, False
        for path in paths:
            real = _canonical(path)
            fits = real is not None and any(_lies_in(real, root) for root in roots)
            if real is None or not fits:
                left_out = True
                continue
            if real in kept:
                continue
            size += len(real.encode(errors="surrogatepass"))
            if len(kept) >= MOST_PATHS or size > MOST_BYTES:
                return tuple(kept), True
            kept[real] = None
        return tuple(kept), left_out


def _canonical(path: str) -> str | None:
    """``path`` with the links of its directory resolved; None for one that cannot be told."""
    if len(path) > LONGEST_PATH or any(ord(char) < 32 or ord(char) == 127 for char in path):
        return None
    given = Path(path)
    if not given.is_absolute() or given.name in ("", ".."):
        return None
    return str(Path(os.path.realpath(given.parent)) / given.name)


def _lies_in(path: str, root: str) -> bool:
    return path != root and path.startswith(root.rstrip(os.sep) + os.sep)


def _is_of_another(result: Json) -> bool:
    """Whether a result ends no turn of the client's, or one that was stopped."""
    origin, reason = result.get("origin"), result.get("terminal_reason")
    own = isinstance(origin, Mapping) and origin.get("kind") == "task-notification"
    return own or (isinstance(reason, str) and reason.startswith("aborted"))


class ReportedPrompt:
    """A prompt whose answer waits for the report. ``prompt`` is its id once it was queued."""

    def __init__(self, reports: FileReports, request: Answerable, request_id: str) -> None:
        self._reports = reports
        self._request = request
        self.request_id = request_id
        self.prompt = ""

    def respond(self, result: Any) -> None:
        """The turn ended."""
        cancelled = isinstance(result, Mapping) and result.get("stopReason") == "cancelled"
        self._reports.ended(self, lambda: self._request.respond(result), cancelled=cancelled)

    def fail(self, error: AcpError) -> None:
        """The turn failed."""
        self._reports.ended(self, lambda: self._request.fail(error), cancelled=False)

    def on_cancel(self, callback: Callable[[], None]) -> None:
        """Call ``callback`` when the client takes the prompt back."""
        self._request.on_cancel(callback)


class FollowedPrompt(ReportedPrompt):
    """A prompt that is answered when it is taken in; a state tells how its turn ended."""

    report: FileReport | None = None

    def respond(self, result: Any) -> None:
        """It was taken in."""
        self._request.respond(result)

    def fail(self, error: AcpError) -> None:
        """It never was."""
        self.settled(cancelled=error.code == REQUEST_CANCELLED)
        self._request.fail(error)

    def settled(self, *, cancelled: bool) -> None:
        """Its turn is over, which the client hears next."""
        self._reports.settled(self, cancelled=cancelled)


class FileReports:
    """The reports of one session. ``ask`` sends a control request, ``show`` an update.

    ``follows``: the client is told of the end of a turn by a state.
    """

    def __init__(
        self,
        roots: Roots,
        *,
        ask: Ask,
        spawn: Callable[[Any], object],
        show: Callable[[Update], None],
        follows: bool = False,
    ) -> None:
        self._roots = roots
        self._ask = ask
        self._spawn = spawn
        self._show = show
        self._follows = follows
        self._followed: list[FollowedPrompt] = []
        self._turn: str | None = None
        self._asked: Recent[str, bool] = Recent(1024)
        self._calls: Recent[str, str] = Recent(256)
        self._edited: dict[str, None] = {}

    def watched(self, request: Answerable, meta: Json) -> Answerable:
        """``request``, or what stands for it when its prompt asks for a report."""
        id_ = fr.requested(meta)
        if id_ is None or id_ in self._asked:
            return request
        self._asked[id_] = True
        if not self._follows:
            return ReportedPrompt(self, request, id_)
        prompt = FollowedPrompt(self, request, id_)
        self._followed.append(prompt)
        return prompt

    # --- what subagents edit ----------------------------------------------------------------------

    def turned(self, prompt: str | None) -> None:
        """A turn began: what was edited before it is none of its report."""
        if prompt is not None:
            self._edited.clear()
            self._turn = prompt

    def frame(self, frame: Json) -> None:
        """One frame of the CLI."""
        if frame.get("parent_tool_use_id") is None or frame.get("type") not in (
            "assistant",
            "user",
        ):
            return
        message = frame.get("message")
        content = message.get("content") if isinstance(message, Mapping) else None
        for block in content if isinstance(content, list) else ():
            if isinstance(block, Mapping):
                self._block(block)

    def _block(self, block: Json) -> None:
        if block.get("type") == "tool_use" and block.get("name") in EDITORS:
            given = block.get("input")
            values = given if isinstance(given, Mapping) else {}
            path, id_ = values.get("file_path") or values.get("notebook_path"), block.get("id")
            if isinstance(path, str) and isinstance(id_, str):
                self._calls[id_] = path
        elif block.get("type") == "tool_result" and block.get("is_error") is not True:
            id_ = block.get("tool_use_id")
            path = self._calls.pop(id_) if isinstance(id_, str) else None
            if path is not None and len(self._edited) <= MOST_PATHS:
                self._edited[path] = None

    # --- the report -------------------------------------------------------------------------------

    def ended(self, prompt: ReportedPrompt, answer: Callable[[], None], *, cancelled: bool) -> None:
        """The turn of ``prompt`` is over; ``answer`` is called after its report."""
        if cancelled:
            self._tell(FileReport(prompt.request_id, reason=fr.CANCELLED))
            answer()
            return
        self._spawn(self._report(prompt, tuple(self._edited), answer))

    def rewrite(self, frame: Json) -> Awaitable[Json] | None:
        """For the result of a turn that is followed: what gives it once the report is made, since
        nothing that comes behind may reach the client before it.
        """
        if frame.get("type") != "result" or _is_of_another(frame):
            return None
        turns = (one for one in self._followed if one.prompt == self._turn)
        prompt = next(turns, None)
        return None if prompt is None else self._kept_back(frame, prompt)

    async def _kept_back(self, frame: Json, prompt: FollowedPrompt) -> Json:
        prompt.report = await self._made(prompt, tuple(self._edited))
        return frame

    def settled(self, prompt: FollowedPrompt, *, cancelled: bool) -> None:
        """The turn of a followed prompt is over, or will never be."""
        self._followed.remove(prompt)
        why = fr.CANCELLED if cancelled else fr.PROVIDER_ERROR
        made = None if cancelled else prompt.report
        self._tell(made or FileReport(prompt.request_id, reason=why))

    async def _report(
        self, prompt: ReportedPrompt, edited: tuple[str, ...], answer: Callable[[], None]
    ) -> None:
        report = FileReport(prompt.request_id, reason=fr.CANCELLED)
        try:
            report = await self._made(prompt, edited)
        finally:
            self._tell(report)
            answer()

    async def _made(self, prompt: ReportedPrompt, edited: tuple[str, ...]) -> FileReport:
        asked = {
            "subtype": "rewind_files",
            "user_message_id": prompt.prompt,
            "dry_run": True,
        }
        reason, named = None, ()
        try:
            async with asyncio.timeout(PATIENCE):
                changed = (await self._ask(asked)).get("filesChanged")
        except TimeoutError:
            reason = fr.TIMEOUT
        except ClaudeError:
            reason = fr.PROVIDER_ERROR
        else:
            if isinstance(changed, list) and all(isinstance(path, str) for path in changed):
                named = tuple(changed)
            else:
                reason = fr.INVALID_OUTPUT
        if reason is not None and not edited:
            return FileReport(prompt.request_id, reason=reason)
        paths, left_out = await asyncio.to_thread(self._roots.sorted_out, (*named, *edited))
        return FileReport(prompt.request_id, paths, left_out)

    def _tell(self, report: FileReport) -> None:
        self._show(SessionInfoUpdate(meta=fr.wrap(report)))
