"""MCP servers that listen on loopback inside the test, one of them behind a sign-in.

The sign-in is an authorization server of the ``mcp`` package with a memory for a store; whoever
opens its page is let in. It must not know what is tested.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import socket
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcp.server.auth.provider import (
    AccessToken,
    AuthorizationCode,
    AuthorizationParams,
    RefreshToken,
    construct_redirect_uri,
)
from mcp.server.auth.settings import AuthSettings, ClientRegistrationOptions
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken

from mcp_servers.tool_server import make

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

Json = dict[str, Any]

PROGRAM = str(Path(__file__).with_name("tool_server.py"))


def stdio_server(name: str = "tools", *args: str, **env: str) -> Json:
    """The ACP form of a server over stdio."""
    pairs = [{"name": key, "value": value} for key, value in env.items()]
    return {"name": name, "command": sys.executable, "args": [PROGRAM, *args], "env": pairs}


def shell_server(name: str, command: str) -> Json:
    """A server that is some shell command."""
    return {"name": name, "command": "/bin/sh", "args": ["-c", command], "env": []}


def web_server(name: str, kind: str, url: str, **headers: str) -> Json:
    """The ACP form of a server over HTTP or SSE."""
    pairs = [{"name": key, "value": value} for key, value in headers.items()]
    return {"name": name, "type": kind, "url": url, "headers": pairs}


@dataclass
class Listening:
    """A server that listens: its address, and the headers of each request."""

    url: str
    headers: list[dict[str, str]] = field(default_factory=list)
    sign_ins: int = 0


class SignIn:
    """An OAuth authorization server that lets everybody in."""

    def __init__(self, here: Listening) -> None:
        self._here = here
        self._clients: dict[str, OAuthClientInformationFull] = {}
        self._codes: dict[str, AuthorizationCode] = {}
        self._tokens: dict[str, AccessToken] = {}

    async def get_client(self, client_id: str) -> OAuthClientInformationFull | None:
        return self._clients.get(client_id)

    async def register_client(self, client_info: OAuthClientInformationFull) -> None:
        self._clients[str(client_info.client_id)] = client_info

    async def authorize(
        self, client: OAuthClientInformationFull, params: AuthorizationParams
    ) -> str:
        code = secrets.token_hex(32)
        self._codes[code] = AuthorizationCode(
            code=code,
            scopes=params.scopes or [],
            expires_at=time.time() + 60,
            client_id=str(client.client_id),
            code_challenge=params.code_challenge,
            redirect_uri=params.redirect_uri,
            redirect_uri_provided_explicitly=params.redirect_uri_provided_explicitly,
            resource=params.resource,
        )
        return construct_redirect_uri(str(params.redirect_uri), code=code, state=params.state)

    async def load_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: str
    ) -> AuthorizationCode | None:
        return self._codes.get(authorization_code)

    async def exchange_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: AuthorizationCode
    ) -> OAuthToken:
        self._here.sign_ins += 1
        token = secrets.token_hex(32)
        self._tokens[token] = AccessToken(
            token=token,
            client_id=str(client.client_id),
            scopes=authorization_code.scopes,
            resource=authorization_code.resource,
        )
        return OAuthToken(access_token=token, token_type="Bearer", expires_in=3600)

    async def load_access_token(self, token: str) -> AccessToken | None:
        return self._tokens.get(token)

    async def load_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: str
    ) -> RefreshToken | None:
        return None

    async def exchange_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: RefreshToken, scopes: list[str]
    ) -> OAuthToken:
        raise NotImplementedError

    async def revoke_token(self, token: Any) -> None:
        self._tokens.pop(token.token, None)


@contextlib.asynccontextmanager
async def listening(kind: str, *, sign_in: bool = False) -> AsyncIterator[Listening]:
    """A server of ``kind`` ``http`` or ``sse``."""
    import uvicorn

    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    origin = f"http://127.0.0.1:{listener.getsockname()[1]}"
    here = Listening(f"{origin}/{'mcp' if kind == 'http' else 'sse'}")
    options: Json = {}
    if sign_in:
        options["auth_server_provider"] = SignIn(here)
        options["auth"] = AuthSettings(
            issuer_url=origin,  # type: ignore[arg-type]  # pydantic reads a string
            resource_server_url=here.url,  # type: ignore[arg-type]
            client_registration_options=ClientRegistrationOptions(enabled=True),
            validate_token_resource=False,
        )
    server = make(**options)
    app: Any = server.streamable_http_app() if kind == "http" else server.sse_app()

    async def noting(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            here.headers.append({k.decode(): v.decode() for k, v in scope["headers"]})
        await app(scope, receive, send)

    config = uvicorn.Config(
        noting, log_level="error", lifespan="on", timeout_graceful_shutdown=1, ws="none"
    )
    web = uvicorn.Server(config)
    web.install_signal_handlers = lambda: None  # type: ignore[attr-defined]
    serving = asyncio.create_task(web._serve(sockets=[listener]))
    try:
        yield here
    finally:
        web.should_exit = True
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(serving, 5)
        listener.close()
