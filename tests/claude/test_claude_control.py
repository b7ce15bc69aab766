"""Control requests: ids, answers in any order, refusals, silence, and the end of the CLI."""

from __future__ import annotations

import asyncio
import gc
import signal
from typing import Any

import pytest

from canopy_agent.claude.control import ENDED, ControlPeer
from canopy_agent.claude.errors import ControlFailed, ControlTimeout
from canopy_agent.claude.process import ProcessExit

Frames = list[dict[str, Any]]


@pytest.fixture
def written() -> Frames:
    return []


@pytest.fixture
def peer(written: Frames) -> ControlPeer:
    return ControlPeer(lambda frame: written.append(dict(frame)))


def success(request_id: str, response: Any) -> dict[str, Any]:
    body = {"subtype": "success", "request_id": request_id, "response": response}
    return {"type": "control_response", "response": body}


async def test_answers_find_their_requests_in_any_order(peer: ControlPeer, written: Frames) -> None:
    first = asyncio.create_task(peer.request("set_model", model=None))
    second = peer.send("interrupt", cancel_queued=True)
    await asyncio.sleep(0)
    assert [frame["request"] for frame in written] == [
        {"subtype": "interrupt", "cancel_queued": True},
        {"subtype": "set_model", "model": None},
    ]
    ids = [frame["request_id"] for frame in written]
    assert len(set(ids)) == 2
    assert peer.resolve(success(ids[1], {"model": "opus"}))
    assert peer.resolve(success(ids[0], None))
    assert await first == {"model": "opus"}
    assert await second == {}


async def test_a_refusal_carries_text_and_code(peer: ControlPeer, written: Frames) -> None:
    future = peer.send("set_permission_mode", mode="bypassPermissions")
    body = {
        "subtype": "error",
        "request_id": written[0]["request_id"],
        "error": "not launched with it",
        "error_code": "bypass_not_launched",
    }
    assert peer.resolve({"type": "control_response", "response": body})
    with pytest.raises(ControlFailed) as failure:
        await future
    assert failure.value.code == "bypass_not_launched"
    assert str(failure.value) == "set_permission_mode: not launched with it"


@pytest.mark.parametrize("extra", [{}, {"error": 7, "error_code": 8}])
async def test_a_malformed_refusal_is_one_all_the_same(
    peer: ControlPeer, written: Frames, extra: dict[str, Any]
) -> None:
    future = peer.send("x")
    body = {"subtype": "?", "request_id": written[0]["request_id"], **extra}
    assert peer.resolve({"response": body})
    with pytest.raises(ControlFailed, match="without a reason"):
        await future


async def test_silence_is_bounded_and_a_late_answer_is_dropped(
    peer: ControlPeer, written: Frames
) -> None:
    with pytest.raises(ControlTimeout, match=r"get_usage: no answer .* within 0 s"):
        await peer.request("get_usage", timeout=0)
    assert peer.resolve(success(written[0]["request_id"], {}))
    assert not peer._pending


async def test_a_cancelled_request_leaves_nothing_behind(
    peer: ControlPeer, written: Frames
) -> None:
    task = asyncio.create_task(peer.request("get_usage"))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.sleep(0)
    assert not peer._pending
    assert peer.resolve(success(written[0]["request_id"], {}))


@pytest.mark.parametrize(
    "frame",
    [
        {"type": "control_response"},
        {"response": []},
        {"response": {"request_id": 7}},
        success("an id of the CLI's own", {"behavior": "allow"}),
    ],
)
async def test_what_is_not_ours_is_left_alone(peer: ControlPeer, frame: dict[str, Any]) -> None:
    future = peer.send("x")
    assert not peer.resolve(frame)
    assert not future.done()


async def test_the_end_fails_what_waits_and_what_comes(peer: ControlPeer, written: Frames) -> None:
    waiting = peer.send("interrupt")
    peer.fail_all(ProcessExit(None, signal.SIGKILL, ""))
    for future in (waiting, peer.send("set_model", model="x")):
        with pytest.raises(ControlFailed, match=r"ended \(signal SIGKILL\)") as failure:
            await future
        assert failure.value.code == ENDED
    assert len(written) == 1
    assert peer.resolve(success(written[0]["request_id"], {}))


async def test_an_error_nobody_asks_for_is_not_reported(
    peer: ControlPeer, caplog: pytest.LogCaptureFixture
) -> None:
    peer.send("interrupt")
    peer.fail_all(None)
    await asyncio.sleep(0)
    gc.collect()
    await asyncio.sleep(0)
    assert not caplog.records


async def test_requests_of_the_cli_are_answered(peer: ControlPeer, written: Frames) -> None:
    peer.answer("c1", {"behavior": "allow", "updatedInput": {}})
    peer.refuse("c2", "unsupported")
    assert written == [
        success("c1", {"behavior": "allow", "updatedInput": {}}),
        {
            "type": "control_response",
            "response": {"subtype": "error", "request_id": "c2", "error": "unsupported"},
        },
    ]
