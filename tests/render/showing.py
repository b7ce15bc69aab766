"""How the tests of the renderer look at it: profiles, JSON of updates, a merging client."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from canopy_agent.capabilities import ChildForm, ClientProfile
from canopy_agent.domain.facts import ToolInputComplete, ToolReturned
from canopy_agent.render.patches import no_files
from canopy_agent.render.renderer import Renderer
from canopy_shared.codec import encode
from canopy_shared.ext import air

if TYPE_CHECKING:
    from canopy_agent.domain.facts import Fact
    from canopy_agent.render.patches import ReadFile

Json = dict[str, Any]

CWD = "/project"
PLAIN = ClientProfile()
TERMINAL = ClientProfile(terminal="output")


def air_client(*capabilities: str, **fields: Any) -> ClientProfile:
    """An AIR client with the given capabilities."""
    return ClientProfile(air=True, air_capabilities=frozenset(capabilities), **fields)


AIR = air_client()
AIR_TERMINAL = air_client(terminal="output")
PATCHING = air_client(air.DIFF_PATCH)
NATIVE = air_client(air.NATIVE_SUBAGENT_SESSIONS, child_form=ChildForm.AIR)
PROFILES = {
    "plain": PLAIN,
    "terminal": TERMINAL,
    "delta": ClientProfile(terminal="delta"),
    "streams": ClientProfile(terminal="delta", terminal_replaces=True),
    "air": AIR,
    "air terminal": AIR_TERMINAL,
    "patches": PATCHING,
    "no display": air_client(air.RAW_INPUT_RENDERING),
    "rfd": ClientProfile(child_form=ChildForm.RFD),
}


def renderer(profile: ClientProfile = PLAIN, *, read_file: ReadFile = no_files) -> Renderer:
    """A renderer in the usual directory."""
    return Renderer(profile, CWD, read_file=read_file)


def told(here: Renderer, *facts: Fact, parent: str | None = None) -> list[Json]:
    """The updates for ``facts`` as JSON, each checked against the published schema."""
    updates = [encode(update) for fact in facts for update in here.render(fact, parent)]
    for update in updates:
        assert_valid(update)
    return updates


def shown(
    profile: ClientProfile, *facts: Fact, parent: str | None = None, read_file: ReadFile = no_files
) -> list[Json]:
    """The updates of a new renderer for ``facts``."""
    return told(renderer(profile, read_file=read_file), *facts, parent=parent)


def whole_call(
    name: str, tool_input: Json, content: Any = "ok", *, id_: str = "t", **result: Any
) -> list[Fact]:
    """A call that is shown at once and returns."""
    return [ToolInputComplete(id_, name, tool_input), ToolReturned(id_, content, **result)]


def text_block(text: str) -> Json:
    """A text as content of a tool call."""
    return {"type": "content", "content": {"type": "text", "text": text}}


def texts(update: Json) -> list[str]:
    """All texts in the content of an update."""
    blocks = [part["content"] for part in update.get("content") or [] if part["type"] == "content"]
    return [block["text"] for block in blocks if block["type"] == "text"]


class Client:
    """Merges updates as an ACP client does: absent fields stay, ``_meta`` is merged key by key."""

    def __init__(self) -> None:
        self.calls: dict[str, Json] = {}
        self.others: list[Json] = []

    def take(self, update: Json) -> None:
        kind = update["sessionUpdate"]
        if kind not in ("tool_call", "tool_call_update"):
            self.others.append(update)
            return
        id_ = update["toolCallId"]
        if kind == "tool_call":
            assert id_ not in self.calls, f"{id_} was created twice"
            self.calls[id_] = {}
        assert id_ in self.calls, f"{id_} was updated before it was created"
        call = self.calls[id_]
        meta = _merged(call.get("_meta", {}), update.get("_meta", {}))
        call.update({key: value for key, value in update.items() if key != "sessionUpdate"})
        call["_meta"] = meta

    def take_all(self, updates: list[Json]) -> Client:
        for update in updates:
            self.take(update)
        return self


def _merged(old: Any, new: Any) -> Any:
    if not (isinstance(old, dict) and isinstance(new, dict)):
        return new
    return old | {key: _merged(old.get(key), value) for key, value in new.items()}


# --- the schema of ACP ---------------------------------------------------------------------------

_NOT_IN_SCHEMA = frozenset(
    {
        "notice",
        "subagent_spawned",
        "subagent_state_update",
        "subagent_update",
        "session_message",
    }
)


@cache
def _notification() -> Any:
    from acp.schema import SessionNotification

    return SessionNotification


def assert_valid(update: Json) -> None:
    """The update is one that ``agent-client-protocol`` accepts, as far as it knows the kind."""
    if update["sessionUpdate"] in _NOT_IN_SCHEMA:
        return
    read = _notification().model_validate({"sessionId": "s", "update": update})
    assert read.update.session_update == update["sessionUpdate"]


def assert_valid_tool_call(tool_call: Json) -> None:
    """The ``toolCall`` of a permission request is one that the schema accepts."""
    from acp.schema import ToolCallUpdate

    ToolCallUpdate.model_validate(tool_call)
