"""B85, the rules alone: what ``cmd.exe`` makes of our line, PowerShell scripts, editors with paths.

The reading of a line is written down here from what is known of ``cmd.exe`` and of the C runtime:
variables first, wherever they stand; outside quotes ``&`` and its like end the command; two quotes
inside quotes are one.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from canopy_tui.agents import agent_command
from canopy_tui.agents.agent_command import AgentCommandError
from canopy_tui.desk import external_editor
from canopy_tui.process.windows_processes import batch_line, is_batch_file

VARIABLES = {"PATH": r"C:\Windows;C:\x & y", "A": '"', "cd": "C:\\here"}
OPERATORS = frozenset("&|<>()^\n")


def expanded(line: str) -> str:
    """``%NAME%`` and ``%NAME:~,%`` as on the command line: what names nothing stays."""
    done, at = "", 0
    while at < len(line):
        found = re.compile(r"%([^%:]+)(:~,)?%").match(line, at)
        if found is None or found[1] not in VARIABLES:
            done, at = done + line[at], at + 1
        else:
            done, at = done + ("" if found[2] else VARIABLES[found[1]]), found.end()
    return done


def read(line: str) -> list[str]:
    """The words that a program behind the batch file gets."""
    line = expanded(line)
    quoted = False
    for character in line:
        quoted ^= character == '"'
        assert quoted or character not in OPERATORS, f"{character} is for the shell in {line}"
    assert not quoted, line
    words: list[str] = []
    at = 0
    while at < len(line):
        if line[at] == " ":
            at += 1
            continue
        word, inside = "", False
        while at < len(line) and (inside or line[at] != " "):
            slashes = len(line) - at - len(line[at:].lstrip("\\"))
            at += slashes
            if line[at : at + 1] != '"':
                word += "\\" * slashes
                if slashes == 0:
                    word, at = word + line[at], at + 1
                continue
            word += "\\" * (slashes // 2)
            at += 1
            if slashes % 2:
                word += '"'
            elif inside and line[at : at + 1] == '"':
                word, at = word + '"', at + 1
            else:
                inside = not inside
        words.append(word)
    return words


HARD = st.text(st.sampled_from('ab \\"%&|<>()^!,;=~:\t') | st.sampled_from("é√"), max_size=12)
NAMED = st.builds("{}%{}%{}".format, HARD, st.sampled_from(sorted(VARIABLES)), HARD)
FOLDERS = st.text(st.sampled_from("ab &^%()!,;='-"), min_size=1, max_size=8)


@given(FOLDERS, st.lists(HARD | NAMED, max_size=4))
def test_b85_a_batch_file_gets_every_argument_as_it_is(place: str, arguments: list[str]) -> None:
    command = [f"C:\\{place}\\agent.cmd", *arguments]
    assert read(batch_line(command)) == command


def test_b85_the_line_for_a_batch_file_as_one_would_write_it() -> None:
    line = batch_line([r"C:\Ann Other & Co\agent.cmd", "--acp", "x&y", "", "C:\\"])
    assert line == r'"C:\Ann Other & Co\agent.cmd" --acp "x&y" "" "C:\\"'


@pytest.mark.parametrize("word", ["a\nb", "a\rb", "\0"])
def test_b85_what_no_batch_file_can_get_is_refused(word: str) -> None:
    with pytest.raises(ValueError, match="line break"):
        batch_line(["agent.cmd", word])


@pytest.mark.parametrize("name", ["a.cmd", "A.CMD", "a.bat", "a.cmd.", "a.bat . "])
def test_b85_a_batch_file_is_known_by_its_name(name: str) -> None:
    assert is_batch_file(name)
    assert not is_batch_file(name.replace(".", "_"))


def test_b85_beside_a_powershell_script_is_a_batch_file(tmp_path: Path) -> None:
    script = tmp_path / "a b" / "agent.ps1"
    script.parent.mkdir()
    script.touch()
    with pytest.raises(AgentCommandError, match=r"a b.*agent\.ps1.*name the program"):
        agent_command._startable(script, windows=True)
    script.with_suffix(".cmd").touch()
    assert agent_command._startable(script, windows=True) == str(script.with_suffix(".cmd"))
    assert agent_command._startable(script, windows=False) == str(script)


def test_b85_an_editor_whose_path_has_spaces() -> None:
    text = r'"C:\Program Files\VS Code\code.cmd" --wait'
    words = [r"C:\Program Files\VS Code\code.cmd", "--wait"]
    assert external_editor._words(text, windows=True) == words
