"""The public schema of the ACP v2 draft as a judge: every frame of the agent must fit.

The schema is that of the npm package ``@agentclientprotocol/sdk``, where npm can get it; where it
cannot, a small subset written by hand (``subset.json``) judges in its place.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema

PACKAGE = "@agentclientprotocol/sdk@2.4.0"
MEMBER = "package/schema/v2/schema.unstable.json"
SUBSET = Path(__file__).with_name("subset.json")
KEPT = Path(tempfile.gettempdir()) / "acp-v2-schema-2.4.0.json"
PATIENCE = 20

Json = Mapping[str, Any]

PARAMS = {
    "session/update": "UpdateSessionNotification",
    "session/request_permission": "RequestPermissionRequest",
    "elicitation/create": "CreateElicitationRequest",
    "elicitation/complete": "CompleteElicitationNotification",
    "$/cancel_request": "CancelRequestNotification",
}
RESULTS = {
    "initialize": "InitializeResponse",
    "auth/login": "LoginAuthResponse",
    "auth/logout": "LogoutAuthResponse",
    "providers/list": "ListProvidersResponse",
    "providers/set": "SetProviderResponse",
    "providers/disable": "DisableProviderResponse",
    "session/new": "NewSessionResponse",
    "session/list": "ListSessionsResponse",
    "session/resume": "ResumeSessionResponse",
    "session/fork": "ForkSessionResponse",
    "session/close": "CloseSessionResponse",
    "session/delete": "DeleteSessionResponse",
    "session/set_config_option": "SetSessionConfigOptionResponse",
    "session/prompt": "PromptResponse",
    "terminal/cancel": "CancelTerminalResponse",
    "tool_call/cancel": "CancelToolCallResponse",
}


def _fetched() -> Json | None:
    """The schema of the package, None without npm or the package."""
    npm = shutil.which("npm")
    if npm is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        command = [npm, "pack", PACKAGE, "--fetch-retries=0", f"--pack-destination={folder}"]
        try:
            subprocess.run(command, cwd=folder, capture_output=True, timeout=PATIENCE, check=True)
            (packed,) = Path(folder).glob("*.tgz")
            with tarfile.open(packed) as archive:
                member = archive.extractfile(MEMBER)
                assert member is not None
                text = member.read().decode()
            schema: Json = json.loads(text)
        except (OSError, subprocess.SubprocessError, ValueError, KeyError, tarfile.TarError):
            return None
    return schema


@cache
def schema() -> Json:
    """The schema to judge by."""
    try:
        kept: Json = json.loads(KEPT.read_text())
    except (OSError, ValueError):
        kept = _fetched() or {}
        if kept:
            # others may read it meanwhile
            partly = KEPT.with_suffix(f".{os.getpid()}")
            partly.write_text(json.dumps(kept))
            partly.replace(KEPT)
    subset: Json = json.loads(SUBSET.read_text())
    return kept or subset


@cache
def _judge(definition: str, *, by_subset: bool) -> jsonschema.Draft202012Validator:
    whole = json.loads(SUBSET.read_text()) if by_subset else schema()
    assert definition in whole["$defs"], f"nobody judges {definition}"
    rule = {"$ref": f"#/$defs/{definition}", "$defs": whole["$defs"]}
    return jsonschema.Draft202012Validator(rule)


def complaint(definition: str, value: Any, *, by_subset: bool = False) -> str | None:
    """What the definition says against ``value``."""
    judge = _judge(definition, by_subset=by_subset)
    error = jsonschema.exceptions.best_match(judge.iter_errors(value))
    return None if error is None else f"{definition}: {error.message} in {json.dumps(value)[:600]}"


def complaints(frames: Sequence[Json], methods: Mapping[Any, str]) -> list[str]:
    """What both judges say against the frames of an agent; ``methods`` are those of our requests
    by id.
    """
    found: list[str | None] = []
    for frame in frames:
        definition = PARAMS.get(frame.get("method", ""))
        value = frame.get("params")
        if "result" in frame:
            definition, value = RESULTS.get(methods.get(frame["id"], "")), frame["result"]
        elif "error" in frame:
            definition, value = "Error", frame["error"]
        if definition is not None:
            found += [complaint(definition, value, by_subset=one) for one in (False, True)]
    return [text for text in found if text is not None]
