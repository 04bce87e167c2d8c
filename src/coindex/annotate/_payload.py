"""Reading the payload of an action: every value is checked before it is used."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from coindex.annotate.fail import Invalid

NAME = re.compile(r"[A-Za-z0-9_.:-]{1,64}\Z")
NOTE, TITLE = 2000, 200
MOST = 5000
"""How many mentions one action may name."""

Spans = list[list[int]]


class Payload:
    """The values of a payload by name; a name that nobody asked for is an error."""

    def __init__(self, kind: str, values: Any) -> None:
        if not isinstance(values, Mapping):
            raise Invalid(f"{kind}: expected an object as payload, found {_shown(values)}")
        self.kind = kind
        self._values = dict(values)

    def has(self, name: str) -> bool:
        """Whether a value was given, and is not null."""
        return self._values.get(name) is not None

    def take(self, name: str) -> Any:
        """A value, once."""
        return self._values.pop(name, None)

    def done(self) -> None:
        """Nothing may be left."""
        if self._values:
            raise Invalid(f"{self.kind}: unexpected {', '.join(sorted(map(str, self._values)))}")

    def wrong(self, name: str, expected: str, found: Any) -> Invalid:
        """An error about one value."""
        return Invalid(f"{self.kind}: {name}: expected {expected}, found {_shown(found)}")

    def id(self, name: str) -> str:
        """The id of a mention, a group, ..."""
        value = self.take(name)
        if not isinstance(value, str) or not NAME.match(value):
            raise self.wrong(name, "an id of up to 64 letters, digits or _.:-", value)
        return value

    def ids(self, name: str) -> list[str]:
        """One or more ids, none twice."""
        value = self.take(name)
        good = isinstance(value, list) and 0 < len(value) <= MOST
        if not good or any(not isinstance(each, str) or not NAME.match(each) for each in value):
            raise self.wrong(name, "a list of ids", value)
        if len(set(value)) < len(value):
            raise self.wrong(name, "each id once", value)
        return list(value)

    def text(self, name: str, most: int) -> str:
        """A text of some length."""
        value = self.take(name)
        if not isinstance(value, str) or len(value) > most:
            raise self.wrong(name, f"a text of up to {most} characters", value)
        if "\0" in value or any("\ud800" <= char <= "\udfff" for char in value):
            raise self.wrong(name, "a text without null characters and halves of characters", value)
        return value

    def flag(self, name: str) -> bool:
        """True or false."""
        value = self.take(name)
        if not isinstance(value, bool):
            raise self.wrong(name, "true or false", value)
        return value

    def spans(self, name: str, tokens: int) -> Spans:
        """Spans of tokens, in order and apart, within the document."""
        value = self.take(name)
        if not isinstance(value, list) or not 0 < len(value) <= 100:
            raise self.wrong(name, "a list of spans", value)
        last = 0
        for span in value:
            if not isinstance(span, list) or [type(each) for each in span] != [int, int]:
                raise self.wrong(name, "[start, end] of tokens", span)
            if not last <= span[0] < span[1] <= tokens:
                raise self.wrong(name, f"spans in order within {tokens} tokens", value)
            last = span[1]
        return [list(span) for span in value]


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
