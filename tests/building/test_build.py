"""Runs: the same bytes for any number of workers, any engine, any number of stops."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("spacy", reason="needs spaCy: pip install 'coindex[spacy]'")

from coindex.build import part, run
from coindex.build.work import Job
from coindex.corpora import Dropped
from coindex.errors import FormatError, InputError, UnknownName
from coindex.sources import Bad

TOY = '''
"""A toy source of lines and a toy builder of pronouns, for tests."""
import pathlib
import re
from coindex.core.problem import Candidate, Problem
from coindex.core.span import Chars
from coindex.corpora import Dropped, Passage
from coindex.sources import Bad, Page, Shard

ABOUT = "toys"
NEEDS = frozenset()

def shards(path, size):
    count = len(pathlib.Path(path).read_text().splitlines())
    return tuple(Shard(path, n, at, min(at + 5, count)) for n, at in enumerate(range(0, count, 5)))

def read(shard):
    for number, line in enumerate(pathlib.Path(shard.path).read_text().splitlines()):
        if shard.start <= number < shard.end:
            if "BROKEN" in line:
                yield Bad(shard.path, f"line {number + 1}", "broken")
            elif "SKIP" in line:
                yield Bad(shard.path, f"line {number + 1}", "skip", skipped=True)
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
        "[coindex.sources]\ntoys = toys\n[coindex.corpora]\ntoys = toys\n"
    )
    monkeypatch.syspath_prepend(str(package))
    monkeypatch.setenv("PYTHONPATH", str(package))
    from coindex import plugins

    plugins._foreign.cache_clear()
    kinds = ("Ann said she slept.", "Bob slept.", "then she slept.", "SKIP", "BROKEN")
    lines = [f"{kinds[n % 5 if n % 7 else 0]}" for n in range(38)]
    (tmp_path / "in.txt").write_text("\n".join(lines) + "\n")
    yield tmp_path
    plugins._foreign.cache_clear()


def plan_of(home: Path, name: str, **settings: object) -> run.Plan:
    return run.plan(Job("toys", "toys", str(home / name), **settings), [str(home / "in.txt")])  # type: ignore[arg-type]


def test_everything_is_accounted_for(toys: Path) -> None:
    built = run.run(plan_of(toys, "parts"))
    found = built.account
    assert found.pages + sum(found.skipped.values()) + sum(found.broken.values()) == 38
    assert found.scanned == found.pages == found.passages + found.dropped["scan", "no pronoun"]
    assert found.passages == found.items + found.dropped["build", "no name"]
    assert found.items == len(built.problems) > 5
    assert found.places[0].endswith("in.txt: line 5: broken")
    assert found.examples["scan", "no pronoun"] == ["Bob slept."] * 5


def test_workers_change_nothing(toys: Path) -> None:
    one = run.run(plan_of(toys, "one"))
    two = run.run(plan_of(toys, "two"), workers=2)
    assert run.digest(one.problems) == run.digest(two.problems)
    assert one.account == two.account
    files = sorted(p.name for p in (toys / "one").iterdir())
    assert files == sorted(p.name for p in (toys / "two").iterdir())
    assert all((toys / "one" / f).read_bytes() == (toys / "two" / f).read_bytes() for f in files)


def test_a_killed_run_goes_on_to_the_same_bytes(toys: Path) -> None:
    whole = run.run(plan_of(toys, "whole"))
    code = textwrap.dedent(f"""
        import time
        from coindex.build import engines, run
        from coindex.build.work import Job, work
        def slow(job, shard):
            found = work(job, shard)
            print(shard.number, flush=True)
            if shard.number == 3:
                time.sleep(600)
            return found
        engines.work = slow
        run.run(run.plan(Job("toys", "toys", {str(toys / "killed")!r}), [{str(toys / "in.txt")!r}]))
    """)
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert [process.stdout.readline() for _ in range(4)][3] == "3\n"
    process.send_signal(signal.SIGKILL)
    process.communicate()
    made = {p: p.stat().st_mtime_ns for p in (toys / "killed").glob("part-*")}
    assert len(made) == 4
    seen: list[tuple[int, int]] = []
    again = run.run(plan_of(toys, "killed"), watch=lambda done, total: seen.append((done, total)))
    assert seen[0] == (4, 8)
    assert seen[-1] == (8, 8)
    assert run.digest(again.problems) == run.digest(whole.problems)
    assert all(p.stat().st_mtime_ns == when for p, when in made.items()), "done once"


def test_parts_of_another_run_are_refused(toys: Path) -> None:
    run.run(plan_of(toys, "parts"))
    with pytest.raises(InputError, match="found those of another"):
        run.run(plan_of(toys, "parts", seed=2))
    (toys / "parts" / "part-000001.jsonl").write_text("half")
    with pytest.raises(FormatError, match=r"part-000001\.jsonl:1: expected the account"):
        run.run(plan_of(toys, "parts"))
    again = run.run(plan_of(toys, "parts"), resume=False)
    assert again.account.items
    run.finish(plan_of(toys, "parts"))
    assert not (toys / "parts").exists()


def test_strict_stops_at_broken_input(toys: Path) -> None:
    with pytest.raises(InputError, match="line 5: broken"):
        run.run(plan_of(toys, "parts", strict=True))


def test_mistakes_are_named(toys: Path) -> None:
    with pytest.raises(UnknownName, match="unknown engine 'cloud'; expected one of: local, ray"):
        run.run(plan_of(toys, "x"), engine="cloud")
    with pytest.raises(InputError, match="found nothing"):
        run.plan(Job("toys", "toys", str(toys / "x")), [str(toys / "no")])
    with pytest.raises(UnknownName):
        run.plan(Job("nobody", "toys", str(toys / "x")), [str(toys / "in.txt")])


def test_accounts_add_up_and_come_back(tmp_path: Path) -> None:
    one, two = part.Account(1, 2, 3, 4, 5), part.Account(10, 20, 30, 40, 50)
    for number in range(7):
        one.drop(Dropped(str(number), "scan", "why", f"example {number}"))
        two.bad(Bad("file", f"line {number}", "reason", skipped=number % 2 == 0))
    one.add(two)
    assert (one.pages, one.items, one.dropped["scan", "why"]) == (11, 55, 7)
    assert one.examples["scan", "why"] == [f"example {n}" for n in range(5)]
    assert (one.skipped["reason"], one.broken["reason"], len(one.places)) == (4, 3, 3)
    part.write(tmp_path / "part", one, ["a\n", "b\n"])
    again, lines = part.read(tmp_path / "part")
    assert again == one
    assert list(lines) == ["a\n", "b\n"]


@pytest.mark.skipif(os.environ.get("COINDEX_NO_RAY") == "1", reason="COINDEX_NO_RAY is set")
def test_a_ray_cluster_gives_the_same(toys: Path) -> None:
    pytest.importorskip("ray", reason="needs Ray: pip install 'coindex[ray]'")
    one = run.run(plan_of(toys, "one"))
    many = run.run(plan_of(toys, "ray"), engine="ray", workers=2)
    assert run.digest(one.problems) == run.digest(many.problems)
    assert one.account == many.account
