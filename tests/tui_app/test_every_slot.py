"""Text of others in every slot there is, drawn on every screen: none does harm, none is forgotten.

The slots are found by walking the classes of the client's state and of what an agent may send, so
that a new one is tested, or has to be named here as one that is never drawn (B73).
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from canopy_shared.elicitation import FormElicitation, UrlElicitation
from canopy_shared.elicitation_fields import (
    BooleanField,
    ChoiceField,
    MultiChoiceField,
    NumberField,
    TextField,
)
from canopy_shared.permission import PermissionRequest
from canopy_shared.unset import UNSET
from canopy_shared.updates import Update
from canopy_tui.model import events as e
from canopy_tui.model.background import BackgroundTask
from canopy_tui.model.controls import Controls, RateLimit, Tokens
from canopy_tui.model.efforts import rows_of
from canopy_tui.model.entries import ChangesEntry, Role, ToolEntry
from canopy_tui.model.glyphs import UNICODE
from canopy_tui.model.reduce import reduce
from canopy_tui.model.state import (
    ClientState,
    OptionChange,
    PendingRequest,
    Phase,
    SessionView,
    Touched,
)
from canopy_tui.plain.asking import question_of
from canopy_tui.plain.narrator import Narrator
from canopy_tui.view.apps.announcer import Announcer
from canopy_tui.view.blocks.entry import Around
from canopy_tui.view.blocks.look import Look
from canopy_tui.view.controls.options_page import OptionsPage
from canopy_tui.view.controls.servers_page import ServersPage
from canopy_tui.view.controls.usage_page import UsagePage
from canopy_tui.view.drawing.labels import marks_of
from canopy_tui.view.keyboard.key_guard import KeyGuard
from canopy_tui.view.requests.request_screen import RequestScreen
from canopy_tui.view.screens.detail_screen import DetailScreen
from canopy_tui.view.screens.login_screen import LoginScreen
from canopy_tui.view.screens.problem_screen import ProblemScreen
from canopy_tui.view.screens.review_screen import ReviewScreen
from canopy_tui.view.screens.task_screen import TaskScreen
from canopy_tui.view.screens.timeline_screen import TimelineScreen
from canopy_tui.view.stored.session_picker import SessionPicker
from canopy_tui.view.transcript.layout import TranscriptLayout
from canopy_tui.view.tree import task_row
from tui_app.playing import playing
from tui_app.slots import Filler, Slot, harm_of, hints_of, slots_in
from tui_app.test_hostile_text import texts_of
from tui_transcript.drawing import all_rows, paper, text_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from canopy_tui.model.login import LoginNeed
    from canopy_tui.model.state import Problem
    from tui_app.playing import Play

REQUESTS = PermissionRequest | FormElicitation | UrlElicitation
FIELDS = (ChoiceField, BooleanField, MultiChoiceField, NumberField, TextField)
KINDS = ("read", "edit", "delete", "move", "search", "execute", "think", "fetch", "other")
ENDS = ("completed", "failed", "in_progress", "pending")
DEFAULT: tuple[Any, ...] = ()
"""The slot stays as it is without a word about it."""
CAN = {"sessionCapabilities": {name: {} for name in ("list", "fork", "delete", "close")}}
OWN = {"steering": {"supported": True}, "canopy": {"version": 1, "controls": True}}
BOOKKEEPING = (
    "tools open_tools child_cards next_key turns_open open_message plan_entry burst cycle replay "
    "loading failures compactions flat_owners flat_launches wire_id run queue_held successor "
    "unattached detached ended_at unseen unseen_keys"
)


def fixed_of(filler: Filler) -> dict[Slot, tuple[Any, ...]]:
    """What is a word of a few, or an identity, and shapes of what is only a mapping."""
    mark = filler.mark
    return {
        **{f"SessionView.{name}": DEFAULT for name in BOOKKEEPING.split()},
        "AgentUse.agent": ("kid",),
        "AgentLink.status": ("ready",),
        "AgentLink.capabilities": (CAN,),
        "AgentLink.meta": (OWN,),
        "BackgroundTask.key": ("root/t",),
        "BackgroundTask.kind": ("shell", mark("BackgroundTask.kind")),
        "BackgroundTask.name": (mark("BackgroundTask.name"), "", ""),
        "BackgroundTask.summary": (mark("BackgroundTask.summary"), "", ""),
        "BackgroundTask.root": ("root",),
        "BackgroundTask.session": ("root",),
        "BackgroundTask.state": ("running", "completed", mark("BackgroundTask.state")),
        "ChildEntry.child": ("kid",),
        "EmbeddedResource.resource": ({"uri": mark("EmbeddedResource.resource"), "text": "x"},),
        "QueuedPrompt.source": (mark("QueuedPrompt.source"), ""),
        "ResourceLink.title": (mark("ResourceLink.title"), UNSET),
        "Controls.at_work": ({mark("McpServer.name"): "reconnecting"}, {}),
        "Controls.problems": ({mark("McpServer.name"): mark("Controls.problems")},),
        "SessionView.mode_words": ({mark("SessionView.modes"): mark("SessionView.mode_words")},),
        "Command.input": ({"hint": mark("Command.input")},),
        "CompactionEntry.status": ENDS,
        "ConfigOption.category": ("model", "thought_level", None),
        "ConfigOption.current_value": (
            mark("ConfigChoice.value"),
            mark("ConfigOption.current_value"),
        ),
        "ConfigChoice.name": (mark("ConfigChoice.name"), ""),
        "ConfigOption.name": (mark("ConfigOption.name"), "", ""),
        "ConfigOption.type": ("select", mark("ConfigOption.type")),
        "Controls.rate_limits": DEFAULT,
        "LoginMethod.kind": ("agent", "terminal"),
        "McpServer.status": ("connected", "failed", mark("McpServer.status")),
        "MessageEntry.peer": ("kid", mark("MessageEntry.peer"), None),
        "MessageEntry.role": tuple(Role),
        "NoticeEntry.action": ("restart_agent",),
        "NoticeEntry.severity": ("info", "warning", "error"),
        **{f"{field.__name__}.custom_answer_to": DEFAULT for field in FIELDS},
        "PermissionRequest.session_id": ("root",),
        "PlanEntry.status": (*ENDS, mark("PlanEntry.status")),
        "Query.archived": DEFAULT,
        "Query.cwd": ("/w",),
        "RuleEntry.kind": ("turn_end", "after_turn", "resumed", mark("RuleEntry.kind")),
        "SessionView.children": (["kid"],),
        "SessionView.id": ("root",),
        "SessionView.mode": (mark("SessionView.modes"),),
        "SessionView.parent": (None,),
        "SessionView.phase": (Phase.FAILED,),
        "ToolEntry.child": (None,),
        "ToolEntry.kind": (*KINDS, mark("ToolEntry.kind")),
        "ToolEntry.status": ENDS,
        "ToolCallStart.tool_call_id": ("call",),
        "ToolCallStart.status": ("in_progress",),
        "ToolCallUpdate.tool_call_id": ("call-2",),
        "SubagentSpawned.subagent_session_id": ("wire-kid",),
        "SubagentUpdate.session_id": ("wire-other",),
        "SubagentStateUpdate.subagent_session_id": ("wire-kid",),
        "CompactionUpdate.compaction_id": ("c",),
        "CompactionUpdate.status": ("completed",),
        "CompactionUpdate.error": ({"message": mark("CompactionUpdate.error")},),
        "CompactionSummaryChunk.compaction_id": ("c",),
        "PlanDocument.plan": (
            {"type": "markdown", "planId": "p", "content": mark("PlanDocument.plan")},
        ),
        "AsyncTaskSpawned.async_task_id": ("t1", "t2", "t3"),
        "AsyncTaskProgress.async_task_id": ("t1",),
        "AsyncTaskStateUpdate.async_task_id": ("t2",),
        "AsyncTaskSpawned.tool_call_id": DEFAULT,
        "AsyncTaskProgress.tool_call_id": DEFAULT,
        "AsyncTaskStateUpdate.tool_call_id": DEFAULT,
        "UsageUpdate.cost": ({"amount": 1.0, "currency": mark("UsageUpdate.cost")},),
        "SubagentUpdate.state": ({"state": "idle", "stopReason": mark("SubagentUpdate.state")},),
        "SubagentSpawned.capabilities": ({"cancel": {}},),
        "SessionMessage.sender_session_id": ("wire-kid",),
        "SessionMessage.recipient_session_id": ("wire",),
    }


def filled() -> tuple[ClientState, Filler]:
    """A state with a mark in each of its slots, and what one update of each kind left."""
    filler = Filler({})
    filler.fixed, mark = fixed_of(filler), filler.mark
    hints, state = hints_of(ClientState), ClientState()
    told_by_updates(state, filler)
    for name in ("link", "catalogue"):
        setattr(state, name, filler.value(hints[name], f"ClientState.{name}"))
    root, kid, gone, bare, quiet = (filler.one(SessionView) for _ in range(5))
    kid.id, kid.parent, kid.children = "kid", "root", []
    gone.id, gone.parent, gone.children, gone.title = "gone", "root", [], ""
    bare.id, bare.children = "bare", []
    quiet.id, quiet.children = "quiet", []
    quiet.mode = mark("SessionView.mode")
    quiet.options, quiet.suggestions = (), ()
    quiet.controls = Controls(report_error=mark("Controls.report_error"))
    root.children = ["kid", "gone"]
    bare.options = ()
    kid.phase = Phase.RUNNING
    bare.option_changes = {
        "mode": OptionChange(mark("OptionChange.value")),
        "model": OptionChange("x", mark("OptionChange.refused")),
    }
    bare.controls = Controls()
    bare.controls.models = {mark("Controls.models"): Tokens(1)}
    limit = filler.one(RateLimit)
    bare.controls.rate_limits = {limit.kind: limit}
    for view in (kid, gone, bare, quiet):
        view.entries = view.entries[:1]
    for view in (root, kid, gone, bare, quiet):
        for number, entry in enumerate(view.entries, 1):
            entry.key, entry.revision = number, 1
        view.next_key = len(view.entries) + 1
        state.sessions[view.id] = view
    state.roots += ["root", "bare", "quiet"]
    for number, task in enumerate(filler.every(BackgroundTask)):
        task.key = f"root/{number}"
        state.tasks[task.key] = task
    form = replace(filler.one(FormElicitation), fields=tuple(filler.one(field) for field in FIELDS))
    asked = (filler.one(PermissionRequest), filler.one(UrlElicitation), form)
    for number, payload in enumerate(asked, 1):
        request = filler.one(PendingRequest)
        request.key, request.session, request.payload = number, "root", payload
        request.kind = "permission" if number == 1 else "elicitation"
        state.requests.append(request)
    return state, filler


def told_by_updates(state: ClientState, filler: Filler) -> None:
    """Every update that an agent may send, of a session and of a child of it."""
    reduce(state, e.SessionOpened(session="wire", at=1.0))
    reduce(state, e.PromptSent(session="wire", text="go", at=1.0))
    for cls in Update.__args__:
        for update in filler.every(cls):
            reduce(state, e.UpdateArrived("wire", update, 2.0))
    reduce(state, e.TurnEnded(session="wire", stop_reason=filler.mark("stop reason"), at=3.0))


def transcripts(state: ClientState) -> Iterator[str]:
    """All of them, in every look."""
    looks = (Look(), Look(expanded=True), Look(raw=True), Look(True, whole=True, split=True))
    for view in state.sessions.values():
        for look in looks:
            layout = TranscriptLayout(Around(state, view), paper(220))
            layout.set_all(look)
            yield text_of(all_rows(layout))


def lines(state: ClientState) -> Iterator[str]:
    """What is told in lines, and what is written to the terminal itself."""
    entries = {(view.id, one.key) for view in state.sessions.values() for one in view.entries}
    touched = Touched(entries=entries, sessions=set(state.sessions), link=True, tasks=True)
    narrator = Narrator(state)
    yield from (*narrator.lines(touched), *narrator.rest())
    for request in state.waiting():
        yield from question_of(request, None).lines()
    for task in state.tasks.values():
        yield from (line.plain for line in task_row.rows(task, 2.0, 200, UNICODE))
        screen = TaskScreen(state, task.key, marks_of(UNICODE), UNICODE, lambda: 2.0)
        yield screen._facts(task).plain
    written: list[str] = []
    announcer = Announcer(state, UNICODE, written.append, written.append)
    announcer.look(1.0, watched=False)
    announcer.look(9.0, watched=False)
    yield from written


def pages(state: ClientState) -> Iterator[str]:
    """What can be set, what was used and the MCP servers, of every root."""
    for root in state.roots:
        options = OptionsPage(state, root, UNICODE, read_only=False)
        servers = ServersPage(state, root, UNICODE, read_only=False)
        usage = UsagePage(state, root, UNICODE, lambda: 2.0, read_only=False)
        for page in (options, servers, usage):
            yield texts_of(list(page.items(120)))
            for item in page.items(120):
                if item.key and page is not usage:
                    page.chosen(item.key)
                    yield texts_of(list(page.items(120)))


async def screens(play: Play, login: LoginNeed, problem: Problem) -> AsyncIterator[str]:
    """The main screen on a session and on a child, and every other one."""
    app, state, marks = play.app, play.stage.state, marks_of(UNICODE)
    play.stage._paint(Touched(set(state.sessions), set(), True, True, True, True, True))
    for session in ("kid", "root"):
        app.go(session)
        await play.settle()
        yield play.text
    await play.write("/")
    yield play.text
    await play.press("escape", "ctrl+u")
    root, state.login = state.sessions["root"], replace(login, busy=False)
    entries = {type(one): one for one in root.entries}
    asked = {"guard": KeyGuard(0.0, by_person=True), "marks": marks, "clock": play.clock}
    for screen in (
        LoginScreen(state, ()),
        ProblemScreen(problem),
        SessionPicker(state, "/w", UNICODE, lambda: 2.0),
        ReviewScreen(state, root, entries[ChangesEntry], marks, lambda _text: None),
        TimelineScreen(lambda: rows_of(state, None), lambda: "", ascii_only=False),
        TaskScreen(state, "root/0", marks, UNICODE, lambda: 2.0),
        DetailScreen(entries[ToolEntry], "/w", marks),
        *(RequestScreen(state, key, kept={}, **asked) for key in (1, 2, 3)),
    ):
        await app.push_screen(screen)
        await play.settle()
        yield play.text
        app.pop_screen()


async def test_b73_no_slot_is_forgotten() -> None:
    state, filler = filled()
    hints = hints_of(ClientState)
    login, problem = (filler.value(hints[name], name) for name in ("login", "problem"))
    texts = [*transcripts(state), *lines(state), *pages(state)]
    async with playing((160, 60), ready=False, opens_requests=False, directory="/w") as play:
        for field in fields(ClientState):
            setattr(play.stage.state, field.name, getattr(state, field.name))
        texts += [text async for text in screens(play, login, problem)]
    shown, faults, marks = set[Slot](), list[str](), filler.marks()
    for text in texts:
        seen, more = harm_of(text, marks)
        shown |= seen
        faults += more
    assert not faults, faults
    slots = set(slots_in(ClientState | REQUESTS))
    never = {f"{cls}.{name}" for cls, names in NEVER.items() for name in names.split()}
    never |= {slot for slot in slots if slot.partition(".")[2] in NOWHERE}
    missing = sorted(slots - shown - never)
    assert not missing, f"neither drawn by this test nor named in NEVER: {missing}"
    assert never <= slots, sorted(never - slots)


NEVER = {
    "ClientState": "aliases roots sessions tasks unplaced watched",
    "SessionView": "answered_by child_cards children compactions cycle failures flat_launches "
    "flat_owners id open_tools option_changes parent successor tools troubled unknown_kinds"
    " wire_id",
    "AgentLink": "capabilities status",
    "LoginMethod": "arguments command environment id kind",
    "Catalogue": "cursor",
    "Query": "archived cwd",
    "Problem": "offers",
    "Controls": "at_work rate_limits",
    "AgentUse": "agent",
    "Limit": "resets_at",
    "BackgroundTask": "call id key root session state",
    "ConfigOption": "category type",
    "MessageEntry": "message_id",
    "ToolEntry": "child status",
    "ToolCallUpdate": "capabilities status tool_call_id",
    "ChildEntry": "child",
    "RuleEntry": "kind",
    "PlanEntry": "priority status",
    "NoticeEntry": "action failure severity",
    "CompactionEntry": "status trigger",
    "AudioContent": "data",
    "ImageContent": "data",
    "ResourceLink": "description mime_type",
    "UnknownContent": "raw",
    "PatchDiff": "changes patch",
    "TerminalRef": "terminal_id",
    "PendingRequest": "kind payload session tool_call_id",
    "PermissionRequest": "session_id",
    "PermissionOption": "kind option_id",
    "FormElicitation": "session_id tool_call_id",
    "UrlElicitation": "elicitation_id session_id tool_call_id",
    "FieldOption": "value",
    "BooleanField": "custom_answer_to key",
    "ChoiceField": "custom_answer_to default key",
    "MultiChoiceField": "custom_answer_to default key",
    "NumberField": "custom_answer_to key",
    "TextField": "custom_answer_to format key pattern",
}
"""What is never drawn: identities, words of the client's own, and what only says what to do."""
NOWHERE = frozenset({"meta", "annotations", "after_turn"})
"""Nor are these of any class."""
