"""A whole session of an AIR-like client, compared with its recording."""

from __future__ import annotations

import json
from pathlib import Path

from air.air_run import RECORDING, outline, play, recorded
from canopy_shared.ext import failure, file_report
from canopy_shared.ext import goal as goals
from canopy_shared.ext import session_index as si
from canopy_shared.record import read_recording
from oracle import complaints


async def test_a_run_is_as_it_was_recorded() -> None:
    lines, home = await play()
    assert complaints([frame for _, sender, frame in lines if sender == "agent"]) == []
    assert outline(recorded(lines, home)) == outline(RECORDING.read_text())


def test_the_recording_holds_every_extension_and_no_machine() -> None:
    text = RECORDING.read_text()
    assert len(read_recording(RECORDING).steps) == len(text.splitlines()) - 1
    assert str(Path.home()) not in text.replace("/home/somebody", "")
    rows = [json.loads(line)["message"] for line in text.splitlines()[1:]]
    updates = [row["params"]["update"] for row in rows if row.get("method") == "session/update"]
    kinds = {update["sessionUpdate"] for update in updates}
    tasks = {"async_task_spawned", "async_task_progress", "async_task_state_update"}
    assert kinds >= tasks | {"compaction_update", "notice"}
    metas = [update.get("_meta") for update in updates]
    answers = [row["result"].get("_meta") for row in rows if isinstance(row.get("result"), dict)]
    assert any(isinstance(goals.read(meta), goals.Goal) for meta in metas)
    assert any(failure.read(meta) for meta in metas)
    assert any(failure.read(meta) for meta in answers)
    assert any(file_report.read(meta) for meta in metas)
    assert any(si.read_archived(meta) for meta in metas)
    outcomes = [row["result"].get("outcome") for row in rows if isinstance(row.get("result"), dict)]
    assert "injected" in outcomes
