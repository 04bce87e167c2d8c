"""An annotator's whole document as the start of an adjudication.

The current state is turned into the annotator's version by ordinary events, so that one undo
takes all of it back and the log records it. Mentions that both have keep their ids and their
comments; a group goes on as the chain with which it has most mentions in common.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from coindex.annotate.quality.adjudication import AdjudicationState, span_lists
from coindex.annotate.quality.majority import MentionSpans, ordered
from coindex.annotate.store.records import Record, records_in
from coindex.types.document import Document

Event = dict[str, Any]
MAX_REMOVED = 500
"""How many mentions one event removes."""


def adoption_events(document: Document, records: Mapping[str, Record]) -> list[Event]:
    """Return the events that turn the current state into an annotator's document."""
    state = AdjudicationState(records, document)
    chains = [
        ordered({mention.spans for mention in entity.mentions}) for entity in document.entities
    ]
    groups = _groups(chains, state)
    wanted: dict[MentionSpans, list[str]] = {}
    for chain, group in zip(chains, groups, strict=True):
        for spans in chain:
            wanted.setdefault(spans, []).append(group)
    events = _removals(wanted, records)
    created = {key.partition("/")[2] for key in records if key.startswith("groups/")}
    for number, spans in enumerate(ordered(wanted), 1):
        new = state.unused("mentions", f"start-m{number}")
        events += _placing(spans, new, wanted[spans], state, created)
    return events + _empty_groups(groups, records)


def _groups(chains: list[list[MentionSpans]], state: AdjudicationState) -> list[str]:
    """Return a group for each chain: the existing one with most of its mentions, or a new id."""
    common: list[tuple[int, int, str]] = []
    for at, chain in enumerate(chains):
        votes = Counter(group for spans in chain for group in state.groups(spans))
        common += [(-count, at, group) for group, count in votes.items()]
    chosen: dict[int, str] = {}
    for _, at, group in sorted(common):
        if at not in chosen and group not in chosen.values():
            chosen[at] = group
    groups = []
    for at in range(len(chains)):
        groups.append(chosen.get(at) or state.unused("groups", f"start-g{at + 1}"))
    return groups


def _removals(wanted: Mapping[MentionSpans, Any], records: Mapping[str, Record]) -> list[Event]:
    """Return the events that remove the mentions that the annotator does not have."""
    kept = {str(span_lists(spans)) for spans in wanted}
    mentions = records_in(records, "mentions").items()
    gone = [id for id, each in mentions if str(each["spans"]) not in kept]
    parts = [gone[at : at + MAX_REMOVED] for at in range(0, len(gone), MAX_REMOVED)]
    return [{"kind": "mention.remove", "payload": {"mentions": part}} for part in parts]


def _placing(
    spans: MentionSpans, new_id: str, groups: list[str], state: AdjudicationState,
    created: set[str],
) -> list[Event]:  # fmt: skip
    """Return the events that put a mention into exactly these groups."""
    old = state.mention_at(spans)
    if old is not None and set(state.groups(spans)) == set(groups):
        return []
    mention = old or new_id
    events: list[Event] = []
    own: dict[str, Any]
    for at, group in enumerate(groups):
        new = {} if group in created else {"new_group": {"id": group, "name": ""}}
        created.add(group)
        if at:
            kind, own = "mention.also", {"mentions": [mention]}
        elif old is not None:
            kind, own = "mention.move", {"mentions": [mention]}
        else:
            kind, own = "mention.add", {"mention": mention, "spans": span_lists(spans)}
        events.append({"kind": kind, "payload": {**own, "group": group, **new}})
    return events


def _empty_groups(used: list[str], records: Mapping[str, Record]) -> list[Event]:
    """Return the events that remove the groups which no chain goes on with."""
    left = [id for id in records_in(records, "groups") if id not in used]
    return [{"kind": "group.remove", "payload": {"group": id}} for id in left]
