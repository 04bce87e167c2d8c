"""Lengths of maximum, minimum and head spans, and mentions that share a minimum span.

`measure_spans` returns the additive counts of one document, as in section 5 of the MINA paper:
lengths (its Table 1 and Figure 8), distinct overlapping mentions with the same minimum span
under a rule, and, for corpora that annotate the minimum span of mentions, the number of spans
that contain it (its Table 2). A mention of several entities is counted once. Lengths are in
tokens; the length of a head is one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from itertools import combinations

from coindex.scoring.matching.builtin import mina
from coindex.text.heads import head_finder
from coindex.types.document import Document
from coindex.types.mention import Mention, reading_order
from coindex.types.span import Span
from coindex.types.tree import DUMMY, subtree

LENGTHS = ("1", "2", "3", ">=4")
RULES = ("mina", "head")
_MINIMUM_ATTRIBUTES = ("minspan", "min")

Tokens = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SharedSpan:
    """Two distinct overlapping mentions that have the same minimum span under a rule."""

    rule: str
    document: str
    first: Tokens
    second: Tokens
    minimum: Tokens
    words: tuple[str, str, str]
    same_entity: bool


@dataclass(frozen=True, slots=True)
class SpanStatistics:
    """Counts of documents; those of two corpora can be added.

    maximum, mina   the number of mentions of each length
    whole           mentions in whose tree MINA finds nothing: they keep all their words
    dummy           mentions that are not phrases of the tree
    overlapping     pairs of distinct mentions that overlap
    shared          those of them with the same minimum span, by rule
    annotated       mentions whose minimum span the corpus annotates
    unreadable      mentions whose annotated minimum span cannot be read
    contained       spans that contain the annotated minimum, by rule
    """

    documents: int = 0
    mentions: int = 0
    discontinuous: int = 0
    whole: int = 0
    dummy: int = 0
    overlapping: int = 0
    annotated: int = 0
    unreadable: int = 0
    maximum: Counter[int] = field(default_factory=Counter)
    mina: Counter[int] = field(default_factory=Counter)
    contained: Counter[str] = field(default_factory=Counter)
    shared: tuple[SharedSpan, ...] = ()

    def __add__(self, other: SpanStatistics) -> SpanStatistics:
        names = [each.name for each in fields(SpanStatistics)]
        return SpanStatistics(*(getattr(self, name) + getattr(other, name) for name in names))


def measure_spans(document: Document) -> SpanStatistics:
    """The counts of one document, which must have trees."""
    by_mina, head = mina.pair(document, document)[0], head_finder(document)
    mentions = list({mention.spans: mention for mention in document.mentions}.values())
    reduced: dict[str, dict[tuple[Span, ...], Tokens]] = {
        "mina": {mention.spans: _tokens(by_mina(mention)) for mention in mentions},
        "head": {mention.spans: (head(mention),) for mention in mentions},
    }
    phrases = [m for m in mentions if m.end - m.start > 1 and not m.discontinuous]
    trees = [subtree(document.parse or (), mention.start, mention.end) for mention in phrases]
    annotated = [(mention, _annotated(mention)) for mention in mentions]
    readable = [(mention, set(tokens)) for mention, tokens in annotated if tokens]
    return SpanStatistics(
        documents=1,
        mentions=len(mentions),
        discontinuous=sum(mention.discontinuous for mention in mentions),
        whole=sum(not mina.search(document, m.start, m.end) for m in phrases),
        dummy=sum(tree.tag == DUMMY for tree in trees),
        overlapping=sum(1 for _ in _overlapping(mentions)),
        annotated=len(readable),
        unreadable=sum(tokens == () for _, tokens in annotated),
        maximum=Counter(len(mention.tokens) for mention in mentions),
        mina=Counter(map(len, reduced["mina"].values())),
        contained=Counter(
            {rule: sum(t <= set(reduced[rule][m.spans]) for m, t in readable) for rule in RULES}
        ),
        shared=tuple(
            pair for rule in RULES for pair in _shared(document, mentions, rule, reduced[rule])
        ),
    )


def _tokens(identity: Hashable) -> Tokens:
    """The identity of a mention under `mina`, which is a tuple of tokens."""
    return tuple(identity) if isinstance(identity, tuple) else ()


def _annotated(mention: Mention) -> Tokens | None:
    """The minimum span that the corpus annotates, by positions in the mention.

    None if there is none, () if it cannot be read.
    """
    attrs = dict(mention.attrs)
    value = next((attrs[name] for name in _MINIMUM_ATTRIBUTES if attrs.get(name)), None)
    if value is None:
        return None
    tokens = mention.tokens
    at = [int(part) if part.isascii() and part.isdigit() else 0 for part in value.split(",")]
    return tuple(tokens[n - 1] for n in at) if all(0 < n <= len(tokens) for n in at) else ()


def _overlapping(mentions: list[Mention]) -> Iterator[tuple[Mention, Mention]]:
    """Pairs of mentions with a token in common; `mentions` are in reading order."""
    open_: list[Mention] = []
    for mention in mentions:
        open_ = [other for other in open_ if other.end > mention.start]
        for other in open_:
            gaps = mention.discontinuous or other.discontinuous
            if not gaps or set(mention.tokens) & set(other.tokens):
                yield other, mention
        open_.append(mention)


def _shared(
    document: Document,
    mentions: list[Mention],
    rule: str,
    reduced: Mapping[tuple[Span, ...], Tokens],
) -> Iterator[SharedSpan]:
    """Pairs of mentions with the same minimum span; they overlap, for both contain it."""
    groups: defaultdict[Tokens, list[Mention]] = defaultdict(list)
    for mention in mentions:
        groups[reduced[mention.spans]].append(mention)
    entities: defaultdict[tuple[Span, ...], set[int]] = defaultdict(set)
    for number, entity in enumerate(document.entities):
        for mention in entity.mentions:
            entities[mention.spans].add(number)
    for minimum, group in groups.items():
        for a, b in combinations(sorted(group, key=reading_order), 2):
            one, two, least = (
                " ".join(document.tokens[token] for token in tokens)
                for tokens in (a.tokens, b.tokens, minimum)
            )
            same = bool(entities[a.spans] & entities[b.spans])
            words = (one, two, least)
            yield SharedSpan(rule, document.key, a.tokens, b.tokens, minimum, words, same)


def histogram(lengths: Counter[int]) -> dict[str, int]:
    """The number of mentions of one, two, three, and more tokens."""
    short = {str(length): lengths[length] for length in (1, 2, 3)}
    return {**short, LENGTHS[3]: lengths.total() - sum(short.values())}


def describe(statistics: SpanStatistics) -> dict[str, object]:
    """The counts and the figures that follow from them, by name, for a table or JSON."""
    pairs = Counter(pair.rule for pair in statistics.shared)
    together = Counter(pair.rule for pair in statistics.shared if pair.same_entity)
    annotated, contained = statistics.annotated, statistics.contained
    return {
        "documents": statistics.documents,
        "mentions": statistics.mentions,
        "discontinuous mentions": statistics.discontinuous,
        "mean length": {
            "maximum": _mean(statistics.maximum),
            "mina": _mean(statistics.mina),
            "head": 1.0 if statistics.mentions else None,
        },
        "lengths": {"maximum": histogram(statistics.maximum), "mina": histogram(statistics.mina)},
        "nothing found, kept whole": statistics.whole,
        "no phrase, dummy root": statistics.dummy,
        "overlapping pairs": statistics.overlapping,
        "pairs sharing a minimum": {rule: pairs[rule] for rule in RULES},
        "of these in one entity": {rule: together[rule] for rule in RULES},
        "minimum annotated": annotated,
        "minimum annotated, unreadable": statistics.unreadable,
        "minimum contained, %": {
            rule: 100 * contained[rule] / annotated if annotated else None for rule in RULES
        },
    }


def _mean(lengths: Counter[int]) -> float | None:
    total = lengths.total()
    return sum(length * number for length, number in lengths.items()) / total if total else None
