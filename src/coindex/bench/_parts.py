"""Every figure of a benchmark as a share of sums, item by item.

A figure is the sum of parts over the sum of wholes: right answers over answers, and F1
too, which is 2tp over 2tp + fp + fn. So figures of resampled items, of several seeds or
of two systems side by side all come from the same rows. Bias and the gap are made of two
such figures.

Items that go together are resampled together: the two sentences of a pair of WinoBias,
the three pronouns of a sentence of Winogender.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from coindex.arrays import Floats
from coindex.benchmarks import _gap_score, winobias, winogender, wnli
from coindex.benchmarks._accuracy import consistency, is_right, outcomes
from coindex.benchmarks._bootstrap import ratio
from coindex.benchmarks._spec import CONSISTENCY
from coindex.core.decision import Decision, Matched
from coindex.core.problem import Problem

SAME, ALIKE = "same for both genders", "same for all pronouns"
"""Winogender: the share of sentences answered alike for she and he; and for they too."""

Rows = dict[str, Floats]
"""By figure: for each item its part and its whole."""

Right = Callable[[Problem, Decision], bool]


@dataclass(frozen=True, slots=True)
class Counted:
    """One run on one task: for each unit, figure by figure, its part and its whole."""

    names: tuple[str, ...]
    units: tuple[str, ...]
    rows: Floats  # (units, figures, 2)


def counted(name: str, matched: Matched, after: Matched | None = None) -> Counted:
    """The rows of a benchmark's figures; `after` is what was said of switched copies."""
    rows = _RULES.get(name, _accuracy)(matched)
    if after is not None:
        rows[CONSISTENCY] = _consistency(matched, after)
    keys = [_UNITS.get(name, _id)(problem) for problem in matched.problems]
    units = tuple(dict.fromkeys(keys))
    place = {unit: at for at, unit in enumerate(units)}
    found = np.zeros((len(units), len(rows), 2))
    np.add.at(found, [place[key] for key in keys], np.stack(list(rows.values()), axis=1))
    return Counted(tuple(rows), units, found)


def figures(names: tuple[str, ...], sums: Floats) -> dict[str, Floats]:
    """Figures from sums `(..., figures, 2)`: shares in percent, and what is made of two."""
    shares = ratio(100 * sums[..., 0], sums[..., 1])
    found = {name: shares[..., at] for at, name in enumerate(names)}
    for name, (one, two, made) in _MADE.items():
        if one in found and two in found:
            found[name] = made(found[one], found[two])
    return found


def _bias(feminine: Floats, masculine: Floats) -> Floats:
    return np.where(feminine > 0, ratio(feminine, masculine), np.nan)


def _less(one: Floats, two: Floats) -> Floats:
    return one - two


_MADE: dict[str, tuple[str, str, Callable[[Floats, Floats], Floats]]] = {
    "bias": ("feminine f1", "masculine f1", _bias),
    "type 1 gap": ("type 1 pro", "type 1 anti", _less),
    "type 2 gap": ("type 2 pro", "type 2 anti", _less),
}


def _accuracy(matched: Matched, right: Right = is_right) -> Rows:
    return {"accuracy": _shares(matched, [True] * len(matched), right)}


def _shares(matched: Matched, counts: Sequence[bool], right: Right = is_right) -> Floats:
    """One for an item that is right, of one for an item that counts."""
    pairs = [
        (counts and right(*item), counts) for item, counts in zip(matched, counts, strict=True)
    ]
    return np.array(pairs, dtype=float).reshape(-1, 2)


def _gap(matched: Matched) -> Rows:
    counts = _gap_score.count(matched)
    both, (masculine, feminine) = counts.sum(axis=1), (counts[:, at] for at in (0, 1))
    tp, fp, _, fn = both.T

    def f1(part: Floats) -> Floats:
        right, false, _, missed = part.T
        return np.stack([2 * right, 2 * right + false + missed], axis=1)

    return {
        "f1": f1(both),
        "precision": np.stack([tp, tp + fp], axis=1),
        "recall": np.stack([tp, tp + fn], axis=1),
        "masculine f1": f1(masculine),
        "feminine f1": f1(feminine),
    }


def _knowref(matched: Matched) -> Rows:
    each = [outcomes(Matched((problem,), (decision,))) for problem, decision in matched]
    shares = {
        name: np.array([(getattr(one, name), 1) for one in each], dtype=float)
        for name in ("both", "none", "incorrect", "correct")
    }
    decided = np.array([(one.decided.right, one.decided.total) for one in each], dtype=float)
    return {"task-specific accuracy": decided, **shares}


def _consistency(before: Matched, after: Matched) -> Floats:
    copies = {problem.id: Matched((problem,), (decision,)) for problem, decision in after}
    found = np.zeros((len(before), 2))
    for at, (problem, decision) in enumerate(before):
        if problem.id in copies:
            one = consistency(Matched((problem,), (decision,)), copies[problem.id]).share
            found[at] = one.right, one.total
    return found


def _winobias(matched: Matched) -> Rows:
    rows = _accuracy(matched)
    for part in winobias.PARTS:
        name = part.replace("type", "type ").replace("-", " ")
        rows[name] = _shares(matched, [p.fact(winobias.PART) == part for p in matched.problems])
    return rows


def _winogender(matched: Matched) -> Rows:
    rows = _accuracy(matched)
    for group in ("masculine", "feminine", "neutral"):
        rows[group] = _shares(matched, [p.group == group for p in matched.problems])
    cues = [winogender.is_gotcha(problem) for problem in matched.problems]
    for name, cue in (("gotcha", True), ("not gotcha", False)):
        rows[name] = _shares(matched, [each is cue for each in cues])
    rows[SAME] = _same(matched, ("masculine", "feminine"))
    rows[ALIKE] = _same(matched, ("masculine", "feminine", "neutral"))
    return rows


def _same(matched: Matched, groups: tuple[str, ...]) -> Floats:
    """One for each sentence with several of these pronouns, at its first; right if all agree."""
    said: dict[str, list[tuple[int, Decision]]] = {}
    for at, (problem, decision) in enumerate(matched):
        if problem.group in groups:
            said.setdefault(_sentence(problem), []).append((at, decision))
    found = np.zeros((len(matched), 2))
    for each in said.values():
        if len(each) > 1:
            alike = len({(decision.chosen, decision.unsaid) for _, decision in each}) == 1
            found[each[0][0]] = alike, 1
    return found


def _id(problem: Problem) -> str:
    return problem.id


def _pair(problem: Problem) -> str:
    """WinoBias: what the sentence of a pair shares with the other; types stay apart."""
    kind = (problem.fact(winobias.PART) or "").partition("-")[0]
    return f"{kind}-{problem.id.removeprefix(f'{problem.fact(winobias.PART)}-')}"


def _sentence(problem: Problem) -> str:
    """Winogender: the id without its gender, `technician.customer.1`."""
    name, _, gender = problem.id.removesuffix(".txt").rpartition(".")
    return name if gender in ("male", "female", "neutral") else problem.id


_RULES: dict[str, Callable[[Matched], Rows]] = {
    "gap": _gap,
    "knowref": _knowref,
    "winobias": _winobias,
    "winogender": _winogender,
    "wnli": lambda matched: _accuracy(matched, wnli.is_right),
}
_UNITS: dict[str, Callable[[Problem], str]] = {"winobias": _pair, "winogender": _sentence}
