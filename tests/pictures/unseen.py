"""What drawing for nobody leaves out: frames in between, and rules that were parsed before.

A picture is taken of the widgets themselves, so nothing of it is missing; which pictures there are
is not known here.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from textual._compositor import Compositor
from textual.css.stylesheet import Stylesheet

from canopy_tui.view.terminal.calm import Calm

if TYPE_CHECKING:
    from collections.abc import Iterator

_parse = Stylesheet._parse_rules
_PARSED: dict[Any, Any] = {}


def _parsed_once(self: Stylesheet, css: str, *args: Any, **named: Any) -> Any:
    colours = self._variables["background"], self._variables["foreground"]
    key = (css, colours, args, tuple(named.items()))
    if key not in _PARSED:
        _PARSED[key] = _parse(self, css, *args, **named)
    return _PARSED[key]


def _no_frame(self: Compositor, *_args: Any, **_named: Any) -> None:
    self._dirty_regions.clear()


@contextmanager
def drawn_for_nobody() -> Iterator[None]:
    """Leave it out. A third of the time goes to it else."""
    with (
        patch.object(Compositor, "render_update", _no_frame),
        patch.object(Stylesheet, "_parse_rules", _parsed_once),
        patch.object(Calm, "look", lambda _self: None),
    ):
        yield
