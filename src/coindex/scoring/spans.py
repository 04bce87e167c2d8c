"""How long maximum, minimum and head spans are, and which mentions share one.

`count` gives the additive counts of one document, as in section 5 of the MINA
paper: lengths (its Table 1 and Figure 8), distinct overlapping mentions that a
rule can no longer tell apart, and, where a corpus annotates the minimum of a
mention itself, how many spans contain it (its Table 2). A mention that stands
in several entities is counted once. Lengths are in tokens; a head is one.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, fields
from typing import Any

from coindex.core.document import Document
from coindex.core.mention import Mention
from coindex.core.tree import DUMMY, subtree
from coindex.matching import head, mina
from coindex.scoring._sharing import Shared, Tokens, overlapping, sharing

LENGTHS = ("1", "2", "3", ">=4")
_MINIMUM = ("minspan", "min")


@dataclass(frozen=True, slots=True)
class Counts:
    """What can be counted in documents; counts of two corpora add up.

    maximum, mina   how many mentions have each length
    whole           mentions in whose tree MINA finds nothing: they keep all their words
    dummy           mentions that are no phrase of the tree
    overlapping     pairs of distinct mentions that overlap
    shared          those of them with the same minimum span, by rule
    annotated       mentions whose minimum the corpus gives; `unreadable` is one it gives oddly
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
    shared: tuple[Shared, ...] = ()

    def __add__(self, other: Counts) -> Counts:
        return Counts(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(Counts)))


def count(document: Document) -> Counts:
    """The counts of one document, which must have trees."""
    by_mina, by_head = mina.pair(document, document)[0], head.pair(document, document)[0]
    mentions = list({mention.spans: mention for mention in document.mentions}.values())
    reduced = {
        "mina": {mention.spans: _tokens(by_mina(mention)) for mention in mentions},
        "head": {mention.spans: _tokens(by_head(mention)) for mention in mentions},
    }
    long = [mention for mention in mentions if mention.end - mention.start > 1]
    plain = [mention for mention in long if not mention.discontinuous]
    trees = [subtree(document.parse or (), mention.start, mention.end) for mention in plain]
    annotated = [(mention, _annotated(mention)) for mention in mentions]
    least = [(mention, set(tokens)) for mention, tokens in annotated if tokens]
    shared = [pair for rule in reduced for pair in sharing(document, mentions, rule, reduced[rule])]
    return Counts(
        documents=1,
        mentions=len(mentions),
        discontinuous=sum(mention.discontinuous for mention in mentions),
        whole=sum(not mina.found_span(document, tree) for tree in trees),
        dummy=sum(tree.tag == DUMMY for tree in trees),
        overlapping=sum(1 for _ in overlapping(mentions)),
        annotated=len(least),
        unreadable=sum(tokens == () for _, tokens in annotated),
        maximum=Counter(len(mention.tokens) for mention in mentions),
        mina=Counter(map(len, reduced["mina"].values())),
        contained=Counter(
            {rule: sum(t <= set(reduced[rule][m.spans]) for m, t in least) for rule in reduced}
        ),
        shared=tuple(shared),
    )


def _tokens(identity: Any) -> Tokens:
    return tuple(identity)


def _annotated(mention: Mention) -> Tokens | None:
    """The minimum that the corpus gives: positions in the mention; () if it cannot be read."""
    attrs = dict(mention.attrs)
    value = next((attrs[name] for name in _MINIMUM if attrs.get(name)), None)
    if value is None:
        return None
    tokens = mention.tokens
    places = [int(part) if part.isascii() and part.isdigit() else 0 for part in value.split(",")]
    return tuple(tokens[p - 1] for p in places) if all(0 < p <= len(tokens) for p in places) else ()


def histogram(lengths: Counter[int]) -> dict[str, int]:
    """How many mentions are of one, two, three, and of more words."""
    few = {str(length): lengths[length] for length in (1, 2, 3)}
    return {**few, LENGTHS[3]: lengths.total() - sum(few.values())}


def describe(counts: Counts) -> dict[str, object]:
    """The counts and what follows from them, by name, for a table or JSON."""
    rules = ("mina", "head")
    pairs = Counter(pair.rule for pair in counts.shared)
    together = Counter(pair.rule for pair in counts.shared if pair.same_entity)
    given = counts.annotated
    return {
        "documents": counts.documents,
        "mentions": counts.mentions,
        "discontinuous mentions": counts.discontinuous,
        "mean length": {
            "maximum": _mean(counts.maximum),
            "mina": _mean(counts.mina),
            "head": 1.0 if counts.mentions else None,
        },
        "lengths": {"maximum": histogram(counts.maximum), "mina": histogram(counts.mina)},
        "nothing found, kept whole": counts.whole,
        "no phrase, dummy root": counts.dummy,
        "overlapping pairs": counts.overlapping,
        "pairs sharing a minimum": {rule: pairs[rule] for rule in rules},
        "of these in one entity": {rule: together[rule] for rule in rules},
        "minimum annotated": given,
        "minimum annotated, unreadable": counts.unreadable,
        "minimum contained, %": {
            rule: 100 * counts.contained[rule] / given if given else None for rule in rules
        },
    }


def _mean(lengths: Counter[int]) -> float | None:
    total = lengths.total()
    return sum(length * number for length, number in lengths.items()) / total if total else None
