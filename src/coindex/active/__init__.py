"""Active learning: which document to annotate next.

    from coindex import active
    ranking = active.rank(pool, annotated, resolver, "voting", seed=1)
    ranking.picks[0].document                  # annotate this one

`strategies/` holds the query strategies, a plugin family. A resolver is anything that
implements `TrainableResolver`; `coindex.models.mention_pair.train.learner()` makes one.
A ranking contains everything that it depends on, so that it can be reproduced. `Worker` trains
and ranks in another process; `NeuralCommittee` lets neural models vote; `simulate` runs
strategies on gold documents; `split_held_out` holds a random share of a pool out for evaluation.
"""

from coindex.active.neural_committee import NeuralCommittee
from coindex.active.ranking import Pick, Ranking, rank, split_held_out
from coindex.active.simulation import Plan, simulate
from coindex.active.strategies import load, names
from coindex.active.strategies.protocol import MEMBERS, Query, Scores
from coindex.active.worker import LazyLearner, Setup, Worker

__all__ = [
    "MEMBERS",
    "LazyLearner",
    "NeuralCommittee",
    "Pick",
    "Plan",
    "Query",
    "Ranking",
    "Scores",
    "Setup",
    "Worker",
    "load",
    "names",
    "rank",
    "simulate",
    "split_held_out",
]
