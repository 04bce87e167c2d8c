"""The actions of annotators: each kind of event is a function from records to changed records.

A mention belongs to one or more groups. There are no links between mentions, so removing one
mention never removes another. No two mentions have the same spans: a phrase that refers to
several entities is one mention in several groups. Merging and splitting groups are single
actions, undone in one step. `act` is the only entry point.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from coindex.annotate.errors import InvalidAction
from coindex.annotate.store.records import (
    DOCUMENT,
    Puts,
    Record,
    TextBounds,
    empty_document,
    new_group,
    new_mention,
    records_in,
)
from coindex.annotate.store.validation import MAX_NOTE, MAX_TITLE, Payload, Spans

Known = Mapping[str, Record]
Action = Callable[[Known, Payload, TextBounds], Puts]

CHOICES = ("A", "B", "N", "T", "?")


def act(kind: str, values: Any, records: Known, bounds: TextBounds) -> Puts:
    """Return the records that an action writes; `InvalidAction` says why it is refused."""
    if kind not in ACTIONS:
        raise InvalidAction(f"unknown kind {kind!r}; expected one of: {', '.join(sorted(ACTIONS))}")
    payload = Payload(kind, values)
    puts = ACTIONS[kind](records, payload, bounds)
    payload.require_empty()
    return puts


def _existing(records: Known, folder: str, id: str) -> Record:
    """Return a mention or group that must exist."""
    record = records.get(f"{folder}s/{id}")
    if record is None:
        raise InvalidAction(f"no {folder} {id!r} here")
    return record


def _require_new(records: Known, folder: str, id: str) -> None:
    if f"{folder}s/{id}" in records:
        raise InvalidAction(f"there is a {folder} {id!r} already")


def _mentions_at(records: Known, spans: Spans) -> list[str]:
    """Return the ids of the mentions of exactly these spans."""
    start = "mentions/"
    found = (key for key, record in records.items() if record.get("spans") == spans)
    return [key[len(start) :] for key in found if key.startswith(start)]


def _require_unmarked(records: Known, spans: Spans, except_id: str = "") -> None:
    for id in _mentions_at(records, spans):
        if id != except_id:
            raise InvalidAction(f"there is a mention of {spans} already: {id!r}")


def _first_free_group(records: Known, id: str, name: str) -> Record:
    """Return a new group with the first free position."""
    _require_new(records, "group", id)
    taken = {each["order"] for each in records_in(records, "groups").values()}
    return new_group(next(at for at in range(len(taken) + 1) if at not in taken), name)


def _requested_group(records: Known, payload: Payload) -> Puts:
    """Return the group that the value `new_group` describes; empty without that value."""
    value = payload.take("new_group")
    if value is None:
        return {}
    inner = Payload(f"{payload.kind}: new_group", value)
    id, name = inner.id("id"), inner.optional_text("name", MAX_TITLE)
    inner.require_empty()
    return {f"groups/{id}": _first_free_group(records, id, name)}


def _target_group(records: Known, payload: Payload) -> tuple[str, Puts]:
    """Return the id of the action's group, and its record if it is created by this action."""
    puts = _requested_group(records, payload)
    id = payload.id("group")
    if puts and f"groups/{id}" not in puts:
        raise InvalidAction(f"{payload.kind}: expected group and new_group.id to be the same")
    if not puts:
        _existing(records, "group", id)
    return id, puts


def _with_group(mention: Record, group: str) -> Record:
    return {**mention, "groups": list(dict.fromkeys([*mention["groups"], group]))}


def _add_mention(records: Known, payload: Payload, bounds: TextBounds) -> Puts:
    id, spans = payload.id("mention"), payload.spans("spans", bounds.tokens)
    _require_new(records, "mention", id)
    _require_unmarked(records, spans)
    target, puts = _target_group(records, payload)
    return {**puts, f"mentions/{id}": new_mention(spans, target)}


def _remove_mentions(records: Known, payload: Payload, bounds: TextBounds) -> Puts:
    ids = payload.ids("mentions")
    for id in ids:
        _existing(records, "mention", id)
    return {f"mentions/{id}": None for id in ids}


def _move_mentions(records: Known, payload: Payload, bounds: TextBounds) -> Puts:
    ids = payload.ids("mentions")
    target, puts = _target_group(records, payload)
    for id in ids:
        puts[f"mentions/{id}"] = {**_existing(records, "mention", id), "groups": [target]}
    return puts


def _add_to_group(records: Known, payload: Payload, bounds: TextBounds) -> Puts:
    ids = payload.ids("mentions")
    target, puts = _target_group(records, payload)
    for id in ids:
        puts[f"mentions/{id}"] = _with_group(_existing(records, "mention", id), target)
    return puts


def _leave_group(records: Known, payload: Payload, bounds: TextBounds) -> Puts:
    ids, left = payload.ids("mentions"), payload.id("group")
    puts: Puts = {}
    for id in ids:
        old = _existing(records, "mention", id)
        groups = [each for each in old["groups"] if each != left]
        if left not in old["groups"] or not groups:
            raise InvalidAction(f"mention {id!r} is not in {left!r} and another group")
        puts[f"mentions/{id}"] = {**old, "groups": groups}
    return puts


def _resize_mention(records: Known, payload: Payload, bounds: TextBounds) -> Puts:
    id, spans = payload.id("mention"), payload.spans("spans", bounds.tokens)
    old = _existing(records, "mention", id)
    _require_unmarked(records, spans, id)
    head = old["head"]
    inside = head is not None and any(start <= head < end for start, end in spans)
    return {f"mentions/{id}": {**old, "spans": spans, "head": head if inside else None}}


def _note_mention(records: Known, payload: Payload, bounds: TextBounds) -> Puts:
    id = payload.id("mention")
    note = payload.text("text", MAX_NOTE)
    return {f"mentions/{id}": {**_existing(records, "mention", id), "note": note}}


def _flag_mention(records: Known, payload: Payload, bounds: TextBounds) -> Puts:
    id = payload.id("mention")
    unsure = payload.flag("unsure")
    return {f"mentions/{id}": {**_existing(records, "mention", id), "unsure": unsure}}


def _add_group(records: Known, payload: Payload, bounds: TextBounds) -> Puts:
    id, name = payload.id("group"), payload.text("name", MAX_TITLE)
    return {f"groups/{id}": _first_free_group(records, id, name)}


def _rename_group(records: Known, payload: Payload, bounds: TextBounds) -> Puts:
    id = payload.id("group")
    old = _existing(records, "group", id)
    return {f"groups/{id}": {**old, "name": payload.text("name", MAX_TITLE)}}


def _remove_group(records: Known, payload: Payload, bounds: TextBounds) -> Puts:
    id = payload.id("group")
    _existing(records, "group", id)
    if any(id in each["groups"] for each in records_in(records, "mentions").values()):
        raise InvalidAction(f"group {id!r} is not empty")
    return {f"groups/{id}": None}


def _merge_groups(records: Known, payload: Payload, bounds: TextBounds) -> Puts:
    merged, into = payload.ids("from"), payload.id("into")
    _existing(records, "group", into)
    if into in merged:
        raise InvalidAction(f"a group cannot be merged into itself: {into!r}")
    puts: Puts = {}
    for id in merged:
        _existing(records, "group", id)
        puts[f"groups/{id}"] = None
    for id, old in records_in(records, "mentions").items():
        groups = list(dict.fromkeys(into if each in merged else each for each in old["groups"]))
        if groups != old["groups"]:
            puts[f"mentions/{id}"] = {**old, "groups": groups}
    return puts


def _split_group(records: Known, payload: Payload, bounds: TextBounds) -> Puts:
    ids, left = payload.ids("mentions"), payload.id("from")
    _existing(records, "group", left)
    puts = _requested_group(records, payload)
    if not puts:
        raise InvalidAction("group.split: expected new_group")
    target = next(iter(puts)).partition("/")[2]
    for id in ids:
        old = _existing(records, "mention", id)
        if left not in old["groups"]:
            raise InvalidAction(f"mention {id!r} is not in group {left!r}")
        groups = [target if each == left else each for each in old["groups"]]
        puts[f"mentions/{id}"] = {**old, "groups": groups}
    return puts


def _open_suggestion(records: Known, payload: Payload) -> tuple[str, Record]:
    id = payload.id("suggestion")
    suggestion = _existing(records, "suggestion", id)
    if suggestion["state"] != "open":
        raise InvalidAction(f"suggestion {id!r} has been {suggestion['state']} already")
    return id, suggestion


def _accept(records: Known, payload: Payload, bounds: TextBounds) -> Puts:
    id, suggestion = _open_suggestion(records, payload)
    new_id = payload.id("mention")
    target, puts = _target_group(records, payload)
    same = next(iter(_mentions_at(records, suggestion["spans"])), None)
    if same is not None:
        puts[f"mentions/{same}"] = _with_group(_existing(records, "mention", same), target)
    else:
        _require_new(records, "mention", new_id)
        puts[f"mentions/{new_id}"] = new_mention(suggestion["spans"], target)
    return {**puts, f"suggestions/{id}": {**suggestion, "state": "accepted"}}


def _reject(records: Known, payload: Payload, bounds: TextBounds) -> Puts:
    id, suggestion = _open_suggestion(records, payload)
    return {f"suggestions/{id}": {**suggestion, "state": "rejected"}}


def _document(records: Known, **values: Any) -> Puts:
    return {DOCUMENT: {**(records.get(DOCUMENT) or empty_document()), **values}}


def _note_document(records: Known, payload: Payload, bounds: TextBounds) -> Puts:
    return _document(records, note=payload.text("text", MAX_NOTE))


def _flag_document(records: Known, payload: Payload, bounds: TextBounds) -> Puts:
    return _document(records, unsure=payload.flag("unsure"))


def _finish_document(records: Known, payload: Payload, bounds: TextBounds) -> Puts:
    return _document(records, done=payload.flag("done"))


def _answer(records: Known, payload: Payload, bounds: TextBounds) -> Puts:
    if bounds.order is None:
        raise InvalidAction("answer: this is a document, not a pronoun to resolve")
    choice = payload.take("choice")
    if choice is None:
        return _document(records, answer=None, done=False)
    if choice not in CHOICES:
        raise payload.error("choice", f"one of {' '.join(CHOICES)} or null", choice)
    chosen = _chosen_candidates(choice, bounds.order)
    return _document(records, answer={"choice": choice, "meant": chosen}, done=True)


def _chosen_candidates(choice: str, order: tuple[int, ...]) -> list[int] | None:
    """Return candidates in the corpus's order: empty for neither, None for not sure."""
    if choice in "AB":
        index = "AB".index(choice)
        if index >= len(order):
            raise InvalidAction(f"answer: {choice!r} is not among {len(order)} candidates")
        return [order[index]]
    return {"N": [], "T": sorted(order[:2]), "?": None}[choice]


def _decide(records: Known, payload: Payload, bounds: TextBounds) -> Puts:
    id, choice = payload.id("disagreement"), payload.text("choice", MAX_TITLE)
    return {f"decisions/{id}": {"choice": choice, "note": payload.optional_text("note", MAX_NOTE)}}


ACTIONS: dict[str, Action] = {
    "mention.add": _add_mention, "mention.remove": _remove_mentions,
    "mention.move": _move_mentions, "mention.also": _add_to_group,
    "mention.leave": _leave_group, "mention.resize": _resize_mention,
    "mention.note": _note_mention, "mention.flag": _flag_mention,
    "group.add": _add_group, "group.rename": _rename_group, "group.remove": _remove_group,
    "group.merge": _merge_groups, "group.split": _split_group,
    "suggestion.accept": _accept, "suggestion.reject": _reject,
    "document.note": _note_document, "document.flag": _flag_document,
    "document.done": _finish_document, "answer": _answer, "decide": _decide,
}  # fmt: skip
