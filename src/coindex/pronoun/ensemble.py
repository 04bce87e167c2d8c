"""Several resolvers' decisions made into one, with weights chosen on dev.

Each member says of a candidate c whether it chose it, x(c) = 1 or 0, and, if it tells
scores, how likely it is, p(c), a softmax over them. The ensemble chooses the candidate
with the highest

    u(c) = sum over members m of  v_m x_m(c) + w_m log p_m(c)

where v and w are those of a conditional logit (McFadden 1974) on dev: the likelihood of
the right candidates, softmax over u, with a Gaussian prior on the weights (`PRIOR`). With
`neither`, none of them is a choice too, with a utility of its own; without it, none of
them is said only where all members say so. A member that tells no scores, as clusters do
not, has w = 0. With found candidates a member may take the pronoun to mean somebody else:
then x = 0 for all candidates, while p still tells which of them it would sooner take. What
a combination is worth is told by cross-validation: weights from nine tenths of dev, figures
from the tenth left out.

Several seeds of one recipe are so alike that weighing them learns dev's noise. `equal`
weighs nothing: v = 0 and w = 1, the product of what the members hold likely.

A veto is not weighed: a candidate that it scores lower than another one is not chosen, as long
as one is left that none bars.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coindex.arrays import Floats
from coindex.core.decision import Decision, answer_of
from coindex.core.problem import Problem
from coindex.errors import InputError

PRIOR = 1.0
FOLDS = 10
_LEAST = 1e-4  # no candidate is less likely than this
_NEVER = -1e9
_FAR = 1e3
"""How much lower a barred candidate is; of several, scores still tell."""


@dataclass(frozen=True, slots=True)
class Weights:
    """The two weights of each member, first all v, then all w; and that of "neither"."""

    values: tuple[float, ...]
    neither: float | None = None

    def json(self) -> dict[str, Any]:
        """As plain values."""
        return {"values": list(self.values), "neither": self.neither}


def equal(members: int) -> Weights:
    """All members alike, by their scores alone."""
    return Weights((0.0,) * members + (1.0,) * members)


def weights_from(values: dict[str, Any], members: int, source: str) -> Weights:
    """What `json` wrote, for so many members."""
    found, neither = values.get("values"), values.get("neither")
    if not isinstance(found, list) or len(found) != 2 * members:
        raise InputError(f"{source}: expected {2 * members} weights of {members} members")
    return Weights(tuple(map(float, found)), None if neither is None else float(neither))


def features(problem: Problem, decisions: Sequence[Decision]) -> Floats:
    """What the members say of each candidate: (candidates, 2 * members)."""
    count = len(problem.candidates)
    chosen = np.zeros((count, len(decisions)))
    likely = np.zeros((count, len(decisions)))
    for member, decision in enumerate(decisions):
        chosen[list(decision.chosen), member] = 1.0
        if decision.scores is not None:
            likely[:, member] = np.log(np.maximum(_softmax(np.array(decision.scores)), _LEAST))
    return np.concatenate([chosen, likely], axis=1)


def fit(
    problems: Sequence[Problem], told: Sequence[Sequence[Decision]], *, neither: bool = False
) -> Weights:
    """The likeliest weights under the prior; `told` has the members' decisions by problem."""
    from scipy.optimize import minimize

    rows, right = _tables(problems, told, neither)
    size = rows.shape[2]
    if not len(rows):
        raise InputError("expected problems with an answer to weigh members on, found none")

    def cost(at: Floats) -> tuple[float, Floats]:
        utility = rows @ at + np.where(np.isnan(right), _NEVER, 0.0)
        every = utility - utility.max(1, keepdims=True)
        chance = np.exp(every) / np.exp(every).sum(1, keepdims=True)
        hits = np.where(right == 1, chance, 0.0)
        total = np.maximum(hits.sum(1), 1e-300)
        loss = -np.log(total).sum() + 0.5 * PRIOR * (at**2).sum()
        slope = np.einsum("nc,ncf->f", chance - hits / total[:, None], rows) + PRIOR * at
        return float(loss), slope

    found = minimize(cost, np.zeros(size), jac=True, method="L-BFGS-B").x
    values = tuple(round(float(value), 6) for value in found)
    return Weights(values[:-1], values[-1]) if neither else Weights(values)


def choose(
    problem: Problem,
    decisions: Sequence[Decision],
    weights: Weights,
    vetoes: Sequence[Decision] = (),
) -> Decision:
    """The ensemble's decision, with utilities as scores; of equals, the first."""
    utility = features(problem, decisions) @ np.array(weights.values)
    utility[barred(vetoes, len(utility))] -= _FAR
    at = int(utility.argmax())
    none = weights.neither is not None and weights.neither > utility[at]
    said = any(decision.chosen for decision in decisions)
    if weights.neither is not None:  # the scores alone were weighed against it too
        said = said or any(decision.scores for decision in decisions)
    chosen = (at,) if said and not none else ()
    return Decision(problem.id, chosen, tuple(map(float, utility)))


def barred(vetoes: Sequence[Decision], count: int) -> list[int]:
    """The candidates, of so many, that a veto scores below its best; none where all are."""
    scores = [decision.scores for decision in vetoes if decision.scores]
    found = {at for row in scores for at, score in enumerate(row) if score < max(row)}
    return sorted(found) if len(found) < count else []


def crossed(
    problems: Sequence[Problem],
    told: Sequence[Sequence[Decision]],
    vetoes: Sequence[Sequence[Decision]] | None = None,
    *,
    neither: bool = False,
) -> list[Decision]:
    """Decisions on each problem by weights from the folds that it is not in."""
    no = vetoes if vetoes is not None else [()] * len(problems)
    found: dict[int, Decision] = {}
    for fold in range(FOLDS):
        rest = [n for n in range(len(problems)) if n % FOLDS != fold]
        held = [n for n in range(len(problems)) if n % FOLDS == fold]
        if held:
            made = fit([problems[n] for n in rest], [told[n] for n in rest], neither=neither)
            found.update({n: choose(problems[n], told[n], made, no[n]) for n in held})
    return [found[n] for n in range(len(problems))]


def _tables(
    problems: Sequence[Problem], told: Sequence[Sequence[Decision]], neither: bool
) -> tuple[Floats, Floats]:
    """Features (problems, choices, features) and 1 for right, 0 for wrong, NaN for no choice."""
    kept = [n for n, problem in enumerate(problems) if neither or answer_of(problem)]
    most = max((len(problems[n].candidates) for n in kept), default=0) + neither
    size = 2 * len(told[kept[0]]) + neither if kept else 0
    rows, right = np.zeros((len(kept), most, size)), np.full((len(kept), most), np.nan)
    for at, n in enumerate(kept):
        own, answer = features(problems[n], told[n]), answer_of(problems[n])
        rows[at, : len(own), : own.shape[1]] = own
        right[at, : len(own)] = np.isin(np.arange(len(own)), answer)
        if neither:
            rows[at, -1, -1] = 1.0
            right[at, -1] = not answer
    return rows, right


def _softmax(scores: Floats) -> Floats:
    finite = np.where(np.isfinite(scores), scores, -1e9)
    found = np.exp(finite - finite.max())
    return np.asarray(found / found.sum())
