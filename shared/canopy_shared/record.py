"""Wire traffic in a file: who sent which message when, one JSON object a line.

It works on either end of a connection and on any transport, and reading a file gives the messages
back; it knows JSON-RPC frames and no meaning, except where a secret may stand.
"""

from __future__ import annotations

import itertools
import logging
import os
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal

from canopy_shared import jsonio, methods
from canopy_shared.errors import PARSE_ERROR, AcpError
from canopy_shared.frames import (
    Frame,
    Malformed,
    Request,
    Response,
    encode_line,
    message_of,
)
from canopy_shared.version import __version__

if TYPE_CHECKING:
    from pathlib import Path

    from canopy_shared.ids import RequestId
    from canopy_shared.transport import Transport

log = logging.getLogger(__name__)

VERSION: Final = 1
FORMAT: Final = "recording"
REDACTED: Final = "(not recorded)"

Side = Literal["client", "agent"]
CLIENT: Final = "client"
AGENT: Final = "agent"

_MAY_HOLD_SECRETS = frozenset(
    {
        methods.INITIALIZE,
        methods.AUTHENTICATE,
        methods.SESSION_NEW,
        methods.SESSION_LOAD,
        methods.SESSION_RESUME,
        methods.SESSION_FORK,
        methods.PROVIDERS_LIST,
        methods.PROVIDERS_SET,
        methods.ELICITATION_CREATE,
    }
)
"""Requests of which neither the parameters nor the answer are recorded as they are."""
_SECRET_KEY = re.compile(r"api[-_]?key|token|secret|passw|authorization|cookie|credential", re.I)
_SECRET_PLACES = frozenset({"env", "headers"})
_QUERY = re.compile(r"[?#].*", re.S)


# --- writing --------------------------------------------------------------------------------------


class Recorder:
    """Appends to a new private file (0600). A disk that is full ends the recording, not the
    connection; ``failure`` then says why.

    ``file`` may be a directory: a new file in it is made. Raises ``FileExistsError`` for a file
    that is there, and other ``OSError`` when none can be made. ``clock`` gives epoch seconds.
    """

    def __init__(self, file: Path, *, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._started = clock()
        self._delicate: set[tuple[Side, RequestId | None]] = set()
        self.failure = ""
        self.file, self._descriptor = _new_file(file, self._started)
        head = {"canopy": FORMAT, "version": VERSION, "at": self._started, "by": __version__}
        try:
            self._put(jsonio.dumps(head) + b"\n")
        except OSError:
            self.close()
            self.file.unlink(missing_ok=True)
            raise

    def sent(self, sender: Side, frame: Frame) -> None:
        """``sender`` sent ``frame``. What cannot be serialised is left out."""
        try:
            message = _message_bytes(self._without_secrets(sender, frame))
        except (TypeError, ValueError):
            log.debug("a message that cannot be serialised is not recorded")
            return
        head = b'{"t":%.4f,"from":"%s",' % (self._now(), sender.encode())
        self._append(head + message + b"}\n")

    def _without_secrets(self, sender: Side, frame: Frame) -> Frame:
        """Requests that may hold secrets, and the answers to them, without these."""
        match frame:
            case Request(id_, method, params) if method in _MAY_HOLD_SECRETS:
                self._delicate.add((sender, id_))
                return Request(id_, method, _redacted_value(params))
            case Response(id_, result, None):
                asked = (CLIENT if sender == AGENT else AGENT, id_)
                if asked in self._delicate:
                    self._delicate.discard(asked)
                    return Response(id_, _redacted_value(result))
        return frame

    def happened(self, what: str, **facts: Any) -> None:
        """Something that is no message, such as ``closed``, with JSON ``facts``."""
        self._write({"t": round(self._now(), 4), "event": what, **facts})

    def close(self) -> None:
        """End the recording. Safe to call twice."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _now(self) -> float:
        return self._clock() - self._started

    def _write(self, row: Mapping[str, Any]) -> None:
        self._append(jsonio.dumps(row) + b"\n")

    def _append(self, line: bytes) -> None:
        if self._descriptor < 0:
            return
        try:
            self._put(line)
        except OSError as error:
            self.failure = error.strerror or str(error)
            log.warning("the recording ends here: %s", self.failure)
            self.close()

    def _put(self, line: bytes) -> None:
        view = memoryview(line)
        while view:
            view = view[os.write(self._descriptor, view) :]


def _new_file(file: Path, at: float) -> tuple[Path, int]:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND
    if not file.is_dir():
        return file, os.open(file, flags, 0o600)
    stamp = time.strftime("%Y%m%d-%H%M%S", time.localtime(at))
    for number in itertools.count(1):
        inside = file / f"canopy-{stamp}-{number}.jsonl"
        try:
            return inside, os.open(inside, flags, 0o600)
        except FileExistsError:
            continue
    raise AssertionError


def _message_bytes(frame: Frame) -> bytes:
    if isinstance(frame, Malformed):
        return b'"malformed":' + jsonio.dumps(frame.error.message)
    return b'"message":' + encode_line(frame)[:-1]


def _redacted_value(value: Any) -> Any:
    """The same for a value that may hold objects of ours."""
    return redacted(jsonio.loads(jsonio.dumps(value)))


def redacted(value: Any, *, secret: bool = False) -> Any:
    """A JSON value without what may be a secret: keys, tokens, variables, headers, queries."""
    match value:
        case Mapping():
            named = isinstance(value.get("name"), str) and "value" in value
            return {
                key: _redacted_field(key, item, secret and not (named and key == "name"))
                for key, item in value.items()
            }
        case list() | tuple():
            return [redacted(item, secret=secret) for item in value]
        case str() if secret:
            return REDACTED
        case _:
            return value


def _redacted_field(key: str, value: Any, secret: bool) -> Any:
    if key in _SECRET_PLACES:
        return redacted(value, secret=True)
    if key == "args" and isinstance(value, list):
        return _redacted_arguments(value)
    if isinstance(value, str):
        if secret or _SECRET_KEY.search(key):
            return REDACTED
        if key in ("url", "baseUrl"):
            return _QUERY.sub("", value)
    return redacted(value, secret=secret)


def _redacted_arguments(words: list[Any]) -> list[Any]:
    """``--token=x`` and ``--token x`` without the ``x``."""
    kept: list[Any] = []
    follows = False
    for word in words:
        name, equals, _ = word.partition("=") if isinstance(word, str) else ("", "", "")
        secret = name.startswith("-") and _SECRET_KEY.search(name) is not None
        kept.append(REDACTED if follows else f"{name}={REDACTED}" if secret and equals else word)
        follows = secret and not equals
    return kept


class RecordingTransport:
    """A transport that records what goes through it; ``own`` says which end of it we are."""

    def __init__(self, inner: Transport, recorder: Recorder, own: Side) -> None:
        self._inner = inner
        self._recorder = recorder
        self._own: Side = own
        self._other: Side = AGENT if own == CLIENT else CLIENT

    def send(self, frame: Frame) -> None:
        """Send, and record what was taken."""
        self._inner.send(frame)
        self._recorder.sent(self._own, frame)

    async def receive(self) -> list[Frame]:
        """Receive, and record it."""
        frames = await self._inner.receive()
        for frame in frames:
            self._recorder.sent(self._other, frame)
        return frames

    async def drained(self) -> None:
        """As the transport does it."""
        await self._inner.drained()

    async def aclose(self) -> None:
        """As the transport does it."""
        await self._inner.aclose()


# --- reading --------------------------------------------------------------------------------------


class RecordingError(Exception):
    """A file that is no recording; the text is one sentence for the person."""


@dataclass(frozen=True, slots=True)
class Step:
    """One line: ``frame`` was sent by ``sender``, or the ``event`` happened with its ``facts``.

    ``at`` is in seconds since the recording began; steps never go back in time.
    """

    at: float
    sender: str = ""
    frame: Frame | None = None
    event: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Recording:
    """``started_at`` is in epoch seconds.

    ``broken`` has the numbers of the lines that could not be read, counted from 1; ``torn`` says
    that the last of them has no end, as when the writer was killed or is still at it.
    """

    started_at: float
    steps: tuple[Step, ...]
    broken: tuple[int, ...] = ()
    torn: bool = False

    @property
    def duration(self) -> float:
        """Seconds from the start to the last step."""
        return self.steps[-1].at if self.steps else 0.0

    def damage(self) -> str:
        """What could not be read, in one sentence; nothing for a whole recording."""
        if not self.broken:
            return "" if self.steps else "only the first line is there"
        *others, last = self.broken
        if self.torn and not others:
            return f"line {last} is cut off and was left out"
        shown = ", ".join(str(number) for number in self.broken[:_LINES_NAMED])
        more = (
            f" and {len(self.broken) - _LINES_NAMED:,} more" if others[_LINES_NAMED - 1 :] else ""
        )
        some = f"lines {shown}{more} are" if others else f"line {shown} is"
        return f"{some} broken and {'were' if others else 'was'} left out"


_LINES_NAMED = 5
_LONGEST = 366 * 86400.0
"""Seconds after which no step comes; a line that says so has a broken time, and comes at once."""
_LATEST = 253_370_764_800.0
"""The year 9999, in epoch seconds: dates end there."""
_HEAD_LIMIT = 1 << 16
"""Bytes of a first line; what has none, be it without end, is not read on."""


def read_recording(file: Path) -> Recording:
    """Read a whole recording; a line that was cut off or is broken is left out and named.

    Raises :class:`RecordingError`.
    """
    shown = repr(str(file))
    try:
        with file.open("rb") as opened:
            head = _row(opened.readline(_HEAD_LIMIT))
            lines = opened.read().split(b"\n") if head is not None else []
    except OSError as error:
        raise RecordingError(f"{shown} cannot be read: {error.strerror}") from None
    if head is None or head.get("canopy") != FORMAT:
        raise RecordingError(f"{shown} is not a recording of Canopy")
    if head.get("version") != VERSION:
        raise RecordingError(
            f"{shown} has version {head.get('version')!r}; this Canopy reads version {VERSION}"
        )
    steps, broken = _steps(lines)
    torn = bool(broken) and broken[-1] == len(lines) + 1
    return Recording(_number(head.get("at"), _LATEST), steps, broken, torn)


def is_recording(file: Path) -> bool:
    """Whether the file begins as a recording does. Raises ``OSError``."""
    with file.open("rb") as opened:
        head = _row(opened.readline(_HEAD_LIMIT))
    return head is not None and head.get("canopy") == FORMAT


def _steps(lines: list[bytes]) -> tuple[tuple[Step, ...], tuple[int, ...]]:
    """The steps of the lines below the first, and the numbers of those that are none."""
    steps: list[Step] = []
    broken: list[int] = []
    for number, line in enumerate(lines, 2):
        if not line.strip():
            continue
        row = _row(line)
        step = _step(row, steps[-1].at if steps else 0.0) if row is not None else None
        if step is None:
            broken.append(number)
        else:
            steps.append(step)
    return tuple(steps), tuple(broken)


def _row(line: bytes) -> dict[str, Any] | None:
    try:
        row = jsonio.loads_foreign(line)
    except ValueError:
        return None
    return row if isinstance(row, dict) else None


def _step(row: dict[str, Any], latest: float) -> Step | None:
    at = max(latest, _number(row.get("t"), _LONGEST))
    event = row.get("event")
    if isinstance(event, str):
        facts = {key: value for key, value in row.items() if key not in ("t", "event")}
        return Step(at, event=event, facts=facts)
    sender, message, malformed = row.get("from"), row.get("message"), row.get("malformed")
    if sender not in (CLIENT, AGENT):
        return None
    if isinstance(malformed, str):
        return Step(at, sender, Malformed(None, AcpError(PARSE_ERROR, malformed)))
    return Step(at, sender, message_of(message)) if isinstance(message, dict) else None


def _number(value: object, most: float) -> float:
    """``value`` as seconds; 0 for what is none, which no clock shows or no recording lasts."""
    return float(value) if isinstance(value, (int, float)) and 0 <= value <= most else 0.0
