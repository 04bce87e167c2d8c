"""Labels that a model is confident are wrong: dropped before a builder's `collect`, and counted.

A builder labels by rules, some of which fail ("Glenn" is taken for a man). A model that answers
the items without their labels disagrees with some of them. Its scores s become probabilities by a
softmax; where the probability of the best candidate that is not the label reaches `confidence`,
the item is dropped. Of a resolver without scores every choice of another candidate counts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from coindex import formats
from coindex.builders.pipeline.run import BuildResult
from coindex.builders.pipeline.shard_output import FORMAT, StoredItems, write_part
from coindex.builders.protocol import Dropped
from coindex.types.decision import Decision, unanswered
from coindex.types.problem import Problem

STAGE = "check"
REASON = "a model is confident of another answer"
CHECKED = "checked.jsonl"
"""The file of the items whose labels were not rejected, beside the parts."""
CONFIDENCE = 0.9
"""The probability from which on a model counts as confident."""

Decide = Callable[[Iterable[Problem]], Iterator[Decision]]


@dataclass(frozen=True, slots=True)
class LabelCheck:
    """What labels are checked with.

    signature   of the resolver, for the settings of the run
    """

    decide: Decide
    signature: str
    confidence: float = CONFIDENCE


def check_items(result: BuildResult, check: LabelCheck, folder: Path) -> BuildResult:
    """The items of a run without those whose labels are rejected, stored in a file of the folder."""
    account, path, losses = result.account, folder / CHECKED, formats.ConversionLosses(FORMAT)
    items = account.items_of(check_labels(result.problems, check))
    write_part(path, account, formats.write_lines(items, FORMAT, losses))
    settings = ("check", f"{check.signature}|confidence:{check.confidence:g}")
    return BuildResult(StoredItems((path,), losses.written), account, (*result.settings, settings))


def check_labels(problems: Collection[Problem], check: LabelCheck) -> Iterator[Problem | Dropped]:
    """Each item, or that its label is rejected; items without a label are passed on."""
    decisions = check.decide(unanswered(each) for each in problems if each.answer is not None)
    for problem in problems:
        if problem.answer is not None and _rejected(problem, next(decisions), check.confidence):
            yield Dropped(problem.id, STAGE, REASON, problem.text)
        else:
            yield problem


def _rejected(problem: Problem, decision: Decision, confidence: float) -> bool:
    others = [at for at in range(len(problem.candidates)) if at not in (problem.answer or ())]
    if decision.scores is None:
        chosen = set(decision.chosen)
        return bool(chosen & set(others)) and not chosen & set(problem.answer or ())
    shares = softmax(decision.scores)
    return max((shares[at] for at in others), default=0.0) >= confidence


def softmax(scores: Sequence[float]) -> list[float]:
    """Scores as probabilities."""
    most = max(scores, default=0.0)
    powers = [math.exp(score - most) for score in scores]
    return [power / sum(powers) for power in powers]
