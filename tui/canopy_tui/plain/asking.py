"""A request of an agent as numbered lines, and typed lines as its answer.

Pure: a question says what to print and takes one line at a time until it has an intent. Who types,
and what happens when nobody does, is decided elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, assert_never

from canopy_shared.content import Diff, ToolContent, text_of
from canopy_shared.elicitation import (
    ACCEPT,
    CANCEL,
    DECLINE,
    FormElicitation,
    UrlElicitation,
    problem_with,
)
from canopy_shared.elicitation_fields import (
    BooleanField,
    ChoiceField,
    FieldOption,
    FormField,
    MultiChoiceField,
    NumberField,
    TextField,
    Value,
)
from canopy_shared.permission import (
    REJECT_ALWAYS,
    REJECT_ONCE,
    PermissionOption,
    PermissionRequest,
)
from canopy_tui.model import reach
from canopy_tui.model.intents import AnswerElicitation, AnswerPermission
from canopy_tui.model.sanitize import visible
from canopy_tui.model.values import value_lines

if TYPE_CHECKING:
    from canopy_tui.model.entries import ToolEntry
    from canopy_tui.model.state import PendingRequest

PREVIEW_LINES = 200
"""Lines of what a call would do; nobody reads more, and the raw transcript has it all."""

_CANCELLED = "cancelled"

Answer = AnswerPermission | AnswerElicitation


class Question(Protocol):
    """One request. ``lines`` is what to print now, and ``hint`` how to answer that; after each
    ``take`` they may be something else.
    """

    def lines(self) -> list[str]:
        """The question, or its next part."""

    def hint(self) -> str:
        """What to type, for somebody who can."""

    def take(self, typed: str) -> Answer | str | None:
        """The answer, when ``typed`` completes it; a sentence when ``typed`` is no answer."""

    def refusal(self) -> Answer:
        """The answer when nobody is there: no, and never yes."""

    def refused(self) -> str:
        """The name of that answer."""


def question_of(request: PendingRequest, call: ToolEntry | None, cwd: str = "") -> Question:
    """How to ask for ``request``; ``call`` is the tool call it is about, ``cwd`` the project."""
    payload = request.payload
    if isinstance(payload, PermissionRequest):
        return PermissionQuestion(request.key, payload, call, cwd)
    if isinstance(payload, UrlElicitation):
        return PageQuestion(request.key, payload)
    assert isinstance(payload, FormElicitation)
    return FormQuestion(request.key, payload)


def _clean(text: str) -> list[str]:
    return [line.rstrip() for line in visible(text, multiline=True).split("\n") if line.strip()]


def _numbered(words: Sequence[str]) -> list[str]:
    return [f"  {number}. {visible(w, multiline=False)}" for number, w in enumerate(words, 1)]


def _range(count: int) -> str:
    return "Type 1." if count == 1 else f"Type a number from 1 to {count}."


def _picked(typed: str, count: int) -> int | None:
    """The index that a typed number stands for."""
    return (
        int(typed) - 1 if typed.isascii() and typed.isdigit() and 0 < int(typed) <= count else None
    )


def _named(typed: str, words: Sequence[str]) -> int | None:
    """The same, or of the one option that is called so."""
    folded = [word.casefold() for word in words]
    if folded.count(typed.casefold()) == 1:
        return folded.index(typed.casefold())
    return _picked(typed, len(words))


# --- permission -----------------------------------------------------------------------------------


class PermissionQuestion:
    """The options of the agent, in its order and words. An empty line never answers."""

    def __init__(
        self, key: int, asked: PermissionRequest, call: ToolEntry | None, cwd: str
    ) -> None:
        self._key = key
        self._asked = asked
        self._call = call
        self._cwd = cwd

    def lines(self) -> list[str]:
        """Title, reason, what the call would do, options."""
        asked = self._asked
        lines = _clean(asked.title or "The agent asks for permission")
        lines += _clean(asked.description or "")
        preview = list(_preview(self._call, self._cwd)) if self._call is not None else []
        lines += [f"  | {line}" for line in preview[:PREVIEW_LINES]]
        if len(preview) > PREVIEW_LINES:
            lines.append(f"  | … {len(preview) - PREVIEW_LINES:,} more lines")
        return lines + _numbered([option.name for option in asked.options])

    def hint(self) -> str:
        """The numbers."""
        return _range(len(self._asked.options))

    def take(self, typed: str) -> Answer | str | None:
        """A number, or all of an option's words."""
        index = _named(typed.strip(), [option.name for option in self._asked.options])
        if index is None:
            hint = self.hint()
            return f"That is no answer: {hint[0].lower()}{hint[1:]}"
        return AnswerPermission(self._key, self._asked.options[index].option_id)

    def refusal(self) -> Answer:
        """Reject this once; without such an option, cancel."""
        rejecting = self._rejecting()
        return AnswerPermission(self._key, rejecting.option_id if rejecting else None)

    def refused(self) -> str:
        """The option, in the agent's words."""
        rejecting = self._rejecting()
        return visible(rejecting.name, multiline=False) if rejecting else _CANCELLED

    def _rejecting(self) -> PermissionOption | None:
        found = [o for o in self._asked.options if o.kind in (REJECT_ONCE, REJECT_ALWAYS)]
        return min(found, key=lambda option: option.kind != REJECT_ONCE, default=None)


def _preview(call: ToolEntry, cwd: str) -> Iterator[str]:
    """What the call would do: the change of each file, else its text, else its input."""
    diffs = [part for part in call.content if isinstance(part, Diff)]
    everywhere = reach.replaced_everywhere(call.raw_input)
    for diff in diffs:
        said = ["new file"] if not isinstance(diff.old_text, str) else []
        said += [reach.EVERYWHERE] if (diff.old_text, diff.new_text) in everywhere else []
        said += [reach.OUTSIDE] if cwd and not reach.is_inside(diff.path, cwd) else []
        yield visible(diff.path, multiline=False) + (f" ({', '.join(said)})" if said else "")
        yield from _change(diff)
    if not diffs:
        for path in reach.places_outside(call, cwd):
            yield f"{visible(path, multiline=False)} ({reach.OUTSIDE})"
    texts = [text_of(part.content) for part in call.content if isinstance(part, ToolContent)]
    for text in filter(None, texts):
        yield from _clean(text)
    if isinstance(call.raw_input, Mapping) and not diffs:
        yield from _clean(value_lines(call.raw_input))


def _change(diff: Diff) -> Iterator[str]:
    import difflib

    old = diff.old_text if isinstance(diff.old_text, str) else ""
    before, after = (visible(t, multiline=True).splitlines() for t in (old, diff.new_text))
    yield from list(difflib.unified_diff(before, after, lineterm="", n=2))[2:]


# --- a page to open -------------------------------------------------------------------------------


class PageQuestion:
    """A web page that the person opens; its whole address is shown."""

    _ANSWERS = ((ACCEPT, "I have done it"), (DECLINE, "Decline"), (CANCEL, "Cancel"))

    def __init__(self, key: int, asked: UrlElicitation) -> None:
        self._key = key
        self._asked = asked

    def lines(self) -> list[str]:
        """Why, where, and the answers."""
        words = [word for _, word in self._ANSWERS]
        return [
            *_clean(self._asked.message),
            f"  {visible(self._asked.url, multiline=False)}",
            *_numbered(words),
        ]

    def hint(self) -> str:
        """Nothing is opened from here."""
        return "Open the page yourself, then type 1, 2 or 3."

    def take(self, typed: str) -> Answer | str | None:
        """A number."""
        index = _named(typed.strip(), [word for _, word in self._ANSWERS])
        if index is None:
            return "That is no answer: type 1, 2 or 3."
        return AnswerElicitation(self._key, self._ANSWERS[index][0])

    def refusal(self) -> Answer:
        """Nobody opened the page."""
        return AnswerElicitation(self._key, CANCEL)

    def refused(self) -> str:
        """Neither done nor declined."""
        return _CANCELLED


# --- a form ---------------------------------------------------------------------------------------


class FormQuestion:
    """One field after the other; an empty line takes the default, or skips what may be empty."""

    def __init__(self, key: int, asked: FormElicitation) -> None:
        self._key = key
        self._asked = asked
        self._custom = {f.custom_answer_to: f for f in asked.fields if f.custom_answer_to}
        self._fields = [field for field in asked.fields if not field.custom_answer_to]
        self._content: dict[str, Any] = {}
        self._at = 0
        self._doubted = ""

    def lines(self) -> list[str]:
        """The message before the first field, then the field."""
        head = _clean(self._asked.message) if self._at == 0 else []
        if not self._fields:
            return [*head, *_numbered(["Accept", "Decline"])]
        place = f"({self._at + 1} of {len(self._fields)}) " if len(self._fields) > 1 else ""
        field = self._fields[self._at]
        first, *others = _field_lines(field)
        return [*head, place + first, *others]

    def hint(self) -> str:
        """What the field takes; with the first one how to leave the form."""
        if not self._fields:
            return "Type 1 or 2."
        field = self._fields[self._at]
        hint = _field_hint(field, own_words=field.key in self._custom)
        return hint if self._at else f"{hint} /decline and /cancel end the form."

    def take(self, typed: str) -> Answer | str | None:
        """The value of the field; ``/decline`` and ``/cancel`` end the form."""
        word = typed.strip()
        if word in ("/decline", "/cancel"):
            return AnswerElicitation(self._key, word[1:])
        if not self._fields:
            index = _named(word, ("Accept", "Decline"))
            if index is None:
                return "That is no answer: type 1 or 2."
            return AnswerElicitation(self._key, (ACCEPT, DECLINE)[index], {})
        field = self._fields[self._at]
        value = _value(field, word)
        own_words = self._custom.get(field.key)
        if own_words is not None and self._doubts(field, word):
            return f"There is no {word}; type it once more to say it in your own words."
        if own_words is not None and word and not _are_picks(field, word):
            field = own_words
        problem = problem_with(field, value)
        if problem is not None:
            return f"{visible(field.title or field.key, multiline=False)}: it {problem}."
        if value not in (None, "", ()):
            self._content[field.key] = value
        self._at += 1
        if self._at < len(self._fields):
            return None
        return AnswerElicitation(self._key, ACCEPT, self._content)

    def _doubts(self, field: FormField, word: str) -> bool:
        """Whether ``word`` is a number beyond the options, for the first time: a slip, or meant."""
        doubted, self._doubted = self._doubted, word
        beyond = all(part.isascii() and part.isdigit() for part in word.replace(",", " ").split())
        return bool(word) and beyond and word != doubted and not _are_picks(field, word)

    def refusal(self) -> Answer:
        """Nobody filled the form in."""
        return AnswerElicitation(self._key, CANCEL)

    def refused(self) -> str:
        """Neither filled in nor declined."""
        return _CANCELLED


def _field_lines(field: FormField) -> list[str]:
    title = visible(field.title or field.key, multiline=False)
    lines = [title + ("" if field.required else " (may stay empty)")]
    lines += [f"  {line}" for line in _clean(field.description)]
    if isinstance(field, (ChoiceField, MultiChoiceField)):
        lines += _numbered([_option(option) for option in field.options])
    return lines


def _field_hint(field: FormField, *, own_words: bool) -> str:
    match field:
        case BooleanField():
            hint = "Type yes or no"
        case ChoiceField():
            hint = "Type a number"
        case MultiChoiceField():
            hint = "Type numbers with commas"
        case NumberField():
            hint = "Type a whole number" if field.whole else "Type a number"
        case TextField():
            hint = "Type your answer"
        case _:
            assert_never(field)
    hint += ", or an answer of your own" if own_words else ""
    default = _shown_default(field)
    return f"{hint}{f', or nothing for {default}' if default else ''}."


def _option(option: FieldOption) -> str:
    return f"{option.label}: {option.description}" if option.description else option.label


def _shown_default(field: FormField) -> str:
    match field:
        case BooleanField(default=bool(default)):
            return "yes" if default else "no"
        case ChoiceField() | MultiChoiceField():
            chosen = field.default if isinstance(field.default, tuple) else (field.default,)
            labels = {option.value: option.label for option in field.options}
            words = [labels[value] for value in chosen if value is not None and value in labels]
            return visible(", ".join(words), multiline=False)
        case TextField(default=str(default)) | NumberField(default=(int() | float()) as default):
            return visible(str(default), multiline=False)
    return ""


_YES_AND_NO: dict[str, Value] = {"yes": True, "y": True, "no": False, "n": False}


def _value(field: FormField, typed: str) -> Value | None:
    """What was typed, as the field wants it; text that fits nothing is left to the check."""
    if not typed:
        return field.default
    match field:
        case BooleanField():
            return _YES_AND_NO.get(typed.lower(), typed)
        case ChoiceField():
            index = _named(typed, [option.label for option in field.options])
            return typed if index is None else field.options[index].value
        case MultiChoiceField():
            return _values(field.options, typed)
        case NumberField():
            try:
                return int(typed) if field.whole else float(typed)
            except ValueError:
                return typed
        case TextField():
            return typed
        case _:
            assert_never(field)


def _are_picks(field: FormField, typed: str) -> bool:
    match field:
        case ChoiceField():
            return _named(typed, [option.label for option in field.options]) is not None
        case MultiChoiceField():
            return isinstance(_values(field.options, typed), tuple)
    return False


def _values(options: Sequence[FieldOption], typed: str) -> Value:
    indices = [_picked(part, len(options)) for part in typed.replace(",", " ").split()]
    if None in indices:
        return typed
    chosen = [options[index].value for index in indices if index is not None]
    return tuple(dict.fromkeys(chosen))
