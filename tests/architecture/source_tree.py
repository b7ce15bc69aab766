"""The source tree as data: modules, what each imports and when, for the rules beside this file.

It reads files and never imports what it reads, so a rule also holds for code that no test runs.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cache
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
ROOTS = {"canopy_shared": "shared", "canopy_agent": "agent", "canopy_tui": "tui"}
# Files of somebody else's imaginary project, shown in the demo.
_NOT_OURS = "canopy_agent/demo/sample/"


class When(Enum):
    """When an import statement runs."""

    AT_IMPORT = "when the module is imported"
    IN_A_FUNCTION = "when a function runs"
    FOR_TYPES = "never: for the type checker"


@dataclass(frozen=True, slots=True)
class Import:
    """One imported name. ``target`` is dotted: the module, with the name where it is ours."""

    target: str
    line: int
    when: When

    def reaches(self, *packages: str) -> bool:
        """Does it import one of ``packages`` or something inside?"""
        return any(is_within(self.target, package) for package in packages)


@dataclass(frozen=True, slots=True)
class Module:
    """One Python file."""

    name: str
    path: Path
    text: str
    tree: ast.Module
    imports: tuple[Import, ...]

    @property
    def shown(self) -> str:
        return self.path.relative_to(REPOSITORY).as_posix()

    def within(self, *packages: str) -> bool:
        """Is it one of ``packages`` or inside?"""
        return any(is_within(self.name, package) for package in packages)


def is_within(name: str, package: str) -> bool:
    """``a.b.c`` is within ``a.b`` and within itself."""
    return name == package or name.startswith(package + ".")


@cache
def product_modules() -> tuple[Module, ...]:
    """Every module that ships, by name."""
    found = [
        _read(path, _dotted(path.relative_to(REPOSITORY / root)))
        for package, root in ROOTS.items()
        for path in (REPOSITORY / root / package).rglob("*.py")
        if _NOT_OURS not in path.as_posix()
    ]
    return tuple(sorted(found, key=lambda module: module.name))


@cache
def test_modules() -> tuple[Module, ...]:
    """Every Python file of the tests, these rules included."""
    tests = REPOSITORY / "tests"
    return tuple(
        _read(path, _dotted(path.relative_to(tests))) for path in sorted(tests.rglob("*.py"))
    )


test_modules.__test__ = False  # type: ignore[attr-defined]  # pytest takes the name for a test


def strings_outside_docstrings(tree: ast.Module) -> Iterator[ast.Constant]:
    """Every string constant that is a value, not a docstring or a bare string statement."""
    bare = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in bare:
            yield node


def _dotted(path: Path) -> str:
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _read(path: Path, name: str) -> Module:
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text, filename=str(path))
    return Module(name, path, text, tree, tuple(_imports(tree, When.AT_IMPORT)))


def _imports(node: ast.AST, when: When) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        match child:
            case ast.Import(names=names):
                for alias in names:
                    yield Import(alias.name, child.lineno, when)
            case ast.ImportFrom(module=module, names=names, level=level):
                # A relative import is written out so that it is found and refused.
                origin = "." * level + (module or "")
                for alias in names:
                    yield Import(_target(origin, alias.name), child.lineno, when)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
                inside = When.FOR_TYPES if when is When.FOR_TYPES else When.IN_A_FUNCTION
                yield from _imports(child, inside)
            case ast.If(test=test, body=body, orelse=orelse) if _is_type_checking(test):
                for statement in body:
                    yield from _imports(ast.Module([statement], []), When.FOR_TYPES)
                for statement in orelse:
                    yield from _imports(ast.Module([statement], []), when)
            case _:
                yield from _imports(child, when)


def _target(origin: str, name: str) -> str:
    return f"{origin}.{name}" if origin.split(".")[0] in ROOTS else origin


def _is_type_checking(test: ast.expr) -> bool:
    return ast.unparse(test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")
