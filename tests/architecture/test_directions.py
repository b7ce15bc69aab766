"""Which part may import which: the arrows of ARCHITECTURE.md, and what is too dear to import."""

from __future__ import annotations

import sys

import pytest

from architecture.source_tree import ROOTS, Module, When, is_within, product_modules

# Small frozen values that every part of the agent but its pure core may read.
AGENT_VALUES = ("canopy_agent.capabilities", "canopy_agent.settings", "canopy_agent.errors")

# A package and what of ours it may import besides itself. `canopy_shared` is below all.
ALLOWED: dict[str, tuple[str, ...]] = {
    "canopy_shared": (),
    "canopy_agent": ("canopy_shared",),
    "canopy_agent.domain": ("canopy_shared",),
    "canopy_agent.render": (
        "canopy_shared",
        "canopy_agent.domain",
        "canopy_agent.capabilities",
    ),
    "canopy_agent.wire": (
        "canopy_shared",
        "canopy_agent.domain",
        "canopy_agent.render",
        "canopy_agent.advertise",
        "canopy_agent.auth.methods",
        *AGENT_VALUES,
    ),
    "canopy_agent.claude": ("canopy_shared", "canopy_agent.domain", *AGENT_VALUES),
    "canopy_agent.brokers": (
        "canopy_shared",
        "canopy_agent.domain",
        "canopy_agent.render",
        "canopy_agent.wire",
        *AGENT_VALUES,
    ),
    "canopy_agent.auth": ("canopy_shared", "canopy_agent.claude", *AGENT_VALUES),
    "canopy_agent.history": ("canopy_shared", *AGENT_VALUES),
    "canopy_agent.session": (
        "canopy_shared",
        "canopy_agent.domain",
        "canopy_agent.history",
        "canopy_agent.render",
        "canopy_agent.wire",
        "canopy_agent.claude",
        "canopy_agent.auth",
        "canopy_agent.brokers",
        *AGENT_VALUES,
    ),
    "canopy_tui": ("canopy_shared",),
    "canopy_tui.model": ("canopy_shared",),
    "canopy_tui.wire": ("canopy_shared", "canopy_tui.model"),
    "canopy_tui.kept": ("canopy_shared", "canopy_tui.model"),
    "canopy_tui.settings": ("canopy_shared", "canopy_tui.kept"),
    "canopy_tui.process": ("canopy_shared",),
    "canopy_tui.desk": ("canopy_shared", "canopy_tui.model", "canopy_tui.process"),
    "canopy_tui.agents": ("canopy_shared", "canopy_tui.process"),
    "canopy_tui.host": (
        "canopy_shared",
        "canopy_tui.model",
        "canopy_tui.wire",
        "canopy_tui.agents",
        "canopy_tui.paths",
    ),
    "canopy_tui.view": (
        "canopy_shared",
        "canopy_tui.model",
        "canopy_tui.settings",
        "canopy_tui.process",
        "canopy_tui.desk",
        "canopy_tui.inspect.host",
    ),
    "canopy_tui.compose": ("canopy_shared", "canopy_agent", "canopy_tui"),
    "canopy_tui.cli": ("canopy_shared", "canopy_agent", "canopy_tui"),
}

# The packages of the view, the lowest first: each may use those before it. What lies beside them in
# `view` is for all.
VIEW = "canopy_tui.view"
LAYERS_OF_THE_VIEW = (
    "drawing",
    "keyboard",
    "terminal",
    "tree",
    "bars",
    "blocks",
    "transcript",
    "composer",
    "dialogs",
    "requests",
    "screens",
    "controls",
    "stored",
    "apps",
)

# A view tells what the person wants (an intent); it must not reach those who carry it out.
NOT_FOR_VIEWS = (
    "canopy_tui.cli",
    "canopy_tui.wire.client",
    "canopy_tui.compose",
    "canopy_tui.host.controller",
    "canopy_tui.doctor",
)

PURE = ("canopy_agent.domain", "canopy_agent.render", "canopy_tui.model")
# Time, ids, randomness, the disk and other processes enter a pure core as fields of its events.
IMPURE_LIBRARY = frozenset(
    {
        "asyncio",
        "concurrent",
        "contextvars",
        "glob",
        "logging",
        "multiprocessing",
        "os",
        "queue",
        "random",
        "secrets",
        "selectors",
        "shutil",
        "signal",
        "socket",
        "subprocess",
        "sys",
        "tempfile",
        "threading",
        "time",
        "uuid",
    }
)

HEAVY = frozenset({"acp", "anyio", "claude_agent_sdk", "mcp", "pydantic", "rich", "textual"})
MAY_DRAW = ("canopy_tui.view",)


def layer_of(module: Module) -> str:
    """The most exact key of ``ALLOWED`` that ``module`` falls under."""
    return max((layer for layer in ALLOWED if module.within(layer)), key=len)


@pytest.mark.parametrize("layer", ALLOWED)
def test_imports_follow_the_arrows(layer: str) -> None:
    allowed = (layer, *ALLOWED[layer])
    against = [
        f"{module.shown}:{found.line} imports {found.target}"
        for module in product_modules()
        if layer_of(module) == layer
        for found in module.imports
        if found.reaches(*ROOTS) and not found.reaches(*allowed)
    ]
    assert against == []


@pytest.mark.parametrize("layer", LAYERS_OF_THE_VIEW)
def test_a_part_of_the_view_uses_only_those_below_it(layer: str) -> None:
    place = LAYERS_OF_THE_VIEW.index(layer)
    above = [f"{VIEW}.{name}" for name in LAYERS_OF_THE_VIEW[place + 1 :]]
    against = [
        f"{module.shown}:{found.line} imports {found.target}"
        for module in product_modules()
        if module.within(f"{VIEW}.{layer}")
        for found in module.imports
        if found.when is not When.FOR_TYPES and found.reaches(*above)
    ]
    assert against == []


def test_every_package_of_the_view_is_a_layer() -> None:
    packages = {
        module.name.split(".")[2]
        for module in product_modules()
        if module.within(VIEW) and module.name.count(".") > 2
    }
    assert packages == set(LAYERS_OF_THE_VIEW)


def test_no_relative_imports() -> None:
    against = [
        f"{module.shown}:{found.line}"
        for module in product_modules()
        for found in module.imports
        if found.target.startswith(".")
    ]
    assert against == []


def test_only_the_wire_knows_the_version_of_the_protocol() -> None:
    against = [
        f"{module.shown}:{found.line} imports {found.target}"
        for module in product_modules()
        if module.within("canopy_agent") and not module.within("canopy_agent.wire")
        for found in module.imports
        if found.reaches("canopy_agent.wire")
        if module.name != "canopy_agent.server" or not found.reaches("canopy_agent.wire.dialects")
    ]
    spoken = [
        module.shown
        for module in product_modules()
        if module.within("canopy_agent") and not module.within("canopy_agent.wire")
        if "protocolVersion" in module.text or "protocol_version" in module.text
    ]
    assert against + spoken == []


def test_views_reach_nobody_who_acts() -> None:
    against = [
        f"{module.shown}:{found.line} imports {found.target}"
        for module in product_modules()
        if module.within("canopy_tui.view")
        for found in module.imports
        if found.reaches(*NOT_FOR_VIEWS)
    ]
    assert against == []


def test_the_shared_part_needs_the_standard_library_only() -> None:
    # orjson is used where it happens to be installed.
    known = {*sys.stdlib_module_names, "canopy_shared", "orjson"}
    against = [
        f"{module.shown}:{found.line} imports {found.target}"
        for module in product_modules()
        if module.within("canopy_shared")
        for found in module.imports
        if found.target.split(".")[0] not in known
    ]
    assert against == []


def test_pure_parts_import_nothing_that_acts() -> None:
    outside = sys.stdlib_module_names - IMPURE_LIBRARY | set(ROOTS)
    against = [
        f"{module.shown}:{found.line} imports {found.target}"
        for module in product_modules()
        if module.within(*PURE)
        for found in module.imports
        if found.when is not When.FOR_TYPES and found.target.split(".")[0] not in outside
    ]
    assert against == []


def test_dear_packages_are_imported_when_they_are_used() -> None:
    against = [
        f"{module.shown}:{found.line} imports {found.target}"
        for module in product_modules()
        for found in module.imports
        if found.when is When.AT_IMPORT and found.target.split(".")[0] in HEAVY
        if not (module.within(*MAY_DRAW) and found.reaches("rich", "textual"))
    ]
    assert against == []


def test_no_module_needs_itself_to_be_imported() -> None:
    names = {module.name for module in product_modules()}
    needs = {
        module.name: {
            other
            for found in module.imports
            if found.when is When.AT_IMPORT and (other := imported_module(found.target, names))
        }
        for module in product_modules()
    }
    assert cycles(needs) == []


def imported_module(target: str, names: set[str]) -> str | None:
    """The longest known module that ``target`` (module, or module and name) lies in."""
    return max((name for name in names if is_within(target, name)), key=len, default=None)


def cycles(needs: dict[str, set[str]]) -> list[set[str]]:
    """Groups of modules that cannot be imported without one another."""
    reach = {name: reachable(name, needs) for name in needs}
    groups = [
        {other for other in reach[name] if name in reach[other]}
        for name in needs
        if name in reach[name]
    ]
    return [group for index, group in enumerate(groups) if group not in groups[:index]]


def reachable(start: str, needs: dict[str, set[str]]) -> set[str]:
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        for other in needs[waiting.pop()] - seen:
            seen.add(other)
            waiting.append(other)
    return seen


def test_cycles_are_found() -> None:
    assert cycles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": set()}) == [{"b", "c"}]
