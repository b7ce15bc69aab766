"""Frames of the CLI that concern the session's surroundings: commands, titles, predictions.

They touch no turn; what the conversation says and does goes through the core.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from canopy_agent.domain.usage import SYNTHETIC
from canopy_agent.session.commands import Skills, available_commands
from canopy_shared.ext import suggestions
from canopy_shared.updates import AvailableCommandsUpdate, Command, SessionInfoUpdate, Update

if TYPE_CHECKING:
    from canopy_agent.capabilities import ClientProfile
    from canopy_agent.session.titles import TitleKeeper

Json = Mapping[str, Any]


class Observer:
    """Watches the raw frames of one session. ``show`` sends an update on the root."""

    def __init__(
        self, profile: ClientProfile, titles: TitleKeeper, show: Callable[[Update], None]
    ) -> None:
        self._profile = profile
        self._titles = titles
        self._show = show
        self._commands: Json = {}
        self._terminal_only: frozenset[str] = frozenset()
        self._skills = Skills()
        self._suggested = False
        self.last_record: str | None = None
        """The id of the last message of the main conversation, as it is stored."""

    def greeted(self, init: Json) -> None:
        """The CLI answered ``initialize``; its commands are shown."""
        self._commands = init
        self._show_commands()

    def introduced(self, init: Json) -> tuple[Command, ...]:
        """As :meth:`greeted`, for a client that gets the commands by another way."""
        self._commands = init
        return self._offered().available_commands if init else ()

    def _show_commands(self) -> None:
        if self._commands:
            self._show(self._offered())

    def _offered(self) -> AvailableCommandsUpdate:
        return available_commands(
            self._commands,
            self._profile,
            terminal_only=self._terminal_only,
            skills=self._skills,
        )

    def skills_known(self, skills: Skills) -> None:
        """It is known now which commands are skills."""
        self._skills = skills
        self._show_commands()

    def frame(self, frame: Json) -> None:
        """One frame of the CLI."""
        match frame.get("type"), frame.get("subtype"):
            case "system", "init":
                self._initialized(frame)
            case "system", "commands_changed":
                self._commands = frame
                self._show_commands()
            case "system", "session_title_changed":
                title = frame.get("title")
                if isinstance(title, str):
                    self._titles.changed(title)
            case ("conversation_reset", _) | ("system", "conversation_reset"):
                self.prompted()
            case "prompt_suggestion", _:
                self._suggestion(frame.get("suggestion"))
            case "assistant", _ if frame.get("parent_tool_use_id") is None:
                self._remember(frame)

    def _remember(self, frame: Json) -> None:
        message, record = frame.get("message"), frame.get("uuid")
        model = message.get("model") if isinstance(message, Mapping) else None
        if isinstance(record, str) and model != SYNTHETIC:
            self.last_record = record

    def _initialized(self, frame: Json) -> None:
        names = frame.get("terminal_slash_commands")
        found = (
            frozenset(n for n in names if isinstance(n, str)) if isinstance(names, list) else None
        )
        if found is not None and found != self._terminal_only:
            self._terminal_only = found
            self._show_commands()

    def _suggestion(self, text: object) -> None:
        if self._profile.air and isinstance(text, str) and text.strip():
            self._suggested = True
            self._show(SessionInfoUpdate(meta=suggestions.wrap((text,))))

    def prompted(self) -> None:
        """A prompt was queued: a prediction of it has done its work."""
        if self._suggested:
            self._suggested = False
            self._show(SessionInfoUpdate(meta=suggestions.wrap(())))
