"""Simulation: gold documents stand in for annotators.

For each seed the documents are dealt anew into a seed set, a pool and a share kept
aside. Each strategy starts from the same seed set; each round trains on what is
annotated, scores the model on the share kept aside, and moves the first document of
the ranking, with its gold entities, from the pool to the annotated ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any

from coindex import active
from coindex.active import Ranking, Trainable
from coindex.active._journal import Journal, Row
from coindex.active._plan import METRICS, Plan, Roles, roles
from coindex.core.document import Document
from coindex.scoring.run import Options, score_pairs

Watch = Callable[[str, int, int], None]


def simulate_seed(
    documents: Sequence[Document], resolver: Trainable, plan: Plan, seed: int,
    journal: Journal | None = None, watch: Watch | None = None,
) -> list[Row]:  # fmt: skip
    """All strategies of a plan for one seed; goes on from the journal where there is one."""
    dealt = roles(documents, plan, seed)
    known = journal.rows(seed) if journal else []
    found: list[Row] = []
    for strategy in plan.strategies:
        done = [row for row in known if row["strategy"] == strategy]
        for row in _run(dealt, resolver, plan, strategy, seed, done):
            if journal and row not in known:
                journal.add(seed, row)
            found.append(row)
            if watch:
                watch(strategy, row["round"], plan.rounds)
    return found


def _run(
    dealt: Roles, resolver: Trainable, plan: Plan, strategy: str, seed: int, done: Sequence[Row]
) -> Any:
    """The rows of one strategy, round after round; those that are done are not done again."""
    annotated, pool = list(dealt.start), {document.key: document for document in dealt.pool}
    by_round = {row["round"]: row for row in done}
    for number in range(plan.rounds + 1):
        row = by_round.get(number)
        if row is None:
            row = _round(dealt, resolver, plan, (strategy, seed, number), annotated, pool)
        yield row
        if row["pick"] is not None:
            annotated.append(pool.pop(row["pick"]["document"]))


def _round(
    dealt: Roles, resolver: Trainable, plan: Plan, place: tuple[str, int, int],
    annotated: list[Document], pool: dict[str, Document],
) -> Row:  # fmt: skip
    strategy, seed, number = place
    model = resolver.train(annotated, seed)
    row: Row = {
        "strategy": strategy, "seed": seed, "round": number, "annotated": len(annotated),
        "model": model.digest, "scores": _scores(dealt.aside, list(model.resolve(_bare(dealt)))),
        "pick": None,
    }  # fmt: skip
    if number < plan.rounds and pool:
        ranking = active.rank(
            pool.values(), annotated, resolver, strategy, seed=seed, members=plan.members
        )
        row["pick"] = {
            **ranking.picks[0].as_json(),
            "models": list(ranking.models),
            "ranking": digest(ranking),
        }
    return row


def digest(ranking: Ranking) -> str:
    """A hash of a whole ranking: replayed, it must come out the same."""
    told = [(pick.rank, pick.document, pick.score) for pick in ranking.picks]
    return sha256(repr(told).encode()).hexdigest()[:16]


def _bare(dealt: Roles) -> list[Document]:
    from dataclasses import replace

    return [replace(document, entities=()) for document in dealt.aside]


def _scores(key: Sequence[Document], response: Sequence[Document]) -> dict[str, list[float]]:
    """Precision, recall and F1 of each metric, in percent."""
    result = score_pairs(zip(key, response, strict=True), Options(METRICS))
    return {
        name: [round(value, 4) for value in (each.precision, each.recall, each.f1)
               if value is not None]
        for name, each in result.scores.items()
    }  # fmt: skip
