"""Takes pictures of a running app as SVG, and makes PNG files of them.

The look of every glyph is fixed here (font, width of a cell); what is on screen is not known.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from pictures.png import in_few_colours

if TYPE_CHECKING:
    from textual.app import App

PNG_CELL = 9
"""Pixels per column."""

# Rich draws cells that are 12.2 wide for a font of 20; in Fira Code such a cell has 19.825.
FONT_SIZE = "font-size: 19.825px"

# Pango joins "->" to an arrow unless the font is told not to.
FONTS = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <match target="font">
    <test name="family" compare="eq"><string>Fira Code</string></test>
    <edit name="fontfeatures" mode="append">
      <string>calt off</string><string>liga off</string>
    </edit>
  </match>
</fontconfig>
"""


def svg_of(app: App[object], title: str = "canopy") -> str:
    """What is on screen now."""
    svg = app.export_screenshot(title=title)
    svg = svg.replace("<svg ", '<svg xml:space="preserve" ', 1)
    svg = svg.replace("font-size: 20px", FONT_SIZE)
    svg = svg.replace("font-variant-east-asian: full-width", "font-variant-ligatures: none")
    return re.sub(r"terminal-\d+", "terminal", svg)


def write_png(svg: str, columns: int, path: Path) -> None:
    """``path`` from ``svg``; needs ``rsvg-convert`` and the font Fira Code."""
    with tempfile.TemporaryDirectory() as folder:
        fonts, drawing = Path(folder) / "fonts.conf", Path(folder) / "drawing.svg"
        fonts.write_text(FONTS, encoding="utf-8")
        drawing.write_text(svg, encoding="utf-8")
        environment = {**os.environ, "FONTCONFIG_FILE": str(fonts)}
        pixels = str(columns * PNG_CELL)
        command = ["rsvg-convert", "-w", pixels, str(drawing), "-o", str(path)]
        subprocess.run(command, check=True, env=environment)
    path.write_bytes(in_few_colours(path.read_bytes()))
