"""Stored records told as a living session tells them: by the same rules, worded by a renderer.

It takes one record after another and sends updates; which records there are, and whose, is decided
elsewhere.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from canopy_agent.claude.decode import Decoder
from canopy_agent.domain import events as e
from canopy_agent.domain.effects import Effect, Show
from canopy_agent.domain.facts import (
    ChildOptionsShown,
    CompactionEnded,
    Replied,
    ToolClosed,
    ToolReturned,
    UsageShown,
    UserSaid,
)
from canopy_agent.domain.failures import history_record
from canopy_agent.domain.lineage import AGENT_TOOLS
from canopy_agent.domain.session import step
from canopy_agent.domain.state import new_state
from canopy_agent.history.texts import (
    blocks_of,
    compaction_summary,
    is_hidden,
    queued_prompt,
    shown_blocks,
    words_of,
)
from canopy_agent.session.replay_children import ReplayedChildren, user_said

if TYPE_CHECKING:
    from canopy_agent.domain.facts import Fact
    from canopy_agent.domain.state import Policy
    from canopy_agent.history.transcript import Entry
    from canopy_agent.render.renderer import Renderer
    from canopy_agent.session.live_children import LiveChild
    from canopy_shared.updates import Update

log = logging.getLogger(__name__)

Json = Mapping[str, Any]

_PATCH = "structuredPatch"
_STRUCTURED = frozenset({"agentId", "resumedAgentId", "isAsync", _PATCH})
"""Marks of the structured results that say something of subagents, or how a file changed; no other
is looked at.
"""

_LAUNCHED = frozenset({"async_launched", "remote_launched"})


@dataclass(frozen=True, slots=True)
class Stage:
    """Where a replay goes: ``show`` sends an update on a session, ``relieve`` waits for a client
    that reads slowly, ``live`` tells which subagents this process knows, and ``is_open`` whether a
    tool call runs in it now. ``telling`` is given every record before what it means is shown, with
    the call that launched its agent.
    """

    show: Callable[[Update, str], None]
    relieve: Callable[[], Awaitable[None]]
    live: Callable[[str], LiveChild | None] = lambda agent: None
    is_open: Callable[[str], bool] = lambda call: False
    telling: Callable[[Json, str | None], None] = lambda record, call: None


class Narrator:
    """Tells the records of one session. ``compactions``: the client shows compactions as such.

    Without ``form`` subagents are told on the root, attributed to their launch.
    """

    def __init__(
        self,
        root: str,
        policy: Policy,
        renderer: Renderer,
        stage: Stage,
        form: ReplayedChildren | None,
        *,
        compactions: bool,
    ) -> None:
        self._renderer = renderer
        self._stage = stage
        self._form = form
        self._compactions = compactions
        # a replay begins nothing, and tells failures and goals in its own way
        quiet = replace(policy, async_tasks=False, failures=False, goals=False)
        quiet = replace(quiet, reports_work=False, lists_background=False)
        self._state = new_state(root, quiet)
        self._failures = policy.failures
        self._prompt: str | None = None
        if form is not None:
            self._state.children = form
        self._decoder = Decoder()
        self._options: dict[str, tuple[ChildOptionsShown, list[Update]]] = {}
        self.failed = 0
        """Records that a fault of ours kept from being told."""

    def tell(self, entry: Entry, record: Json, parent: str | None) -> list[str]:
        """Tell one record of the agent that ``parent`` launched; gives the launches in it."""
        try:
            match entry.kind:
                case "assistant":
                    return self._assistant(record, parent)
                case "user":
                    self._user(record, parent)
                case "attachment" if parent is None:
                    self._queued(record)
        except Exception:
            # one record that we mishandle must not cost the rest of the history
            log.exception("could not replay a record of type %s", entry.kind)
            self.failed += 1
        return []

    def _assistant(self, record: Json, parent: str | None) -> list[str]:
        launches = []
        events = list(self._events(record, parent))
        limit = next((x for x in events if isinstance(x, e.MessageSaid) and x.usage_limit), None)
        if limit is not None and self._failures and parent is None:
            said = str(record.get("uuid"))
            self.place(history_record(said, limit.text.strip(), self._prompt, self._state.root))
            return []
        for event in events:
            self.run(step(self._state, event))
            if isinstance(event, e.ToolUsed) and event.name in AGENT_TOOLS:
                launches.append(event.id)
        return launches

    def _user(self, record: Json, parent: str | None) -> None:
        for event in self._events(record, parent):
            self.run(step(self._state, event))
        blocks = tuple(b for b in blocks_of(record) if b.get("type") != "tool_result")
        if not blocks:
            return
        if parent is not None:
            if self._form is not None:
                self.run(self._form.heard(parent, record, blocks))
        elif record.get("isCompactSummary") is True:
            self._compacted(record, blocks)
        elif not is_hidden(record):
            fact = user_said(record, shown_blocks(blocks))
            self._prompt = fact.message_id if fact.blocks else self._prompt
            self.place(fact)

    def _queued(self, record: Json) -> None:
        queued = queued_prompt(record)
        if queued is not None:
            id_, blocks = queued
            self.place(UserSaid(shown_blocks(blocks), id_))

    def _compacted(self, record: Json, blocks: tuple[Json, ...]) -> None:
        summary = compaction_summary(words_of(blocks)) if self._compactions else None
        if summary is None:
            self.place(user_said(record, shown_blocks(blocks)))
        else:
            self.place(CompactionEnded(str(record.get("uuid")), "completed", summary))

    def _events(self, record: Json, parent: str | None) -> Iterator[e.Event]:
        """The events of a record's frame: what the CLI said when it wrote the record."""
        frame = {
            "type": record.get("type"),
            "message": record.get("message"),
            "uuid": record.get("uuid"),
            "parent_tool_use_id": parent,
        }
        result = record.get("toolUseResult")
        if isinstance(result, Mapping) and not _STRUCTURED.isdisjoint(result):
            frame["tool_use_result"] = result
        for event in self._decoder.decode(frame):
            if not isinstance(event, e.LocalOutput):
                yield event

    def close_calls(self) -> None:
        """End what never got a result and does not run now either."""
        for call in reversed(self._state.ledger.open_calls()):
            if not call.hidden and not self._stage.is_open(call.id):
                self.run(self._state.place_call(call, ToolClosed(call.id, "turn_ended")))

    def place(self, fact: Fact) -> None:
        """Show a fact of the main conversation."""
        self.run(self._state.place(fact, None))

    def run(self, effects: list[Effect]) -> None:
        """Show what effects show; a replay has no other effect."""
        for effect in effects:
            if isinstance(effect, Show) and not isinstance(effect.fact, UsageShown):
                self._show(effect)

    def _show(self, effect: Show) -> None:
        fact = _as_stored(effect.fact)
        updates = self._renderer.render(fact, effect.parent)
        if isinstance(fact, ChildOptionsShown):
            self._options[effect.session] = (fact, updates)
        for update in updates:
            self._stage.show(update, effect.session)

    def reword_options(self) -> None:
        """Say again what subagents run on where that reads otherwise now."""
        for session, (fact, before) in self._options.items():
            now = self._renderer.render(fact, None)
            if now != before:
                for update in now:
                    self._stage.show(update, session)


def _as_stored(fact: Fact) -> Fact:
    """A fact without what only a live result has: most details, a terminal that goes on."""
    match fact:
        case ToolReturned():
            return _stored_result(fact)
        case Replied():
            return replace(fact, result=_stored_result(fact.result))
    return fact


def _stored_result(fact: ToolReturned) -> ToolReturned:
    told = fact.structured if isinstance(fact.structured, Mapping) else {}
    patch = {_PATCH: told[_PATCH]} if _PATCH in told else None
    structured = told if told.get("status") in _LAUNCHED else patch
    return replace(fact, structured=structured, backgrounded=False, replay=True)
