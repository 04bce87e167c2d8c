"""The raw scores that `pronoun_device.py` brings home, as decisions and kept runs.

    python models/pronoun_scores.py dev FOLDER SYSTEMS.json [NAME ...]   figures on dev sets
    python models/pronoun_scores.py runs FOLDER SYSTEMS.json -o RUNS     dev and test, to keep

SYSTEMS is a list of {"system", "seed"}, without a seed where a system has none, with "job", a
folder of FOLDER, whose `model.json` says the rest; or with "members", the names of other systems
of the list or of kept runs, weighed on dev by `coindex.pronoun.ensemble`, or with "equal" not
weighed, and perhaps with "vetoes", names of resolvers, which are run here. `dev` looks at no test
set; `runs` is for the end.
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
from coindex.bench.runs import Facts, read_run, write_run
from coindex.bench.task import Corpora, task_of
from coindex.cli._pronoun import _ways
from coindex.core.decision import Decision, match, unanswered
from coindex.core.problem import Problem
from coindex.core.switch import Refused, switch
from coindex.pronoun import both
from coindex.pronoun.asked import Asked, decided
from coindex.pronoun.ensemble import Weights, choose, crossed, equal, fit

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
MEMBER = 400  # problems of a dev set that weigh members: no set drowns the others


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
def asked_of(name: str) -> tuple[Asked, ...]:
    """The problems of a set with their phrases, as they were sent."""
    way = name.removesuffix(":switched").rpartition(":")[2]
    ask = _ways(None, found=way == "found")[way]
    problems = problems_of(name)
    blind = ask(map(unanswered, problems))
    return tuple(
        Asked(problem, each.phrases, each.found)
        for problem, each in zip(problems, blind, strict=True)
    )


@dataclass(frozen=True)
class Systems:
    """The systems of a list, and where their scores are."""

    folder: Path
    rows: dict[str, dict[str, Any]]
    weighed: dict[tuple[str, str], Weights] = field(default_factory=dict)

    def decisions(self, key: str, name: str) -> list[Decision]:
        """What a system decides on a set."""
        row = self.rows.get(key)
        if row is None:
            return _kept(key, name)
        if "members" in row:
            told = [self.decisions(member, name) for member in row["members"]]
            weights = self.weights(key, name.removesuffix(":switched").rpartition(":")[2])
            each = zip(
                problems_of(name), zip(*told, strict=True), vetoes_of(row, name), strict=True
            )
            return [choose(problem, found, weights, no) for problem, found, no in each]
        scores, facts = self._scores(row["job"], name), self.facts(row["job"])
        if facts["recipe"].get("both") and ":given" in name:
            scores = self._both(row["job"], name, scores)
        cut = facts.get("neither")
        return [decided(a, s, cut) for a, s in zip(asked_of(name), scores, strict=True)]

    def crossed(self, key: str, name: str) -> list[Decision]:
        """What a system decides on a dev set; an ensemble by weights from its other folds."""
        row = self.rows.get(key, {})
        members = row.get("members")
        if members is None or row.get("equal"):
            return self.decisions(key, name)
        told = list(zip(*(self.decisions(each, name) for each in members), strict=True))
        return crossed(problems_of(name), told, vetoes_of(row, name))

    def facts(self, job: str) -> dict[str, Any]:
        """What a model's folder says of it."""
        found: dict[str, Any] = json.loads((self.folder / job / "model.json").read_text())
        return found

    def told(self, key: str) -> Facts:
        """What a kept run says of a system."""
        row = self.rows[key]
        if "members" in row:
            every = [
                self.told(each) if each in self.rows else read_run(RUNS / f"{each}.json.xz").facts
                for each in row["members"]
            ]
            size = sum(each.parameters or 0 for each in every)
            names = "+".join([*row["members"], *row.get("vetoes", ())])
            seed = row.get("seed")
            return Facts(row["system"], "ensemble", seed, size, None, "ensemble", names)
        facts = self.facts(row["job"])
        sign = f"{facts['kind']}|model:{row['job']}-{facts['weights'][:8]}"
        recipe = row["job"].rpartition("-")[0] or row["job"]
        return Facts(
            row["system"], facts["kind"], row.get("seed"), facts["parameters"], None, recipe, sign
        )

    def weights(self, key: str, way: str) -> Weights:
        """The weights of an ensemble's members, from at most `MEMBER` problems a dev set."""
        if (key, way) not in self.weighed:
            self.weighed[key, way] = self._weigh(key, way)
        return self.weighed[key, way]

    def _weigh(self, key: str, way: str) -> Weights:
        if self.rows[key].get("equal"):
            return equal(len(self.rows[key]["members"]))
        problems: list[Problem] = []
        told: list[tuple[Decision, ...]] = []
        for name in (each for each in DEV if each.endswith(way)):
            every = [self.decisions(member, name) for member in self.rows[key]["members"]]
            step = max(1, len(problems_of(name)) // MEMBER)
            problems += problems_of(name)[::step]
            told += list(zip(*every, strict=True))[::step]
        return fit(problems, told)

    def _scores(self, job: str, name: str) -> list[list[float]]:
        kept = np.load(self.folder / job / "scores.npz")
        counts = kept[f"{name}|counts"]
        parts = np.split(kept[name], np.cumsum(counts)[:-1]) if len(counts) else []
        return [list(map(float, one)) for one in parts]

    def _both(self, job: str, name: str, scores: list[list[float]]) -> list[list[float]]:
        """Scores both ways round; a copy's copy is the problem itself."""
        plain = name.removesuffix(":switched")
        other = plain if name != plain else f"{plain}:switched"
        ids = [each.id for each in problems_of(other)]
        copies = dict(zip(ids, self._scores(job, other), strict=True))
        found = []
        for problem, told in zip(problems_of(name), scores, strict=True):
            copy = copies.get(problem.id)
            two = copy is not None and len(told) == 2
            found.append(both.mean(told, copy) if two and copy else told)
        return found


def vetoes_of(row: dict[str, Any], name: str) -> list[tuple[Decision, ...]]:
    """What the vetoes of an ensemble say of each problem of a set."""
    told = [ran(veto, name) for veto in row.get("vetoes", ())]
    return [tuple(each[at] for each in told) for at in range(len(problems_of(name)))]


@cache
def ran(resolver: str, name: str) -> list[Decision]:
    """What a resolver without a model decides on a set."""
    way = name.removesuffix(":switched").rpartition(":")[2]
    found = resolvers.decider(resolver, resolvers.Settings(way))
    return list(found.decide(map(unanswered, problems_of(name))))


def key_of(row: dict[str, Any]) -> str:
    """What a row is called: the system and its seed, as the file of its run."""
    return f"{row['system']}.{row['seed']}" if "seed" in row else str(row["system"])


def _kept(key: str, name: str) -> list[Decision]:
    """What a kept run says of a benchmark that it was run on dev of; of others nothing.

    A member's weight is from dev: what it says elsewhere would be weighed by nothing.
    """
    run, corpora = read_run(RUNS / f"{key}.json.xz"), Corpora()
    task = task_of(name.removesuffix(":switched"))
    weighed = {each.benchmark for each in run.tasks if str(each) in DEV}
    if task.benchmark not in weighed or task not in run.tasks:
        return [Decision(problem.id) for problem in problems_of(name)]
    after = name.endswith(":switched")
    found = run.after(task, corpora) if after else run.matched(task, corpora)
    return [decision for _, decision in found or ()]


def table(systems: Systems, keys: Sequence[str]) -> None:
    """The figures on dev, a row a system; those of ensembles by cross-validation."""
    for key in keys:
        row = []
        for name in DEV:
            decisions = systems.crossed(key, name)
            matched = match(problems_of(name), decisions)
            found = benchmarks.load(name.partition(":")[0]).score(matched, 100)
            row.append(f"{name.replace(':given', '')} {found[0].value:.1f}")
            if name.startswith("winobias"):
                row += [f"{f.name} {f.value:.1f}" for f in found[1:] if f.value is not None]
        print(f"{key}: {', '.join(row)}")  # noqa: T201
        if "members" in systems.rows.get(key, {}):
            for way in ("given", "found"):
                told = systems.weights(key, way)
                names = systems.rows[key]["members"]
                print("  ", way, dict(zip_longest(names, told.values[: len(names)])))  # noqa: T201


def keep(systems: Systems, out: Path) -> None:
    """Write a run of every system: all sets, and KnowRef's switched copies."""
    for key in systems.rows:
        decisions = {name: systems.decisions(key, name) for name in TEST}
        switched = {SWITCHED: systems.decisions(key, f"{SWITCHED}:switched")}
        write_run(out / f"{key}.json.xz", systems.told(key), decisions, switched)
        print(f"written {key}")  # noqa: T201


def main() -> None:
    """See above."""
    what, folder, plan, *rest = sys.argv[1:]
    listed = json.loads(Path(plan).read_text(encoding="utf-8"))
    systems = Systems(Path(folder), {key_of(each): each for each in listed})
    if what == "dev":
        table(systems, rest or list(systems.rows))
    else:
        keep(systems, Path(rest[rest.index("-o") + 1]))


if __name__ == "__main__":
    main()
