"""How fast the whole client is where much comes at once: a session of 2,000 turns that our own
agent loads while somebody types, a paste of some megabytes, and ``@`` in a tree of 100,000 files.

The first two run on a real pseudo-terminal, with a fake CLI. Figures are printed; asserted is
that nothing hangs.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
import time
from pathlib import Path
from statistics import median

from test_client_speed import Pty, on_pty

from canopy_agent.history.store import folder_name
from canopy_tui.desk.file_index import FileIndex
from canopy_tui.kept.trust import TrustedDirectories
from fakes.cli import FakeCli
from store.writing import Transcript

LOAD = Path(__file__).parent / "long_load.py"
TURNS, CALLS = 2_000, 5
KEYS = [chr(0x4E00 + number) for number in range(40)]
PASTE = "A line of a log, with words and 12345 numbers.\n" * 120_000


def write_session(place: Path, projects: Path) -> str:
    """A stored session of 12,000 messages and calls; its id."""
    transcript = Transcript(projects, folder=folder_name(str(place)), cwd=str(place))
    for turn in range(TURNS):
        transcript.user(f"Question {turn}")
        for call in range(CALLS):
            id_ = f"t{turn}-{call}"
            transcript.calls("Read", id_, f"m{turn}", file_path=f"/somewhere/{call}.py")
            transcript.returns(id_, "line of text\n" * 20)
        transcript.says("It does this and that. " * 20, f"m{turn}-end")
    return transcript.id


def until_quiet(run: Pty) -> float:
    """When the last byte came, with nothing after it for a second and a half."""
    last, start = time.perf_counter(), time.perf_counter()
    while time.perf_counter() - last < 1.5:
        assert time.perf_counter() - start < 240
        del run.got[:]
        assert run.read(0.1)
        if run.got:
            last = time.perf_counter()
    return last


def echo(run: Pty, key: str) -> float:
    """Milliseconds from a key to its echo."""
    deadline = time.perf_counter() + 0.05
    while (left := deadline - time.perf_counter()) > 0:
        run.read(left)
    del run.got[:]
    sent = time.perf_counter()
    os.write(run.terminal, key.encode())
    run.until(key.encode())
    return (time.perf_counter() - sent) * 1e3


def test_typing_while_our_own_agent_loads_a_session(tmp_path: Path) -> None:
    place, claude = tmp_path / "place", tmp_path / "claude"
    place.mkdir()
    session = write_session(place, claude / "projects")
    TrustedDirectories(tmp_path / "canopy" / "state").give(str(place), keep=True)
    environment = {
        **os.environ,
        "HOME": str(tmp_path),
        "CANOPY_CONFIG_DIR": str(tmp_path / "canopy"),
        "CLAUDE_CONFIG_DIR": str(claude),
        **FakeCli(tmp_path / "fake", turns=[]).env,
    }
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [sys.executable, "-m", "canopy_tui", "--resume", session, str(place)]
    with on_pty(command, environment) as run:
        run.until(b"Loading")
        began = time.perf_counter()
        alone = until_quiet(run) - began
    with on_pty(command, environment) as run:
        run.until(b"Loading")
        began = time.perf_counter()
        taken = sorted(echo(run, key) for key in KEYS)
        typing = until_quiet(run) - began
    print(
        f"\nload of {TURNS:,} turns: {alone:.1f} s, {typing:.1f} s with {len(KEYS)} keys;", end=" "
    )
    print(f"key to echo: p50 {median(taken):.1f} ms, most {taken[-1]:.1f} ms")


def test_a_paste_of_megabytes(tmp_path: Path) -> None:
    done, content = tmp_path / "done", f"\x1b[200~{PASTE}\x1b[201~".encode()
    with on_pty([sys.executable, str(LOAD), "talk:10", str(done)], dict(os.environ)) as run:
        run.until(b"all-is-told")
        echo(run, KEYS[1])

        def write() -> None:
            rest = memoryview(content)
            while rest:
                rest = rest[os.write(run.terminal, rest[: 1 << 16]) :]

        began = time.perf_counter()
        writing = threading.Thread(target=write)
        writing.start()
        run.until(b"[Pasted")
        took = time.perf_counter() - began
        writing.join()
        print(f"\npaste of {len(content) / 1e6:.1f} MB: {took * 1e3:.0f} ms to its mark;", end=" ")
        print(f"next key to echo: {echo(run, KEYS[0]):.1f} ms")
        done.touch()


def test_picking_one_of_100_000_files(tmp_path: Path) -> None:
    for folder in range(1_000):
        place = tmp_path / f"package{folder % 50}" / f"module{folder}"
        place.mkdir(parents=True)
        for number in range(100):
            (place / f"file_{number}_of_{folder}.py").touch()

    async def measure() -> None:
        index, began = FileIndex(tmp_path), time.perf_counter()
        while (found := await index.search("f")) is not None and found.listing:
            assert time.perf_counter() - began < 240
            await asyncio.sleep(0.005)
        print(f"\n100,000 files listed in {time.perf_counter() - began:.2f} s; a key", end=" ")
        for query in ("", "f", "fil", "module77", "_of_", "f77of", "nowhere"):
            taken = []
            for _ in range(7):
                began = time.perf_counter()
                await index.search(query)
                taken.append((time.perf_counter() - began) * 1e3)
            print(f"{query!r} {median(taken):.0f} ms", end=", ")

    asyncio.run(measure())
