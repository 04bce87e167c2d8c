"""The words around numbers: titles, intervals, signatures, what was odd in the files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from coindex import metrics
from coindex.errors import UsageError
from coindex.scoring._cells import FIGURE_SPACE, SIGNATURE
from coindex.scoring.grid import Bar
from coindex.scoring.run import Result
from coindex.scoring.significance import Interval

_SPANS = {"exact": "maximum spans", "mina": "MINA spans", "head": "head spans"}


def title(metric: str) -> str:
    """How tables call a metric."""
    return metrics.load(metric).TITLE


def spans(rule: str) -> str:
    """How tables call a matching rule; those of no minimum span go by their names."""
    return _SPANS.get(rule, rule)


def count(number: int, noun: str) -> str:
    """`1 mention`, `1,200 mentions`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def between(interval: Interval | None) -> str | None:
    """An interval of scores: `61.20-64.93`."""
    return None if interval is None else f"{interval.low:.2f}-{interval.high:.2f}"


def bar(label: str, value: float, interval: Interval | None) -> Bar:
    """A number for the picture."""
    if interval is None:
        return Bar(label, value)
    return Bar(label, value, interval.low, interval.high)


def with_rank(score: float, ranks: Sequence[int], at: int) -> str:
    """`62.20 (1)`, in line with ranks of more digits; one alone has no rank."""
    if len(ranks) == 1:
        return f"{score:.2f}"
    room = FIGURE_SPACE * (len(str(max(ranks))) - len(str(ranks[at])))
    return f"{score:.2f} {room}({ranks[at]})"


def best(names: Sequence[str], ranks: Mapping[str, Sequence[int]]) -> str:
    """The best system under each rule, or under all of them."""
    winners = {
        rule: " and ".join(name for name, rank in zip(names, each, strict=True) if rank == 1)
        for rule, each in ranks.items()
    }
    if len(set(winners.values())) == 1:
        return next(iter(winners.values()))
    return "; ".join(f"{name} under {spans(rule)}" for rule, name in winners.items())


def resampled(resamples: int, seed: int, documents: int) -> str:
    """Where the intervals come from."""
    return (
        f"95 % intervals by the bootstrap over {count(documents, 'document')}: "
        f"{resamples:,} resamples, seed {seed}."
    )


def shared_metrics(results: Sequence[Result]) -> tuple[str, ...]:
    """The metrics of systems that stand in one table."""
    first = results[0].options.metrics
    for result in results:
        if result.options.metrics != first:
            raise UsageError(
                f"{results[0].name} and {result.name} were scored by different metrics"
            )
    return first


def odd(results: Sequence[Result]) -> list[str]:
    """What was repeated or collapsed, and what was done about it."""
    rule = results[0].options.match
    under = f"under {spans(rule)}"
    kinds = (
        ("repeated", "annotated more than once", "kept once, in the largest of their entities"),
        ("merged", f"that equal one of another entity {under}", "kept in the largest of these"),
        ("collapsed", f"that equal another of their entity {under}", "counted once"),
    )
    notes = []
    for kind, what, done in kinds:
        found = [(result.name, *getattr(result, kind)) for result in results]
        found = [each for each in found if each[1] or each[2]]
        if not found:
            continue
        if len(results) == 1:
            _, key, response = found[0]
            who = f"{count(key, 'mention')} of the key and {response:,} of the response"
            notes.append(f"{kind.capitalize()}: {who} {what}, {done}.")
        else:
            who = ", ".join(f"{name} {key:,}+{response:,}" for name, key, response in found)
            notes.append(f"{kind.capitalize()}: mentions {what}, {done} (key+response): {who}.")
    for result in results:
        if any(result.absent):
            lacks = f"{result.name} lacks {count(result.absent[0], 'document')}, the key {result.absent[1]:,}"
            notes.append(f"Missing: {lacks}; they count as documents without entities.")
    return notes


def signatures(results: Sequence[Result]) -> list[str]:
    """The signature of each system, said once where several share it."""
    owners: dict[str, list[str]] = {}
    for result in results:
        owners.setdefault(result.signature, []).append(result.name)
    if len(owners) == 1:
        return [f"{SIGNATURE}: {next(iter(owners))}"]
    return [f"{SIGNATURE} of {', '.join(names)}: {text}" for text, names in owners.items()]
