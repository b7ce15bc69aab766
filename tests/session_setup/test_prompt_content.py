"""Prompts as Claude content, and pictures that must never get into a conversation."""

from __future__ import annotations

import base64
import struct
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from canopy_agent.session.prompts import ClaudePrompt, claude_prompt
from canopy_shared import pictures
from canopy_shared.errors import INVALID_PARAMS, AcpError
from canopy_shared.pictures import Size, format_of, size_of
from canopy_shared.requests import PromptParams


def convert(*blocks: dict[str, Any]) -> ClaudePrompt:
    return claude_prompt(PromptParams.parse({"sessionId": "s", "prompt": list(blocks)}))


def content(*blocks: dict[str, Any]) -> list[dict[str, Any]]:
    return list(convert(*blocks).content)


def refused(*blocks: dict[str, Any]) -> AcpError:
    with pytest.raises(AcpError) as caught:
        convert(*blocks)
    assert caught.value.code == INVALID_PARAMS
    return caught.value


def text(value: str) -> dict[str, Any]:
    return {"type": "text", "text": value}


def link(uri: str) -> dict[str, Any]:
    return {"type": "resource_link", "uri": uri, "name": "n"}


def blob(media_type: str | None, data: bytes) -> dict[str, Any]:
    resource = {"uri": "file:///a/b.bin", "blob": base64.b64encode(data).decode()}
    if media_type is not None:
        resource["mimeType"] = media_type
    return {"type": "resource", "resource": resource}


def image(data: bytes | str, media_type: str = "image/png") -> dict[str, Any]:
    encoded = data if isinstance(data, str) else base64.b64encode(data).decode()
    return {"type": "image", "mimeType": media_type, "data": encoded}


def png(width: int, height: int, padding: int = 0) -> bytes:
    head = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + b"IHDR"
    return head + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0) + b"\0" * padding


def gif(width: int, height: int) -> bytes:
    return b"GIF89a" + struct.pack("<HH", width, height) + b"\0\0\0"


def jpeg(width: int, height: int) -> bytes:
    application = b"\xff\xe0" + struct.pack(">H", 16) + b"JFIF\0" + b"\0" * 9
    frame = b"\xff\xc2" + struct.pack(">HBHHB", 11, 8, height, width, 1) + b"\1\x11\0"
    return b"\xff\xd8" + application + b"\xff" + frame + b"\xff\xd9"


def webp(kind: bytes, payload: bytes) -> bytes:
    chunk = kind + struct.pack("<I", len(payload)) + payload
    return b"RIFF" + struct.pack("<I", len(chunk) + 4) + b"WEBP" + chunk


def webp_extended(width: int, height: int) -> bytes:
    sizes = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    return webp(b"VP8X", b"\0\0\0\0" + sizes)


def webp_lossless(width: int, height: int) -> bytes:
    return webp(b"VP8L", b"\x2f" + struct.pack("<I", (width - 1) | (height - 1) << 14))


def webp_lossy(width: int, height: int) -> bytes:
    return webp(b"VP8 ", b"\0\0\0\x9d\x01\x2a" + struct.pack("<HH", width, height))


PICTURES = {
    "image/png": [png(3, 5)],
    "image/jpeg": [jpeg(3, 5)],
    "image/gif": [gif(3, 5)],
    "image/webp": [webp_extended(3, 5), webp_lossless(3, 5), webp_lossy(3, 5)],
}
EACH_PICTURE = [(kind, data) for kind, samples in PICTURES.items() for data in samples]


# --- text, links, resources ---------------------------------------------------------------------


def test_scenario_35_links_and_embedded_text() -> None:
    embedded = {"type": "resource", "resource": {"uri": "zed:///x/c.ts", "text": "let a"}}
    assert content(text("see"), link("file:///a/b.ts"), embedded, text("then")) == [
        text("see"),
        text("[@b.ts](file:///a/b.ts)"),
        text("[@c.ts](zed:///x/c.ts)"),
        text("then"),
        text('\n<context ref="zed:///x/c.ts">\nlet a\n</context>'),
    ]


@pytest.mark.parametrize(
    ("uri", "shown"),
    [
        ("file:///a/dir/", "[@dir](file:///a/dir/)"),
        ("file://", "[@file:](file://)"),
        ("https://a.example/b", "https://a.example/b"),
        ("file:///a/b%20c.ts", "[@b%20c.ts](file:///a/b%20c.ts)"),
    ],
)
def test_how_a_link_is_shown(uri: str, shown: str) -> None:
    assert content(link(uri)) == [text(shown)]


def test_scenario_36_blobs_by_their_type() -> None:
    shown, picture = content(blob("image/JPG; q=1", jpeg(3, 5)))
    assert shown == text("[@b.bin](file:///a/b.bin)")
    assert picture["source"]["media_type"] == "image/jpeg"
    assert content(text("x"), blob("application/zip", b"PK"), blob(None, b"?")) == [text("x")]
    context = content(blob("text/csv; charset=iso-8859-1", "é;1".encode("latin-1")))[1]
    assert context == text('\n<context ref="file:///a/b.bin">\né;1\n</context>')
    assert "\ufeff" not in content(blob("application/ld+json", b"\xef\xbb\xbf{}"))[1]["text"]


def test_a_document() -> None:
    _, document = content(blob("application/pdf", b"%PDF-1.7\n..."))
    assert document["type"] == "document"
    assert document["source"]["media_type"] == "application/pdf"
    assert "is none" in refused(blob("application/pdf", b"PK\3\4")).message


@pytest.mark.parametrize("charset", ["nonsense", "hex", "unicode_escape", "idna", "a\0b"])
def test_a_character_set_that_is_none(charset: str) -> None:
    assert "character set" in refused(blob(f"text/plain; charset={charset}", b"a")).message


def test_scenario_37_audio_is_refused_and_nothing_is_sent() -> None:
    error = refused(text("x"), {"type": "audio", "data": "", "mimeType": "audio/wav"})
    assert error.data == {"type": "audio"}


def test_scenario_37_an_mcp_command_in_the_first_text_alone() -> None:
    assert content(text("/mcp:srv:cmd x\ny"), text("/mcp:srv:cmd x")) == [
        text("/srv:cmd (MCP) x\ny"),
        text("/mcp:srv:cmd x"),
    ]
    assert content(text("a"), text("/mcp:srv:cmd"))[1] == text("/mcp:srv:cmd")
    assert content(link("https://x"), text("/mcp:srv:cmd"))[1] == text("/srv:cmd (MCP)")
    assert content(text("/mcp reconnect"))[0] == text("/mcp reconnect")


@pytest.mark.parametrize("blocks", [[], [text("")], [text(" \n")], [blob("a/b", b"x")]])
def test_a_prompt_with_nothing_to_send_is_refused(blocks: list[dict[str, Any]]) -> None:
    assert "prompt must hold something" in refused(*blocks).message


def test_blank_text_beside_something_is_left_out() -> None:
    assert content(text(""), link("https://x")) == [text("https://x")]


@pytest.mark.parametrize(
    ("block", "field"),
    [
        ({"type": "text"}, "prompt[0].text"),
        ({"type": "resource_link"}, "prompt[0].uri"),
        ({"type": "resource"}, "prompt[0].resource"),
        ({"type": "resource", "resource": {"uri": "x"}}, "prompt[0].resource.blob"),
        ({"type": "resource", "resource": {"text": "x"}}, "prompt[0].resource.uri"),
        ({"type": "image", "data": "AA=="}, "prompt[0].mimeType"),
        ({"type": "image"}, "prompt[0]"),
        ({"type": "image", "uri": "file:///a.png"}, "prompt[0]"),
    ],
)
def test_a_malformed_block_is_named(block: dict[str, Any], field: str) -> None:
    error = refused(block)
    assert error.data == {"field": field}
    assert field in error.message


def test_what_the_user_typed() -> None:
    one = convert(text("/usage "))
    assert (one.sole_text, one.text, one.command) == ("/usage ", "/usage", "usage")
    two = convert(text("/mcp:a:b c"), link("file:///x"))
    assert (two.sole_text, two.text, two.command) == (None, "/mcp:a:b c", None)
    assert convert(text("hi there")).command is None
    assert convert(text("/")).command is None


# --- pictures (fault B14) -----------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "data"), EACH_PICTURE)
def test_sizes_are_read_from_headers(kind: str, data: bytes) -> None:
    assert (format_of(data), size_of(data)) == (kind, Size(3, 5))


@pytest.mark.parametrize(("kind", "data"), EACH_PICTURE)
def test_a_good_picture_is_sent(kind: str, data: bytes) -> None:
    spaced = base64.encodebytes(data).decode()
    assert content(image(spaced, kind)) == [
        {
            "type": "image",
            "source": {
                "type": "base64",
                "media_type": kind,
                "data": base64.b64encode(data).decode(),
            },
        }
    ]


def test_a_picture_by_address() -> None:
    block = {"type": "image", "data": "", "mimeType": "image/png", "uri": "https://a.example/p"}
    assert content(block) == [
        {"type": "image", "source": {"type": "url", "url": "https://a.example/p"}}
    ]


@pytest.mark.parametrize(
    ("block", "words"),
    [
        (image(png(10, 10, 30 * 1024 * 1024)), ("30.0 MiB", "limit is 5 MiB")),
        (image(png(9000, 9000)), ("9000 x 9000", "limit is 8000")),
        (image(png(1, 8001)), ("1 x 8001", "limit is 8000")),
        (image(b""), ("empty",)),
        (image(" \n"), ("empty",)),
        (image(b"just text"), ("labelled image/png", "no picture")),
        (image(jpeg(3, 5)), ("labelled image/png", "image/jpeg")),
        (image(png(3, 5), "image/jpeg"), ("labelled image/jpeg", "image/png")),
        (image("data:image/png;base64,AAAA"), ("not base64",)),
        (image("AAA"), ("not base64",)),
        (image(png(0, 5)), ("damaged",)),
        (image(png(3, 5)[:20]), ("damaged",)),
        (image(b"<svg/>", "image/svg+xml"), ("png, jpeg, gif, webp",)),
        (blob("image/png", b"text"), ("labelled image/png",)),
        (blob("application/pdf", b"%PDF-" + b"0" * (23 << 20)), ("23.0 MiB", "limit is 22 MiB")),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_fault_b14_a_bad_picture_is_refused_with_what_is_wrong(
    block: dict[str, Any], words: tuple[str, ...]
) -> None:
    error = refused(text("look"), block)
    assert all(word in error.message for word in words), error.message
    assert "prompt[1]" in error.message
    assert len(error.message) < 200


FULL = image(png(3, 5, pictures.LARGEST_PICTURE - 100))


@pytest.mark.parametrize(
    ("blocks", "words"),
    [
        ([FULL] * 5, ("35.0 MB", "limit is 31 MB")),
        ([FULL, blob("application/pdf", b"%PDF-" + b"0" * (20 << 20))], ("35.0 MB",)),
        ([text("x" * 20_000_000), text("é" * 6_000_000)], ("32.0 MB",)),
        ([image(png(2001, 5)), *[image(png(3, 5))] * 20], ("21 images", "2000 pixels")),
        (
            [image(jpeg(5, 2001), "image/jpeg"), *[blob("image/png", png(3, 5))] * 20],
            ("21 images",),
        ),
    ],
    ids=["pictures", "a document", "texts", "wide among many", "tall among resources"],
)
def test_fault_b14_what_is_too_much_together_is_refused(
    blocks: list[dict[str, Any]], words: tuple[str, ...]
) -> None:
    error = refused(*blocks)
    assert all(word in error.message for word in words), error.message
    assert isinstance(error.data, dict)
    assert error.data["field"] == "prompt"


def test_many_small_pictures_and_as_much_as_fits_are_sent() -> None:
    assert len(content(*[image(png(2000, 2000))] * 40)) == 40
    assert len(content(*[image(png(8000, 8000))] * 20)) == 20
    assert len(content(*[FULL] * 4)) == 4
    assert len(content(blob("application/pdf", b"%PDF-" + b"0" * (22 * 1024 * 1024 - 5)))) == 2
    address = {"type": "image", "mimeType": "image/png", "uri": "https://a.example/p"}
    assert len(content(*[address] * 21)) == 21


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from([data for _, data in EACH_PICTURE]), st.integers(0, 40), st.binary(max_size=9)
)
def test_damaged_headers_never_raise(data: bytes, keep: int, tail: bytes) -> None:
    size = size_of(data[:keep] + tail)
    assert size is None or (size.width > 0 and size.height > 0)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner),
    max_leaves=6,
)
BLOCKS = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["text", "image", "resource", "resource_link", "audio"]) | JSON,
        "text": st.sampled_from(["/mcp:a:b c", "hi", ""]) | JSON,
        "data": st.sampled_from(["", "AA==", "!"]) | JSON,
        "mimeType": st.sampled_from(["image/png", "text/plain; charset=x"]) | JSON,
        "uri": JSON,
        "resource": st.fixed_dictionaries(
            {},
            optional={"uri": st.text(max_size=5), "text": JSON, "blob": JSON, "mimeType": JSON},
        )
        | JSON,
    },
)


@settings(max_examples=200, deadline=None)
@given(st.lists(BLOCKS, max_size=3) | JSON)
def test_whatever_a_prompt_holds_it_is_content_or_an_acp_error(prompt: Any) -> None:
    try:
        made = claude_prompt(PromptParams.parse({"sessionId": "s", "prompt": prompt}))
    except AcpError as error:
        assert error.code == INVALID_PARAMS  # noqa: PT017 - any other exception fails the test
        return
    assert made.content
    assert all(part["type"] != "text" or part["text"].strip() for part in made.content)


@pytest.mark.parametrize("uri", ["", "  "])
def test_a_link_to_nothing_is_refused(uri: str) -> None:
    link = {"type": "resource_link", "name": "x", "uri": uri}
    with pytest.raises(AcpError) as refused:
        claude_prompt(PromptParams.parse({"sessionId": "s", "prompt": [link]}))
    assert refused.value.code == -32602
    assert "prompt[0].uri" in refused.value.message
