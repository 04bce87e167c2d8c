"""Actions on groups; merging and splitting are single actions, undone in one step."""

from __future__ import annotations

from coindex.annotate._act import Action, Known, fresh, group, mention, new_group
from coindex.annotate._payload import TITLE, Payload
from coindex.annotate.fail import Invalid
from coindex.annotate.records import Ground, Puts, folder


def _group_add(records: Known, given: Payload, ground: Ground) -> Puts:
    id, name = given.id("group"), given.text("name", TITLE)
    return {f"groups/{id}": new_group(records, id, name)}


def _rename(records: Known, given: Payload, ground: Ground) -> Puts:
    id = given.id("group")
    return {f"groups/{id}": {**group(records, id), "name": given.text("name", TITLE)}}


def _group_remove(records: Known, given: Payload, ground: Ground) -> Puts:
    id = given.id("group")
    group(records, id)
    if any(id in each["groups"] for each in folder(records, "mentions").values()):
        raise Invalid(f"group {id!r} is not empty")
    return {f"groups/{id}": None}


def _merge(records: Known, given: Payload, ground: Ground) -> Puts:
    gone, into = given.ids("from"), given.id("into")
    group(records, into)
    if into in gone:
        raise Invalid(f"a group cannot be merged into itself: {into!r}")
    puts: Puts = {}
    for id in gone:
        group(records, id)
        puts[f"groups/{id}"] = None
    for id, old in folder(records, "mentions").items():
        groups = list(dict.fromkeys(into if each in gone else each for each in old["groups"]))
        if groups != old["groups"]:
            puts[f"mentions/{id}"] = {**old, "groups": groups}
    return puts


def _split(records: Known, given: Payload, ground: Ground) -> Puts:
    ids, left = given.ids("mentions"), given.id("from")
    group(records, left)
    puts = fresh(records, given)
    if not puts:
        raise Invalid("group.split: expected new_group")
    target = next(iter(puts)).partition("/")[2]
    for id in ids:
        old = mention(records, id)
        if left not in old["groups"]:
            raise Invalid(f"mention {id!r} is not in group {left!r}")
        groups = [target if each == left else each for each in old["groups"]]
        puts[f"mentions/{id}"] = {**old, "groups": groups}
    return puts


GROUPS: dict[str, Action] = {
    "group.add": _group_add, "group.rename": _rename, "group.remove": _group_remove,
    "group.merge": _merge, "group.split": _split,
}  # fmt: skip
