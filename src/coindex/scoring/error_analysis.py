"""Error analysis: mentions and entities that are missing, extra, divided or conflated.

missing mention   in the key only
extra mention     in the response only
missing entity    a key entity none of whose mentions is in the response
extra entity      a response entity none of whose mentions is in the key
divided           a key entity whose mentions are in several response entities; every part but
                  the largest counts
conflated         a response entity with mentions of several key entities; every part but the
                  largest counts

All follow from the contingency table of the metrics: the matching rule is the same, singletons
may be dropped, and repeated mentions count once. The mentions of a missing entity are also
missing mentions. Every error is attributed to a kind of mention: that of the mention, or of the
most informative mention of the entity or part. This is the first name, or else the first
nominal, or else the first pronoun.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from coindex.scoring.matched_mentions import MatchedMentions, MentionIndex, match_mentions
from coindex.scoring.scorer import ScoringOptions
from coindex.text.mention_classes import KINDS
from coindex.types.document import Document
from coindex.types.mention import Mention, reading_order

ERRORS = (
    "missing mention",
    "extra mention",
    "missing entity",
    "extra entity",
    "divided",
    "conflated",
)
CONTEXT = 6
"""The number of tokens shown on each side of an example."""

EXAMPLES = 5
_MOST_INFORMATIVE = ("name", "nominal", "pronoun")


@dataclass(frozen=True, slots=True)
class EntityPart:
    """A part of a divided or conflated entity: its name and the number of its mentions."""

    name: str
    mentions: int


@dataclass(frozen=True, slots=True)
class ErrorExample:
    """One error with its context, in which the mention is in brackets.

    spans   pairs of token indices, the second one exclusive
    pieces  the parts of a divided or conflated entity, the largest first
    """

    document: str
    spans: tuple[tuple[int, int], ...]
    words: str
    kind: str
    context: str
    pieces: tuple[EntityPart, ...] = ()


@dataclass(frozen=True, slots=True)
class ErrorCount:
    """The number of errors of one type, by kind of mention, with a few examples.

    count     mentions or entities; for divided and conflated entities, the surplus parts
    entities  the divided or conflated entities; for other errors the same as `count`
    """

    error: str
    count: int
    entities: int
    by_kind: dict[str, int]
    examples: tuple[ErrorExample, ...]


@dataclass(frozen=True, slots=True)
class ErrorReport:
    """All errors of one response, in the order of `ERRORS`."""

    documents: int
    key_mentions: int
    response_mentions: int
    matched: int
    errors: tuple[ErrorCount, ...]

    def of(self, error: str) -> ErrorCount:
        """The count of one type of error."""
        return self.errors[ERRORS.index(error)]


_Error = tuple[str, tuple[str, ...], ErrorExample]
"""The type of an error, the kinds of mention it counts for, and the error as an example."""


def find_errors(
    pairs: Iterable[tuple[Document, Document]], options: ScoringOptions, examples: int = EXAMPLES
) -> ErrorReport:
    """Every error in pairs of documents, with a few examples of each type."""
    errors: defaultdict[str, list[_Error]] = defaultdict(list)
    documents = keys = responses = matched = 0
    for key, response in pairs:
        pair = match_mentions(key, response, options)
        documents += 1
        keys += len(pair.key.entity_of)
        responses += len(pair.response.entity_of)
        matched += sum(1 for _ in pair.matched())
        for error in _errors(pair, key.key):
            errors[error[0]].append(error)
    counts = tuple(_summary(error, errors[error], examples) for error in ERRORS)
    return ErrorReport(documents, keys, responses, matched, counts)


def _errors(pair: MatchedMentions, name: str) -> Iterator[_Error]:
    """Every error of one pair of documents; `name` is that of the document."""
    document = pair.document
    for side, other, label in (
        (pair.key, pair.response, "missing"),
        (pair.response, pair.key, "extra"),
    ):
        for identity in side.entity_of:
            if identity not in other.entity_of:
                kind, mention = pair.kind(identity), side.mentions[identity]
                yield f"{label} mention", (kind,), _example(document, name, kind, mention)
        for entity in side.entities():
            if not any(identity in other.entity_of for identity in entity):
                kind, mention = _representative(pair, entity)
                yield f"{label} entity", (kind,), _example(document, name, kind, mention)
    yield from _divided(pair, name, "divided", pair.key, pair.response)
    yield from _divided(pair, name, "conflated", pair.response, pair.key)


def _divided(
    pair: MatchedMentions, name: str, error: str, side: MentionIndex, other: MentionIndex
) -> Iterator[_Error]:
    """Entities of one side whose mentions are in several entities of the other."""
    others = other.entities()
    for entity in side.entities():
        parts: defaultdict[int, list[Hashable]] = defaultdict(list)
        for identity in entity:
            if identity in other.entity_of:
                parts[other.entity_of[identity]].append(identity)
        if len(parts) < 2:
            continue
        ordered = sorted(parts.items(), key=lambda item: (-len(item[1]), _first(side, item[1])))
        shown = []
        for index, part in ordered:
            # a part of a conflated entity has the name of its key entity
            named = others[index] if error == "conflated" else part
            words = _words(pair.document, _representative(pair, named)[1])
            shown.append(EntityPart(words, len(part)))
        kinds = tuple(_representative(pair, part)[0] for _, part in ordered[1:])
        example = _example(pair.document, name, *_representative(pair, entity))
        yield error, kinds, replace(example, pieces=tuple(shown))


def _first(side: MentionIndex, part: Iterable[Hashable]) -> tuple[int, ...]:
    return min(reading_order(side.mentions[identity]) for identity in part)


def _representative(pair: MatchedMentions, entity: Iterable[Hashable]) -> tuple[str, Mention]:
    """The most informative mention of an entity, after its kind."""
    every = ((pair.kind(identity), pair.mention(identity)) for identity in entity)
    return min(every, key=lambda item: (_MOST_INFORMATIVE.index(item[0]), reading_order(item[1])))


def _words(document: Document, mention: Mention) -> str:
    """The tokens of a mention, separated by spaces, with ` … ` for gaps."""
    return " … ".join(" ".join(document.tokens[s.start : s.end]) for s in mention.spans)


def _summary(error: str, errors: Sequence[_Error], limit: int) -> ErrorCount:
    by_kind = Counter(kind for _, kinds, _ in errors for kind in kinds)
    counts = {kind: by_kind[kind] for kind in KINDS}
    examples = tuple(_choose([example for *_, example in errors], limit))
    return ErrorCount(error, by_kind.total(), len(errors), counts, examples)


def _choose(examples: Sequence[ErrorExample], limit: int) -> list[ErrorExample]:
    """Examples of the most frequent words, if possible with each document and word once."""
    frequency = Counter(each.words.lower() for each in examples)
    ordered = sorted(examples, key=lambda each: -frequency[each.words.lower()])
    chosen: dict[int, ErrorExample] = {}
    seen: set[str] = set()
    for required in (2, 1, 0):  # what must be new: document and words, one of them, neither
        for each in ordered:
            if len(chosen) >= limit:
                break
            known = {f"document {each.document}", f"words {each.words.lower()}"}
            if len(known - seen) >= required and id(each) not in chosen:
                chosen[id(each)] = each
                seen |= known
    return list(chosen.values())


def _example(document: Document, name: str, kind: str, mention: Mention) -> ErrorExample:
    spans = tuple((span.start, span.end) for span in mention.spans)
    words, context = _words(document, mention), _context(document, mention)
    return ErrorExample(name, spans, words, kind, context)


def _context(document: Document, mention: Mention) -> str:
    """A few tokens on each side of a mention, with brackets around its spans."""
    starts = {span.start for span in mention.spans}
    ends = {span.end - 1 for span in mention.spans}
    first, last = max(mention.start - CONTEXT, 0), min(mention.end + CONTEXT, len(document))
    shown = (
        ("[" if at in starts else "") + document.tokens[at] + ("]" if at in ends else "")
        for at in range(first, last)
    )
    return " ".join(shown)
