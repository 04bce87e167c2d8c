"""Adjudication: from several annotations of a document to one, with every decision on record.

A sheet for adjudication starts with what all annotators agree on. Where they differ there is
a list to step through: a span that some marked and others did not, and a mention whose chain
differs. Each has options with the events that carry them out, so that a decision is one key.
Annotators are called a, b, c in an order that says nothing; names are shown when asked for.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from coindex.annotate.majority import Chains, Place, agreed, chains, ordered
from coindex.annotate.records import DOCUMENT, Record, Records, empty_document, folder
from coindex.core.document import Document
from coindex.core.mention import Mention


@dataclass(frozen=True, slots=True)
class Annotation:
    """One annotator's document, under an alias."""

    alias: str
    user: int
    name: str
    document: Document


def aliases(made: Sequence[tuple[int, str, Document]], salt: str) -> list[Annotation]:
    """Annotators under letters, in an order drawn from the document."""
    drawn = sorted(made, key=lambda each: hashlib.sha256(f"{salt}:{each[0]}".encode()).digest())
    return [
        Annotation(chr(97 + at) if at < 26 else f"z{at}", user, name, document)
        for at, (user, name, document) in enumerate(drawn)
    ]


def premerged(documents: Sequence[Document]) -> Records:
    """The records of what all agree on."""
    found: Records = {DOCUMENT: empty_document()}
    number = 0
    for order, group in enumerate(agreed(documents)):
        found[f"groups/g{order + 1}"] = _group(order)
        for place in group:
            number += 1
            found[f"mentions/m{number}"] = _mention(place, f"g{order + 1}")
    return found


def _group(order: int) -> Record:
    return {"name": "", "order": order, "kind": None, "attrs": []}


def _mention(place: Place, group: str) -> Record:
    told = {"note": "", "unsure": False, "kind": None, "head": None, "attrs": []}
    return {"spans": spans_of(place), "groups": [group], **told}


def spans_of(place: Place) -> list[list[int]]:
    """Spans as plain lists."""
    return [[span.start, span.end] for span in place]


def key_of(place: Place) -> str:
    """The id of a disagreement about a span."""
    return "d" + "_".join(f"{span.start}-{span.end}" for span in place)[:63]


def disagreements(
    made: Sequence[Annotation], records: Mapping[str, Record]
) -> list[dict[str, Any]]:
    """Where annotators differ, in reading order, with what has been decided."""
    if not made:
        return []
    own = {each.alias: chains(each.document) for each in made}
    text = made[0].document
    decided = folder(records, "decisions")
    found = []
    for place in ordered({place for each in own.values() for place in each}):
        by = {alias: place in each for alias, each in own.items()}
        kind = _kind(place, own, by)
        if kind is None:
            continue
        options = _options(place, own, records, text, kind)
        id = key_of(place)
        told = {"id": id, "kind": kind, "spans": spans_of(place), "by": by, "options": options}
        words = text.text_of(Mention(place))
        found.append({**told, "words": words, "decided": decided.get(id)})
    return found


def _kind(place: Place, own: Mapping[str, Chains], by: Mapping[str, bool]) -> str | None:
    if not all(by.values()):
        return "mention"
    common = set.intersection(*(set(each) for each in own.values()))
    different = {frozenset(each[place] & common) for each in own.values()}
    return "group" if len(different) > 1 else None


def _options(
    place: Place,
    own: Mapping[str, Chains],
    records: Mapping[str, Record],
    text: Document,
    kind: str,
) -> list[dict[str, Any]]:
    """What annotators made of a span, those that did the same together."""
    choices: dict[Any, list[str]] = {}
    for alias, each in own.items():
        choices.setdefault(each.get(place), []).append(alias)
    found = []
    for chain, who in sorted(choices.items(), key=lambda pair: (-len(pair[1]), pair[1])):
        if chain is None:
            told, events = "not a mention", _drop(place, records)
        else:
            told, events = _join(place, chain, records, text)
        found.append({"choice": "+".join(who), "by": who, "text": told, "events": events})
    return found


def _drop(place: Place, records: Mapping[str, Record]) -> list[dict[str, Any]]:
    here = _at(place, records)
    return [] if here is None else [{"kind": "mention.remove", "payload": {"mentions": [here]}}]


def _at(place: Place, records: Mapping[str, Record]) -> str | None:
    spans = spans_of(place)
    every = folder(records, "mentions")
    return next((id for id, each in every.items() if each["spans"] == spans), None)


def _join(
    place: Place, chain: frozenset[Place], records: Mapping[str, Record], text: Document
) -> tuple[str, list[dict[str, Any]]]:
    """The events that put a span where one annotator has it: with its chain's other mentions."""
    votes: dict[str, int] = {}
    for other in ordered(chain - {place}):
        here = _at(other, records)
        for group in records[f"mentions/{here}"]["groups"] if here else ():
            votes[group] = votes.get(group, 0) + 1
    mention = _at(place, records)
    payload: dict[str, Any]
    if votes:
        group = max(votes, key=lambda id: votes[id])
        payload = {"group": group}
    else:
        group = f"{key_of(place)}-g"[:64]
        known = f"groups/{group}" in records
        payload = (
            {"group": group} if known else {"group": group, "new_group": {"id": group, "name": ""}}
        )
    rest = ordered(chain - {place})
    with_ = f"with {text.text_of(Mention(rest[0]))!r}" if rest else "on its own"
    if mention is None:
        new = {"mention": f"{key_of(place)}-m"[:64], "spans": spans_of(place), **payload}
        return with_, [{"kind": "mention.add", "payload": new}]
    if records[f"mentions/{mention}"]["groups"] == [group]:
        return with_, []
    return with_, [{"kind": "mention.move", "payload": {"mentions": [mention], **payload}}]
