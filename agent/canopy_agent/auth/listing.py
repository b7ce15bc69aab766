"""Asks a provider which models it serves, within a bound and without following it elsewhere.

It reads ids and nothing else; https://docs.anthropic.com/en/api/models-list and the Bedrock
operation ListFoundationModels give the shapes. What a listing changes is not known here.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

from canopy_agent.auth.provider import BEDROCK, VERTEX
from canopy_shared import jsonio

if TYPE_CHECKING:
    from canopy_agent.auth.provider import Provider

PATIENCE: Final = 10.0
"""Seconds for the whole listing."""

_LARGEST: Final = 8 * 1024 * 1024
_PAGES: Final = 50
_GLOBAL: Final = "global"
_VENDOR: Final = "anthropic."


class ListingFailed(Exception):  # noqa: N818
    """The provider could not be asked. The text names the cause and no secret."""


@dataclass(frozen=True, slots=True)
class Listing:
    """The ids that a provider serves; None when it keeps no list."""

    ids: frozenset[str] | None = None

    @property
    def region_prefix(self) -> str | None:
        """The prefix of Bedrock inference profiles, ``global`` where that is among them."""
        profiles = [id_ for id_ in sorted(self.ids or ()) if _is_profile(id_)]
        prefixes = [id_.partition(f".{_VENDOR}")[0] for id_ in profiles]
        return _GLOBAL if _GLOBAL in prefixes else next(iter(prefixes), None)


def _is_profile(id_: str) -> bool:
    return f".{_VENDOR}" in id_ and not id_.startswith(_VENDOR)


async def list_models(provider: Provider, *, patience: float = PATIENCE) -> Listing:
    """The models of ``provider``. Raises :class:`ListingFailed`.

    Vertex has no list to ask for, and an answer of 4xx says that there is none.
    """
    if provider.api_type == VERTEX:
        return Listing()
    try:
        async with asyncio.timeout(patience):
            return await _in_thread(provider, patience)
    except TimeoutError:
        raise ListingFailed(f"no answer within {patience:g} s") from None


async def _in_thread(provider: Provider, patience: float) -> Listing:
    """Run the blocking requests aside. A thread of its own, as nobody may wait for it at the
    end.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Listing] = loop.create_future()

    def settle(result: Listing | ListingFailed) -> None:
        if done.done():
            return
        if isinstance(result, Listing):
            done.set_result(result)
        else:
            done.set_exception(result)

    def work() -> None:
        result: Listing | ListingFailed
        try:
            result = _pages(provider, patience)
        except ListingFailed as error:
            result = error
        except Exception as error:
            result = ListingFailed(type(error).__name__)
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(settle, result)

    threading.Thread(target=work, name="model-listing", daemon=True).start()
    return await done


def _pages(provider: Provider, patience: float) -> Listing:
    if provider.api_type == BEDROCK:
        page = _get(f"{provider.base_url}/foundation-models", provider.headers, patience)
        return Listing() if page is None else Listing(_ids(page, "modelSummaries", "modelId"))
    headers = {"anthropic-version": "2023-06-01", **provider.headers}
    found: frozenset[str] = frozenset()
    query = {"limit": "1000"}
    for _ in range(_PAGES):
        page = _get(f"{provider.base_url}/v1/models?{urlencode(query)}", headers, patience)
        if page is None:
            return Listing(found or None)
        found |= _ids(page, "data", "id")
        last = page.get("last_id")
        if page.get("has_more") is not True or not isinstance(last, str):
            break
        query["after_id"] = last
    return Listing(found)


def _ids(page: Mapping[str, Any], rows: str, key: str) -> frozenset[str]:
    listed = page.get(rows)
    if not isinstance(listed, list):
        raise ListingFailed("the answer holds no list of models")
    ids = (row.get(key) for row in listed if isinstance(row, Mapping))
    return frozenset(id_ for id_ in ids if isinstance(id_, str) and id_)


def _get(url: str, headers: Mapping[str, str], patience: float) -> Mapping[str, Any] | None:
    """One JSON object; None for a 4xx."""
    from urllib.error import HTTPError, URLError
    from urllib.request import HTTPRedirectHandler, Request, build_opener

    class NoRedirects(HTTPRedirectHandler):
        """The headers hold credentials, which are for this host alone."""

        def redirect_request(self, *_: Any, **__: Any) -> None:
            return None

    request = Request(url, headers={"accept": "application/json", **headers})
    try:
        with build_opener(NoRedirects()).open(request, timeout=patience) as response:
            body = response.read(_LARGEST + 1)
    except HTTPError as error:
        error.close()
        if 400 <= error.code < 500:
            return None
        raise ListingFailed(f"HTTP status {error.code}") from None
    except URLError as error:
        raise ListingFailed(_words(error.reason)) from None
    except OSError as error:
        raise ListingFailed(_words(error)) from None
    if len(body) > _LARGEST:
        raise ListingFailed("the list of models is too large")
    try:
        page = jsonio.loads(body)
    except (ValueError, RecursionError):
        raise ListingFailed("the answer is not JSON") from None
    if not isinstance(page, Mapping):
        raise ListingFailed("the answer is no JSON object")
    return page


def _words(reason: object) -> str:
    """A network error without the address, which may hold a login."""
    if isinstance(reason, OSError) and reason.strerror:
        return reason.strerror
    return type(reason).__name__
