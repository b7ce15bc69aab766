"""What lies on the clipboard of the desktop, read with the programs that the desktop offers.

A terminal pastes text by itself but never a picture, so a picture has to be fetched; what is done
with it is not known here.
"""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass

from canopy_shared.pictures import LARGEST_PICTURE, PICTURE_TYPES

_PATIENCE = 5.0
"""Seconds for one program; the owner of a clipboard may hang."""
_MOST = LARGEST_PICTURE * 2


@dataclass(frozen=True, slots=True)
class Tool:
    """One program: it is used where ``needs`` is set. ``{}`` stands for a media type."""

    name: str
    needs: str = ""
    types: tuple[str, ...] = ()
    picture: tuple[str, ...] = ()
    text: tuple[str, ...] | None = None


_POWERSHELL_PICTURE = (
    "Add-Type -AssemblyName System.Windows.Forms,System.Drawing;"
    "$i=[System.Windows.Forms.Clipboard]::GetImage();"
    "if($i){$m=New-Object IO.MemoryStream;$i.Save($m,[System.Drawing.Imaging.ImageFormat]::Png);"
    "[Convert]::ToBase64String($m.ToArray())}"
)
_POWERSHELL = ("-NoProfile", "-STA", "-Command")
_XCLIP = ("-selection", "clipboard", "-o", "-t")
POWERSHELL = "powershell.exe"

TOOLS = (
    Tool(
        "wl-paste",
        "WAYLAND_DISPLAY",
        ("--list-types",),
        ("--type", "{}"),
        ("--no-newline", "--type", "text"),
    ),
    Tool("xclip", "DISPLAY", (*_XCLIP, "TARGETS"), (*_XCLIP, "{}"), (*_XCLIP, "UTF8_STRING")),
    Tool("pngpaste", picture=("-",)),
    Tool("xsel", "DISPLAY", text=("--clipboard", "--output")),
    Tool("pbpaste", text=()),
    Tool(
        POWERSHELL,
        picture=(*_POWERSHELL, _POWERSHELL_PICTURE),
        text=(*_POWERSHELL, "Get-Clipboard -Raw"),
    ),
)


@dataclass(frozen=True, slots=True)
class Clipping:
    """``picture`` and ``text`` are empty when there is none; ``why`` says then what to do."""

    picture: bytes = b""
    text: str = ""
    why: str = ""


async def read_clipboard(environment: Mapping[str, str]) -> Clipping:
    """A picture, else a text, else a sentence. Takes at most some seconds."""
    usable = [(tool, path) for tool in TOOLS if (path := _found(tool, environment))]
    for tool, path in usable:
        if tool.picture and (picture := await _picture(tool, path, environment)):
            return Clipping(picture=picture)
    for tool, path in usable:
        if tool.text is None:
            continue
        text = await _output((path, *tool.text), environment)
        if text:
            return Clipping(text=text.decode("utf-8", "replace"))
    if usable:
        return Clipping(why="The clipboard holds neither a picture nor text.")
    return Clipping(why=_advice(environment))


def _found(tool: Tool, environment: Mapping[str, str]) -> str | None:
    if tool.needs and not environment.get(tool.needs):
        return None
    return shutil.which(tool.name, path=environment.get("PATH"))


def _advice(environment: Mapping[str, str]) -> str:
    if environment.get("SSH_CONNECTION") or environment.get("SSH_TTY"):
        return (
            "Over SSH the clipboard of your computer cannot be read. Copy the picture's file to "
            "this machine and write @ and its path; text goes with your terminal's own paste key."
        )
    if sys.platform == "darwin":
        return "To paste pictures install pngpaste, or drop the picture's file here."
    if environment.get("WAYLAND_DISPLAY"):
        return "To paste pictures install wl-clipboard, or drop the picture's file here."
    if environment.get("DISPLAY"):
        return "To paste pictures install xclip, or drop the picture's file here."
    return "No clipboard was found here. Drop the picture's file, or write @ and its path."


async def _picture(tool: Tool, path: str, environment: Mapping[str, str]) -> bytes:
    kind = ""
    if tool.types:
        offered = (await _output((path, *tool.types), environment)).decode("utf-8", "replace")
        kind = next((one for one in PICTURE_TYPES if one in offered.split()), "")
        if not kind:
            return b""
    found = await _output((path, *(word.format(kind) for word in _safe(tool))), environment)
    if tool.name == POWERSHELL:
        from base64 import b64decode

        with contextlib.suppress(ValueError):
            return b64decode(found)
        return b""
    return found


def _safe(tool: Tool) -> tuple[str, ...]:
    """The words of the picture command, with ``{`` of scripts doubled for ``format``."""
    if tool.name == POWERSHELL:
        return tuple(word.replace("{", "{{").replace("}", "}}") for word in tool.picture)
    return tool.picture


async def _output(command: tuple[str, ...], environment: Mapping[str, str]) -> bytes:
    """What a program prints, empty when it fails, prints too much, or takes too long."""
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env=dict(environment),
        )
    except OSError:
        return b""
    assert process.stdout is not None
    found = b""
    try:
        async with asyncio.timeout(_PATIENCE):
            while len(found) <= _MOST and (chunk := await process.stdout.read(65536)):
                found += chunk
            if len(found) <= _MOST:
                await process.wait()
    except TimeoutError:
        found = b""
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    return found if process.returncode == 0 else b""
