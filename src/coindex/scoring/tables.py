"""Tables made of results: one system, several, their ranks, their differences.

Every table ends in the signatures of its numbers, and says in words what was odd
in the files and what was done about it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from coindex.errors import UsageError
from coindex.scoring import _words as words
from coindex.scoring._cells import BARS, MARKED
from coindex.scoring._compare import comparison_grid, holm
from coindex.scoring._json import comparison_json, comparisons_json, result_json, scores_json
from coindex.scoring.grid import Cell, Grid
from coindex.scoring.run import Result, deciding, f1_of
from coindex.scoring.significance import RESAMPLES, SEED, Interval

__all__ = [
    "comparison_grid",
    "comparison_json",
    "comparisons_json",
    "document_grid",
    "holm",
    "ranking_grid",
    "ranks",
    "result_json",
    "score_grid",
    "scores_json",
    "systems_grid",
]

_MENTION_COUNTS = ("mentions", "b3", "ceafm", "lea")
"""Metrics whose second and fourth counts are the mentions of key and response."""


def score_grid(
    result: Result,
    intervals: Mapping[str, Interval],
    *,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Grid:
    """One system: a row for each metric."""
    rows: list[tuple[Cell, ...]] = []
    bars = []
    for metric, score in result.scores.items():
        title, interval = words.title(metric), intervals.get(metric)
        rows.append((title, score.recall, score.precision, score.f1, words.between(interval)))
        bars.append(words.bar(title, score.f1, interval))
    notes = [words.resampled(resamples, seed, len(result.documents))] if intervals else []
    notes.append(f"{BARS}F1{' with 95 % intervals' if intervals else ''}")
    return Grid(
        f"Scores of {result.name}",
        ("metric", "recall", "precision", "F1", "95 % interval"),
        tuple(rows),
        (*notes, *words.odd([result]), *words.signatures([result])),
        bars=tuple(bars),
    )


def systems_grid(
    results: Sequence[Result],
    intervals: Sequence[Mapping[str, Interval]],
    *,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Grid:
    """Several systems: a row for each, the F1 of each metric, the best of each marked."""
    names = words.shared_metrics(results)
    last = deciding(names)
    ranges = [each.get(last) for each in intervals]
    rows, bars = [], []
    for result, low_high in zip(results, ranges, strict=True):
        values = [result.scores[metric].f1 for metric in names]
        rows.append((result.name, *values, words.between(low_high)))
        bars.append(words.bar(result.name, result.scores[last].f1, low_high))
    marked = _firsts(results, names) if len(results) > 1 else frozenset()
    notes = [f"{MARKED}the best of its column."] if marked else []
    if any(ranges):
        notes.append(words.resampled(resamples, seed, len(results[0].documents)))
    whiskers = " with 95 % intervals" if any(ranges) else ""
    notes.append(f"{BARS}{words.title(last)} F1{whiskers}")
    return Grid(
        "F1 of each system",
        ("system", *map(words.title, names), f"95 % interval of {words.title(last)}"),
        tuple(rows),
        (*notes, *words.odd(results), *words.signatures(results)),
        marked,
        tuple(bars),
    )


def _firsts(results: Sequence[Result], names: Sequence[str]) -> frozenset[tuple[int, int]]:
    """The cells of the best systems under each metric."""
    return frozenset(
        (row, column)
        for column, metric in enumerate(names, 1)
        for row, rank in enumerate(ranks([result.scores[metric].f1 for result in results]))
        if rank == 1
    )


def ranks(scores: Sequence[float]) -> list[int]:
    """The rank of each score, the highest first; equal ones share a rank: 1, 1, 3."""
    rounded = [round(score, 9) for score in scores]
    return [1 + sum(other > score for other in rounded) for score in rounded]


def ranking_grid(results: Mapping[str, Sequence[Result]], metric: str) -> Grid:
    """Several systems under several matching rules, with ranks; changes of rank are marked.

    The lists hold the same systems in the same order. Ranks are compared with those
    under maximum spans, or under the first rule where there are no maximum spans.
    """
    rules = list(results)
    names = [result.name for result in results[rules[0]]]
    if any([result.name for result in each] != names for each in results.values()):
        raise UsageError("a ranking needs the same systems in the same order under every rule")
    scores = {rule: [r.scores[metric].f1 for r in each] for rule, each in results.items()}
    ranked = {rule: ranks(values) for rule, values in scores.items()}
    base = "exact" if "exact" in rules else rules[0]
    rows, marked = [], set()
    for row, at in enumerate(sorted(range(len(names)), key=lambda at: ranked[rules[0]][at])):
        cells = [words.with_rank(scores[rule][at], ranked[rule], at) for rule in rules]
        rows.append((names[at], *cells))
        for column, rule in enumerate(rules, 1):
            if ranked[rule][at] != ranked[base][at]:
                marked.add((row, column))
    notes = [f"{MARKED}a rank that differs from that under {words.spans(base)}."] if marked else []
    if len(names) > 1:
        notes.append("Ranks are by the unrounded F1; equal scores share a rank.")
        notes.append(f"Best: {words.best(names, ranked)}.")
    odd = dict.fromkeys(note for each in results.values() for note in words.odd(each))
    signatures = [note for each in results.values() for note in words.signatures(each)]
    return Grid(
        f"{words.title(metric)} F1 under each matching rule",
        ("system", *map(words.spans, rules)),
        tuple(rows),
        (*notes, *odd, *signatures),
        frozenset(marked),
    )


def document_grid(result: Result) -> Grid:
    """One system: a row for each document, the worst first."""
    names = result.options.metrics
    values = {metric: 100 * f1_of(metric, result.counts) for metric in names}
    decides = values[deciding(names)]
    source = next((name for name in _MENTION_COUNTS if name in result.counts), None)
    rows: list[tuple[Cell, ...]] = []
    empty = 0
    for at in sorted(range(len(result.documents)), key=lambda at: float(decides[at])):
        sizes = [int(result.counts[source][at][n]) for n in (1, 3)] if source else []
        empty += sizes == [0, 0]
        rows.append((result.documents[at], *(float(values[m][at]) for m in names), *sizes))
    notes = []
    if empty:
        none = "with no mention on either side: nothing over nothing is scored as 0."
        notes.append(f"{words.count(empty, 'document')} {none}")
    return Grid(
        f"F1 in each document, {result.name}",
        (
            "document",
            *map(words.title, names),
            *(("key mentions", "response mentions") if source else ()),
        ),
        tuple(rows),
        (*notes, *words.odd([result]), *words.signatures([result])),
    )
