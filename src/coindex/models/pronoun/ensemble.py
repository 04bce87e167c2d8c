"""Several resolvers' decisions combined into one, with weights fitted on dev.

Each member states of a candidate c whether it chose it, x(c) = 1 or 0, and, if it has scores,
a probability p(c), their softmax. The ensemble chooses the candidate with the highest

    u(c) = sum over members m of  v_m x_m(c) + w_m log p_m(c)

where v and w are those of a conditional logit (McFadden 1974) on dev: they maximise the
likelihood of the right candidates, a softmax over u, under a Gaussian prior (`PRIOR`). With
`neither`, "none of them" is a choice with a utility too; without it, that is the decision only
where all members agree on it. A member without scores, such as one of clusters, has w = 0. With
detected candidates a member may choose a name that is no candidate: then x = 0 for all
candidates, while p still ranks them. An ensemble is evaluated by cross-validation: weights from
nine tenths of dev, scores on the remaining tenth.

Several seeds of one recipe are so similar that weights fitted on dev would fit its noise.
`equal` sets v = 0 and w = 1: the product of the members' probabilities.

A veto has no weight: a candidate that it scores lower than another one is not chosen, unless
all candidates are vetoed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coindex.errors import InputError
from coindex.scoring.contingency import Floats
from coindex.types.decision import Decision, answer_of
from coindex.types.problem import Problem

PRIOR = 1.0
FOLDS = 10
_MIN_PROBABILITY = 1e-4
_EXCLUDED = -1e9
_VETO_PENALTY = 1e3
"""Subtracted from the utility of a vetoed candidate."""


@dataclass(frozen=True, slots=True)
class MemberWeights:
    """The two weights of each member, first all v, then all w; and the utility of "neither"."""

    values: tuple[float, ...]
    neither: float | None = None


def equal_weights(members: int) -> MemberWeights:
    """The same weight for all members, by their scores alone."""
    return MemberWeights((0.0,) * members + (1.0,) * members)


def parse_weights(values: dict[str, Any], members: int, source: str) -> MemberWeights:
    """Weights from plain values, for so many members."""
    result, neither = values.get("values"), values.get("neither")
    if not isinstance(result, list) or len(result) != 2 * members:
        raise InputError(f"{source}: expected {2 * members} weights of {members} members")
    return MemberWeights(tuple(map(float, result)), None if neither is None else float(neither))


def member_features(problem: Problem, decisions: Sequence[Decision]) -> Floats:
    """The features of each candidate: (candidates, 2 * members)."""
    count = len(problem.candidates)
    chosen = np.zeros((count, len(decisions)))
    likely = np.zeros((count, len(decisions)))
    for member, decision in enumerate(decisions):
        chosen[list(decision.chosen), member] = 1.0
        if decision.scores is not None:
            likely[:, member] = np.log(
                np.maximum(_softmax(np.array(decision.scores)), _MIN_PROBABILITY)
            )
    return np.concatenate([chosen, likely], axis=1)


def fit_weights(
    problems: Sequence[Problem], decisions: Sequence[Sequence[Decision]], *, neither: bool = False
) -> MemberWeights:
    """The most likely weights under the prior; `decisions` has those of the members by problem."""
    from scipy.optimize import minimize

    rows, right = _tables(problems, decisions, neither)
    size = rows.shape[2]
    if not len(rows):
        raise InputError("expected problems with an answer to weigh members on, found none")

    def cost(at: Floats) -> tuple[float, Floats]:
        utility = rows @ at + np.where(np.isnan(right), _EXCLUDED, 0.0)
        every = utility - utility.max(1, keepdims=True)
        chance = np.exp(every) / np.exp(every).sum(1, keepdims=True)
        hits = np.where(right == 1, chance, 0.0)
        total = np.maximum(hits.sum(1), 1e-300)
        loss = -np.log(total).sum() + 0.5 * PRIOR * (at**2).sum()
        slope = np.einsum("nc,ncf->f", chance - hits / total[:, None], rows) + PRIOR * at
        return float(loss), slope

    result = minimize(cost, np.zeros(size), jac=True, method="L-BFGS-B").x
    values = tuple(round(float(value), 6) for value in result)
    return MemberWeights(values[:-1], values[-1]) if neither else MemberWeights(values)


def choose_candidate(
    problem: Problem,
    decisions: Sequence[Decision],
    weights: MemberWeights,
    vetoes: Sequence[Decision] = (),
) -> Decision:
    """The ensemble's decision, with utilities as scores; of equals, the first."""
    utility = member_features(problem, decisions) @ np.array(weights.values)
    utility[vetoed_candidates(vetoes, len(utility))] -= _VETO_PENALTY
    at = int(utility.argmax())
    none = weights.neither is not None and weights.neither > utility[at]
    answered = any(decision.chosen for decision in decisions)
    if weights.neither is not None:  # scores alone were weighed against it too
        answered = answered or any(decision.scores for decision in decisions)
    chosen = (at,) if answered and not none else ()
    return Decision(problem.id, chosen, tuple(map(float, utility)))


def vetoed_candidates(vetoes: Sequence[Decision], count: int) -> list[int]:
    """The candidates, of `count`, that a veto scores below its best; none if all would be."""
    scores = [decision.scores for decision in vetoes if decision.scores]
    result = {at for row in scores for at, score in enumerate(row) if score < max(row)}
    return sorted(result) if len(result) < count else []


def cross_validated(
    problems: Sequence[Problem],
    decisions: Sequence[Sequence[Decision]],
    vetoes: Sequence[Sequence[Decision]] | None = None,
    *,
    neither: bool = False,
) -> list[Decision]:
    """Decisions on each problem by weights fitted on the folds that it is not in."""
    no = vetoes if vetoes is not None else [()] * len(problems)
    result: dict[int, Decision] = {}
    for fold in range(FOLDS):
        rest = [n for n in range(len(problems)) if n % FOLDS != fold]
        held = [n for n in range(len(problems)) if n % FOLDS == fold]
        if held:
            made = fit_weights(
                [problems[n] for n in rest], [decisions[n] for n in rest], neither=neither
            )
            result.update(
                {n: choose_candidate(problems[n], decisions[n], made, no[n]) for n in held}
            )
    return [result[n] for n in range(len(problems))]


def _tables(
    problems: Sequence[Problem], decisions: Sequence[Sequence[Decision]], neither: bool
) -> tuple[Floats, Floats]:
    """Features (problems, choices, features) and 1 for right, 0 for wrong, NaN for no choice."""
    kept = [n for n, problem in enumerate(problems) if neither or answer_of(problem)]
    most = max((len(problems[n].candidates) for n in kept), default=0) + neither
    size = 2 * len(decisions[kept[0]]) + neither if kept else 0
    rows, right = np.zeros((len(kept), most, size)), np.full((len(kept), most), np.nan)
    for at, n in enumerate(kept):
        own, answer = member_features(problems[n], decisions[n]), answer_of(problems[n])
        rows[at, : len(own), : own.shape[1]] = own
        right[at, : len(own)] = np.isin(np.arange(len(own)), answer)
        if neither:
            rows[at, -1, -1] = 1.0
            right[at, -1] = not answer
    return rows, right


def _softmax(scores: Floats) -> Floats:
    finite = np.where(np.isfinite(scores), scores, -1e9)
    result = np.exp(finite - finite.max())
    return np.asarray(result / result.sum())
