"""Agreement on chains: mean pairwise F1 of CoNLL, B³ and mentions, and Krippendorff's alpha.

Equal annotations have an agreement of 100. A metric is undefined where neither side has
anything to count (MUC without any link, all metrics without any mention). Undefined metrics
are left out of the CoNLL mean; if all are undefined, both annotations are empty, hence equal.
The CoNLL scorer counts such a metric as 0; between annotators, two equal annotations with
singletons only would then have an agreement of 66.7.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations
from statistics import fmean
from typing import Any

from coindex import __version__
from coindex.annotate.quality import krippendorff
from coindex.scoring import metrics
from coindex.scoring.scorer import Result, ScoringOptions, score_pairs
from coindex.types.document import Document

CONLL = metrics.expand("conll")
OPTIONS = ScoringOptions(("mentions", *CONLL))
FIGURES = ("conll", "b3", "mentions")
PLAIN = tuple(name for name in OPTIONS.metrics if name != "conll")
EQUAL = 100.0
MAX_COMPARED = 12

Annotations = Mapping[str, Mapping[int, Document]]
"""For each document's name, the annotation of each annotator by id."""


def figures(result: Result) -> dict[str, float]:
    """Return the reported F1 values, in percent."""
    own = {name: f1 for name in PLAIN if (f1 := defined_f1(result, name)) is not None}
    parts = [own[name] for name in CONLL if name in own]
    conll = fmean(parts) if parts else EQUAL
    return {"conll": conll, **{name: own.get(name, EQUAL) for name in FIGURES if name in PLAIN}}


def defined_f1(result: Result, metric: str) -> float | None:
    """Return the F1 of a metric; None where it is undefined."""
    return result.scores[metric].f1 if result.counts[metric].any() else None


def similarity(one: Document, two: Document) -> float:
    """Return the similarity of two annotations of a document: CoNLL F1 in percent."""
    return figures(score_pairs([(one, two)], OPTIONS))["conll"]


def agreement(annotations: Annotations) -> dict[str, Any]:
    """Return the agreement by pair, by document, by annotator and overall."""
    shared = {name: own for name, own in annotations.items() if len(own) > 1}
    pairs: defaultdict[tuple[int, int], list[tuple[Document, Document]]] = defaultdict(list)
    documents = []
    counts = krippendorff.AlphaCounts()
    for name, own in shared.items():
        by_pair = {(a, b): (own[a], own[b]) for a, b in combinations(sorted(own), 2)}
        for pair, sides in by_pair.items():
            pairs[pair].append(sides)
        scores = [figures(score_pairs([sides], OPTIONS)) for sides in by_pair.values()]
        own_counts = krippendorff.count(list(own.values()))
        counts += own_counts
        documents.append(
            {
                "name": name,
                "annotators": len(own),
                **_mean(scores),
                "alpha": krippendorff.score(own_counts),
            }
        )
    results = {pair: score_pairs(sides, OPTIONS) for pair, sides in pairs.items()}
    rows = [
        {"a": a, "b": b, "documents": len(pairs[a, b]), **figures(result)}
        for (a, b), result in results.items()
    ]
    measured = "+".join(OPTIONS.metrics)
    signature = (
        f"pairwise-mean|{measured}+alpha:passonneau|undefined:left-out|match:{OPTIONS.match}"
        f"|singletons:{OPTIONS.singletons}|docs:{len(shared)}|v:{__version__}"
    )
    return {
        "pairs": rows,
        "documents": documents,
        "by_annotator": _by_annotator(rows),
        "overall": {**_mean(documents), "alpha": krippendorff.score(counts)},
        "signature": signature,
    }


def _mean(rows: list[Any]) -> dict[str, float | None]:
    return {name: fmean(row[name] for row in rows) if rows else None for name in FIGURES}


def _by_annotator(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return for each annotator the mean over pairs, weighted by their documents."""
    people = sorted({row[side] for row in rows for side in ("a", "b")})
    averages = []
    for person in people:
        own = [row for row in rows if person in (row["a"], row["b"])]
        weight = sum(row["documents"] for row in own)
        means = {n: sum(row[n] * row["documents"] for row in own) / weight for n in FIGURES}
        averages.append({"id": person, **means, "documents": weight})
    return averages


def most_similar(documents: Sequence[Document], threshold: float) -> list[int]:
    """Return the indices of the largest set whose pairs all reach a similarity.

    Among sets of that size the one with the highest total similarity; its most central
    document first. All subsets are tried, so only the first `MAX_COMPARED` are considered.
    """
    count = min(len(documents), MAX_COMPARED)
    similar = {
        (a, b): similarity(documents[a], documents[b]) for a, b in combinations(range(count), 2)
    }

    def total(chosen: tuple[int, ...]) -> float:
        return sum(similar[pair] for pair in combinations(chosen, 2))

    for size in range(count, 0, -1):
        sets = [
            chosen
            for chosen in combinations(range(count), size)
            if all(similar[pair] >= threshold for pair in combinations(chosen, 2))
        ]
        if sets:
            best = max(sets, key=total)
            return sorted(best, key=lambda at: -_centrality(at, best, similar))
    return []


def _centrality(
    at: int, chosen: tuple[int, ...], similar: Mapping[tuple[int, int], float]
) -> float:
    return sum(similar[min(at, other), max(at, other)] for other in chosen if other != at)
