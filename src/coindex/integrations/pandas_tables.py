"""Mentions, entities and scores as pandas data frames, for notebooks and statistics.

    coindex.to_pandas(document)                      # a row for each mention
    coindex.to_pandas(documents, "entities")         # a row for each entity
    coindex.to_pandas([first, second])               # results of `coindex.score`: a row a metric
    coindex.to_pandas(result, "documents")           # a row for each document and metric

`Document.to_pandas` and the `to_pandas` of a result call the same function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import nan
from typing import TYPE_CHECKING, Any, cast

from coindex.errors import InvalidValue, import_extra
from coindex.scoring.scorer import Result
from coindex.scoring.significance import intervals
from coindex.transform.resolved_entities import ResolvedEntity, resolved_entities
from coindex.types.document import Document
from coindex.types.text_values import found

if TYPE_CHECKING:
    from pandas import DataFrame

Row = dict[str, Any]
KINDS = ("name", "nominal", "pronoun")


def to_pandas(
    values: Document | Result | Iterable[Document] | Iterable[Result], table: str | None = None
) -> DataFrame:
    """Documents or results of `coindex.score` as a data frame.

    Of documents `table` is "mentions" (the default) or "entities", of results "scores" (the
    default; with 95 % intervals of F1 if there are two documents or more) or "documents".
    Offsets count characters of the text, ends are exclusive; confidences are missing where no
    resolver gave them. Needs pandas (the extra `dataframes`).
    """
    items: list[Any] = [values] if isinstance(values, Document | Result) else list(values)
    tables = _tables(items)
    name = table or next(iter(tables))
    if name not in tables:
        raise InvalidValue(f"expected one of the tables {', '.join(tables)}, found {name!r}")
    columns, rows = tables[name]
    pandas = import_extra("pandas", "dataframes")
    return cast("DataFrame", pandas.DataFrame(list(rows(items)), columns=list(columns)))


_Table = tuple[Sequence[str], Callable[[Any], Iterator[Row]]]


def _tables(items: Sequence[object]) -> dict[str, _Table]:
    """The tables that can be made of these values, the default first."""
    if all(isinstance(item, Document) for item in items):
        return {"mentions": (MENTION_COLUMNS, _mentions), "entities": (ENTITY_COLUMNS, _entities)}
    if all(isinstance(item, Result) for item in items):
        return {"scores": (SCORE_COLUMNS, _scores), "documents": (DOCUMENT_COLUMNS, _documents)}
    odd = next(item for item in items if not isinstance(item, Document | Result))
    raise InvalidValue(f"expected documents, or results of coindex.score, {found(odd)}")


MENTION_COLUMNS = ("document", "entity", "name", "text", "kind", "start", "end", "first_token",
                   "end_token", "sentence", "confidence", "link")  # fmt: skip


def _mentions(documents: Iterable[Document]) -> Iterator[Row]:
    """In reading order; a mention of several entities once for each."""
    for document in documents:
        pairs = [(m, entity) for entity in resolved_entities(document) for m in entity.mentions]
        for mention, entity in sorted(pairs, key=lambda pair: (pair[0].start, -pair[0].end)):
            first = mention.tokens[0].start
            yield {
                "document": document.key,
                "entity": entity.number,
                "name": entity.name,
                "text": mention.words or mention.text,
                "kind": mention.kind,
                "start": mention.start,
                "end": mention.end,
                "first_token": first,
                "end_token": mention.tokens[-1].end,
                "sentence": sum(start <= first for start in document.sentences) - 1,
                "confidence": mention.confidence,
                "link": mention.link,
            }


ENTITY_COLUMNS = ("document", "entity", "id", "name", "mentions", *(f"{kind}s" for kind in KINDS),
                  "start", "end", "confidence")  # fmt: skip


def _entities(documents: Iterable[Document]) -> Iterator[Row]:
    for document in documents:
        for entity in resolved_entities(document):
            yield {
                "document": document.key,
                "entity": entity.number,
                "id": entity.id,
                "name": entity.name,
                "mentions": len(entity.mentions),
                **{f"{kind}s": _count(entity, kind) for kind in KINDS},
                "start": entity.mentions[0].start,
                "end": max(mention.end for mention in entity.mentions),
                "confidence": entity.confidence,
            }


def _count(entity: ResolvedEntity, kind: str) -> int:
    return sum(mention.kind == kind for mention in entity.mentions)


SCORE_COLUMNS = ("system", "metric", "recall", "precision", "f1", "low", "high", "signature")


def _scores(results: Iterable[Result]) -> Iterator[Row]:
    for result in results:
        ranges = intervals(result)
        for metric, score in result.scores.items():
            interval = ranges.get(metric)
            yield {
                "system": result.name,
                "metric": metric,
                "recall": score.recall,
                "precision": score.precision,
                "f1": score.f1,
                "low": interval.low if interval else nan,
                "high": interval.high if interval else nan,
                "signature": result.signature,
            }


DOCUMENT_COLUMNS = ("system", "document", "metric", "recall", "precision", "f1")


def _documents(results: Iterable[Result]) -> Iterator[Row]:
    for result in results:
        for row, document in enumerate(result.documents):
            for metric, score in result.document_scores(row).items():
                yield {
                    "system": result.name,
                    "document": document,
                    "metric": metric,
                    "recall": score.recall,
                    "precision": score.precision,
                    "f1": score.f1,
                }
