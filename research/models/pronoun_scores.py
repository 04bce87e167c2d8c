"""The raw scores of `pronoun_device` as decisions and stored runs: `pronoun_scores`.

    dev FOLDER SYSTEMS.json [NAME ...]   print figures on the dev sets
    runs FOLDER SYSTEMS.json -o RUNS     write dev and test decisions as runs

SYSTEMS is a list of {"system", "seed"}; the seed is left out if a system has none. A system has a
"job", a folder of FOLDER with `model.json` and scores; or "members", the names of other systems
of the list or of stored runs. Members are weighted on dev by `coindex.models.pronoun.ensemble`,
or equally with "equal": true; "vetoes" are names of resolvers, which are run here. `dev` uses no
test set; `runs` is for the end of the work.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np

from coindex import benchmarks, resolvers
from coindex.models.pronoun import symmetric_scoring
from coindex.models.pronoun.ensemble import (
    MemberWeights,
    choose_candidate,
    cross_validated,
    equal_weights,
    fit_weights,
)
from coindex.models.pronoun.query import CandidateQuery, decide_by_scores
from coindex.models.pronoun.symmetric_scoring import are_names
from coindex.resolvers.parsed_problem import candidate_finders
from coindex.transform.antecedent_switching import Refused, switch
from coindex.types.decision import Decision, match_decisions, unanswered
from coindex.types.problem import Problem
from research.results.runs import RunMetadata, read_run, write_run
from research.results.task import Corpora, task_of

DEV = (
    "gap:validation:given", "gap:validation:found", "dpr:dev:given", "knowref:dev:given",
    "winogrande:dev:given", "winobias:dev:given",
)  # fmt: skip
TEST = (
    "gap:test:given", "gap:test:found", "knowref:test:given", "dpr:test:given", "wsc273:test:given",
    "pdp:test:given", "wnli:dev:given", "winogender:sentences:given", "winobias:test:given",
)  # fmt: skip
SWITCHED = "knowref:test:given"
RUNS = Path(__file__).parent / "pronoun" / "runs"
WEIGHT_PROBLEMS = 400  # of each dev set, so that large sets do not dominate the weights


@cache
def problems_of(name: str) -> tuple[Problem, ...]:
    """The problems of a set, or its switched copies."""
    bench, split, _ = name.removesuffix(":switched").split(":")
    problems = benchmarks.load(bench).problems(split)
    if not name.endswith(":switched"):
        return tuple(problems)
    copies = [switch(problem) for problem in problems]
    return tuple(each for each in copies if not isinstance(each, Refused))


@cache
def queries_of(name: str) -> tuple[CandidateQuery, ...]:
    """The problems of a set with the phrases that were scored."""
    way = name.removesuffix(":switched").rpartition(":")[2]
    find = candidate_finders(None, found=way == "found")[way]
    problems = problems_of(name)
    blind = find(map(unanswered, problems))
    return tuple(
        CandidateQuery(problem, each.phrases, each.detected)
        for problem, each in zip(problems, blind, strict=True)
    )


@dataclass(frozen=True)
class Systems:
    """The systems of a list, and the folder with their scores."""

    folder: Path
    rows: dict[str, dict[str, Any]]
    weights_by_way: dict[tuple[str, str], MemberWeights] = field(default_factory=dict)

    def decisions(self, key: str, name: str) -> list[Decision]:
        """The decisions of a system on a set."""
        row = self.rows.get(key)
        if row is None:
            return _stored_decisions(key, name)
        if "members" in row:
            members = [self.decisions(member, name) for member in row["members"]]
            weights = self.weights(key, name.removesuffix(":switched").rpartition(":")[2])
            each = zip(
                problems_of(name), zip(*members, strict=True), vetoes_of(row, name), strict=True
            )
            return [choose_candidate(problem, own, weights, no) for problem, own, no in each]
        scores, metadata = self._scores(row["job"], name), self.metadata(row["job"])
        if metadata["recipe"].get("both") and ":given" in name:
            scores = self._symmetric_scores(row["job"], name, scores)
        threshold = metadata.get("neither")
        return [
            decide_by_scores(q, s, threshold) for q, s in zip(queries_of(name), scores, strict=True)
        ]

    def dev_decisions(self, key: str, name: str) -> list[Decision]:
        """The decisions of a system on a dev set; those of a weighted ensemble by cross-validation."""
        row = self.rows.get(key, {})
        members = row.get("members")
        if members is None or row.get("equal"):
            return self.decisions(key, name)
        decisions = list(zip(*(self.decisions(each, name) for each in members), strict=True))
        return cross_validated(problems_of(name), decisions, vetoes_of(row, name))

    def metadata(self, job: str) -> dict[str, Any]:
        """The metadata of a job's model."""
        metadata: dict[str, Any] = json.loads((self.folder / job / "model.json").read_text())
        return metadata

    def run_metadata(self, key: str) -> RunMetadata:
        """The metadata of the run of a system."""
        row = self.rows[key]
        if "members" in row:
            every = [
                self.run_metadata(each)
                if each in self.rows
                else read_run(RUNS / f"{each}.json.xz").metadata
                for each in row["members"]
            ]
            size = sum(each.parameters or 0 for each in every)
            names = "+".join([*row["members"], *row.get("vetoes", ())])
            seed = row.get("seed")
            return RunMetadata(row["system"], "ensemble", seed, size, None, "ensemble", names)
        metadata = self.metadata(row["job"])
        sign = f"{metadata['kind']}|model:{row['job']}-{metadata['weights'][:8]}"
        recipe = row["job"].rpartition("-")[0] or row["job"]
        return RunMetadata(
            row["system"],
            metadata["kind"],
            row.get("seed"),
            metadata["parameters"],
            None,
            recipe,
            sign,
        )

    def weights(self, key: str, way: str) -> MemberWeights:
        """The weights of an ensemble's members, from about `WEIGHT_PROBLEMS` problems per dev set."""
        if (key, way) not in self.weights_by_way:
            self.weights_by_way[key, way] = self._weigh(key, way)
        return self.weights_by_way[key, way]

    def _weigh(self, key: str, way: str) -> MemberWeights:
        if self.rows[key].get("equal"):
            return equal_weights(len(self.rows[key]["members"]))
        problems: list[Problem] = []
        decisions: list[tuple[Decision, ...]] = []
        for name in (each for each in DEV if each.endswith(way)):
            every = [self.decisions(member, name) for member in self.rows[key]["members"]]
            step = max(1, len(problems_of(name)) // WEIGHT_PROBLEMS)
            problems += problems_of(name)[::step]
            decisions += list(zip(*every, strict=True))[::step]
        return fit_weights(problems, decisions)

    def _scores(self, job: str, name: str) -> list[list[float]]:
        stored = np.load(self.folder / job / "scores.npz")
        counts = stored[f"{name}|counts"]
        parts = np.split(stored[name], np.cumsum(counts)[:-1]) if len(counts) else []
        return [list(map(float, one)) for one in parts]

    def _symmetric_scores(
        self, job: str, name: str, scores: list[list[float]]
    ) -> list[list[float]]:
        """The means with the scores of switched copies; a copy of a copy is the problem itself."""
        names = bool(self.metadata(job)["recipe"].get("names"))
        plain = name.removesuffix(":switched")
        other = plain if name != plain else f"{plain}:switched"
        ids = [each.id for each in problems_of(other)]
        copies = dict(zip(ids, self._scores(job, other), strict=True))
        means = []
        for problem, own in zip(problems_of(name), scores, strict=True):
            copy = copies.get(problem.id)
            two = copy is not None and len(own) == 2 and (not names or are_names(problem))
            means.append(symmetric_scoring.mean_scores(own, copy) if two and copy else own)
        return means


def vetoes_of(row: dict[str, Any], name: str) -> list[tuple[Decision, ...]]:
    """The decisions of the vetoes of an ensemble for each problem of a set."""
    decisions = [veto_decisions(veto, name) for veto in row.get("vetoes", ())]
    return [tuple(each[at] for each in decisions) for at in range(len(problems_of(name)))]


@cache
def veto_decisions(resolver: str, name: str) -> list[Decision]:
    """The decisions of a resolver without a model on a set."""
    way = name.removesuffix(":switched").rpartition(":")[2]
    decider = resolvers.decider(resolver, resolvers.ResolverSettings(way))
    return list(decider.decide(map(unanswered, problems_of(name))))


def key_of(row: dict[str, Any]) -> str:
    """The name of a row and of the file of its run: the system and its seed."""
    return f"{row['system']}.{row['seed']}" if "seed" in row else str(row["system"])


def _stored_decisions(key: str, name: str) -> list[Decision]:
    """The decisions of a stored run on a benchmark that it was run on dev of.

    On other benchmarks it decides nothing: a member's weight comes from dev.
    """
    run, corpora = read_run(RUNS / f"{key}.json.xz"), Corpora()
    task = task_of(name.removesuffix(":switched"))
    weighted = {each.benchmark for each in run.tasks if str(each) in DEV}
    if task.benchmark not in weighted or task not in run.tasks:
        return [Decision(problem.id) for problem in problems_of(name)]
    after = name.endswith(":switched")
    decided = run.after(task, corpora) if after else run.matched(task, corpora)
    return [decision for _, decision in decided or ()]


def table(systems: Systems, keys: Sequence[str]) -> None:
    """Print the figures on dev, one row per system; those of ensembles by cross-validation."""
    for key in keys:
        row = []
        for name in DEV:
            decisions = systems.dev_decisions(key, name)
            matched = match_decisions(problems_of(name), decisions)
            figures = benchmarks.load(name.partition(":")[0]).score(matched, 100)
            row.append(f"{name.replace(':given', '')} {figures[0].value:.1f}")
            if name.startswith("winobias"):
                row += [f"{f.name} {f.value:.1f}" for f in figures[1:] if f.value is not None]
        print(f"{key}: {', '.join(row)}")  # noqa: T201
        if "members" in systems.rows.get(key, {}):
            for way in ("given", "found"):
                weights = systems.weights(key, way)
                names = systems.rows[key]["members"]
                print("  ", way, dict(zip_longest(names, weights.values[: len(names)])))  # noqa: T201


def write_runs(systems: Systems, out: Path) -> None:
    """Write a run of every system: all test sets, and KnowRef's switched copies."""
    for key in systems.rows:
        decisions = {name: systems.decisions(key, name) for name in TEST}
        switched = {SWITCHED: systems.decisions(key, f"{SWITCHED}:switched")}
        write_run(out / f"{key}.json.xz", systems.run_metadata(key), decisions, switched)
        print(f"written {key}")  # noqa: T201


def main() -> None:
    """Run the command that the arguments name."""
    what, folder, plan, *rest = sys.argv[1:]
    listed = json.loads(Path(plan).read_text(encoding="utf-8"))
    systems = Systems(Path(folder), {key_of(each): each for each in listed})
    if what == "dev":
        table(systems, rest or list(systems.rows))
    else:
        write_runs(systems, Path(rest[rest.index("-o") + 1]))


if __name__ == "__main__":
    main()
