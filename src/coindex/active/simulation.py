"""Simulation: gold documents take the place of annotators.

For each seed the documents are split anew into a seed set, a pool, and documents held out for
evaluation. Each strategy starts from the same seed set. Each round trains on what is
annotated, scores the model on the held-out documents, and moves the first document of the
ranking, with its gold entities, from the pool to the annotated ones.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, wait
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any

from coindex import __version__
from coindex.active.journal import Journal, Row
from coindex.active.ranking import Ranking, rank
from coindex.active.strategies import load
from coindex.active.strategies.protocol import MEMBERS, TrainableResolver
from coindex.active.worker import Setup, Worker, shared_learner
from coindex.errors import InvalidValue
from coindex.models.mention_pair import word_vectors
from coindex.models.mention_pair.feature_store import document_digest
from coindex.scoring.scorer import ScoringOptions, score_pairs
from coindex.text.parsing.parser import make_parser
from coindex.types.document import Document
from coindex.types.progress import OnProgress, Progress, ignore_progress

METRICS = ("mentions", "muc", "b3", "ceafe", "conll")


@dataclass(frozen=True, slots=True)
class Plan:
    """What is simulated.

    strategies   their names
    seeds        how many repetitions, each with another split of the documents
    rounds       documents annotated after the seed set, one per round
    start        size of the seed set
    pool         size of the pool
    aside        documents held out for evaluation; by default all others
    members      models in a committee
    """

    strategies: tuple[str, ...]
    seeds: int = 5
    rounds: int = 40
    start: int = 10
    pool: int = 60
    aside: int | None = None
    members: int = MEMBERS

    def __post_init__(self) -> None:
        if not self.strategies:
            raise InvalidValue("expected the name of a strategy, found none")
        for name in self.strategies:
            load(name)
        if len(set(self.strategies)) < len(self.strategies):
            raise InvalidValue(f"expected each strategy once, found {self.strategies}")
        for name, value in (
            ("seeds", self.seeds),
            ("start", self.start),
            ("members", self.members),
        ):
            if value < 1:
                raise InvalidValue(f"{name}: expected 1 or more, found {value}")
        if not 0 <= self.rounds <= self.pool:
            raise InvalidValue(
                f"rounds: expected at most the pool's {self.pool} documents, found {self.rounds}"
            )

    def as_json(self) -> dict[str, Any]:
        """As plain values."""
        return {**asdict(self), "strategies": list(self.strategies)}


@dataclass(frozen=True, slots=True)
class DataSplit:
    """The documents of one seed."""

    start: tuple[Document, ...]
    pool: tuple[Document, ...]
    held_out: tuple[Document, ...]


def split_documents(documents: Sequence[Document], plan: Plan, seed: int) -> DataSplit:
    """The split of one seed, which depends on the seed and the documents' names alone."""
    ordered = sorted(documents, key=lambda document: document.key)
    for one, two in pairwise(ordered):
        if one.key == two.key:  # it could be trained on and scored
            raise InvalidValue(f"expected each document once, found {one.key!r} again")
    random.Random(seed).shuffle(ordered)
    needed = plan.start + plan.pool + (plan.aside or 1)
    if len(ordered) < needed:
        raise InvalidValue(
            f"expected at least {needed} documents for a seed set of {plan.start}, a pool of"
            f" {plan.pool} and {plan.aside or 1} kept aside, found {len(ordered)}"
        )
    first, second = plan.start, plan.start + plan.pool
    last = len(ordered) if plan.aside is None else second + plan.aside
    parts = ordered[:first], ordered[first:second], ordered[second:last]
    return DataSplit(*map(tuple, parts))


def simulate(
    documents: Sequence[Document], plan: Plan, setup: Setup | None = None, *,
    folder: Path | None = None, workers: int = 1, fresh: bool = False,
    on_progress: OnProgress = ignore_progress,
) -> list[Row]:  # fmt: skip
    """The rows of all seeds, in order; a simulation in `folder` is resumed unless `fresh`."""
    setup = setup or Setup()
    seeds = range(1, plan.seeds + 1)
    for seed in seeds:
        split_documents(documents, plan, seed)  # too few documents are an error before training
    journal = None
    if folder is not None:
        journal = Journal(folder)
        journal.open(dependencies(documents, plan, setup), fresh=fresh)
    if workers == 1:
        learner = setup.learner()
        by_seed = (
            simulate_seed(documents, learner, plan, seed, journal, on_progress) for seed in seeds
        )
        return [row for rows in by_seed for row in rows]
    with Worker(setup, workers) as pool:
        futures = [
            pool.submit(_simulate_seed, setup, tuple(documents), plan, seed, journal)
            for seed in seeds
        ]
        waiting = set(futures)
        while waiting:
            _, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            on_progress(Progress("seeds", len(futures) - len(waiting), len(futures)))
        return [row for future in futures for row in future.result()]


def _simulate_seed(
    setup: Setup, documents: Sequence[Document], plan: Plan, seed: int, journal: Journal | None
) -> list[Row]:
    return simulate_seed(documents, shared_learner(setup), plan, seed, journal)


def dependencies(documents: Sequence[Document], plan: Plan, setup: Setup) -> dict[str, Any]:
    """Everything that a simulation depends on."""
    digests = "".join(sorted(map(document_digest, documents)))
    vectors = [each.info.sha256 for each in map(word_vectors.load, setup.vectors) if each]
    return {
        "plan": plan.as_json(),
        "resolver": {
            "name": "quizbowl",
            "config": setup.config.as_json(),
            "vectors": vectors,
            "pipeline": make_parser(setup.pipeline, cache=False).signature,
        },
        "documents": {"count": len(documents), "sha256": sha256(digests.encode()).hexdigest()},
        "version": __version__,
    }


def simulate_seed(
    documents: Sequence[Document], resolver: TrainableResolver, plan: Plan, seed: int,
    journal: Journal | None = None, on_progress: OnProgress = ignore_progress,
) -> list[Row]:  # fmt: skip
    """The rows of all strategies for one seed; resumed from the journal if there is one."""
    split = split_documents(documents, plan, seed)
    logged = journal.rows(seed) if journal else []
    rows: list[Row] = []
    for strategy in plan.strategies:
        done = {row["round"]: row for row in logged if row["strategy"] == strategy}
        for row in _simulate_strategy(split, resolver, plan, strategy, seed, done):
            if journal and row not in logged:
                journal.add(seed, row)
            rows.append(row)
            on_progress(Progress(f"seed {seed}, {strategy}", row["round"], plan.rounds))
    return rows


def _simulate_strategy(
    split: DataSplit, resolver: TrainableResolver, plan: Plan, strategy: str, seed: int,
    done: dict[int, Row],
) -> Iterator[Row]:  # fmt: skip
    """The rows of one strategy, round after round; rounds in `done` are not repeated."""
    annotated, pool = list(split.start), {document.key: document for document in split.pool}
    bare = [replace(document, entities=()) for document in split.held_out]
    for number in range(plan.rounds + 1):
        row = done.get(number)
        if row is None:
            model = resolver.train(annotated, seed)
            scores = _scores(split.held_out, list(model.resolve(bare)))
            row = {
                "strategy": strategy, "seed": seed, "round": number,
                "annotated": len(annotated), "model": model.digest, "scores": scores,
                "pick": None,
            }  # fmt: skip
            if number < plan.rounds and pool:
                ranking = rank(
                    pool.values(), annotated, resolver, strategy, seed=seed, members=plan.members
                )
                row["pick"] = {
                    **ranking.picks[0].as_json(),
                    "models": list(ranking.models),
                    "ranking": ranking_digest(ranking),
                }
        yield row
        if row["pick"] is not None:
            annotated.append(pool.pop(row["pick"]["document"]))


def ranking_digest(ranking: Ranking) -> str:
    """A hash of a whole ranking, to compare with a repetition."""
    picks = [(pick.rank, pick.document, pick.score) for pick in ranking.picks]
    return sha256(repr(picks).encode()).hexdigest()[:16]


def _scores(key: Sequence[Document], response: Sequence[Document]) -> dict[str, list[float]]:
    """Precision, recall and F1 of each metric, in percent."""
    result = score_pairs(zip(key, response, strict=True), ScoringOptions(METRICS))
    return {
        name: [round(value, 4) for value in (each.precision, each.recall, each.f1)
               if value is not None]
        for name, each in result.scores.items()
    }  # fmt: skip
