from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from canopy_agent.demo.conversation import human_words, read_conversation, task_notices
from canopy_agent.demo.requests import BadRequestError, read_request
from demo.wire import called, question, returned

REMINDER = "<system-reminder>\nDate: today\n</system-reminder>\n"
NOTICE = (
    "<system-reminder>\n[SYSTEM NOTIFICATION - NOT USER INPUT]\n<task-notification>\n"
    "<task-id>a1</task-id>\n<tool-use-id>toolu_9</tool-use-id>\n<status>completed</status>\n"
    '<summary>Agent "Look" finished</summary>\n<result>a &lt; b</result>\n</task-notification>\n'
    "</system-reminder>"
)
MIDWAY = (
    "The user sent a new message while you were working:\nstop that\n\n"
    "This is how Claude Code surfaces messages the user sends mid-turn. Address the message above."
)
HAND_BACK = (
    "[Subagent hand-back] The report follows:\n  All is well.\n  \n    - indented\n"
    "agentId: a1 (use SendMessage)\n<usage>tool_uses: 0</usage>"
)


def text(*texts: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": one} for one in texts]


def user(*texts: str) -> dict[str, Any]:
    return {"role": "user", "content": text(*texts)}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("hello", ("hello",)),
        (text(REMINDER, "hello"), ("hello",)),
        (text(REMINDER + "hello"), ("hello",)),
        (text("see ", "[@file](file:///x)"), ("see \n[@file](file:///x)",)),
        (text("first\n", "second\n", "third"), ("first", "second", "third")),
        (text("hold\n", "[Request interrupted by user]\n", "next"), ("hold", "next")),
        (text("[Request interrupted by user for tool use]"), ()),
        (text(NOTICE), ()),
        ("<task-notification><status>killed</status></task-notification>\nhello", ("hello",)),
        (text("<command-name>/compact</command-name>\n<command-args></command-args>"), ()),
        (text("<local-command-stdout>Compacted</local-command-stdout>\n", "hi"), ("hi",)),
        ([*returned("out")["content"], *text(MIDWAY)], ("stop that",)),  # type: ignore[misc]
        ("[SUGGESTION MODE: what would the user type?]", ()),
        (None, ()),
        ([1, {"type": "text"}], ()),
    ],
)
def test_human_words_are_told_from_additions(content: object, words: tuple[str, ...]) -> None:
    assert human_words(content) == words


def test_results_count_from_the_last_human_text() -> None:
    talk = read_conversation(
        [
            user("one"),
            called("Read", "t1", path="x"),
            returned("1\tx", "t1"),
            user("two"),
            called("Bash", "t2"),
            returned("no", "t2", is_error=True),
        ]
    )
    assert (talk.says, talk.opening, talk.rounds, talk.opener) == ("two", "one", 1, "results")
    assert [(one.name, one.text, one.is_error) for one in talk.latest] == [("Bash", "no", True)]
    assert [one.name for one in talk.since] == ["Bash"]
    assert (talk.outcomes[0].name, talk.outcomes[0].input) == ("Read", {"path": "x"})


def test_a_message_typed_midway_starts_anew() -> None:
    content = [*returned("out")["content"], *text(MIDWAY)]  # type: ignore[misc]
    talk = read_conversation([user("one"), called("Bash"), {"role": "user", "content": content}])
    assert (talk.says, talk.rounds, talk.opener) == ("stop that", 0, "human")
    assert [one.name for one in talk.latest] == ["Bash"]


def test_a_notice_alone_opens_a_follow_up() -> None:
    spoken = {"role": "assistant", "content": text("done")}
    talk = read_conversation([user("one"), spoken, user(NOTICE)])
    assert (talk.opener, talk.says) == ("notice", "one")
    assert [(one.status, one.result) for one in talk.notices] == [("completed", "a < b")]
    later = read_conversation([user("one"), spoken, user(NOTICE), spoken, user(NOTICE, "two")])
    assert (later.opener, len(later.notices), len(later.past_notices)) == ("human", 1, 1)


def test_a_notice_without_fields_is_read_as_empty() -> None:
    (notice,) = task_notices("<task-notification><status>killed</status></task-notification>")
    assert (notice.status, notice.summary, notice.result) == ("killed", "", "")


def test_a_report_is_taken_out_of_its_frame() -> None:
    talk = read_conversation([user("go"), called("Agent"), returned(HAND_BACK)])
    assert talk.latest[0].report == "All is well.\n\n  - indented"
    plain = read_conversation([user("go"), called("Agent"), returned("no frame")])
    assert plain.latest[0].report == "no frame"


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: (
        st.lists(inner)
        | st.dictionaries(
            st.sampled_from(["role", "content", "type", "text", "tool_use_id", "name", "id"]), inner
        )
    ),
    max_leaves=12,
)


@given(st.lists(st.dictionaries(st.sampled_from(["role", "content"]), anything)))
def test_no_message_list_is_too_strange(messages: list[dict[str, Any]]) -> None:
    talk = read_conversation(messages)
    assert len(talk.latest) <= len(talk.outcomes)


def request(body: dict[str, object], **headers: str) -> Any:
    named = {f"x-claude-code-{name.replace('_', '-')}": value for name, value in headers.items()}
    return read_request(7, named, json.dumps(body).encode())


def test_who_asks_is_told_by_header_and_role() -> None:
    assert request(question("Role: nobody.")).agent == "main"
    child = request(
        question(REMINDER + "Role: test writer.\n\nWrite."), agent_id="a1", session_id="s"
    )
    assert (child.agent, child.agent_id, child.session_id) == ("test writer", "a1", "s")
    nameless = request(question("Write."), agent_id="a2", parent_agent_id="a1")
    assert (nameless.agent, nameless.parent_agent_id) == ("subagent", "a1")


def test_place_and_tools_are_read() -> None:
    told = {
        "role": "system",
        "content": "# Environment\n - Primary working directory: /here/it is\n",
    }
    read = request(question("hi", told, tools=[{"name": "Bash"}, {"name": "Read"}, 3]))
    assert (read.cwd, read.tools, read.number) == ("/here/it is", ("Bash", "Read"), 7)
    assert read.offers("Bash")
    assert not read.offers("Grep")
    assert "hi" in read.brief()


@pytest.mark.parametrize(
    ("body", "purpose"),
    [
        (question("hi"), "turn"),
        (question("hi", user("[SUGGESTION MODE: go]")), "suggestion"),
        (
            question("x", output_config={"format": {"schema": {"properties": {"title": {}}}}}),
            "title",
        ),
        (
            question("Your task is to create a detailed summary of the conversation so far"),
            "summary",
        ),
    ],
)
def test_auxiliary_requests_are_told_apart(body: dict[str, object], purpose: str) -> None:
    assert request(body).purpose == purpose


@pytest.mark.parametrize(
    "body", [{}, {"messages": "x", "model": "m"}, {"messages": [1], "model": "m"}, {"messages": []}]
)
def test_a_request_without_its_parts_is_refused(body: dict[str, object]) -> None:
    with pytest.raises(BadRequestError):
        request(body)
