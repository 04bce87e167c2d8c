"""What each metric counted in one document: its terms, the entities and the mentions.

The terms of a metric add up to its counts of the document. Entities are called K1, K2, ... in the
key and R1, R2, ... in the response, in the order of the contingency table.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

from coindex.errors import UsageError
from coindex.scoring import metrics
from coindex.scoring.contingency import ContingencyTable
from coindex.scoring.counting import count
from coindex.scoring.error_analysis import ErrorReport, find_errors
from coindex.scoring.matched_mentions import MatchedMentions, MentionIndex, match_mentions
from coindex.scoring.metrics.terms import Term
from coindex.scoring.scorer import ScoringOptions, counted_metrics, document_contingency
from coindex.types.document import Document
from coindex.types.mention import Mention, reading_order

Pair = tuple[Document, Document]


@dataclass(frozen=True, slots=True)
class ExplainedMention:
    """A mention that was scored, with its entity of each side (None: it lacks the mention).

    spans              pairs of token indices, the second one exclusive
    recall, precision  what the mention adds to B³: the fraction of its key entity, and of its
                       response entity, that is in the other one too
    """

    spans: tuple[tuple[int, int], ...]
    words: str
    kind: str
    key: int | None
    response: int | None
    recall: float
    precision: float


@dataclass(frozen=True, slots=True)
class ExplainedMetric:
    """The counts of a metric in one document, and the terms that add up to them."""

    name: str
    counts: tuple[float, ...]
    terms: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """What was counted in one document.

    document         whose words are shown
    key, response    the entities of each side, by the words of their first mention
    errors           the classes of errors in this document
    """

    name: str
    document: Document
    key: tuple[str, ...]
    response: tuple[str, ...]
    mentions: tuple[ExplainedMention, ...]
    metrics: tuple[ExplainedMetric, ...]
    errors: ErrorReport


def explain(pair: Pair, options: ScoringOptions) -> Explanation:
    """What every metric counted in one document."""
    table = document_contingency(*pair, options)
    matched = match_mentions(*pair, options)
    once = replace(options, repeats="largest") if options.repeats == "all" else options
    return Explanation(
        pair[0].key,
        matched.document,
        _names(matched, matched.key),
        _names(matched, matched.response),
        _mentions(matched, table),
        tuple(_metric(name, table) for name in counted_metrics(options.metrics)),
        find_errors([pair], once, examples=10**6),
    )


def find_pair(pairs: Sequence[Pair], name: str) -> Pair:
    """The pair of documents of that name: its key, or its id if no other part has it."""
    for_key = [pair for pair in pairs if pair[0].key == name]
    found = for_key or [pair for pair in pairs if pair[0].id == name]
    if len(found) == 1:
        return found[0]
    known = [pair[0].key for pair in (found or pairs)]
    shown = ", ".join(known[:5]) + (", ..." if len(known) > 5 else "")
    raise UsageError(f"--explain: expected the name of a document, found {name!r}: {shown}")


def _metric(name: str, table: ContingencyTable) -> ExplainedMetric:
    """A metric with its terms; where it has none for this table, the document is one term."""
    counts = tuple(count(name, table).tolist())
    explain_table = metrics.load_counting(name).explain
    plain = table.views is None and table.splits is None
    if explain_table is None or not plain:
        return ExplainedMetric(name, counts, (Term(None, None, counts, "the whole document"),))
    return ExplainedMetric(name, counts, explain_table(table))


def _names(matched: MatchedMentions, side: MentionIndex) -> tuple[str, ...]:
    """The words of the first mention of each entity."""
    entities = side.entities()
    firsts = (min((side.mentions[m] for m in each), key=reading_order) for each in entities)
    return tuple(words_of(matched.document, mention) for mention in firsts)


def _mentions(matched: MatchedMentions, table: ContingencyTable) -> tuple[ExplainedMention, ...]:
    cells = {
        (row, column): overlap
        for row, column, overlap in zip(
            table.rows.tolist(), table.columns.tolist(), table.overlaps.tolist(), strict=True
        )
    }
    every = dict.fromkeys([*matched.key.entity_of, *matched.response.entity_of])
    found = [_mention(matched, identity, cells) for identity in every]
    return tuple(sorted(found, key=lambda each: each.spans))


def _mention(
    matched: MatchedMentions, identity: Hashable, cells: dict[tuple[int, int], int]
) -> ExplainedMention:
    key = matched.key.entity_of.get(identity)
    response = matched.response.entity_of.get(identity)
    recall = precision = 0.0
    if key is not None and response is not None:
        overlap = cells.get((key, response), 0)
        recall = overlap / matched.key.sizes[key]
        precision = overlap / matched.response.sizes[response]
    mention = matched.mention(identity)
    spans = tuple((span.start, span.end) for span in mention.spans)
    words, kind = words_of(matched.document, mention), matched.kind(identity)
    return ExplainedMention(spans, words, kind, key, response, recall, precision)


def words_of(document: Document, mention: Mention) -> str:
    """The tokens of a mention, separated by spaces, with ` … ` for gaps."""
    return " … ".join(" ".join(document.tokens[s.start : s.end]) for s in mention.spans)
