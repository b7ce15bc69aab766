"""Reads the value of ``--agent`` into the program and arguments that start another ACP agent.

It splits and expands like a POSIX shell but never runs one; it must not know what the program does.
"""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from canopy_shared import jsonio

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_TILDE = re.compile(r"~[A-Za-z0-9._-]*(?=[/ \t\r\n]|$)")
_BLANKS = " \t\r\n"
_ESCAPED_IN_DOUBLE_QUOTES = '$`"\\'
# Words a shell would act on. Passing them on as arguments would surprise, so they are refused
# unless quoted.
_SHELL_OPERATORS = frozenset({"|", "||", "&", "&&", ";", "<", ">", ">>", "2>", "2>&1", "&>"})


class AgentCommandError(Exception):
    """A command that cannot be started as it is written; the text is one line for the person."""


def resolve_agent_command(text: str, environment: Mapping[str, str]) -> tuple[str, ...]:
    """Parse ``text`` and put the absolute path of the program first.

    The program is looked for in ``environment``'s PATH, or, when it has a slash, from the current
    directory; on Windows PATHEXT applies, so ``.cmd`` shims are found. Raises
    ``AgentCommandError``.
    """
    program, *arguments = parse_agent_command(text, environment)
    return (_locate(program, environment), *arguments)


def parse_agent_command(
    text: str,
    environment: Mapping[str, str],
    *,
    home_of: Callable[[str], str] = os.path.expanduser,
    backslash_escapes: bool = os.name != "nt",
) -> tuple[str, ...]:
    """Split ``text`` into a program and its arguments; raise ``AgentCommandError`` if it cannot be.

    A text that starts with ``[`` is a JSON array of strings, used as it is. Any other text is
    split like a shell does: quotes, backslashes (not on Windows, where they part folders), ``~``
    and ``~user`` at the start of a word, ``$NAME`` and ``${NAME}`` outside single quotes. The
    value of a variable stays within its word, whatever it contains.
    """
    if text.lstrip().startswith("["):
        words = _from_json(text)
    else:
        words = tuple(_Splitter(text, environment, home_of, backslash_escapes).words())
    if not words or not words[0]:
        raise AgentCommandError("the agent command is empty")
    if any("\0" in word for word in words):
        raise AgentCommandError("the agent command contains a NUL character")
    return words


def _from_json(text: str) -> tuple[str, ...]:
    try:
        words = jsonio.loads(text)
    except ValueError as error:
        raise AgentCommandError(
            f"the agent command starts with [ but is no JSON array: {error}"
        ) from None
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise AgentCommandError("the agent command must be a JSON array of strings")
    return tuple(words)


@dataclass(slots=True)
class _Splitter:
    """One pass over a shell-like text; ``words`` yields each finished word."""

    text: str
    environment: Mapping[str, str]
    home_of: Callable[[str], str]
    backslash_escapes: bool
    position: int = 0
    # None between words; "" is a word when it was quoted.
    word: list[str] | None = None
    # Something in the word was quoted, escaped or the value of a variable: no shell operator.
    literal: bool = False

    def words(self) -> Iterator[str]:
        while self.position < len(self.text):
            if self.text[self.position] in _BLANKS:
                self.position += 1
                yield from self._finished()
            else:
                self._take()
        yield from self._finished()

    def _finished(self) -> Iterator[str]:
        if self.word is not None:
            word = "".join(self.word)
            if not self.literal and word in _SHELL_OPERATORS:
                raise AgentCommandError(
                    f"no shell runs the agent command, so {word} does nothing; quote it, or "
                    "start a shell yourself: sh -c '...'"
                )
            yield word
        self.word, self.literal = None, False

    def _take(self) -> None:
        """Consume one character, escape, quoted run or expansion outside quotes."""
        character = self.text[self.position]
        if character == "'":
            self._append(self._single_quoted(), literal=True)
        elif character == '"':
            self._append(self._double_quoted(), literal=True)
        elif character == "\\" and self.backslash_escapes:
            self._take_escape()
        elif character in "$`":
            self._expand_into_word()
        elif character == "~" and self.word is None and (tilde := self._match(_TILDE)):
            self._append(self.home_of(tilde))
        else:
            self.position += 1
            self._append(character)

    def _append(self, piece: str, *, literal: bool = False) -> None:
        if self.word is None:
            self.word = []
        self.word.append(piece)
        self.literal = self.literal or literal

    def _match(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self.text, self.position)
        if found is None:
            return ""
        self.position = found.end()
        return found.group()

    def _expand_into_word(self) -> None:
        value = self._expanded()
        if value or self.word is not None:
            self._append(value, literal=True)

    def _take_escape(self) -> None:
        if self.position + 1 == len(self.text):
            raise AgentCommandError("the agent command ends in a lone backslash")
        self.position += 2
        escaped = self.text[self.position - 1]
        if escaped != "\n":  # an escaped newline is no character and starts no word
            self._append(escaped, literal=True)

    def _single_quoted(self) -> str:
        end = self.text.find("'", self.position + 1)
        if end < 0:
            raise AgentCommandError("the agent command has an unclosed ' quote")
        run = self.text[self.position + 1 : end]
        self.position = end + 1
        return run

    def _double_quoted(self) -> str:
        self.position += 1
        pieces: list[str] = []
        while self.position < len(self.text):
            character = self.text[self.position]
            following = self.text[self.position + 1 : self.position + 2]
            if character == '"':
                self.position += 1
                return "".join(pieces)
            if character in "$`":
                pieces.append(self._expanded())
            elif character == "\\" and following and following in self._escapable():
                pieces.append("" if following == "\n" else following)
                self.position += 2
            else:
                pieces.append(character)
                self.position += 1
        raise AgentCommandError('the agent command has an unclosed " quote')

    def _escapable(self) -> str:
        return _ESCAPED_IN_DOUBLE_QUOTES + "\n" if self.backslash_escapes else '"'

    def _expanded(self) -> str:
        """The value of the variable here; a ``$`` that names nothing stays a ``$``."""
        start = self.position
        self.position += 1
        following = self.text[self.position : self.position + 1]
        if self.text[start] == "`" or following == "(":
            raise AgentCommandError(
                "no shell runs the agent command, so $(...) and `...` do nothing; use '...' to "
                "keep them as text"
            )
        if following == "{":
            end = self.text.find("}", self.position)
            name = self.text[self.position + 1 : end] if end > 0 else ""
            if not _NAME.fullmatch(name):
                raise AgentCommandError("only $NAME and ${NAME} work in the agent command")
            self.position = end + 1
        elif not (name := self._match(_NAME)):
            return "$"
        if name not in self.environment:
            raise AgentCommandError(f"the agent command uses ${name}, which is not set")
        return self.environment[name]


def _locate(program: str, environment: Mapping[str, str]) -> str:
    found = shutil.which(program, path=environment.get("PATH"))
    if found is not None:
        return _startable(Path(found).absolute())
    path = Path(program)
    if path.name != program and path.is_dir():
        raise AgentCommandError(f"the agent program {program!r} is a directory")
    if path.name != program and path.exists():
        raise AgentCommandError(f"the agent program {program!r} is not executable")
    where = "does not exist" if path.name != program else "is not on PATH"
    hint = " (a JSON array is used as it is: ~ is not expanded)" if program[0] == "~" else ""
    raise AgentCommandError(f"the agent program {program!r} {where}{hint}")


def _startable(program: Path, *, windows: bool = os.name == "nt") -> str:
    """``program``, or the batch file that npm puts beside a PowerShell script: such a script does
    not pass on what is written to it while it runs.
    """
    if not windows or program.suffix.lower() != ".ps1":
        return str(program)
    twin = program.with_suffix(".cmd")
    if twin.is_file():
        return str(twin)
    raise AgentCommandError(
        f"the agent program {str(program)!r} is a PowerShell script, which cannot talk over its "
        "stdin; name the program that it starts"
    )
