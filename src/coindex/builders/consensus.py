"""The consensus of annotators on an item: GAP requires two of three, KnowRef five of six."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from coindex.errors import InvalidValue
from coindex.text.word_lists import labels
from coindex.types.problem import Problem

ANSWERS: Mapping[str, tuple[int, ...]] = {"first": (0,), "second": (1,), "neither": ()}


def judgements(problem: Problem) -> tuple[str, ...]:
    """The judgement of each annotator, from the metadata `judgements` of an item: `A A neither`."""
    return tuple((problem.meta_value("judgements") or "").split())


def consensus(name: str, judged: Sequence[str], raters: int, agree: int) -> str:
    """The label that at least `agree` annotators chose, or why there is none.

    Labels are `first`, `second`, `neither`, `both` and `not sure`; reasons are `not judged`
    (fewer than `raters` judgements) and `no consensus`.
    """
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
