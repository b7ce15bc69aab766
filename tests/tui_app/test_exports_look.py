"""Exported pages and pictures, as other programs read them."""

from __future__ import annotations

from xml.etree import ElementTree

from canopy_tui.model.intents import SendPrompt
from tui_app.playing import playing
from tui_app.stage import ROOT

SPACE = "{http://www.w3.org/XML/1998/namespace}space"


async def test_a_page_has_the_title_of_its_session_and_a_picture_keeps_its_blanks() -> None:
    async with playing() as play:
        play.stage.act(SendPrompt(ROOT, "go"))
        play.stage.say("A **bold** {word} & <b>.")
        play.stage.state.sessions[ROOT].title = "A {title} <of> it"
        page = await play.app._exported(ROOT, "html")
        assert "<title>A &#123;title&#125; &lt;of&gt; it</title>" in page
        assert 'name="viewport"' in page
        assert "{word} &amp; &lt;b&gt;." in page
        assert not {"{{", "}}"} & set(page.split())
        picture = ElementTree.fromstring(await play.app._exported(ROOT, "svg"))
        assert picture.attrib[SPACE] == "preserve"


async def test_an_export_offers_no_key_and_tells_the_end_of_a_turn_in_words() -> None:
    async with playing() as play:
        play.stage.act(SendPrompt(ROOT, "go"))
        play.stage.spawn("c1", "Helper")
        play.stage.end_turn()
        for kind in ("html", "svg", "markdown"):
            written = await play.app._exported(ROOT, kind)
            assert "open]" not in written
            assert "end_turn" not in written
        assert "*— turn ended " in written
        assert "1 agent still working —*" in written
