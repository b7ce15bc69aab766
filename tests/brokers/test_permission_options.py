"""Which options a permission request offers, and what each says to the CLI."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brokers.conftest import ask, rules
from canopy_agent.brokers.asked import (
    ABORTED,
    ControlError,
    ControlResult,
    PermissionAsked,
    parse_permission_asked,
)
from canopy_agent.brokers.choices import AllowAlways
from canopy_agent.brokers.durable import Place
from canopy_agent.brokers.permission_options import (
    NOT_OFFERED,
    PermissionPolicy,
    answer_for,
    decide,
    options_for,
)
from canopy_agent.brokers.suggestions import is_plain, read_suggestions
from canopy_shared.permission import PermissionOutcome

ACCEPT_EDITS = {"type": "setMode", "mode": "acceptEdits", "destination": "session"}
POLICY = PermissionPolicy(Place("/project", "/home/me"))


def ids(asked: PermissionAsked, policy: PermissionPolicy = POLICY) -> list[str]:
    return [choice.id for choice in options_for(asked, policy)]


def label(asked: PermissionAsked, id_: str = "allow-with-updates") -> str:
    return next(choice.name for choice in options_for(asked, POLICY) if choice.id == id_)


def picked(asked: PermissionAsked, id_: str) -> dict[str, Any]:
    """The control response after the client picked ``id_``."""
    choices = options_for(asked, POLICY)
    decision = decide(PermissionOutcome(id_), choices, asked, POLICY)
    assert isinstance(decision.answer, ControlResult)
    return dict(decision.answer.response)


def test_what_was_said_to_a_no_reaches_the_model() -> None:
    asked = ask("Bash", {"command": "npm test"})
    said = PermissionOutcome.parse(PermissionOutcome("reject", "use make").to_result())
    told = decide(said, options_for(asked, POLICY), asked, POLICY).answer
    assert isinstance(told, ControlResult)
    assert told.response["behavior"] == "deny"
    assert told.response["message"].endswith("and said:\nuse make")
    assert picked(asked, "reject")["message"] == "The user refused permission to run this tool"
    plan = ask("ExitPlanMode", {"plan": "# Plan"})
    again = decide(said, options_for(plan, POLICY), plan, POLICY).answer
    assert isinstance(again, ControlResult)
    assert "interrupt" not in again.response  # with words to go by, the turn goes on
    assert again.response["message"].endswith("They said:\nuse make")
    for odd in ({"canopy": {"reason": "x"}}, {"canopy": {"version": 1, "reason": 7}}, "x"):
        outcome = {"outcome": {"outcome": "selected", "optionId": "reject"}, "_meta": odd}
        assert PermissionOutcome.parse(outcome) == PermissionOutcome("reject")


# --- what is offered ----------------------------------------------------------------------------


def test_scenario_69_a_shell_suggestion_is_offered_and_answered_as_it_came() -> None:
    suggestion = rules("npm test:*")
    asked = ask("Bash", {"command": "npm test"}, permission_suggestions=[suggestion])
    options = options_for(asked, POLICY)
    assert [(option.id, option.kind) for option in options] == [
        ("allow-once", "allow_once"),
        ("allow-with-updates", "allow_always"),
        ("reject", "reject_once"),
    ]
    assert picked(asked, "allow-with-updates") == {
        "behavior": "allow",
        "updatedInput": {"command": "npm test"},
        "updatedPermissions": [suggestion],
        "toolUseID": "toolu_1",
        "decisionClassification": "user_permanent",
    }


def test_scenario_69_a_matched_ask_rule_leaves_no_durable_option() -> None:
    rule = {"source": "userSettings", "tool_name": "Bash"}
    asked = ask("Bash", permission_suggestions=[rules("npm test:*")], matched_ask_rule=rule)
    assert ids(asked) == ["allow-once", "reject"]


def test_scenario_70_default_to_no_puts_reject_first() -> None:
    asked = ask("Bash", permission_suggestions=[rules("npm test:*")], default_to_no=True)
    assert ids(asked) == ["reject", "allow-once", "allow-with-updates"]


def test_scenario_71_a_mixed_bundle_is_not_offered() -> None:
    deny = {**rules("rm:*"), "behavior": "deny"}
    assert ids(ask("Bash", permission_suggestions=[rules("npm test:*"), deny])) == [
        "allow-once",
        "reject",
    ]


@pytest.mark.parametrize("kind", ["removeRules", "replaceRules"])
@pytest.mark.parametrize("tool", ["Bash", "Read", "WebSearch", "mcp__a__b", "SandboxNetworkAccess"])
def test_only_what_adds_a_rule_is_offered_for_good(tool: str, kind: str) -> None:
    """Taking away or replacing what the person allowed is no answer to a question."""
    content = "domain:example.com" if tool == "SandboxNetworkAccess" else "/project/**"
    owner = "WebFetch" if tool == "SandboxNetworkAccess" else tool
    for to in ("localSettings", "session", "userSettings"):
        odd = {**rules(content, tool=owner, to=to), "type": kind}
        asked = ask(tool, {"host": "example.com"}, permission_suggestions=[odd])
        assert kind not in repr(options_for(asked, POLICY))


def test_scenario_71_web_fetch_gets_a_rule_for_the_host() -> None:
    asked = ask("WebFetch", {"url": "https://Example.com:8443/a?b"})
    assert picked(asked, "allow-with-updates")["updatedPermissions"] == [
        rules("domain:example.com", tool="WebFetch")
    ]
    assert "example.com" in label(asked)


@pytest.mark.parametrize("url", ["", "example.com", "ftp://example.com", "https://", "http://[::1"])
def test_web_fetch_without_a_valid_address_has_no_durable_option(url: str) -> None:
    assert ids(ask("WebFetch", {"url": url})) == ["allow-once", "reject"]


def test_scenario_71_a_skill_with_arguments_has_an_exact_and_a_prefix_option() -> None:
    asked = ask("Skill", {"skill": "a b"})
    assert ids(asked) == ["allow-once", "allow-skill-exact", "allow-skill-prefix", "reject"]
    exact = picked(asked, "allow-skill-exact")["updatedPermissions"]
    prefix = picked(asked, "allow-skill-prefix")["updatedPermissions"]
    assert (exact, prefix) == ([rules("a b", tool="Skill")], [rules("a:*", tool="Skill")])
    assert ids(ask("Skill", {"skill": "a"})) == ["allow-once", "allow-skill-exact", "reject"]


def test_scenario_72_cancelled_unknown_and_background() -> None:
    asked = ask("Bash")
    choices = options_for(asked, POLICY)
    cancelled = decide(PermissionOutcome(None), choices, asked, POLICY)
    assert cancelled.answer == ABORTED == ControlError("Tool use aborted")
    unknown = decide(PermissionOutcome("allow-with-updates"), choices, asked, POLICY)
    assert unknown.answer == ControlError(NOT_OFFERED)
    background = decide(PermissionOutcome(None), choices, asked, POLICY, in_background=True)
    assert isinstance(background.answer, ControlResult)
    assert background.answer.response["behavior"] == "deny"
    assert "interrupt" not in background.answer.response


def test_allow_once_and_reject_are_temporary_and_name_the_call() -> None:
    asked = ask("Bash", {"command": "ls"})
    assert picked(asked, "allow-once") == {
        "behavior": "allow",
        "updatedInput": {"command": "ls"},
        "toolUseID": "toolu_1",
        "decisionClassification": "user_temporary",
    }
    rejected = picked(asked, "reject")
    assert rejected.pop("message")
    assert rejected == {
        "behavior": "deny",
        "toolUseID": "toolu_1",
        "decisionClassification": "user_reject",
    }


def test_a_question_has_no_options() -> None:
    with pytest.raises(ValueError, match="form"):
        options_for(ask("AskUserQuestion"), POLICY)


def test_entering_plan_mode_has_no_durable_option() -> None:
    assert ids(ask("EnterPlanMode")) == ["allow-once", "reject"]


def test_an_unknown_tool_is_allowed_whole_in_this_project() -> None:
    asked = ask("WebSearch", permission_suggestions=[rules("x", tool="Other", to="userSettings")])
    assert picked(asked, "allow-with-updates")["updatedPermissions"] == [
        rules(None, tool="WebSearch")
    ]


# --- the requests of a real CLI -----------------------------------------------------------------


def test_recorded_requests_offer_what_they_should(recorded: list[dict[str, Any]]) -> None:
    offered = []
    for raw in recorded:
        asked = parse_permission_asked(raw)
        assert asked is not None
        if asked.tool_name != "AskUserQuestion":
            durable = [choice for choice in options_for(asked, POLICY) if "always" in choice.kind]
            offered.append((asked.tool_name, [choice.name for choice in durable]))
    everywhere = "Always allow every use of WebSearch in this project"
    assert offered == [
        ("Bash", ["Always allow npm run * in this project"]),
        ("Bash", ["Always allow npm test * and reading /elsewhere in this project"]),
        (
            "Bash",
            [
                "Always allow cat /elsewhere/x.txt in this project, "
                "and reading /elsewhere for this session"
            ],
        ),
        ("Bash", []),
        ("Read", ["Allow reading in /elsewhere for this session"]),
        ("Write", ["Allow all edits for this session"]),
        ("Write", ["Allow all edits and work in /elsewhere for this session"]),
        ("Write", []),
        ("WebFetch", ["Always allow fetching from example.com in this project"]),
        ("WebSearch", [everywhere]),
    ]


# --- files --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "path", "offered"),
    [
        ("//elsewhere/**", "/elsewhere/a/b.txt", True),
        ("//elsewhere", "/elsewhere/b.txt", True),
        ("~/notes/**", "/home/me/notes/b.txt", True),
        ("src/**", "src/b.txt", True),
        ("/src/**", "/project/src/b.txt", True),
        (None, "/anywhere", True),
        ("//elsewhere/**", "/else/b.txt", False),
        ("//elsewhere/**", "/elsewhere/../etc/passwd", False),
        ("//else*/**", "/elsewhere/b.txt", False),
    ],
)
def test_a_read_rule_has_to_cover_the_path(content: str | None, path: str, offered: bool) -> None:
    suggestion = rules(content, tool="Read", to="session")
    asked = ask("Read", {"file_path": path}, permission_suggestions=[suggestion])
    assert ("allow-with-updates" in ids(asked)) is offered


def test_reading_is_offered_for_the_session_alone() -> None:
    suggestion = rules("//elsewhere/**", tool="Read", to="userSettings")
    asked = ask("Read", {"file_path": "/elsewhere/a"}, permission_suggestions=[suggestion])
    assert ids(asked) == ["allow-once", "reject"]


def test_a_search_without_a_path_is_about_the_working_directory() -> None:
    suggestion = rules("//project/**", tool="Read", to="session")
    assert "allow-with-updates" in ids(ask("Grep", permission_suggestions=[suggestion]))


@pytest.mark.parametrize("path", ["/project/.claude/settings.json", "/home/me/.claude/x.md"])
def test_accepting_edits_never_covers_claudes_own_settings(path: str) -> None:
    asked = ask("Write", {"file_path": path}, permission_suggestions=[ACCEPT_EDITS])
    assert ids(asked) == ["allow-once", "reject"]


def test_an_edit_rule_for_claudes_own_settings_has_its_own_label() -> None:
    rule = rules(".claude/**", tool="Edit", to="session")
    asked = ask("Edit", {"file_path": ".claude/x.md"}, permission_suggestions=[rule])
    assert "Claude's own settings" in label(asked)


def test_a_directory_alone_covers_what_lies_in_it() -> None:
    update = {"type": "addDirectories", "directories": ["/other"], "destination": "session"}
    inside = ask("Write", {"file_path": "/other/a"}, permission_suggestions=[update])
    outside = ask("Write", {"file_path": "/others/a"}, permission_suggestions=[update])
    assert label(inside) == "Allow work in /other for this session"
    assert ids(outside) == ["allow-once", "reject"]


# --- MCP and network ----------------------------------------------------------------------------


def test_an_mcp_tool_needs_rules_for_itself_alone() -> None:
    tool = "mcp__srv__echo"
    own = rules(None, tool=tool)
    assert label(ask(tool, permission_suggestions=[own])) == (
        "Always allow echo of srv in this project"
    )
    for other in (rules(None, tool="mcp__srv"), rules("x", tool=tool), ACCEPT_EDITS):
        assert ids(ask(tool, permission_suggestions=[own, other])) == ["allow-once", "reject"]
    assert ids(ask(tool)) == ["allow-once", "reject"]


def test_network_access_needs_exactly_one_rule_for_the_host() -> None:
    given = {"host": "example.com"}
    good = rules("domain:example.com", tool="WebFetch")
    bad = (
        [good, good],
        [rules("domain:other.com", tool="WebFetch")],
        [rules("domain:example.com", tool="WebFetch", to="userSettings")],
        [rules("domain:example.com", tool="Bash")],
    )
    name = "SandboxNetworkAccess"
    assert "allow-with-updates" in ids(ask(name, given, permission_suggestions=[good]))
    for suggestions in bad:
        asked = ask(name, given, permission_suggestions=suggestions)
        assert "allow-with-updates" not in ids(asked)


# --- labels -------------------------------------------------------------------------------------


def test_an_overlong_rule_is_named_by_what_it_is() -> None:
    command = "x" * 60
    exact = ask("Bash", {"command": command}, permission_suggestions=[rules(command)])
    prefix = ask("Bash", {"command": command}, permission_suggestions=[rules("y" * 60 + ":*")])
    assert "this exact command" in label(exact)
    assert "similar commands" in label(prefix)


def test_a_label_with_many_parts_says_how_many_more() -> None:
    many = rules(*(f"c{number}" for number in range(40)))
    assert label(ask("Bash", permission_suggestions=[many])) == (
        "Always allow c0, c1, c2, c3, c4 and 35 more in this project"
    )


# --- malformed suggestions ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "bad",
    [
        "text",
        [{}],
        [rules("a")] * 101,
        [rules(*(["a"] * 101))],
        [rules("a" * 10_001)],
        [rules("a\nb")],
        [rules("a\u202eb")],
        [rules("a", tool="T" * 513)],
        [rules("")],
        [rules("a", to="elsewhere")],
        [{**rules("a"), "behavior": "maybe"}],
        [{**rules("a"), "type": "addEverything"}],
        [{"type": "setMode", "mode": "root", "destination": "session"}],
        [{"type": "addDirectories", "directories": [], "destination": "session"}],
        [{"type": "addDirectories", "directories": ["d" * 4_097], "destination": "session"}],
    ],
    ids=lambda value: str(value)[:40],
)
def test_one_malformed_suggestion_spoils_all(bad: Any) -> None:
    assert read_suggestions(bad) is None
    given = {"url": "https://example.com"}
    assert ids(ask("WebFetch", given, permission_suggestions=bad)) == ["allow-once", "reject"]


def test_suggestions_are_copies() -> None:
    suggestion = rules("npm test:*")
    asked = ask("Bash", permission_suggestions=[suggestion])
    choices = options_for(asked, POLICY)
    suggestion["rules"][0]["ruleContent"] = "rm:*"
    always = next(choice for choice in choices if isinstance(choice.effect, AllowAlways))
    answer = answer_for(always, asked, POLICY)
    assert answer.response["updatedPermissions"] == [rules("npm test:*")]


# --- never wider than suggested -----------------------------------------------------------------

names = st.sampled_from(
    [
        *("Bash", "PowerShell", "Read", "Grep", "Edit", "Write", "WebFetch", "WebSearch"),
        *("Skill", "SandboxNetworkAccess", "mcp__srv__echo", "mcp__computer-use__click"),
        *("Agent", "EnterPlanMode"),
    ]
)
texts = st.one_of(
    st.sampled_from(["npm test:*", "//elsewhere/**", ".claude/**", "domain:example.com", "a b"]),
    st.text(max_size=12),
)
updates = st.one_of(
    st.fixed_dictionaries(
        {
            "type": st.sampled_from(["addRules", "replaceRules", "removeRules"]),
            "behavior": st.sampled_from(["allow", "deny", "ask"]),
            "destination": st.sampled_from(["session", "localSettings", "userSettings", "cliArg"]),
            "rules": st.lists(
                st.fixed_dictionaries({"toolName": names}, optional={"ruleContent": texts}),
                max_size=3,
            ),
        }
    ),
    st.fixed_dictionaries(
        {
            "type": st.just("setMode"),
            "mode": st.sampled_from(["acceptEdits", "bypassPermissions", "auto", "default"]),
            "destination": st.sampled_from(["session", "userSettings"]),
        }
    ),
    st.fixed_dictionaries(
        {
            "type": st.sampled_from(["addDirectories", "removeDirectories"]),
            "directories": st.lists(texts, max_size=2),
            "destination": st.sampled_from(["session", "userSettings"]),
        }
    ),
    st.dictionaries(texts, texts, max_size=2),
)
inputs = st.fixed_dictionaries(
    {},
    optional={
        "command": texts,
        "file_path": st.sampled_from(["/elsewhere/a", "a", "/project/.claude/x", "../../etc"]),
        "url": st.sampled_from(["https://example.com/a", "nonsense"]),
        "skill": texts,
        "host": st.sampled_from(["example.com", ""]),
    },
)


@settings(max_examples=200, deadline=None)
@given(
    names,
    inputs,
    st.one_of(st.none(), st.lists(updates, max_size=3), texts),
    st.booleans(),
    st.booleans(),
)
def test_no_option_is_wider_than_what_was_suggested(
    tool: str, given_input: dict[str, Any], suggestions: Any, suppress: bool, to_no: bool
) -> None:
    asked = replace(
        ask(tool, given_input, permission_suggestions=suggestions),
        suppress_always_allow_rule=suppress,
        default_to_no=to_no,
    )
    options = options_for(asked, POLICY)
    kinds = [option.kind for option in options]
    assert len({option.id for option in options}) == len(options)
    assert kinds[0 if to_no else -1] == "reject_once"
    assert kinds.count("allow_once") == 1
    for option in options:
        if not isinstance(option.effect, AllowAlways):
            continue
        assert not suppress
        assert is_plain(option.name)
        for update in option.effect.updates:
            ours = {
                "type": "addRules",
                "behavior": "allow",
                "destination": "localSettings",
                "rules": update.get("rules"),
            }
            assert update in (suggestions or []) or (
                update == ours
                and len(update["rules"]) == 1
                and update["rules"][0]["toolName"] == tool
            )
            assert update["type"] in ("addRules", "setMode", "addDirectories")
            assert update.get("behavior", "allow") == "allow"
            assert update.get("mode", "acceptEdits") == "acceptEdits"
