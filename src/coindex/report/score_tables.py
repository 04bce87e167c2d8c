"""Tables of scores: of one system, of several, their ranks and their differences.

Every table ends with the signatures of its numbers. Its notes state what was irregular in the
files, and how it was handled.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from coindex.errors import UsageError
from coindex.report.table import FIGURE_SPACE, Bar, Cell, Note, Table, pluralize, text_notes
from coindex.scoring import matching, metrics
from coindex.scoring.scorer import Result, ranking_metric
from coindex.scoring.significance import (
    LEVEL,
    RESAMPLES,
    SEED,
    Comparison,
    Interval,
    Intervals,
    corrected_p,
)


def score_table(
    result: Result, intervals: Intervals, *, resamples: int = RESAMPLES, seed: int = SEED
) -> Table:
    """One system: one row per metric."""
    rows: list[tuple[Cell, ...]] = []
    bars = []
    for metric, score in result.scores.items():
        title, interval = metric_title(metric), intervals.get(metric)
        rows.append((title, score.recall, score.precision, score.f1, _range(interval)))
        bars.append(_bar(title, score.f1, interval))
    notes = [_resampling(resamples, seed, len(result.documents))] if intervals else []
    return Table(
        f"Scores of {result.name}",
        ("metric", "recall", "precision", "F1", "95 % interval"),
        tuple(rows),
        (*notes, _caption("F1", bool(intervals)), *irregularities([result]), *signatures([result])),
        bars=tuple(bars),
    )


def systems_table(
    results: Sequence[Result],
    intervals: Sequence[Intervals],
    *,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Table:
    """Several systems: one row each, with the F1 of each metric; the best are marked."""
    names = _common_metrics(results)
    main = ranking_metric(names)
    ranges = [each.get(main) for each in intervals]
    rows, bars = [], []
    for result, interval in zip(results, ranges, strict=True):
        values = [result.scores[metric].f1 for metric in names]
        rows.append((result.name, *values, _range(interval)))
        bars.append(_bar(result.name, result.scores[main].f1, interval))
    marked = _best_cells(results, names) if len(results) > 1 else frozenset()
    notes = [Note("marked", "the best of its column.")] if marked else []
    if any(ranges):
        notes.append(_resampling(resamples, seed, len(results[0].documents)))
    notes.append(_caption(f"{metric_title(main)} F1", any(ranges)))
    return Table(
        "F1 of each system",
        ("system", *map(metric_title, names), f"95 % interval of {metric_title(main)}"),
        tuple(rows),
        (*notes, *irregularities(results), *signatures(results)),
        marked,
        tuple(bars),
    )


def ranking_table(results: Mapping[str, Sequence[Result]], metric: str) -> Table:
    """Several systems under several matching rules, with ranks; changes of rank are marked.

    Every rule has the same systems in the same order. Ranks are compared with those under
    maximum spans, or under the first rule if there are no maximum spans.
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
        rows.append(
            (names[at], *(_with_rank(scores[rule][at], ranked[rule], at) for rule in rules))
        )
        for column, rule in enumerate(rules, 1):
            if ranked[rule][at] != ranked[base][at]:
                marked.add((row, column))
    differs = f"a rank that differs from that under {matching.load(base).TITLE}."
    notes = [Note("marked", differs)] if marked else []
    if len(names) > 1:
        notes += text_notes(
            "Ranks are by the unrounded F1; equal scores share a rank.",
            f"Best: {_best_systems(names, ranked)}.",
        )
    irregular = dict.fromkeys(note for each in results.values() for note in irregularities(each))
    return Table(
        f"{metric_title(metric)} F1 under each matching rule",
        ("system", *(matching.load(rule).TITLE for rule in rules)),
        tuple(rows),
        (*notes, *irregular, *(note for each in results.values() for note in signatures(each))),
        frozenset(marked),
    )


def comparison_table(
    comparisons: Sequence[Comparison], *, resamples: int = RESAMPLES, seed: int = SEED
) -> Table:
    """One row per pair of systems; for several pairs, the corrected p is shown too.

    Both tests must agree: the greater p of the two, after the correction, is decisive.
    """
    several = len(comparisons) > 1
    p_values = corrected_p(comparisons)
    rows: list[tuple[Cell, ...]] = []
    for each, p in zip(comparisons, p_values, strict=True):
        rows.append(
            (
                each.first,
                each.second,
                metric_title(each.metric),
                _signed(each.difference),
                f"{_signed(each.interval.low)} to {_signed(each.interval.high)}",
                f"{each.randomization:.4f}",
                f"{each.bootstrap:.4f}",
                *([f"{p:.4f}"] if several else []),
                f"significant at {LEVEL}" if p < LEVEL else "not significant",
            )
        )
    columns = (
        *("first", "second", "metric", "difference", "95 % interval"),
        *("p (randomization)", "p (bootstrap)"),
        *(("p (Holm)",) if several else ()),
        "verdict",
    )
    marked = frozenset((at, len(columns) - 1) for at, p in enumerate(p_values) if p < LEVEL)
    notes = []
    if marked:
        corrected = ", after the correction" if several else ""
        notes.append(Note("marked", f"p below {LEVEL} in both tests{corrected}."))
    notes += text_notes(
        "Difference: F1 of the first less F1 of the second, in points. Two-sided paired tests "
        "over documents, approximate randomization and the bootstrap: "
        f"{resamples:,} resamples each, seed {seed}."
    )
    if several:
        notes += text_notes(
            f"p (Holm): the greater p of the two tests, corrected for {len(comparisons)}"
            " comparisons (Holm-Bonferroni); it decides the verdict."
        )
    return Table("Differences in F1", columns, tuple(rows), tuple(notes), marked)


def metric_title(metric: str) -> str:
    """The name of a metric in tables."""
    return metrics.load(metric).TITLE


REPEATS_NOTES = {
    "largest": ("kept once, in the largest of their entities", "kept in the largest of these"),
    "first": ("kept once, in the first of their entities", "kept in the first of these"),
    "all": ("counted in each of their entities", "counted in each of these"),
}
"""What is done with mentions of several entities, and with those that a rule makes the same."""


def irregularities(results: Sequence[Result]) -> tuple[Note, ...]:
    """Notes on repeated, merged and collapsed mentions and on missing documents."""
    under = f"under {matching.load(results[0].options.match).TITLE}"
    repeated, merged = REPEATS_NOTES[results[0].options.repeats]
    kinds = (
        ("repeated", "annotated more than once", repeated),
        ("merged", f"that equal one of another entity {under}", merged),
        ("collapsed", f"that equal another of their entity {under}", "counted once"),
    )
    notes = []
    for kind, what, done in kinds:
        counts = [(result.name, *getattr(result, kind)) for result in results]
        counts = [each for each in counts if each[1] or each[2]]
        if not counts:
            continue
        if len(results) == 1:
            _, key, response = counts[0]
            who = f"{pluralize(key, 'mention')} of the key and {response:,} of the response"
            notes.append(f"{kind.capitalize()}: {who} {what}, {done}.")
        else:
            who = ", ".join(f"{name} {key:,}+{response:,}" for name, key, response in counts)
            notes.append(f"{kind.capitalize()}: mentions {what}, {done} (key+response): {who}.")
    for result in results:
        response, key = result.absent
        if response or key:
            missing = f"{result.name} is missing {pluralize(response, 'document')}, the key {key:,}"
            notes.append(f"Missing: {missing}; they count as documents without entities.")
    return text_notes(*notes)


def signatures(results: Sequence[Result]) -> list[Note]:
    """The signature of each system; systems with the same signature share a note."""
    systems: dict[str, list[str]] = {}
    for result in results:
        systems.setdefault(result.signature, []).append(result.name)
    if len(systems) == 1:
        return [Note("signature", next(iter(systems)))]
    return [Note("signature", text, ", ".join(names)) for text, names in systems.items()]


def ranks(scores: Sequence[float]) -> list[int]:
    """The rank of each score, the highest first; equal scores share a rank: 1, 1, 3."""
    rounded = [round(score, 9) for score in scores]
    return [1 + sum(other > score for other in rounded) for score in rounded]


def _best_cells(results: Sequence[Result], names: Sequence[str]) -> frozenset[tuple[int, int]]:
    """The cells of the best systems under each metric."""
    return frozenset(
        (row, column)
        for column, metric in enumerate(names, 1)
        for row, rank in enumerate(ranks([result.scores[metric].f1 for result in results]))
        if rank == 1
    )


def _best_systems(names: Sequence[str], ranked: Mapping[str, Sequence[int]]) -> str:
    """The best system under each rule, or under all of them."""
    winners = {
        rule: " and ".join(name for name, rank in zip(names, each, strict=True) if rank == 1)
        for rule, each in ranked.items()
    }
    if len(set(winners.values())) == 1:
        return next(iter(winners.values()))
    return "; ".join(f"{name} under {matching.load(rule).TITLE}" for rule, name in winners.items())


def _with_rank(score: float, ranked: Sequence[int], at: int) -> str:
    """`62.20 (1)`, aligned with ranks of more digits; a single system has no rank."""
    if len(ranked) == 1:
        return f"{score:.2f}"
    padding = FIGURE_SPACE * (len(str(max(ranked))) - len(str(ranked[at])))
    return f"{score:.2f} {padding}({ranked[at]})"


def _common_metrics(results: Sequence[Result]) -> tuple[str, ...]:
    """The metrics of systems that are shown in one table; they must be the same."""
    first = results[0].options.metrics
    for result in results:
        if result.options.metrics != first:
            raise UsageError(
                f"{results[0].name} and {result.name} were scored by different metrics"
            )
    return first


def _range(interval: Interval | None) -> str | None:
    """An interval of scores: `61.20-64.93`."""
    return None if interval is None else f"{interval.low:.2f}-{interval.high:.2f}"


def _signed(value: float) -> str:
    return f"{round(value, 2) + 0.0:+.2f}"  # plus zero: there is no "-0.00"


def _bar(label: str, value: float, interval: Interval | None) -> Bar:
    return Bar(label, value, *((interval.low, interval.high) if interval else ()))


def _caption(what: str, intervals: bool) -> Note:
    return Note("caption", f"{what}{' with 95 % intervals' if intervals else ''}")


def _resampling(resamples: int, seed: int, documents: int) -> Note:
    return Note(
        "text",
        f"95 % intervals by the bootstrap over {pluralize(documents, 'document')}: "
        f"{resamples:,} resamples, seed {seed}.",
    )
