from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from canopy_agent.demo import workspace
from canopy_agent.demo.scenes.crew import NEW_TESTS, TEST_FILE
from canopy_agent.demo.scenes.editing import BROKEN, FIXED
from canopy_agent.demo.workspace import cleaned, demo_environment
from demo.wire import ask, text_of


def run_tests(cwd: Path) -> subprocess.CompletedProcess[str]:
    """The sample's own tests."""
    return subprocess.run(
        [sys.executable, "-B", "-m", "unittest"],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": "", "PYTHONWARNINGS": "error"},
    )


def left_in(folder: Path) -> list[Path]:
    return sorted(folder.iterdir())


def lock_something(cwd: Path, outside: Path) -> None:
    """Read-only files in folders that cannot be entered, and a link that leads out."""
    deep = cwd / "locked" / "deep"
    deep.mkdir(parents=True)
    (deep / "file").write_text("x")
    (cwd / "link").symlink_to(outside)
    for path, mode in ((deep / "file", 0o400), (deep, 0o500), (deep.parent, 0)):
        path.chmod(mode)


async def test_the_sample_has_one_bug_that_the_edit_repairs(tmp_path: Path) -> None:
    async with demo_environment(parent=tmp_path) as place:
        broken = await asyncio.to_thread(run_tests, place.cwd)
        assert broken.returncode == 1
        assert "FAILED (failures=1)" in broken.stderr
        rules = place.cwd / "fruitstand" / "discounts.py"
        source = rules.read_text()
        assert source.count(BROKEN) == 1
        rules.write_text(source.replace(BROKEN, FIXED))
        (place.cwd / NEW_TESTS).write_text(TEST_FILE)
        mended = await asyncio.to_thread(run_tests, place.cwd)
        assert mended.returncode == 0, mended.stderr
        assert "Ran 10 tests" in mended.stderr


async def test_nothing_is_left_also_after_an_error_and_with_read_only_parts(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir(mode=0o500)

    async def break_off() -> None:
        async with demo_environment(parent=tmp_path) as place:
            assert place.cwd.is_relative_to(tmp_path)
            lock_something(place.cwd, outside)
            raise RuntimeError("broken off")

    with pytest.raises(RuntimeError, match="broken off"):
        await break_off()
    assert left_in(tmp_path) == [outside]
    assert outside.stat().st_mode & 0o777 == 0o500


async def test_a_late_writer_does_not_keep_the_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries = []

    def removed_at_the_third(root: Path) -> bool:
        tries.append(root)
        if len(tries) < 3:
            return False
        shutil.rmtree(root)
        return True

    monkeypatch.setattr(workspace, "_removed", removed_at_the_third)
    monkeypatch.setattr(workspace, "REMOVAL_WAIT", 0.0)
    async with demo_environment(parent=tmp_path):
        pass
    assert len(tries) == 3
    assert left_in(tmp_path) == []


async def test_what_cannot_be_removed_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(workspace, "_removed", lambda root: False)
    monkeypatch.setattr(workspace, "REMOVAL_WAIT", 0.0)
    async with demo_environment(parent=tmp_path) as place:
        root = place.cwd.parent
    assert str(root) in caplog.text


async def test_the_environment_is_complete_and_the_demos_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    foreign = {
        "ANTHROPIC_API_KEY": "secret",
        "ANTHROPIC_AUTH_TOKEN": "secret",
        "CLAUDE_CODE_OAUTH_TOKEN": "secret",
        "CLAUDE_CONFIG_DIR": "/theirs",
        "CLAUDECODE": "1",
        "AWS_BEARER_TOKEN_BEDROCK": "secret",
        "https_proxy": "http://proxy",
        "ALL_PROXY": "socks5://proxy",
        "GITHUB_TOKEN": "secret",
        "LANG": "C.UTF-8",
    }
    for name, value in foreign.items():
        monkeypatch.setenv(name, value)
    async with demo_environment(parent=tmp_path, pace=0, env={"EXTRA": "1"}) as place:
        env = dict(place.env)
        assert env["LANG"] == "C.UTF-8"
        assert env["EXTRA"] == "1"
        assert env["ANTHROPIC_BASE_URL"] == place.model.url
        assert "secret" not in env.values()
        assert not any(name.lower().endswith("_proxy") for name in env)
        assert not {"CLAUDECODE", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"} & env.keys()
        own = {env[name] for name in ("HOME", "CLAUDE_CONFIG_DIR", "TMPDIR", "CLAUDE_CODE_TMPDIR")}
        assert own <= {str(path) for path in left_in(place.cwd.parent)}
        python = shutil.which("python3", path=env["PATH"])
        assert python is not None
        assert Path(python).is_relative_to(tmp_path)
        assert text_of(await ask(place.model, "Explain how it works")).startswith("# From basket")


def test_cleaning_keeps_what_is_harmless() -> None:
    assert cleaned({"PATH": "/bin", "Claude_X": "1", "MY_API_KEY": "1", "NO_PROXY": "x"}) == {
        "PATH": "/bin"
    }


KILLED = """
import asyncio, sys
from pathlib import Path
from canopy_agent.demo.workspace import demo_environment
async def main():
    async with demo_environment(parent=Path(sys.argv[1])) as place:
        print(place.cwd.parent, flush=True)
        sys.stdin.read()
asyncio.run(main())
"""


async def test_what_a_killed_demo_left_goes_at_the_next_start_and_nothing_else(
    tmp_path: Path,
) -> None:
    foreign, victim = tmp_path / "canopy-demo-foreign", tmp_path / "victim"
    for folder in (foreign, victim):
        folder.mkdir()
        (folder / "file").write_text("x")
    (victim / ".canopy-demo").touch()
    (tmp_path / "canopy-demo-link").symlink_to(victim)
    linked = tmp_path / "canopy-demo-mark"
    linked.mkdir()
    (linked / ".canopy-demo").symlink_to(victim / ".canopy-demo")
    running = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", KILLED, str(tmp_path)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert running.stdout is not None
    other = Path((await running.stdout.readline()).decode().strip())
    lock_something(other / "fruitstand", victim)
    async with demo_environment(parent=tmp_path) as first:
        async with demo_environment(parent=tmp_path):
            pass
        assert first.cwd.is_dir()
    assert (other / "fruitstand" / "locked").is_dir()  # its demo runs
    running.kill()
    await running.communicate()
    async with demo_environment(parent=tmp_path):
        pass
    names = ["canopy-demo-foreign", "canopy-demo-link", "canopy-demo-mark", "victim"]
    assert [path.name for path in left_in(tmp_path)] == names
    assert (victim / "file").read_text() == "x"


def as_left_by_a_killed_demo(root: Path) -> Path:
    root.mkdir()
    (root / ".canopy-demo").touch()
    (root / "config").mkdir()
    (root / "config" / "file").write_text("x")
    return root


async def test_what_demos_left_goes_although_many_others_have_such_names(tmp_path: Path) -> None:
    for number in range(60):
        (tmp_path / f"canopy-demo-{number:02}").mkdir()
    ours = as_left_by_a_killed_demo(tmp_path / "canopy-demo-ours")
    async with demo_environment(parent=tmp_path):
        pass
    assert not ours.exists()
    assert len(left_in(tmp_path)) == 60


async def test_one_start_does_not_clear_without_end(tmp_path: Path) -> None:
    for number in range(60):
        as_left_by_a_killed_demo(tmp_path / f"canopy-demo-{number:02}")
    async with demo_environment(parent=tmp_path):
        pass
    assert len(left_in(tmp_path)) == 10


@pytest.mark.parametrize("stays", ["config", "bin"])
async def test_a_removal_that_was_cut_off_is_finished_by_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stays: str
) -> None:
    root = as_left_by_a_killed_demo(tmp_path / "canopy-demo-ours")
    (root / "bin").mkdir()

    def all_but_one(path: Path, **_: object) -> None:
        if path.is_file():
            path.unlink()
        elif path.name != stays:
            for inside in path.iterdir():
                all_but_one(inside)
            if not left_in(path):
                path.rmdir()

    with monkeypatch.context() as cut:
        cut.setattr(shutil, "rmtree", all_but_one)
        assert not workspace._removed(root)
    assert [path.name for path in left_in(root)] == [".canopy-demo", stays]
    async with demo_environment(parent=tmp_path):
        pass
    assert left_in(tmp_path) == []
