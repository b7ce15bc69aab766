"""Rules for what the conversation says: text, thoughts, pictures, output of local commands.

They decide where output belongs and whether it still counts; how it looks is the renderer's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from canopy_agent.domain import events as e
from canopy_agent.domain.child_options import MODEL
from canopy_agent.domain.effects import Effect, Show
from canopy_agent.domain.facts import Pictured, Said, Thought
from canopy_agent.domain.state import MESSAGE_LIFECYCLE

if TYPE_CHECKING:
    from canopy_agent.domain.facts import UsageShown
    from canopy_agent.domain.state import SessionState


def note_work(state: SessionState, parent: str | None) -> None:
    """Output of the main conversation while no turn runs: Claude Code works by itself."""
    if parent is not None or state.turns.foreground or state.window.open:
        return
    if state.turns.queued() and MESSAGE_LIFECYCLE not in state.capabilities:
        return  # the output may be that prompt's
    state.turns.autonomous = True


def _gauge(state: SessionState, shown: UsageShown | None) -> list[Effect]:
    return [] if shown is None else [Show(state.root, shown)]


def on_window(state: SessionState, event: e.WindowKnown) -> list[Effect]:
    """The gauge gets its scale."""
    return _gauge(state, state.usage.window_known(event.size))


def _child_model(state: SessionState, parent: str, model: str | None) -> list[Effect]:
    """A subagent's response names the model that it runs on."""
    agent = state.children.agent_of_call(parent)
    if agent is None:
        return []
    state.options.learned(agent, MODEL, model)
    return state.options.tell(agent, state.children)


def on_message_began(state: SessionState, event: e.MessageBegan) -> list[Effect]:
    """The gauge follows the main conversation only."""
    note_work(state, event.parent)
    if event.parent is not None:
        return _child_model(state, event.parent, event.model)
    if state.drops(None):
        return []
    return _gauge(state, state.usage.began(event.model, event.usage, event.message_id))


def on_message_usage(state: SessionState, event: e.MessageUsage) -> list[Effect]:
    """Newer counts of the message that streams."""
    if event.parent is not None or state.drops(None):
        return []
    return _gauge(state, state.usage.grew(event.usage))


def on_text(state: SessionState, event: e.TextCame) -> list[Effect]:
    """Text or thinking of anybody."""
    note_work(state, event.parent)
    if not event.text or state.drops(event.parent):
        return []
    if event.failure and event.parent is None and state.failures is not None:
        return []  # the record of the failure says it
    if event.parent is None and not event.thinking:
        if not event.streamed and _says_again(state, event.text):
            return []
        state.printed.said("" if event.streamed else event.text)
        state.delivered = True
    kind = Thought if event.thinking else Said
    return state.place(kind(event.text, event.message_id), event.parent, streamed=event.streamed)


def _says_again(state: SessionState, text: str) -> bool:
    """Whether a whole message only repeats what a command printed, or how a compaction ended."""
    if state.printed.repeated_by_message(text):
        return True
    return state.compactions.repeats(text, command=False)


def on_image(state: SessionState, event: e.ImageCame) -> list[Effect]:
    """An image of the assistant."""
    if state.drops(event.parent):
        return []
    picture = Pictured(event.data, event.mime_type, event.uri, event.message_id)
    return state.place(picture, event.parent, streamed=False)


def on_message_said(state: SessionState, event: e.MessageSaid) -> list[Effect]:
    """A complete message: remember the error that it stands for, and its counts if it never
    streamed.
    """
    if event.parent is not None:
        return _child_model(state, event.parent, event.model)
    if event.error is not None and state.turns.active is not None:
        state.turns.active.error_kind = event.error
    if state.drops(None):
        return []
    return _gauge(state, state.usage.said(event.model, event.usage, event.message_id))


def on_local_output(state: SessionState, event: e.LocalOutput) -> list[Effect]:
    """Output of a local command belongs to the answer, once however often the CLI repeats it."""
    if not event.text or state.drops(None):
        return []
    if event.uuid is not None and state.turns.is_ours(event.uuid):
        return []  # what a person typed only looks like it
    if state.printed.repeated_by_command(event.text):
        return []
    if state.compactions.repeats(event.text, command=True):
        return []
    state.printed.printed(event.text)
    state.delivered = True
    return [Show(state.root, Said(event.text, event.uuid))]
