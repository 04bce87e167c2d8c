"""How far annotators agree on chains: mean pairwise F1 of CoNLL, B³ and mentions, and alpha."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from itertools import combinations
from statistics import fmean
from typing import Any

from coindex import __version__
from coindex.annotate import alpha
from coindex.core.document import Document
from coindex.scoring.run import CONLL, Options, Result, score_pairs

OPTIONS = Options(("mentions", *CONLL))
FIGURES = ("conll", "b3", "mentions")

Made = Mapping[str, Mapping[int, Document]]
"""For each document's name, what each annotator (by number) made of it."""


def figures(result: Result) -> dict[str, float]:
    """The F1, in percent, of what is reported."""
    return {name: result.scores[name].f1 for name in FIGURES}


def similarity(one: Document, two: Document) -> float:
    """How alike two annotations of a document are: CoNLL F1 in percent; 100 if both are empty."""
    if not one.entities and not two.entities:
        return 100.0
    return score_pairs([(one, two)], OPTIONS).scores["conll"].f1


def agreement(made: Made) -> dict[str, Any]:
    """All pairs, all documents, all annotators, and everything together."""
    shared = {name: own for name, own in made.items() if len(own) > 1}
    pairs: defaultdict[tuple[int, int], list[tuple[Document, Document]]] = defaultdict(list)
    documents = []
    counts = alpha.Counts()
    for name, own in shared.items():
        both = {(a, b): (own[a], own[b]) for a, b in combinations(sorted(own), 2)}
        for pair, sides in both.items():
            pairs[pair].append(sides)
        found = [figures(score_pairs([sides], OPTIONS)) for sides in both.values()]
        told = alpha.count(list(own.values()))
        counts += told
        documents.append(
            {"name": name, "annotators": len(own), **_mean(found), "alpha": alpha.score(told)}
        )
    results = {pair: score_pairs(sides, OPTIONS) for pair, sides in pairs.items()}
    rows = [
        {"a": a, "b": b, "documents": len(pairs[a, b]), **figures(result)}
        for (a, b), result in results.items()
    ]
    measured = "+".join(OPTIONS.metrics)
    signature = (
        f"pairwise-mean|{measured}+alpha:passonneau|match:{OPTIONS.match}"
        f"|singletons:{OPTIONS.singletons}|docs:{len(shared)}|v:{__version__}"
    )
    return {
        "pairs": rows,
        "documents": documents,
        "by_annotator": _by_annotator(rows),
        "overall": {**_mean(documents), "alpha": alpha.score(counts)},
        "signature": signature,
    }


def _mean(rows: list[Any]) -> dict[str, float | None]:
    return {name: fmean(row[name] for row in rows) if rows else None for name in FIGURES}


def _by_annotator(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """For each annotator the mean over pairs, each weighted by the documents it has."""
    people = sorted({row[side] for row in rows for side in ("a", "b")})
    found = []
    for person in people:
        own = [row for row in rows if person in (row["a"], row["b"])]
        weight = sum(row["documents"] for row in own)
        means = {n: sum(row[n] * row["documents"] for row in own) / weight for n in FIGURES}
        found.append({"id": person, **means, "documents": weight})
    return found
