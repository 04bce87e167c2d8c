"""Adjudication: from several annotations of a document to one, with every decision recorded.

The assignment of an adjudicator starts with what all annotators agree on. Disagreements form
a list: spans that only some have marked, and mentions whose chains differ. Each has options
with the events that carry them out, so that a decision takes one key. Annotators appear as a,
b, c in a random order; their names are shown on request.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from coindex.annotate.quality.majority import (
    Chain,
    Chains,
    MentionSpans,
    agreed_groups,
    chains,
    ordered,
    restrict,
)
from coindex.annotate.store.records import (
    DOCUMENT,
    Record,
    Records,
    empty_document,
    new_group,
    new_mention,
    records_in,
)
from coindex.types.document import Document
from coindex.types.mention import Mention

SHOWN_MENTIONS = 6
"""How many of a chain's mentions an option names."""
LIT_MENTIONS = 40
"""How many of a chain's mentions an option has, to be highlighted in the text."""


@dataclass(frozen=True, slots=True)
class Annotation:
    """One annotator's document, under an alias."""

    alias: str
    user: int
    name: str
    document: Document


def with_aliases(annotations: Sequence[tuple[int, str, Document]], salt: str) -> list[Annotation]:
    """Return annotations with letters as aliases, in an order that depends on the salt only."""
    shuffled = sorted(
        annotations, key=lambda each: hashlib.sha256(f"{salt}:{each[0]}".encode()).digest()
    )
    return [
        Annotation(chr(97 + at) if at < 26 else f"z{at}", user, name, document)
        for at, (user, name, document) in enumerate(shuffled)
    ]


def agreed_records(documents: Sequence[Document]) -> Records:
    """Return the records of what all annotators agree on."""
    records: Records = {DOCUMENT: empty_document()}
    keys: dict[MentionSpans, str] = {}
    for order, group in enumerate(agreed_groups(documents)):
        id = f"g{order + 1}"
        records[f"groups/{id}"] = new_group(order)
        for mention in group:
            if mention in keys:
                records[keys[mention]]["groups"].append(id)
            else:
                keys[mention] = f"mentions/m{len(keys) + 1}"
                records[keys[mention]] = new_mention(span_lists(mention), id)
    return records


def span_lists(spans: MentionSpans) -> list[list[int]]:
    """Return the spans of a mention as plain lists."""
    return [[span.start, span.end] for span in spans]


def disagreement_id(spans: MentionSpans) -> str:
    """Return the id of a disagreement about a span."""
    return "d" + "_".join(f"{span.start}-{span.end}" for span in spans)[:63]


class AdjudicationState:
    """The current records of an adjudication, with access by span."""

    def __init__(self, records: Mapping[str, Record], text: Document) -> None:
        self.records, self.text = records, text
        mentions = records_in(records, "mentions")
        self._ids = {str(each["spans"]): id for id, each in mentions.items()}
        self.sizes = Counter(group for each in mentions.values() for group in each["groups"])

    def mention_at(self, spans: MentionSpans) -> str | None:
        """Return the id of the mention with these spans."""
        return self._ids.get(str(span_lists(spans)))

    def groups(self, spans: MentionSpans) -> list[str]:
        """Return the groups of a mention; empty if there is none with these spans."""
        id = self.mention_at(spans)
        return list(self.records[f"mentions/{id}"]["groups"]) if id else []

    def unused(self, folder: str, id: str) -> str:
        """Return an id that is not used yet."""
        while f"{folder}/{id}" in self.records:
            id = f"{id}x"
        return id


def disagreements(
    annotations: Sequence[Annotation], records: Mapping[str, Record]
) -> list[dict[str, Any]]:
    """Return the disagreements in reading order, with the decisions so far."""
    if not annotations:
        return []
    own = {each.alias: chains(each.document) for each in annotations}
    common = set.intersection(*(set(each) for each in own.values()))
    narrow = [restrict(each, common) for each in own.values()]
    state = AdjudicationState(records, annotations[0].document)
    decided = records_in(records, "decisions")
    listed = []
    for spans in ordered({spans for each in own.values() for spans in each}):
        if spans in common and len({each[spans] for each in narrow}) == 1:
            continue
        values = {
            "id": disagreement_id(spans), "kind": "group" if spans in common else "mention",
            "spans": span_lists(spans), "by": {alias: spans in each for alias, each in own.items()},
            "options": _options(spans, own, state), "words": state.text.text_of(Mention(spans)),
        }  # fmt: skip
        listed.append({**values, "decided": decided.get(disagreement_id(spans))})
    return listed


def _options(
    spans: MentionSpans, own: Mapping[str, Chains], state: AdjudicationState
) -> list[dict[str, Any]]:
    """Return the options for a span: each with the annotators who chose it."""
    choices: dict[frozenset[Chain] | None, list[str]] = {}
    for alias, each in own.items():
        choices.setdefault(each.get(spans), []).append(alias)
    texts = [_option_text(spans, many, state.text, False) for many in choices]
    options = []
    for many, who in sorted(choices.items(), key=lambda pair: (-len(pair[1]), pair[1])):
        text = _option_text(spans, many, state.text, False)
        if texts.count(text) > 1:  # two options must not read the same
            text = _option_text(spans, many, state.text, True)
        events = _grouping_events(spans, many, state)
        values = {"choice": "+".join(who), "by": who, "text": text, "events": events}
        options.append({**values, "chains": _chains_of_option(spans, many, state)})
    return options


def _chains_of_option(
    spans: MentionSpans, many: frozenset[Chain] | None, state: AdjudicationState
) -> list[dict[str, Any]] | None:
    """Return each chain of an option: its group, if it has one yet, and its other mentions.

    None if the span is not a mention.
    """
    if many is None:
        return None
    listed, taken = [], list[str]()
    for chain in _sorted(spans, many):
        taken.append(_group_of(spans, chain, state, taken))
        others = ordered(chain - {spans})
        mentions = [
            {"spans": span_lists(other), "words": state.text.text_of(Mention(other))}
            for other in others[:LIT_MENTIONS]
        ]
        group = taken[-1] if f"groups/{taken[-1]}" in state.records else None
        listed.append({"group": group, "mentions": mentions, "size": len(others)})
    return listed


def _option_text(
    spans: MentionSpans, many: frozenset[Chain] | None, text: Document, where: bool
) -> str:
    """Return the text of an option: what an annotator did with a span."""
    if many is None:
        return "not a mention"
    return " and ".join(_chain_text(spans, chain, text, where) for chain in _sorted(spans, many))


def _sorted(spans: MentionSpans, many: frozenset[Chain]) -> list[Chain]:
    return sorted(many, key=lambda chain: [span_lists(each) for each in ordered(chain - {spans})])


def _chain_text(spans: MentionSpans, chain: Chain, text: Document, where: bool) -> str:
    """Return the text of a chain: its other mentions, each wording once, the first few."""
    named = []
    for other in ordered(chain - {spans}):
        at = f" (word {other[0].start + 1})" if where else ""
        named.append(f"“{text.text_of(Mention(other))}”{at}")
    named = list(dict.fromkeys(named))
    if not named:
        return "on its own"
    more = (
        f" and {len(named) - SHOWN_MENTIONS} more"
        if len(named) > SHOWN_MENTIONS and not where
        else ""
    )
    return f"with {', '.join(named if where else named[:SHOWN_MENTIONS])}{more}"


def _grouping_events(
    spans: MentionSpans, many: frozenset[Chain] | None, state: AdjudicationState
) -> list[dict[str, Any]]:
    """Return the events that put a span into the groups of its chains' other mentions.

    Without chains, its mention is removed.
    """
    mention = state.mention_at(spans)
    if many is None:
        return [{"kind": "mention.remove", "payload": {"mentions": [mention]}}] if mention else []
    groups: list[str] = []
    for chain in _sorted(spans, many):
        groups.append(_group_of(spans, chain, state, groups))
    first, *rest = [_target(group, state) for group in groups]
    if mention is None:
        mention = state.unused("mentions", f"{disagreement_id(spans)}-m"[:60])
        new = {"mention": mention, "spans": span_lists(spans), **first}
        events: list[dict[str, Any]] = [{"kind": "mention.add", "payload": new}]
    elif set(state.groups(spans)) == set(groups):
        return []
    else:
        events = [{"kind": "mention.move", "payload": {"mentions": [mention], **first}}]
    also = [{"kind": "mention.also", "payload": {"mentions": [mention], **more}} for more in rest]
    return events + also


def _group_of(
    spans: MentionSpans, chain: Chain, state: AdjudicationState, taken: Sequence[str]
) -> str:
    """Return the group of most of a chain's other mentions; a new id if they have none.

    Of several groups with as many, it is the one in which the mention is already.
    """
    votes: dict[str, float] = {}
    for other in ordered(chain - {spans}):
        groups = state.groups(other)
        for group in groups:  # a plural mention's vote is divided
            votes[group] = votes.get(group, 0.0) + 1 / len(groups)
    free = {group: count for group, count in votes.items() if group not in taken}
    if free:
        own = state.groups(spans)
        return max(free, key=lambda group: (round(free[group], 6), group in own))
    alone = [group for group in state.groups(spans) if state.sizes[group] == 1]
    if not votes and alone and alone[0] not in taken:
        return alone[0]
    return f"{disagreement_id(spans)}"[:58] + f"-g{len(taken) + 1 if taken else ''}"


def _target(group: str, state: AdjudicationState) -> dict[str, Any]:
    """Return the payload that names a group, and creates it if it is new."""
    new = {} if f"groups/{group}" in state.records else {"new_group": {"id": group, "name": ""}}
    return {"group": group, **new}
