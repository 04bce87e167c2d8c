"""What went wrong: mentions and entities missed or invented, divided or conflated.

missing mention   in the key only            extra mention   in the response only
missing entity    none of its mentions was found; extra entity: none is in the key
divided           a key entity whose mentions are in several response entities;
                  every piece but the largest counts
conflated         a response entity with mentions of several key entities; every
                  one but that with the largest share counts

All follow from the table that the metrics are computed from, so the same matching
rule holds, singletons may be left out, and repeats are kept once. The mentions of
a missing entity are also missing mentions. Every error is put down to a kind of
mention: that of the mention, of the entity's best name, or of the best name
within the piece. The best name is the first name, or else nominal, or else pronoun.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

from coindex.core.document import Document
from coindex.core.kinds import KINDS
from coindex.core.mention import Mention
from coindex.scoring._error_places import Found, Piece, errors_of
from coindex.scoring._sides import sides
from coindex.scoring.grid import Cell, Grid
from coindex.scoring.run import Options

ERRORS = (
    "missing mention",
    "extra mention",
    "missing entity",
    "extra entity",
    "divided",
    "conflated",
)
CONTEXT = 6
EXAMPLES = 5


@dataclass(frozen=True, slots=True)
class Example:
    """One error where it stands, its mention in brackets in the context.

    spans   tokens, from the first up to but without the second of each pair
    pieces  of a divided or conflated entity, the largest first
    """

    document: str
    spans: tuple[tuple[int, int], ...]
    words: str
    kind: str
    context: str
    pieces: tuple[Piece, ...] = ()


@dataclass(frozen=True, slots=True)
class ErrorCount:
    """How often one error was made, by kind of mention, with a few examples.

    count     mentions or entities; of divided and conflated ones, pieces too many
    entities  how many are divided or conflated; for other errors the same as count
    """

    error: str
    count: int
    entities: int
    by_kind: dict[str, int]
    examples: tuple[Example, ...]


@dataclass(frozen=True, slots=True)
class ErrorReport:
    """All errors of one response, in the order of `ERRORS`."""

    documents: int
    key_mentions: int
    response_mentions: int
    matched: int
    errors: tuple[ErrorCount, ...]

    def of(self, error: str) -> ErrorCount:
        """The count of one error."""
        return self.errors[ERRORS.index(error)]


def find_errors(
    pairs: Iterable[tuple[Document, Document]], options: Options, examples: int = EXAMPLES
) -> ErrorReport:
    """Every error in documents that stand side by side, with a few examples of each."""
    found: defaultdict[str, list[Found]] = defaultdict(list)
    documents = keys = responses = matched = 0
    for key, response in pairs:
        pair = sides(key, response, options)
        documents += 1
        keys += len(pair.key.owner)
        responses += len(pair.response.owner)
        matched += sum(1 for _ in pair.matched())
        for error in errors_of(pair, key.key):
            found[error.error].append(error)
    counts = tuple(_summary(error, found[error], examples) for error in ERRORS)
    return ErrorReport(documents, keys, responses, matched, counts)


def error_grids(report: ErrorReport) -> list[Grid]:
    """A table of all counts, then one of examples for each error that was made."""
    rows: list[tuple[Cell, ...]] = [
        (each.error, each.count, each.entities, *(each.by_kind[kind] for kind in KINDS))
        for each in report.errors
    ]
    columns = ("error", "count", "places", *KINDS)
    notes = (
        f"{report.matched} of {report.key_mentions} key and {report.response_mentions} response"
        f" mentions match, in {report.documents} documents.",
        "An entity in n pieces counts n - 1 times as divided or conflated, and is one place.",
    )
    grids = [Grid("errors", columns, tuple(rows), notes)]
    return grids + [_examples_grid(each) for each in report.errors if each.examples]


def error_json(report: ErrorReport) -> dict[str, object]:
    """The report as plain values; errors by name, with `_` for the space."""
    values = asdict(report)
    values["errors"] = {each.pop("error").replace(" ", "_"): each for each in values["errors"]}
    return values


def _examples_grid(counted: ErrorCount) -> Grid:
    broken = any(example.pieces for example in counted.examples)
    rows: list[tuple[Cell, ...]] = []
    for each in counted.examples:
        place = "+".join(f"{start}-{end}" for start, end in each.spans)
        row: tuple[Cell, ...] = (each.document, place, each.kind, each.context)
        pieces = " | ".join(f"{piece.name} ({piece.mentions})" for piece in each.pieces)
        rows.append((*row, pieces) if broken else row)
    columns = ("document", "tokens", "kind", "in context")
    return Grid(
        f"{counted.error}: {len(rows)} of {counted.entities}",
        (*columns, "pieces") if broken else columns,
        tuple(rows),
    )


def _summary(error: str, found: Sequence[Found], examples: int) -> ErrorCount:
    by_kind = Counter(kind for each in found for kind in each.kinds)
    counts = {kind: by_kind[kind] for kind in KINDS}
    chosen = tuple(map(_example, _choose(found, examples)))
    return ErrorCount(error, by_kind.total(), len(found), counts, chosen)


def _choose(found: Sequence[Found], limit: int) -> list[Found]:
    """The most frequent words first, as far as possible each document and word once."""
    frequency = Counter(each.words.lower() for each in found)
    ordered = sorted(found, key=lambda each: -frequency[each.words.lower()])
    chosen: dict[int, Found] = {}
    places: set[str] = set()
    seen: set[str] = set()
    for wanted in (2, 1, 0):  # what must be new: document and words, one of them, neither
        for each in ordered:
            if len(chosen) >= limit:
                break
            words = each.words.lower()
            new = (each.place not in places) + (words not in seen)
            if new >= wanted and id(each) not in chosen:
                chosen[id(each)] = each
                places.add(each.place)
                seen.add(words)
    return list(chosen.values())


def _example(found: Found) -> Example:
    document, mention = found.pair.document, found.mention
    spans = tuple((span.start, span.end) for span in mention.spans)
    context = _context(document, mention)
    return Example(found.place, spans, found.words, found.kind, context, found.pieces)


def _context(document: Document, mention: Mention) -> str:
    """A few tokens on both sides of a mention, with brackets around its spans."""
    starts = {span.start for span in mention.spans}
    ends = {span.end - 1 for span in mention.spans}
    first, last = max(mention.start - CONTEXT, 0), min(mention.end + CONTEXT, len(document))
    shown = (
        ("[" if at in starts else "") + document.tokens[at] + ("]" if at in ends else "")
        for at in range(first, last)
    )
    return " ".join(shown)
