"""Skill: which skill is loaded. Its text goes to the model and is not shown."""

from __future__ import annotations

from canopy_agent.render.reports import Call, Report, Reporter, View, show_nothing
from canopy_agent.render.titles import text_field


def _report(call: Call, view: View) -> Report:
    name = text_field(call.input, "skill", "command", "name")
    if not name:
        return Report("Load skill")
    return Report(f"Load skill: {name}", air={"skill": {"name": name}})


REPORTERS = {"Skill": Reporter(_report, show_nothing)}
