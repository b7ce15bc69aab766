"""Bash and PowerShell: the command is the title, its output a terminal or a console fence.

Command output itself is read in ``terminals``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from canopy_agent.capabilities import ClientProfile
from canopy_agent.domain.facts import ToolReturned
from canopy_agent.render import terminals
from canopy_agent.render.reports import Call, Report, Reporter, Result, View, show_failure
from canopy_agent.render.results import pictures, text_content
from canopy_agent.render.titles import text_field
from canopy_shared.content import TerminalRef, ToolCallContent
from canopy_shared.ext import terminal
from canopy_shared.fences import fenced


def _report(call: Call, view: View) -> Report:
    command = text_field(call.input, "command")
    description = text_field(call.input, "description", "command_description")
    content: tuple[ToolCallContent, ...] = ()
    if call.has_terminal:
        content = (TerminalRef(call.id),)
    elif description and view.displays_input:
        content = (text_content(description),)
    return Report(
        command or "Terminal",
        "execute",
        content=content,
        air={"commandTitle": description} if description else {},
        verbatim=bool(command),
    )


def _result(call: Call, returned: ToolReturned, view: View) -> Result:
    background = terminals.is_backgrounded(returned)
    marks: dict[str, Any] = {}
    if background and view.profile.follows_tasks:
        marks["asyncTasks"] = {"backgrounded": True}
    picture = pictures(returned.content) if terminals.is_picture(returned) else ()
    text = "" if picture else terminals.output_text(returned)
    if not call.has_terminal:
        content = picture or ((text_content(fenced(text, "console")),) if text.strip() else ())
        return Result(content or None, carried=bool(content), air=marks)
    return _in_terminal(call, returned, view, text, picture, marks)


def _failure(call: Call, returned: ToolReturned, view: View) -> Result:
    if not call.has_terminal:
        return show_failure(call, returned, view)
    return _in_terminal(call, returned, view, terminals.output_text(returned), (), {})


def _in_terminal(
    call: Call,
    returned: ToolReturned,
    view: View,
    text: str,
    picture: tuple[ToolCallContent, ...],
    marks: dict[str, Any],
) -> Result:
    """The terminal carries the output; it stays open for a background command (not for AIR)."""
    profile = view.profile
    stays = terminals.is_backgrounded(returned) and profile.keeps_terminals
    code = terminals.exit_code(returned, air=profile.air)
    return Result(
        picture or (TerminalRef(call.id),),
        carried=True,
        raw_output=False,
        first=_output(call, returned, text, profile),
        meta={} if stays else terminal.exited(call.id, code),
        air=marks,
        keeps_terminal=stays,
    )


def _output(
    call: Call, returned: ToolReturned, text: str, profile: ClientProfile
) -> Mapping[str, Any]:
    """What the terminal does not have yet. Of a command that goes on, its output follows."""
    if call.printed and (terminals.is_backgrounded(returned) or not text):
        return {}
    return terminals.output_meta(call.id, text, call.printed, profile)


SHELL = Reporter(_report, _result, _failure)
REPORTERS = {"Bash": SHELL, "PowerShell": SHELL}
