"""Output of shell commands: its text, its exit code, and how a terminal client gets it.

Shapes of ``BashOutput`` as in Claude Code 2.1.332; the ``_meta`` keys live in ``ext.terminal``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from canopy_agent.capabilities import ClientProfile
from canopy_agent.domain.facts import ToolReturned
from canopy_agent.render.bounds import bounded
from canopy_agent.render.results import error_text, file_size, text_of
from canopy_agent.render.titles import text_field, whole_number
from canopy_shared.ext import terminal

_EXIT_CODE = re.compile(r"\s*Exit code (\d+)\b")
_INTERRUPTED = "[interrupted]"


def is_backgrounded(returned: ToolReturned) -> bool:
    """Whether the command goes on after its result."""
    return returned.backgrounded or bool(_structured(returned).get("backgroundTaskId"))


def is_picture(returned: ToolReturned) -> bool:
    """Whether the output is an image and no text."""
    return _structured(returned).get("isImage") is True


def output_text(returned: ToolReturned) -> str:
    """What the command printed, bounded, with notes on an interruption and on kept output."""
    structured = _structured(returned)
    streams = [structured.get("stdout"), structured.get("stderr")]
    usable = any(isinstance(stream, str) for stream in streams) and not is_backgrounded(returned)
    if not usable:
        return bounded(_raw_text(returned))
    parts = [bounded(stream) for stream in streams if isinstance(stream, str) and stream]
    if structured.get("interrupted") is True:
        parts.append(_INTERRUPTED)
    kept = text_field(structured, "persistedOutputPath")
    if kept:
        size = whole_number(structured, "persistedOutputSize")
        amount = f" ({file_size(size)})" if size is not None else ""
        parts.append(f"[output shortened; all of it{amount} is in {kept}]")
    if not parts and returned.is_error:
        return bounded(_raw_text(returned))
    return "\n".join(parts)


def exit_code(returned: ToolReturned, *, air: bool) -> int | None:
    """The exit code, None when unknown. AIR clients always get a number."""
    structured = _structured(returned)
    interrupted = structured.get("interrupted") is True
    if air and (returned.is_error or interrupted):
        return 1
    code = whole_number(structured, "return_code")
    if code is None and returned.is_error:
        found = _EXIT_CODE.match(_raw_text(returned))
        code = int(found.group(1)) if found else None
    elif code is None and not interrupted and not structured.get("returnCodeInterpretation"):
        code = 0
    return 0 if air and code is None else code


def output_meta(call_id: str, text: str, printed: str, profile: ClientProfile) -> dict[str, Any]:
    """``_meta`` that brings the client's terminal from ``printed`` to ``text``; empty if it is
    there.
    """
    if text.startswith(printed):
        rest = text[len(printed) :]
        return terminal.output(call_id, rest, delta=profile.terminal == "delta") if rest else {}
    if text == printed.rstrip("\n"):
        return {}
    return terminal.output(call_id, text, delta=False)


def printed_meta(call_id: str, text: str, *, replaces: bool) -> dict[str, Any]:
    """``_meta`` with output of a command that runs; ``replaces`` what the terminal shows."""
    return terminal.output(call_id, text, delta=not replaces)


def closing_meta(call_id: str, profile: ClientProfile) -> dict[str, Any]:
    """``_meta`` that ends a terminal whose command gave no result."""
    return terminal.exited(call_id, 1 if profile.air else None)


def _structured(returned: ToolReturned) -> Mapping[str, Any]:
    return returned.structured if isinstance(returned.structured, Mapping) else {}


def _raw_text(returned: ToolReturned) -> str:
    return error_text(returned.content) if returned.is_error else text_of(returned.content)
