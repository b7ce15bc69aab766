"""A stored session while it is loaded: how far it is, what waits for it, and how it is given up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from canopy_shared.codec import decode_update
from canopy_tui.host.first_session import Beginning, FirstSession
from canopy_tui.model import events as e
from canopy_tui.model import intents as i
from canopy_tui.model.loading import progress
from canopy_tui.model.reduce import reduce
from canopy_tui.model.state import ClientState
from fakes.agent import said, spawned, tool
from fakes.inproc_agent import InProcessFake
from tui_model.client_world import texts, world

if TYPE_CHECKING:
    from pathlib import Path

OLD = i.LoadSession("old", "/w", "Old")


def loading_agent() -> InProcessFake:
    """Loads are begun and never answered."""
    fake = InProcessFake()
    fake.answers["initialize"] = lambda _params: {
        "protocolVersion": 1,
        "agentCapabilities": {"loadSession": True, "sessionCapabilities": {"close": {}}},
    }
    fake.silent = frozenset({"session/load"})
    return fake


async def test_a_load_is_counted_and_given_up(tmp_path: Path) -> None:
    fake = loading_agent()

    async def launch() -> Any:
        return fake

    async with world(launch, tmp_path) as made:
        await made.ready()
        made.act(OLD)
        await made.until(lambda: "session/load" in dict(fake.calls), "the load")
        fake.update("old", said("What "))
        fake.update("old", spawned("child"))
        fake.update("child", tool("t1"))
        await made.until(lambda: made.root.loading and made.root.loading.updates == 3, "a count")
        words = progress(made.state, made.root, made.root.loading.since + 4)
        assert words == "3 updates · 4 entries · 1 agent · 4s"
        made.act(i.SendPrompt("old", "Too early"))
        made.act(i.CancelTurn("old"))
        await made.until(lambda: made.state.roots == ["S1"], "its end")
        fake.update("old", said("was."))
        fake.update("S1", said("marker"))
        await made.until(lambda: texts(made.root) == "marker", "what came later")
        assert made.state.unplaced == {}
        assert made.state.problem is None
        await made.until(lambda: fake.calls[-1] == ("session/close", {"sessionId": "old"}), "close")
        assert all(load.cancelled for load in fake.peer._incoming.values())
        assert fake.prompts == []
        fake.silent = frozenset()  # and a second time it may work
        made.act(OLD)
        await made.until(lambda: made.state.roots == ["S1", "old"], "the session")
        fake.update("old", said("It works."))
        await made.until(lambda: texts(made.root) == "It works.", "its text")
        assert made.root.loading is None


async def test_what_is_written_meanwhile_goes_when_the_session_is_there(tmp_path: Path) -> None:
    fake = loading_agent()

    async def launch() -> Any:
        return fake

    begin = Beginning(FirstSession(resume="old"))
    async with world(launch, tmp_path, begin) as made:
        await made.until(lambda: made.state.roots == ["old"], "the load")
        made.act(i.SendPrompt("old", "Go on"))
        assert [one.text for one in made.root.queue] == ["Go on"]
        made.controller.apply(e.SessionOpened(session="old", at=1.0))
        await made.until(lambda: fake.prompts, "the message")
        assert made.root.queue == []


async def test_a_start_whose_load_is_given_up_begins_anew(tmp_path: Path) -> None:
    fake = loading_agent()

    async def launch() -> Any:
        return fake

    begin = Beginning(FirstSession(resume="old"))
    async with world(launch, tmp_path, begin) as made:
        await made.until(lambda: made.state.roots == ["old"], "the load")
        made.act(i.CancelTurn("old"))
        await made.until(lambda: made.state.roots == ["S1"], "a new session")


def test_a_load_that_fails_or_is_lost_is_no_load_any_more() -> None:
    state = ClientState()
    for end in (
        e.ReplayFailed(session="old"),
        e.LinkChanged(status="lost", at=3.0),
        e.SessionOpened(session="old", at=3.0),
    ):
        reduce(state, e.LinkChanged(status="ready", at=1.0))
        reduce(state, e.ReplayStarted(session="old", at=1.0))
        reduce(state, e.UpdateArrived("old", decode_update(said("x")), 2.0))
        assert state.sessions["old"].loading is not None
        assert reduce(state, end)
        assert state.sessions["old"].loading is None
        assert progress(state, state.sessions["old"], 4.0) == ""
