"""Actions on mentions."""

from __future__ import annotations

from coindex.annotate._act import Action, Known, free, mention, new_mention, target_of
from coindex.annotate._payload import NOTE, Payload
from coindex.annotate.fail import Invalid
from coindex.annotate.records import Ground, Puts


def _add(records: Known, given: Payload, ground: Ground) -> Puts:
    id, spans = given.id("mention"), given.spans("spans", ground.tokens)
    if f"mentions/{id}" in records:
        raise Invalid(f"there is a mention {id!r} already")
    free(records, spans)
    target, puts = target_of(records, given)
    return {**puts, f"mentions/{id}": new_mention(spans, target)}


def _remove(records: Known, given: Payload, ground: Ground) -> Puts:
    ids = given.ids("mentions")
    for id in ids:
        mention(records, id)
    return {f"mentions/{id}": None for id in ids}


def _move(records: Known, given: Payload, ground: Ground) -> Puts:
    ids = given.ids("mentions")
    target, puts = target_of(records, given)
    for id in ids:
        puts[f"mentions/{id}"] = {**mention(records, id), "groups": [target]}
    return puts


def _also(records: Known, given: Payload, ground: Ground) -> Puts:
    ids = given.ids("mentions")
    target, puts = target_of(records, given)
    for id in ids:
        old = mention(records, id)
        groups = list(dict.fromkeys([*old["groups"], target]))
        puts[f"mentions/{id}"] = {**old, "groups": groups}
    return puts


def _leave(records: Known, given: Payload, ground: Ground) -> Puts:
    ids, left = given.ids("mentions"), given.id("group")
    puts: Puts = {}
    for id in ids:
        old = mention(records, id)
        groups = [each for each in old["groups"] if each != left]
        if left not in old["groups"] or not groups:
            raise Invalid(f"mention {id!r} is not in {left!r} and another group")
        puts[f"mentions/{id}"] = {**old, "groups": groups}
    return puts


def _resize(records: Known, given: Payload, ground: Ground) -> Puts:
    id, spans = given.id("mention"), given.spans("spans", ground.tokens)
    old = mention(records, id)
    free(records, spans, id)
    head = old["head"]
    inside = head is not None and any(start <= head < end for start, end in spans)
    return {f"mentions/{id}": {**old, "spans": spans, "head": head if inside else None}}


def _note(records: Known, given: Payload, ground: Ground) -> Puts:
    id = given.id("mention")
    return {f"mentions/{id}": {**mention(records, id), "note": given.text("text", NOTE)}}


def _flag(records: Known, given: Payload, ground: Ground) -> Puts:
    id = given.id("mention")
    return {f"mentions/{id}": {**mention(records, id), "unsure": given.flag("unsure")}}


MENTIONS: dict[str, Action] = {
    "mention.add": _add, "mention.remove": _remove, "mention.move": _move,
    "mention.also": _also, "mention.leave": _leave, "mention.resize": _resize,
    "mention.note": _note, "mention.flag": _flag,
}  # fmt: skip
