"""What is pictured besides the course of a conversation: what a person does to the tree, to a
transcript and with a message.

A scene is given a stage and ``take``; what a picture is made into is not known here.
"""

from __future__ import annotations

import base64
import struct
import tempfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

from canopy_shared.content import ImageContent
from canopy_tui.model import events as e
from pictures.scene import asks, is_team, turns
from pictures.stage import BOTH, DIRECTORY, TINY

if TYPE_CHECKING:
    from pictures.scene import Take
    from pictures.stage import Stage

PICTURE = "receipt.png"


def written(_folder: Path, stem: str, ending: str, _text: str) -> Path:
    """Where an export is said to be."""
    subject = stem.rsplit("-", 2)[0]
    return Path(DIRECTORY) / f"{subject}-20261202-1200{ending}"


def blank_png(width: int, height: int) -> bytes:
    """A grey picture (https://www.w3.org/TR/png-3/)."""

    def chunk(name: bytes, body: bytes) -> bytes:
        crc = zlib.crc32(name + body)
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", crc)

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
    rows = chunk(b"IDAT", zlib.compress(bytes(height * (width + 1))))
    return b"\x89PNG\r\n\x1a\n" + head + rows + chunk(b"IEND", b"")


async def agents_by_key(stage: Stage, take: Take) -> None:
    """What the tree can do."""
    stage.host.until(is_team)
    stage.app.go(stage.host.state.roots[1])
    await take("several-sessions")
    stage.app.go(stage.host.state.roots[2])
    await stage.press("ctrl+t", "g")
    await take("tree-numbers")
    await stage.press("escape", "ctrl+t", "f", "f")
    await take("tree-filter")
    await stage.press("f", "f", "f", "escape", "f9")
    await take("stop")
    await stage.press("escape")
    stage.host.until(asks)
    await stage.opens_request()
    await stage.press("t", *"Test the width of a row too")
    await take("reason")


async def by_hand(stage: Stage, take: Take) -> None:
    """What is done to a transcript: folding, marking, copying, exporting."""
    stage.host.until(is_team)
    stage.app.go(stage.host.state.roots[2])
    transcript = stage.app.main.transcript
    transcript.focus()
    await stage.press("z")
    await take("folded")
    await stage.press("up", "y")
    await stage.notes("Copied")
    await take("copied")
    for size in BOTH:  # what is in view differs, so does where the notice is broken into lines
        await stage.resize(size)
        last = transcript.size.height - 3
        await stage.pilot.mouse_down(transcript, offset=(12, last - 6))
        await stage.pilot.hover(transcript, offset=(40, last - 2))
        await stage.pilot.mouse_up(transcript, offset=(40, last - 2))
        await take("selection", (size,))
        stage.app.screen.clear_selection()
    for size in BOTH:
        await stage.resize(size)
        await stage.press("e")
        await stage.notes("Exported")
        await take("exported", (size,))


async def pictures(stage: Stage, take: Take) -> None:
    """A picture in the message, and where it was sent."""
    stage.host.until(turns(3))
    root, content = stage.host.state.roots[0], blank_png(640, 400)
    words = f"What is wrong with [Image 1: {PICTURE}]?"
    drawn = ImageContent(base64.b64encode(content).decode("ascii"), "image/png")
    sent = e.PromptSent(session=root, text=words, at=stage.host.now(), blocks=(drawn,))
    stage.host.apply([sent, e.TurnEnded(session=root, stop_reason="end_turn", at=stage.host.now())])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / PICTURE
        path.write_bytes(content)
        await stage.press(*"Compare ")
        await stage.pastes(str(path))
        await stage.until(lambda: "[Image 1]" in stage.draft, "the mark")
        await stage.press(*"with the plan")
        await take("picture")


async def steering(stage: Stage, take: Take) -> None:
    """What went into the running turn, and what came of it."""
    stage.host.until(lambda state: state.roots and state.sessions[state.roots[0]].suggestions)
    await take("suggestion")
    stage.host.until(turns(6))
    await take("steered")


async def smallest(stage: Stage, take: Take) -> None:
    """The smallest terminal that is of use."""
    stage.host.until(is_team)
    stage.app.go(stage.host.state.roots[2])
    await take("smallest", (TINY,))
    stage.host.until(asks)
    await stage.opens_request()
    await take("smallest-question", (TINY,))
