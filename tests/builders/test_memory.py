"""The end of a run holds no items: its memory does not grow with their number."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from coindex import formats
from coindex.types.problem import Candidate, Problem
from coindex.types.span import Chars

FEW, MANY = 2_000, 20_000
SIZE = 100
"""Characters of an item's text: held in memory, the 18,000 items more take 28 MB (measured)."""
MOST = 14e6
"""Bytes by which memory may grow: a few databases of keys, of each of which 8 MB are in memory at
most, whatever the number of items (measured: 1 MB, for gap 10 MB)."""

RUN = """
    import json, resource, sys
    from pathlib import Path
    from coindex import formats
    from coindex.builders.pipeline import report, shard_output
    from coindex.builders.pipeline.run import collect_items, make_rules
    from coindex.builders.pipeline.shard_output import StoredItems
    from coindex.builders.pipeline.run import BuildResult
    from coindex.types.problem import Candidate, Problem
    from coindex.types.span import Chars

    name, folder, count, size, options = sys.argv[1], Path(sys.argv[2]), *json.loads(sys.argv[3])
    names = (Candidate("Ann", Chars(0, 3)), Candidate("Bea", Chars(8, 11)))

    def problem(number):
        text = f"Ann met Bea because she was late at {number}.".ljust(size, "x")
        pattern = ("final", "medial", "initial")[max(0, number % 8 - 5)]
        facts = {"page": str(number // 2), "pattern": pattern, "entity": str(number % 3 == 0).lower()}
        group = ("feminine", "masculine")[number % 5 == 0]
        answer = (int(number % 3 == 0),)
        return Problem(str(number), text, Chars(20, 23), names, answer, group, None, tuple(facts.items()))

    def half(start, end, name):
        account = shard_output.BuildAccount(items=end - start)
        shard_output.write_part(folder / name, account, formats.write_lines(map(problem, range(start, end)), "problem-jsonl"))
        return folder / name

    paths = half(0, count // 2, "part-1"), half(count // 2, count, "part-2")
    account = shard_output.read_account(paths[0])
    account.add(shard_output.read_account(paths[1]))
    built = collect_items(BuildResult(StoredItems(paths, count), account, ()), name, make_rules(name, 1, options), folder)
    report.report_tables(built)
    formats.write(folder / "out.jsonl", built.problems, "problem-jsonl")
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    print(json.dumps([most, len(built.problems), account.dropped.total()]))
"""


def memory(name: str, folder: Path, count: int, options: dict[str, str]) -> tuple[int, int]:
    """The most memory of a process that ends a run of so many items, and how many it kept."""
    folder.mkdir()
    args = [name, str(folder), json.dumps([count, SIZE, options])]
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(RUN), *args],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    most, kept, dropped = json.loads(done.stdout)
    assert kept + dropped == count, "nothing is lost"
    with (folder / "out.jsonl").open(encoding="utf-8") as lines:
        assert sum(1 for _ in lines) == kept
    return most, kept


@pytest.mark.parametrize("name", ["wikicrem", "knowref", "gap", "randomwiki"])
def test_the_end_of_a_run_holds_no_items(name: str, tmp_path: Path) -> None:
    options: dict[str, str] = {}
    if name == "randomwiki":
        options["like"] = str(tmp_path / "like.jsonl")
        names = (Candidate("Ann", Chars(0, 3)),)
        text = "Ann met Bea because she was late at 1.".ljust(SIZE, "x")
        like = [Problem(str(number), text, Chars(20, 23), names, (0,)) for number in range(1500)]
        formats.write(options["like"], like, "problem-jsonl")
    few, _ = memory(name, tmp_path / "few", FEW, options)
    many, kept = memory(name, tmp_path / "many", MANY, options)
    assert kept > MANY / 50
    assert many - few < MOST
