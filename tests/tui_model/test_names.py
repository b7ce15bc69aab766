"""What agents are called: no two of them the same, and each for as long as names do not change."""

from __future__ import annotations

from canopy_tui.model.names import name_of, parts_of
from canopy_tui.model.state import ClientState, SessionView


def named(*titles: str) -> ClientState:
    """A main agent with children of these names."""
    state = ClientState(roots=["root"])
    state.sessions["root"] = SessionView(id="root")
    for number, title in enumerate(titles):
        state.sessions[f"k{number}"] = SessionView(id=f"k{number}", parent="root", title=title)
    return state


def names(state: ClientState) -> list[str]:
    """All of them, asked for from the last to the first."""
    return [name_of(state, view) for view in reversed(state.sessions.values())][::-1]


def test_numbers_follow_the_order_in_which_agents_came_and_are_never_taken() -> None:
    state = named("look", "look (2)", "look", "read", "look", "")
    assert names(state) == ["main", "look", "look (2)", "look (3)", "read", "look (4)", "agent"]


def test_numbers_follow_names_that_change_and_agents_that_come() -> None:
    state = named("look", "look")
    assert names(state)[1:] == ["look", "look (2)"]
    state.sessions["k1"].title = "read"
    state.sessions["k2"] = SessionView(id="k2", parent="root", title="read")
    assert names(state)[1:] == ["look", "read", "read (2)"]


def test_what_tells_a_name_apart_is_known_to_those_who_cut_it() -> None:
    assert parts_of("look (12)") == ("look", " (12)")
    assert parts_of("look") == ("look", "")
