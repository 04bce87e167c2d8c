"""How fast benchmarks run once passages are parsed, against parsing GAP's test set once.

All resolvers on all benchmarks whose data is here, with candidates given and found,
with the switched copies of KnowRef and with all intervals. A first run fills the
cache of parses and is not measured; the second one must take less time than parsing
the 2,000 passages of GAP's test set does. No resolver is run on that set.
Prints the ratio; exits with 1 if it is above its limit.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from coindex import datasets, formats, resolvers
from coindex.errors import CoindexError
from coindex.evaluate.options import BenchOptions
from coindex.evaluate.results import BenchRun
from coindex.evaluate.run import run_benchmarks
from coindex.text.parsing.parser import make_parser

LIMIT = 1.0
CUES = (
    "random", "token-distance", "topical-entity", "syntactic-distance", "parallelism",
    "parallelism-url", "first", "last", "majority",
)  # fmt: skip


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def parsing() -> float:
    """The seconds to parse GAP's test set; loading the pipeline is not counted."""
    parse = make_parser(None, cache=False)
    texts = [item.text for item in formats.read(datasets.path("gap", "test"))]
    parse.batch(["Ann slept."])
    return seconds(lambda: parse.batch(texts))


def everything() -> BenchRun:
    systems = [name for name in resolvers.names() if name in CUES]
    return run_benchmarks([], systems, BenchOptions(candidates="both"))


def main() -> int:
    default = Path(__file__).parents[2] / "shared" / "data"
    if default.is_dir():
        os.environ.setdefault("COINDEX_DATA", str(default))
    with tempfile.TemporaryDirectory() as folder:
        os.environ["COINDEX_CACHE"] = folder
        try:
            baseline = parsing()
        except CoindexError as error:
            print(f"skipped: {error}")
            return 0
        cold = seconds(everything)
        found: list[BenchRun] = []
        warm = min(seconds(lambda: found.append(everything())) for _ in range(2))
    cells = [cell for table in found[0].tables for cell in table.results]
    problems = sum(len(cell.matched) for cell in cells)
    copies = sum(len(cell.switched.matched) for cell in cells if cell.switched)
    print(f"parsing GAP test once: {baseline:.1f} s")
    print(f"{len(cells)} cells, {problems:,} decisions and {copies:,} on switched copies:")
    print(f"  first run, with parsing: {cold:.1f} s")
    ratio = warm / baseline
    print(f"  parses cached: {warm:.1f} s, {ratio:.2f} x parsing GAP test")
    for name, reason in found[0].skipped:
        print(f"  skipped {name}: {reason}")
    if ratio > LIMIT:
        print(f"over the limit: {ratio:.2f} (limit {LIMIT:g})")
    return int(ratio > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
