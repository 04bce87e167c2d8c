"""Import: documents and problems of any format, with people's work where a file holds it.

`export` with `which=sheets` writes a line for each document (the fact `annotate.document`)
and a line for each sheet (`annotate.sheet`: whose, and every event). Importing such a file
gives the same documents, sheets, events and states again, so exporting again gives the same
bytes. People who are not known here get accounts that nobody can log in to.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, Row, func, select, update

from coindex.annotate import papers
from coindex.annotate.arrivals import ABOUT, BY, SHEET, Imported, Item, People, name_of, parsed
from coindex.annotate.claims import name_like
from coindex.annotate.database import put
from coindex.annotate.events import Events
from coindex.annotate.fail import Fail, Invalid
from coindex.annotate.past import put_back
from coindex.annotate.records import Ground
from coindex.annotate.shapes import check_puts
from coindex.annotate.tables import documents, sheets
from coindex.annotate.work import open_sheet
from coindex.core.document import Document

PURPOSES = ("work", "training", "suggestions", "gold")


def bring_in(
    store: Events, project: Row[Any], items: Iterable[Item], purpose: str,
    resolver: str = "import", *, everybody: bool = True,
) -> Imported:  # fmt: skip
    """Import items into a project, all in one transaction.

    `everybody`: work may be brought in under the name of any account, not of members alone.
    A history that cannot be true is an error, and nothing is imported: all that are wrong
    are counted and named.
    """
    found = Imported()
    wrong: list[dict[str, str]] = []
    histories = 0
    with store.database.write() as connection:
        people = People(connection, project.id, store.database.clock(), all=everybody)
        for item in items:
            kind = "document" if isinstance(item, Document) else "problem"
            if kind != project.kind:
                raise Fail(
                    422, "kind", f"this project holds {project.kind}s, found a {kind}: {item.id}"
                )
            histories += any(name in (SHEET, BY) for name, _ in item.meta)
            try:
                _bring(store, connection, people, item, purpose, resolver, found)
            except Invalid as error:
                wrong.append({"name": name_of(item)[:200], "reason": str(error)})
        if wrong:
            first = "; ".join(f"{each['name']}: {each['reason']}" for each in wrong[:3])
            said = f"{len(wrong)} of {histories} histories cannot be true; nothing was imported"
            raise Fail(422, "history", f"{said}. {first}", wrong=wrong[:100], count=len(wrong))
    found.people = people.names
    return found


def _bring(
    store: Events, connection: Connection, people: People, item: Item,
    purpose: str, resolver: str, found: Imported,
) -> None:  # fmt: skip
    facts = dict(item.meta)
    bare = replace(item, meta=tuple(p for p in item.meta if p[0] not in (ABOUT, SHEET, BY)))
    old = _named(connection, people.project, name_of(bare))
    if SHEET in facts:
        put_back(connection, people, old, bare, facts[SHEET], found)
    elif BY in facts:
        _made(store, connection, people, old, bare, facts[BY], found)
    elif purpose in ("suggestions", "gold") and isinstance(bare, Document):
        _beside(connection, old, bare, purpose, resolver, found)
    elif old is not None:
        found.skip(bare, "there is a document of that name already")
    else:
        told = _about(parsed(facts.get(ABOUT, "{}"), item), bare)
        _new(connection, people.project, bare, purpose, told, found)


def _about(told: dict[str, Any], item: Item) -> dict[str, Any]:
    """What an exported document says of itself: whether it is for training, gold, suggestions."""
    gold, own = told.get("gold"), told.get("suggestions")
    odd = set(told) - {"training", "gold", "suggestions"}
    if odd or not isinstance(told.get("training", False), bool):
        raise Fail(422, "invalid", f"{name_of(item)}: expected the facts of a document")
    if gold is not None and not (isinstance(gold, str) and papers.same_text(gold, item)):
        raise Fail(422, "invalid", f"{name_of(item)}: its gold is not of the same text")
    if own is not None:
        tokens = len(item) if isinstance(item, Document) else 0
        puts = own if isinstance(own, dict) else {"": None}
        if any(not key.startswith("suggestions/") for key in puts):
            raise Fail(422, "invalid", f"{name_of(item)}: expected suggestions by their keys")
        try:
            check_puts(puts, Ground(tokens))
        except Invalid as error:
            raise Fail(422, "invalid", f"{name_of(item)}: {error}") from error
    return told


def _named(connection: Connection, project: int, name: str) -> Row[Any] | None:
    own = (documents.c.project == project) & (documents.c.name == name)
    return connection.execute(select(documents).where(own)).first()


def _new(
    connection: Connection,
    project: int,
    item: Item,
    purpose: str,
    told: dict[str, Any],
    found: Imported,
) -> Row[Any] | None:
    if len(name_of(item)) > 500:
        found.skip(item, "its name has more than 500 characters")
        return None
    tokens = len(item) if isinstance(item, Document) else 0
    if isinstance(item, Document) and not tokens:
        found.skip(item, "it has no words")
        return None
    place = select(func.count()).where(documents.c.project == project)
    training = bool(told.get("training", purpose == "training"))
    gold = papers.body(item) if purpose == "training" else told.get("gold")
    put(
        connection, documents, project=project, name=name_of(item), training=training,
        position=connection.execute(place).scalar_one(), tokens=tokens,
        body=papers.body(item), gold=gold, suggestions=told.get("suggestions"),
    )  # fmt: skip
    found.counts["documents"] += 1
    return _named(connection, project, name_of(item))


def _beside(
    connection: Connection, old: Row[Any] | None, item: Document, purpose: str,
    resolver: str, found: Imported,
) -> None:  # fmt: skip
    """Suggestions for a document, or its gold."""
    if old is None or old.tokens != len(item):
        found.skip(item, f"expected a document of that name with {len(item)} tokens, found none")
        return
    if purpose == "gold":
        values: dict[str, Any] = {"gold": papers.body(replace(item, meta=()))}
        found.counts["gold"] += 1
    else:
        values = {"suggestions": suggestions(item, resolver)}
        found.counts["suggestions"] += len(values["suggestions"])
    connection.execute(update(documents).where(documents.c.id == old.id).values(**values))


def suggestions(document: Document, resolver: str) -> dict[str, Any]:
    """A resolver's answer as suggestions: one for each mention and chain."""
    found: dict[str, Any] = {}
    for number, entity in enumerate(document.entities, 1):
        for mention in entity.mentions:
            spans = [[span.start, span.end] for span in mention.spans]
            key = f"suggestions/s{len(found) + 1}"
            told = {"spans": spans, "group": f"s{number}", "resolver": resolver}
            found[key] = {**told, "state": "open"}
    return found


def _made(
    store: Events, connection: Connection, people: People, old: Row[Any] | None, item: Item,
    who: str, found: Imported,
) -> None:  # fmt: skip
    """A finished annotation without history, from another tool: one event puts it all."""
    if not isinstance(item, Document):
        found.skip(item, "a problem with an annotator's name but no history")
        return
    bare = replace(item, entities=())
    if not name_like(who):
        raise Invalid("expected an annotator's name of 1 to 100 printable characters")
    document = old or _new(connection, people.project, bare, "work", {}, found)
    if document is None or document.tokens != len(item):
        found.skip(item, "another text of that name is there")
        return
    user = people.named(who)
    same = (sheets.c.document == document.id) & (sheets.c.user == user)
    if connection.execute(select(sheets.c.id).where(same)).first():
        found.skip(item, f"{who!r} has a sheet of this document already")
        return
    sheet = open_sheet(store, connection, document, user)
    store.seed(connection, sheet, user, papers.records_of(item))
    found.counts.update(sheets=1, events=1)
