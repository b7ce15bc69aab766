from __future__ import annotations

import pytest

from canopy_agent.demo.scenes import demo_script, scene_list, welcome_text
from canopy_agent.demo.scenes.scene import scene_named
from canopy_agent.demo.server import ScriptedModel
from demo.wire import ask, called, returned, text_of


def test_each_example_and_each_number_chooses_its_own_scene() -> None:
    for number, scene in enumerate(scene_list(), 1):
        assert scene_named(str(number)) == scene.name
        assert scene_named(scene.title) == scene_named(f"{scene.title.upper()}.") == scene.name
        assert f"{number}. **{scene.example}**" in welcome_text()
    assert {scene_named(scene.example): scene.name for scene in scene_list()} == {
        scene.name: scene.name for scene in scene_list()
    }
    assert len({scene.name for scene in scene_list()}) == 7


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("please fix it", "edit"),
        ("Fix the failing test!", "edit"),
        ("RUN THE TESTS AGAIN", "command"),
        ("Try again.", "again"),
        ("again", "again"),
        ("Use some subagents", "tree"),
        ("tree", "tree"),
        ("what would an overloaded model look like", "error"),
        ("where is the price computed?", "read"),
        ("ask me something", "question"),
        ("How does it work?", "answer"),
        ("6", "tree"),
        (" 1. ", "answer"),
        ("8", None),
        ("0", None),
        ("²", None),
        ("hello, what can you do?", None),
        ("Help!", None),
        ("help me fix it", "edit"),
        ("prefix", None),
        ("good morning", None),
        ("", None),
    ],
)
def test_natural_words_choose_a_scene(text: str, name: str | None) -> None:
    assert scene_named(text) == name


def test_the_welcome_lists_every_scene() -> None:
    for scene in scene_list():
        assert f"**{scene.example}**: {scene.description}" in welcome_text()


async def test_an_unknown_wish_gets_the_list_and_a_child_a_word() -> None:
    async with ScriptedModel(demo_script()) as model:
        told = text_of(await ask(model, "good morning"))
        assert all(scene.example in told for scene in scene_list())
        came = {"role": "user", "content": "be brief"}
        heard = text_of(await ask(model, "oh my", called("Read"), returned("done"), came))
        assert heard.startswith("I got what you said into my work.")
        child = await ask(model, "Do it.", headers={"x-claude-code-agent-id": "a1"})
        assert "nothing to add" in text_of(child)
    assert len(model.unscripted) == 3


async def test_titles_and_suggestions_follow_the_scenes() -> None:
    wanted: dict[str, object] = {"format": {"schema": {"properties": {"title": {}}}}}
    async with ScriptedModel(demo_script()) as model:
        for asked, title in (("Fix the bug please", "Fix the discount bug"), ("oh my", "Oh my")):
            response = await ask(model, f"<session>{asked}</session>", output_config=wanted)
            assert f'"{title}"' in text_of(response)
        for said, next_ in (
            ("Explain how the checkout works", "Find where discounts are applied"),
            ("Show me an error", "try again"),
            ("good morning", "Explain how the checkout works"),
        ):
            assert text_of(await ask(model, said, "[SUGGESTION MODE: next?]")) == next_
