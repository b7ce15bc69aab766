"""One talk in lines: what was typed goes to the agent, what happens goes out, questions in between.

It decides when a turn is over for good, what a typed line is for, and with which code the program
ends; bytes, signals and processes are not known here.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Protocol

from canopy_tui.model import intents as i
from canopy_tui.model import tree
from canopy_tui.model.background import running
from canopy_tui.model.entries import RuleEntry
from canopy_tui.model.own_commands import EXPORT, QUIT, called
from canopy_tui.model.queue import head
from canopy_tui.model.sanitize import visible
from canopy_tui.model.state import Phase
from canopy_tui.model.toolcalls import find
from canopy_tui.model.words import still
from canopy_tui.plain.asking import Question, question_of
from canopy_tui.plain.narrator import CANOPY, Narrator

if TYPE_CHECKING:
    from canopy_tui.model.state import ClientState, PendingRequest, SessionView, Touched

OK = 0
FAILED = 1
CUT_SHORT = 3
"""The model refused, or a limit was reached."""
UNANSWERED = 4
"""A question got the answer no, because nobody was there."""
INTERRUPTED = 130

_STOPS: Mapping[str, int] = {
    "end_turn": OK,
    "not_said": OK,
    "refusal": CUT_SHORT,
    "max_tokens": CUT_SHORT,
    "max_turn_requests": CUT_SHORT,
    "cancelled": INTERRUPTED,
}
IN_LINES = (
    "In lines there are /export md, /export json and /quit, and the agent's own commands; "
    "canopy without --plain has the rest."
)
FOLLOW_UP = 15.0
"""Seconds that the agent gets to say what it makes of a background agent's end."""


def question_about(state: ClientState, request: PendingRequest) -> Question:
    """How to ask for ``request``."""
    view = state.sessions.get(request.session)
    call = find(view, request.tool_call_id) if view and request.tool_call_id else None
    cwd = (view.cwd or state.root_of(view).cwd) if view else ""
    return question_of(request, call, cwd)


def question_lines(
    narrator: Narrator, request: PendingRequest, question: Question, *, answers: bool
) -> list[str]:
    """The question, or its next part, with who asks; how to answer it where somebody can."""
    who = narrator.name_of_session(request.session)
    first, *others = [*question.lines(), *([question.hint()] if answers else [])]
    return [f"{who}: question: {first}", *(f"{who}: {line}" for line in others)]


class Host(Protocol):
    """Who carries things out, as the controller does."""

    @property
    def state(self) -> ClientState: ...
    def act(self, intent: i.Intent) -> None: ...


class Talk:
    """``write`` takes finished lines. ``answers``: somebody types (at least until the end of
    input). ``once``: the program ends with the first prompt. ``spoken``: a person reads the lines.
    ``export`` writes the transcript to a file of a kind and says what became of it.

    Ask :attr:`over` after everything that happens, and at ``wake_at`` (seconds of ``clock``).
    """

    def __init__(
        self,
        host: Host,
        write: Callable[[list[str]], None],
        *,
        once: bool,
        answers: bool,
        echo: bool,
        clock: Callable[[], float],
        spoken: bool = False,
        export: Callable[[str], str] = lambda _kind: "Nothing is exported here.",
    ) -> None:
        self._host = host
        self._write = write
        self._once = self._answers_only = once
        self._answers = answers
        self._clock = clock
        self._export = export
        self._narrator = Narrator(host.state, echo=echo, spoken=spoken)
        self._asked: tuple[int, Question] | None = None
        self._ahead: deque[str] = deque()
        self._unsent: list[str] = []
        self._sent = 0
        self._greeted = False
        self._unanswered = False
        self._interrupted = False
        self._quiet_since: float | None = None
        self.wake_at: float | None = None

    # --- what happens -------------------------------------------------------------------------

    def happened(self, touched: Touched) -> None:
        """Tell what is new, send what can be sent, ask what has to be asked."""
        self._write(self._narrator.lines(touched))
        root = self._root
        if root is not None and not (self._once or self._greeted):
            self._greeted = True
            self._write([f"{CANOPY}: type a message and Enter; Ctrl+D ends"])
        if root is not None and self._unsent:
            unsent, self._unsent = self._unsent, []
            for text in unsent:
                self._send(root, text)
        self._ask()

    def typed(self, line: str) -> None:
        """A line of the person: an answer while a question stands, else a message. With a prompt
        of its own the program takes answers only: those that come early wait for their question.
        """
        self._interrupted = self._interrupted and self._once
        if self._asked is not None:
            self._answer(line)
        elif self._answers_only:
            self._ahead.append(line)
        elif line.strip() and not self._calls(line):
            self.say(line)

    def _calls(self, line: str) -> bool:
        """Carry a command of the client out, which no agent gets; whether it was one."""
        root = self._root
        call = called(line, root.commands if root is not None else ())
        if call is None:
            return False
        if call.command == QUIT.name and not call.fault:
            self.no_more_input()
            return True
        told = call.fault or IN_LINES
        if call.command == EXPORT.name and not call.fault:
            told = self._export(call.value)
        self._write([f"{CANOPY}: {visible(told, multiline=False)}"])
        return True

    def say(self, text: str) -> None:
        """Send a message, or as soon as there is a session."""
        root = self._root
        if root is None:
            self._unsent.append(text)
        else:
            self._send(root, text)

    def no_more_input(self) -> None:
        """Nobody types any more: questions get the answer no, and the end of work is the end."""
        self._answers = False
        self._once = True
        if self._asked is not None:
            _, question = self._asked
            self._asked = None
            self._refuse(question)
        self._ask()

    def interrupt(self) -> bool:
        """Ctrl+C: stop the turn; whether that was of use. If not, the program should end."""
        root = self._root
        again, self._interrupted = self._interrupted, True
        if again or root is None:
            return False
        if root.phase is Phase.RUNNING:
            self._write([f"{CANOPY}: stopping the turn; Ctrl+C again ends the program"])
            self._host.act(i.CancelTurn(root.id))
        elif self._once:
            return False
        else:
            self._write([f"{CANOPY}: Ctrl+C again ends the program{self._still(root)}"])
        return True

    def _still(self, root: SessionView) -> str:
        running, held = tree.running_below(self._host.state, root.id)
        words = still(running, 0, held)
        return f"; {words}" if words else ""

    def _send(self, root: SessionView, text: str) -> None:
        self._sent += 1
        self._host.act(i.SendPrompt(root.id, text))

    @property
    def _root(self) -> SessionView | None:
        state = self._host.state
        return state.sessions[state.roots[-1]] if state.roots else None

    # --- questions ------------------------------------------------------------------------------

    def _ask(self) -> None:
        """Print the oldest question that waits, once; answer it with no when nobody is there."""
        state = self._host.state
        waiting = {request.key for request in state.waiting()}
        if self._asked is not None and self._asked[0] not in waiting:
            self._asked = None
            self._write([f"{CANOPY}: that question no longer needs an answer"])
        while self._asked is None and (request := head(state, None)) is not None:
            question = question_about(state, request)
            self._show(request, question)
            self._asked = (request.key, question)
            while self._ahead and self._asked is not None:
                self._answer(self._ahead.popleft())
            if self._asked is None or self._asked[0] != request.key:
                continue
            if self._answers:
                return
            self._asked = None
            self._refuse(question)
            if request.key in {one.key for one in state.waiting()}:
                return

    def _refuse(self, question: Question) -> None:
        self._unanswered = True
        answer = f"so the answer is no: {question.refused()}"
        self._write([f"{CANOPY}: nobody is there to answer, {answer}"])
        self._host.act(question.refusal())

    def _show(self, request: PendingRequest, question: Question) -> None:
        answers = self._answers or bool(self._ahead)
        self._write(question_lines(self._narrator, request, question, answers=answers))

    @property
    def asks(self) -> bool:
        """Whether a question stands."""
        return self._asked is not None

    def _answer(self, line: str) -> None:
        assert self._asked is not None
        key, question = self._asked
        answer = question.take(line)
        if isinstance(answer, str):
            self._write([f"{CANOPY}: {answer}"])
        elif answer is None:
            request = next(one for one in self._host.state.waiting() if one.key == key)
            self._show(request, question)
        else:
            self._asked = None
            self._host.act(answer)
            self._ask()

    # --- the end ----------------------------------------------------------------------------------

    @property
    def over(self) -> int | None:
        """The exit code when the talk is over, else None."""
        state = self._host.state
        if state.link.status in ("lost", "failed"):
            return self._finish(FAILED)
        root = self._root
        if not self._once or root is None or self._unsent:
            return None
        if root.turns_done + len(root.queue) < self._sent or _last_stop(root) == "disconnected":
            return None  # why the agent is gone will be told
        if self._busy(root):
            self._quiet_since = self.wake_at = None
            return None
        if self._owes_follow_up(root):
            now = self._clock()
            self._quiet_since = now if self._quiet_since is None else self._quiet_since
            self.wake_at = self._quiet_since + FOLLOW_UP
            if now < self.wake_at:
                return None
        return self._finish(self._code(root))

    def _busy(self, root: SessionView) -> bool:
        state = self._host.state
        return bool(
            root.in_turn
            or (root.queue and not root.queue_held)
            or root.phase is Phase.RUNNING
            or any(tree.running_below(state, root.id))
            or state.waiting()
        )

    def _owes_follow_up(self, root: SessionView) -> bool:
        """Whether an agent ended after the turn, and the root has said nothing of it yet."""
        ends = [
            view.ended_at
            for view in tree.below(self._host.state, root.id)
            if view.ended_at is not None and view.ended_at > root.turn_ended_at
        ]
        if not ends:
            return False
        follow_ups = [
            entry
            for entry in root.entries
            if isinstance(entry, RuleEntry) and entry.kind == "after_turn"
        ]
        spoken = [entry.at for entry in root.entries if entry.after_turn is not None]
        return not follow_ups or max(spoken, default=0.0) < max(ends)

    def _code(self, root: SessionView) -> int:
        stop = _last_stop(root)
        code = OK if stop is None else _STOPS.get(stop, FAILED)
        return UNANSWERED if code == OK and self._unanswered else code

    def _finish(self, code: int) -> int:
        self._write(self._narrator.rest())
        for task in running(self._host.state):
            name = visible(task.name, multiline=False)
            self._write([f"{CANOPY}: this background task is stopped now: {name}"])
        return INTERRUPTED if self._interrupted and code == OK else code


def _last_stop(root: SessionView) -> str | None:
    """How the last turn ended."""
    for entry in reversed(root.entries):
        if isinstance(entry, RuleEntry) and entry.kind == "turn_end":
            return entry.text
    return None
