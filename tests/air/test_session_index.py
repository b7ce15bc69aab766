"""The session index: filters, pages, what a row says, names and the archive, changes.

Numbers in names are those of the scenarios.
"""

from __future__ import annotations

import json
import os
import subprocess
import uuid
from pathlib import Path
from typing import Any

import pytest

from accounts.stage import stage
from air.playing import declares
from canopy_agent.capabilities import client_profile
from canopy_agent.history.ends import ending_of
from canopy_agent.history.listing import Row, title_of
from canopy_agent.history.naming import archive, archived_title, is_archived, rename, unarchive
from canopy_agent.history.registry import running_elsewhere
from canopy_agent.history.worktrees import is_agents_own, worktrees_of
from canopy_agent.session import list_changes
from canopy_agent.session.activity import Activity
from canopy_agent.session.index import Entry, SessionIndex
from canopy_agent.session.list_changes import ListChanges, Subscription
from canopy_agent.session.stored import StoredSessions
from canopy_shared.errors import AcpError
from canopy_shared.ext import air
from canopy_shared.ext import session_index as si
from canopy_shared.extension_requests import ListFilter
from fakes.cli import FakeCli
from store.writing import CWD, Transcript
from waiting import eventually

INDEX = declares(air.SESSION_INDEX)
ALL = ListFilter(archived="all")


class Shelf:
    """Stored sessions below a configuration directory, and an index of them."""

    def __init__(self, config: Path) -> None:
        self.config = config
        self.open: dict[str, Activity] = {}
        stored = StoredSessions(str(config), client_profile(INDEX))
        self.index = SessionIndex(str(config), stored, lambda: self.open)

    def put(self, words: str = "words", at: int = 1000, **fields: Any) -> Transcript:
        """A session whose file was written last ``at`` seconds after 1970."""
        one = Transcript(self.config / "projects", **fields)
        one.user(words)
        one.says("answer")
        self.touch(one, at)
        return one

    @staticmethod
    def touch(one: Transcript, at: int) -> None:
        os.utime(one.path, ns=(at * 10**9, at * 10**9))

    async def page(self, wanted: ListFilter = ALL, cursor: str | None = None) -> Any:
        return await self.index.page(CWD, cursor, wanted)

    async def facts(self, one: Transcript) -> si.SessionFacts:
        (row,) = await self.index.get((one.id,))
        return si.read(row["_meta"])


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path)


# --- filters and pages ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "given",
    [
        {"limit": 0},
        {"limit": -1},
        {"limit": "5"},
        {"limit": True},
        {"limit": 1.5},
        {"archived": "yes"},
        {"archived": 1},
        {"includeWorktrees": "no"},
        [1],
        "all",
    ],
)
def test_scenario_92_bad_filters(given: Any) -> None:
    with pytest.raises(AcpError) as wrong:
        ListFilter.parse(given)
    assert wrong.value.code == -32602


def test_an_empty_list_is_no_filter_as_php_writes_it() -> None:
    assert ListFilter.parse([]) == ListFilter.parse({})


def test_filters() -> None:
    assert ListFilter.parse(None) == ListFilter(50, "unarchived", False)
    assert ListFilter.parse({"limit": 999}) == ListFilter(200)
    asked = si.list_wanted(si.list_request(limit=3, archived="all", worktrees=True))
    assert ListFilter.parse(asked) == ListFilter(3, "all", True)


async def test_pages_are_in_order_and_end(shelf: Shelf) -> None:
    ids = [shelf.put(f"number {n}", 1000 + n).id for n in range(7)]
    wanted, found, cursor = ListFilter(3), [], None
    for _ in range(3):
        page = await shelf.page(wanted, cursor)
        found += [row["sessionId"] for row in page["sessions"]]
        cursor = page.get("nextCursor")
    assert found == ids[::-1]
    assert cursor is None


async def test_a_page_that_is_just_full_has_no_cursor(shelf: Shelf) -> None:
    for n in range(3):
        shelf.put(at=1000 + n)
    assert "nextCursor" not in await shelf.page(ListFilter(3))


async def test_sessions_of_one_moment_are_all_listed(shelf: Shelf) -> None:
    ids = {shelf.put(at=1000).id for _ in range(5)}
    first = await shelf.page(ListFilter(2))
    second = await shelf.page(ListFilter(2), first["nextCursor"])
    third = await shelf.page(ListFilter(2), second["nextCursor"])
    rows = [row["sessionId"] for page in (first, second, third) for row in page["sessions"]]
    assert len(rows) == 5
    assert set(rows) == ids


@pytest.mark.parametrize("cursor", ["", "abc", "offset:50", "e30=", "ünicode", "W10="])
async def test_scenario_92_a_cursor_of_nobody(shelf: Shelf, cursor: str) -> None:
    with pytest.raises(AcpError) as wrong:
        await shelf.page(ALL, cursor)
    assert wrong.value.code == -32602


async def test_scenario_92_a_cursor_of_another_filter(shelf: Shelf) -> None:
    for n in range(3):
        shelf.put(at=1000 + n)
    cursor = (await shelf.page(ListFilter(1)))["nextCursor"]
    assert (await shelf.page(ListFilter(2), cursor))["sessions"]
    for other in (ListFilter(1, "all"), ListFilter(1, worktrees=True)):
        with pytest.raises(AcpError):
            await shelf.page(other, cursor)
    with pytest.raises(AcpError):
        await shelf.index.page("/elsewhere", cursor, ListFilter(1))


async def test_archived_sessions_are_filtered(shelf: Shelf) -> None:
    kept, put_away = shelf.put("kept", 1000), shelf.put("put away", 2000)
    archive(put_away.path)
    for name, ids in (
        ("unarchived", [kept.id]),
        ("archived", [put_away.id]),
        ("all", [put_away.id, kept.id]),
    ):
        page = await shelf.page(ListFilter(archived=name))
        assert sorted(row["sessionId"] for row in page["sessions"]) == sorted(ids)
    (row,) = (await shelf.page(ListFilter(archived="archived")))["sessions"]
    assert (row["title"], si.read(row["_meta"]).archived) == ("put away", True)


async def test_b36_b38_a_relative_directory_is_refused(shelf: Shelf) -> None:
    with pytest.raises(AcpError) as wrong:
        await shelf.index.page("project", None, ALL)
    assert wrong.value.data == {"cwd": "project"}


# --- what a row says ------------------------------------------------------------------------------


async def test_golden_row(shelf: Shelf) -> None:
    one = shelf.put("what I want")
    (row,) = await shelf.index.get((one.id,))
    assert row == {
        "sessionId": one.id,
        "cwd": CWD,
        "title": "what I want",
        "updatedAt": "1970-01-01T00:16:40.000Z",
        "_meta": {
            "jetbrains": {
                "air": {
                    "version": 1,
                    "archived": False,
                    "lastPromptAt": "2026-12-02T10:00:01.001Z",
                    "model": "claude-opus-5-5",
                    "state": "idle",
                    "lastTurnEndedAt": "2026-12-02T10:00:02.002Z",
                }
            }
        },
    }


async def test_rows_come_in_the_order_of_the_ids(shelf: Shelf) -> None:
    first, second = shelf.put(at=1), shelf.put(at=2)
    rows = await shelf.index.get((first.id, str(uuid.uuid4()), second.id))
    assert [row["sessionId"] for row in rows] == [first.id, second.id]


async def test_an_open_session_tells_what_it_does(shelf: Shelf) -> None:
    one = shelf.put()
    changes: list[str] = []
    activity = shelf.open[one.id] = Activity(lambda: changes.append(activity.state))
    for frame in (
        {"type": "system", "subtype": "session_state_changed", "state": "running"},
        {"type": "system", "subtype": "session_state_changed", "state": "requires_action"},
        {"type": "system", "subtype": "session_state_changed", "state": "running"},
        {"type": "result", "is_error": True, "total_cost_usd": 0.25},
        {"type": "system", "subtype": "session_state_changed", "state": "idle"},
        {"type": "system", "subtype": "session_state_changed", "state": "idle"},
    ):
        activity.frame(frame)
    assert changes == ["running", "requires_action", "running", "running", "error"]
    facts = await shelf.facts(one)
    assert (facts.state, facts.cost) == ("error", 0.25)
    assert facts.last_turn_ended_at == activity.turn_ended_at
    activity.frame({"type": "system", "subtype": "session_state_changed", "state": "running"})
    assert (await shelf.facts(one)).state == "running"


@pytest.mark.parametrize(
    "how",
    [
        {"terminal_reason": "aborted_streaming"},
        {"errors": ["[ede_diagnostic] result_type=user last_content_type=n/a stop_reason=null"]},
    ],
)
async def test_a_turn_that_was_stopped_is_no_failure(shelf: Shelf, how: dict[str, Any]) -> None:
    one = shelf.put()
    activity = shelf.open[one.id] = Activity(lambda: None)
    running = {"type": "system", "subtype": "session_state_changed", "state": "running"}
    broken_off = {"type": "result", "subtype": "error_during_execution", "is_error": True, **how}
    for frame in (running, broken_off, {**running, "state": "idle"}):
        activity.frame(frame)
    assert (await shelf.facts(one)).state == "idle"


@pytest.mark.parametrize(
    ("status", "entry", "state"),
    [
        ("busy", "cli", "running"),
        ("shell", "cli", "running"),
        ("waiting", "cli", "requires_action"),
        ("idle", "cli", "idle"),
        ("busy", "sdk-py", None),
        ("new word", "cli", None),
    ],
)
def test_sessions_of_other_programs(
    tmp_path: Path, status: str, entry: str, state: str | None
) -> None:
    folder = tmp_path / "sessions"
    folder.mkdir()
    note = {"sessionId": "s1", "status": status, "entrypoint": entry}
    (folder / f"{os.getpid()}.json").write_text(json.dumps(note))
    (folder / "4194305.json").write_text(json.dumps({**note, "sessionId": "of the dead"}))
    (folder / "notes.json").write_text("{")
    (folder / f"{os.getppid()}.json").write_text("[1]")
    assert running_elsewhere(str(tmp_path)) == ({"s1": state} if state else {})


def test_no_other_programs(tmp_path: Path) -> None:
    assert running_elsewhere(str(tmp_path)) == {}


async def test_a_turn_without_an_end_runs_for_a_while(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = shelf.put()
    one.user("more")
    since = ending_of(one.path).open_since
    assert since is not None
    for later, state in ((599.0, "running"), (601.0, "idle")):
        monkeypatch.setattr("time.time", lambda later=later: since + later)
        assert (await shelf.facts(one)).state == state


def test_how_a_session_ended(tmp_path: Path) -> None:
    one = Transcript(tmp_path)
    one.user("first")
    tool = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {}}
    one.block("m1", tool, inside={"stop_reason": "tool_use"})
    assert ending_of(one.path).open_since is not None
    one.user([{"type": "tool_result", "tool_use_id": "t1", "content": "x"}])
    assert ending_of(one.path).open_since is not None
    one.says("done", inside={"model": "<synthetic>"})
    one.row(type="last-prompt", lastPrompt="first")
    ending = ending_of(one.path)
    assert ending.open_since is None
    assert ending.last_prompt_at == "2026-12-02T10:00:01.001Z"
    assert ending.turn_ended_at == "2026-12-02T10:00:04.004Z"
    assert ending.model == "claude-opus-5-5"
    one.user("second")
    one.user("[Request interrupted by user]")
    ending = ending_of(one.path)
    assert (ending.open_since, ending.last_prompt_at) == (None, "2026-12-02T10:00:05.005Z")
    one.user("<task-notification><status>completed</status></task-notification>")
    assert ending_of(one.path).last_prompt_at == "2026-12-02T10:00:05.005Z"


def test_where_a_session_was_forked_from(tmp_path: Path) -> None:
    source = str(uuid.uuid4())
    one = Transcript(tmp_path)
    one.user("x", forkedFrom={"sessionId": source, "messageUuid": "m"})
    assert ending_of(one.path).forked_from == source
    assert ending_of(tmp_path / "absent.jsonl").forked_from is None


def test_facts_read_back() -> None:
    facts = si.SessionFacts(True, "a", "m", "f", True, "running", "b", 0.5)
    assert si.read(si.wrap(facts)) == facts
    assert si.read({}) == si.SessionFacts()
    assert si.read_archived(si.archived(False)) is False
    assert si.read_archived({}) is None


# --- worktrees ------------------------------------------------------------------------------------


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository ``main`` with the linked working trees ``side`` and one of an agent."""
    home = {"HOME": str(tmp_path), "PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1"}

    def git(*words: str) -> None:
        subprocess.run(("git", "-C", str(main), *words), check=True, env=home, capture_output=True)

    main = tmp_path / "main"
    main.mkdir()
    git("init", "-q")
    who = ("-c", "user.name=x", "-c", "user.email=x@example.com")
    git(*who, "commit", "-q", "--allow-empty", "-m", "first")
    git("worktree", "add", "-q", "--detach", str(tmp_path / "side"))
    git("worktree", "add", "-q", "--detach", str(main / ".claude" / "worktrees" / "agent-1"))
    return main


def test_working_trees(repository: Path) -> None:
    side = repository.parent / "side"
    agents = repository / ".claude" / "worktrees" / "agent-1"
    assert set(worktrees_of(str(repository))) == {str(repository), str(side), str(agents)}
    assert worktrees_of(str(side))[0] == str(side)
    assert set(worktrees_of(str(side))) == set(worktrees_of(str(repository)))
    assert str(side / "docs") in worktrees_of(str(repository / "docs"))
    assert worktrees_of("/nowhere/at/all") == ["/nowhere/at/all"]
    assert is_agents_own(str(agents))
    assert not is_agents_own(str(side))


async def test_sessions_of_working_trees(shelf: Shelf, repository: Path) -> None:
    places = worktrees_of(str(repository))
    made = {}
    for number, place in enumerate(places):
        folder = "".join(char if char.isalnum() else "-" for char in place)
        made[place] = shelf.put(place, 1000 + number, folder=folder, cwd=place)
    alone = await shelf.index.page(str(repository), None, ALL)
    assert [row["sessionId"] for row in alone["sessions"]] == [made[str(repository)].id]
    wide = await shelf.index.page(str(repository), None, ListFilter(worktrees=True))
    ids = [row["sessionId"] for row in wide["sessions"]]
    assert ids == [made[place].id for place in reversed(places)]
    own = {row["cwd"]: si.read(row["_meta"]).agent_worktree for row in wide["sessions"]}
    assert [place for place, is_own in own.items() if is_own] == [
        str(repository / ".claude" / "worktrees" / "agent-1")
    ]


# --- names ----------------------------------------------------------------------------------------


def test_titles_of_the_archive() -> None:
    assert archived_title("a") == archived_title("[archived] a") == "[archived] a"
    assert len(archived_title("x" * 300)) == 200
    assert is_archived("[archived]")
    assert not is_archived("[archived]x")
    assert not is_archived(None)


def test_archive_and_back(shelf: Shelf) -> None:
    one = shelf.put("what I want")
    archive(one.path)
    archive(one.path)
    assert title_of(one.path) == "[archived] what I want"
    unarchive(one.path)
    unarchive(one.path)
    assert title_of(one.path) == "what I want"
    note = json.loads((one.path.with_suffix("") / "custom-title.json").read_text())
    assert (note["customTitle"], note["by"]) == ("what I want", "host")


def test_a_name_after_a_line_that_was_cut_off(shelf: Shelf) -> None:
    one = shelf.put()
    one.raw(b'{"type":"assistant","mess')
    rename(one.path, "A name")
    assert title_of(one.path) == "A name"
    lines = one.path.read_bytes().splitlines()
    assert json.loads(lines[-1]) == {
        "type": "agent-name",
        "agentName": "A name",
        "sessionId": one.id,
    }


# --- changes --------------------------------------------------------------------------------------


def entry(id_: str, title: str = "t", updated: int = 1, **facts: Any) -> Entry:
    return Entry(Row(id_, CWD, title, updated), si.SessionFacts(**facts))


def test_what_changed() -> None:
    one = Subscription(CWD)
    one.begin([entry("a"), entry("b")])
    assert one.news([entry("a", updated=9), entry("b")], 0.0) == ([], [], False)
    rows, removed, waits = one.news([entry("c"), entry("a", "new", 9)], 1.0)
    assert [row["sessionId"] for row in rows] == ["c", "a"]
    assert (removed, waits) == (["b"], False)


def test_a_session_changes_once_a_second() -> None:
    one = Subscription(CWD)
    one.begin([entry("a", state="idle")])
    assert len(one.news([entry("a", state="running")], 10.0)[0]) == 1
    assert one.news([entry("a", state="idle")], 10.5) == ([], [], True)
    assert len(one.news([entry("a", state="error")], 11.0)[0]) == 1


def test_changes_are_bounded() -> None:
    one = Subscription(CWD)
    many = [entry(f"{n:04}") for n in range(list_changes.MOST_ROWS + 5)]
    rows, _, waits = one.news(many, 0.0)
    assert (len(rows), waits) == (list_changes.MOST_ROWS, True)
    rows, _, waits = one.news(many, 0.0)
    assert (len(rows), waits) == (5, False)


class Followed:
    """Changes over a list that a test writes."""

    def __init__(self) -> None:
        self.now: list[Entry] = [entry("a")]
        self.told: list[dict[str, Any]] = []
        self.looks = 0
        self.changes = ListChanges(self._entries, self.told.append)

    async def _entries(self, cwd: str) -> list[Entry]:
        self.looks += 1
        return [one for one in self.now if one.row.cwd == cwd]


async def test_changes_are_told_together_and_only_while_subscribed() -> None:
    followed = Followed()
    id_ = await followed.changes.subscribe(CWD)
    for title in ("one", "two", "three"):
        followed.now = [entry("a", title), entry("b")]
        followed.changes.poke()
    await eventually(lambda: followed.told, "a change")
    assert followed.told == [
        {
            "subscriptionId": id_,
            "sessions": [entry("a", "three").shown(), entry("b").shown()],
            "removed": [],
        }
    ]
    followed.changes.unsubscribe(id_)
    followed.changes.unsubscribe("unknown")
    looks = followed.looks
    followed.changes.poke()
    other = await followed.changes.subscribe("/elsewhere")
    assert followed.looks == looks + 1
    assert other != id_
    await followed.changes.aclose()


async def test_a_change_that_is_early_is_told_later() -> None:
    followed = Followed()
    await followed.changes.subscribe(CWD)
    followed.now = [entry("a", "one")]
    followed.changes.poke()
    await eventually(lambda: followed.told, "the first change")
    followed.now = [entry("a", "two")]
    followed.changes.poke()
    await eventually(lambda: len(followed.told) == 2, "the second change")
    assert followed.told[1]["sessions"][0]["title"] == "two"
    await followed.changes.aclose()


async def test_what_nobody_told_of_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(list_changes, "RESCAN", 0.05)
    followed = Followed()
    await followed.changes.subscribe(CWD)
    followed.now = []
    await eventually(lambda: followed.told, "a removal")
    assert followed.told[0]["removed"] == ["a"]
    await followed.changes.aclose()


async def test_a_list_that_cannot_be_read_does_not_end_the_subscription() -> None:
    followed = Followed()
    await followed.changes.subscribe(CWD)
    good, looks = followed.now, followed.looks
    followed.now = [None]  # type: ignore[list-item]  # what no list should hold
    followed.changes.poke()
    await eventually(lambda: followed.looks > looks, "a look")
    followed.now = [entry("a", "after"), *good[1:]]
    followed.changes.poke()
    await eventually(lambda: followed.told, "a change")
    await followed.changes.aclose()


async def test_subscriptions_are_bounded() -> None:
    followed = Followed()
    for _ in range(list_changes.MOST_SUBSCRIPTIONS):
        await followed.changes.subscribe(CWD)
    with pytest.raises(AcpError) as wrong:
        await followed.changes.subscribe(CWD)
    assert wrong.value.code == -32600
    await followed.changes.aclose()


# --- over stdio -----------------------------------------------------------------------------------


async def test_scenario_92_an_index_client(fake_cli: FakeCli, tmp_path: Path) -> None:
    shelf = Shelf(tmp_path / "config")
    cwd = str(tmp_path / "project")
    folder = "".join(char if char.isalnum() else "-" for char in cwd)
    one = shelf.put("stored words", folder=folder, cwd=cwd)
    hang = [{"open": {}}, {"say": "Working."}, {"hang": True}]
    fake_cli.play(turns=[hang], control={"interrupt": {"response": {}}})
    async with stage(fake_cli, tmp_path) as s:
        session = await s.open(INDEX)
        for wrong in ({"limit": 0}, {"archived": "x"}):
            error = await s.refused("session/list", cwd=cwd, _meta=air.wrap(list=wrong))
            assert error.code == -32602
        (row,) = (await s.agent.request("session/list", cwd=cwd))["sessions"]
        assert (row["sessionId"], row["title"]) == (one.id, "stored words")
        got = await s.agent.request("_session/batch_get", sessionIds=[one.id])
        assert [r["sessionId"] for r in got["sessions"]] == [one.id]
        for wrong_ids in ([one.id, one.id], [" "], None):
            error = await s.refused("_session/batch_get", sessionIds=wrong_ids)
            assert error.code == -32602
        assert (await s.refused("_session/list/subscribe", cwd="rel")).code == -32602
        follow = await s.agent.request("_session/list/subscribe", cwd=cwd)

        await s.agent.request("_session/rename", sessionId=one.id, title=" A name ")
        await s.agent.request("_session/archive", sessionId=one.id)
        archived = await s.agent.wait_update("session_info_update", one.id)
        assert si.read_archived(archived["_meta"]) is True
        assert (await s.agent.request("session/list", cwd=cwd))["sessions"] == []

        def changes() -> list[Any]:
            return [
                f["params"] for f in s.agent.frames if f.get("method") == "_session/list/changes"
            ]

        told = await eventually(changes, "changes")
        assert told[0]["subscriptionId"] == follow["subscriptionId"]
        assert told[-1]["sessions"][0]["title"] == "A name"
        await s.agent.request("_session/unarchive", sessionId=one.id)
        (row,) = (await s.agent.request("session/list", cwd=cwd))["sessions"]
        assert row["title"] == "A name"
        assert await s.agent.request("_session/list/unsubscribe", **follow) == {}

        turn = s.agent.begin_prompt(session, "go on")
        await s.agent.wait_update("agent_message_chunk", session)
        await s.agent.request("_session/rename", sessionId=session, title="Live")
        (named,) = fake_cli.requests("rename_session")
        assert (named["title"], named["source"]) == ("Live", "host")
        titles = [u.get("title") for u in s.agent.updates("session_info_update", session)]
        assert titles.count("Live") == 1
        assert await s.agent.request("_session/archive", sessionId=session) == {}
        assert (await turn)["stopReason"] == "cancelled"
        assert (await s.refused("session/prompt", sessionId=session, prompt=[])).code == -32002
        for method in ("rename", "archive", "unarchive"):
            params = {"title": "t"} if method == "rename" else {}
            unknown = str(uuid.uuid4())
            error = await s.refused(f"_session/{method}", sessionId=unknown, **params)
            assert (error.code, error.data) == (-32002, {"sessionId": unknown})


async def test_scenario_26_without_an_index_a_delete_archives(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    shelf = Shelf(tmp_path / "config")
    cwd = str(tmp_path / "project")
    folder = "".join(char if char.isalnum() else "-" for char in cwd)
    one = shelf.put("stored words", folder=folder, cwd=cwd)
    async with stage(fake_cli, tmp_path) as s:
        await s.agent.initialize(declares())
        listed = await s.agent.request("session/list", cwd=cwd)
        assert "_meta" not in listed["sessions"][0]
        await s.agent.request("session/delete", sessionId=one.id)
        assert (await s.agent.request("session/list", cwd=cwd))["sessions"] == []
        assert title_of(one.path) == "[archived] stored words"


async def test_a_plain_client_lists_without_extensions(fake_cli: FakeCli, tmp_path: Path) -> None:
    shelf = Shelf(tmp_path / "config")
    cwd = str(tmp_path / "project")
    folder = "".join(char if char.isalnum() else "-" for char in cwd)
    one = shelf.put("stored words", folder=folder, cwd=cwd)
    async with stage(fake_cli, tmp_path) as s:
        await s.agent.initialize({})
        asked = air.wrap(list={"limit": 0})
        (row,) = (await s.agent.request("session/list", cwd=cwd, _meta=asked))["sessions"]
        assert set(row) == {"sessionId", "cwd", "title", "updatedAt"}
        await s.agent.request("session/delete", sessionId=one.id)
        assert not one.path.exists()
