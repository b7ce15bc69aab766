"""The two palettes of Canopy, dark and light, as Textual themes.

Only colours live here: what a colour is used for is said in the style sheets, and no meaning hangs
on colour alone.
"""

from __future__ import annotations

from textual.theme import Theme

DARK = "canopy-dark"
LIGHT = "canopy-light"
AUTO = "auto"
"""What is chosen to follow the terminal."""


def _variables(theme: Theme, *, quiet: str, line: str, raised: str) -> dict[str, str]:
    """What Textual derives from a palette, chosen by hand: ``quiet`` for text of second rank,
    ``line`` for borders, ``raised`` for what is under the pointer.
    """
    background, foreground = theme.background or "", theme.foreground or ""
    secondary = theme.secondary or ""
    return {
        "quiet": quiet,
        "line": line,
        "raised": raised,
        "text-muted": quiet,
        "foreground-muted": quiet,
        "border": theme.primary,
        "border-blurred": line,
        "block-cursor-foreground": background,
        "block-cursor-background": theme.primary,
        "block-cursor-text-style": "bold",
        "block-cursor-blurred-background": raised,
        "block-hover-background": raised,
        "scrollbar": line,
        "scrollbar-hover": quiet,
        "scrollbar-active": theme.primary,
        "scrollbar-background": background,
        "scrollbar-background-hover": background,
        "scrollbar-background-active": background,
        "scrollbar-corner-color": background,
        "footer-key-foreground": theme.primary,
        "input-selection-background": f"{secondary} 35%",
        "screen-selection-background": f"{secondary} 35%",
        "link-color": secondary,
        "link-background-hover": raised,
        "link-color-hover": foreground,
    }


CANOPY_DARK = Theme(
    name=DARK,
    dark=True,
    luminosity_spread=0.12,
    primary="#86c9a5",
    secondary="#8ab6d6",
    accent="#e6bd6c",
    warning="#e6bd6c",
    error="#ee8b83",
    success="#9ccc83",
    foreground="#dbe2dd",
    background="#121715",
    surface="#171d1b",
    panel="#1d2522",
)
CANOPY_DARK.variables = _variables(CANOPY_DARK, quiet="#94a39c", line="#33403a", raised="#26312c")

CANOPY_LIGHT = Theme(
    name=LIGHT,
    dark=False,
    luminosity_spread=0.12,
    primary="#17694a",
    secondary="#245d8c",
    accent="#8a5500",
    warning="#8a5500",
    error="#ab2b23",
    success="#2f6d1e",
    foreground="#1f2a25",
    background="#fbfaf6",
    surface="#f4f2ec",
    panel="#ebe9e1",
)
CANOPY_LIGHT.variables = _variables(CANOPY_LIGHT, quiet="#55625c", line="#cbcabf", raised="#e2e0d6")

THEMES = (CANOPY_DARK, CANOPY_LIGHT)
