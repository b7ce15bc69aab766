"""``--agent``: the command string as a shell would read it, the JSON array as it is, no shell."""

from __future__ import annotations

import json
import os
import shlex
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from canopy_tui.agents.agent_command import (
    AgentCommandError,
    parse_agent_command,
    resolve_agent_command,
)

ENVIRONMENT = {
    "NAME": "value",
    "SPACED": "two words",
    "EMPTY": "",
    "TILDE": "~/x",
    "DOLLAR": "$NAME",
}
HOME = "/somewhere/at home"


def split(text: str, *, backslash_escapes: bool = True) -> tuple[str, ...]:
    def home_of(tilde: str) -> str:
        return {"~": HOME, "~ann": "/homes/ann"}.get(tilde, tilde)

    return parse_agent_command(
        text, ENVIRONMENT, home_of=home_of, backslash_escapes=backslash_escapes
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("prog", ["prog"]),
        ("  prog\t--a \n b ", ["prog", "--a", "b"]),
        ("'my prog' \"an arg\" c\\ d", ["my prog", "an arg", "c d"]),
        ("pre'quo ted'post", ["prequo tedpost"]),
        ("prog '' \"\"", ["prog", "", ""]),
        ("prog \\\n next", ["prog", "next"]),
        (r'prog "a\"b\\c\d\$NAME"', ["prog", 'a"b\\c\\d$NAME']),
        (r"prog 'a\b' \'", ["prog", r"a\b", "'"]),
        (
            "prog $NAME ${NAME}s \"$NAME\" '$NAME' \\$NAME",
            ["prog", "value", "values", "value", "$NAME", "$NAME"],
        ),
        ("prog $SPACED x", ["prog", "two words", "x"]),
        ("prog $EMPTY x", ["prog", "x"]),
        ('prog "$EMPTY" x', ["prog", "", "x"]),
        ("prog $TILDE $DOLLAR", ["prog", "~/x", "$NAME"]),
        ("prog a$ $ 5$% $1", ["prog", "a$", "$", "5$%", "$1"]),
        ("~/bin/prog ~ ~ann/x", [HOME + "/bin/prog", HOME, "/homes/ann/x"]),
        (
            "prog '~/x' \"~/x\" \\~/x a~ --dir=~/x ~nobody",
            ["prog", "~/x", "~/x", "~/x", "a~", "--dir=~/x", "~nobody"],
        ),
        (
            "prog a|b 'x' '|' \\; \"&&\" u?a=1&b=2",
            ["prog", "a|b", "x", "|", ";", "&&", "u?a=1&b=2"],
        ),
        ("prog '`x`' '$(x)' \\`", ["prog", "`x`", "$(x)", "`"]),
        ("prog # no comment", ["prog", "#", "no", "comment"]),
        ('["prog", "an arg", "$NAME", "~", "", "\'"]', ["prog", "an arg", "$NAME", "~", "", "'"]),
        (' ["prog"]', ["prog"]),
    ],
)
def test_words(text: str, words: list[str]) -> None:
    assert split(text) == tuple(words)


def test_a_windows_path_keeps_its_backslashes() -> None:
    text = r'"C:\My Tools\agent.cmd" C:\x\$NAME "say \"hi\""'
    assert split(text, backslash_escapes=False) == (
        r"C:\My Tools\agent.cmd",
        r"C:\x\value",
        'say "hi"',
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"),
        (" \n", "is empty"),
        ("''", "is empty"),
        ("[]", "is empty"),
        ('["", "x"]', "is empty"),
        ("[1]", "JSON array of strings"),
        ('["prog", null]', "JSON array of strings"),
        ('["prog"', "no JSON array"),
        ('["prog"] x', "no JSON array"),
        ("prog 'x", "unclosed '"),
        ('prog "x', 'unclosed "'),
        ('prog "x\\"', 'unclosed "'),
        ("prog \\", "lone backslash"),
        ("prog $MISSING", "$MISSING, which is not set"),
        ('prog "${MISSING}"', "$MISSING, which is not set"),
        ("prog ${NAME:-x}", "only $NAME and ${NAME}"),
        ("prog ${NAME", "only $NAME and ${NAME}"),
        ("prog ${}", "only $NAME and ${NAME}"),
        ("prog $(date)", "no shell"),
        ("prog `date`", "no shell"),
        ('prog "`date`"', "no shell"),
        ("prog | tee log", "no shell"),
        ("cd x && prog", "no shell"),
        ("prog > log", "no shell"),
        ("prog a\0b", "NUL"),
        ('["prog", "a\\u0000b"]', "NUL"),
    ],
)
def test_what_cannot_be_started_says_why(text: str, words: str) -> None:
    with pytest.raises(AgentCommandError) as refusal:
        split(text)
    assert words in str(refusal.value)
    assert "\n" not in str(refusal.value)


WORDS = st.lists(
    st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])), min_size=1
)


@given(WORDS.filter(lambda words: words[0] != ""))
def test_what_a_shell_would_quote_comes_back(words: list[str]) -> None:
    assert split(shlex.join(words)) == tuple(words)


@given(WORDS.filter(lambda words: words[0] != ""))
def test_a_json_array_comes_back(words: list[str]) -> None:
    assert split(json.dumps(words)) == tuple(words)


@given(st.text(st.sampled_from("""ab ~/$N{}[]'"\\`(|&\n=-""")) | st.text())
def test_any_text_is_split_or_refused(text: str) -> None:
    with suppress(AgentCommandError):
        assert split(text)[0]


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1))
def test_a_value_stays_one_word(value: str) -> None:
    environment = {"VALUE": value}
    assert parse_agent_command('p $VALUE "$VALUE" x${VALUE}y', environment) == (
        "p",
        value,
        value,
        f"x{value}y",
    )


def executable(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_the_program_is_found_on_path(tmp_path: Path) -> None:
    program = executable(tmp_path / "with space" / "my-agent")
    environment = {"PATH": f"{os.defpath}{os.pathsep}{program.parent}"}
    assert resolve_agent_command("my-agent 'a b'", environment) == (str(program), "a b")
    assert resolve_agent_command('["my-agent", "$x"]', environment) == (str(program), "$x")


def test_a_path_with_a_slash_counts_from_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = executable(tmp_path / "tools" / "my agent")
    monkeypatch.chdir(tmp_path)
    environment = {"PATH": "", "TOOLS": str(program.parent)}
    expected = (str(program), "-x")
    assert resolve_agent_command("'tools/my agent' -x", environment) == expected
    assert resolve_agent_command("./tools/my\\ agent -x", environment) == expected
    assert resolve_agent_command('"$TOOLS/my agent" -x', environment) == expected


def test_a_tilde_is_the_home_of_the_person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = executable(tmp_path / "bin" / "agent")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert resolve_agent_command("~/bin/agent", {"PATH": ""}) == (str(program),)


def test_a_program_that_is_not_there_is_named(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.write_text("no program")
    plain.chmod(0o644)
    for text, words in (
        ("no-such-agent --acp", "'no-such-agent' is not on PATH"),
        ("./no-such-agent", "'./no-such-agent' does not exist"),
        (f"'{plain}'", "is not executable"),
        (f"'{tmp_path}'", "is a directory"),
        ('["~/agent"]', "~ is not expanded"),
    ):
        with pytest.raises(AgentCommandError) as refusal:
            resolve_agent_command(text, {"PATH": str(tmp_path)})
        assert words in str(refusal.value)
