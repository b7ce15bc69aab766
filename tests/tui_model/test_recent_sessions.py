"""The client's own list of sessions, for an agent that goes on with them but keeps no list."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from canopy_shared.errors import resource_not_found
from canopy_shared.updates import SessionInfoUpdate
from canopy_tui.host.first_session import Beginning, FirstSession
from canopy_tui.host.session_library import NO_HISTORY
from canopy_tui.kept.recent_sessions import MOST, RecentSessions
from canopy_tui.model import events as e
from canopy_tui.model import intents as i
from canopy_tui.model.catalogue import Query
from fakes.agent import said
from fakes.inproc_agent import InProcessFake
from tui_model.client_world import World, notices, texts

if TYPE_CHECKING:
    from pathlib import Path

READY = e.LinkChanged(status="ready", at=1.0, remembers=True)
SECRET = ("agent", "--token", "hunter2")


def spoken(recent: RecentSessions, session: str, at: float, cwd: str = "/w") -> None:
    recent.observe(e.SessionOpened(session=session, at=at, cwd=cwd))
    recent.observe(e.PromptSent(session=session, text=f"Do  {session}\n", at=at))


def titles(recent: RecentSessions, cwd: str | None = None) -> list[str]:
    return [row.title for row in recent.rows(Query(cwd))]


def test_a_session_is_noted_with_its_first_message(tmp_path: Path) -> None:
    recent = RecentSessions(tmp_path, SECRET)
    recent.observe(READY)
    recent.observe(e.SessionOpened(session="silent", at=1.0, cwd="/w"))
    recent.observe(e.UpdateArrived("silent", SessionInfoUpdate(title="A title"), 1.0))
    spoken(recent, "one", 2.0)
    spoken(recent, "two", 3.0, cwd="/elsewhere")
    spoken(RecentSessions(tmp_path, SECRET), "unready", 4.0)
    assert titles(recent) == ["Do two", "Do one"]
    assert titles(recent, "/w") == ["Do one"]
    assert titles(RecentSessions(tmp_path, ("other",))) == []
    recent.observe(e.UpdateArrived("one", SessionInfoUpdate(title="Rounding \n errors"), 5.0))
    recent.observe(e.PromptSent(session="one", text="And on", at=6.0))
    assert titles(RecentSessions(tmp_path, SECRET)) == ["Rounding errors", "Do two"]
    assert recent.rows(Query())[0].updated_at == "1970-01-01T00:00:06+00:00"
    recent.forget("two")
    assert titles(recent) == ["Rounding errors"]
    [file] = tmp_path.iterdir()
    assert "hunter2" not in file.read_text()
    assert file.stat().st_mode & 0o077 == 0
    recent.observe(e.LinkChanged(status="ready", at=7.0))  # an agent that lists its sessions
    recent.observe(e.PromptSent(session="one", text="More", at=8.0))
    assert recent.rows(Query())[0].updated_at == "1970-01-01T00:00:06+00:00"


@pytest.mark.parametrize(
    "content",
    [b"", b"\xff", b"{}", b"[" * 100_000, b'[7, {"agent": "a"}, {"at": true}]', b"[[]]"],
)
def test_a_broken_file_is_as_good_as_none(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "recent.json").write_bytes(content)
    recent = RecentSessions(tmp_path, SECRET)
    recent.observe(READY)
    assert titles(recent) == []
    spoken(recent, "one", 2.0)
    assert titles(recent) == ["Do one"]
    blocked = RecentSessions(tmp_path / "recent.json", SECRET)  # a file where its folder should be
    blocked.observe(READY)
    spoken(blocked, "one", 2.0)
    assert titles(blocked) == []


def test_the_list_is_bounded_and_what_is_odd_is_cut_or_left_out(tmp_path: Path) -> None:
    recent = RecentSessions(tmp_path, SECRET)
    recent.observe(READY)
    spoken(recent, "first", 1.0)
    [row] = json.loads((tmp_path / "recent.json").read_text())
    rows = [{**row, "session": f"s{n}", "at": n} for n in range(2, MOST + 2)]
    (tmp_path / "recent.json").write_text(json.dumps([row, *rows, {**row, "at": 1e300}]))
    assert recent.rows(Query())[0].updated_at == ""
    spoken(recent, "x" * 5000, 9e9)
    spoken(recent, "new", 9e9)
    recent.observe(e.PromptSent(session="new", text="y" * 5000, at=9e9))
    assert len(recent.rows(Query())) == MOST
    assert max(map(len, titles(recent))) <= 200


def agent(**capabilities: Any) -> InProcessFake:
    fake = InProcessFake()
    fake.answers["initialize"] = lambda _params: {
        "protocolVersion": 1,
        "agentCapabilities": capabilities,
    }
    return fake


def remembering(fake: InProcessFake, folder: Path, wish: FirstSession) -> World:
    async def launch() -> Any:
        return fake

    recent = RecentSessions(folder / "state", ("agent",))
    beginning = Beginning(wish)
    return World(launch, folder, {}, beginning, recent.observe, recent)


async def test_an_agent_without_a_list_is_gone_on_with(tmp_path: Path) -> None:
    first = remembering(agent(loadSession=True), tmp_path, FirstSession())
    first.controller.start()
    await first.ready()
    first.act(i.SendPrompt("S1", "Fix the till"))
    await first.until(lambda: first.root.in_turn, "the turn")
    await first.controller.aclose()

    fake = agent(loadSession=True)

    def load(params: Any) -> dict[str, Any]:
        if params["sessionId"] != "S1":
            raise resource_not_found(params["sessionId"])
        fake.update("S1", said("What was."))
        return {}

    fake.answers["session/load"] = load
    again = remembering(fake, tmp_path, FirstSession(last=True))
    again.controller.start()
    await again.until(lambda: again.state.roots == ["S1"] and texts(again.root), "the session")
    assert again.state.link.remembers
    again.act(i.ListSessions(Query(str(tmp_path))))
    catalogue = again.state.catalogue
    await again.until(lambda: catalogue.rows, "the list")
    assert [(row.id, row.title) for row in catalogue.rows] == [("S1", "Fix the till")]
    again.act(i.LoadSession("S2", str(tmp_path)))
    problem = await again.until(lambda: again.state.problem, "a problem")
    assert "no such session" in problem.detail
    again.act(i.DeleteSession("S1"))
    await again.until(lambda: not catalogue.rows, "the end of the row")
    assert again.state.roots == ["S1"]
    assert not any(method == "session/delete" for method, _ in fake.calls)
    await again.controller.aclose()


async def test_an_agent_that_only_resumes_goes_on_without_its_history(tmp_path: Path) -> None:
    fake = agent(sessionCapabilities={"resume": {}})
    world = remembering(fake, tmp_path, FirstSession(resume="S9"))
    world.controller.start()
    await world.until(lambda: world.state.roots == ["S9"] and notices(world.root), "the session")
    assert notices(world.root)[0].title == NO_HISTORY
    assert ("session/load") not in dict(fake.calls)
    assert dict(fake.calls)["session/resume"]["sessionId"] == "S9"
    await world.controller.aclose()
