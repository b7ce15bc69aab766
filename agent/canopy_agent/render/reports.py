"""What a reporter says of a tool call, before it is known which fields the client already has.

Plain values only: who the client is and what was sent last is the business of ``toolcalls``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from canopy_agent.capabilities import ClientProfile
from canopy_agent.domain.facts import ToolHookResponse, ToolReturned
from canopy_agent.render.diffs import Change
from canopy_agent.render.patches import ReadFile, no_files
from canopy_agent.render.results import contents, error_contents
from canopy_agent.render.titles import shown_path
from canopy_shared.content import Location, ToolCallContent
from canopy_shared.ext import air
from canopy_shared.updates import Update

Json = Mapping[str, Any]
NOTHING: Json = {}


@dataclass(frozen=True, slots=True)
class View:
    """What a reporter may know besides the call: the client, the working directory, files."""

    profile: ClientProfile
    cwd: str
    read_file: ReadFile = no_files

    @property
    def displays_input(self) -> bool:
        """Whether the content shows a readable copy of the input (prompt, question, plan)."""
        return not (self.profile.air and self.profile.air_has(air.RAW_INPUT_RENDERING))

    @property
    def exact_patches(self) -> bool:
        """Whether the client takes git patches."""
        return self.profile.takes_patches

    def absolute(self, path: str) -> str:
        """``path`` as the client can open it."""
        rooted = path.startswith(("/", "\\\\", "~")) or path[1:2] == ":"
        return path if rooted else f"{self.cwd.rstrip('/')}/{path}"

    def shown(self, path: str) -> str:
        """``path`` as a title says it."""
        return shown_path(path, self.cwd)


class Call(Protocol):
    """The call a reporter speaks of. ``input`` holds the complete fields known so far."""

    @property
    def id(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def input(self) -> Json: ...
    @property
    def has_terminal(self) -> bool: ...
    @property
    def printed(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Report:
    """A call by its input. ``locations`` is None for tools that name no file.

    ``air`` are keys of ``_meta.jetbrains.air``; ``spare_input`` names input fields that the content
    shows already, which AIR clients do not get twice. ``verbatim`` keeps the title's line breaks
    (commands).
    """

    title: str
    kind: str = "other"
    locations: tuple[Location, ...] | None = None
    content: tuple[ToolCallContent, ...] = ()
    air: Json = field(default_factory=lambda: NOTHING)
    spare_input: frozenset[str] = frozenset()
    mcp: bool = False
    verbatim: bool = False


@dataclass(frozen=True, slots=True)
class Result:
    """A call's end. ``content`` None leaves what the call shows, and ``locations`` None its places.

    ``carried``: another field tells the result, so AIR clients get no ``rawOutput``. ``raw_output``
    false means that no client gets it; ``output`` stands for the raw content where that is not fit
    to be sent. ``first`` is ``_meta`` of an update sent before the final one, ``meta`` and ``air``
    go on the final one, ``after`` follows it.
    """

    content: tuple[ToolCallContent, ...] | None = None
    locations: tuple[Location, ...] | None = None
    title: str | None = None
    raw_input: Json | None = None
    carried: bool = False
    raw_output: bool = True
    output: Any = None
    first: Json = field(default_factory=lambda: NOTHING)
    meta: Json = field(default_factory=lambda: NOTHING)
    air: Json = field(default_factory=lambda: NOTHING)
    after: tuple[Update, ...] = ()
    keeps_terminal: bool = False


def shown(content: tuple[ToolCallContent, ...]) -> Result:
    """A result whose content replaces what the call shows, unless it is empty."""
    return Result(content or None, carried=bool(content))


def show_contents(call: Call, returned: ToolReturned, view: View) -> Result:
    """The usual result: its blocks as they are."""
    return shown(contents(returned.content))


def show_failure(call: Call, returned: ToolReturned, view: View) -> Result:
    """The usual failure: its text in a fence."""
    return shown(error_contents(returned.content))


def show_nothing(call: Call, returned: ToolReturned, view: View) -> Result:
    """A result that says nothing beyond the status."""
    return Result()


def no_change(call: Call, response: ToolHookResponse, view: View) -> Change | None:
    """The usual PostToolUse: nothing that the content should show."""
    return None


@dataclass(frozen=True, slots=True)
class Reporter:
    """How one tool is told: by its input, its result, its failure, its PostToolUse response."""

    report: Callable[[Call, View], Report]
    result: Callable[[Call, ToolReturned, View], Result] = show_contents
    failure: Callable[[Call, ToolReturned, View], Result] = show_failure
    finished: Callable[[Call, ToolHookResponse, View], Change | None] = no_change
