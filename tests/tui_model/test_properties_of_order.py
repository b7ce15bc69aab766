"""What holds in whatever order things happen: the tree of many children, the messages that wait."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import given, settings
from hypothesis import strategies as st

from canopy_tui.host.prompt_flow import PromptFlow
from canopy_tui.model import events as e
from canopy_tui.model import intents as i
from canopy_tui.model import tree
from canopy_tui.model.entries import ToolEntry
from fakes.agent import child_ended, said, spawned, tool, tool_update
from tui_model.reducing import Story

if TYPE_CHECKING:
    from canopy_tui.model.state import QueuedPrompt

PARENTS = {"a": "S", "b": "S", "c": "S", "d": "a", "e": "d", "f": "a"}


def lanes() -> dict[str, list[tuple[str, Any]]]:
    """What each session says, in its own order: (session, update); the end of a child is its own
    last word, on its parent.
    """
    told: dict[str, list[tuple[str, Any]]] = {"S": [("S", said("root", "m0"))]}
    for child in PARENTS:
        words = [said(f"{child}{number} ", f"{child}-m{number // 2}") for number in range(4)]
        calls = [tool(f"{child}-t", name="Read"), tool_update(f"{child}-t", status="completed")]
        told[child] = [(child, one) for one in (*words[:2], calls[0], *words[2:], calls[1])]
        told[child].append((PARENTS[child], child_ended(child)))
    for child, parent in PARENTS.items():
        told[parent].insert(-1, (parent, spawned(child, name=f"name of {child}")))
    return told


def facts(story: Story) -> dict[str, Any]:
    """Who is below whom, how each stands, what each said and did."""
    return {
        view.id: (
            view.parent,
            sorted(view.children),
            view.title,
            view.phase,
            story.messages(view.id),
            [one.status for one in view.entries if isinstance(one, ToolEntry)],
        )
        for view in story.state.sessions.values()
    }


def told_in(order: list[int]) -> Story:
    """A turn that ends early; ``order`` picks whose turn it is among those that can speak."""
    story, left, picks = Story(), lanes(), iter(order)
    story.prompt()
    while any(left.values()):
        known = [name for name, rest in left.items() if rest and name in story.state.sessions]
        name = known[next(picks, 0) % len(known)]
        session, update = left[name].pop(0)
        seen = {view.id: len(view.entries) for view in story.state.sessions.values()}
        story.update(session, update)
        if name == "S" and not left["S"]:
            story.turn_ends()
        for view in story.state.sessions.values():
            assert 0 <= view.unseen <= len(view.entries)
            assert len(view.entries) >= seen.get(view.id, 0)
    return story


@settings(max_examples=100)
@given(st.lists(st.integers(0, 11), max_size=60))
def test_any_interleaving_of_the_children_gives_the_same_tree(order: list[int]) -> None:
    story = told_in(order)
    assert facts(story) == facts(told_in([]))
    assert {one: view.parent for one, view in story.state.sessions.items()} == PARENTS | {"S": None}
    for view in story.state.sessions.values():
        assert sorted(view.children) == [one for one in PARENTS if PARENTS[one] == view.id]
    assert sorted(view.id for _, view in tree.rows(story.state)) == ["S", *PARENTS]
    assert tree.totals(story.state).at_work == 0


class Sending:
    """The endpoint: what it was given to send."""

    def __init__(self, story: Story) -> None:
        self._story = story
        self.sent: list[int] = []

    def prompt(self, session: str, prompt: QueuedPrompt) -> None:
        self.sent.append(prompt.id)
        sent = e.PromptSent(session=session, text=prompt.text, id=prompt.id, at=1.0)
        self._story.happens(sent)

    def steer(self, session: str, prompt: QueuedPrompt) -> None:
        self._story.happens(e.SteerSent(session, prompt))


WISHES = ("send", "send", "steer", "steer one", "edit", "remove", "let go")
HAPPENS = ("end_turn", "error", "cancelled", "taken", "no_turn", "refused", "lost", "ready")
LETS_GO = ("send", "steer", "steer one", "let go", "ready")


@settings(max_examples=250)
@given(st.lists(st.tuples(st.sampled_from(WISHES + HAPPENS), st.integers(0, 5)), max_size=40))
def test_no_message_is_lost_or_sent_twice_whatever_happens(steps: list[tuple[str, int]]) -> None:
    story = Story()
    able = {"meta": {"steering": {"supported": True}}}
    story.happens(e.LinkChanged(status="ready", at=1.0, **able))
    endpoint, root = Sending(story), story.view()
    linked, taken, removed, steered = [True], list[int](), set[int](), set[int]()
    flow = PromptFlow(
        story.state, lambda: endpoint if linked[0] else None, story.happens, lambda: 1.0  # type: ignore[arg-type,return-value]
    )  # fmt: skip
    written = 0

    def turn_ends(reason: str) -> None:
        if root.in_turn:
            story.turn_ends(reason)
            flow.turn_ended(root, reason)

    def steer_ends(outcome: str) -> None:
        for prompt in root.steering[:1]:
            taken.extend([prompt.id] * (outcome == "taken"))
            ended = e.SteerEnded(session="S", prompt=prompt.id, outcome=outcome, at=1.0)
            story.happens(ended)
            flow.steer_ended(root, ended)

    for what, number in steps:
        one = root.queue[number % len(root.queue)] if root.queue else None
        before, held = len(endpoint.sent), root.queue_held
        match what:
            case "send" | "steer":
                written += 1
                wish = i.SendPrompt if what == "send" else i.SteerPrompt
                flow.act(root, wish("S", f"text {written}"))
            case "steer one" if one is not None:
                flow.act(root, i.SteerQueued("S", one.id))
            case "edit" if one is not None:
                flow.act(root, i.EditQueued("S", one.id, f"{one.text}!"))
            case "remove" if one is not None:
                removed.add(one.id)
                flow.act(root, i.RemoveQueued("S", one.id))
            case "let go":
                flow.act(root, i.SendQueue("S"))
            case "end_turn" | "error" | "cancelled":
                turn_ends(what)
            case "taken" | "no_turn" | "refused":
                steer_ends(what)
            case "lost":
                linked[0] = False
                while root.steering:
                    steer_ends("disconnected")
                turn_ends("disconnected")
                story.happens(e.LinkChanged(status="lost", at=1.0))
            case "ready":
                linked[0] = True
                story.happens(e.LinkChanged(status="ready", at=1.0, **able))
                story.happens(e.SessionOpened(session="S", at=1.0))
        if what in ("error", "cancelled", "lost") or (held and what not in LETS_GO):
            assert len(endpoint.sent) == before  # what waits is held then
        steered |= {prompt.id for prompt in root.steering}
        waits = [prompt.id for prompt in (*root.queue, *root.steering)]
        somewhere = [*waits, *endpoint.sent, *taken, *removed]
        assert sorted(somewhere) == list(range(1, written + 1)), (what, somewhere)
        usual = [number for number in endpoint.sent if number not in steered]
        assert usual == sorted(usual)
        assert not (root.queue and linked[0] and not root.in_turn and not root.queue_held)
