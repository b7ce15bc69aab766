"""Every key of the client as data: what it does, where it works, the id by which it is remapped.

Widgets build their bindings from these tables, help and palette list them; no key is spelled
anywhere else. What an action does is not known here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from textual.binding import Binding, BindingType

from canopy_tui.view.key_names import shown as shown


@dataclass(frozen=True, slots=True)
class Key:
    """``keys`` in Textual's spelling, separated by commas. ``palette``: it is also a command."""

    id: str
    keys: str
    action: str
    label: str
    palette: bool = False
    hint: str = ""
    """A word or two for a line of keys; empty for keys that are not listed there."""
    first: bool = False
    """It comes before whatever has the focus, also on screens that lie over the main one."""


@dataclass(frozen=True, slots=True)
class Group:
    """Keys that work in the same place."""

    title: str
    keys: tuple[Key, ...]

    def bindings(self) -> list[BindingType]:
        """Bindings for the ``BINDINGS`` of a widget, screen or app."""
        return [
            Binding(key.keys, key.action, key.label, show=False, id=key.id, priority=key.first)
            for key in self.keys
            if key.action
        ]


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
        Key("newline", "ctrl+j,alt+enter,shift+enter", "", "New line; so is \\ and Enter"),
        Key("complete", "tab", "", "Take what is offered; unfold a paste"),
        Key("paste", "ctrl+v", "app.paste_clipboard", "Paste, a picture too", True),
        Key("editor", "f6", "app.edit_outside", "Write in your editor ($EDITOR)", True),
        Key("history-search", "ctrl+r", "app.search_history", "Search what you sent before", True),
        Key("history-older", "up", "", "At the top: queue, then history"),
        Key("history-newer", "down", "", "At the bottom: back again"),
        Key("undo", f"ctrl+underscore,ctrl+slash,{_WITH_SHIFT},super+z", "app.undo", "Undo", True),
        Key("redo", "ctrl+y,ctrl+shift+z,super+y", "app.redo", "Redo", True),
        Key("scroll-up", "pageup", "app.scroll_transcript('page_up')", "Scroll the transcript up"),
        Key("scroll-down", "pagedown", "app.scroll_transcript('page_down')", "… and down"),
        Key("scroll-home", "ctrl+home", "app.scroll_transcript('home')", "… to its start"),
        Key("scroll-end", "ctrl+end", "app.scroll_transcript('end')", "… to its end"),
    ),
)

HISTORY = Group(
    "Search in what you sent",
    (
        Key("history-close", "escape", "dismiss", "Back to the message"),
        Key("history-take", "enter", "", "Take it into the message"),
        Key("history-up", "up", "move(-1)", "Line above"),
        Key("history-down", "down", "move(1)", "Line below"),
        Key("history-widen", "ctrl+r", "widen", "This directory, or everywhere"),
    ),
)

TRANSCRIPT = Group(
    "Transcript (Tab goes there)",
    (
        Key("transcript.previous", "up,k", "cursor(-1)", "Previous entry"),
        Key("transcript.next", "down,j", "cursor(1)", "Next entry"),
        Key("transcript.page_up", "pageup", "page(-1)", "Page up"),
        Key("transcript.page_down", "pagedown", "page(1)", "Page down"),
        Key("transcript.home", "home", "start", "First line"),
        Key("transcript.end", "end", "end", "Follow the end"),
        Key("transcript.expand", "space", "expand", "Unfold, or fold", hint="unfold"),
        Key("transcript.open", "enter", "open", "Open the agent, or the tool call", hint="open"),
        Key("transcript.copy", "y", "copy", "Copy the text of the entry", hint="copy"),
        Key("transcript.copy_all", "Y", "copy_all", "Copy the whole transcript", hint="copy all"),
        Key("transcript.raw", "v", "raw", "Show it as it came"),
        Key("transcript.lead", "o", "lead", "Open a link, file or picture of it"),
        Key("transcript.prompt_up", "left_square_bracket", "prompt(-1)", "Prompt before"),
        Key("transcript.prompt_down", "right_square_bracket", "prompt(1)", "Next prompt"),
        Key("transcript.next_found", "n", "app.find_next(1)", "Next found"),
        Key("transcript.previous_found", "N", "app.find_next(-1)", "Found before"),
        Key("transcript.fold_all", "z", "fold_all", "Fold everything"),
        Key("transcript.unfold_all", "Z", "unfold_all", "Unfold everything"),
        Key("transcript.times", "T", "times", "Show times, or not"),
        Key(
            "transcript.export", "e", "app.export('markdown')", "Export as Markdown", hint="export"
        ),
    ),
)

FOLLOWED = Group(
    "The file that is followed (Tab goes there)",
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
        Key("tree-slot", "g", "slot", "g then a digit: agent of that number"),
        Key("tree-stop", "x", "stop", "Stop this agent only", hint="stop it"),
        Key("tree-stop-all", "X", "app.stop_background", "Stop all work in the background"),
        Key("tree-background", "b", "app.focus_background", "To the background tasks"),
        Key("tree-filter", "f", "filter", "Show all, needs you, working, done", hint="filter"),
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

TASK = Group(
    "Output of a task",
    (
        Key("task-stop", "x", "stop", "stop it"),
        Key("task-copy", "c", "copy", "copy"),
        Key("task-close", "escape,q,ctrl+c", "dismiss", "close"),
    ),
)

REVIEW = Group(
    "Changed files",
    (
        Key("review-next", "tab,n", "step(1)", "next file"),
        Key("review-previous", "shift+tab,p", "step(-1)", "file before"),
        Key("review-copy", "c", "copy", "copy the path"),
        Key("review-close", "escape,q,ctrl+c", "dismiss", "close"),
    ),
)

CONTROLS = Group(
    "Options, usage, MCP servers",
    (
        Key("controls-choose", "enter,space", "choose", "Change it, take it"),
        Key("controls-page", "tab,right,l", "turn(1)", "Next page", hint="page"),
        Key("controls-page-before", "shift+tab,left,h", "turn(-1)", "Page before"),
        Key("controls-up", "up,k", "move(-1)", "Line above"),
        Key("controls-down", "down,j", "move(1)", "Line below"),
        Key("controls-page-up", "pageup", "page(-1)", "A page up"),
        Key("controls-page-down", "pagedown", "page(1)", "A page down"),
        Key("controls-first", "home", "move(-1000000)", "First line"),
        Key("controls-last", "end", "move(1000000)", "Last line"),
        Key("controls-close", "escape,q,f10,ctrl+c", "back", "Fold, or close", hint="close"),
    ),
)

USAGE = Group(
    "Options, usage, MCP servers",
    (Key("usage-again", "r,f5", "act('again')", "Usage: ask the agent anew", hint="ask anew"),),
)

SERVERS = Group(
    "Options, usage, MCP servers",
    (
        Key("server-reconnect", "r", "act('reconnect')", "Server: reconnect", hint="reconnect"),
        Key("server-switch", "e", "act('switch')", "Server: enable, disable", hint="on / off"),
        Key("server-login", "o", "act('signIn')", "Server: log in", hint="log in"),
        Key("servers-again", "f5", "act('again')", "Servers: ask the agent anew", hint="ask anew"),
    ),
)

PERMISSION = Group(
    "Permission",
    (
        Key("permission-later", "escape", "screen.later", "Later: the question keeps waiting"),
        Key("permission-next", "tab,f4", "screen.turn_to(1)", "Next question"),
        Key("permission-previous", "shift+tab,shift+f4", "screen.turn_to(-1)", "Question before"),
        Key("permission-tell", "t", "tell", "Reject, and tell it why"),
        Key("permission-open", "o", "screen.open_asker", "Open the transcript of who asks"),
        Key("permission-copy", "c", "copy", "Copy the preview"),
        Key("permission-split", "d", "split", "Changes side by side, or below each other"),
        Key("permission-raw", "r", "raw", "Preview or raw request"),
    ),
)

ANSWERS = Group(
    "Permission",
    (
        Key("answer-once", "y", "", "Allow once"),
        Key("answer-always", "a", "", "Allow always"),
        Key("answer-reject", "n", "", "Reject"),
        Key("answer-never", "N", "", "Reject always"),
        Key("answer-alike", "A", "", "Twice: allow once all that ask for exactly the same"),
        Key("answer-other", "1-9", "", "The other answers, by their number"),
    ),
)

SESSIONS = Group(
    "Sessions",
    (
        Key("session-open", "enter", "screen.pick", "Open the session", hint="open"),
        Key("session-back", "escape,f2,ctrl+c", "screen.back", "Back", hint="back"),
        Key(
            "session-everywhere",
            "ctrl+a",
            "screen.everywhere",
            "All directories, or one",
            hint="directories",
        ),
        Key("session-new", "ctrl+n", "screen.new", "A new session", hint="new"),
        Key("session-fork", "ctrl+f", "screen.fork", "Open a copy", hint="copy"),
        Key("session-rename", "ctrl+r", "screen.rename", "Another title", hint="title"),
        Key(
            "session-archive", "ctrl+e", "screen.archive", "Archive, or bring back", hint="archive"
        ),
        Key("session-delete", "ctrl+d,delete", "screen.delete", "Delete for good", hint="delete"),
        Key(
            "session-archived",
            "ctrl+t",
            "screen.archived",
            "Archived ones too, or not",
            hint="archived too",
        ),
        Key("session-again", "f5", "screen.again", "Ask anew"),
        Key("session-up", "up,ctrl+p", "screen.move(-1)", "Session above"),
        Key("session-down", "down", "screen.move(1)", "Session below"),
        Key("session-page-up", "pageup", "screen.page(-1)", "A page up"),
        Key("session-page-down", "pagedown", "screen.page(1)", "A page down"),
        Key("session-first", "ctrl+home", "screen.move(-1000000)", "First session"),
        Key("session-last", "ctrl+end", "screen.move(1000000)", "Last session"),
    ),
)

FORM = Group(
    "Question",
    (
        Key("form-later", "escape", "screen.later", "Later: the question keeps waiting"),
        Key("form-send", "ctrl+enter,alt+enter", "send", "Send the answer"),
        Key("form-next-field", "tab", "", "Next field"),
        Key("form-pick", "space", "", "Pick; digits pick too"),
        Key("form-next", "f4", "screen.turn_to(1)", "Next question"),
        Key("form-previous", "shift+f4", "screen.turn_to(-1)", "Question before"),
        Key("form-decline", "d", "decline", "Decline, when no text field has the focus"),
    ),
)

LINK = Group(
    "Question",
    (
        Key("link-later", "escape", "screen.later", "Later: the question keeps waiting"),
        Key("link-open", "o", "open_page", "Open the page in the browser"),
        Key("link-copy", "c", "copy", "Copy the address"),
        Key("link-decline", "d", "decline", "Decline"),
        Key("link-next", "f4", "screen.turn_to(1)", "Next question"),
        Key("link-previous", "shift+f4", "screen.turn_to(-1)", "Question before"),
    ),
)

PLAYBACK = Group(
    "Recording",
    (
        Key("playback-pause", "space", "toggle_playback", "Pause, and go on"),
        Key("playback-step", "full_stop", "step_playback", "Step to what changed next"),
        Key("playback-faster", "greater_than_sign", "change_speed(1)", "Faster"),
        Key("playback-slower", "less_than_sign", "change_speed(-1)", "Slower"),
        Key("playback-end", "dollar_sign", "end_playback", "To the end at once"),
    ),
)
"""Only where a recording is played."""
INSPECTION = Group(
    "Past session", (Key("timeline", "t", "show_timeline", "Who worked when", True),)
)
"""Only where a stored session is inspected."""
TIMELINE = Group(
    "Timeline",
    (
        Key("timeline-up", "up,k", "move(-1)", "Agent above"),
        Key("timeline-down", "down,j", "move(1)", "Agent below"),
        Key("timeline-open", "enter", "open", "Open the transcript"),
        Key("timeline-close", "escape,q,t,ctrl+c", "close", "Close"),
    ),
)

GROUPS = (
    EVERYWHERE,
    SLOTS,
    COMPOSER,
    HISTORY,
    TRANSCRIPT,
    FOLLOWED,
    TREE,
    SESSIONS,
    BACKGROUND,
    TASK,
    REVIEW,
    CONTROLS,
    USAGE,
    SERVERS,
    PERMISSION,
    ANSWERS,
    FORM,
    LINK,
)


def commands(groups: Iterable[Group] = GROUPS) -> list[Key]:
    """The keys that are commands of the palette too."""
    return [key for group in groups for key in group.keys if key.palette]
