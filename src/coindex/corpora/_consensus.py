"""What most raters said of an item: GAP asks for two of three, KnowRef for five of six."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from coindex.core.problem import Problem
from coindex.core.words import labels
from coindex.errors import InvalidValue

ANSWERS: Mapping[str, tuple[int, ...]] = {"first": (0,), "second": (1,), "neither": ()}


def judgements(problem: Problem) -> tuple[str, ...]:
    """What each rater said, by the fact `judgements` of an annotated item: `A A neither`."""
    return tuple((problem.fact("judgements") or "").split())


def consensus(name: str, judged: Sequence[str], raters: int, agree: int) -> str:
    """What most said (`first`, `second`, `neither`, `both`, `not sure`), or why nothing."""
    known = labels("gap_labels")
    for answer in judged:
        if answer not in known:
            raise InvalidValue(
                f"{name}: expected a judgement of {', '.join(known)}, found {answer!r}"
            )
    if len(judged) < raters:
        return "not judged"
    counts = Counter(known[answer] for answer in judged).most_common(2)
    tied = len(counts) > 1 and counts[0][1] == counts[1][1]
    if tied or counts[0][1] < agree:
        return "no consensus"
    return "not sure" if counts[0][0] == "unsure" else counts[0][0]
