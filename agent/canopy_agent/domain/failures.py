"""Failure records: what went wrong, said once in a form that an AIR client with ``sessionFailure``
can act on, in place of an error or of the error's text.

Categories and ids follow ``@agentclientprotocol/claude-agent-acp`` 0.101.0. A missing login is
never a record. What fails is decided by other rules; here it is only told.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from canopy_agent.domain import events as e
from canopy_agent.domain.bounded import Recent
from canopy_agent.domain.effects import Effect, Failed, Settle, Show, Stopped
from canopy_agent.domain.outcomes import is_login_request, told_text
from canopy_agent.domain.session_facts import FailureShown
from canopy_shared.ext.claude import AUTONOMOUS_ORIGINS
from canopy_shared.ext.failure import NEW_SESSION, RETRY, SessionFailure, wrap

if TYPE_CHECKING:
    from canopy_agent.domain.state import SessionState

SERVICE, LIMIT, REQUEST, CONNECTION = "service", "limit", "request", "connection"
PROCESS_ENDED: Final = "process_ended"
USAGE_LIMIT: Final = "usage_limit"
SIGN_IN: Final = frozenset({"authentication_failed", "oauth_org_not_allowed"})

_KINDS: Final[dict[str, tuple[str, tuple[str, ...]]]] = {
    "verification_required": (SERVICE, (RETRY,)),
    "cloud_credential_error": (SERVICE, (RETRY,)),
    "billing_error": (LIMIT, ()),
    "account_on_hold": (LIMIT, ()),
    USAGE_LIMIT: (LIMIT, ()),
    "rate_limit": (LIMIT, (RETRY,)),
    "max_output_tokens": (LIMIT, (NEW_SESSION,)),
    "error_max_turns": (LIMIT, (NEW_SESSION,)),
    "error_max_budget_usd": (LIMIT, (NEW_SESSION,)),
    "invalid_request": (REQUEST, ()),
    "model_not_found": (REQUEST, ()),
    "no_result": (SERVICE, (RETRY, NEW_SESSION)),
    "incomplete_tool_call": (SERVICE, (RETRY, NEW_SESSION)),
    # the next prompt resumes the conversation in a new process
    PROCESS_ENDED: (CONNECTION, (RETRY,)),
}
_OTHERWISE: Final = (SERVICE, (RETRY,))
_RETRIED: Final = {
    "overloaded": "Claude is overloaded.",
    "rate_limit": "There are too many requests.",
    "server_error": "Claude has a server error.",
}


@dataclass(slots=True)
class Failures:
    """What was told of one session. ``epoch`` makes its ids differ from other sessions'."""

    root: str
    epoch: str
    _revisions: Recent[str, int] = field(default_factory=lambda: Recent(256))
    _count: int = 0
    _notices: int = 0
    _last_notice: str | None = None
    _open: str | None = None
    """The record of a failure that belongs to no prompt, until a result ends it."""
    said: str | None = None
    """The error that the conversation stands at: the text that is not shown as a message."""
    limit: bool = False
    """That error is a usage limit."""

    def record(
        self, id_: str, kind: str | None, title: str, *, warning: bool = False
    ) -> SessionFailure:
        """A record with the next revision of ``id_``. ``kind`` is that of the error."""
        category, actions = _KINDS.get(kind or "", _OTHERWISE)
        revision = self._revisions[id_] = (self._revisions.get(id_) or 0) + 1
        if warning:
            return SessionFailure(id_, category, title, revision, "warning")
        return SessionFailure(id_, category, title, revision, actions=actions)

    def of_session(self, kind: str | None, title: str, *, warning: bool = False) -> FailureShown:
        """A failure that belongs to no prompt."""
        if self._open is None:
            self._count += 1
            self._open = f"{self.root}:session-error:{self.epoch}:{self._count}"
        return FailureShown(self.record(self._open, kind, title, warning=warning))

    def notice(self, title: str) -> FailureShown:
        """A warning that nothing failed for; one that repeats is the same record again."""
        if title != self._last_notice:
            self._notices += 1
            self._last_notice = title
        id_ = f"{self.root}:notice:{self.epoch}:{self._notices}"
        record = self.record(id_, None, title, warning=True)
        return FailureShown(replace(record, category="unknown"))

    def over(self) -> None:
        """A cycle ended: what was said before it counts no more."""
        self._open = self.said = None
        self.limit = False


def prompt_record_id(prompt: str) -> str:
    """The id of the record of a prompt that failed; so is that of its repeated requests."""
    return f"{prompt}:error"


def history_record(record: str, title: str, prompt: str | None, session: str) -> FailureShown:
    """The record of a usage limit in a stored conversation: ``record`` is the UUID of the message,
    ``prompt`` that of the user's before it.
    """
    id_ = prompt_record_id(prompt) if prompt else f"{session}:history-error:{record}"
    category, actions = _KINDS[USAGE_LIMIT]
    return FailureShown(SessionFailure(id_, category, title, actions=actions))


# --- while it happens -----------------------------------------------------------------------------


def on_said(state: SessionState, event: e.MessageSaid) -> list[Effect]:
    """A message of the main conversation that stands for an error."""
    if state.failures is None or event.parent is not None:
        return []
    if event.error is not None or event.usage_limit:
        state.failures.said, state.failures.limit = event.text.strip() or None, event.usage_limit
    elif event.text.strip():
        state.failures.said, state.failures.limit = None, False
    return []


def on_retried(state: SessionState, event: e.ApiRetried) -> list[Effect]:
    """A request of Claude Code failed and is sent again: a warning on the turn that waits."""
    if state.failures is None or event.error in SIGN_IN:
        return []
    kind = event.error if event.status is not None else PROCESS_ENDED
    cause = _RETRIED.get(event.error or "", "A request to Claude failed.")
    if event.status is None:
        cause = "Claude cannot be reached."
    title = f"{cause} Trying again, attempt {event.attempt} of {event.most}"
    if event.waits_ms is not None:
        title += f", for up to {round(event.waits_ms / 1000)} s"
    begun = (turn for turn in state.turns.queued() if turn.started)
    turn = state.turns.working or next(begun, None)
    if turn is None:
        return [Show(state.root, state.failures.of_session(kind, f"{title}.", warning=True))]
    id_ = prompt_record_id(turn.prompt)
    record = state.failures.record(id_, kind, f"{title}.", warning=True)
    return [Show(state.root, FailureShown(record))]


def on_note(state: SessionState, event: e.NoteMade) -> list[Effect]:
    """A notice of our own; one that a client without notices should still act on is a record."""
    note = event.note
    if state.failures is None or not (note.advisory and state.policy.advisories):
        return [Show(state.root, note)]
    title = f"{note.title}: {note.description}" if note.description else note.title
    return [Show(state.root, state.failures.notice(title))]


def before_result(state: SessionState, event: e.ResultCame) -> list[Effect]:
    """A cycle that no prompt asked for failed, and nobody stopped it: nothing else would tell."""
    if state.failures is None or not event.is_error or is_login_request(event):
        return []
    own = event.origin_kind in AUTONOMOUS_ORIGINS and not state.turns.names_pending(event.prompts)
    cycle = state.autonomous_task
    if not own or state.window.open or (cycle is not None and cycle.was_stopped(event)):
        return []
    kind = USAGE_LIMIT if state.failures.limit else None
    title = state.failures.said or told_text(event)
    return [Show(state.root, state.failures.of_session(kind, title))]


def before_end(state: SessionState, event: e.StreamEnded) -> list[Effect]:
    """The CLI is gone while only its own work ran: no prompt will fail for it."""
    turn = state.turns.active
    waits = any(not (one.is_held or one.is_queued) for one in state.turns.unsettled())
    worked = state.turns.autonomous or bool(state.tasks.live()) or (turn and turn.is_held)
    if state.failures is None or event.status is None or waits or not worked:
        return []
    title = f"Claude Code ended ({event.status}); what it did in the background is lost"
    return [Show(state.root, state.failures.of_session(PROCESS_ENDED, title, warning=True))]


# --- answers --------------------------------------------------------------------------------------


def carry(state: SessionState, event: e.Event, effects: list[Effect]) -> list[Effect]:
    """``effects`` with records in place of errors; a login that is missing stays an error."""
    failures = state.failures
    if failures is None:
        return effects
    told: list[Effect] = []
    for effect in effects:
        told += _carried(failures, effect) if isinstance(effect, Settle) else [effect]
    if isinstance(event, e.ResultCame):
        failures.over()
    return told


def _carried(failures: Failures, settle: Settle) -> list[Effect]:
    outcome = settle.outcome
    id_ = prompt_record_id(settle.prompt)
    if isinstance(outcome, Failed) and outcome.kind == "internal":
        kind = USAGE_LIMIT if failures.limit else outcome.cause
        title = failures.said or outcome.message
        answer = Stopped("end_turn", outcome.usage, outcome.meta)
    elif isinstance(outcome, Stopped) and outcome.stop_reason == "end_turn" and failures.limit:
        kind, title, answer = USAGE_LIMIT, failures.said or "A usage limit is reached", outcome
    else:
        return [settle]
    record = failures.record(id_, kind, title)
    if settle.detached:
        return [Show(failures.root, FailureShown(record)), replace(settle, outcome=answer)]
    meta = {**wrap(record), **answer.meta}
    return [replace(settle, outcome=replace(answer, meta=meta))]
