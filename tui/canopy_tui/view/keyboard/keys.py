"""Every key of the client as data: what it does, where it works, the id by which it is remapped.

Widgets build their bindings from these tables, help and palette list them; no key is spelled
anywhere else. What an action does is not known here.
"""

from __future__ import annotations

from collections.abc import Iterable

from canopy_tui.view.keyboard import dialog_keys as dialogs
from canopy_tui.view.keyboard.key import Group as Group
from canopy_tui.view.keyboard.key import Key as Key
from canopy_tui.view.keyboard.key_names import shown as shown

EVERYWHERE = Group(
    "Everywhere",
    (
        Key("help", "f1", "show_keys", "Keys and help", True),
        Key("palette", "ctrl+p", "command_palette", "All commands"),
        Key("tree", "ctrl+t", "toggle_tree", "To the agents, and back", True),
        Key("next-request", "f4", "next_request(1)", "Next question that waits", True, first=True),
        Key("previous-request", "shift+f4", "next_request(-1)", "Question before", first=True),
        Key("catch-up", "ctrl+l", "catch_up", "Next thing that is new", True),
        Key("find", "ctrl+f", "find", "Find; once more: in all agents", True),
        Key("find-next", "f3", "find_next(1)", "Next found", True),
        Key("find-previous", "shift+f3", "find_next(-1)", "Found before", True),
        Key("split", "ctrl+backslash,f12", "split", "Main agent and this one side by side", True),
        Key("follow", "f11,alt+f", "toggle_follow", "Follow the agent through files, or not", True),
        Key("root", "ctrl+g", "open_root", "Go to the main agent", True),
        Key("parent", "alt+up", "open_parent", "Go up to the parent", True),
        Key("first-child", "alt+down", "open_child", "Go down to the first child", True),
        Key("previous-sibling", "alt+left,f7", "open_sibling(-1)", "Agent before", True),
        Key("next-sibling", "alt+right,f8", "open_sibling(1)", "Agent after", True),
        Key("mode", "ctrl+o", "cycle_mode", "Next permission mode", True),
        Key("stop", "escape", "step_back", "Back; twice: stop the turn"),
        Key(
            "interrupt",
            "ctrl+c",
            "interrupt",
            "Copy, or stop, or stash, or quit",
        ),
        Key("stop-background", "f9", "stop_background", "Stop all work in the background", True),
        Key("options", "f10,alt+o", "show_options", "Options: mode, model, effort and more", True),
        Key("usage", "alt+u", "show_usage", "Usage: context, tokens, cost, limits", True),
        Key("servers", "alt+m", "show_servers", "MCP servers: state, reconnect, log in", True),
        Key("sessions", "f2", "show_sessions", "Sessions: go on with an old one", True),
        Key("restart", "f5", "restart_agent", "Start the agent again", True),
        Key(
            "suspend",
            "ctrl+z",
            "suspend_process",
            "Suspend: to the shell, until fg",
            True,
            first=True,
        ),
        Key("quit", "ctrl+q", "ask_quit", "Quit", True),
    ),
)

SLOTS = Group(
    "Everywhere",
    (
        Key("slot-0", "alt+0", "open_root", "Go to the main agent"),
        *(
            Key(f"slot-{number}", f"alt+{number}", f"open_slot({number})", f"Agent {number}")
            for number in range(1, 10)
        ),
    ),
)

_WITH_SHIFT = "ctrl+shift+minus"
"""How terminals with the protocol of kitty report what others send as Ctrl+_."""

COMPOSER = Group(
    "Message",
    (
        Key("send", "enter", "", "Send; in a turn: put in the queue"),
        Key("steer", "ctrl+n", "app.say_now", "Say it now, into the running turn", True),
        Key("newline", "ctrl+j,alt+enter,shift+enter", "", "New line; so is \\ and {send}"),
        Key("complete", "tab", "", "Take what is offered; unfold a paste"),
        Key("mode-here", "shift+tab", "app.cycle_mode", "Next permission mode"),
        Key("paste", "ctrl+v", "app.paste_clipboard", "Paste, a picture too", True),
        Key("editor", "f6", "app.edit_outside", "Write in your editor ($EDITOR)", True),
        Key("history-search", "ctrl+r", "app.search_history", "Search what you sent before", True),
        Key("history-older", "up", "cursor_up", "At the top: queue, then history"),
        Key("history-newer", "down", "cursor_down", "At the bottom: back again"),
        Key("undo", f"ctrl+underscore,ctrl+slash,{_WITH_SHIFT},super+z", "undo", "Undo", True),
        Key("redo", "ctrl+y,ctrl+shift+z,super+y", "redo", "Redo", True),
        Key("scroll-up", "pageup", "app.scroll_transcript('page_up')", "Scroll the transcript up"),
        Key("scroll-down", "pagedown", "app.scroll_transcript('page_down')", "… and down"),
        Key("scroll-home", "ctrl+home", "app.scroll_transcript('home')", "… to its start"),
        Key("scroll-end", "ctrl+end", "app.scroll_transcript('end')", "… to its end"),
    ),
)

EDITING = Group(
    "Fields to write in: caret and selection",
    (
        Key("edit-left", "left", "cursor_left", "Left"),
        Key("edit-right", "right", "cursor_right", "Right; take what the agent suggests"),
        Key("edit-word-left", "ctrl+left", "cursor_word_left", "A word to the left"),
        Key("edit-word-right", "ctrl+right", "cursor_word_right", "A word to the right"),
        Key("edit-line-start", "home,ctrl+a", "cursor_line_start", "To the start of the line"),
        Key("edit-line-end", "end,ctrl+e", "cursor_line_end", "To the end of the line"),
        Key("select-left", "shift+left", "cursor_left(True)", "Select to the left"),
        Key("select-right", "shift+right", "cursor_right(True)", "Select to the right"),
        Key("select-up", "shift+up", "cursor_up(True)", "Select a line up"),
        Key("select-down", "shift+down", "cursor_down(True)", "Select a line down"),
        Key("select-word-left", "ctrl+shift+left", "cursor_word_left(True)", "Select a word left"),
        Key("select-word-right", "ctrl+shift+right", "cursor_word_right(True)", "… and right"),
        Key("select-to-start", "shift+home", "cursor_line_start(True)", "Select to the start"),
        Key("select-to-end", "shift+end", "cursor_line_end(True)", "Select to the end"),
        Key("select-all", "ctrl+shift+a", "select_all", "Select everything"),
        Key("delete-left", "backspace", "delete_left", "Delete to the left"),
        Key("delete-right", "delete,ctrl+d", "delete_right", "Delete to the right"),
        Key(
            "delete-word-left",
            "ctrl+w,ctrl+backspace,alt+backspace",
            "delete_word_left",
            "Delete the word before",
        ),
        Key(
            "delete-word-right",
            "ctrl+delete,alt+delete",
            "delete_word_right",
            "Delete the word after",
        ),
        Key(
            "delete-to-start",
            "ctrl+u,super+backspace",
            "delete_to_start_of_line",
            "Delete to the start of the line",
        ),
        Key(
            "delete-to-end",
            "ctrl+k",
            "delete_to_end_of_line_or_delete_line",
            "Delete to the end of the line",
        ),
        Key("delete-line", "ctrl+shift+k", "delete_line", "Delete the line"),
        Key("cut", "ctrl+x,super+x", "cut", "Cut what is selected"),
        Key("copy", "super+c", "app.interrupt", "Copy what is selected"),
    ),
)

COMPLETION = Group(
    "List of files or commands, while you write",
    (
        Key("list-up", "up", "", "Line above"),
        Key("list-down", "down", "", "Line below"),
        Key("list-take", "tab", "", "Take it"),
        Key("list-take-or-send", "enter", "", "Take it; send what is whole already"),
        Key("list-close", "escape", "", "Close the list"),
    ),
)

FIND = Group(
    "Find",
    (
        Key("search-next", "enter,down", "step(1)", "Next found"),
        Key("search-previous", "shift+enter,up", "step(-1)", "Found before"),
        Key("search-everywhere", "tab", "scope", "In all agents, or in this one"),
        Key("search-close", "escape,ctrl+c", "leave", "Close"),
    ),
)

TRANSCRIPT = Group(
    "Transcript ({complete} goes there)",
    (
        Key("transcript.previous", "up,k", "cursor(-1)", "Previous entry"),
        Key("transcript.next", "down,j", "cursor(1)", "Next entry"),
        Key("transcript.page_up", "pageup", "page(-1)", "Page up"),
        Key("transcript.page_down", "pagedown", "page(1)", "Page down"),
        Key("transcript.home", "home", "start", "First line"),
        Key("transcript.end", "end", "end", "Follow the end"),
        Key("transcript.expand", "space", "expand", "Unfold the entry, or fold it", True, "unfold"),
        Key("transcript.open", "enter", "open", "Open the agent, or the tool call", True, "open"),
        Key("transcript.copy", "y", "copy", "Copy the text of the entry", True, "copy"),
        Key("transcript.copy_all", "Y", "copy_all", "Copy the whole transcript", True, "copy all"),
        Key("transcript.raw", "v", "raw", "Show the entry as it came", True),
        Key("transcript.lead", "o", "lead", "Open a link, file or picture of it", True),
        Key("transcript.prompt_up", "left_square_bracket", "prompt(-1)", "Prompt before", True),
        Key("transcript.prompt_down", "right_square_bracket", "prompt(1)", "Next prompt", True),
        Key("transcript.next_found", "n", "app.find_next(1)", "Next found"),
        Key("transcript.previous_found", "N", "app.find_next(-1)", "Found before"),
        Key("transcript.fold_all", "z", "fold_all", "Fold everything", True),
        Key("transcript.unfold_all", "Z", "unfold_all", "Unfold everything", True),
        Key("transcript.times", "T", "times", "Show times, or not", True),
        Key(
            "transcript.export", "e", "app.export('markdown')", "Export as Markdown", hint="export"
        ),
    ),
)

FOLLOWED = Group(
    "The file that is followed ({complete} goes there)",
    (
        Key("followed-up", "up,k", "move(-1)", "Line above"),
        Key("followed-down", "down,j", "move(1)", "Line below"),
        Key("followed-page-up", "pageup", "page(-1)", "Page up"),
        Key("followed-page-down", "pagedown", "page(1)", "Page down"),
        Key("followed-place", "home", "place", "Where the agent is", hint="the agent's place"),
    ),
)

TREE = Group(
    "Agents",
    (
        Key("tree-up", "up,k", "move(-1)", "Row above"),
        Key("tree-down", "down,j", "move(1)", "Row below"),
        Key("tree-first", "home", "move_to('first')", "First row"),
        Key("tree-last", "end", "move_to('last')", "Last row"),
        Key("tree-open", "enter", "open", "Open the transcript", hint="open"),
        Key("tree-fold", "left,h", "fold", "Fold, or go to the parent"),
        Key("tree-unfold", "right,l", "unfold", "Unfold"),
        Key("tree-slot", "g", "slot", "Then a digit: agent of that number"),
        Key("tree-stop", "x", "stop", "Stop this agent only", hint="stop it"),
        Key("tree-stop-all", "X", "app.stop_background", "Stop all work in the background"),
        Key("tree-background", "b", "app.focus_background", "To the background tasks", True),
        Key(
            "tree-filter",
            "f",
            "filter",
            "Show all, needs you, working, done, failed",
            True,
            hint="filter",
        ),
        Key(
            "tree-name",
            "slash",
            "app.name_agents",
            "Filter agents by name",
            True,
            hint="name",
        ),
        Key(
            "tree-ended",
            "e",
            "app.toggle_ended",
            "Hide agents that ended, or show them",
            True,
            hint="ended",
        ),
        Key("tree-narrower", "minus", "app.widen_tree(-2)", "Narrower tree; drag its border", True),
        Key("tree-wider", "plus", "app.widen_tree(2)", "Wider tree", True),
        Key("tree-seen", "s", "app.all_seen", "Take everything new as seen", True),
    ),
)

TREE_NAME = Group(
    "Name of an agent, while you write it ({tree-name} in the tree)",
    (
        Key("tree-name-up", "up", "move(-1)", "Row above"),
        Key("tree-name-down", "down", "move(1)", "Row below"),
        Key("tree-name-open", "enter", "take", "Open the transcript", hint="open"),
        Key("tree-name-drop", "escape,ctrl+c", "drop", "Show all agents again", hint="all"),
    ),
)

BACKGROUND = Group(
    "Background",
    (
        Key("tasks-up", "up,k", "move(-1)", "Row above; from the first to the agents"),
        Key("tasks-down", "down,j", "move(1)", "Row below"),
        Key("tasks-open", "enter", "open", "Show the output", hint="output"),
        Key("tasks-stop", "x", "stop", "Stop this task", hint="stop it"),
        Key("tasks-stop-all", "X", "app.stop_background", "Stop all work in the background"),
    ),
)
"""Only where a recording is played."""

HISTORY, HELP = dialogs.HISTORY, dialogs.HELP
PALETTE, PALETTE_LINE = dialogs.PALETTE, dialogs.PALETTE_LINE
PREVIEW, DETAIL, TASK, REVIEW = dialogs.PREVIEW, dialogs.DETAIL, dialogs.TASK, dialogs.REVIEW
CONTROLS, USAGE, SERVERS = dialogs.CONTROLS, dialogs.USAGE, dialogs.SERVERS
PERMISSION, REASON, ANSWERS = dialogs.PERMISSION, dialogs.REASON, dialogs.ANSWERS
SESSIONS, LOGIN, PROBLEM = dialogs.SESSIONS, dialogs.LOGIN, dialogs.PROBLEM
FORM, CHOICES, BUTTON, SWITCH = dialogs.FORM, dialogs.CHOICES, dialogs.BUTTON, dialogs.SWITCH
LINK, CONFIRM, TRUST = dialogs.LINK, dialogs.CONFIRM, dialogs.TRUST
LEADS, LEADS_LIST, LINE = dialogs.LEADS, dialogs.LEADS_LIST, dialogs.LINE
PLAYBACK, INSPECTION, TIMELINE = dialogs.PLAYBACK, dialogs.INSPECTION, dialogs.TIMELINE

MAIN = (EVERYWHERE, SLOTS)
ON_MAIN = (
    *(COMPOSER, EDITING, COMPLETION, TRANSCRIPT, FOLLOWED, FIND, TREE, TREE_NAME, BACKGROUND),
)
GROUPS = (
    *MAIN,
    COMPOSER,
    COMPLETION,
    HISTORY,
    FIND,
    TRANSCRIPT,
    FOLLOWED,
    TREE,
    TREE_NAME,
    BACKGROUND,
    SESSIONS,
    PERMISSION,
    REASON,
    ANSWERS,
    FORM,
    CHOICES,
    SWITCH,
    BUTTON,
    LINK,
    CONFIRM,
    TRUST,
    LOGIN,
    PROBLEM,
    DETAIL,
    PREVIEW,
    TASK,
    REVIEW,
    LEADS_LIST,
    LEADS,
    CONTROLS,
    USAGE,
    SERVERS,
    PALETTE_LINE,
    PALETTE,
    HELP,
    EDITING,
)
"""What the page with all keys lists, in this order."""
READ_ONLY = (
    *MAIN,
    TRANSCRIPT,
    FIND,
    TREE,
    TREE_NAME,
    DETAIL,
    LEADS_LIST,
    LEADS,
    CONFIRM,
    PALETTE_LINE,
    PALETTE,
    HELP,
    EDITING,
)
"""The same where nothing can be written."""
ALL = (*GROUPS, PLAYBACK, INSPECTION, TIMELINE)


def commands(groups: Iterable[Group] = GROUPS) -> list[tuple[Group, Key]]:
    """The keys that are commands of the palette too, with where they work."""
    return [(group, key) for group in groups for key in group.keys if key.palette]
