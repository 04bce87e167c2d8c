"""Runs: the same bytes for any number of workers, any engine, any number of stops."""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("spacy", reason="needs spaCy: pip install 'coindex[spacy]'")

from coindex import plugins
from coindex.builders import Dropped, Passage
from coindex.builders.pipeline import run, shard_output
from coindex.builders.pipeline.worker import BuildJob, parsed_passages
from coindex.builders.sources import RejectedInput, file_checksum, pages
from coindex.errors import FormatError, InputError, InvalidValue, UnknownName
from coindex.jobs import parts
from coindex.text.parsing import spacy_pipeline
from coindex.types.problem import Problem
from coindex.types.progress import Progress

TOY = '''
"""A toy source of lines and a toy builder of pronouns, for tests."""
import os
import pathlib
import re
import time
from coindex.types.problem import Candidate, Problem
from coindex.types.span import Chars
from coindex.builders import Dropped, Passage
from coindex.builders.sources import Page, RejectedInput, Shard

ABOUT = "toys"
NEEDS = frozenset()

def shards(path, size):
    count = len(pathlib.Path(path).read_text().splitlines())
    return tuple(Shard(path, n, at, min(at + 5, count)) for n, at in enumerate(range(0, count, 5)))

def read(shard):
    if os.environ.get("TOYS_WAIT"):
        pathlib.Path(os.environ["TOYS_WAIT"], str(os.getpid())).touch()
        time.sleep(600)
    for number, line in enumerate(pathlib.Path(shard.path).read_text().splitlines()):
        if shard.start <= number < shard.end:
            if "BROKEN" in line:
                yield RejectedInput(shard.path, f"line {number + 1}", "broken")
            elif "SKIP" in line:
                yield RejectedInput(shard.path, f"line {number + 1}", "skip", skipped=True)
            else:
                yield Page(str(number), f"page {number}", line.strip())

def rules(seed):
    return seed

def scan(page, rules):
    if " she " in page.text:
        yield Passage(f"{page.id}-0", page.text, page.id, page.title)
    else:
        yield Dropped(page.id, "scan", "no pronoun", page.text)

def build(parsed, rules):
    text = parsed.passage.text
    at = text.index(" she ") + 1
    name = re.match("[A-Z][a-z]+", text)
    if name is None:
        yield Dropped(parsed.passage.id, "build", "no name", text)
        return
    span = Chars(*name.span())
    yield Problem(parsed.passage.id, text, Chars(at, at + 3), (Candidate(name.group(), span),))
'''


@pytest.fixture
def toys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The toys as a package that workers can import too, and 38 lines of text."""
    package = tmp_path / "package"
    package.mkdir()
    (package / "toys.py").write_text(TOY)
    info = package / "toys-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Name: toys\nVersion: 1\n")
    (info / "entry_points.txt").write_text(
        "[coindex.sources]\ntoys = toys\n[coindex.builders]\ntoys = toys\n"
    )
    monkeypatch.syspath_prepend(str(package))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(package), *sys.path]))
    from coindex import plugins

    plugins._installed_groups.cache_clear()
    plugins._entry_points.cache_clear()
    kinds = ("Ann said she slept.", "Bob slept.", "then she slept.", "SKIP", "BROKEN")
    lines = [f"{kinds[n % 5 if n % 7 else 0]}" for n in range(38)]
    (tmp_path / "in.txt").write_text("\n".join(lines) + "\n")
    yield tmp_path
    plugins._installed_groups.cache_clear()
    plugins._entry_points.cache_clear()


def plan_of(folder: Path, name: str, seed: int = 1, strict: bool = False) -> run.BuildPlan:
    job = BuildJob("toys", "toys", str(folder / name), seed, strict=strict)
    return run.plan_build(job, [str(folder / "in.txt")])


def same(one: run.BuildResult, two: run.BuildResult) -> None:
    """Two runs have the same result: items, account and settings."""
    assert list(one.problems) == list(two.problems)
    assert (one.account, one.settings) == (two.account, two.settings)


def test_everything_is_accounted_for(toys: Path) -> None:
    built = run.run_build(plan_of(toys, "parts"))
    found = built.account
    assert found.pages + sum(found.skipped.values()) + sum(found.broken.values()) == 38
    assert found.scanned == found.pages == found.passages + found.dropped["scan", "no pronoun"]
    assert found.passages == found.items + found.dropped["build", "no name"]
    assert found.giving == found.items == found.passages - found.dropped["build", "no name"]
    assert found.items == len(built.problems) > 5
    assert found.positions[0].endswith("in.txt: line 5: broken")
    assert found.examples["scan", "no pronoun"] == ["Bob slept."] * 5


def test_workers_change_nothing(toys: Path) -> None:
    one = run.run_build(plan_of(toys, "one"))
    two = run.run_build(plan_of(toys, "two"), workers=2)
    assert list(one.problems) == list(two.problems)
    assert one.account == two.account
    files = sorted(p.name for p in (toys / "one").iterdir())
    assert files == sorted(p.name for p in (toys / "two").iterdir())
    assert all((toys / "one" / f).read_bytes() == (toys / "two" / f).read_bytes() for f in files)


@pytest.mark.parametrize(("at", "done"), [(0, 1), (3, 4), (7, 8), (-3, 3)])
def test_a_killed_run_goes_on_to_the_same_bytes(toys: Path, at: int, done: int) -> None:
    """Killed after a shard, before the next; or, with -3, in the middle of writing a part."""
    whole = run.run_build(plan_of(toys, "whole"))
    code = textwrap.dedent(f"""
        import os, time
        from coindex.builders.pipeline import engines, run
        from coindex.builders.pipeline.worker import BuildJob, process_shard
        def wait():
            print("here", flush=True)
            time.sleep(600)
        def slow(job, shard):
            if -shard.number == {at} < 0:
                os.replace = lambda old, new: wait()
            found = process_shard(job, shard)
            if shard.number == {at}:
                wait()
            return found
        engines.process_shard = slow
        job = BuildJob("toys", "toys", {str(toys / "killed")!r})
        run.run_build(run.plan_build(job, [{str(toys / "in.txt")!r}]))
    """)
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "here\n"
    process.send_signal(signal.SIGKILL)
    process.communicate()
    made = {p: p.stat().st_mtime_ns for p in (toys / "killed").glob("part-*.jsonl")}
    assert len(made) == done
    seen: list[Progress] = []
    again = run.run_build(plan_of(toys, "killed"), on_progress=seen.append)
    assert seen[0] == Progress("shards", done, 8)
    assert seen[-1] == Progress("shards", 8, 8)
    assert list(again.problems) == list(whole.problems)
    assert again.account == whole.account
    assert all(p.stat().st_mtime_ns == when for p, when in made.items()), "done once"


def test_workers_end_with_a_killed_run(toys: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (toys / "pids").mkdir()
    monkeypatch.setenv("TOYS_WAIT", str(toys / "pids"))
    code = textwrap.dedent(f"""
        from coindex.builders.pipeline import run
        from coindex.builders.pipeline.worker import BuildJob
        if __name__ == "__main__":
            job = BuildJob("toys", "toys", {str(toys / "killed")!r})
            run.run_build(run.plan_build(job, [{str(toys / "in.txt")!r}]), workers=2)
    """)
    (toys / "main.py").write_text(code)
    process = subprocess.Popen([sys.executable, str(toys / "main.py")])
    until(lambda: len(list((toys / "pids").iterdir())) == 2)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    until(lambda: not any(map(alive, (toys / "pids").iterdir())))
    assert process.returncode == -signal.SIGKILL


def until(true: Callable[[], bool]) -> None:
    """Wait for something that will soon be so."""
    for _ in range(600):
        if true():
            return
        time.sleep(0.1)
    raise AssertionError("not so after a minute")


def alive(path: Path) -> bool:
    """Whether a process works; one that nobody has asked for its end (`Z`) does not."""
    try:
        os.kill(int(path.name), 0)
        state = Path("/proc", path.name, "stat")
        return not state.exists() or state.read_text().rpartition(")")[2].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False


def test_parts_of_another_run_are_refused(toys: Path) -> None:
    run.run_build(plan_of(toys, "parts"))
    with pytest.raises(InputError, match="found those of another"):
        run.run_build(plan_of(toys, "parts", seed=2))
    assert run.run_build(plan_of(toys, "other", seed=2)).account == (
        run.run_build(plan_of(toys, "parts", seed=2), resume=False).account
    )
    run.run_build(plan_of(toys, "parts"), resume=False)
    (toys / "parts" / "part-000001.jsonl").write_text("half")
    with pytest.raises(FormatError, match=r"part-000001\.jsonl:1: expected the account"):
        run.run_build(plan_of(toys, "parts"))
    again = run.run_build(plan_of(toys, "parts"), resume=False)
    assert again.account.items
    parts.remove_parts(toys / "parts")
    assert not (toys / "parts").exists()


def test_strict_stops_at_broken_input(toys: Path) -> None:
    with pytest.raises(InputError, match="line 5: broken"):
        run.run_build(plan_of(toys, "parts", strict=True))


def test_strict_stops_at_what_an_earlier_run_has_counted(toys: Path) -> None:
    assert run.run_build(plan_of(toys, "parts")).account.broken
    with pytest.raises(InputError, match="line 5: broken"):
        run.run_build(plan_of(toys, "parts", strict=True))


def test_a_run_killed_before_it_began_or_while_it_ended_can_be_given_again(
    toys: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (toys / "parts").mkdir()
    (toys / "parts" / "run.json.half").write_text("half")
    whole = run.run_build(plan_of(toys, "parts"))

    class Killed(BaseException):
        """As by a signal."""

    def killed(path: Path) -> None:
        raise Killed

    monkeypatch.setattr(shutil, "rmtree", killed)
    with pytest.raises(Killed):
        parts.remove_parts(toys / "parts")
    monkeypatch.undo()
    assert not list((toys / "parts").glob("part-*")), "what says whose they are goes last"
    assert (toys / "parts" / "run.json").is_file()
    monkeypatch.setenv("PYTHONPATH", str(toys / "package"))
    monkeypatch.syspath_prepend(str(toys / "package"))
    same(run.run_build(plan_of(toys, "parts")), whole)


def test_parts_of_nobody_are_refused(toys: Path) -> None:
    run.run_build(plan_of(toys, "parts"))
    (toys / "parts" / "run.json").unlink()
    for resume in (True, False):
        with pytest.raises(InputError, match="found those of another"):
            run.run_build(plan_of(toys, "parts"), resume=resume)


def test_files_that_number_their_pages_alike(toys: Path) -> None:
    file = str(toys / "in.txt")
    once = run.run_build(plan_of(toys, "once"))
    twice = run.run_build(
        run.plan_build(BuildJob("toys", "toys", str(toys / "twice")), [file, file])
    )
    ids = [problem.id for problem in twice.problems]
    assert ids[: len(once.problems)] == [problem.id for problem in once.problems]
    assert ids[len(once.problems) :] == [f"{problem.id}~2" for problem in once.problems]


def test_a_limit_is_told_and_can_be_raised(toys: Path) -> None:
    def limited(limit: int | None) -> run.BuildResult:
        job = BuildJob("toys", "toys", str(toys / "parts"))
        return run.run_build(run.plan_build(job, [str(toys / "in.txt")], limit=limit))

    few = limited(2)
    assert (few.settings[-1], few.account.pages) == (("limit", "2 shards"), 6)
    whole = limited(None)
    assert "limit" not in dict(whole.settings)
    same(whole, run.run_build(plan_of(toys, "whole")))


def test_mistakes_are_named(toys: Path) -> None:
    with pytest.raises(UnknownName, match="unknown engine 'cloud'; expected one of: local, ray"):
        run.run_build(plan_of(toys, "x"), engine="cloud")
    with pytest.raises(InputError, match="found nothing"):
        run.plan_build(BuildJob("toys", "toys", str(toys / "x")), [str(toys / "no")])
    with pytest.raises(UnknownName):
        run.plan_build(BuildJob("nobody", "toys", str(toys / "x")), [str(toys / "in.txt")])


def test_accounts_add_up_and_come_back(tmp_path: Path) -> None:
    one, two = (
        shard_output.BuildAccount(1, 2, 3, 4, 5, 6),
        shard_output.BuildAccount(10, 20, 30, 40, 50, 60),
    )
    for number in range(7):
        one.drop(Dropped(str(number), "scan", "why", f"example {number}"))
        two.reject(RejectedInput("file", f"line {number}", "reason", skipped=number % 2 == 0))
    one.add(two)
    assert (one.pages, one.items, one.giving, one.dropped["scan", "why"]) == (11, 55, 66, 7)
    assert one.examples["scan", "why"] == [f"example {n}" for n in range(5)]
    assert (one.skipped["reason"], one.broken["reason"], len(one.positions)) == (4, 3, 3)
    shard_output.write_part(tmp_path / "part", one, ["a\n", "b\n"])
    assert shard_output.read_account(tmp_path / "part") == one
    assert list(parts.content_lines(tmp_path / "part")) == ["a\n", "b\n"]


@pytest.mark.skipif(os.environ.get("COINDEX_NO_RAY") == "1", reason="COINDEX_NO_RAY is set")
def test_a_ray_cluster_of_two_nodes_gives_the_same(toys: Path) -> None:
    pytest.importorskip("ray", reason="needs Ray: pip install 'coindex[ray]'")
    from ray.cluster_utils import Cluster

    one = run.run_build(plan_of(toys, "one"))
    own = run.run_build(plan_of(toys, "own"), engine="ray", workers=2)
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    try:
        cluster.add_node(num_cpus=1)
        many = run.run_build(plan_of(toys, "ray"), engine="ray", address=cluster.address)
    finally:
        cluster.shutdown()  # type: ignore[no-untyped-call]
    for other in (own, many):
        assert list(one.problems) == list(other.problems)
        assert one.account == other.account


# What of spaCy is on, and the order in which it works.

SAMPLE = "wikipedia/wikiextractor-2014-AI.txt.xz"


@pytest.mark.data
@pytest.mark.parametrize("name", ["wikicrem", "knowref"])
def test_what_is_switched_off_changes_no_item(name: str, data: Path) -> None:
    builder = plugins.load("builders", name)
    rules = builder.rules(1)
    passages = []
    for page in pages(data / SAMPLE):
        found = () if isinstance(page, RejectedInput) else builder.scan(page, rules)
        passages += [each for each in found if isinstance(each, Passage)]
        if len(passages) > 60 or (name == "knowref" and len(passages) > 15):
            break

    def items(needs: frozenset[str]) -> list[Problem]:
        return [
            item
            for parsed in parsed_passages(passages, needs)
            for item in builder.build(parsed, rules)
            if isinstance(item, Problem)
        ]

    assert builder.NEEDS < spacy_pipeline.NEEDS
    assert items(builder.NEEDS) == items(spacy_pipeline.NEEDS) != []


def test_only_what_is_needed_is_on() -> None:
    nlp = spacy_pipeline.load_pipeline(spacy_pipeline.choose_pipeline(None, frozenset({"names"})))
    assert nlp.pipe_names == ["ner"]
    nlp = spacy_pipeline.load_pipeline(
        spacy_pipeline.choose_pipeline(None, frozenset({"tags", "names"}))
    )
    assert set(nlp.pipe_names) == {"tok2vec", "tagger", "attribute_ruler", "ner"}
    assert (
        "only:names+tags"
        in spacy_pipeline.choose_pipeline(None, frozenset({"tags", "names"})).signature
    )
    assert "only" not in spacy_pipeline.choose_pipeline().signature
    with pytest.raises(InvalidValue, match=r"expected needs of .* found \['lemmas'\]"):
        spacy_pipeline.choose_pipeline(None, frozenset({"lemmas"}))


def test_pieces_are_parsed_apart_and_put_together() -> None:
    text = "Ann Bell slept. Mary Cole left Rome."
    (found,) = parsed_passages([Passage("x", text, "1", boundaries=(16,))], spacy_pipeline.NEEDS)
    parse = found.parse
    said = [text[start:end] for start, end in zip(parse.starts, parse.ends, strict=True)]
    assert said == ["Ann", "Bell", "slept", ".", "Mary", "Cole", "left", "Rome", "."]
    assert parse.sentences == (0, 0, 0, 0, 1, 1, 1, 1, 1)
    assert [parse.heads[at] for at in (0, 4)] == [1, 5]
    names = [" ".join(said[first:last]) for first, last, _ in parse.entities]
    assert {"Ann Bell", "Mary Cole"} <= set(names)
    (same,) = parsed_passages([Passage("y", "Mary Cole left Rome.", "1")], spacy_pipeline.NEEDS)
    assert same.parse.deps == parse.deps[4:]


def test_a_builder_that_needs_nothing_gets_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spacy_pipeline, "load_pipeline", None)
    (found,) = parsed_passages([Passage("x", "Ann slept.", "1")], frozenset())
    assert len(found.parse) == 0


# What an item was made of.


def test_items_and_runs_say_which_file_they_are_of(toys: Path) -> None:
    plan = plan_of(toys, "parts")
    built = run.run_build(plan)
    known = file_checksum(str(toys / "in.txt"))
    assert known == f"sha256:{hashlib.sha256((toys / 'in.txt').read_bytes()).hexdigest()}"
    assert {problem.meta_value("checksum") for problem in built.problems} == {known}
    size = (toys / "in.txt").stat().st_size
    assert ("input", f"in.txt {size} {known}") in built.settings
    assert ("pipeline", "none") in built.settings
    with pytest.raises(
        InputError, match=r"in\.txt: expected other input than train was built from"
    ):
        run.check_disjoint_sources(plan, built.problems, "train")
    bare = [replace(problem, meta=()) for problem in built.problems]
    with pytest.raises(InputError, match=r"train: expected items with the metadata 'checksum'"):
        run.check_disjoint_sources(plan, bare, "train")
    (toys / "in.txt").write_text("Ann said she slept.\n")
    run.check_disjoint_sources(plan_of(toys, "other"), built.problems, "train")


def test_changed_input_is_another_run(toys: Path) -> None:
    run.run_build(plan_of(toys, "parts"))
    text = (toys / "in.txt").read_text()
    (toys / "in.txt").write_text(text.replace("Bob", "Rob"))  # as many bytes as before
    with pytest.raises(InputError, match="found those of another"):
        run.run_build(plan_of(toys, "parts"))
