"""Kept runs: what is written is read, and decisions on other problems are refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from research.results.make_run import make_run, milliseconds
from research.results.runs import RunMetadata, read_run, save_run, write_run
from research.results.task import Corpora, Task, digest, task_of

from bench_samples import ITEMS, Resolver, benchmark_facts, first_in_text, rightly
from coindex import io
from coindex.errors import InputError, InvalidValue, UnknownName
from coindex.evaluate.results import switched_copies
from coindex.types.decision import Decision
from results_samples import decided, right_on

FACTS = RunMetadata("mine", "fake", 3, 1000, 1.5, "a recipe", "fake|x")


def test_what_is_written_is_read(tiny: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "mine.json.xz"
    made = [
        Decision("p9"),
        Decision("p3", (0, 1)),
        Decision("p1", undecided=(0, 1)),
        *(Decision(f"p{n}", (n % 2,)) for n in (0, 2, 4, 5, 6, 7)),
    ]  # in no order; of p8 nothing is said
    write_run(path, FACTS, {"tiny:dev": made})
    run = read_run(path)
    assert run.metadata == FACTS
    matched = run.matched(Task("tiny", "dev"), Corpora())
    chosen = [decision.chosen for decision in matched.decisions]
    assert chosen == [(0,), (), (0,), (0, 1), (0,), (1,), (0,), (1,), (), ()]
    assert matched.missing == ("p1", "p8")
    assert run.after(Task("tiny", "dev"), Corpora()) is None


def test_a_file_is_the_same_each_time_and_small(tiny: ModuleType, tmp_path: Path) -> None:
    one, two = tmp_path / "one.json.xz", tmp_path / "two.json.xz"
    write_run(one, FACTS, {"tiny:dev": right_on(1, 2)})
    write_run(two, FACTS, {"tiny:dev:given": reversed(right_on(1, 2))})
    assert one.read_bytes() == two.read_bytes()
    save_run(replace(read_run(one), metadata=replace(FACTS, seed=4)), two)
    assert read_run(two).metadata.seed == 4
    assert read_run(two).tasks == read_run(one).tasks


def test_switched_copies_have_decisions_of_their_own(tiny: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "mine.json.xz"
    copies = switched_copies(ITEMS).problems
    before, after = decided(rightly, ITEMS), decided(first_in_text, copies)
    write_run(path, FACTS, {"tiny:dev": before}, {"tiny:dev": after})
    found = read_run(path).after(Task("tiny", "dev"), Corpora())
    assert found is not None
    assert found.problems == copies
    assert [d.chosen for d in found.decisions] == [d.chosen for d in after]


@pytest.mark.parametrize("change", ["order", "candidates", "fewer"])
def test_decisions_on_other_problems_are_refused(
    change: str, tiny: ModuleType, tmp_path: Path
) -> None:
    path = tmp_path / "mine.json.xz"
    write_run(path, FACTS, {"tiny:dev": right_on(1)})
    turned = replace(ITEMS[0], candidates=ITEMS[0].candidates[::-1])
    others = {"order": ITEMS[::-1], "candidates": (turned, *ITEMS[1:]), "fewer": ITEMS[:-1]}
    tiny.__dict__["problems"] = lambda split: others[change]
    with pytest.raises(InvalidValue, match="found 10 on others: the corpus is not the one"):
        read_run(path).matched(Task("tiny", "dev"), Corpora())


def test_answers_do_not_change_the_digest() -> None:
    assert digest(ITEMS) == digest([replace(each, answer=(), group=None) for each in ITEMS])


def test_half_a_decision_is_refused(tiny: ModuleType, tmp_path: Path) -> None:
    with pytest.raises(InvalidValue, match=r"p0: expected yes or no of all .* found 1 of 2"):
        write_run(tmp_path / "x.json.xz", FACTS, {"tiny:dev": [Decision("p0", (0,), None, (1,))]})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "expected a run as JSON"),
        ('{"format": "other"}', "expected a run with the format coindex-run/1"),
        ('{"format": "coindex-run/1"}', "expected a run, found KeyError"),
    ],
)
def test_other_files_are_refused(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        read_run(path)


def test_a_wrong_index_is_refused(tiny: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    write_run(path, FACTS, {"tiny:dev": right_on()})
    values = json.loads(path.read_text(encoding="utf-8"))
    values["tasks"]["tiny:dev:given"]["chosen"][2] = 7
    io.write_text(path, [json.dumps(values)])
    with pytest.raises(InvalidValue, match="p2: expected one of 2 candidates, found index 7"):
        read_run(path).matched(Task("tiny", "dev"), Corpora())


def test_tasks_by_name(tiny: ModuleType) -> None:
    assert str(task_of("gap:test:found")) == "gap:test:found"
    assert task_of("tiny") == Task("tiny", "dev", "given")
    for name, known in (("gap:dev", "development"), ("tiny:dev:found", "given"), ("no", "gap")):
        with pytest.raises(UnknownName, match=known):
            task_of(name)
    with pytest.raises(InputError, match="expected benchmark:split:candidates"):
        task_of("gap:test:found:now")


def test_a_resolver_makes_a_run(tiny: ModuleType, resolver: Callable[..., Resolver]) -> None:
    asked: list[Any] = []

    def rule(problem: Any) -> tuple[int, ...]:
        asked.append(problem)
        return (0,)

    resolver("mine", rule, "mine|x")
    made = make_run("mine", ["tiny:dev"])
    assert [d.chosen for d in made.decisions["tiny:dev:given"]] == [(0,)] * 10
    assert made.switched == {}
    assert made.signature == "mine|x"
    assert all(problem.answer is None for problem in asked)


def test_clusters_answer_under_found_alone(add: Callable[..., ModuleType]) -> None:
    class Clusters:
        signature = "c"

        def resolve(self, documents: Any) -> Any:
            return iter(documents)

    add("benchmarks", "both", **{**benchmark_facts(), "CANDIDATES": ("given", "found")})
    add("benchmarks", "tiny", **benchmark_facts())
    add("resolvers", "groups", load=lambda settings: Clusters(), CONTEXT="snippet", ABOUT="")
    made = make_run("groups", ["both:dev:given", "both:dev:found", "tiny:dev"])
    assert list(made.decisions) == ["both:dev:found", "tiny:dev:given"]


def test_speed_needs_something_to_time(resolver: Callable[..., Resolver]) -> None:
    mine = resolver("mine", lambda problem: (0,))
    assert milliseconds(mine, ITEMS, warm=4) > 0
    assert mine.asked == [each.id for each in ITEMS]
    with pytest.raises(InvalidValue, match="more than 10 problems to time, found 10"):
        milliseconds(mine, ITEMS, warm=10)
