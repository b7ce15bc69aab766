"""Inline Markdown as styled runs: emphasis, code, links with their target in sight.

Links carry their address as style meta, for the view to ask the person about; nothing is opened.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rich.style import Style

from canopy_tui.model.sanitize import visible
from canopy_tui.view.drawing.strips import printable, split_newlines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from markdown_it.token import Token
    from markdown_it.tree import SyntaxTreeNode

    from canopy_tui.view.drawing.strips import Line, Paper, Run

LINK = "canopy_link"
"""Key of the address in the meta of a link's style."""

_ADDRESS = re.compile(r"https?://[^\s<>\"'`|\\^{}\[\]]+")
_EMPHASIS = {"strong": Style(bold=True), "em": Style(italic=True), "s": Style(strike=True)}


def inline_lines(node: SyntaxTreeNode, paper: Paper, style: Style) -> list[Line]:
    """The content of an ``inline`` node as lines; a newline in the source stays one."""
    tokens = node.token.children if node.token is not None else None
    return split_newlines(_Inline(paper, style).runs(tokens or []))


class _Inline:
    """One run over flat inline tokens; styles are a stack, so depth costs no recursion."""

    def __init__(self, paper: Paper, style: Style) -> None:
        self._ink = paper.ink
        self._styles = [style]
        self._links: list[tuple[str, int]] = []
        self._written = 0
        self._said: list[str] = []

    def runs(self, tokens: list[Token]) -> Iterator[Run]:
        """Styled text of ``tokens``."""
        for token in tokens:
            for text, style in self._token(token):
                self._said.append(text)
                yield text, style

    def _token(self, token: Token) -> Iterator[Run]:
        match token.type:
            case "text":
                yield from self._text(printable(token.content))
            case "softbreak" | "hardbreak":
                yield "\n", self._styles[-1]
            case "code_inline":
                yield printable(token.content), self._styles[-1] + self._ink.code_inline
            case "link_open":
                address = visible(str(token.attrs.get("href", "")), multiline=False)
                self._links.append((address, len(self._said)))
                self._styles.append(self._styles[-1] + self._ink.link + _leads_to(address))
            case "link_close":
                yield from self._link_end()
            case "image":
                yield from self._image(token)
            case _ if token.nesting == 1 and token.tag in _EMPHASIS:
                self._styles.append(self._styles[-1] + _EMPHASIS[token.tag])
            case _ if token.nesting == -1 and token.tag in _EMPHASIS:
                self._styles.pop()
            case _:
                yield printable(token.content), self._styles[-1]

    def _text(self, text: str) -> Iterator[Run]:
        style = self._styles[-1]
        if self._links or "://" not in text:
            yield text, style
            return
        at = 0
        for match in _ADDRESS.finditer(text):
            address = match.group().rstrip(".,;:!?)*_~")
            yield text[at : match.start()], style
            yield address, style + self._ink.link + _leads_to(address)
            at = match.start() + len(address)
        yield text[at:], style

    def _link_end(self) -> Iterator[Run]:
        self._styles.pop()
        address, start = self._links.pop()
        said = "".join(self._said[start:])
        if address and address not in (said, f"mailto:{said}"):
            yield f" ({address})", self._styles[-1] + self._ink.url + _leads_to(address)

    def _image(self, token: Token) -> Iterator[Run]:
        address = visible(str(token.attrs.get("src", "")), multiline=False)
        alt = printable(token.content)
        yield f"[image: {alt}]" if alt else "[image]", self._styles[-1] + self._ink.muted
        if address:
            yield f" ({address})", self._styles[-1] + self._ink.url


def _leads_to(address: str) -> Style:
    return Style.from_meta({LINK: address})
