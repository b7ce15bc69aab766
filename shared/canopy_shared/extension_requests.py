"""Parameters of the requests that extensions add, parsed strictly into frozen classes.

Shapes follow the extensions of ``@agentclientprotocol/claude-agent-acp`` 0.101.0; which client may
send one, and what it does, is not known here.
"""

from __future__ import annotations

from dataclasses import dataclass

from canopy_shared.params import Params
from canopy_shared.requests import PromptParams

PROMPT_REQUIRED = "promptRequired"


@dataclass(frozen=True, slots=True)
class SteeringParams:
    """``_session/steering``: words for the turn that runs.

    ``only_running`` asks that nothing is begun when no turn runs (``idleBehavior``
    ``promptRequired``).
    """

    message: PromptParams
    only_running: bool = False

    @classmethod
    def parse(cls, params: object) -> SteeringParams:
        """Raises invalid params, also for a message without content."""
        message = PromptParams.parse(params)
        if not message.prompt:
            raise Params(params).wrong("prompt", "a list with at least one block")
        steering = message.meta.get("steering")
        if steering is None:
            return cls(message)
        behavior = Params(steering, "_meta.steering.").optional_text("idleBehavior")
        if behavior not in (None, PROMPT_REQUIRED):
            raise Params(steering, "_meta.steering.").wrong("idleBehavior", PROMPT_REQUIRED)
        return cls(message, behavior == PROMPT_REQUIRED)


@dataclass(frozen=True, slots=True)
class GoalParams:
    """``_session/goal``. ``objective`` is set for ``set`` and None for ``clear``."""

    session_id: str
    objective: str | None

    @classmethod
    def parse(cls, params: object) -> GoalParams:
        """Raises invalid params for another action and for a blank id or objective."""
        values = Params(params)
        session, action = _not_blank(values, "sessionId"), values.text("action")
        if action == "clear":
            return cls(session, None)
        if action != "set":
            raise values.wrong("action", "set or clear")
        return cls(session, _not_blank(values, "objective").strip())


@dataclass(frozen=True, slots=True)
class StopTaskParams:
    """``_session/async_task/stop``. The session is that of the task, the root or a child."""

    session_id: str
    task_id: str

    @classmethod
    def parse(cls, params: object) -> StopTaskParams:
        """Raises invalid params, also for blank ids."""
        values = Params(params)
        return cls(_not_blank(values, "sessionId"), _not_blank(values, "asyncTaskId"))


@dataclass(frozen=True, slots=True)
class BatchGetParams:
    """``_session/batch_get``: ids in the order in which they were asked for."""

    session_ids: tuple[str, ...]

    @classmethod
    def parse(cls, params: object) -> BatchGetParams:
        """Raises invalid params for a repeated or blank id and for any other field."""
        values = Params(params)
        strange = values.fields() - {"sessionIds"}
        if strange:
            raise values.wrong("sessionIds", "the only field")
        ids = values.optional_texts("sessionIds")
        if ids is None or not all(id_.strip() for id_ in ids) or len(set(ids)) != len(ids):
            raise values.wrong("sessionIds", "a list of different session ids")
        return cls(ids)


@dataclass(frozen=True, slots=True)
class SubscribeParams:
    """``_session/list/subscribe``: changes of the sessions of one directory."""

    cwd: str

    @classmethod
    def parse(cls, params: object) -> SubscribeParams:
        """Raises invalid params."""
        return cls(Params(params).text("cwd"))


@dataclass(frozen=True, slots=True)
class UnsubscribeParams:
    """``_session/list/unsubscribe``."""

    subscription_id: str

    @classmethod
    def parse(cls, params: object) -> UnsubscribeParams:
        """Raises invalid params."""
        return cls(_not_blank(Params(params), "subscriptionId"))


@dataclass(frozen=True, slots=True)
class RenameParams:
    """``_session/rename``: a title that is not blank, trimmed."""

    session_id: str
    title: str

    @classmethod
    def parse(cls, params: object) -> RenameParams:
        """Raises invalid params."""
        values = Params(params)
        return cls(_not_blank(values, "sessionId"), _not_blank(values, "title").strip())


@dataclass(frozen=True, slots=True)
class ArchiveParams:
    """``_session/archive`` and ``_session/unarchive``."""

    session_id: str

    @classmethod
    def parse(cls, params: object) -> ArchiveParams:
        """Raises invalid params."""
        return cls(_not_blank(Params(params), "sessionId"))


_ARCHIVED = ("unarchived", "archived", "all")
DEFAULT_LIMIT, MOST_ROWS = 50, 200


@dataclass(frozen=True, slots=True)
class ListFilter:
    """What ``session/list`` of an index client asks for in ``_meta``."""

    limit: int = DEFAULT_LIMIT
    archived: str = "unarchived"
    worktrees: bool = False

    @classmethod
    def parse(cls, given: object) -> ListFilter:
        """``given`` is the ``list`` payload, None when absent. Raises invalid params."""
        if given is None:
            return cls()
        values = Params(given, "list.")
        limit = values.raw("limit")
        if limit is not None and (
            not isinstance(limit, int) or isinstance(limit, bool) or limit < 1
        ):
            raise values.wrong("limit", "a whole number from 1")
        archived = values.optional_text("archived")
        if archived is not None and archived not in _ARCHIVED:
            raise values.wrong("archived", "one of unarchived, archived, all")
        worktrees = values.raw("includeWorktrees")
        if worktrees is not None and not isinstance(worktrees, bool):
            raise values.wrong("includeWorktrees", "true or false")
        return cls(
            min(limit or DEFAULT_LIMIT, MOST_ROWS), archived or "unarchived", bool(worktrees)
        )


def _not_blank(values: Params, name: str) -> str:
    text = values.text(name)
    if not text.strip():
        raise values.wrong(name, "a string that is not blank")
    return text
