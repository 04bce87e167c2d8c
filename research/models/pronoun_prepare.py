"""The data for pronoun models, prepared without a GPU: `pronoun_prepare`.

    python -m research.models.pronoun_prepare FOLDER ENCODER FAMILY RECIPE ...

writes the stages and dev sets of the recipes, and the subwords of every set to score, for the
tokenizer of ENCODER. FAMILY is a letter that names the encoder (m: MPNet, b: BERT). What takes
time but no GPU is so computed once for all jobs and seeds.
"""

from __future__ import annotations

import lzma
import pickle
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from coindex import benchmarks
from coindex.models.common.subwords import TextTokenizer
from coindex.models.pronoun.candidate_rows import ProblemRows, problem_rows
from coindex.models.pronoun.query import CandidateFinder
from coindex.models.pronoun.recipe import load_recipe
from coindex.models.pronoun.train.dev_sets import DevSet, load_dev_sets
from coindex.models.pronoun.train.stages import ProblemStage, StageData, TextStage, load_stages
from coindex.resolvers.parsed_problem import candidate_finders
from coindex.transform.antecedent_switching import Refused, switch
from coindex.types.decision import unanswered
from coindex.types.problem import Problem
from research.models.device_session import log

if TYPE_CHECKING:
    from coindex.models.pronoun.weights import Model

WINDOW = 192
SETS = (
    ("gap:validation", "given"), ("gap:validation", "found"), ("gap:test", "given"),
    ("gap:test", "found"),
    ("knowref:dev", "given"), ("knowref:test", "given"), ("dpr:dev", "given"),
    ("dpr:test", "given"), ("winogrande:dev", "given"), ("wsc273:test", "given"),
    ("pdp:test", "given"), ("wnli:dev", "given"), ("winogender:sentences", "given"),
    ("winobias:dev", "given"), ("winobias:test", "given"),
)  # fmt: skip
"""The sets to score, and whether their candidates are given or found in the text."""
TEXT = "text.xz"


@dataclass(frozen=True, slots=True)
class PreparedRecipe:
    """The data of a recipe, read and converted to subwords; a stage of text is in `TEXT`."""

    stages: list[ProblemStage]
    dev: list[DevSet]


@dataclass(frozen=True, slots=True)
class PreparedText:
    """The stretches of plain text in 16 bits, since vocabularies are small."""

    learn: NDArray[np.uint16]
    held: NDArray[np.uint16]
    pages: int
    remarks: tuple[str, ...]


def dump(path: Path, value: object) -> None:
    """Write a value, compressed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with lzma.open(path, "wb", preset=2) as file:
        pickle.dump(value, file, protocol=5)


def restore(path: Path) -> Any:
    """Read a value that `dump` wrote."""
    with lzma.open(path, "rb") as file:
        return pickle.load(file)


def prepare(folder: Path, encoder: str, family: str, names: list[str]) -> None:
    """Write the data of recipes for one tokenizer, and the sets to score if they are missing."""
    finders = candidate_finders()
    tokenizer = TextTokenizer(encoder)
    model = cast("Model", SimpleNamespace(tokenizer=tokenizer))  # stages use the tokenizer alone
    for name in names:
        recipe = load_recipe(name)
        dev = load_dev_sets(recipe.dev, finders)
        stages = load_stages(recipe, model, dev, 1)
        write_prepared(folder, f"{family}-{name}.xz", stages, dev)
        log(f"{family} {name}: {[(each.name, *each.remarks) for each in stages]}")
    sets = folder / f"{family}-sets.xz"
    if not sets.exists():
        dump(sets, scored_sets(finders, tokenizer))


def write_prepared(folder: Path, name: str, stages: list[StageData], dev: list[DevSet]) -> None:
    """Write the stages of problems and the dev sets; a stage of text goes to its own file."""
    for stage in stages:
        if isinstance(stage, TextStage):
            text = stage.text
            learn, held = text.learn.astype(np.uint16), text.held.astype(np.uint16)
            dump(folder / TEXT, PreparedText(learn, held, text.pages, stage.remarks))
    problems = [stage for stage in stages if isinstance(stage, ProblemStage)]
    dump(folder / name, PreparedRecipe(problems, dev))


def scored_sets(
    finders: Mapping[str, CandidateFinder], tokenizer: TextTokenizer
) -> dict[str, list[ProblemRows]]:
    """The rows of every set to score and of its switched copies, without answers."""
    rows = {}
    for name, way in SETS:
        benchmark, _, split = name.partition(":")
        problems = benchmarks.load(benchmark).problems(split)
        todo = {f"{name}:{way}": tuple(problems)}
        if way == "given":
            todo[f"{name}:{way}:switched"] = switched_copies(problems)
        for label, chosen in todo.items():
            queries = finders[way](map(unanswered, chosen))
            rows[label] = [problem_rows(query, tokenizer, WINDOW) for query in queries]
            count = sum(len(each.rows) for each in rows[label])
            log(f"{label}: {len(rows[label])} problems, {count} rows")
    return rows


def switched_copies(problems: tuple[Problem, ...]) -> tuple[Problem, ...]:
    """The switched copies of problems, where one can be made."""
    copies = [switch(problem) for problem in problems]
    return tuple(each for each in copies if not isinstance(each, Refused))


if __name__ == "__main__":
    prepare(Path(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4:])
