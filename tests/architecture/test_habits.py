"""Rules of shape: sizes, names, docstrings, and one door for each foreign thing."""

from __future__ import annotations

import ast
import io
import re
import tokenize

import pytest

from architecture.source_tree import (
    Module,
    product_modules,
    strings_outside_docstrings,
    test_modules,
)

MODULE_LINES = 400
FUNCTION_LINES = 60
REFUSED_NAMES = frozenset(
    {"base", "common", "data", "helper", "helpers", "info", "manager", "misc", "util", "utils"}
)
REFUSED_CLASS_NAMES = re.compile(r"(Manager|Helper|Utils?|Misc)(?![a-z])")

# What only one file may spell, so that a change of the foreign thing is a change of that file.
META_KEYS = frozenset({"jetbrains", "claudeCode"})


def everything() -> tuple[Module, ...]:
    return (*product_modules(), *test_modules())


def test_modules_stay_small() -> None:
    large = {
        module.shown: lines
        for module in product_modules()
        if (lines := len(module.text.splitlines())) > MODULE_LINES
    }
    assert large == {}


def test_functions_fit_on_a_screen() -> None:
    large = [
        f"{module.shown}:{node.lineno} {node.name}: {node.end_lineno - node.lineno + 1} lines"
        for module in product_modules()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        if node.end_lineno is not None and node.end_lineno - node.lineno >= FUNCTION_LINES
    ]
    assert large == []


def test_each_module_says_what_it_is_for() -> None:
    silent = [
        module.shown
        for module in product_modules()
        if module.tree.body and not ast.get_docstring(module.tree)
    ]
    assert silent == []


def test_names_say_what_a_thing_is() -> None:
    vague = [
        module.shown for module in everything() if REFUSED_NAMES & set(module.path.stem.split("_"))
    ]
    vague += [
        f"{module.shown}:{node.lineno} {node.name}"
        for module in everything()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ClassDef) and REFUSED_CLASS_NAMES.search(node.name)
    ]
    assert vague == []


def comments_of(module: Module) -> list[tuple[int, str]]:
    tokens = tokenize.generate_tokens(io.StringIO(module.text).readline)
    return [(token.start[0], token.string) for token in tokens if token.type == tokenize.COMMENT]


def test_silenced_checks_name_what_they_silence() -> None:
    bare = re.compile(r"#\s*(type:\s*ignore(?!\[)|noqa(?!:\s*[A-Z]))")
    against = [
        f"{module.shown}:{line}"
        for module in everything()
        for line, comment in comments_of(module)
        if bare.search(comment)
    ]
    assert against == []


@pytest.mark.parametrize(
    ("name", "door"),
    [
        # The scripted model plays a foreign server; the command line is the SDK's to the space.
        ("json", ("canopy_shared.jsonio", "canopy_agent.demo", "canopy_agent.claude.launch")),
        ("claude_agent_sdk", ("canopy_agent.claude",)),
        ("orjson", ("canopy_shared.jsonio",)),
        ("platformdirs", ("canopy_tui.paths",)),
    ],
)
def test_what_comes_in_by_one_door(name: str, door: tuple[str, ...]) -> None:
    against = [
        f"{module.shown}:{found.line} imports {found.target}"
        for module in product_modules()
        if not module.within(*door)
        for found in module.imports
        if found.reaches(name)
    ]
    assert against == []


def test_private_parts_of_the_sdk_have_one_door() -> None:
    private = re.compile(r"claude_agent_sdk(\.\w+)*\._\w")
    against = [
        f"{module.shown}:{found.line} imports {found.target}"
        for module in product_modules()
        if not module.within("canopy_agent.claude.sdk_process")
        for found in module.imports
        if private.match(found.target)
    ]
    assert against == []


def test_meta_keys_are_spelled_with_the_extensions() -> None:
    against = [
        f"{module.shown}:{constant.lineno} {constant.value!r}"
        for module in product_modules()
        if not module.within("canopy_shared.ext")
        for constant in strings_outside_docstrings(module.tree)
        if constant.value in META_KEYS
    ]
    assert against == []


MODES = ("canopy_tui.process.terminal_guard", "canopy_tui.process.typed_ahead")
"""Modes of the terminal: set back after Textual, and set before it; only where there are such."""


def test_no_shell_but_for_batch_files_and_no_terminal_device() -> None:
    unportable = frozenset({"fcntl", "pty", "termios", "tty"})
    against = [
        f"{module.shown}:{found.line} imports {found.target}"
        for module in product_modules()
        for found in module.imports
        if found.target in unportable and not module.within(*MODES)
    ]
    against += [
        f"{module.shown}:{node.lineno}"
        for module in product_modules()
        if not module.within("canopy_tui.process.windows_processes")
        for node in ast.walk(module.tree)
        if (isinstance(node, ast.keyword) and node.arg == "shell")
        or (isinstance(node, ast.Attribute) and node.attr == "create_subprocess_shell")
    ]
    assert against == []


READ_AS_THEY_ARE = (
    "canopy_agent.claude.locate",  # of the installed SDK
    "canopy_agent.demo",
    "canopy_shared.ordinary",
    "canopy_shared.process_tree",  # of the kernel
    "canopy_shared.record",  # a person may name a pipe
    "canopy_tui.process.terminal_guard",
)


def test_files_that_may_be_anything_are_read_through_one_door() -> None:
    """``canopy_shared.ordinary``: a named pipe or a device in their place would never end."""
    against = [
        f"{module.shown}:{node.lineno}"
        for module in product_modules()
        if not module.within(*READ_AS_THEY_ARE)
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Attribute | ast.Call) and _reads(node)
    ]
    assert against == []


def _reads(node: ast.Attribute | ast.Call) -> bool:
    if isinstance(node, ast.Attribute):
        return node.attr in {"read_bytes", "read_text"}
    opens = isinstance(node.func, ast.Name | ast.Attribute) and "open" in (
        getattr(node.func, "id", ""),
        getattr(node.func, "attr", ""),
    )
    modes = [one.value for one in node.args if isinstance(one, ast.Constant)]
    return opens and any(mode in {"r", "rb"} for mode in modes)


def test_what_comes_once_is_never_lost() -> None:
    """Textual's ``set_timer`` forgets what is late before its task begins: see ``view.once``."""
    against = [
        f"{module.shown}:{node.lineno}"
        for module in product_modules()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Attribute) and node.attr == "set_timer"
    ]
    assert against == []


SCREENS_OF_TEXTUAL = frozenset({"CommandPalette", "ModalScreen", "Screen", "SystemModalScreen"})
NO_DIALOGS = frozenset({"Dialog", "MainScreen", "SelectsWithin"})


def test_every_screen_over_the_main_one_closes_only_itself() -> None:
    """``view.dialog``: Textual's own dismissal takes away whatever is in front, and may do it
    twice.
    """
    bases = {
        node.name: [_name_of(base) for base in node.bases]
        for module in product_modules()
        if module.within("canopy_tui")
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ClassDef)
    }
    screens = {name for name in bases if SCREENS_OF_TEXTUAL & _all_above(name, bases)}
    assert {"ConfirmScreen", "DetailScreen", "Palette", "RequestScreen"} <= screens
    no_dialogs = {name for name in screens if "Dialog" not in _all_above(name, bases)}
    assert no_dialogs == NO_DIALOGS


def _all_above(name: str, bases: dict[str, list[str]]) -> set[str]:
    above: set[str] = set()
    ahead = [name]
    while ahead:
        found = set(bases.get(ahead.pop(), ())) - above
        above |= found
        ahead += found
    return above


def _name_of(base: ast.expr) -> str:
    node = base.value if isinstance(base, ast.Subscript) else base
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
