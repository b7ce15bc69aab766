"""The closed set of things that can happen to a session, from the CLI, the client and the clock.

One door to the events of all sides; it defines none itself.
"""

from __future__ import annotations

from canopy_agent.domain.client_events import (
    CancelRequested,
    ChildCancelRequested,
    ConversationRestarted,
    InterruptReceipt,
    NoteMade,
    PromptLost,
    PromptSubmitted,
    RestartFailed,
    SessionClosing,
    TimerFired,
    WindowKnown,
)
from canopy_agent.domain.extension_events import (
    ExtensionEvent,
    SteerSubmitted,
    TaskStopAsked,
    TaskStopDone,
    WorkStopAsked,
)
from canopy_agent.domain.report_events import (
    ApiRetried,
    GoalReported,
    HookFeedback,
    RefusalExplained,
)
from canopy_agent.domain.request_events import (
    ControlWithdrawn,
    DialogAsked,
    ElicitationAsked,
    HookFired,
    PermissionAsked,
    PlanAccepted,
    PlanRefused,
    RequestClosed,
    RequestOpened,
)
from canopy_agent.domain.stream_events import (
    CliInit,
    Compacted,
    CompactionBegan,
    CompactionEnded,
    CompactionGrew,
    ConversationReset,
    ImageCame,
    Informed,
    LocalOutput,
    MemoryRecalled,
    MessageBegan,
    MessageSaid,
    MessageUsage,
    ModelRequested,
    PromptEchoed,
    PromptMoved,
    RateLimited,
    ResultCame,
    StateChanged,
    StreamEnded,
    SuggestionMade,
    TextCame,
    ToolBeat,
    ToolBegan,
    ToolInputGrew,
    ToolRefused,
    ToolResulted,
    ToolUsed,
)
from canopy_agent.domain.task_events import (
    AgentsRemembered,
    AgentWoken,
    BackgroundLevel,
    OutputRead,
    TaskNotified,
    TaskPatched,
    TaskProgressed,
    TaskStarted,
)

CliEvent = (
    CliInit
    | StateChanged
    | ModelRequested
    | PromptMoved
    | PromptEchoed
    | MessageBegan
    | MessageUsage
    | TextCame
    | ImageCame
    | ToolBegan
    | ToolInputGrew
    | ToolUsed
    | MessageSaid
    | ToolResulted
    | AgentWoken
    | AgentsRemembered
    | TaskStarted
    | TaskProgressed
    | TaskPatched
    | TaskNotified
    | BackgroundLevel
    | ToolBeat
    | ToolRefused
    | ResultCame
    | ApiRetried
    | GoalReported
    | HookFeedback
    | RateLimited
    | CompactionBegan
    | CompactionGrew
    | CompactionEnded
    | Compacted
    | ConversationReset
    | LocalOutput
    | MemoryRecalled
    | OutputRead
    | Informed
    | RefusalExplained
    | SuggestionMade
    | StreamEnded
    | PermissionAsked
    | HookFired
    | ElicitationAsked
    | DialogAsked
    | ControlWithdrawn
)
ClientEvent = (
    PromptSubmitted
    | PromptLost
    | CancelRequested
    | ChildCancelRequested
    | InterruptReceipt
    | ConversationRestarted
    | RestartFailed
    | NoteMade
    | TimerFired
    | WindowKnown
    | SessionClosing
    | RequestOpened
    | RequestClosed
    | PlanRefused
    | PlanAccepted
)
Event = CliEvent | ClientEvent | ExtensionEvent

__all__ = [
    "AgentWoken",
    "AgentsRemembered",
    "ApiRetried",
    "BackgroundLevel",
    "CancelRequested",
    "ChildCancelRequested",
    "CliEvent",
    "CliInit",
    "ClientEvent",
    "Compacted",
    "CompactionBegan",
    "CompactionEnded",
    "CompactionGrew",
    "ControlWithdrawn",
    "ConversationReset",
    "ConversationRestarted",
    "DialogAsked",
    "ElicitationAsked",
    "Event",
    "GoalReported",
    "HookFeedback",
    "HookFired",
    "ImageCame",
    "Informed",
    "InterruptReceipt",
    "LocalOutput",
    "MemoryRecalled",
    "MessageBegan",
    "MessageSaid",
    "MessageUsage",
    "ModelRequested",
    "NoteMade",
    "OutputRead",
    "PermissionAsked",
    "PlanAccepted",
    "PlanRefused",
    "PromptEchoed",
    "PromptLost",
    "PromptMoved",
    "PromptSubmitted",
    "RateLimited",
    "RefusalExplained",
    "RequestClosed",
    "RequestOpened",
    "RestartFailed",
    "ResultCame",
    "SessionClosing",
    "StateChanged",
    "SteerSubmitted",
    "StreamEnded",
    "SuggestionMade",
    "TaskNotified",
    "TaskPatched",
    "TaskProgressed",
    "TaskStarted",
    "TaskStopAsked",
    "TaskStopDone",
    "TextCame",
    "TimerFired",
    "ToolBeat",
    "ToolBegan",
    "ToolInputGrew",
    "ToolRefused",
    "ToolResulted",
    "ToolUsed",
    "WindowKnown",
    "WorkStopAsked",
]
