"""WebFetch and WebSearch, and the server tools of the same kinds.

Result blocks of the server tools are worded in ``results``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from canopy_agent.domain.facts import ToolReturned
from canopy_agent.render.bounds import bounded
from canopy_agent.render.reports import Call, Report, Reporter, Result, View, show_contents, shown
from canopy_agent.render.results import text_content
from canopy_agent.render.titles import text_field, whole_number


def _fetch_report(call: Call, view: View) -> Report:
    url, prompt = text_field(call.input, "url"), text_field(call.input, "prompt")
    offset = whole_number(call.input, "offset")
    title = (
        f"Fetch {url}" + (f" (from char {offset})" if offset is not None else "")
        if url
        else "Fetch"
    )
    content = (text_content(prompt),) if prompt and view.displays_input else ()
    return Report(title, "fetch", content=content)


def _search_report(call: Call, view: View) -> Report:
    query = text_field(call.input, "query")
    return Report(f'Search "{query}"' if query else "Web search", "fetch")


def _search_result(call: Call, returned: ToolReturned, view: View) -> Result:
    structured = returned.structured
    found = structured.get("results") if isinstance(structured, Mapping) else None
    lines = "\n".join(_hits(found)) if isinstance(found, list) else ""
    if not lines.strip():
        return show_contents(call, returned, view)
    return shown((text_content(bounded(lines)),))


def _hits(found: list[Any]) -> Iterator[str]:
    """One line per hit; the search's own sentences stay as they are."""
    for item in found:
        if isinstance(item, str):
            yield item
            continue
        hits = item.get("content") if isinstance(item, Mapping) else None
        for hit in hits if isinstance(hits, list) else ():
            title, url = text_field(hit, "title"), text_field(hit, "url")
            if title or url:
                yield f"{title} ({url})" if title and url else title or url


FETCH = Reporter(_fetch_report)
SEARCH = Reporter(_search_report, _search_result)
REPORTERS = {"WebFetch": FETCH, "web_fetch": FETCH, "WebSearch": SEARCH, "web_search": SEARCH}
