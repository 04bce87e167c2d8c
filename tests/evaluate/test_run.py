"""The runner: signatures, candidates, resuming, switched copies, what cannot be run."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from bench_samples import ITEMS, Resolver, benchmark_facts, by_name, first_in_text, problem, rightly
from coindex import __version__
from coindex.datasets import CorpusNotFound
from coindex.errors import InputError, InvalidValue, UnknownName
from coindex.evaluate import journal as journal_module
from coindex.evaluate.decision_files import ExternalDecisions, score_external
from coindex.evaluate.journal import Journal
from coindex.evaluate.options import BenchOptions, select_benchmark
from coindex.evaluate.run import merge_runs, run_benchmarks
from coindex.types.decision import Decision
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention
from coindex.types.problem import Problem
from coindex.types.progress import Progress

Make = Callable[..., Any]
Add = Callable[..., ModuleType]


def journals(cache: Path) -> list[Path]:
    return sorted((cache / "bench").glob("*")) if cache.exists() else []


def test_a_cell_has_figures_decisions_and_a_signature(
    tiny: ModuleType, resolver: Make, cache: Path
) -> None:
    resolver("one", first_in_text, "one|pipeline:x-1")
    told: list[Progress] = []
    found = run_benchmarks(["tiny"], ["one"], on_progress=told.append)
    ((cell,),) = (table.results for table in found.tables)
    assert cell.main.value == 50
    assert len(cell.matched) == 10
    assert cell.signature == (
        "tiny|split:dev|candidates:given|context:snippet|resolver:one|pipeline:x-1"
        f"|items:10|v:{__version__}"
    )
    assert told == [Progress("tiny, one", done, 10) for done in range(11)]
    assert journals(cache) == [], "nothing is left of a run that is over"
    assert cell.switched is None


def test_candidates_are_found_where_the_benchmark_means_it(
    gappy: ModuleType, tiny: ModuleType, add: Add
) -> None:
    asked = []

    def load(settings: Any) -> Any:
        asked.append(settings.candidates)
        return Resolver(lambda each: (0,), f"candidates:{settings.candidates}")

    add("resolvers", "told", load=load)
    ways = [
        [(cell.benchmark, cell.candidates) for table in found.tables for cell in table.results]
        for way in (None, "given", "both")
        for found in [run_benchmarks(["gappy", "tiny"], ["told"], BenchOptions(candidates=way))]
    ]
    assert ways[0] == [("gappy", "found"), ("tiny", "given")]
    assert ways[1] == [("gappy", "given"), ("tiny", "given")]
    assert ways[2] == [("gappy", "given"), ("gappy", "found"), ("tiny", "given")]
    assert asked == ["found", "given", "given", "given", "found"], "each is loaded once a run"
    with pytest.raises(InvalidValue, match="given, found, both, found 'all'"):
        BenchOptions(candidates="all")


def test_a_page_is_looked_at_where_there_is_one(tiny: ModuleType, add: Add) -> None:
    add("resolvers", "url", load=lambda settings: Resolver(lambda each: (0,)), CONTEXT="page")
    (table,) = run_benchmarks(["tiny"], ["url"]).tables
    assert table.results[0].context == "snippet"
    vars(tiny)["CONTEXTS"] = ("snippet", "page")
    (table,) = run_benchmarks(["tiny"], ["url"]).tables
    assert table.results[0].context == "page"
    assert "|context:page|resolver:url|" in table.results[0].signature


def test_a_resolver_that_forgets_some(tiny: ModuleType, add: Add) -> None:
    class Lazy(Resolver):
        def decide(self, problems: Iterable[Problem]) -> Iterator[Decision]:
            yield from list(super().decide(problems))[3:]

    add("resolvers", "lazy", load=lambda settings: Lazy(rightly))
    (table,) = run_benchmarks(["tiny"], ["lazy"]).tables
    assert table.results[0].main.value == 70
    assert table.results[0].notes == ("3 of 10 problems have no decision.",)


class WithFirst:
    """A cluster resolver: every pronoun goes with the first token."""

    signature = "clusters of mine"

    def resolve(self, documents: Iterable[Document]) -> Iterator[Document]:
        for document in documents:
            she = document.tokens.index("she")
            entity = Entity((Mention.at(0, 1), Mention.at(she, she + 1)))
            yield replace(document, entities=(entity,))


def test_a_cluster_resolver_finds_its_candidates(gappy: ModuleType, add: Add) -> None:
    add("resolvers", "clusters", load=lambda settings: WithFirst(), CONTEXT="snippet")
    found = run_benchmarks(["gappy"], ["clusters"], BenchOptions(candidates="both"))
    ((cell,),) = (table.results for table in found.tables)
    assert cell.candidates == "found", "and it is run once, not twice"
    assert {decision.chosen for decision in cell.matched.decisions} == {(0,)}
    assert "|resolver:clusters|clusters of mine|clusters:heads|" in cell.signature


def test_resolvers_see_no_answers(add: Add) -> None:
    seen: list[Problem] = []

    def rule(each: Problem) -> tuple[int, ...]:
        seen.append(each)
        return (0,)

    items = tuple(replace(each, meta=(("correct_candidate_idx", "1"),)) for each in ITEMS)
    add("benchmarks", "tiny", **benchmark_facts(items))
    add("resolvers", "curious", load=lambda settings: Resolver(rule))
    (table,) = run_benchmarks(["tiny"], ["curious"], BenchOptions(switched=True)).tables
    assert len(seen) == 20, "the problems and their copies"
    assert all(each.answer is None and not each.meta for each in seen)
    assert [each.text for each in seen[:10]] == [each.text for each in items]
    assert table.results[0].main.value == 50
    assert table.results[0].matched.problems == items, "what is scored has its answers"


class Killed(Exception):
    pass


def dying(after: int) -> Callable[[Problem], tuple[int, ...]]:
    """A rule that dies after some answers."""
    left = [after]

    def rule(each: Problem) -> tuple[int, ...]:
        if not left[0]:
            raise Killed
        left[0] -= 1
        return (1,)

    return rule


@pytest.mark.parametrize("portion", [1, 3, 100])
def test_an_interrupted_run_goes_on(
    tiny: ModuleType, resolver: Make, cache: Path, monkeypatch: pytest.MonkeyPatch, portion: int
) -> None:
    monkeypatch.setattr(journal_module, "CHUNK", portion)
    done = resolver("done", lambda each: (0,))
    resolver("mine", dying(4))
    with pytest.raises(Killed):
        run_benchmarks(["tiny"], ["done", "mine"])
    assert len(journals(cache)) == 2
    again = resolver("mine", lambda each: (1,))
    found = run_benchmarks(["tiny"], ["done", "mine"])
    assert again.asked == [f"p{n}" for n in range(4, 10)], "only what was not decided"
    assert len(done.asked) == 10, "a resolver that was through is not asked again"
    assert [len(cell.matched.missing) for cell in found.tables[0].results] == [0, 0]
    assert [cell.main.value for cell in found.tables[0].results] == [50, 50]
    assert journals(cache) == []


def test_an_interruption_while_watching_loses_nothing(tiny: ModuleType, resolver: Make) -> None:
    first = resolver("mine", lambda each: (0,))

    def stop(progress: Progress) -> None:
        if progress.done == 7:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_benchmarks(["tiny"], ["mine"], on_progress=stop)
    assert len(first.asked) == 7
    run_benchmarks(["tiny"], ["mine"])
    assert first.asked == [f"p{n}" for n in range(10)]


def interrupted(resolver: Make, cache: Path) -> Path:
    resolver("mine", dying(4))
    with pytest.raises(Killed):
        run_benchmarks(["tiny"], ["mine"])
    (path,) = journals(cache)
    return path


@pytest.mark.parametrize("cut", [1, 5, 12])
def test_a_line_half_written_is_dropped(
    tiny: ModuleType, resolver: Make, cache: Path, cut: int
) -> None:
    path = interrupted(resolver, cache)
    path.write_bytes(path.read_bytes()[:-cut])
    whole = cut == 1  # only the line's end is lost
    resolver("mine", dying(2))
    with pytest.raises(Killed):
        run_benchmarks(["tiny"], ["mine"])
    again = resolver("mine", lambda each: (1,))
    found = run_benchmarks(["tiny"], ["mine"])
    assert again.asked == [f"p{n}" for n in range(6 if whole else 5, 10)]
    assert {d.chosen for d in found.tables[0].results[0].matched.decisions} == {(1,)}


def test_lines_of_rubbish_are_passed_over(tiny: ModuleType, resolver: Make, cache: Path) -> None:
    path = interrupted(resolver, cache)
    rubbish = ["[]", "7", '{"id": "p9"}', '{"id": "zz", "chosen": []}', '{"id": "", "chosen": []}',
               '{"id": "p9", "chosen": [1, 0]}', '{"id": "p9", "chosen": [5]}']  # fmt: skip
    path.write_text("".join(f"{line}\n" for line in rubbish), "utf-8")
    again = resolver("mine", lambda each: (1,))
    run_benchmarks(["tiny"], ["mine"])
    assert len(again.asked) == 10


def test_nothing_stale_is_used(
    tiny: ModuleType, resolver: Make, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupted(resolver, cache)
    other = resolver("mine", lambda each: (1,), "another signature")
    run_benchmarks(["tiny"], ["mine"])
    assert len(other.asked) == 10
    for name, value in (
        ("problems", lambda split: (*ITEMS[:-1], replace(ITEMS[-1], answer=(0,)))),
        ("problems", lambda split: tuple(replace(each, meta=(("a", "b"),)) for each in ITEMS)),
    ):
        monkeypatch.setattr(tiny, name, value)
        same = resolver("mine", lambda each: (1,))
        run_benchmarks(["tiny"], ["mine"])
        assert len(same.asked) == 10, "the problems are others"
    monkeypatch.undo()


def test_the_source_of_a_foreign_resolver_counts(
    tiny: ModuleType, add: Add, tmp_path: Path, cache: Path
) -> None:
    source = tmp_path / "mine.py"
    source.write_text("version 1", "utf-8")
    asked = []
    for text, rule in (("version 1", dying(4)), ("version 2", lambda each: (0,))):
        source.write_text(text, "utf-8")
        made = Resolver(rule)
        add("resolvers", "mine", load=lambda settings, made=made: made, __file__=str(source))
        with contextlib.suppress(Killed):
            run_benchmarks(["tiny"], ["mine"])
        asked.append(len(made.asked))
    assert asked == [5, 10]


def test_the_key_of_a_journal_holds_all_it_depends_on(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COINDEX_CACHE", str(cache))
    facts = {"benchmark": "b", "resolver": "r", "signature": "s"}
    before = Journal(facts, ITEMS).path
    assert before == Journal(dict(reversed(facts.items())), ITEMS).path
    others = [Journal({**facts, name: "x"}, ITEMS).path for name in facts]
    others.append(Journal(facts, ITEMS[:-1]).path)
    others.append(Journal(facts, ITEMS[::-1]).path)
    monkeypatch.setattr(journal_module, "__version__", "0.0.0")
    others.append(Journal(facts, ITEMS).path)
    monkeypatch.setattr(journal_module, "sources_digest", lambda: "other sources")
    others.append(Journal(facts, ITEMS).path)
    assert len({before, *others}) == 8


def test_decisions_are_kept_whole(cache: Path) -> None:
    from coindex.types.span import Chars

    journal = Journal({}, ITEMS)
    given = [Decision("p0", (0, 1), (0.5, 0.25)), Decision("p1", (), None, (0,), Chars(3, 9))]
    assert list(journal.record(given)) == given
    assert list(journal.read().values()) == given
    assert all(json.loads(line) for line in journal.path.read_text("ascii").splitlines())


def test_a_cache_that_cannot_be_written(
    tiny: ModuleType, resolver: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("COINDEX_CACHE", str(tmp_path / "file"))
    resolver("mine", lambda each: (1,))
    with pytest.raises(InputError, match="file"):
        run_benchmarks(["tiny"], ["mine"])


@pytest.mark.parametrize(("rule", "share"), [(first_in_text, 100), (by_name, 0)])
def test_consistency_at_its_extremes(
    tiny: ModuleType, resolver: Make, rule: Any, share: float
) -> None:
    resolver("mine", rule)
    (table,) = run_benchmarks(["tiny"], ["mine"], BenchOptions(switched=True)).tables
    (cell,) = table.results
    assert cell.switched is not None
    assert cell.switched.consistency.value == share
    names = [figure.name for figure in cell.all_figures]
    assert names == ["accuracy", "accuracy, switched", "consistency"]
    assert cell.all_figures[-1].of == 10
    assert cell.all_figures[1].value == 50


def test_what_cannot_be_switched_is_counted(add: Add, resolver: Make) -> None:
    same = problem("same", names="Ann Ann")
    add("benchmarks", "some", **benchmark_facts((*ITEMS, same)))
    resolver("mine", lambda each: (0,))
    (table,) = run_benchmarks(["some"], ["mine"], BenchOptions(switched=True)).tables
    switched = table.results[0].switched
    assert switched is not None
    assert switched.refused == (("the candidates have the same name", 1),)
    assert (len(switched.matched), switched.consistency.unpaired) == (10, 1)


def test_nothing_that_can_be_switched(add: Add, resolver: Make) -> None:
    add("benchmarks", "same", **benchmark_facts((problem("a", names="Ann Ann"),)))
    resolver("mine", lambda each: (0,))
    (table,) = run_benchmarks(["same"], ["mine"], BenchOptions(switched=True)).tables
    assert table.results[0].switched is None
    told = "no problem can be switched: 1 because the candidates have the same name."
    assert table.results[0].notes == (told,)


def test_consistency_is_told_where_papers_tell_it(add: Add, resolver: Make) -> None:
    facts = benchmark_facts()
    row = replace(facts["PUBLISHED"][0], figures=(("consistency", 76.0),))
    add("benchmarks", "papers", **{**facts, "PUBLISHED": (row,)})
    resolver("mine", lambda each: (0,))
    (table,) = run_benchmarks(["papers"], ["mine"]).tables
    assert table.results[0].switched is not None


def test_unknown_names_are_answered(tiny: ModuleType, resolver: Make) -> None:
    resolver("mine", lambda each: (0,))
    with pytest.raises(UnknownName, match=r"benchmark 'tinny'; expected one of: .*tiny"):
        run_benchmarks(["tinny"], ["mine"])
    with pytest.raises(UnknownName, match=r"resolver 'yours'; expected one of: .*mine"):
        run_benchmarks(["tiny"], ["yours"])
    with pytest.raises(UnknownName, match=r"split of tiny 'train'; expected one of: dev, test"):
        run_benchmarks(["tiny"], ["mine"], BenchOptions(split="train"))


def test_a_wrong_split_is_told_before_anything_is_run(
    tiny: ModuleType, add: Add, resolver: Make
) -> None:
    add("benchmarks", "other", **{**benchmark_facts(), "SPLITS": {"dev": 10}})
    mine = resolver("mine", lambda each: (0,))
    with pytest.raises(UnknownName, match="split of other 'test'"):
        run_benchmarks(["tiny", "other"], ["mine"], BenchOptions(split="test"))
    assert mine.asked == []


def test_old_journals_are_removed(tiny: ModuleType, resolver: Make, cache: Path) -> None:
    folder = cache / "bench"
    folder.mkdir(parents=True)
    ages = {"old.jsonl": 31, "young.jsonl": 29, "old.txt": 99}
    for name, days in ages.items():
        (folder / name).write_text("{}\n", "utf-8")
        then = time.time() - days * 24 * 3600
        os.utime(folder / name, (then, then))
    resolver("mine", lambda each: (0,))
    run_benchmarks(["tiny"], ["mine"])
    assert [path.name for path in journals(cache)] == ["old.txt", "young.jsonl"]
    assert journal_module.prune(days=28) == 1


def test_what_is_not_here_is_skipped_unless_named(
    add: Add, tiny: ModuleType, resolver: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(split: str) -> tuple[Problem, ...]:
        raise CorpusNotFound("lost: not found")

    add("benchmarks", "lost", **{**benchmark_facts(), "problems": gone})
    monkeypatch.setattr("coindex.benchmarks.names", lambda: ("lost", "tiny"))
    resolver("mine", lambda each: (0,))
    found = run_benchmarks([], ["mine"])
    assert [table.name for table in found.tables] == ["tiny"]
    assert found.skipped == (("lost", "lost: not found"),)
    with pytest.raises(CorpusNotFound):
        run_benchmarks(["lost"], ["mine"])
    found = run_benchmarks([], ["mine"], BenchOptions(split="train"))
    assert [name for name, _ in found.skipped] == ["lost", "tiny"]


def test_files_are_scored_beside_resolvers(tiny: ModuleType, resolver: Make) -> None:
    resolver("mine", lambda each: (0,))
    right = tuple(Decision(each.id, each.answer or ()) for each in ITEMS[:8])
    given = ExternalDecisions("theirs.jsonl", "predictions", right, ("odd.",))
    found = merge_runs(
        score_external(select_benchmark("tiny", BenchOptions()), [given]),
        run_benchmarks(["tiny"], ["mine"]),
    )
    (table,) = found.tables
    theirs, mine = table.results
    assert (theirs.system, theirs.kind, theirs.main.value) == ("theirs.jsonl", "predictions", 80)
    assert theirs.notes == ("odd.", "2 of 10 problems have no decision.")
    assert theirs.signature == (
        f"tiny|split:dev|candidates:unknown|predictions:theirs.jsonl|items:10|v:{__version__}"
    )
    assert mine.system == "mine"
    with pytest.raises(InvalidValue, match="1 on others: zz"):
        score_external(
            select_benchmark("tiny", BenchOptions()),
            [ExternalDecisions("f", "predictions", (Decision("zz"),))],
        )


def test_problems_are_read_once(add: Add, resolver: Make) -> None:
    reads = []

    def problems(split: str) -> tuple[Problem, ...]:
        reads.append(split)
        return ITEMS

    add("benchmarks", "counted", **{**benchmark_facts(), "problems": problems})
    for name in ("one", "two"):
        resolver(name, lambda each: (0,))
    run_benchmarks(["counted"], ["one", "two"], BenchOptions(switched=True))
    assert reads == ["dev"]


def test_any_source_or_data_file_is_part_of_the_key(tmp_path: Path) -> None:
    """Version 0.1 listed packages by hand, and forgot some."""
    (tmp_path / "models" / "coref").mkdir(parents=True)
    seen = {journal_module.folder_digest(tmp_path)}
    for name in ("models/coref/a.py", "scoring.py", "models/words.txt", "models/coref/model.json"):
        (tmp_path / name).write_text("1", "utf-8")
        seen.add(journal_module.folder_digest(tmp_path))
        (tmp_path / name).write_text("2", "utf-8")
        seen.add(journal_module.folder_digest(tmp_path))
    assert len(seen) == 9
