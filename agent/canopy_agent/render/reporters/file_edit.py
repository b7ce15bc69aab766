"""Edit, Write and NotebookEdit: the change as a diff, first of the input, then of the file.

Diffs and patches themselves are made in ``diffs`` and ``patches``.
"""

from __future__ import annotations

from canopy_agent.domain.facts import ToolHookResponse, ToolReturned
from canopy_agent.render.diffs import Change, bare_diff, hunk_changes, hunk_patch, whole_change
from canopy_agent.render.patches import coming_patch, done_patch, written_text
from canopy_agent.render.reports import (
    Call,
    Json,
    Report,
    Reporter,
    Result,
    View,
    show_contents,
    show_nothing,
)
from canopy_agent.render.results import text_content
from canopy_agent.render.titles import text_field
from canopy_shared.content import Diff, Location, ToolCallContent
from canopy_shared.fences import fenced

WRITE_TEXT = frozenset({"content", "file_text", "file_content"})
EDIT_TEXT = frozenset({"old_string", "new_string"})
_OVERWRITES = "The file exists and will be replaced; what it holds could not be read."
_REPLACED = "The file was replaced; what it held before is not known."
_EVERYWHERE = "This replaces every place in the file that holds the old text"
_CELL_VERBS = {"insert": "Insert", "delete": "Delete"}


def file_path(tool_input: Json) -> str:
    """The path that a file tool's input names, empty while unknown."""
    return text_field(tool_input, "file_path", "path", "notebook_path")


def _places(path: str, view: View) -> tuple[Location, ...]:
    return (Location(view.absolute(path)),) if path else ()


def _write_report(call: Call, view: View) -> Report:
    content = () if view.exact_patches else _input_diff(call, view)
    return _report(call, view, "Write", "Preparing file…", content, WRITE_TEXT)


def _edit_report(call: Call, view: View) -> Report:
    content = () if view.profile.reports_work else _input_diff(call, view)
    return _report(call, view, "Edit", "Edit", content, EDIT_TEXT)


def _report(
    call: Call,
    view: View,
    verb: str,
    untitled: str,
    content: tuple[ToolCallContent, ...],
    texts: frozenset[str],
) -> Report:
    path = file_path(call.input)
    return Report(
        f"{verb} {view.shown(path)}" if path else untitled,
        "edit",
        _places(path, view),
        content,
        spare_input=texts if content else frozenset(),
    )


def _input_diff(call: Call, view: View) -> tuple[ToolCallContent, ...]:
    """What the input alone says of the change: a new file's text, or the replaced snippet."""
    path = file_path(call.input)
    if not path:
        return ()
    if call.name == "Write":
        text = written_text(call.input)
        return () if text is None else (Diff(view.absolute(path), text, None),)
    old, new = call.input.get("old_string"), call.input.get("new_string")
    if not isinstance(old, str) and not isinstance(new, str):
        return ()
    old, new = (text if isinstance(text, str) else "" for text in (old, new))
    return (Diff(view.absolute(path), new, old or None),)


def _result(call: Call, returned: ToolReturned, view: View) -> Result:
    """The hook brings the final diff; a replay has none, so what was recorded has to do."""
    if returned.replay and not returned.is_error:
        recorded = _recorded(call, returned.structured, view)
        if recorded is not None:
            return recorded
    if returned.replay and call.name == "Write" and view.exact_patches:
        return Result(_input_diff(call, view) or None)
    return Result()


def _recorded(call: Call, told: object, view: View) -> Result | None:
    """A change of long ago: as its result tells it, never as the file is now."""
    path = file_path(call.input)
    if not path or call.name not in ("Edit", "Write"):
        return None
    path = view.absolute(path)
    hunks = told.get("structuredPatch") if isinstance(told, dict) else None
    if view.profile.reports_work:
        change = hunk_patch(path, hunks)
        if change is not None:
            return Result(change.content)
        return Result((bare_diff(path, None, created=False),)) if call.name == "Edit" else None
    change = None if view.exact_patches else hunk_changes(path, hunks)
    return None if change is None else Result(change.content, change.locations)


def _finished(call: Call, response: ToolHookResponse, view: View) -> Change | None:
    """The change as PostToolUse tells it: an exact patch, hunks, or texts before and after."""
    told = response.response
    if not isinstance(told, dict):
        return None
    path = text_field(told, "filePath") or file_path(response.input)
    if not path:
        return None
    path = view.absolute(path)
    bare = view.profile.reports_work
    if view.exact_patches:
        patch = done_patch(call.name, path, told, view.read_file, bare=bare)
        if patch is not None:
            return patch
    hunks = told.get("structuredPatch")
    change = hunk_patch(path, hunks) if bare else hunk_changes(path, hunks)
    return change or _without_hunks(call, path, told)


def _without_hunks(call: Call, path: str, told: Json) -> Change | None:
    new, old = told.get("content"), told.get("originalFile")
    if call.name != "Write" or not isinstance(new, str):
        return None
    if told.get("type") == "create":
        return whole_change(path, None, new)
    if isinstance(old, str):
        return whole_change(path, old, new)
    return Change((text_content(_REPLACED),), (Location(path),))


def preview(call: Call, view: View) -> tuple[tuple[ToolCallContent, ...], bool]:
    """What a permission request shows of the change, and whether it is an exact patch.

    Only for clients that take patches: the others have the diff of the input. An Edit that cannot
    be exact shows nothing here, its snippet is on the card; a Write always shows something.
    """
    path = file_path(call.input)
    if not view.exact_patches or call.name not in ("Edit", "Write") or not path:
        return (), False
    path = view.absolute(path)
    bare = view.profile.reports_work
    patch = coming_patch(call.name, path, call.input, view.read_file, bare=bare)
    if patch is not None:
        return patch.content, True
    return (() if call.name == "Edit" else _plain_preview(call, path, view)), False


def _plain_preview(call: Call, path: str, view: View) -> tuple[ToolCallContent, ...]:
    new = written_text(call.input)
    if new is None:
        return ()
    try:
        raw = view.read_file(path)
        old = None if raw is None else raw.decode()
    except (OSError, ValueError):
        return (text_content(_OVERWRITES),)
    return whole_change(path, old, new).content


def asked(call: Call, view: View) -> tuple[ToolCallContent, ...]:
    """What a permission request says of the change where no patch does, if the card says less: a
    file that is there is no new one, and of a replacement everywhere one place shows little.
    """
    path = file_path(call.input)
    if not path:
        return ()
    if call.name == "Write":
        shown = _plain_preview(call, view.absolute(path), view)
        unread = not any(isinstance(one, Diff) for one in shown)
        return (*shown, *_input_diff(call, view)) if unread else shown
    if call.name != "Edit" or call.input.get("replace_all") is not True:
        return ()
    places = _places_of(call.input.get("old_string"), view.absolute(path), view)
    return (*_input_diff(call, view), text_content(_EVERYWHERE + places))


def _places_of(old: object, path: str, view: View) -> str:
    """How often a text stands in a file, as the end of a sentence."""
    try:
        raw = view.read_file(path)
        text = "" if raw is None else raw.decode().replace("\r\n", "\n")
    except (OSError, ValueError):
        return "."
    found = text.count(old) if isinstance(old, str) and old else 0
    return f": {found} places." if found > 1 else "."


# --- notebooks -----------------------------------------------------------------------------------


def _notebook_report(call: Call, view: View) -> Report:
    if not view.profile.air:
        return Report("NotebookEdit")
    path, cell = file_path(call.input), text_field(call.input, "cell_id")
    verb = _CELL_VERBS.get(text_field(call.input, "edit_mode"), "Edit")
    title = (
        f"{verb} cell{f' {cell}' if cell else ''} in {view.shown(path)}"
        if path
        else "Edit notebook"
    )
    source = text_field(call.input, "new_source")
    content = (text_content(fenced(source)),) if source and view.displays_input else ()
    return Report(title, "edit", _places(path, view), content)


def _notebook_result(call: Call, returned: ToolReturned, view: View) -> Result:
    kept = view.profile.air and text_field(call.input, "edit_mode") != "delete"
    return (show_nothing if kept else show_contents)(call, returned, view)


REPORTERS = {
    "Write": Reporter(_write_report, _result, finished=_finished),
    "Edit": Reporter(_edit_report, _result, finished=_finished),
    "NotebookEdit": Reporter(_notebook_report, _notebook_result),
}
