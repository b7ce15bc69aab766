"""The keys of all screens that lie over the main one, as data.

What an action does is not known here.
"""

from __future__ import annotations

from canopy_tui.view.keyboard.key import Group, Key

_BY_NUMBER = "numbers follow the order of what is offered"

HISTORY = Group(
    "Search in what you sent",
    (
        Key("history-close", "escape,ctrl+c", "dismiss", "Back to the message"),
        Key("history-take", "enter", "take", "Take it into the message"),
        Key("history-up", "up", "move(-1)", "Line above"),
        Key("history-down", "down", "move(1)", "Line below"),
        Key("history-widen", "ctrl+r", "widen", "This directory, or everywhere"),
    ),
)

HELP = Group(
    "This page",
    (
        Key("help-close", "escape,q,ctrl+c", "dismiss", "Close"),
        Key("help-down", "down,j", "scroll(1)", "Line below"),
        Key("help-up", "up,k", "scroll(-1)", "Line above"),
        Key("help-page-down", "pagedown,space", "scroll_page(1)", "A page down"),
        Key("help-page-up", "pageup", "scroll_page(-1)", "A page up"),
        Key("help-first", "home", "scroll_page(-1000)", "First line"),
        Key("help-last", "end", "scroll_page(1000)", "Last line"),
    ),
)

PALETTE_LINE = Group("All commands", (Key("palette-run", "enter", "submit", "Run it"),))
PALETTE = Group(
    "All commands",
    (
        Key("palette-close", "escape", "escape", "Close"),
        Key("palette-up", "up", "command_list('cursor_up')", "Line above"),
        Key("palette-down", "down", "cursor_down", "Line below"),
        Key("palette-page-up", "pageup", "command_list('page_up')", "A page up"),
        Key("palette-page-down", "pagedown", "command_list('page_down')", "A page down"),
        Key("palette-first", "ctrl+home,shift+home", "command_list('first')", "First line"),
        Key("palette-last", "ctrl+end,shift+end", "command_list('last')", "Last line"),
    ),
)

PREVIEW = Group(
    "A preview: changes, output, a request",
    (
        Key("preview-up", "up,k", "scroll_up", "Line above"),
        Key("preview-down", "down,j", "scroll_down", "Line below"),
        Key("preview-page-up", "pageup", "page_up", "A page up"),
        Key("preview-page-down", "pagedown,space", "page_down", "A page down"),
        Key("preview-first", "home", "scroll_home", "First line"),
        Key("preview-last", "end", "scroll_end", "Last line"),
    ),
)

DETAIL = Group(
    "A tool call on its own screen",
    (
        Key("detail-close", "escape,q,ctrl+c,enter", "dismiss", "Close"),
        Key("detail-split", "d", "split", "Changes side by side, or below each other"),
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
    (Key("usage-again", "f5,r", "act('again')", "Usage: ask the agent anew", hint="ask anew"),),
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
        Key("permission-later", "escape,ctrl+c", "screen.later", "Later: it keeps waiting"),
        Key("permission-next", "tab,f4", "screen.turn_to(1)", "Next question"),
        Key("permission-previous", "shift+tab,shift+f4", "screen.turn_to(-1)", "Question before"),
        Key("permission-tell", "t", "tell", "Reject, and tell it why"),
        Key("permission-open", "o", "screen.open_asker", "Open the transcript of who asks"),
        Key("permission-copy", "c", "copy", "Copy the preview"),
        Key("permission-split", "d", "split", "Changes side by side, or below each other"),
        Key("permission-raw", "r", "raw", "Preview or raw request"),
    ),
)

REASON = Group(
    "Permission",
    (Key("permission-send-reason", "enter", "submit", "Why you reject: reject, and tell it"),),
)

ANSWERS = Group(
    "Permission",
    (
        Key("answer-once", "y", "", "Allow once"),
        Key("answer-always", "a", "", "Allow always"),
        Key("answer-reject", "n", "", "Reject"),
        Key("answer-never", "N", "", "Reject always"),
        Key("answer-alike", "A", "", "Twice: allow once all that ask for exactly the same"),
        Key("answer-other", "1-9", "", "The other answers, by number", fixed=_BY_NUMBER),
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
        Key("session-preview-up", "shift+up", "screen.preview(-1)", "Scroll the preview up"),
        Key("session-preview-down", "shift+down", "screen.preview(1)", "Scroll the preview down"),
    ),
)

FORM = Group(
    "Question",
    (
        Key("form-later", "escape,ctrl+c", "screen.later", "Later: the question keeps waiting"),
        Key("form-send", "ctrl+enter,alt+enter", "send", "Send the answer"),
        Key("form-next-field", "tab", "app.focus_next", "Next field"),
        Key("form-field-before", "shift+tab", "app.focus_previous", "Field before"),
        Key("form-next", "f4", "screen.turn_to(1)", "Next question"),
        Key("form-previous", "shift+f4", "screen.turn_to(-1)", "Question before"),
        Key("form-decline", "d", "decline", "Decline, when no text field has the focus"),
    ),
)

CHOICES = Group(
    "Question",
    (
        Key("form-pick", "space", "pick", "Pick; digits pick too"),
        Key("form-go-on", "enter", "pick_and_go_on", "Pick, and go to the next field"),
        Key("form-up", "up,k", "cursor_up", "Option above"),
        Key("form-down", "down,j", "cursor_down", "Option below"),
        Key("form-page-up", "pageup", "page_up", "A page up"),
        Key("form-page-down", "pagedown", "page_down", "A page down"),
        Key("form-first", "home", "first", "First option"),
        Key("form-last", "end", "last", "Last option"),
    ),
)

BUTTON = Group("Question", (Key("form-press", "enter", "press", "Press the button"),))
SWITCH = Group("Question", (Key("form-switch", "enter,space", "toggle_switch", "Switch on, off"),))
LINE = Group("Question", (Key("form-go-on", "enter", "submit", "Go to the next field"),))
"""The same key as that of choices, in a line of text."""

LINK = Group(
    "Question",
    (
        Key("link-later", "escape,ctrl+c", "screen.later", "Page: later, it keeps waiting"),
        Key("link-open", "o", "open_page", "Page: open it in the browser"),
        Key("link-copy", "c", "copy", "Page: copy the address"),
        Key("link-decline", "d", "decline", "Page: decline"),
        Key("link-next-button", "tab", "app.focus_next", "Page: next button"),
        Key("link-button-before", "shift+tab", "app.focus_previous", "Page: button before"),
        Key("link-next", "f4", "screen.turn_to(1)", "Page: next question"),
        Key("link-previous", "shift+f4", "screen.turn_to(-1)", "Page: question before"),
    ),
)

CONFIRM = Group(
    "Yes or no",
    (
        Key("confirm-yes", "y", "answer(True)", "Yes"),
        Key("confirm-no", "n,escape,ctrl+c", "answer(False)", "No"),
    ),
)

TRUST = Group(
    "Trust in a directory",
    (
        Key("trust-always", "y", "answer('always')", "Yes"),
        Key("trust-once", "o", "answer('once')", "Only this time"),
        Key("trust-no", "n,escape,ctrl+c,ctrl+q", "answer('refused')", "No"),
    ),
)

LOGIN = Group(
    "Log in",
    (
        Key("login-again", "r", "again", "Try again"),
        Key("login-close", "escape,ctrl+c", "dismiss", "Later"),
    ),
)

PROBLEM = Group(
    "What did not work",
    (
        Key("problem-sessions", "s,f2", "answer(True)", "Show the sessions"),
        Key("problem-close", "escape,enter,ctrl+c", "answer(False)", "Close"),
    ),
)

LEADS_LIST = Group(
    "Links of an entry",
    (
        Key("leads-open", "enter", "select", "Open it; digits too"),
        Key("leads-up", "up,k", "cursor_up", "Line above"),
        Key("leads-down", "down,j", "cursor_down", "Line below"),
        Key("leads-page-up", "pageup", "page_up", "A page up"),
        Key("leads-page-down", "pagedown", "page_down", "A page down"),
        Key("leads-first", "home", "first", "First line"),
        Key("leads-last", "end", "last", "Last line"),
    ),
)
LEADS = Group("Links of an entry", (Key("leads-close", "escape,q,ctrl+c", "pick(-1)", "Close"),))

PLAYBACK = Group(
    "Recording",
    (
        Key("playback-pause", "space", "toggle_playback", "Pause, go on; again"),
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
