"""Styles by meaning, mixed from the variables of the theme in use.

What is drawn with a style is decided elsewhere; no meaning may hang on a colour alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from rich.style import Style
from textual.color import Color, ColorParseError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.color import Color as RichColor


_BOLD, _ITALIC = Style(bold=True), Style(italic=True)
_DIM, _REVERSE = Style(dim=True), Style(reverse=True)
_READABLE, _FAINT = 4.5, 3.0
"""Contrast with the background that text has at least, and what is only decoration."""
_WANTED = (
    "background",
    "foreground",
    "primary",
    "secondary",
    "accent",
    "success",
    "warning",
    "error",
    "quiet",
)


@dataclass(frozen=True, slots=True, eq=False)
class Ink:
    """Rich styles for a transcript. Compared by identity: a theme change makes a new one."""

    text: Style
    muted: Style
    faint: Style
    strong: Style
    primary: Style
    secondary: Style
    accent: Style
    success: Style
    warning: Style
    error: Style
    thought: Style
    heading: tuple[Style, Style, Style, Style]
    """Levels 1 to 4; deeper ones look like 4."""
    code_inline: Style
    code: Style
    """Carries the background of a code block."""
    link: Style
    url: Style
    said: Style
    """What a person wrote; carries a background."""
    said_bar: Style
    added: Style
    removed: Style
    added_word: Style
    removed_word: Style
    cursor: Style
    pill: Style
    named: tuple[RichColor | None, ...]
    """What the 16 named colours of command output look like; empty for the terminal's own."""
    syntax: Mapping[str, Style]
    """Colour of code by Pygments token name such as ``Keyword`` or ``Literal.String``."""


class _Pot:
    """Colours of one theme, ready to mix."""

    def __init__(self, variables: Mapping[str, str], *, native: bool) -> None:
        self._variables = variables
        self.native = native
        self.back = self.of("background", "#000000")
        self.fore = self.of("foreground", "#ffffff")

    def of(self, *names: str) -> Color:
        """The first of ``names`` that is a colour: a theme variable, or a colour itself."""
        for name in names:
            try:
                return Color.parse(self._variables.get(name, name))
            except ColorParseError:
                continue
        return self.fore

    def pen(self, *names: str) -> Style:
        """A style that writes in that colour."""
        colour = self.of(*names)
        if self.native:
            return Style() if colour.ansi == -1 else Style(color=colour.rich_color)
        return Style(color=self._readable(colour, _READABLE).rich_color)

    def faded(self, part: float, contrast: float) -> Style:
        """The text colour, mixed with ``part`` of the background unless that is too pale."""
        if self.native:
            return _DIM
        pale = self.fore.blend(self.back, part)
        return Style(color=self._readable(pale, contrast).rich_color)

    def line(self, name: str, part: float = 0.14) -> Style:
        """Text on a tint of that colour, or in that colour where there are no tints."""
        return self.pen(name) if self.native else self.pen("foreground") + self.wash(name, part)

    def _readable(self, colour: Color, contrast: float) -> Color:
        """``colour``, moved towards the text colour as far as needed."""
        for step in range(10):
            mixed = colour.blend(self.fore, step / 10)
            if _contrast(mixed, self.back) >= contrast:
                return mixed
        return self.fore

    def wash(self, name: str, part: float) -> Style:
        """A background tinted with ``part`` of a colour; nothing where the terminal has its own."""
        if self.native:
            return Style()
        return Style(bgcolor=self.back.blend(self.of(name), part).rich_color)


def _contrast(one: Color, other: Color) -> float:
    """From 1 to 21, as WCAG 2.2 defines it."""
    dark, light = sorted((_luminance(one), _luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: Color) -> float:
    red, green, blue = (
        part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4
        for part in colour.normalized
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _syntax(pot: _Pot, quiet: Style) -> dict[str, Style]:
    """Few colours on purpose: what structures code stands out, the rest stays text."""
    keyword, string = pot.pen("secondary"), pot.pen("success")
    number, name = pot.pen("accent"), pot.pen("primary")
    return {
        "Comment": quiet + _ITALIC,
        "Keyword": keyword,
        "Keyword.Constant": number,
        "Operator.Word": keyword,
        "Literal.String": string,
        "Literal.String.Doc": quiet + _ITALIC,
        "Literal.Number": number,
        "Name.Function": name,
        "Name.Class": name + _BOLD,
        "Name.Decorator": number,
        "Name.Tag": keyword,
        "Name.Attribute": name,
        "Name.Variable": name,
        "Name.Builtin": name,
        "Name.Exception": number,
        "Generic.Inserted": string,
        "Generic.Deleted": pot.pen("error"),
        "Generic.Heading": name + _BOLD,
        "Generic.Subheading": name,
        "Generic.Prompt": name,
        "Generic.Emph": _ITALIC,
        "Generic.Strong": _BOLD,
    }


def _named(pot: _Pot, muted: Style) -> tuple[RichColor | None, ...]:
    """The theme's colours in place of the terminal's, which may be unreadable on its background."""
    names = ("error", "success", "warning", "secondary", "accent", "primary", "foreground")
    colours = (muted.color, *(pot.pen(name).color for name in names))
    return colours * 2


@lru_cache(maxsize=8)
def _mixed(pairs: frozenset[tuple[str, str]], native: bool) -> Ink:
    pot = _Pot(dict(pairs), native=native)
    text, primary = pot.pen("foreground"), pot.pen("primary")
    has_quiet = "quiet" in dict(pairs) and not native
    muted = pot.pen("quiet") if has_quiet else pot.faded(0.38, _READABLE)
    emphasis = _BOLD + Style(underline=True) if native else _BOLD
    pill = Style(color=pot.back.rich_color, bgcolor=pot.of("primary").rich_color, bold=True)
    return Ink(
        text=text,
        muted=muted,
        faint=pot.faded(0.6, _FAINT),
        strong=text + _BOLD,
        primary=primary,
        secondary=pot.pen("secondary"),
        accent=pot.pen("accent"),
        success=pot.pen("success"),
        warning=pot.pen("warning"),
        error=pot.pen("error"),
        thought=muted + _ITALIC,
        heading=(
            primary + _BOLD + Style(underline=True),
            primary + _BOLD,
            text + _BOLD,
            text + _BOLD + _ITALIC,
        ),
        code_inline=pot.pen("accent") + pot.wash("foreground", 0.07),
        code=text + pot.wash("foreground", 0.05),
        link=pot.pen("secondary") + Style(underline=True),
        url=muted,
        said=text + pot.wash("primary", 0.12),
        said_bar=primary + _BOLD + pot.wash("primary", 0.12),
        added=pot.line("success"),
        removed=pot.line("error"),
        added_word=pot.line("success", 0.34) + emphasis,
        removed_word=pot.line("error", 0.34) + emphasis,
        cursor=primary + _BOLD,
        pill=_REVERSE if native else pill,
        named=() if native else _named(pot, muted),
        syntax=_syntax(pot, muted),
    )


def mix(variables: Mapping[str, str], *, native: bool = False) -> Ink:
    """The ink for a theme. ``native``: the terminal's own 16 colours are in use, so no tints.

    ``variables`` are Textual's theme variables (``App.theme_variables``); equal ones give the
    same ink.
    """
    return _mixed(
        frozenset((name, variables[name]) for name in _WANTED if name in variables), native
    )
