"""Rules for compaction: one report from its start to its end, whoever asked for it.

The CLI tells it in pieces and repeats some of them as the output of a command; how a report looks
is the renderer's. Only the main conversation is followed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from canopy_agent.domain import events as e
from canopy_agent.domain.effects import Effect, Show
from canopy_agent.domain.facts import CompactionBegan, CompactionEnded, CompactionGrew

if TYPE_CHECKING:
    from canopy_agent.domain.state import SessionState

IDLE: Final = "idle"
"""The trigger of a compaction that was asked for while nobody worked."""

_ANALYSIS: Final = re.compile(r"<analysis>.*?</analysis>", re.DOTALL)
_SUMMARY: Final = re.compile(r"<summary>(.*?)</summary>", re.DOTALL)
_DONE: Final = "Compacted"


@dataclass(slots=True)
class Compaction:
    """One that runs. ``streamed`` is the text that was shown of its summary."""

    id: str
    summary: str | None = None
    streamed: str = ""
    succeeded: bool = False


@dataclass(slots=True)
class Compactions:
    """What a session knows of its compactions.

    ``idle_prompt`` is the prompt of ours that compacts an idle session. ``said`` is what a command
    will say again of one that ended since the last result.
    """

    running: Compaction | None = None
    idle_prompt: str | None = None
    said: tuple[str, ...] = field(default=())

    def repeats(self, text: str, *, command: bool) -> bool:
        """Whether a whole text only says again how the last compaction ended.

        The output of a command may say more behind it, words of a model may begin the same way.
        """
        text = text.strip().rstrip(".")
        if command:
            return any(text.startswith(one) for one in self.said)
        return text in self.said and text != _DONE


def summary_of(text: str) -> str | None:
    """The summary in the words of a PostCompact hook; None when its framing is not understood."""
    found = _SUMMARY.search(_ANALYSIS.sub("", text))
    return found[1].strip() or None if found else None


# --- rules ----------------------------------------------------------------------------------------


def on_began(state: SessionState, event: e.CompactionBegan) -> list[Effect]:
    """The CLI compacts; it says so again while it does. A start that crossed the cancel of its
    prompt belongs to work that the client saw end.
    """
    if state.compactions.running is not None or state.window.drops_output:
        return []
    state.compactions.running = Compaction(event.id)
    return [Show(state.root, CompactionBegan(event.id))]


def on_grew(state: SessionState, event: e.CompactionGrew) -> list[Effect]:
    """A piece of the summary streamed."""
    running = state.compactions.running
    if running is None or not event.text:
        return []
    running.streamed += event.text
    return [Show(state.root, CompactionGrew(running.id, event.text))]


def on_summary(state: SessionState, text: object) -> None:
    """The PostCompact hook knows the summary."""
    running = state.compactions.running
    if running is not None and isinstance(text, str):
        running.summary = summary_of(text)


def on_ended(state: SessionState, event: e.CompactionEnded) -> list[Effect]:
    """The CLI says how it went. After a success the boundary follows, with all the figures."""
    running = state.compactions.running
    if running is not None and event.succeeded:
        running.succeeded = True
        return []
    if event.succeeded or (running is None and state.window.open):
        return []  # the end of one that was cancelled has been told
    status = "cancelled" if state.window.open else "failed"
    return _end(state, running or Compaction(event.id), status, event.error)


def on_compacted(state: SessionState, event: e.Compacted) -> list[Effect]:
    """The context shrank: the report is complete, and the gauge follows."""
    running = state.compactions.running or Compaction(event.uuid or "compaction")
    ended = replace(
        _ended(running, "completed"),
        trigger=_trigger(state, event.trigger),
        pre_tokens=event.pre_tokens,
        post_tokens=event.post_tokens,
        duration_ms=event.duration_ms,
    )
    effects = _close(state, ended, (_DONE,))
    return [*effects, Show(state.root, state.usage.compacted(event.post_tokens))]


def leave_off(state: SessionState) -> list[Effect]:
    """The work around it is over: one that got no end of its own has one now."""
    running = state.compactions.running
    if running is None:
        return []
    return _end(state, running, "completed" if running.succeeded else "cancelled", None)


def _end(state: SessionState, running: Compaction, status: str, error: str | None) -> list[Effect]:
    words = (error, "Compaction canceled") if status != "completed" else (_DONE,)
    said = tuple(word.strip().rstrip(".") for word in words if word)
    shown = error if status == "failed" else None
    ended = replace(_ended(running, status), error=shown, trigger=_trigger(state, None))
    return _close(state, ended, said)


def _trigger(state: SessionState, told: str | None) -> str | None:
    """The trigger: what the CLI takes for a command may be ours."""
    prompt = state.compactions.idle_prompt
    ours = prompt is not None and state.turns.find(prompt) is not None
    return IDLE if ours and told != "auto" else told


def _ended(running: Compaction, status: str) -> CompactionEnded:
    summary = running.summary
    if summary is not None and summary == running.streamed.strip():
        summary = None
    return CompactionEnded(running.id, status, summary)


def _close(state: SessionState, ended: CompactionEnded, said: tuple[str, ...]) -> list[Effect]:
    state.compactions.running = None
    state.compactions.said = said
    state.delivered = True
    return [Show(state.root, ended)]
