"""Facts to ``session/update``s for one session and its children, worded for one client.

One renderer serves AIR and plain clients, driven by the profile; it decides neither whether a fact
goes out nor on which session. A replay of the history needs a renderer of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from canopy_agent.capabilities import ClientProfile
from canopy_agent.domain import facts as f
from canopy_agent.domain.work_facts import StopOffered, ToolComing, ToolMoved, WorkShown
from canopy_agent.render import messages, permissions, session_facts, work
from canopy_agent.render.cards import Cards
from canopy_agent.render.compaction import Compactions
from canopy_agent.render.notices import noted
from canopy_agent.render.patches import ReadFile, no_files
from canopy_agent.render.plans import Plans
from canopy_agent.render.recall import recalled
from canopy_agent.render.reports import Json, View
from canopy_agent.render.toolcalls import ToolCalls
from canopy_agent.render.toolinputs import ToolInputs
from canopy_agent.render.toolresults import ToolResults
from canopy_shared.unset import UNSET
from canopy_shared.updates import (
    ConfigOption,
    ConfigOptionUpdate,
    ToolCallStart,
    ToolCallUpdate,
    Update,
)

Teller = Callable[[Any, str | None], list[Update]]
ChildOptions = Callable[[Mapping[str, str]], tuple[ConfigOption, ...]]


class Renderer:
    """See the module. ``cwd`` shortens paths in titles and completes relative ones.

    ``read_file`` gives the bytes of a file, None when there is none, and raises ``OSError`` for one
    that cannot be read; it is asked for exact patches and plan files only. Reading more than
    ``patches.MAX_BYTES`` + 1 bytes is of no use. ``child_options`` words what is known of a
    subagent's own mode, model, effort and type.
    """

    __slots__ = ("_calls", "_plans", "_tellers", "_view")

    def __init__(
        self,
        profile: ClientProfile,
        cwd: str,
        *,
        read_file: ReadFile = no_files,
        child_options: ChildOptions = lambda values: (),
    ) -> None:
        self._view = View(profile, cwd, read_file)
        self._calls = ToolCalls(strips_meta=profile.air)
        self._plans = Plans(profile)
        cards = Cards(self._view, self._calls)
        compactions = Compactions(profile)
        inputs, results = ToolInputs(cards, self._plans), ToolResults(cards, self._plans)
        self._tellers: dict[type, Teller] = {
            f.Said: messages.said,
            f.Thought: messages.thought,
            f.Pictured: messages.pictured,
            f.UserSaid: messages.user_said,
            f.ToolOpened: inputs.opened,
            f.ToolInputGrew: inputs.grew,
            f.ToolInputComplete: inputs.completed,
            f.ToolReturned: results.returned,
            f.ToolShownWhole: self._shown_whole,
            f.ToolHookResponse: results.hooked,
            f.ToolBeat: inputs.beat,
            f.ToolDenied: results.denied,
            f.ToolClosed: results.closed,
            f.ToolExited: results.exited,
            f.ToolPrinted: results.printed,
            f.ChildAnnounced: messages.child_announced,
            f.ChildEnded: messages.child_ended,
            f.ChildReported: messages.child_reported,
            f.Delivered: messages.delivered,
            f.Replied: messages.replied,
            f.PlanShown: lambda fact, parent: self._plans.show(messages.plan_entries(fact), parent),
            f.PlanForgotten: lambda _, parent: self._plans.forget(parent),
            f.TaskHooked: self._plans.hooked,
            f.Recalled: recalled,
            f.PlanApproved: lambda fact, _: messages.plan_document(fact.id, fact.plan, profile),
            f.ModeShown: messages.mode,
            f.ChildOptionsShown: lambda fact, _: [ConfigOptionUpdate(child_options(fact.values))],
            f.UsageShown: messages.usage,
            f.CompactionBegan: compactions.began,
            f.CompactionGrew: compactions.grew,
            f.CompactionEnded: compactions.ended,
            WorkShown: work.state_shown,
            StopOffered: work.stop_offered,
            ToolComing: results.coming,
            ToolMoved: results.moved,
            f.Noted: lambda fact, parent: noted(fact, parent, profile),
            **(session_facts.SPARE if profile.reports_work else session_facts.TELLERS),
        }

    def render(self, fact: f.Fact, parent: str | None) -> list[Update]:
        """The updates that tell ``fact``; ``parent`` is the launch call of its subagent, if any.

        A fact that tells nothing (an unknown call, a field that did not change) gives no update.
        """
        return self._tellers[type(fact)](fact, parent)

    def take_plan(self, other: Renderer) -> None:
        """Go on with the task list that ``other`` has told of."""
        self._plans.tasks = other._plans.tasks

    def unfinished_plan(self) -> list[Update]:
        """The task list once more, for a new turn that begins with tasks unfinished."""
        return self._plans.unfinished()

    def _shown_whole(self, fact: f.ToolShownWhole, parent: str | None) -> list[Update]:
        """A call that was held back, as one ``tool_call`` with its final status."""
        told = self.render(fact.call, parent) + self.render(fact.returned, parent)
        if not told or not isinstance(told[0], ToolCallStart):
            return told
        whole = told[0]
        for update in told[1:]:
            if isinstance(update, ToolCallUpdate):
                whole = _merged(whole, update)
        return [whole]

    def permission_tool_call(
        self,
        tool_use_id: str,
        name: str,
        input: Json,
        parent: str | None,
        *,
        mcp_server: Json | None = None,
        blocked_path: str | None = None,
        reason: str | None = None,
        default_to_no: bool = False,
        display_name: str | None = None,
    ) -> tuple[ToolCallUpdate, dict[str, Any]]:
        """``toolCall`` and ``_meta`` of a ``session/request_permission``.

        ``mcp_server`` is ``{name, source}``. An exact patch in it stays the call's content until
        its end.
        """
        request = permissions.Request(
            id=tool_use_id,
            name=name,
            input=input,
            parent=parent,
            mcp_server=mcp_server,
            blocked_path=blocked_path,
            reason=reason,
            default_to_no=default_to_no,
            display_name=display_name,
        )
        call = self._calls.get(tool_use_id)
        has_terminal = call is not None and call.has_terminal
        told, exact = permissions.tool_call(request, self._view, has_terminal=has_terminal)
        if exact and call is not None:
            call.pin(told.content)
        return told, permissions.request_meta(request, self._view)

    def forget(self, tool_use_id: str) -> None:
        """The call did not reach the client: the stream may create it again."""
        self._calls.forget(tool_use_id)

    def is_open(self, tool_use_id: str) -> bool:
        """Whether the client sees the call and has no end of it yet."""
        call = self._calls.get(tool_use_id)
        return call is not None and call.is_open


def _merged(start: ToolCallStart, update: ToolCallUpdate) -> ToolCallStart:
    """``start`` with what ``update`` changes, as a client would merge them."""
    names = ("title", "kind", "status", "content", "locations", "raw_input", "raw_output")
    changed = {name: value for name in names if (value := getattr(update, name)) is not UNSET}
    old = start.meta if start.meta is not UNSET else {}
    new = update.meta if update.meta is not UNSET else {}
    return replace(start, **changed, meta=_deep(old, new) or UNSET)


def _deep(old: Any, new: Any) -> Any:
    if not (isinstance(old, dict) and isinstance(new, dict)):
        return new
    return old | {key: _deep(old.get(key), value) for key, value in new.items()}
