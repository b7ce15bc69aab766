"""The agent without processes: raw frames of the CLI in, what a client gets out.

The decoder, the core and the renderer are the real ones; the runtime is a list. It must not know
what is tested.
"""

from __future__ import annotations

import json
import uuid
from typing import TYPE_CHECKING, Any

from canopy_agent.capabilities import client_profile
from canopy_agent.claude.decode import Decoder
from canopy_agent.domain import effects as fx
from canopy_agent.domain import events as e
from canopy_agent.domain.session import step
from canopy_agent.domain.state import new_state
from canopy_agent.render.renderer import Renderer
from canopy_agent.session.caller_options import caller_options
from canopy_agent.session.opener import policy_of
from canopy_agent.wire.v2_hello import profile_of
from canopy_shared.codec import encode
from canopy_shared.ext import air

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Json = dict[str, Any]

EPOCH = "11111111-2222-3333-4444-555555555555"
PLAIN: Json = {}
EVERYTHING = (
    air.NATIVE_SUBAGENT_SESSIONS,
    air.BACKGROUND_SUBAGENTS,
    air.SESSION_FAILURE,
    air.AGENT_FILE_CHANGE_REPORT,
    air.ASYNC_TASKS,
    air.CUSTOM_INSTRUCTIONS,
    air.RECOMMENDED_VALUE,
    air.DIFF_PATCH,
    air.PLAN_FILE,
    air.RAW_INPUT_RENDERING,
    air.LOAD_REPLAY_END,
)
AIR_KINDS = frozenset({"async_task_spawned", "async_task_progress", "async_task_state_update"})


def declares(*capabilities: str, **more: Any) -> Json:
    """Capabilities of an AIR client."""
    return {"_meta": air.client_meta(*capabilities), **more}


def traces_of_air(values: Iterable[Any]) -> list[Any]:
    """What of ``values`` only an AIR client may get."""
    return [
        value
        for value in values
        if "jetbrains" in json.dumps(value)
        or (isinstance(value, dict) and value.get("sessionUpdate") in AIR_KINDS)
    ]


class Play:
    """One session of one client."""

    def __init__(
        self,
        capabilities: Mapping[str, Any] = PLAIN,
        protocol: int = 1,
        meta: Mapping[str, Any] = PLAIN,
    ) -> None:
        self.profile = {1: client_profile, 2: profile_of}[protocol](capabilities)
        policy = policy_of(self.profile, caller_options(meta, self.profile), "/project")
        self.state = new_state("S", policy, epoch=EPOCH)
        self.renderer = Renderer(self.profile, "/project")
        self.decoder = Decoder()
        self.sent: list[tuple[str, Json]] = []
        self.effects: list[fx.Effect] = []
        self.answers: dict[str, Json] = {}

    # --- in ---------------------------------------------------------------------------------------

    def handle(self, *events: e.Event) -> Play:
        """Apply events."""
        for event in events:
            for effect in step(self.state, event):
                self.effects.append(effect)
                self._carry_out(effect)
        return self

    def frames(self, *frames: Json) -> Play:
        """The CLI says ``frames``."""
        for frame in frames:
            # the CLI gives every record an id of its own
            self.handle(*self.decoder.decode({"uuid": str(uuid.uuid4()), **frame}))
        return self

    def prompt(self, id_: str = "p1", text: str = "go") -> Play:
        """A prompt that the CLI takes in."""
        self.handle(e.PromptSubmitted(id_, (), len(self.effects), text))
        return self.frames(state("running"), lifecycle(id_, "started"), echo(id_))

    def _carry_out(self, effect: fx.Effect) -> None:
        match effect:
            case fx.Show(session, fact, parent):
                updates = self.renderer.render(fact, parent)
                self.sent += [(session, encode(update)) for update in updates]
            case fx.Settle(prompt, fx.Stopped(reason, usage, meta)):
                self.answers[prompt] = {"stopReason": reason, "usage": usage, "_meta": dict(meta)}
            case fx.Settle(prompt, fx.Failed() as failed):
                self.answers[prompt] = {"error": failed.message, "kind": failed.kind}
                self.answers[prompt]["data"] = failed.data
            case fx.Submit(event):
                self.handle(event)

    # --- out --------------------------------------------------------------------------------------

    def updates(self, *kinds: str, session: str | None = None) -> list[Json]:
        """What the client got, of some kinds and of one session or all."""
        return [
            update
            for where, update in self.sent
            if (not kinds or update["sessionUpdate"] in kinds) and session in (None, where)
        ]

    def tasks(self) -> list[Json]:
        """What the client was told of background tasks."""
        return self.updates(*AIR_KINDS)

    def of(self, kind: type[Any]) -> list[Any]:
        """The effects of one kind."""
        return [effect for effect in self.effects if isinstance(effect, kind)]

    def replies(self) -> dict[str, Any]:
        """Answers to the requests of extensions, by key."""
        told: dict[str, Any] = {one.key: one.result for one in self.of(fx.Reply)}
        return told | {one.key: one.message for one in self.of(fx.ReplyError)}

    def forget(self) -> Play:
        """Begin to look from here on."""
        self.sent, self.effects = [], []
        return self


# --- frames, as the CLI 2.1.332 writes them -------------------------------------------------------


def state(name: str) -> Json:
    return {"type": "system", "subtype": "session_state_changed", "state": name}


def lifecycle(prompt: str, name: str, **more: Any) -> Json:
    return {"type": "command_lifecycle", "command_uuid": prompt, "state": name, **more}


def echo(prompt: str, text: str = "go") -> Json:
    message = {"role": "user", "content": [{"type": "text", "text": text}]}
    return {
        "type": "user",
        "uuid": prompt,
        "isReplay": True,
        "origin": {"kind": "human"},
        "parent_tool_use_id": None,
        "message": message,
    }


def said(text: str, *, error: str | None = None, model: str = "claude-x", **more: Any) -> Json:
    message = {
        "id": f"msg-{text[:8]}",
        "model": model,
        "role": "assistant",
        "content": [{"type": "text", "text": text}],
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }
    told = {} if error is None else {"error": error}
    return {"type": "assistant", "parent_tool_use_id": None, "message": message, **told, **more}


def tool(id_: str, name: str, parent: str | None = None, **input_: Any) -> Json:
    block = {"type": "tool_use", "id": id_, "name": name, "input": input_}
    message = {"id": f"msg-{id_}", "model": "claude-x", "content": [block], "usage": {}}
    return {"type": "assistant", "parent_tool_use_id": parent, "message": message}


def tool_result(
    id_: str, content: Any = "done", structured: Any = None, parent: str | None = None
) -> Json:
    block = {"type": "tool_result", "tool_use_id": id_, "content": content}
    frame = {"type": "user", "parent_tool_use_id": parent, "message": {"content": [block]}}
    return frame if structured is None else {**frame, "tool_use_result": structured}


def result(*prompts: str, **more: Any) -> Json:
    fixed = {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "num_turns": 1,
        "result": "",
        "stop_reason": "end_turn",
        "origin": {"kind": "human"},
        "usage": {"input_tokens": 3, "output_tokens": 2},
        "modelUsage": {},
    }
    return {**fixed, "user_message_uuids": list(prompts), **more}


def own_result(**more: Any) -> Json:
    """The result of a cycle that no prompt asked for."""
    return result(**{"origin": {"kind": "task-notification"}, **more})


def task_started(task: str, call: str | None = None, **more: Any) -> Json:
    named = {} if call is None else {"tool_use_id": call}
    frame = {"type": "system", "subtype": "task_started", "task_id": task, **named}
    return {**frame, "task_type": "local_bash", "description": "Tick", **more}


def task_updated(task: str, **patch: Any) -> Json:
    return {"type": "system", "subtype": "task_updated", "task_id": task, "patch": patch}


def task_progress(task: str, **more: Any) -> Json:
    return {"type": "system", "subtype": "task_progress", "task_id": task, **more}


def notification(task: str, status: str = "completed", **more: Any) -> Json:
    frame = {"type": "system", "subtype": "task_notification", "task_id": task, "status": status}
    return {**frame, "output_file": "", "summary": "done", **more}


def level(*tasks: str | Json) -> Json:
    rows = [
        {"task_id": one, "task_type": "local_bash", "description": "Tick"}
        if isinstance(one, str)
        else one
        for one in tasks
    ]
    return {"type": "system", "subtype": "background_tasks_changed", "tasks": rows}
