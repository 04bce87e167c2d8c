"""Tiny problems, rules and made-up benchmarks for the tests of `coindex.evaluate`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from coindex.benchmarks import gap_scorer
from coindex.benchmarks.figures import accuracy_counts, problem_id, score_accuracy
from coindex.benchmarks.protocol import Chance, Figure, Published
from coindex.scoring.significance import Interval
from coindex.types.decision import Decision, MatchedDecisions
from coindex.types.problem import Candidate, Problem
from coindex.types.span import Chars


def problem(
    id: str, answer: tuple[int, ...] = (0,), names: str = "Ann Eve", **more: Any
) -> Problem:
    """`Ann met Eve when she left .`"""
    one, two = names.split()
    text = f"{one} met {two} when she left ."
    places = Chars(0, len(one)), Chars(len(one) + 5, len(one) + 5 + len(two))
    start = text.index("she")
    found = tuple(Candidate(name, at) for name, at in zip((one, two), places, strict=True))
    return Problem(id, text, Chars(start, start + 3), found, answer, **more)


ITEMS = tuple(
    problem(f"p{n}", (n % 2,), group="feminine" if n % 3 else "masculine") for n in range(10)
)


class Resolver:
    """Answers with a rule, and remembers what it was asked."""

    def __init__(self, rule: Callable[[Problem], tuple[int, ...]], signature: str = "fake") -> None:
        self.rule, self.signature = rule, signature
        self.asked: list[str] = []

    def decide(self, problems: Iterable[Problem]) -> Iterator[Decision]:
        for each in problems:
            self.asked.append(each.id)
            yield Decision(each.id, self.rule(each))


def first_in_text(problem: Problem) -> tuple[int, ...]:
    """A rule that ignores names."""
    places = [each.chars.start if each.chars else 0 for each in problem.candidates]
    return (places.index(min(places)),)


def rightly(problem: Problem) -> tuple[int, ...]:
    """The right answers of ITEMS and of their switched copies, without being told them."""
    place = int(problem.id[1:]) % 2  # of ITEMS: the first in the text, the second
    (first,) = first_in_text(problem)
    return (first if place == 0 else 1 - first,)


def by_name(problem: Problem) -> tuple[int, ...]:
    """A rule that looks at nothing but names."""
    return (min(range(2), key=lambda at: problem.candidates[at].text),)


def gap_like(matched: MatchedDecisions, resamples: int, seed: int) -> tuple[Figure, ...]:
    told = gap_scorer.gap_score(matched)
    part = told.overall
    return (
        Figure("f1", part.f1, Interval(part.f1 - 1, part.f1 + 1), len(matched)),
        Figure("precision", part.precision),
        Figure("recall", part.recall),
        Figure("bias", told.bias, unit="ratio"),
    )


def benchmark_facts(items: tuple[Problem, ...] = ITEMS) -> dict[str, Any]:
    return {
        "TITLE": "Tiny: ten problems",
        "CORPUS": (),
        "SPLITS": {"dev": len(items), "test": len(items)},
        "DEFAULT": "dev",
        "CANDIDATES": ("given",),
        "CONTEXTS": ("snippet",),
        "PROTOCOL": "One is right.",
        "METRICS": ("accuracy",),
        "CHANCE": Chance(50.0, "a coin"),
        "PUBLISHED": (
            Published("Old", "Someone 2001, Table 1", "dev", (("accuracy", 61.0),)),
            Published("Older", "Someone 2001, Table 1", "dev", (("accuracy", 60.5),), note="odd"),
            Published("Other", "Someone 2001, Table 2", "test", (("accuracy", 70.0),)),
        ),
        "problems": lambda split: items,
        "score": score_accuracy,
        "counts": accuracy_counts,
        "resampling_unit": problem_id,
        "DERIVED": {},
        "PREDICTIONS": None,
    }


def for_every_benchmark(count: int) -> tuple[Problem, ...]:
    """Problems that every benchmark can score: two candidates, one of them right."""
    found = []
    for number in range(count):
        job, right, group = number % 4, number // 4 % 2, ("masculine", "feminine")[number // 8 % 2]
        part = f"type{1 + number // 2 % 2}-{('pro', 'anti')[number % 2]}"
        names = (Candidate(f"job{job}", Chars(0, 4)), Candidate("Kim", Chars(9, 12)))
        meta = (("part", part), ("percent-women", str(20 + 20 * job)))
        text = f"job{job} met Kim when she left ."
        id = f"{part}-{number // 2}"
        found.append(Problem(id, text, Chars(18, 21), names, (right,), group, meta=meta))
    return tuple(found)
