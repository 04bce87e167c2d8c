"""How far annotators agree on chains: mean pairwise F1 of CoNLL, B³ and mentions, and alpha.

Equal annotations agree by 100, whatever they hold. A metric for which there is nothing to
find on either side (MUC without any link, all of them without any mention) is not defined
there: it is left out of the CoNLL mean, and where nothing is left both are empty, hence
equal. In a comparison with gold such a metric counts 0, as the CoNLL scorer has it; between
annotators that would make two equal annotations of singletons agree by 66.7 alone.
"""

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
PLAIN = tuple(name for name in OPTIONS.metrics if name != "conll")
EQUAL = 100.0

Made = Mapping[str, Mapping[int, Document]]
"""For each document's name, what each annotator (by number) made of it."""


def figures(result: Result) -> dict[str, float]:
    """The F1, in percent, of what is reported, of the metrics that are defined."""
    own = {name: f1 for name in PLAIN if (f1 := defined(result, name)) is not None}
    parts = [own[name] for name in CONLL if name in own]
    conll = fmean(parts) if parts else EQUAL
    return {"conll": conll, **{name: own.get(name, EQUAL) for name in FIGURES if name in PLAIN}}


def defined(result: Result, metric: str) -> float | None:
    """The F1 of a metric; None where there was nothing to find on either side."""
    return result.scores[metric].f1 if result.counts[metric].any() else None


def similarity(one: Document, two: Document) -> float:
    """How alike two annotations of a document are: CoNLL F1 in percent."""
    return figures(score_pairs([(one, two)], OPTIONS))["conll"]


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
        f"pairwise-mean|{measured}+alpha:passonneau|undefined:left-out|match:{OPTIONS.match}"
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
