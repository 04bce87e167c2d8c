"""What records must look like when they come from outside: from a history that is imported.

The app's own actions make only such records; a seed (what a sheet starts from) is the one
event that puts records as they are, so its records are looked at one by one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from coindex.annotate._payload import NAME
from coindex.annotate.fail import Invalid
from coindex.annotate.records import DOCUMENT, FOLDERS, Ground, Records, folder

_MENTION = {"spans", "groups", "note", "unsure", "kind", "head", "attrs"}
_GROUP = {"name", "order", "kind", "attrs"}
_SUGGESTION = {"spans", "group", "resolver", "state"}
_STATES = ("open", "accepted", "rejected")


def check_puts(puts: Any, ground: Ground) -> None:
    """Each record of a seed by itself; `Invalid` says which is wrong, and how."""
    if not isinstance(puts, Mapping):
        raise Invalid("a seed: expected records by their keys")
    for key, record in puts.items():
        where, _, id = key.partition("/")
        known = where in FOLDERS and NAME.match(id) is not None
        if (key != DOCUMENT and not known) or not isinstance(record, dict):
            raise Invalid(f"a seed: expected a record, found {key[:80]!r}")
        try:
            good = _GOOD[where](record, ground)
        except (KeyError, TypeError, ValueError):
            good = False
        if not good:
            raise Invalid(f"a seed: {key!r} is no record of {where}")


def check_whole(records: Records) -> None:
    """That mentions stand in groups that are there, and no two have the same spans."""
    groups = folder(records, "groups")
    spans: set[str] = set()
    for id, mention in folder(records, "mentions").items():
        lost = [group for group in mention["groups"] if group not in groups]
        if lost:
            raise Invalid(f"mention {id!r} is in a group {lost[0]!r} that is not there")
        if str(mention["spans"]) in spans:
            raise Invalid(f"there are two mentions of {mention['spans']}")
        spans.add(str(mention["spans"]))


def number(value: Any, least: int = 0) -> bool:
    """A whole number that a database can hold."""
    return type(value) is int and least <= value < 2**53


def _text(*values: Any) -> bool:
    return all(isinstance(value, str) and _plain(value) for value in values)


def _plain(text: str) -> bool:
    return "\0" not in text and not any("\ud800" <= char <= "\udfff" for char in text)


def _spans(value: Any, tokens: int) -> bool:
    borders = [border for start, end in value for border in (start, end)]
    whole = all(number(border) for border in borders) and all(start < end for start, end in value)
    return bool(value) and whole and borders == sorted(borders) and borders[-1] <= tokens


def _attrs(value: Any) -> bool:
    return isinstance(value, list) and all(len(pair) == 2 and _text(*pair) for pair in value)


def _facts(record: dict[str, Any]) -> bool:
    """What a corpus says of a mention: kind, head, attributes, an id."""
    named = all(
        record[name] is None or _text(record[name]) for name in ("kind", "id") if name in record
    )
    return named and (record["head"] is None or number(record["head"])) and _attrs(record["attrs"])


def _mention(record: dict[str, Any], ground: Ground) -> bool:
    groups, others = record["groups"], record.get("others", {})
    named = all(isinstance(group, str) and NAME.match(group) for group in groups)
    told = named and groups and len(set(groups)) == len(groups) and set(others) <= set(groups)
    plain = _text(record["note"]) and isinstance(record["unsure"], bool) and _facts(record)
    known = _MENTION <= set(record) <= _MENTION | {"id", "others"}
    rest = all(
        set(each) == {"id", "head", "kind", "attrs"} and _facts(each) for each in others.values()
    )
    return bool(told and plain and known and rest and _spans(record["spans"], ground.tokens))


def _group(record: dict[str, Any], ground: Ground) -> bool:
    kind = record["kind"] is None or _text(record["kind"])
    told = _text(record["name"]) and number(record["order"]) and kind and _attrs(record["attrs"])
    return told and set(record) == _GROUP


def _suggestion(record: dict[str, Any], ground: Ground) -> bool:
    told = _text(record["group"], record["resolver"]) and record["state"] in _STATES
    return told and set(record) == _SUGGESTION and _spans(record["spans"], ground.tokens)


def _decision(record: dict[str, Any], ground: Ground) -> bool:
    return set(record) == {"choice", "note"} and _text(record["choice"], record["note"])


def _document(record: dict[str, Any], ground: Ground) -> bool:
    flags = isinstance(record["unsure"], bool) and isinstance(record["done"], bool)
    known = set(record) == {"note", "unsure", "done", "answer"}
    return known and flags and _text(record["note"]) and record["answer"] is None


_GOOD = {
    "mentions": _mention, "groups": _group, "suggestions": _suggestion,
    "decisions": _decision, DOCUMENT: _document,
}  # fmt: skip
