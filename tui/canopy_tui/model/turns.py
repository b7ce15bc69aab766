"""Turns of a root session: when one begins and ends, and what phase follows from it.

It knows rules of the conversation only; who sends prompts is not its business.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from canopy_shared.ext import claude
from canopy_tui.model import children, facts, failures, transcript
from canopy_tui.model.controls import rate_limit_of
from canopy_tui.model.entries import MessageEntry, NoticeEntry, Role, RuleEntry
from canopy_tui.model.state import Phase
from canopy_tui.model.toolcalls import close_open
from canopy_tui.model.tree import running_below

if TYPE_CHECKING:
    from canopy_shared.updates import UsageUpdate
    from canopy_tui.model.events import PromptSent, QueueChanged, TurnEnded
    from canopy_tui.model.state import ClientState, SessionView, Touched


def settle_phase(view: SessionView, touched: Touched) -> None:
    """A root runs while it has a turn, or a burst of an agent that says when a burst is over."""
    guessed = view.burst is not None and view.reports_results and not view.tells_cycles
    busy = view.in_turn or view.cycle is not None or guessed
    _note_waking(view, follows_up=busy and not view.in_turn)
    phase = Phase.RUNNING if busy else Phase.IDLE
    if view.phase is Phase.DISCONNECTED and not busy:
        return
    if phase is not view.phase:
        view.phase = phase
        touched.sessions.add(view.id)
    if not busy:
        view.activity = ""


def _note_waking(view: SessionView, *, follows_up: bool) -> None:
    """Work outside a turn has a time of its own, from the update on that showed it."""
    if not follows_up:
        view.woke_at = 0.0
    elif not view.woke_at:
        view.woke_at = view.last_update_at


def queue_changed(view: SessionView, event: QueueChanged, touched: Touched) -> None:
    """Take over the queue."""
    view.queue = list(event.queue)
    view.queue_held = event.held
    touched.sessions.add(view.id)


def prompt_sent(state: ClientState, view: SessionView, event: PromptSent, touched: Touched) -> None:
    """A turn begins with the message of the person."""
    transcript.close_message(state, view, touched)
    view.burst = None
    view.turns_open += 1
    view.turn_started_at = event.at
    view.suggestions = ()
    if event.id is not None:
        view.queue = [prompt for prompt in view.queue if prompt.id != event.id]
    entry = MessageEntry(
        at=event.at,
        role=Role.USER,
        chunks=[event.text] if event.text else [],
        extras=list(event.blocks),
        settled=True,
    )
    transcript.append(state, view, entry, touched, work=False)
    view.activity = "thinking"
    settle_phase(view, touched)


def turn_ended(state: ClientState, view: SessionView, event: TurnEnded, touched: Touched) -> None:
    """Draw the rule under a turn: why it ended, and how many agents below still work."""
    transcript.close_message(state, view, touched)
    view.turns_open = max(0, view.turns_open - 1)
    view.turns_done += 1
    view.turn_ended_at = event.at
    view.last_update_at = event.at
    if event.stop_reason == "cancelled":
        close_open(state, view, event.at, touched, background=False)
    children.end_detached(state, view, event.at, touched)
    if event.stop_reason not in ("error", "disconnected"):
        failures.recovered(state, view, touched)
    if event.failure is not None:
        failures.told(state, view, event.failure, event.at, touched)
    elif event.error:
        notice = NoticeEntry(at=event.at, severity="error", title=event.error, detail=event.detail)
        notice.action = failures.SEND_AGAIN if event.can_repeat else None
        transcript.append(state, view, notice, touched, work=False)
    running, held = running_below(state, view.id)
    rule = RuleEntry(
        at=event.at, kind="turn_end", text=event.stop_reason, running=running, held=held
    )
    transcript.append(state, view, rule, touched, work=False)
    settle_phase(view, touched)


def usage(state: ClientState, view: SessionView, update: UsageUpdate, touched: Touched) -> None:
    """Context and cost; and, when it names an origin, the end of what ran.

    The origin is sent with the result of each turn, also of those that the agent began itself
    (``_meta["_claude/origin"]``, claude-agent-acp 0.101.0).
    """
    view.usage_used, view.usage_size = update.used, update.size
    if isinstance(update.cost, Mapping) and isinstance(update.cost.get("amount"), (int, float)):
        view.cost = float(update.cost["amount"])
        currency = update.cost.get("currency")
        view.currency = currency if isinstance(currency, str) and currency else "USD"
    meta = update.meta
    origin = claude.origin_kind(meta)
    if isinstance(meta, Mapping) and isinstance(meta.get(claude.MODEL_KEY), str):
        facts.answered(view, meta[claude.MODEL_KEY], turn_is_over=origin is not None)
    limit = rate_limit_of(meta.get(claude.RATE_LIMIT_KEY)) if isinstance(meta, Mapping) else None
    if limit is not None:
        view.controls.rate_limits[limit.kind] = limit
    touched.sessions.add(view.id)
    if origin is None:
        return
    view.reports_results = True
    if not view.in_turn:
        transcript.name_burst(state, view, origin, touched)
    settle_phase(view, touched)
