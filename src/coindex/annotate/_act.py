"""What actions have in common: mentions and groups that must be there, or must be new."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from coindex.annotate._payload import TITLE, Payload, Spans
from coindex.annotate.fail import Invalid
from coindex.annotate.records import Ground, Puts, Record, folder

Known = Mapping[str, Record]
Action = Callable[[Known, Payload, Ground], Puts]


def mention(records: Known, id: str) -> Record:
    """A mention that must be there."""
    found = records.get(f"mentions/{id}")
    if found is None:
        raise Invalid(f"no mention {id!r} here")
    return found


def group(records: Known, id: str) -> Record:
    """A group that must be there."""
    found = records.get(f"groups/{id}")
    if found is None:
        raise Invalid(f"no group {id!r} here")
    return found


def new_group(records: Known, id: str, name: str) -> Record:
    """A group with the first key that is free."""
    if f"groups/{id}" in records:
        raise Invalid(f"there is a group {id!r} already")
    taken = {each["order"] for each in folder(records, "groups").values()}
    order = next(number for number in range(len(taken) + 1) if number not in taken)
    return {"name": name, "order": order, "kind": None, "attrs": []}


def fresh(records: Known, given: Payload) -> Puts:
    """The group that `new_group` asks for, if it does."""
    value = given.take("new_group")
    if value is None:
        return {}
    inner = Payload(f"{given.kind}: new_group", value)
    id = inner.id("id")
    name = inner.text("name", TITLE) if inner.has("name") else ""
    inner.take("name")
    inner.done()
    return {f"groups/{id}": new_group(records, id, name)}


def target_of(records: Known, given: Payload) -> tuple[str, Puts]:
    """The group an action is about, made first where it is new."""
    made = fresh(records, given)
    id = given.id("group")
    if made and f"groups/{id}" not in made:
        raise Invalid(f"{given.kind}: expected group and new_group.id to be the same")
    if not made:
        group(records, id)
    return id, made


def free(records: Known, spans: Spans, but: str = "") -> None:
    for id, other in folder(records, "mentions").items():
        if id != but and other["spans"] == spans:
            raise Invalid(f"there is a mention of {spans} already: {id!r}")


def new_mention(spans: Spans, group: str) -> Record:
    told = {"note": "", "unsure": False, "kind": None, "head": None, "attrs": []}
    return {"spans": spans, "groups": [group], **told}
