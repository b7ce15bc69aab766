"""Carries the CLI's questions to the client and the answers back, each answered once or withdrawn.

Options and forms come from the brokers; which session a question belongs to was decided by the
core.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, assert_never

from canopy_agent.brokers import dialogs, elicitation
from canopy_agent.brokers.asked import (
    ControlAnswer,
    ControlError,
    ControlResult,
    PermissionAsked,
    parse_permission_asked,
)
from canopy_agent.brokers.choices import Choice
from canopy_agent.brokers.permission_options import (
    Decision,
    PermissionPolicy,
    decide,
    options_for,
)
from canopy_agent.domain import effects as fx
from canopy_shared.elicitation import ElicitationAnswer
from canopy_shared.permission import PermissionOutcome, PermissionRequest

if TYPE_CHECKING:
    from canopy_agent.capabilities import ClientProfile
    from canopy_agent.claude.control import ControlPeer
    from canopy_agent.render.renderer import Renderer
    from canopy_shared.frames import Response
    from canopy_shared.ids import RequestId
    from canopy_shared.outbound import Outbound

log = logging.getLogger(__name__)

Json = Mapping[str, Any]
PERMISSION = "session/request_permission"
ELICITATION = "elicitation/create"

Asking = (
    fx.AskPermission | fx.AskQuestion | fx.AskElicitation | fx.AskDialog | fx.Refuse | fx.Withdraw
)

NOT_ASKED = "The client could not ask the user for permission"


@dataclass(slots=True)
class Carried:
    """One question on its way. ``request`` is the id of our call to the client."""

    raw: Json
    control: ControlPeer
    request: RequestId | None = None


class Questions:
    """All questions of one session that are open at the client.

    ``on_closed(key, allowed)`` is called when a question was answered; ``on_decided`` with the
    person's decision on a permission, before the CLI hears of it. ``was_cancelled`` says whether
    the client cancelled what asks: where work is reported, ``cancelled`` is a plain refusal else.
    """

    def __init__(
        self,
        peer: Outbound,
        profile: ClientProfile,
        renderer: Renderer,
        *,
        root: str,
        policy: Callable[[], PermissionPolicy],
        on_closed: Callable[[str, bool], None],
        on_decided: Callable[[PermissionAsked, Decision], None],
        was_cancelled: Callable[[str], bool] = lambda key: True,
    ) -> None:
        self._peer = peer
        self._profile = profile
        self._renderer = renderer
        self._root = root
        self._policy = policy
        self._on_closed = on_closed
        self._on_decided = on_decided
        self._was_cancelled = was_cancelled
        self._open: dict[str, Carried] = {}
        self.marks_unanswered = False
        """The CLI takes marks for questions that were left open."""

    def arrived(self, key: str, raw: Json, control: ControlPeer) -> None:
        """The CLI asked; keep the question until the core says where it goes."""
        self._open[key] = Carried(raw, control)

    # --- asking -----------------------------------------------------------------------------------

    def run(self, effect: Asking, used_percent: int | None = None) -> None:
        """Carry out what the core decided of a question."""
        match effect:
            case fx.AskPermission():
                self.permission(effect, used_percent)
            case fx.AskQuestion(key, session, _, _):
                self.question(key, session)
            case fx.AskElicitation(key):
                self.mcp(key, str(uuid.uuid4()))
            case fx.AskDialog(key):
                self.dialog(key)
            case fx.Refuse(key, message):
                self.refuse(key, message)
            case fx.Withdraw(key):
                self.withdraw(key)
            case _:
                assert_never(effect)

    def permission(self, ask: fx.AskPermission, used_percent: int | None) -> None:
        """Ask for permission; ``used_percent`` says how full the context is, if known."""
        key, carried = ask.key, self._open[ask.key]
        asked = parse_permission_asked(carried.raw)
        if asked is None:
            self._answer(key, ControlError("the permission request is malformed"))
            return
        try:
            policy = _for_request(self._policy(), ask, used_percent)
            choices = options_for(asked, policy)
        except ValueError as error:
            self._answer(key, ControlError(str(error)))
            return
        params = self._permission_params(asked, ask.session, ask.parent, choices)

        def answered(response: Response) -> None:
            if response.error is not None:
                log.warning("the client could not ask: %s", response.error.message)
                self._answer(key, ControlError(NOT_ASKED))
                return
            outcome = PermissionOutcome.parse(response.result)
            apart = ask.background
            if self._profile.reports_work and not self._was_cancelled(key):
                apart = True
            decision = decide(outcome, choices, asked, policy, in_background=apart)
            self._on_decided(asked, decision)
            self._answer(key, decision.answer)

        carried.request = self._peer.call(PERMISSION, params, answered)

    def _permission_params(
        self,
        asked: PermissionAsked,
        session: str,
        parent: str | None,
        choices: tuple[Choice, ...],
    ) -> Json:
        server = asked.mcp_server
        call, meta = self._renderer.permission_tool_call(
            asked.tool_use_id,
            asked.tool_name,
            asked.input,
            parent,
            mcp_server=server.to_meta() if server is not None else None,
            blocked_path=asked.blocked_path,
            reason=asked.decision_reason,
            default_to_no=asked.default_to_no,
            display_name=asked.display_name,
        )
        options = tuple(choice.to_option() for choice in choices)
        request = PermissionRequest(session, call, options)
        params = request.to_params()
        return {**params, "_meta": meta} if meta else params

    def question(self, key: str, session: str) -> None:
        """Put an AskUserQuestion as a form."""
        asked = parse_permission_asked(self._open[key].raw)
        form = elicitation.question_form(session, asked, self._profile) if asked else None
        if asked is None or form is None:
            self._answer(key, elicitation.no_questions())
            return

        def read(answer: ElicitationAnswer) -> ControlAnswer:
            assert asked is not None
            marks = self.marks_unanswered
            return elicitation.answer_questions(asked, answer, marks_unanswered=marks)

        self._elicit(key, form, read, failed=elicitation.not_presented())

    def mcp(self, key: str, new_id: str) -> None:
        """Put the elicitation of an MCP server."""
        raw = self._open[key].raw
        form = elicitation.mcp_request(self._root, raw, self._profile, new_id)
        if form is None:
            self._answer(key, elicitation.mcp_cancel())
            return
        self._elicit(key, form, elicitation.mcp_answer, failed=elicitation.mcp_cancel())

    def dialog(self, key: str) -> None:
        """Put a dialog of the CLI."""
        form = dialogs.dialog_form(self._root, self._open[key].raw, self._profile)
        if form is None:
            self._answer(key, dialogs.not_shown())
            return
        self._elicit(key, form, dialogs.dialog_answer, failed=dialogs.not_shown())

    def _elicit(
        self,
        key: str,
        params: Json,
        read: Callable[[ElicitationAnswer], ControlAnswer],
        *,
        failed: ControlAnswer,
    ) -> None:
        def answered(response: Response) -> None:
            if response.error is not None:
                log.warning("the client could not show a form: %s", response.error.message)
                self._answer(key, failed)
                return
            self._answer(key, read(ElicitationAnswer.parse(response.result)))

        self._open[key].request = self._peer.call(ELICITATION, params, answered)

    # --- answering --------------------------------------------------------------------------------

    def refuse(self, key: str, message: str) -> None:
        """Answer a permission question with a refusal of our own."""
        carried = self._open.pop(key, None)
        if carried is not None:
            carried.control.answer(key, {"behavior": "deny", "message": message})

    def _answer(self, key: str, answer: ControlAnswer) -> None:
        carried = self._open.pop(key, None)
        if carried is None:
            return
        allowed = False
        match answer:
            case ControlResult(response):
                carried.control.answer(key, response)
                allowed = response.get("behavior") == "allow"
            case ControlError(error):
                carried.control.refuse(key, error)
        self._on_closed(key, allowed)

    def withdraw(self, key: str) -> None:
        """Take a question back from the client; the CLI expects no answer."""
        carried = self._open.pop(key, None)
        if carried is not None and carried.request is not None:
            self._peer.cancel(carried.request)

    def withdraw_all(self) -> None:
        """The CLI is gone, and with it everybody who would hear an answer."""
        for key in list(self._open):
            self.withdraw(key)


def _for_request(
    policy: PermissionPolicy, ask: fx.AskPermission, used_percent: int | None
) -> PermissionPolicy:
    """The policy of one request: a plan needs a turn to go on in a fresh conversation."""
    own = ask.owned and ask.parent is None
    plan = replace(policy.plan, may_restart=own, context_used_percent=used_percent)
    return replace(policy, plan=plan)
