"""Stored sessions at an agent: listed page by page, opened, copied, changed; what a start goes on
with; and what is told when that fails.
"""

from __future__ import annotations

import time
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from canopy_shared.content import TextContent
from canopy_shared.errors import AcpError, resource_not_found
from canopy_shared.ext import air, canopy, session_index
from canopy_shared.ext.session_index import SessionFacts
from canopy_shared.updates import AgentMessageChunk, SessionUpdate
from canopy_tui.host.first_session import Beginning, FirstSession
from canopy_tui.model import intents as i
from canopy_tui.model.catalogue import ALL, ListedSession, Query, found
from fakes.inproc_agent import InProcessFake
from tui_model.client_world import World, texts, world

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

STORED = [
    {"sessionId": f"old-{n}", "cwd": "/w", "title": f"Title {n}", "updatedAt": f"2026-01-0{n}"}
    for n in (1, 2, 3)
]
INDEX = air.wrap(capabilities=[air.SESSION_INDEX])
CAN = {"loadSession": True, "sessionCapabilities": {"list": {}, "fork": {}, "close": {}}}


def agent(*, index: bool = True, **facts: Any) -> InProcessFake:
    """An agent with three stored sessions, two on a page."""
    fake = InProcessFake()

    def page(params: Any) -> dict[str, Any]:
        rows = [row for row in STORED if params.get("cwd") in (None, row["cwd"])]
        if params.get("cursor"):
            return {"sessions": [*rows[2:], {"no": "id"}, 7]}
        return {"sessions": rows[:2], "nextCursor": "more"}

    def load(params: Any) -> dict[str, Any]:
        session = params["sessionId"]
        if not session.startswith(("old-", "copy-")):
            raise resource_not_found(session)
        chunk = {"sessionUpdate": "agent_message_chunk", "messageId": "m"}
        for text in ("What ", "was."):
            fake.update(session, {**chunk, "content": {"type": "text", "text": text}})
        return {}

    hello = {"protocolVersion": 1, "agentCapabilities": CAN, "_meta": INDEX if index else {}}
    fake.answers = {
        "initialize": lambda _params: {**hello, **facts},
        "session/list": page,
        "session/load": load,
        "session/fork": lambda params: {"sessionId": "copy-of-" + params["sessionId"]},
        "_session/batch_get": lambda params: {
            "sessions": [row for row in STORED if row["sessionId"] in params["sessionIds"]]
        },
    }
    return fake


@asynccontextmanager
async def begun(
    fake: InProcessFake, tmp_path: Path, beginning: Beginning | None = None
) -> AsyncIterator[World]:
    async def launch() -> Any:
        return fake

    async with world(launch, tmp_path, beginning) as made:
        await made.ready()
        yield made


async def test_a_session_is_listed_opened_and_makes_the_empty_one_close(tmp_path: Path) -> None:
    fake = agent()
    async with begun(fake, tmp_path) as made:
        first = made.root.id
        made.act(i.ListSessions(Query("/w")))
        catalogue = made.state.catalogue
        await made.until(lambda: catalogue.cursor, "a page")
        made.act(i.ListSessions(Query("/w"), more=True))
        made.act(i.ListSessions(Query("/w"), more=True))  # it is on its way already
        await made.until(lambda: len(catalogue.rows) == 3, "the next page")
        assert [row.title for row in catalogue.rows] == ["Title 1", "Title 2", "Title 3"]
        assert sum(method == "session/list" for method, _ in fake.calls) == 2
        assert fake.calls[-1][1]["_meta"]["jetbrains"]["air"]["list"]["archived"] == "unarchived"
        made.act(i.LoadSession("old-2", "/w", "Title 2", instead_of=first))
        await made.until(lambda: made.state.roots == ["old-2"], "the session")
        assert texts(made.root) == "What was."
        assert (made.root.title, made.root.unseen) == ("Title 2", 0)
        assert ("session/close", {"sessionId": first}) in fake.calls
        made.act(i.ForkSession("old-2", "/w", "Title 2", instead_of="old-2"))
        await made.until(lambda: len(made.state.roots) == 2, "the copy")
        assert made.root.id == "copy-of-old-2"
        await made.until(lambda: texts(made.root) == "What was.", "its history")


async def test_a_session_is_renamed_archived_and_deleted(tmp_path: Path) -> None:
    fake = agent()
    async with begun(fake, tmp_path) as made:
        made.act(i.ListSessions(Query()))
        catalogue = made.state.catalogue
        await made.until(lambda: catalogue.rows, "a page")
        made.act(i.RenameSession("old-1", "New"))
        await made.until(lambda: catalogue.rows[0].title == "New", "the title")
        made.act(i.ArchiveSession("old-1", True))
        await made.until(lambda: catalogue.find("old-1") is None, "the archive")
        made.act(i.LoadSession("old-2", "/w"))
        await made.until(lambda: made.root.id == "old-2", "the session")
        made.act(i.DeleteSession("old-2"))
        await made.until(lambda: "old-2" not in made.state.roots, "its end")
        assert catalogue.rows == []
        fake.answers["session/delete"] = _refuse
        made.act(i.DeleteSession("old-3"))
        problem = await made.until(lambda: made.state.problem, "a problem")
        assert (problem.title, problem.detail) == ("The session was not deleted", "disk is full")


def _refuse(_params: Any) -> Any:
    raise AcpError(-32603, "disk is full")


async def test_a_session_that_cannot_be_opened_leaves_no_row(tmp_path: Path) -> None:
    async with begun(agent(), tmp_path) as made:
        made.act(i.LoadSession("gone", "/w", "Old", instead_of=made.root.id))
        problem = await made.until(lambda: made.state.problem, "a problem")
        assert problem.title == "The session was not opened"
        assert "no such session" in problem.detail
        assert problem.offers == "sessions"
        assert made.state.roots == ["S1"]


async def test_a_list_that_fails_says_so_and_can_be_asked_again(tmp_path: Path) -> None:
    fake = agent()
    page = fake.answers["session/list"]
    fake.answers["session/list"] = _refuse
    async with begun(fake, tmp_path) as made:
        made.act(i.ListSessions(Query()))
        await made.until(lambda: made.state.catalogue.error == "disk is full", "the error")
        fake.answers["session/list"] = page
        made.act(i.ListSessions(Query()))
        await made.until(lambda: len(made.state.catalogue.rows) == 2, "a page")
        assert made.state.catalogue.error == ""


@pytest.mark.parametrize("index", [True, False])
@pytest.mark.parametrize("wanted", ["old-3", "old-"])
async def test_resume_takes_an_id_or_what_only_one_begins_with(
    tmp_path: Path, index: bool, wanted: str
) -> None:
    begin = Beginning(FirstSession(resume=wanted))
    async with begun(agent(index=index), tmp_path, begin) as made:
        if wanted == "old-3":
            assert made.state.roots == ["old-3"]
            assert made.root.cwd == "/w"
            assert made.state.problem is None
        else:
            problem = await made.until(lambda: made.state.problem, "a problem")
            assert "old-" in problem.detail
            assert made.state.roots == ["S1"]


@pytest.mark.parametrize(
    ("wish", "title", "advice"),
    [
        (FirstSession(resume="nothing"), "no such session", "Pick one"),
        (FirstSession(last=True), "no session here", "{sessions}"),
        (FirstSession(choose=True), "", ""),
    ],
)
async def test_a_wish_that_cannot_be_fulfilled_is_told_over_a_new_session(
    tmp_path: Path, wish: FirstSession, title: str, advice: str
) -> None:
    async with begun(agent(), tmp_path, Beginning(wish)) as made:
        problem = await made.until(lambda: made.state.problem, "a problem")
        assert title in problem.title
        assert advice in problem.advice
        assert made.state.roots == ["S1"]
        assert (problem.offers == "sessions") == (not wish.last)


async def test_continue_takes_the_last_session_of_the_directory() -> None:
    async with begun(agent(), Path("/w"), Beginning(FirstSession(last=True))) as made:
        assert made.state.roots == ["old-2"]  # the newest of the first page


async def test_continue_takes_the_one_that_was_written_to_last() -> None:
    """All that were open change at the end of a run, when the CLI notes what they cost."""
    asked = {"old-1": "2026-01-01T09:00:00Z", "old-2": "2026-01-01T08:00:00Z"}
    fake = agent()
    fake.answers["session/list"] = lambda _params: {
        "sessions": [
            {**row, "_meta": session_index.wrap(SessionFacts(last_prompt_at=asked.get(id_)))}
            for row in STORED
            if (id_ := row["sessionId"])
        ]
    }
    async with begun(fake, Path("/w"), Beginning(FirstSession(last=True))) as made:
        assert made.state.roots == ["old-1"]


@pytest.mark.parametrize("said", [1_000.5, "then", True, -1, 1e12])
async def test_history_is_of_the_time_at_which_it_happened(said: Any) -> None:
    fake = agent()

    def load(params: Any) -> dict[str, Any]:
        chunk = AgentMessageChunk(TextContent("Long ago."), "m")
        meta = canopy.told_at(said)
        fake.peer.notify("session/update", SessionUpdate(params["sessionId"], chunk, meta))
        return {}

    fake.answers["session/load"] = load
    before = time.time()
    async with begun(fake, Path("/w"), Beginning(FirstSession(last=True))) as made:
        await made.until(lambda: texts(made.root) == "Long ago.", "its history")
        at = made.root.entries[0].at
        assert at == said if said == 1_000.5 else at >= before


async def test_a_session_of_a_directory_that_is_not_trusted_is_not_opened(tmp_path: Path) -> None:
    begin = Beginning(FirstSession(resume="old-1"), may_open=lambda place: place != "/w")
    async with begun(agent(), tmp_path, begin) as made:
        problem = await made.until(lambda: made.state.problem, "a problem")
        assert "cd /w && canopy --resume old-1" in problem.advice
        assert made.state.roots == ["S1"]


async def test_an_agent_that_cannot_load_or_list_says_so(tmp_path: Path) -> None:
    fake = agent(agentCapabilities={})
    async with begun(fake, tmp_path, Beginning(FirstSession(resume="old-1"))) as made:
        problem = await made.until(lambda: made.state.problem, "a problem")
        assert "cannot load" in problem.title


async def test_a_start_goes_on_where_listing_fails(tmp_path: Path) -> None:
    fake = agent()

    def fails(_params: Any) -> Any:
        raise AcpError(-32603, "no disk")

    fake.answers["session/list"] = fails
    async with begun(fake, tmp_path, Beginning(FirstSession(last=True))) as made:
        problem = await made.until(lambda: made.state.problem, "a problem")
        assert problem.detail == "no disk"


def test_words_are_looked_for_everywhere() -> None:
    rows = [
        ListedSession(id="a1", title="Fix the Till", cwd="/srv/shop", model="opus"),
        ListedSession(id="b2", title="Other", cwd="/home/till"),
    ]
    for words, ids in (
        ("", ["a1", "b2"]),
        ("till", ["a1", "b2"]),
        ("Till", ["a1"]),
        ("fix shop", ["a1"]),
        ("opus", ["a1"]),
        ("b2", ["b2"]),
        ("fix home", []),
    ):
        assert [row.id for row in found(rows, words)] == ids, words
    assert Query(None, ALL) != Query(None)


@pytest.mark.parametrize("wish", [FirstSession(resume="old-2"), FirstSession(last=True)])
async def test_a_session_that_another_client_has_open_is_not_taken_up_unasked(
    wish: FirstSession,
) -> None:
    held = {"old-2": "(process 7)"}
    async with begun(agent(), Path("/w"), Beginning(wish, held_elsewhere=held.get)) as made:
        problem = await made.until(lambda: made.state.problem, "a problem")
        assert problem.title == "Another Canopy (process 7) has that session open"
        assert problem.offers == "sessions"
        assert made.state.roots == ["S1"]
