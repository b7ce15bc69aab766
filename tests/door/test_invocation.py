"""The command line, word by word: what each form asks for, and what is refused in which words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from canopy_tui.invocation import (
    HELP,
    SUBCOMMANDS,
    Inspect,
    OpenClient,
    Replay,
    RunClaude,
    RunDoctor,
    RunPlain,
    ServeStdio,
    ShowHelp,
    ShowVersion,
    UsageError,
    parse,
)
from canopy_tui.meant import by_directory


@pytest.mark.parametrize(
    ("line", "asked"),
    [
        ([], OpenClient()),
        (["src"], OpenClient("src")),
        (["./doctor"], OpenClient("./doctor")),
        (["--", "doctor"], OpenClient("doctor")),
        (["--", "--demo"], OpenClient("--demo")),
        (["-"], OpenClient("-")),
        (["--demo"], OpenClient(demo=True)),
        (["--agent", "foo --acp"], OpenClient(agent="foo --acp")),
        (["--agent=foo --x=y", "src"], OpenClient("src", agent="foo --x=y")),
        (["src", "--agent", '["foo"]'], OpenClient("src", agent='["foo"]')),
        (["--agent", "doctor"], OpenClient(agent="doctor")),
        (["--stdio"], ServeStdio()),
        (["--stdio", "--protocol", "v1"], ServeStdio()),
        (["--stdio", "--hide-claude-auth"], ServeStdio(hide_subscription=True)),
        (["--protocol=v1"], OpenClient()),
        (["--protocol=v2", "--demo"], OpenClient(demo=True, newest=True)),
        (["--record", "r.jsonl"], OpenClient(record="r.jsonl")),
        (["--record=r", "--demo"], OpenClient(demo=True, record="r")),
        (["--stdio", "--record", "."], ServeStdio(record=".")),
        (["--plain"], RunPlain()),
        (["--plain", "fix it"], RunPlain("fix it")),
        (["--plain", "--demo", "--", "--plain"], RunPlain("--plain", demo=True)),
        (["--plain", "--", "doctor"], RunPlain("doctor")),
        (["--plain", "--trust"], RunPlain(trusted=True)),
        (["--trust", "src"], OpenClient("src", trusted=True)),
        (["fix", "--plain", "--agent", "a", "--record", "r"], RunPlain("fix", "a", record="r")),
        (["replay", "r"], Replay("r")),
        (["replay", "replay"], Replay("replay")),
        (["replay", "--", "--r"], Replay("--r")),
        (["replay", "r", "--speed", "2.5", "--paused"], Replay("r", 2.5, paused=True)),
        (["--plain", "replay", "r"], Replay("r", plain=True)),
        (["inspect"], Inspect()),
        (["inspect", "inspect"], Inspect("inspect")),
        (["inspect", "8ad25ef1", "--plain"], Inspect("8ad25ef1", plain=True)),
        (["inspect", "a b.jsonl"], Inspect("a b.jsonl")),
        (["doctor"], RunDoctor()),
        (["doctor", "--json"], RunDoctor(json=True)),
        (["--json", "doctor"], RunDoctor(json=True)),
        (["--version"], ShowVersion()),
        (["-V"], ShowVersion()),
        (["-v"], ShowVersion()),
        (["--stdio", "--version"], ShowVersion()),
        (["--help"], ShowHelp()),
        (["-h", "--version"], ShowHelp()),
        (["--nonsense", "--help"], ShowHelp()),
        (["--cli"], RunClaude(())),
        (["--cli", "auth", "login"], RunClaude(("auth", "login"))),
        (["--stdio", "--cli", "auth", "login"], RunClaude(("auth", "login"))),
        (["--hide-claude-auth", "--stdio", "--cli", "-p", "x"], RunClaude(("-p", "x"))),
        (["auth", "status", "--cli", "--help"], RunClaude(("auth", "status", "--help"))),
        (["--nonsense", "--cli"], RunClaude(("--nonsense",))),
        (["--version", "--cli"], RunClaude(("--version",))),
        (["--stdio", "--record", "r", "--cli", "auth"], RunClaude(("auth",))),
        (["--record=r", "--cli", "--record", "x"], RunClaude(("--record", "x"))),
        (["--", "--cli"], RunClaude(("--",))),
        (["--cli", "--", "--cli"], RunClaude(("--", "--cli"))),
    ],
)
def test_each_form_asks_for_one_thing(line: list[str], asked: object) -> None:
    assert parse(line) == asked


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (["--nonsense"], "unknown option '--nonsense'"),
        (["-x"], "unknown option '-x'"),
        (["--demo=yes"], "unknown option '--demo=yes'"),
        (["--hide-claude-auth"], "--hide-claude-auth goes with --stdio only"),
        (["a", "b"], "not also 'b'"),
        (["a", "doctor"], "not also 'doctor'"),
        ([""], "empty string"),
        (["--agent"], "--agent needs a command"),
        (["--agent", "--demo"], "--agent needs a command"),
        (["--agent="], "--agent needs a command"),
        (["--agent", "  "], "--agent needs a command"),
        (["--agent", "a", "--agent", "b"], "--agent is given twice"),
        (["--stdio", "--stdio"], "--stdio is given twice"),
        (["--stdio", "--demo"], "--stdio does not go with --demo"),
        (["--stdio", "--agent", "a"], "--stdio does not go with --agent"),
        (["--stdio", "src"], "--stdio does not go with a directory"),
        (["--demo", "src"], "--demo does not go with a directory"),
        (["--demo", "--agent", "a"], "--demo does not go with --agent"),
        (["--json"], "canopy doctor only"),
        (["doctor", "src"], "doctor does not go with 'src'"),
        (["doctor", "doctor"], "doctor does not go with 'doctor'"),
        (["doctor", "--demo"], "doctor does not go with --demo"),
        (["--record"], "--record needs a file"),
        (["--record", "--demo"], "--record needs a file"),
        (["--record="], "--record needs a file"),
        (["--plain", "a", "b"], "one prompt, in quotes, at most"),
        (["--plain", " "], "the prompt is empty"),
        (["--plain", "--stdio"], "--stdio does not go with --plain"),
        (["--stdio", "--trust"], "--stdio does not go with --trust"),
        (["--plain", "doctor"], "doctor does not go with --plain"),
        (["replay"], "replay needs one file"),
        (["replay", ""], "replay needs one file"),
        (["replay", "a", "b"], "replay needs one file"),
        (["replay", "a", "--demo"], "replay does not go with --demo"),
        (["replay", "a", "--speed", "fast"], "--speed takes a number"),
        (["replay", "a", "--speed", "0"], "--speed takes a number"),
        (["replay", "a", "--speed", "nan"], "--speed takes a number"),
        (["replay", "a", "--speed=1e9"], "--speed takes a number"),
        (["inspect", "a", "b"], "inspect takes one session, not also 'b'"),
        (["inspect", " "], "the id of the session is empty"),
        (["inspect", "--demo"], "inspect does not go with --demo"),
        (["--speed", "2"], "--speed goes with canopy replay only"),
        (["--paused"], "--paused goes with canopy replay only"),
        (["--protocol"], "--protocol takes v1 or v2"),
        (["--protocol", "1"], "--protocol takes v1 or v2"),
        (["--stdio", "--protocol=v2"], "the version that its client asks for"),
    ],
)
def test_what_cannot_be_meant_is_refused_in_one_line(line: list[str], words: str) -> None:
    with pytest.raises(UsageError) as refusal:
        parse(line)
    assert words in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (["--dmeo"], "did you mean --demo?"),
        (["--resum=x"], "did you mean --resume?"),
        (["--Plain"], "did you mean --plain?"),
        (["--hide"], "did you mean --hide-claude-auth?"),
        (["-p", "hello"], "did you mean --plain?"),
        (["-c"], "did you mean --continue?"),
        (["--demo=yes"], "--demo takes no value"),
        (["--model", "opus"], "unknown option '--model'; canopy --help"),
        (["--" + "x" * 100_000], "canopy --help"),
        (["inpsect", "8ad25ef1"], "did you mean canopy inspect?"),
        (["reply", "r.jsonl"], "did you mean canopy replay?"),
        (["auth", "login"], "did you mean canopy --cli auth login?"),
        (["resume", "8ad25ef1"], "did you mean canopy --resume?"),
        (["src", "lib"], "one directory at most, not also 'lib'; canopy --help"),
    ],
)
def test_a_slip_is_told_what_may_be_meant(line: list[str], words: str) -> None:
    with pytest.raises(UsageError) as refusal:
        parse(line)
    assert words in str(refusal.value)


@pytest.mark.parametrize(
    ("word", "words"),
    [
        ("doctro", "did you mean canopy doctor?"),
        ("Doctor", "did you mean canopy doctor?"),
        ("demo", "did you mean canopy --demo?"),
        ("help", "did you mean canopy --help?"),
        ("fix the bug", "canopy --plain 'PROMPT'"),
        ("talk.jsonl", "canopy replay FILE"),
        ("src/lib", "canopy --help says what there is"),
        ("../a b", "canopy --help says what there is"),
    ],
)
def test_what_is_no_directory_may_be_a_command(word: str, words: str) -> None:
    assert words in by_directory(word, SUBCOMMANDS)


WORDS = [
    "doctor",
    "replay",
    "inspect",
    "--demo",
    "--agent",
    "--record",
    "--plain",
    "--speed",
    "--",
    "-v",
]


def outcome_of(line: list[str]) -> str:
    try:
        return repr(parse(line))
    except UsageError as refusal:
        return str(refusal)


@given(st.lists(st.text(max_size=8) | st.sampled_from(WORDS)))
def test_any_line_is_understood_or_refused_in_one_printable_line(line: list[str]) -> None:
    assert outcome_of(line).isprintable()


@given(st.lists(st.text(max_size=8), max_size=6), st.integers(0, 6))
def test_cli_wins_wherever_it_stands(line: list[str], position: int) -> None:
    words = [word for word in line if word not in ("--cli", "--stdio", "--hide-claude-auth")]
    assert parse([*words[:position], "--cli", *words[position:]]) == RunClaude(tuple(words))


@pytest.mark.parametrize(
    "form",
    [
        "canopy [DIRECTORY]",
        "--demo",
        "--agent",
        "--stdio",
        "--plain",
        "--record",
        "replay",
        "inspect",
        "--speed",
        "--paused",
        "--trust",
        "doctor",
        "--cli",
        "--version",
        "--help",
    ],
)
def test_help_names_each_form(form: str) -> None:
    assert form in HELP


def test_help_fits_a_small_terminal() -> None:
    lines = HELP.splitlines()
    assert max(map(len, lines)) <= 100
    assert len(lines) <= 32
