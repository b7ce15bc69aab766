"""What streamed of a message, and what of the whole message is left to say."""

from __future__ import annotations

from typing import Any

import pytest

from canopy_agent.claude.decode import Decoder
from canopy_agent.domain import events as e


def stream(event: dict[str, Any], parent: str | None = None) -> dict[str, Any]:
    return {"type": "stream_event", "parent_tool_use_id": parent, "event": event}


def begin(id_: str = "m1", parent: str | None = None) -> dict[str, Any]:
    message = {"id": id_, "model": "opus", "usage": {"input_tokens": 1}}
    return stream({"type": "message_start", "message": message}, parent)


def block(index: int, kind: str = "text", parent: str | None = None, **more: Any) -> dict[str, Any]:
    start = {"type": "content_block_start", "index": index, "content_block": {"type": kind, **more}}
    return stream(start, parent)


def words(index: int, text: str, kind: str = "text", parent: str | None = None) -> dict[str, Any]:
    delta = {"type": f"{kind}_delta", kind: text}
    return stream({"type": "content_block_delta", "index": index, "delta": delta}, parent)


def grown(index: int, piece: str) -> dict[str, Any]:
    delta = {"type": "input_json_delta", "partial_json": piece}
    return stream({"type": "content_block_delta", "index": index, "delta": delta})


def whole(*content: dict[str, Any], id_: str = "m1", parent: str | None = None) -> dict[str, Any]:
    message = {"id": id_, "model": "opus", "role": "assistant", "content": list(content)}
    return {"type": "assistant", "parent_tool_use_id": parent, "message": message}


def text(value: str) -> dict[str, Any]:
    return {"type": "text", "text": value}


def thinking(value: str) -> dict[str, Any]:
    return {"type": "thinking", "thinking": value, "signature": "s"}


def told(*frames: dict[str, Any]) -> list[str]:
    """Texts that came, thoughts in brackets; those of whole messages with a ``=`` before them."""
    decoder, lines = Decoder(), []
    for frame in frames:
        for event in decoder.decode(frame):
            if isinstance(event, e.TextCame):
                shown = f"({event.text})" if event.thinking else event.text
                lines.append(shown if event.streamed else f"={shown}")
    return lines


CASES: dict[str, tuple[list[dict[str, Any]], list[str]]] = {
    "nothing streamed": ([whole(text("Hello"))], ["=Hello"]),
    "all streamed": (
        [begin(), block(0), words(0, "Hel"), words(0, "lo"), whole(text("Hello"))],
        ["Hel", "lo"],
    ),
    "some streamed": ([begin(), block(0), words(0, "Hel"), whole(text("Hello"))], ["Hel", "=lo"]),
    "empty words": ([begin(), block(0), words(0, ""), whole(text(""))], []),
    "words in the start of a block": (
        [begin(), block(0, text="He"), words(0, "llo"), whole(text("Hello"))],
        ["He", "llo"],
    ),
    "thoughts and words": (
        [
            begin(),
            block(0, "thinking"),
            words(0, "hm", "thinking"),
            whole(thinking("hmm")),
            block(1),
            words(1, "Hi"),
            whole(text("Hi")),
        ],
        ["(hm)", "=(m)", "Hi"],
    ),
    "blocks of one kind in their order": (
        [
            begin(),
            block(0),
            words(0, "One"),
            block(1),
            words(1, "Two"),
            whole(text("One!")),
            whole(text("Two!")),
        ],
        ["One", "Two", "=!", "=!"],
    ),
    "a block of the whole message that never streamed": (
        [begin(), block(0), words(0, "One"), whole(text("One"), text("Two"))],
        ["One", "=Two"],
    ),
    "a whole that is another text": (
        [begin(), block(0), words(0, "Hello"), whole(text("Goodbye"))],
        ["Hello", "=Goodbye"],
    ),
    "a stream that broke and began again": (
        [
            begin("m1"),
            block(0),
            words(0, "Some "),
            begin("m2"),
            block(0),
            words(0, "Some text"),
            whole(text("Some text"), id_="m2"),
        ],
        ["Some ", "Some text"],
    ),
    "a stream that broke, and the whole without one": (
        [begin("m1"), block(0), words(0, "Some "), whole(text("Some text"), id_="m2")],
        ["Some ", "=text"],
    ),
    "a new message forgets the one before": (
        [begin("m1"), block(0), words(0, "Hello"), begin("m2"), whole(text("Hello"), id_="m2")],
        ["Hello", "=Hello"],
    ),
    "a delta without a block": ([begin(), words(7, "lost"), whole(text("lost"))], ["=lost"]),
    "a stream without a beginning": ([block(0), words(0, "Hi"), whole(text("Hi"))], ["Hi"]),
    "the login message of the CLI": (
        [
            {
                "type": "assistant",
                "message": {
                    "id": "m",
                    "model": "<synthetic>",
                    "content": [text("Please run /login")],
                },
            }
        ],
        [],
    ),
    "somebody who talks about it": ([whole(text("Please run /login"))], ["=Please run /login"]),
}


@pytest.mark.parametrize("case", CASES)
def test_streamed_and_whole(case: str) -> None:
    frames, expected = CASES[case]
    assert told(*frames) == expected


def test_conversations_do_not_mix() -> None:
    frames = [
        begin("m1"),
        block(0),
        begin("k1", "T1"),
        block(0, parent="T1"),
        words(0, "main"),
        words(0, "kid", parent="T1"),
        whole(text("kids"), id_="k1", parent="T1"),
        whole(text("mains")),
    ]
    assert told(*frames) == ["main", "kid", "=s", "=s"]


def test_messages_keep_their_ids() -> None:
    decoder = Decoder()
    events = [
        event
        for frame in (begin("m1"), block(0), words(0, "a"), whole(text("ab"), id_="m1"))
        for event in decoder.decode(frame)
    ]
    assert [x.message_id for x in events if isinstance(x, e.TextCame)] == ["m1", "m1"]
    assert isinstance(events[-1], e.MessageSaid)


def test_input_of_a_call_grows_by_its_fields() -> None:
    decoder = Decoder()
    frames = [
        begin(),
        block(0, "tool_use", id="B1", name="Bash"),
        grown(0, '{"command": "l'),
        grown(0, 's", "timeout": 3'),
        grown(0, "0}"),
        whole({"type": "tool_use", "id": "B1", "name": "Bash", "input": {"command": "ls"}}),
    ]
    events = [event for frame in frames for event in decoder.decode(frame)]
    assert events[1:4] == [
        e.ToolBegan(None, "B1", "Bash"),
        e.ToolInputGrew(None, "B1", {"command": "ls"}),
        e.ToolUsed(None, "B1", "Bash", {"command": "ls"}),
    ]


@pytest.mark.parametrize("kind", ["tool_use", "server_tool_use", "mcp_tool_use"])
def test_calls_of_every_kind(kind: str) -> None:
    call = {"type": kind, "id": "B1", "name": "Look", "input": {"q": 1}}
    (used, _) = Decoder().decode(whole(call, parent="T1"))
    assert used == e.ToolUsed("T1", "B1", "Look", {"q": 1})


@pytest.mark.parametrize("spoilt", [{"id": ""}, {"id": 3}, {}])
def test_a_call_without_an_id_is_none(spoilt: dict[str, Any]) -> None:
    decoder = Decoder()
    assert decoder.decode(block(0, "tool_use", **spoilt)) == []
    assert decoder.decode(grown(0, '{"a": 1, "b": 2}')) == []
    (said,) = decoder.decode(whole({"type": "tool_use", "name": "Bash", **spoilt}))
    assert isinstance(said, e.MessageSaid)


def test_results_inside_a_message() -> None:
    found = {"type": "web_search_tool_result", "tool_use_id": "B1", "content": []}
    failed = {"type": "mcp_tool_result", "tool_use_id": "B2", "is_error": True}
    events = Decoder().decode(whole(found, failed))[:2]
    assert events == [
        e.ToolResulted(None, "B1", [found]),
        e.ToolResulted(None, "B2", [failed], True),
    ]


def test_pictures() -> None:
    inline = {"type": "image", "source": {"data": "AAAA", "media_type": "image/gif"}}
    linked = {"type": "image", "source": {"url": "https://example.org/x.png"}}
    empty = {"type": "image", "source": {}}
    events = Decoder().decode(whole(inline, linked, empty))[:-1]
    assert events == [
        e.ImageCame(None, "m1", "AAAA", "image/gif"),
        e.ImageCame(None, "m1", "", "image/png", "https://example.org/x.png"),
    ]


@pytest.mark.parametrize(
    "kind", ["signature_delta", "citations_delta", "ping", "message_stop", "content_block_stop"]
)
def test_parts_that_are_nobodys_are_no_surprise(kind: str) -> None:
    decoder = Decoder()
    delta = stream({"type": "content_block_delta", "index": 0, "delta": {"type": kind}})
    for frame in (begin(), block(0), delta, stream({"type": kind})):
        decoder.decode(frame)
    assert decoder.unknown == {}
