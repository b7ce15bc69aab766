"""Pictures from disk or clipboard, checked before they go into a message.

One that the model's API refuses would sit in the conversation for good, so it is refused here and
the message stays as it is. How a picture is shown is not known here.
"""

from __future__ import annotations

import base64
import os
from pathlib import Path

from canopy_shared import pictures
from canopy_shared.ordinary import open_ordinary
from canopy_tui.model.shelf import Picture

_MIB = 1024 * 1024
_ENDINGS = frozenset({".png", ".jpg", ".jpeg", ".gif", ".webp"})


class PictureError(Exception):
    """The picture cannot be sent; the text says why and names the limit."""


def looks_like_picture(path: str) -> bool:
    """Whether a file of this name is meant to be a picture."""
    return Path(path).suffix.lower() in _ENDINGS


def read_picture(path: Path) -> Picture:
    """The picture in a file. Raises :class:`PictureError`."""
    name = path.name
    try:
        with open_ordinary(path) as file:
            size = os.fstat(file.fileno()).st_size
            if size > pictures.LARGEST_PICTURE:
                raise PictureError(_too_large(name, size))
            content = file.read(pictures.LARGEST_PICTURE + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise PictureError(f"{name} cannot be read: {reason}.") from None
    return checked_picture(name, content, str(path))


def checked_picture(name: str, content: bytes, path: str = "") -> Picture:
    """``content`` as a picture. Raises :class:`PictureError`."""
    if not content:
        raise PictureError(f"{name} is empty.")
    if len(content) > pictures.LARGEST_PICTURE:
        raise PictureError(_too_large(name, len(content)))
    kind = pictures.format_of(content)
    if kind not in pictures.PICTURE_TYPES:
        raise PictureError(f"{name} is no picture that can be sent: PNG, JPEG, GIF and WebP can.")
    size = pictures.size_of(content)
    if size is None:
        raise PictureError(f"{name} is damaged: it says no size.")
    longest = pictures.LONGEST_SIDE
    if max(size.width, size.height) > longest:
        raise PictureError(
            f"{name} is {size.width} x {size.height} pixels; the limit is {longest} on each side."
        )
    encoded = base64.b64encode(content).decode("ascii")
    return Picture(name, kind, encoded, size.width, size.height, path)


def _too_large(name: str, size: int) -> str:
    limit = pictures.LARGEST_PICTURE // _MIB
    return f"{name} is {size / _MIB:.1f} MiB; the limit is {limit} MiB. Make it smaller first."
