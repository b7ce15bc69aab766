"""What can go wrong between Canopy and the Claude Code CLI, as exceptions that carry facts.

It must not know how an ACP client is told; the session layer maps these once.
"""

from __future__ import annotations


class ClaudeError(Exception):
    """Any failure at the edge to the CLI."""


class ClaudeStartFailed(ClaudeError):  # noqa: N818
    """The CLI could not be started, or ended before it was of use.

    ``exit_code`` is its exit status (None: it never ran, or a signal ended it), ``stderr_tail``
    the end of what it wrote to stderr, ``hint`` one sentence that says what to do ("" if none),
    ``reason`` the CLI's own ``startup_failure_reason``. ``str()`` is the message and the hint.
    """

    def __init__(
        self,
        message: str,
        *,
        exit_code: int | None = None,
        stderr_tail: str = "",
        hint: str = "",
        reason: str | None = None,
    ) -> None:
        super().__init__(f"{message} {hint}" if hint else message)
        self.message = message
        self.reason = reason
        self.exit_code = exit_code
        self.stderr_tail = stderr_tail
        self.hint = hint


class ControlFailed(ClaudeError):  # noqa: N818
    """The CLI refused a control request, or can no longer answer it.

    ``code`` is the CLI's ``error_code`` (for example ``unsupported_request``), None if it sent
    none; ``subtype`` names the request.
    """

    def __init__(self, subtype: str, error: str, code: str | None = None) -> None:
        super().__init__(f"{subtype}: {error}")
        self.subtype = subtype
        self.error = error
        self.code = code


class ControlTimeout(ClaudeError):  # noqa: N818
    """No answer to a control request within ``seconds``. The CLI may still act on it."""

    def __init__(self, subtype: str, seconds: float) -> None:
        super().__init__(f"{subtype}: no answer from Claude Code within {seconds:g} s")
        self.subtype = subtype
        self.seconds = seconds


class LaunchOptionInvalid(ClaudeError):  # noqa: N818
    """The client's option ``key`` has a value that cannot be used."""

    def __init__(self, key: str, reason: str) -> None:
        super().__init__(f"{key} {reason}")
        self.key = key
        self.reason = reason
