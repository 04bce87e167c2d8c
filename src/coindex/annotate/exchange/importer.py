"""Import: documents and problems of any format, with annotators' work where a file has it.

`export` with `which=sheets` writes one line per document (metadata `annotate.document`) and
one line per assignment (`annotate.sheet`: its annotator and every event). Importing such a
file restores the same documents, assignments, events and states, so a second export gives the
same bytes. Annotators without an account here get one that nobody can log in to.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy import Connection, Row, func, select, update

from coindex.annotate.assignments.queue import open_assignment
from coindex.annotate.errors import ApiError, InvalidAction
from coindex.annotate.exchange import conversion
from coindex.annotate.exchange.history_import import import_history
from coindex.annotate.exchange.import_context import (
    ANNOTATOR_KEY,
    ASSIGNMENT_KEY,
    DOCUMENT_KEY,
    ImportedAnnotators,
    ImportSummary,
    Item,
    is_account_name,
    name_of,
    parse_metadata,
)
from coindex.annotate.store.database import insert_row
from coindex.annotate.store.events import EventStore
from coindex.annotate.store.lifecycle import state_of
from coindex.annotate.store.records import TextBounds
from coindex.annotate.store.tables import assignments, documents
from coindex.annotate.store.validation import check_records, is_storable
from coindex.types.decision import Decision
from coindex.types.document import Document
from coindex.types.mention import Mention
from coindex.types.problem import Problem

ANSWER = "answer"
"""The key of a suggested answer to a problem."""
KINDS = {"document": "documents", "problem": "pronouns"}
"""What projects are for, in words."""
PURPOSES = ("work", "training", "suggestions", "gold")


def import_items(
    store: EventStore, project: Row[Any], items: Iterable[Item], purpose: str,
    resolver: str = "import", *, everybody: bool = True,
) -> ImportSummary:  # fmt: skip
    """Import items into a project, all in one transaction.

    `everybody` allows work of all accounts, not only of members. If the history of any
    assignment is not valid, nothing is imported; the error counts and names all of them.
    """
    invalid: list[dict[str, str]] = []
    histories = 0
    with store.database.write() as connection:
        now = store.database.clock()
        annotators = ImportedAnnotators(connection, project.id, now, all=everybody)
        run = _Import(store, connection, annotators, purpose, resolver)
        for item in items:
            kind = "document" if isinstance(item, Document) else "problem"
            if kind != project.kind:
                message = (
                    f"this project is for {KINDS[project.kind]}, found {KINDS[kind]}: {item.id}"
                )
                raise ApiError(422, "kind", message)
            histories += any(name in (ASSIGNMENT_KEY, ANNOTATOR_KEY) for name, _ in item.meta)
            try:
                run.add(item)
            except InvalidAction as error:
                invalid.append({"name": name_of(item)[:200], "reason": str(error)})
        if invalid:
            first = "; ".join(f"{each['name']}: {each['reason']}" for each in invalid[:3])
            message = f"{len(invalid)} of {histories} histories are not valid; nothing was imported"
            more = {"wrong": invalid[:100], "count": len(invalid)}
            raise ApiError(422, "history", f"{message}. {first}", **more)
    run.summary.people = annotators.names
    return run.summary


@dataclass
class _Import:
    """One import: where the items go, and the summary."""

    store: EventStore
    connection: Connection
    annotators: ImportedAnnotators
    purpose: str
    resolver: str
    summary: ImportSummary = field(default_factory=ImportSummary)

    def add(self, item: Item) -> None:
        """Import one item, according to its metadata or the purpose of the import."""
        if not is_storable(name_of(item)):
            self.summary.skip(item, "its name has characters that cannot be stored")
            return
        metadata = dict(item.meta)
        own = (DOCUMENT_KEY, ASSIGNMENT_KEY, ANNOTATOR_KEY)
        bare = replace(item, meta=tuple(pair for pair in item.meta if pair[0] not in own))
        old = self._document_named(name_of(bare))
        if ASSIGNMENT_KEY in metadata:
            text = metadata[ASSIGNMENT_KEY]
            import_history(self.connection, self.annotators, old, bare, text, self.summary)
        elif ANNOTATOR_KEY in metadata:
            self._add_annotation(old, bare, metadata[ANNOTATOR_KEY])
        elif self.purpose in ("suggestions", "gold") and isinstance(bare, Document):
            self._add_to_document(old, bare)
        elif old is not None:
            state = state_of(old)
            what = "a document" if state == "active" else f"{state} document"
            article = "" if state == "active" else "an " if state == "archived" else "a "
            self.summary.skip(bare, f"there is {article}{what} of that name already")
        else:
            values = parse_metadata(metadata.get(DOCUMENT_KEY, "{}"), item)
            _check_document_values(values, bare)
            self._add_document(bare, self.purpose, values)

    def _document_named(self, name: str) -> Row[Any] | None:
        own = (documents.c.project == self.annotators.project) & (documents.c.name == name)
        return self.connection.execute(select(documents).where(own)).first()

    def _add_document(self, item: Item, purpose: str, values: dict[str, Any]) -> Row[Any] | None:
        tokens = len(item) if isinstance(item, Document) else 0
        if len(name_of(item)) > 500:
            self.summary.skip(item, "its name has more than 500 characters")
            return None
        if isinstance(item, Document) and not tokens:
            self.summary.skip(item, "it has no words")
            return None
        if purpose == "training" and isinstance(item, Document) and not item.entities:
            self.summary.skip(item, "it has no mentions: a training document needs its gold")
            return None
        project, body = self.annotators.project, conversion.serialise(item)
        last = func.coalesce(func.max(documents.c.position), -1)
        position = select(last + 1).where(documents.c.project == project)
        insert_row(
            self.connection, documents, project=project, name=name_of(item), tokens=tokens,
            position=self.connection.execute(position).scalar_one(), body=body,
            training=bool(values.get("training", purpose == "training")),
            gold=body if purpose == "training" else values.get("gold"),
            suggestions=values.get("suggestions"),
        )  # fmt: skip
        self.summary.counts["documents"] += 1
        return self._document_named(name_of(item))

    def _add_to_document(self, old: Row[Any] | None, item: Document) -> None:
        """Add suggestions or gold to a document of the project."""
        if old is None or old.tokens != len(item):
            reason = f"expected a document of that name with {len(item)} tokens, found none"
            self.summary.skip(item, reason)
            return
        if self.purpose == "gold":
            values: dict[str, Any] = {"gold": conversion.serialise(replace(item, meta=()))}
            self.summary.counts["gold"] += 1
        else:
            values = {"suggestions": suggestion_records(item, self.resolver)}
            self.summary.counts["suggestions"] += len(values["suggestions"])
        own = documents.c.id == old.id
        self.connection.execute(update(documents).where(own).values(**values))

    def _add_annotation(self, old: Row[Any] | None, item: Item, annotator: str) -> None:
        """Add a finished annotation of another tool, without history, as one event."""
        if not isinstance(item, Document):
            self.summary.skip(item, "a problem with an annotator's name but no history")
            return
        if not is_account_name(annotator):
            raise InvalidAction("expected an annotator's name of 1 to 100 printable characters")
        document = old or self._add_document(replace(item, entities=()), "work", {})
        if document is None or document.tokens != len(item):
            self.summary.skip(item, "another text of that name is there")
            return
        user = self.annotators.id_of(annotator)
        same = (assignments.c.document == document.id) & (assignments.c.user == user)
        if self.connection.execute(select(assignments.c.id).where(same)).first():
            reason = f"{annotator!r} has an assignment of this document already"
            self.summary.skip(item, reason)
            return
        assignment = open_assignment(self.store, self.connection, document, user)
        self.store.seed(self.connection, assignment, user, conversion.entity_records(item))
        self.summary.counts.update(sheets=1, events=1)


def _check_document_values(values: dict[str, Any], item: Item) -> None:
    """Check the exported values of a document: training, gold, suggestions."""

    def invalid(message: object) -> ApiError:
        return ApiError(422, "invalid", f"{name_of(item)}: {message}")

    gold, suggestions = values.get("gold"), values.get("suggestions")
    unknown = set(values) - {"training", "gold", "suggestions"}
    if unknown or not isinstance(values.get("training", False), bool):
        raise invalid("expected the metadata of a document")
    if gold is not None and not (isinstance(gold, str) and conversion.same_text(gold, item)):
        raise invalid("its gold is not of the same text")
    if isinstance(item, Problem):
        if suggestions is not None and not _is_answer(suggestions, item):
            raise invalid("expected the suggested answer of a problem")
    elif suggestions is not None:
        records = suggestions if isinstance(suggestions, dict) else {"": None}
        if any(not key.startswith("suggestions/") for key in records):
            raise invalid("expected suggestions by their keys")
        try:
            check_records(records, TextBounds(len(item)))
        except InvalidAction as error:
            raise invalid(error) from error


def suggestion_records(document: Document, resolver: str) -> dict[str, Any]:
    """Return a resolver's entities as suggestions: one for each mention and chain."""
    records: dict[str, Any] = {}
    for number, entity in enumerate(document.entities, 1):
        for mention in entity.mentions:
            spans = [[span.start, span.end] for span in mention.spans]
            values = {"spans": spans, "group": f"s{number}", "resolver": resolver, "state": "open"}
            records[f"suggestions/s{len(records) + 1}"] = {**values, **_confidence(mention)}
    return records


def _confidence(mention: Mention) -> dict[str, float]:
    """Return how sure a resolver is that this is a mention, and that it belongs to its chain."""
    attrs = dict(mention.attrs)
    try:
        value = float(attrs["confidence"]) * float(attrs.get("link", 1))
    except (KeyError, ValueError):
        return {}
    return {"confidence": round(value, 3)} if 0 <= value <= 1 else {}


def answer_suggestion(decision: Decision, resolver: str) -> dict[str, Any]:
    """Return a resolver's answer to a problem as a suggestion; nothing where it is undecided."""
    if decision.undecided and not decision.chosen:
        return {}
    return {ANSWER: {"chosen": list(decision.chosen), "resolver": resolver}}


def _is_answer(suggestions: Any, problem: Problem) -> bool:
    """Return whether these are suggestions as `answer_suggestion` makes them."""
    if suggestions == {}:
        return True
    answer = suggestions.get(ANSWER) if isinstance(suggestions, dict) else None
    if not isinstance(answer, dict) or set(answer) != {"chosen", "resolver"}:
        return False
    chosen, named = answer["chosen"], isinstance(answer["resolver"], str)
    places = range(len(problem.candidates))
    return (
        named
        and isinstance(chosen, list)
        and all(type(at) is int and at in places for at in chosen)
    )
