"""The models of a session: the CLI's list, narrowed by settings, under names that tell them apart.

Rows come from the CLI's ``initialize`` response; how a model is switched is not known here.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from canopy_agent.session.model_match import (
    DEFAULT_MODEL,
    Match,
    ModelRow,
    canonical,
    match_model,
)
from canopy_agent.session.settings_files import ClaudeSettings
from canopy_agent.settings import AdapterSettings, ModelConfig

Json = Mapping[str, Any]

_BEDROCK_ID: Final = re.compile(r"(?:\w+\.)?anthropic\.(.+?)(?:-v\d+(?::\d+)?)?\Z")
_CONTEXT_SUFFIX: Final = re.compile(r"\s*\((?P<context>[^()]*context[^()]*)\)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Catalog:
    """The models that can be picked, in order. The default row, when there is one, is among
    them.
    """

    rows: tuple[ModelRow, ...] = ()

    def row(self, value: str) -> ModelRow | None:
        """The row with this value."""
        return next((row for row in self.rows if row.value == value), None)

    def match(self, wanted: str) -> Match | None:
        """The row that a free spelling means."""
        return match_model(self.rows, wanted)

    def listing(self, current: str) -> tuple[ModelRow, ...]:
        """The rows, and the current model at the end when it is not one of them."""
        if self.row(current) is not None:
            return self.rows
        return (*self.rows, ModelRow(current, current))


# --- reading the CLI's list ---------------------------------------------------------------------


def _row(value: object) -> ModelRow | None:
    if not isinstance(value, Mapping) or not isinstance(value.get("value"), str):
        return None
    name, resolved = value.get("displayName"), value.get("resolvedModel")
    description, levels = value.get("description"), value.get("supportedEffortLevels")
    supports = value.get("supportsEffort") is True and isinstance(levels, list)
    label = name if isinstance(name, str) and name else value["value"]
    return ModelRow(
        value=value["value"],
        name=label,
        description=description if isinstance(description, str) else "",
        resolved=resolved if isinstance(resolved, str) and resolved else None,
        label=label,
        efforts=tuple(level for level in levels or () if isinstance(level, str))
        if supports
        else (),
        fast=value.get("supportsFastMode") is True,
        auto=value.get("supportsAutoMode") is True,
    )


def catalog(
    init: Json,
    adapter: AdapterSettings | None = None,
    settings: ClaudeSettings | None = None,
    config: ModelConfig | None = None,
    served: frozenset[str] | None = None,
) -> Catalog:
    """The models of the CLI's ``initialize`` response under the settings.

    ``served`` are the ids that a chosen provider lists; None while it lists none.
    """
    listed = init.get("models")
    found = (_row(item) for item in (listed if isinstance(listed, list) else ()))
    rows = tuple(row for row in found if row is not None)
    settings, config = settings or ClaudeSettings(), config or ModelConfig()
    allowed = settings.available_models
    allowed = config.available if allowed is None else allowed
    if allowed is not None:
        rows = _allowed(rows, allowed, {**config.overrides, **settings.model_overrides})
    rows = tuple(row for row in rows if not _is_denied(row, settings.denied_models))
    if served is not None:
        rows = tuple(row for row in rows if _is_served(row, served))
    custom = adapter.custom_model if adapter else None
    if custom and all(row.value != custom for row in rows):
        rows += (_like(rows, custom, custom),)
    return Catalog(_named(rows))


def _allowed(
    rows: tuple[ModelRow, ...], allowed: tuple[str, ...], overrides: Mapping[str, str]
) -> tuple[ModelRow, ...]:
    """The default row, then one row for each entry of the allowlist."""
    default = next((row for row in rows if row.value == DEFAULT_MODEL), None)
    kept = [default or ModelRow(DEFAULT_MODEL, "Default", label="Default")]
    for entry in allowed:
        value = overrides.get(entry, entry)
        if all(row.value != value for row in kept):
            kept.append(_like(rows, entry, value))
    return tuple(kept)


def _like(rows: tuple[ModelRow, ...], entry: str, value: str) -> ModelRow:
    """A row for ``value`` with the facts of the listed model that ``entry`` means, if any."""
    found = match_model(rows, entry)
    if found is None or found.row.value == DEFAULT_MODEL:
        return ModelRow(value, value, label=value)
    return replace(found.row, value=value)


def _is_denied(row: ModelRow, denied: tuple[str, ...]) -> bool:
    if row.value == DEFAULT_MODEL:
        return False
    found = (match_model((row,), entry) for entry in denied)
    return any(match is not None for match in found)


def _is_served(row: ModelRow, served: frozenset[str]) -> bool:
    """Whether a provider lists the model of a row; Bedrock ids have a vendor and a revision."""
    wanted = {canonical(name) for name in (row.value, row.resolved) if name}
    return any(canonical(_BEDROCK_ID.sub(r"\1", id_)) in wanted for id_ in served)


# --- names --------------------------------------------------------------------------------------


def _named(rows: tuple[ModelRow, ...]) -> tuple[ModelRow, ...]:
    """The rows under their final names; equal names keep the CLI's label, then show their value."""
    rows = tuple(replace(row, name=_full_name(row)) for row in rows)
    rows = _told_apart(rows, lambda row: row.label or row.name)
    rows = _told_apart(rows, lambda row: f"{row.name} ({row.value})")
    return _with_default_described(rows)


def _told_apart(
    rows: tuple[ModelRow, ...], rename: Callable[[ModelRow], str]
) -> tuple[ModelRow, ...]:
    counts = Counter(row.name for row in rows)
    return tuple(replace(row, name=rename(row)) if counts[row.name] > 1 else row for row in rows)


def _full_name(row: ModelRow) -> str:
    """A terse label with its version, and without a context that the description repeats."""
    name = row.label
    found = _CONTEXT_SUFFIX.search(name)
    if found and found["context"].lower() in row.description.lower():
        name = name[: found.start()]
    if not name.isalpha() or row.value == DEFAULT_MODEL:
        return name
    version = re.search(rf"\b{re.escape(name)} (\d+(?:\.\d+)*)", row.description)
    if version:
        return f"{name} {version[1]}"
    parts = re.search(
        rf"{re.escape(name.lower())}-(\d+)(?:-(\d{{1,2}}))?(?!\d)", row.resolved or ""
    )
    return f"{name} {'.'.join(part for part in parts.groups() if part)}" if parts else name


def _with_default_described(rows: tuple[ModelRow, ...]) -> tuple[ModelRow, ...]:
    """The default row says which model it stands for."""

    def described(row: ModelRow) -> ModelRow:
        if row.value != DEFAULT_MODEL or row.resolved is None:
            return row
        same = concrete_row(rows, row)
        return replace(row, description=same.name if same else row.resolved)

    return tuple(described(row) for row in rows)


def concrete_row(rows: tuple[ModelRow, ...], default: ModelRow) -> ModelRow | None:
    """The row with a name of its own for the model that the default row resolves to."""
    resolved = canonical(default.resolved or "")
    return next(
        (
            row
            for row in rows
            if row.value != DEFAULT_MODEL and resolved and canonical(row.resolved or "") == resolved
        ),
        None,
    )


# --- which one a session begins with ------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class InitialModel:
    """The model of a session. ``request`` is what to send as ``set_model``, None when it runs
    already.

    ``must_succeed`` is false when the switch only moves the session onto a listed model.
    """

    value: str
    request: str | None = None
    must_succeed: bool = True


def initial_model(
    models: Catalog,
    *,
    preferred: str | None = None,
    configured: str | None = None,
    resumed: str | None = None,
    limited: bool = False,
) -> InitialModel | None:
    """The model to begin with: environment, settings, transcript, first row; None without any.

    The CLI reads ``preferred`` and ``configured`` itself, so it is told only what it may read
    otherwise; in a resumed conversation it is told of every choice. ``limited`` says that an
    allowlist rules.
    """
    fresh = resumed is None
    for wanted in (preferred, configured, resumed):
        if wanted is None:
            continue
        found = models.match(wanted)
        if found is not None:
            runs_it = fresh and found.same
            value = found.row.value
            return InitialModel(value, None if runs_it else value, must_succeed=fresh)
        if not limited:
            return InitialModel(wanted, None if fresh else wanted, must_succeed=fresh)
    if not models.rows:
        return None
    first = models.rows[0].value
    moved = first if (preferred or configured) else None
    return InitialModel(first, moved, must_succeed=False)
