"""The stored test scores of the teacher compared with the answers: `report_test [FILE...]`.

Of several files, those of several teachers, the mean of the logarithms of probabilities is taken.

The decisions are by the rule that was fixed on dev: the mean of both readings if all candidates
are names, else the first reading alone. Figures are those of `coindex bench`. Consistency of
KnowRef: how often the problem and its switched copy are decided alike, by one reading each (by
the mean of both it is 100 by construction).
"""

from __future__ import annotations

import json
import lzma
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coindex import benchmarks
from coindex.models.pronoun.query import CandidateQuery, argmax, decide_by_scores
from coindex.models.pronoun.symmetric_scoring import are_names
from coindex.types.decision import Decision, match_decisions
from research.models.pronoun_scores import queries_of

STORED = Path(__file__).parent / "scores" / "test-scores.jsonl.xz"
FOUND = " (found)"
_RESAMPLES = 1000
Scores = Mapping[str, Mapping[str, Any]]
"""The rows of a set by the ids of problems: `scores`, and `switched` if there is a copy."""


def read_scores(path: Path) -> dict[str, dict[str, dict[str, Any]]]:
    """The stored rows by set and id."""
    sets: dict[str, dict[str, dict[str, Any]]] = {}
    with lzma.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            sets.setdefault(row["set"], {})[row["id"]] = row
    return sets


def mean_scores(several: Sequence[Mapping[str, Scores]]) -> dict[str, dict[str, dict[str, Any]]]:
    """The mean over several teachers of what they have all scored."""
    sets: dict[str, dict[str, dict[str, Any]]] = {}
    for name, rows in several[0].items():
        for id in rows:
            each = [scores[name][id] for scores in several]
            both = all("switched" in row for row in each)
            keys = ("scores", "switched") if both else ("scores",)
            sets.setdefault(name, {})[id] = {
                key: np.mean([_log_probabilities(row[key]) for row in each], axis=0).tolist()
                for key in keys
            }
    return sets


def _log_probabilities(scores: Sequence[float]) -> NDArray[np.float64]:
    values = np.asarray(scores, np.float64)
    logs: NDArray[np.float64] = values - np.logaddexp.reduce(values)
    return logs


def rule_scores(query: CandidateQuery, row: Mapping[str, Any]) -> list[float]:
    """The scores of a problem's phrases by the rule.

    Each text has one score, in the order in which the texts occur for the last time.
    """
    own, copy = row["scores"], row.get("switched")
    if copy is not None and are_names(query.problem):
        own = [(one + other) / 2 for one, other in zip(own, copy, strict=True)]
    texts = list(dict.fromkeys(phrase.text for phrase in reversed(query.phrases)))[::-1]
    by_text = dict(zip(texts, own, strict=True))
    return [by_text[phrase.text] for phrase in query.phrases]


def decisions(queries: Sequence[CandidateQuery], rows: Scores) -> Iterator[Decision]:
    """The decisions by the rule.

    Where there are no scores, a single phrase is chosen, or none.
    """
    for query in queries:
        row = rows.get(query.problem.id)
        scores = rule_scores(query, row) if row is not None else [0.0] * len(query.phrases)
        one = len({phrase.text for phrase in query.phrases}) == 1
        if row is None and not one:
            yield Decision(query.problem.id)
        else:
            yield decide_by_scores(query, scores, None)


def consistency(rows: Scores) -> float:
    """How often, in percent, a problem and its switched copy are decided alike."""
    pairs = [(row["scores"], row["switched"]) for row in rows.values() if "switched" in row]
    return 100 * sum(argmax(one) == argmax(other) for one, other in pairs) / len(pairs)


def report(paths: Sequence[Path]) -> None:
    """Print the figures of every set, of one file of scores or of the mean of several."""
    read = [read_scores(path) for path in paths]
    for name, rows in (read[0] if len(read) == 1 else mean_scores(read)).items():
        way = "found" if name.endswith(FOUND) else "given"
        plain = name.removesuffix(FOUND)
        queries = queries_of(f"{plain}:{way}")
        made = list(decisions(queries, rows))
        matched = match_decisions([query.problem for query in queries], made)
        for figure in benchmarks.load(plain.partition(":")[0]).score(matched, _RESAMPLES):
            if figure.value is not None:
                print(f"{name}\t{figure.name}\t{figure.value:.1f}\t{figure}", flush=True)  # noqa: T201
        if plain.startswith("knowref"):
            print(f"{name}\tconsistency, one reading\t{consistency(rows):.1f}")  # noqa: T201


if __name__ == "__main__":
    report([Path(path) for path in sys.argv[1:]] or [STORED])
