"""Updates of ACP v2 as those of version 1, for a client whose model keeps one vocabulary.

It remembers what an upsert has to be compared with: which calls, messages and items of background
work are known. What an update means is decided in ``model``.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from canopy_shared import updates as u
from canopy_shared import work_updates as w
from canopy_shared.codec import decode_content, decode_update
from canopy_shared.content import TerminalRef, TextContent
from canopy_shared.ext import terminal
from canopy_shared.unset import UNSET
from canopy_tui.v2 import shapes
from canopy_tui.v2.streams import Messages, grown

Json = Mapping[str, Any]

_STATUSES = {"cancelled": "failed", "paused": "in_progress"}
_CHUNKS: dict[type, Any] = {
    w.UserMessage: u.UserMessageChunk,
    w.AgentMessage: u.AgentMessageChunk,
    w.AgentThought: u.AgentThoughtChunk,
}
_CYCLE = "foreground-work-"


@dataclass(slots=True)
class Known:
    """What was told of one session."""

    calls: dict[str, str] = field(default_factory=dict)
    """Tool calls and what they are called."""
    contents: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    """Contents of each call, to which more is streamed."""
    between: Messages = field(default_factory=Messages)
    terminals: dict[str, str] = field(default_factory=dict)
    """Terminals and the calls that show them."""
    waiting: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    """What terminals printed of which no call is known yet."""
    texts: dict[tuple[str, str], str] = field(default_factory=dict)
    """The text of each message so far, by kind and id."""
    background: dict[str, Json] = field(default_factory=dict)
    """What goes on in the background, by the id of its task here."""
    cycles: int = 0
    cycle: str | None = None
    """The task that stands for work that no prompt of ours asked for."""


class Translator:
    """Updates of one connection. ``told`` gives those of one session for one of version 2; states
    of a root are told by :meth:`state`.
    """

    def __init__(self) -> None:
        self._sessions: dict[str, Known] = {}

    def known(self, session: str) -> Known:
        """What was told of a session."""
        return self._sessions.setdefault(session, Known())

    def forget(self, session: str) -> None:
        """The session is opened again: its history tells everything anew."""
        self._sessions.pop(session, None)

    def told(self, session: str, update: Any) -> list[u.Update]:
        """``update`` is an object, or the JSON of one."""
        known = self.known(session)
        if isinstance(update, Mapping):
            match update.get(w.KIND):
                case "tool_call_content_chunk":
                    return self._grown(known, update)
                case "session_message":
                    return list(known.between.upsert(update))
                case "session_message_chunk":
                    return list(known.between.chunk(update))
            update = _decoded(update)
        match update:
            case u.ToolCallUpdate() | u.ToolCallStart():
                return self._call(known, update)
            case w.TerminalUpdate() | w.TerminalOutputChunk():
                return _terminal(known, update)
            case w.UserMessage() | w.AgentMessage() | w.AgentThought():
                return _whole(known, update)
            case u.AgentMessageChunk() | u.AgentThoughtChunk() | u.UserMessageChunk():
                _note(known, update)
                return [update]
            case u.PlanDocument():
                return _plan(update)
            case _:
                return [update]

    def _grown(self, known: Known, raw: Json) -> list[u.Update]:
        """One content more of a call, which may be heard of for the first time."""
        id_ = raw.get("toolCallId")
        if not isinstance(id_, str) or not id_:
            return []
        contents = grown(known.contents.get(id_, ()), raw.get("content"))
        return self._call(known, u.ToolCallUpdate(id_, content=contents))

    def _call(self, known: Known, report: u.ToolCallUpdate | u.ToolCallStart) -> list[u.Update]:
        id_ = report.tool_call_id
        content, meta = report.content, report.meta
        opened: list[str] = []
        if content is None or isinstance(content, tuple):
            known.contents[id_] = content or ()
        if isinstance(content, tuple):
            content = shapes.contents(content)
            shown = [one.terminal_id for one in content if isinstance(one, TerminalRef)]
            opened = [one for one in shown if one not in known.terminals]
            known.terminals.update(dict.fromkeys(opened, id_))
        if opened:
            given = meta if isinstance(meta, Mapping) else {}
            meta = {**given, **terminal.opened(opened[0])}
        status = report.status
        status = _STATUSES.get(status, status) if isinstance(status, str) else status
        fields: dict[str, Any] = {
            "name": report.name if isinstance(report.name, str) else UNSET,
            "kind": report.kind if isinstance(report.kind, str) else UNSET,
            "status": status if isinstance(status, str) else UNSET,
            "content": () if content is None else content,
            "locations": report.locations if isinstance(report.locations, tuple) else UNSET,
            "raw_input": report.raw_input if report.raw_input is not None else UNSET,
            "raw_output": report.raw_output if report.raw_output is not None else UNSET,
            "meta": meta,
        }
        title = report.title if isinstance(report.title, str) else None
        known_title = known.calls.get(id_)
        known.calls[id_] = title or known_title or ""
        printed = [news for one in opened for news in known.waiting.pop(one, ())]
        late: list[u.Update] = [u.ToolCallUpdate(id_, meta=news) for news in printed]
        if known_title is None:
            return [u.ToolCallStart(id_, title or "", **fields), *late]
        return [u.ToolCallUpdate(id_, title=UNSET if title is None else title, **fields), *late]

    # --- states -----------------------------------------------------------------------------------

    def state(self, session: str, state: w.StateUpdate, *, ours: bool) -> list[u.Update]:
        """What a state of a session tells beside the end of a turn: work that nobody asked for,
        and what goes on in the background. ``ours``: the work is that of a prompt.
        """
        known = self.known(session)
        told = self._listed(known, state.background)
        if state.state == "idle" or ours:
            return [*_cycle_over(known), *told]
        if known.cycle is None:
            known.cycles += 1
            known.cycle = f"{_CYCLE}{known.cycles}"
            begun = u.AsyncTaskSpawned(
                known.cycle, "Work", "turn", show_in_transcript=False, can_stop=True
            )
            return [begun, *told]
        return told

    def background(self, session: str, state: w.StateUpdate) -> list[u.Update]:
        """What goes on in the background of a subagent."""
        return self._listed(self.known(session), state.background)

    def _listed(self, known: Known, background: object) -> list[u.Update]:
        """What came to the list of work, and what is gone from it; subagents have states."""
        if not isinstance(background, tuple):
            return []
        items = {id_: item for item in background if (id_ := _task_of(item)) is not None}
        told: list[u.Update] = [
            u.AsyncTaskStateUpdate(id_, "completed") for id_ in known.background if id_ not in items
        ]
        for id_, item in items.items():
            if id_ not in known.background:
                told.append(_spawned(known, id_, item))
        known.background = items
        return told

    def stop(self, session: str, task: str) -> tuple[str, dict[str, str]] | None:
        """The request that stops a task; None for one that is not listed."""
        known = self.known(session)
        item = known.background.get(task)
        if item is None:
            owners = (id_ for id_, one in self._sessions.items() if task in one.background)
            session = next(owners, session)
            item = self.known(session).background.get(task)
        match item:
            case {"type": "terminal", "terminalId": str(id_)}:
                return "terminal/cancel", {"sessionId": session, "terminalId": id_}
            case {"type": "tool_call", "toolCallId": str(id_)}:
                return "tool_call/cancel", {"sessionId": session, "toolCallId": id_}
        return None


def _decoded(raw: Json) -> Any:
    """An update of version 2 from its JSON; what it names otherwise is renamed."""
    match raw.get(w.KIND):
        case "config_option_update":
            raw = {**raw, "configOptions": shapes.options(raw.get("configOptions"))}
        case "plan_removed":
            return u.Plan(())
    return decode_update(raw)


def _task_of(item: Json) -> str | None:
    for key in ("terminalId", "toolCallId", "taskId"):
        if isinstance(item.get(key), str):
            return str(item[key])
    return None


def _spawned(known: Known, id_: str, item: Json) -> u.AsyncTaskSpawned:
    shell = item.get("type") == "terminal"
    call = known.terminals.get(id_, id_) if shell else id_
    words = item.get("description")
    name = words if isinstance(words, str) else known.calls.get(call, "")
    return u.AsyncTaskSpawned(
        id_,
        name or "Background work",
        "shell" if shell else "monitor",
        can_stop="taskId" not in item,
        tool_call_id=call if call in known.calls else UNSET,
    )


def _cycle_over(known: Known) -> list[u.Update]:
    cycle, known.cycle = known.cycle, None
    return [] if cycle is None else [u.AsyncTaskStateUpdate(cycle, "completed")]


# --- messages, terminals, plans -------------------------------------------------------------------


def _note(known: Known, chunk: Any) -> None:
    if isinstance(chunk.content, TextContent) and isinstance(chunk.message_id, str):
        key = (type(chunk).__name__, chunk.message_id)
        known.texts[key] = known.texts.get(key, "") + chunk.content.text


def _whole(
    known: Known, message: w.UserMessage | w.AgentMessage | w.AgentThought
) -> list[u.Update]:
    """A message as a whole: what of it was not told yet. Text that was shown stays shown."""
    kind = _CHUNKS[type(message)]
    key = (kind.__name__, message.message_id)
    blocks = message.content if isinstance(message.content, tuple) else ()
    told: list[u.Update] = []
    shown = known.texts.pop(key, "")
    for given in blocks:
        block = decode_content(given) if isinstance(given, Mapping) else given
        if isinstance(block, TextContent):
            head = shown[: len(block.text)]
            if not block.text.startswith(head):
                head = ""
            shown = shown[len(head) :]
            known.texts[key] = known.texts.get(key, "") + block.text
            if not block.text[len(head) :]:
                continue
            block = TextContent(block.text[len(head) :])
        told.append(kind(block, message.message_id))
    return told


def _terminal(known: Known, news: w.TerminalUpdate | w.TerminalOutputChunk) -> list[u.Update]:
    """News of a terminal, on the call that shows it; its own call until one is known."""
    id_ = news.terminal_id
    call = known.terminals.get(id_, id_)
    meta: dict[str, Any] = {}
    if isinstance(news, w.TerminalOutputChunk):
        meta |= terminal.output(id_, _text(news.data), delta=True)
    else:
        if isinstance(news.output, Mapping):
            meta |= terminal.output(id_, _text(news.output.get("data")), delta=False)
        if isinstance(news.exit_status, Mapping):
            code = news.exit_status.get("exitCode")
            meta |= terminal.exited(id_, code if isinstance(code, int) else None)
    if meta and call not in known.calls:
        known.waiting.setdefault(id_, []).append(meta)
        return []
    return [u.ToolCallUpdate(call, meta=meta)] if meta else []


def _text(data: object) -> str:
    try:
        return b64decode(str(data)).decode("utf-8", "replace")
    except ValueError:
        return ""


def _plan(update: u.PlanDocument) -> list[u.Update]:
    if update.plan.get("type") != "items":
        return [update]
    plan = decode_update({w.KIND: "plan", "entries": update.plan.get("entries")})
    return [plan]
