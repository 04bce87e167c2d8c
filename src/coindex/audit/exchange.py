"""How often clusters change when words are exchanged that should not matter.

For each figure there are pairs of texts. The value is the share of links (see `comparison`) that
are in one of the two only, of all links of both; 0 for a resolver that does not look at what was
exchanged. Texts in which anything changed are counted beside.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from coindex.audit.comparison import LinkChange, compare_links, link_words
from coindex.audit.intervals import Estimate, share
from coindex.audit.measurements.protocol import (
    AuditContext,
    AuditFigure,
    Example,
    Measured,
    NotMeasured,
)
from coindex.audit.own_texts import changed_texts
from coindex.audit.templates import Passage
from coindex.audit.variants import BASE, base_id, passages
from coindex.evaluate.results import signature

Pair = tuple[Passage, Passage]

LIMIT = 10.0
"""The share of links that may change, in percent."""

SHOWN = 3
"""How many examples a figure has."""


def text_signature(context: AuditContext, name: str, items: int) -> str:
    """The signature of figures on texts."""
    parts = {"measurement": name, "texts": "own" if context.own else "bundled"}
    parts[context.subject.kind] = context.subject.name
    return signature(parts, items, context.subject.signature)


def bundled_pairs(variants: Sequence[Passage]) -> list[Pair]:
    """Each variant with its text as it is without a change."""
    base = {base_id(each): each for each in passages(BASE)}
    return [(base[base_id(each)], each) for each in variants]


def own_pairs(
    context: AuditContext, changes: Mapping[str, str]
) -> tuple[dict[str, list[Pair]], list[str]]:
    """Pairs of the user's own texts for each figure, by the change that it takes; and notes."""
    resolved = context.resolve(context.own, "own texts")
    pairs, notes = {}, []
    for figure, change in changes.items():
        made = changed_texts(context.own, resolved, change, change)
        pairs[figure] = list(made.pairs)
        for reason, number in made.refused.most_common():
            which = "1 passage" if number == 1 else f"{number:,} passages"
            notes.append(f"{figure}: {which} cannot be changed: {reason}.")
    return pairs, notes


def measure_exchange(
    context: AuditContext, name: str, pairs: Mapping[str, Sequence[Pair]], what: Mapping[str, str],
    notes: Sequence[str] = (),
) -> Measured:  # fmt: skip
    """The share of links that change, for each figure; `what` says what was exchanged."""
    figures, examples, remarks = [], [], list(notes)
    for each, chosen in pairs.items():
        changes = link_changes(context, f"{name}, {each}", chosen)
        estimate = share(_rows(changes), context.draws)
        figures.append(_figure(each, estimate, changes, what[each]))
        examples += [_example(each, *item) for item in changes if item[1].changed][:SHOWN]
        if missing := len(chosen) - len(changes):
            what_lacks = "1 pair has" if missing == 1 else f"{missing:,} pairs have"
            remarks.append(f"{each}: {what_lacks} no clusters.")
    if all(figure.value is None for figure in figures):
        reasons = ["no pair of texts has clusters with links", *remarks]
        raise NotMeasured("; ".join(each.removesuffix(".") for each in reasons))
    of = sum(len(chosen) for chosen in pairs.values())
    return Measured(
        tuple(figures), text_signature(context, name, of), tuple(remarks), tuple(examples)
    )


def link_changes(
    context: AuditContext, task: str, pairs: Sequence[Pair]
) -> list[tuple[Pair, LinkChange]]:
    """What becomes of the links of each pair; pairs without clusters are left out."""
    before = context.resolve([one for one, _ in pairs], task)
    after = context.resolve([two for _, two in pairs], task)
    return [
        (pair, compare_links((pair[0].id, pair[0].text, one), (pair[1].id, pair[1].text, two)))
        for pair, one, two in zip(pairs, before, after, strict=True)
        if one is not None and two is not None
    ]


def _rows(changes: Sequence[tuple[Pair, LinkChange]]) -> list[tuple[float, float]]:
    """The links that changed, and all links, of the pairs of one text together."""
    sums: dict[str, tuple[float, float]] = {}
    for (before, _), change in changes:
        changed, every = sums.get(before.id, (0.0, 0.0))
        sums[before.id] = changed + change.changed, every + change.links
    return list(sums.values())


def _figure(
    name: str, estimate: Estimate, changes: Sequence[tuple[Pair, LinkChange]], what: str
) -> AuditFigure:
    texts = sum(change.changed > 0 for _, change in changes)
    value = "no" if estimate.value is None else f"{estimate.value:.1f} % of the"
    meaning = f"With {what}, {value} links change, in {texts:,} of {len(changes):,} texts."
    return AuditFigure(
        name,
        estimate.value,
        estimate.interval,
        estimate.of,
        "percent",
        meaning,
        LIMIT,
        0.0,
        "higher",
    )


def _example(figure: str, pair: Pair, change: LinkChange) -> Example:
    words = [f"no longer {link_words(pair[0].text, link)}" for link in change.lost]
    words += [f"now {link_words(pair[1].text, link)}" for link in change.new]
    return Example(figure, pair[0].text, pair[1].text, "; ".join(words))
