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

from coindex.annotate.majority import Chain, Chains, Place, agreed, chains, ordered, within
from coindex.annotate.records import DOCUMENT, Record, Records, empty_document, folder
from coindex.core.document import Document
from coindex.core.mention import Mention

SHOWN = 6
"""How many of a chain's mentions an option names."""


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
    ids: dict[Place, str] = {}
    for order, group in enumerate(agreed(documents)):
        id = f"g{order + 1}"
        found[f"groups/{id}"] = _group(order)
        for place in group:
            if place in ids:
                found[ids[place]]["groups"].append(id)
            else:
                ids[place] = f"mentions/m{len(ids) + 1}"
                found[ids[place]] = _mention(place, id)
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


class Here:
    """The sheet as it is: its records, and the mention of each span."""

    def __init__(self, records: Mapping[str, Record], text: Document) -> None:
        self.records, self.text = records, text
        every = folder(records, "mentions")
        self._at = {str(each["spans"]): id for id, each in every.items()}

    def at(self, place: Place) -> str | None:
        """The mention of a span."""
        return self._at.get(str(spans_of(place)))

    def groups(self, place: Place) -> list[str]:
        """The groups of a span; none where it is no mention."""
        here = self.at(place)
        return list(self.records[f"mentions/{here}"]["groups"]) if here else []

    def unused(self, folder: str, id: str) -> str:
        """An id that is not taken."""
        while f"{folder}/{id}" in self.records:
            id = f"{id}x"
        return id


def disagreements(
    made: Sequence[Annotation], records: Mapping[str, Record]
) -> list[dict[str, Any]]:
    """Where annotators differ, in reading order, with what has been decided."""
    if not made:
        return []
    own = {each.alias: chains(each.document) for each in made}
    common = set.intersection(*(set(each) for each in own.values()))
    narrow = [within(each, common) for each in own.values()]
    here = Here(records, made[0].document)
    decided = folder(records, "decisions")
    found = []
    for place in ordered({place for each in own.values() for place in each}):
        if place in common and len({each[place] for each in narrow}) == 1:
            continue
        told = {
            "id": key_of(place), "kind": "group" if place in common else "mention",
            "spans": spans_of(place), "by": {alias: place in each for alias, each in own.items()},
            "options": _options(place, own, here), "words": here.text.text_of(Mention(place)),
        }  # fmt: skip
        found.append({**told, "decided": decided.get(key_of(place))})
    return found


def _options(place: Place, own: Mapping[str, Chains], here: Here) -> list[dict[str, Any]]:
    """What annotators made of a span, those that did the same together."""
    choices: dict[frozenset[Chain] | None, list[str]] = {}
    for alias, each in own.items():
        choices.setdefault(each.get(place), []).append(alias)
    plain = [_said(place, many, here.text, False) for many in choices]
    found = []
    for many, who in sorted(choices.items(), key=lambda pair: (-len(pair[1]), pair[1])):
        said = _said(place, many, here.text, False)
        if plain.count(said) > 1:  # two options never read the same
            said = _said(place, many, here.text, True)
        events = _drop(place, here) if many is None else _join(place, many, here)
        found.append({"choice": "+".join(who), "by": who, "text": said, "events": events})
    return found


def _said(place: Place, many: frozenset[Chain] | None, text: Document, where: bool) -> str:
    """What an annotator made of a span, in words."""
    if many is None:
        return "not a mention"
    return " and ".join(_with(place, chain, text, where) for chain in _sorted(place, many))


def _sorted(place: Place, many: frozenset[Chain]) -> list[Chain]:
    return sorted(many, key=lambda chain: [spans_of(each) for each in ordered(chain - {place})])


def _with(place: Place, chain: Chain, text: Document, where: bool) -> str:
    """A chain in words: its other mentions, each wording once, the first few."""
    named = []
    for other in ordered(chain - {place}):
        at = f" (word {other[0].start + 1})" if where else ""
        named.append(f"{text.text_of(Mention(other))!r}{at}")
    named = list(dict.fromkeys(named))
    if not named:
        return "on its own"
    more = f" and {len(named) - SHOWN} more" if len(named) > SHOWN and not where else ""
    return f"with {', '.join(named if where else named[:SHOWN])}{more}"


def _drop(place: Place, here: Here) -> list[dict[str, Any]]:
    mention = here.at(place)
    return [{"kind": "mention.remove", "payload": {"mentions": [mention]}}] if mention else []


def _join(place: Place, many: frozenset[Chain], here: Here) -> list[dict[str, Any]]:
    """The events that put a span where one annotator has it: with its chains' other mentions."""
    groups: list[str] = []
    for chain in _sorted(place, many):
        groups.append(_group_of(place, chain, here, groups))
    first, *rest = [_target(group, here) for group in groups]
    mention = here.at(place)
    if mention is None:
        mention = here.unused("mentions", f"{key_of(place)}-m"[:60])
        new = {"mention": mention, "spans": spans_of(place), **first}
        events: list[dict[str, Any]] = [{"kind": "mention.add", "payload": new}]
    elif set(here.groups(place)) == set(groups):
        return []
    else:
        events = [{"kind": "mention.move", "payload": {"mentions": [mention], **first}}]
    also = [{"kind": "mention.also", "payload": {"mentions": [mention], **more}} for more in rest]
    return events + also


def _group_of(place: Place, chain: Chain, here: Here, taken: Sequence[str]) -> str:
    """The group in which most of a chain's other mentions are; a new one where none is."""
    votes: dict[str, float] = {}
    for other in ordered(chain - {place}):
        groups = here.groups(other)
        for group in groups:  # a plural mention's vote is divided
            votes[group] = votes.get(group, 0.0) + 1 / len(groups)
    free = {group: count for group, count in votes.items() if group not in taken}
    if free:
        return max(free, key=lambda group: free[group])
    return f"{key_of(place)}"[:58] + f"-g{len(taken) + 1 if taken else ''}"


def _target(group: str, here: Here) -> dict[str, Any]:
    """The payload that names a group, and makes it where it is new."""
    new = {} if f"groups/{group}" in here.records else {"new_group": {"id": group, "name": ""}}
    return {"group": group, **new}
