"""What each kind of event does: a function from records to the records it puts.

A mention stands in one or more groups; there are no links, so nothing is deleted that was
not named. No two mentions have the same spans: a phrase that means several things is one
mention in several groups. `act` is the only way in.
"""

from __future__ import annotations

from typing import Any

from coindex.annotate._act import Action, Known, mention, new_mention, target_of
from coindex.annotate._act_groups import GROUPS
from coindex.annotate._act_mentions import MENTIONS
from coindex.annotate._payload import NOTE, TITLE, Payload
from coindex.annotate.fail import Invalid
from coindex.annotate.records import DOCUMENT, Ground, Puts, Record, empty_document, folder

CHOICES = ("A", "B", "N", "T", "?")


def act(kind: str, payload: Any, records: Known, ground: Ground) -> Puts:
    """The records that an action puts; `Invalid` says why it cannot be done."""
    if kind not in ACTIONS:
        raise Invalid(f"unknown kind {kind!r}; expected one of: {', '.join(sorted(ACTIONS))}")
    given = Payload(kind, payload)
    puts = ACTIONS[kind](records, given, ground)
    given.done()
    return puts


def _suggestion(records: Known, given: Payload) -> tuple[str, Record]:
    id = given.id("suggestion")
    found = records.get(f"suggestions/{id}")
    if found is None:
        raise Invalid(f"no suggestion {id!r} here")
    if found["state"] != "open":
        raise Invalid(f"suggestion {id!r} has been {found['state']} already")
    return id, found


def _accept(records: Known, given: Payload, ground: Ground) -> Puts:
    id, found = _suggestion(records, given)
    at = given.id("mention")
    target, puts = target_of(records, given)
    same = [m for m, old in folder(records, "mentions").items() if old["spans"] == found["spans"]]
    if same:
        old = mention(records, same[0])
        groups = list(dict.fromkeys([*old["groups"], target]))
        puts[f"mentions/{same[0]}"] = {**old, "groups": groups}
    elif f"mentions/{at}" in records:
        raise Invalid(f"there is a mention {at!r} already")
    else:
        puts[f"mentions/{at}"] = new_mention(found["spans"], target)
    return {**puts, f"suggestions/{id}": {**found, "state": "accepted"}}


def _reject(records: Known, given: Payload, ground: Ground) -> Puts:
    id, found = _suggestion(records, given)
    return {f"suggestions/{id}": {**found, "state": "rejected"}}


def _document(records: Known) -> Record:
    return records.get(DOCUMENT) or empty_document()


def _document_note(records: Known, given: Payload, ground: Ground) -> Puts:
    return {DOCUMENT: {**_document(records), "note": given.text("text", NOTE)}}


def _document_flag(records: Known, given: Payload, ground: Ground) -> Puts:
    return {DOCUMENT: {**_document(records), "unsure": given.flag("unsure")}}


def _done(records: Known, given: Payload, ground: Ground) -> Puts:
    return {DOCUMENT: {**_document(records), "done": given.flag("done")}}


def _answer(records: Known, given: Payload, ground: Ground) -> Puts:
    if ground.order is None:
        raise Invalid("answer: this is a document, not a pronoun to resolve")
    choice = given.take("choice")
    if choice is None:
        return {DOCUMENT: {**_document(records), "answer": None, "done": False}}
    if choice not in CHOICES:
        raise given.wrong("choice", f"one of {' '.join(CHOICES)} or null", choice)
    meant = _meant(choice, ground.order)
    answer = {"choice": choice, "meant": meant}
    return {DOCUMENT: {**_document(records), "answer": answer, "done": True}}


def _meant(choice: str, order: tuple[int, ...]) -> list[int] | None:
    """Candidates in the corpus's order; none for neither, None for not sure."""
    if choice in "AB":
        at = "AB".index(choice)
        if at >= len(order):
            raise Invalid(f"answer: {choice!r} is not among {len(order)} candidates")
        return [order[at]]
    return {"N": [], "T": sorted(order[:2]), "?": None}[choice]


def _decide(records: Known, given: Payload, ground: Ground) -> Puts:
    id, choice = given.id("disagreement"), given.text("choice", TITLE)
    note = given.text("note", NOTE) if given.has("note") else ""
    given.take("note")
    return {f"decisions/{id}": {"choice": choice, "note": note}}


ACTIONS: dict[str, Action] = {
    **MENTIONS, **GROUPS,
    "suggestion.accept": _accept, "suggestion.reject": _reject,
    "document.note": _document_note, "document.flag": _document_flag, "document.done": _done,
    "answer": _answer, "decide": _decide,
}  # fmt: skip
