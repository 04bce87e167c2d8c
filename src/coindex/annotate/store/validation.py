"""Validation of values from outside: payloads of actions, and records of an imported history.

The app's own actions write only valid records. A seed (the initial content of an assignment)
is the one event that writes records as they are, so its records are checked one by one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from coindex.annotate.errors import InvalidAction
from coindex.annotate.store.records import DOCUMENT, FOLDERS, Records, TextBounds, records_in

ID_PATTERN = re.compile(r"[A-Za-z0-9_.:-]{1,64}\Z")
MAX_NOTE, MAX_TITLE = 2000, 200
MAX_IDS = 5000
"""The largest number of mentions that one action may name."""

Spans = list[list[int]]


class Payload:
    """The values of a payload by name; a name that the action does not use is an error."""

    def __init__(self, kind: str, values: Any) -> None:
        if not isinstance(values, Mapping):
            raise InvalidAction(f"{kind}: expected an object as payload, found {_shown(values)}")
        self.kind = kind
        self._values = dict(values)

    def take(self, name: str) -> Any:
        """Remove a value and return it; None where there is none."""
        return self._values.pop(name, None)

    def require_empty(self) -> None:
        """Raise where a value has not been taken."""
        if self._values:
            names = ", ".join(sorted(map(str, self._values)))
            raise InvalidAction(f"{self.kind}: unexpected {names}")

    def error(self, name: str, expected: str, found: Any) -> InvalidAction:
        """Return an error about one value."""
        return InvalidAction(f"{self.kind}: {name}: expected {expected}, found {_shown(found)}")

    def id(self, name: str) -> str:
        """Take the id of a mention, a group or another record."""
        value = self.take(name)
        if not is_id(value):
            raise self.error(name, "an id of up to 64 letters, digits or _.:-", value)
        return str(value)

    def ids(self, name: str) -> list[str]:
        """Take one or more ids, none twice."""
        value = self.take(name)
        listed = isinstance(value, list) and 0 < len(value) <= MAX_IDS
        if not listed or not all(map(is_id, value)):
            raise self.error(name, "a list of ids", value)
        if len(set(value)) < len(value):
            raise self.error(name, "each id once", value)
        return list(value)

    def text(self, name: str, most: int) -> str:
        """Take a text of limited length."""
        value = self.take(name)
        if not isinstance(value, str) or len(value) > most:
            raise self.error(name, f"a text of up to {most} characters", value)
        if not is_storable(value):
            raise self.error(name, "a text without null characters and lone surrogates", value)
        return value

    def optional_text(self, name: str, most: int) -> str:
        """Take a text of limited length; empty where there is none."""
        if self._values.get(name) is None:
            self.take(name)
            return ""
        return self.text(name, most)

    def flag(self, name: str) -> bool:
        """Take true or false."""
        value = self.take(name)
        if not isinstance(value, bool):
            raise self.error(name, "true or false", value)
        return value

    def spans(self, name: str, tokens: int) -> Spans:
        """Take token spans, in order and without overlap, within the document."""
        value = self.take(name)
        if not isinstance(value, list) or not 0 < len(value) <= 100:
            raise self.error(name, "a list of spans", value)
        last = 0
        for span in value:
            if not isinstance(span, list) or [type(each) for each in span] != [int, int]:
                raise self.error(name, "[start, end] of tokens", span)
            if not last <= span[0] < span[1] <= tokens:
                raise self.error(name, f"spans in order within {tokens} tokens", value)
            last = span[1]
        return [list(span) for span in value]


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def is_id(value: Any) -> bool:
    """Return whether a value is the id of a record or event."""
    return isinstance(value, str) and ID_PATTERN.match(value) is not None


def is_storable(text: str) -> bool:
    """Return whether databases can store a text: no null characters, no lone surrogates."""
    return "\0" not in text and not any("\ud800" <= char <= "\udfff" for char in text)


def is_count(value: Any, least: int = 0) -> bool:
    """Return whether a value is a whole number that a database can store."""
    return type(value) is int and least <= value < 2**53


def check_records(puts: Any, bounds: TextBounds) -> None:
    """Check each record of a seed; `InvalidAction` says which is invalid."""
    if not isinstance(puts, Mapping):
        raise InvalidAction("a seed: expected records by their keys")
    for key, record in puts.items():
        folder, _, id = key.partition("/")
        known = folder in FOLDERS and is_id(id)
        if (key != DOCUMENT and not known) or not isinstance(record, dict):
            raise InvalidAction(f"a seed: expected a record, found {key[:80]!r}")
        try:
            valid = _VALID[folder](record, bounds)
        except (KeyError, TypeError, ValueError):
            valid = False
        if not valid:
            raise InvalidAction(f"a seed: {key!r} is not a valid record of {folder}")


def check_consistency(records: Records) -> None:
    """Check that the groups of all mentions exist and no two mentions have the same spans."""
    groups = records_in(records, "groups")
    seen: set[str] = set()
    for id, mention in records_in(records, "mentions").items():
        unknown = [group for group in mention["groups"] if group not in groups]
        if unknown:
            raise InvalidAction(f"mention {id!r} is in a group {unknown[0]!r} that does not exist")
        if str(mention["spans"]) in seen:
            raise InvalidAction(f"there are two mentions of {mention['spans']}")
        seen.add(str(mention["spans"]))


def _text(*values: Any) -> bool:
    return all(isinstance(value, str) and is_storable(value) for value in values)


def _spans(value: Any, tokens: int) -> bool:
    borders = [border for start, end in value for border in (start, end)]
    whole = all(map(is_count, borders)) and all(start < end for start, end in value)
    return bool(value) and whole and borders == sorted(borders) and borders[-1] <= tokens


def _attrs(value: Any) -> bool:
    return isinstance(value, list) and all(len(pair) == 2 and _text(*pair) for pair in value)


def _metadata(record: dict[str, Any]) -> bool:
    """Return whether kind, head, attributes and id of a mention are valid."""
    named = all(record.get(name) is None or _text(record[name]) for name in ("kind", "id"))
    head = record["head"] is None or is_count(record["head"])
    return "kind" in record and named and head and _attrs(record["attrs"])


def _mention(record: dict[str, Any], bounds: TextBounds) -> bool:
    groups, others = record["groups"], record.get("others", {})
    required = {"spans", "groups", "note", "unsure", "kind", "head", "attrs"}
    return (
        required <= set(record) <= required | {"id", "others"}
        and bool(groups)
        and all(map(is_id, groups))
        and len(set(groups)) == len(groups)
        and set(others) <= set(groups)
        and _text(record["note"])
        and isinstance(record["unsure"], bool)
        and _metadata(record)
        and all(set(o) == {"id", "head", "kind", "attrs"} and _metadata(o) for o in others.values())
        and _spans(record["spans"], bounds.tokens)
    )


def _group(record: dict[str, Any], bounds: TextBounds) -> bool:
    kind = record["kind"] is None or _text(record["kind"])
    valid = kind and _text(record["name"]) and is_count(record["order"]) and _attrs(record["attrs"])
    return valid and set(record) == {"name", "order", "kind", "attrs"}


def _suggestion(record: dict[str, Any], bounds: TextBounds) -> bool:
    state = record["state"] in ("open", "accepted", "rejected")
    named = _text(record["group"], record["resolver"])
    keys = set(record) - {"confidence"} == {"spans", "group", "resolver", "state"}
    confidence = record.get("confidence", 0.0)
    sure = isinstance(confidence, int | float) and not isinstance(confidence, bool)
    valid = state and named and keys and sure and 0 <= confidence <= 1
    return valid and _spans(record["spans"], bounds.tokens)


def _decision(record: dict[str, Any], bounds: TextBounds) -> bool:
    return set(record) == {"choice", "note"} and _text(record["choice"], record["note"])


def _document(record: dict[str, Any], bounds: TextBounds) -> bool:
    flags = isinstance(record["unsure"], bool) and isinstance(record["done"], bool)
    known = set(record) == {"note", "unsure", "done", "answer"}
    return known and flags and _text(record["note"]) and record["answer"] is None


_VALID = {
    "mentions": _mention, "groups": _group, "suggestions": _suggestion,
    "decisions": _decision, DOCUMENT: _document,
}  # fmt: skip
