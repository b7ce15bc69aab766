"""A model provider that the client chose: how the request is read, what the CLI is told of it.

Pure; it contacts nobody. Shapes follow the ACP draft of configurable providers
(https://agentclientprotocol.com/rfds/custom-llm-endpoint) and
``@agentclientprotocol/claude-agent-acp`` 0.101.0.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlsplit, urlunsplit

from canopy_shared.errors import invalid_params
from canopy_shared.ext import claude
from canopy_shared.params import Params

PROVIDER_ID: Final = "main"
ANTHROPIC: Final = "anthropic"
BEDROCK: Final = "bedrock"
VERTEX: Final = "vertex"
API_TYPES: Final = (ANTHROPIC, BEDROCK, VERTEX)

_PLACEHOLDER: Final = "acp-proxy"
"""The CLI wants a credential; the real one is among the headers."""

_CLEARED: Final = (
    "ANTHROPIC_BASE_URL",
    "ANTHROPIC_BEDROCK_BASE_URL",
    "ANTHROPIC_VERTEX_BASE_URL",
    "ANTHROPIC_VERTEX_PROJECT_ID",
    "CLOUD_ML_REGION",
    "AWS_REGION",
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "ANTHROPIC_CUSTOM_HEADERS",
)
_SWITCHES: Final = (
    "CLAUDE_CODE_USE_BEDROCK",
    "CLAUDE_CODE_USE_VERTEX",
    "CLAUDE_CODE_USE_FOUNDRY",
    "CLAUDE_CODE_USE_ANTHROPIC_AWS",
    "CLAUDE_CODE_USE_ANTHROPIC_GOOGLE_CLOUD",
    "CLAUDE_CODE_USE_MANTLE",
    "CLAUDE_CODE_USE_GATEWAY",
)
_HEADERS: Final = "ANTHROPIC_CUSTOM_HEADERS"
_SECRETS: Final = frozenset({_HEADERS, "ANTHROPIC_AUTH_TOKEN", "AWS_BEARER_TOKEN_BEDROCK"})
_HEADER_NAME: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_DEFAULTS: Final = {
    ANTHROPIC: "https://api.anthropic.com",
    BEDROCK: "https://bedrock-runtime.us-east-1.amazonaws.com",
    VERTEX: "https://aiplatform.googleapis.com",
}


@dataclass(frozen=True, slots=True)
class VertexPlace:
    """Where a Vertex project lies."""

    project: str
    region: str


@dataclass(frozen=True, slots=True)
class Provider:
    """An endpoint for all requests of the CLI. ``headers`` go with every one of them."""

    api_type: str
    base_url: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    vertex: VertexPlace | None = None
    region_prefix: str | None = None

    @property
    def current(self) -> dict[str, str]:
        """``current`` of a provider: the headers stay here."""
        return {"apiType": self.api_type, "baseUrl": without_login(self.base_url)}

    def environment(self) -> dict[str, str]:
        """The variables of the CLI: every other provider and credential is taken out of play."""
        env = dict.fromkeys(_CLEARED, "") | dict.fromkeys(_SWITCHES, "0")
        match self.api_type:
            case "bedrock":
                env["CLAUDE_CODE_USE_BEDROCK"] = "1"
                env["ANTHROPIC_BEDROCK_BASE_URL"] = self.base_url
                env["AWS_BEARER_TOKEN_BEDROCK"] = self._token
                if self.region_prefix is not None:
                    env["ANTHROPIC_BEDROCK_REGION_PREFIX"] = self.region_prefix
            case "vertex":
                env["CLAUDE_CODE_USE_VERTEX"] = "1"
                env["CLAUDE_CODE_SKIP_VERTEX_AUTH"] = "1"
                env["ANTHROPIC_VERTEX_BASE_URL"] = self.base_url
                if self.vertex is not None:
                    env["ANTHROPIC_VERTEX_PROJECT_ID"] = self.vertex.project
                    env["CLOUD_ML_REGION"] = self.vertex.region
            case _:
                env["ANTHROPIC_BASE_URL"] = self.base_url
                env["ANTHROPIC_AUTH_TOKEN"] = self._token
        env[_HEADERS] = "\n".join(f"{name}: {value}" for name, value in self.headers.items())
        return env

    @property
    def _token(self) -> str:
        """The bearer token: the CLI (2.1.332) sends its own before an ``Authorization`` header.

        Empty for another kind of authorization, which the CLI then sends as a header.
        """
        for name, value in self.headers.items():
            if name.lower() == "authorization":
                scheme, _, token = value.strip().partition(" ")
                return token.strip() if scheme.lower() == "bearer" else ""
        return _PLACEHOLDER

    def open_settings(self) -> dict[str, Any]:
        """Settings that keep the user's own settings files from undoing :meth:`environment`.

        They go on a command line that everybody on the machine can read, so headers and tokens are
        not among them; see :meth:`secret_settings`.
        """
        env = self.environment()
        shown = {name: value for name, value in env.items() if name not in _SECRETS}
        return {"env": shown, "apiKeyHelper": ""}

    def secret_settings(self) -> dict[str, Any]:
        """The rest of the settings, for a running CLI."""
        return {"env": self.environment()}


def provider_of(params: object) -> Provider:
    """The provider of ``providers/set``. Raises invalid params, without any value in it."""
    values = Params(params)
    if values.text("providerId") != PROVIDER_ID:
        raise values.wrong("providerId", f'"{PROVIDER_ID}"')
    api_type = values.text("apiType")
    if api_type not in API_TYPES:
        raise values.wrong("apiType", f"one of {', '.join(API_TYPES)}")
    base_url = values.text("baseUrl")
    if not is_web_address(base_url):
        raise values.wrong("baseUrl", "an absolute http or https address")
    headers = checked_headers(values)
    place = _vertex(values) if api_type == VERTEX else None
    return Provider(api_type, base_url.rstrip("/"), headers, place)


def checked_headers(values: Params) -> dict[str, str]:
    """``headers`` as names and values that can stand in an HTTP request. Raises invalid params."""
    headers = values.optional_object("headers") or {}
    for name, value in headers.items():
        if not isinstance(value, str) or not _HEADER_NAME.fullmatch(name):
            raise values.wrong("headers", "an object of header names and strings")
        if any(ord(character) < 32 and character != "\t" for character in value):
            raise values.wrong("headers", "free of line breaks and control characters")
    return dict(headers)


def _vertex(values: Params) -> VertexPlace:
    given = claude.payload_of(values.meta()).get("vertex")
    if given is None:
        raise invalid_params(
            "_meta.claudeCode.vertex must name projectId and region",
            {"field": "_meta.claudeCode.vertex"},
        )
    place = Params(given, "_meta.claudeCode.vertex.")
    project, region = place.text("projectId"), place.text("region")
    for field_, text in (("projectId", project), ("region", region)):
        if not text.strip():
            raise place.wrong(field_, "a name")
    return VertexPlace(project, region)


def is_web_address(text: str) -> bool:
    """Whether ``text`` is an absolute http or https address."""
    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)


def without_login(address: str) -> str:
    """The address without a user name and password that may stand in it."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return ""
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def environment_provider(environ: Mapping[str, str]) -> dict[str, str]:
    """``current`` of the provider that the environment names, Anthropic when it names none."""
    for api_type, switch, address in (
        (BEDROCK, "CLAUDE_CODE_USE_BEDROCK", "ANTHROPIC_BEDROCK_BASE_URL"),
        (VERTEX, "CLAUDE_CODE_USE_VERTEX", "ANTHROPIC_VERTEX_BASE_URL"),
    ):
        if environ.get(switch, "").lower() in ("1", "true", "yes", "on"):
            return Provider(api_type, environ.get(address) or _DEFAULTS[api_type]).current
    return Provider(ANTHROPIC, environ.get("ANTHROPIC_BASE_URL") or _DEFAULTS[ANTHROPIC]).current


def listed(current: Mapping[str, str]) -> dict[str, Any]:
    """The result of ``providers/list``."""
    row = {
        "providerId": PROVIDER_ID,
        "supported": list(API_TYPES),
        "required": False,
        "current": dict(current),
    }
    return {"providers": [row]}
