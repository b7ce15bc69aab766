"""The page of a session's MCP servers: how each stands, its tools, and what can be done with it.

It sends nothing; foreign names and errors are plain text.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from rich.cells import set_cell_size
from textual.content import Content

from canopy_shared.ext import canopy_controls as own
from canopy_tui.model.glyphs import ASCII
from canopy_tui.model.intents import AskServers, SendPrompt
from canopy_tui.model.sanitize import clipped
from canopy_tui.view.controls.control_list import EMPTY, Item
from canopy_tui.view.drawing.strips import fitted
from canopy_tui.view.keyboard.keys import SERVERS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from canopy_shared.ext.canopy_controls import McpServer
    from canopy_tui.model.intents import Intent
    from canopy_tui.model.state import ClientState, SessionView
    from canopy_tui.view.keyboard.keys import Key

_COMMAND = "mcp"
_NAME = 28
_STATES = {
    own.CONNECTED: ("connected", "✓", "+", "$success"),
    own.PENDING: ("connecting", "▶", ">", "$primary"),
    own.NEEDS_AUTH: ("needs a login", "!", "!", "bold $warning"),
    own.FAILED: ("failed", "✗", "x", "bold $error"),
    own.DISABLED: ("disabled", "⊘", "/", "$text-muted"),
}
"""Word, glyph, glyph in ASCII, style."""
_DOES = {
    own.RECONNECT: "reconnecting",
    own.ENABLE: "enabling",
    own.DISABLE: "disabling",
    own.SIGN_IN: "beginning the login",
}
_FAILED_TO = {
    own.RECONNECT: "reconnected",
    own.ENABLE: "enabled",
    own.DISABLE: "disabled",
    own.SIGN_IN: "logged in to",
}


class ServersPage:
    """Of the session ``root``. One server at a time is unfolded."""

    title = "MCP servers"

    def __init__(self, state: ClientState, root: str, glyphs: str, *, read_only: bool) -> None:
        self._state = state
        self._root = root
        self._ascii = glyphs == ASCII
        self._read_only = read_only
        self._unfolded = ""
        self._tried: dict[str, str] = {}

    @property
    def _view(self) -> SessionView | None:
        return self._state.sessions.get(self._root)

    @property
    def _asks(self) -> bool:
        return self._state.link.tells_controls and not self._read_only

    @property
    def hints(self) -> tuple[Key, ...]:
        """The keys that do something now."""
        if not self._asks:
            return ()
        return SERVERS.keys if self._servers else SERVERS.keys[-1:]

    @property
    def choice(self) -> str:
        """What Enter does."""
        return "tools" if self._servers else "send" if self._offers_command else ""

    @property
    def _servers(self) -> Sequence[McpServer]:
        view = self._view
        return (view.controls.servers if view is not None and self._asks else None) or ()

    @property
    def _offers_command(self) -> bool:
        """Whether the agent, which tells nothing by itself, has a command that does."""
        view = self._view
        return (
            view is not None
            and not (self._asks or self._read_only)
            and any(command.name == _COMMAND for command in view.commands)
        )

    # --- lines --------------------------------------------------------------------------------

    def items(self, width: int) -> Sequence[Item]:
        """One line for each server, with its error or what it is doing."""
        view = self._view
        if view is None:
            return [Item(_quiet("The session is closed."))]
        controls = view.controls
        if not self._asks:
            return self._not_told()
        items: list[Item] = []
        if controls.servers_error:
            words = clipped(controls.servers_error, 300)
            items += [Item(Content.styled("! not told now", "bold $error"), (_quiet(words),))]
            items.append(Item(EMPTY))
        if controls.servers is None:
            return items or [Item(_quiet("asking the agent …"))]
        if not controls.servers:
            return [*items, *_how_to_add()]
        items.append(Item(self._summary(controls.servers)))
        for server in controls.servers:
            items += [Item(EMPTY), self._server(view, server)]
        return items

    def _not_told(self) -> list[Item]:
        if self._read_only:
            return [Item(_quiet("MCP servers of the past are not known."))]
        items = [Item(_quiet("This agent tells nothing of its MCP servers."))]
        if self._offers_command:
            words = "Send /mcp: the agent answers in the transcript"
            items += [Item(EMPTY), Item(Content.styled(words, "$primary"), key=f"/{_COMMAND}")]
        return items

    def _summary(self, servers: Sequence[McpServer]) -> Content:
        counts = Counter(server.status for server in servers)
        words = [f"{count} {self._state_of(status)[0]}" for status, count in counts.items()]
        return _quiet(", ".join(words))

    def _state_of(self, status: str) -> tuple[str, str, str]:
        word, glyph, plain, style = _STATES.get(
            status, (clipped(status, 30) or "unknown", "?", "?", "")
        )
        return word, plain if self._ascii else glyph, style

    def _server(self, view: SessionView, server: McpServer) -> Item:
        word, glyph, style = self._state_of(server.status)
        name = set_cell_size(fitted(clipped(server.name, 80), _NAME), _NAME)
        head = Content.assemble((glyph, style), " ", (name, "bold"), "  ", (word, style))
        if server.tools is not None and server.status == own.CONNECTED:
            count = len(server.tools)
            head = Content.assemble(head, f" · {count} tool{'' if count == 1 else 's'}")
        if server.place:
            head = Content.assemble(head, (f" · {clipped(server.place, 30)}", "$text-muted"))
        doing = view.controls.at_work.get(server.name)
        if doing is not None:
            head = Content.assemble(head, (f"  {_DOES.get(doing, doing)} …", "$warning"))
        return Item(head, tuple(self._more(view, server)), server.name, indent=2)

    def _more(self, view: SessionView, server: McpServer) -> list[Content]:
        more = []
        if server.error and server.status != own.CONNECTED:
            more.append(Content.styled(clipped(server.error, 300), "$error"))
        problem = view.controls.problems.get(server.name)
        if problem:
            what = _FAILED_TO.get(self._tried.get(server.name, ""), "changed")
            words = f"! not {what}: {clipped(problem, 300)}"
            more.append(Content.styled(words, "bold $error"))
        if server.status == own.NEEDS_AUTH:
            more.append(_quiet("o begins the login: its page is shown before it is opened"))
        if server.name == self._unfolded:
            tools = server.tools
            names = "its tools are not known" if tools is None else ", ".join(tools) or "no tools"
            more.append(Content(clipped(names, 4000)))
        return more

    # --- what the person does -----------------------------------------------------------------

    def chosen(self, key: str) -> tuple[Intent | None, str]:
        """Show the tools of a server, or hide them."""
        if key == f"/{_COMMAND}":
            return SendPrompt(self._root, key), ""
        self._unfolded = "" if key == self._unfolded else key
        return None, ""

    def acted(self, action: str, key: str) -> Intent | None:
        """Do something with the server ``key``; what has no use in its state does nothing."""
        if not self._asks:
            return None
        if action == "again":
            return AskServers(self._root)
        server = self._find(key)
        if server is None:
            return None
        if action == "switch":
            action = own.ENABLE if server.status == own.DISABLED else own.DISABLE
        elif action == own.RECONNECT and server.status == own.DISABLED:
            action = own.ENABLE
        self._tried[server.name] = action
        return AskServers(self._root, action, server.name)

    def _find(self, name: str) -> McpServer | None:
        return next((server for server in self._servers if server.name == name), None)

    def back(self) -> str | None:
        """Fold what is unfolded."""
        folded, self._unfolded = self._unfolded, ""
        return folded or None

    def opened(self) -> Intent | None:
        """Ask the agent, if it answers that."""
        return AskServers(self._root) if self._asks else None

    def tick(self) -> Intent | None:
        """Servers that are on their way somewhere are looked at again."""
        moving = (own.PENDING, own.NEEDS_AUTH)
        return self.opened() if any(one.status in moving for one in self._servers) else None


def _how_to_add() -> list[Item]:
    """No server is there: the two ways to get one."""

    def way(words: str, *more: str) -> Item:
        return Item(Content.styled(words, "bold"), tuple(_quiet(line) for line in more), indent=2)

    return [
        Item(_quiet("No MCP server is set up for this session.")),
        Item(EMPTY),
        way("canopy --cli mcp add NAME -- COMMAND", "in a shell: for you, in this directory"),
        Item(EMPTY),
        way(".mcp.json", "in the project: for everybody who works on it"),
        Item(EMPTY),
        Item(_quiet("A new session has what was added.")),
    ]


def _quiet(words: str) -> Content:
    return Content.styled(words, "$text-muted")
