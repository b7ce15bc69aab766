"""What lies in the repository: where, for whom, and what it needs installed."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

from architecture.source_tree import REPOSITORY, ROOTS, Module, product_modules, test_modules

TOP_FOLDERS = {"agent", "tui", "shared", "tests", "screenshots"}
TOP_FILES = {
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "LICENSE",
    "Makefile",
    "README.md",
    "pyproject.toml",
}
# Homes and mounts of a container, and a neighbour of the repository.
MACHINE = re.compile(rb"(?<![\w.~])/(?:root|work|workspace)/|\.\./shared\b")


def tracked() -> list[str]:
    """Files that git knows, or (in a copy without git) would know; relative, with slashes."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=True,
    )
    names = listing.stdout.split("\0")
    return [name for name in names if name and (REPOSITORY / name).is_file()]


def test_nothing_lies_at_the_top_that_was_not_decided() -> None:
    unknown = {
        name.split("/")[0]
        for name in tracked()
        if not name.startswith(".")
        and name.split("/")[0] not in (TOP_FOLDERS if "/" in name else TOP_FILES)
    }
    assert unknown == set()


def test_no_file_names_the_machine_it_was_written_on() -> None:
    here = {str(REPOSITORY).encode(), str(Path.home()).encode() + b"/"} - {b"/", b"//"}
    pattern = re.compile(b"|".join([MACHINE.pattern, *map(re.escape, sorted(here))]))
    against = [
        f"{name}: {found.group().decode()}"
        for name in tracked()
        if not name.endswith(".png")
        for found in pattern.finditer((REPOSITORY / name).read_bytes())
    ]
    assert against == []


def test_machine_paths_are_found() -> None:
    for text in (b"'/ro" + b"ot/.cache'", b" /work" + b"space/x", b"../sha" + b"red/x"):
        assert MACHINE.search(text)
    for text in (b"https://example.org/root", b"~/wo" + b"rk/x", b"a/wo" + b"rk/b", b"/homework/x"):
        assert not MACHINE.search(text)


def project() -> dict[str, object]:
    table = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    return dict(table["project"])


def names_of(requirements: object) -> set[str]:
    assert isinstance(requirements, list)
    return {normalised(re.split(r"[\s<>=!~\[;]", entry, maxsplit=1)[0]) for entry in requirements}


def normalised(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def imported_distributions(modules: tuple[Module, ...], own: set[str]) -> dict[str, str]:
    """Distribution to the first line that needs it, of everything third-party in ``modules``."""
    distributions = packages_distributions()
    needed: dict[str, str] = {}
    for module in modules:
        for found in module.imports:
            top = found.target.split(".")[0]
            if top and top not in sys.stdlib_module_names and top not in own:
                for distribution in distributions.get(top, [f"unknown: {top}"]):
                    needed.setdefault(normalised(distribution), f"{module.shown}:{found.line}")
    return needed


def test_what_the_program_imports_is_declared() -> None:
    declared = names_of(project()["dependencies"])
    needed = imported_distributions(product_modules(), {*ROOTS, "orjson"})
    assert {name: line for name, line in needed.items() if name not in declared} == {}


def test_what_is_declared_is_imported() -> None:
    # The remote transports will use it; until then it is the oracle of the tests alone.
    declared = names_of(project()["dependencies"]) - {"agent-client-protocol"}
    assert declared - set(imported_distributions(product_modules(), {*ROOTS})) == set()


def test_what_the_tests_import_is_declared() -> None:
    extras = project()["optional-dependencies"]
    assert isinstance(extras, dict)
    declared = names_of(project()["dependencies"]) | names_of(extras["dev"])
    own = {part for module in test_modules() for part in module.name.split(".")} | set(ROOTS)
    needed = imported_distributions(test_modules(), own)
    assert {name: line for name, line in needed.items() if name not in declared} == {}


def test_what_reads_private_names_is_pinned_exactly() -> None:
    dependencies = project()["dependencies"]
    assert isinstance(dependencies, list)
    for name in ("agent-client-protocol", "claude-agent-sdk", "textual"):
        assert any(re.fullmatch(rf"{name}==[\d.]+", entry) for entry in dependencies)
