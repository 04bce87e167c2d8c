"""What resolving costs in worker processes, and whether two of them are twice as fast as one.

`python perf/clusters.py [FILE] [--model MODEL] [--words N] [--wanted WORDS]`: texts of a file that
`coindex build` can read (a Wikipedia dump, WikiExtractor's output, JSON lines with `text`, plain
text), by default articles of the Wikipedia sample of the corpora. They are resolved by one worker process and by two,
in turns, with the function that runs on Ray, Spark and Dask, one thread each, and the results
are compared. The cost is processor time, which other work on the machine changes little.

`--wanted 4.5e9` says what that many words would cost on this machine.

Limits: a word costs two workers at most 1.3 times the processor time that it costs one, so nothing but
the number of cores limits them; and if the machine has two cores that are idle, two
workers are at least 1.6 times as fast as one. On a busy machine the latter is printed and not
judged. Exits with 1 if one is missed.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import coindex
from coindex import datasets
from coindex.builders import sources
from coindex.builders.sources.protocol import Page
from coindex.errors import CoindexError
from coindex.integrations.dataframes import ColumnResolver

REPEATS = 3
BATCH = 16


def texts_of(path: str, words: int) -> list[str]:
    """The first texts of a file, until there are that many words."""
    texts, count = [], 0
    for page in sources.pages(path):
        if isinstance(page, Page):
            texts.append(page.text)
            count += len(page.text.split())
        if count >= words:
            break
    return texts


def resolve(column: ColumnResolver, texts: list[str]) -> tuple[list[str], float]:
    """The entities of a batch as JSON, and the processor time that they took."""
    import pandas

    start = time.process_time()
    frame = column(pandas.DataFrame({"text": texts}))
    return frame["entities"].tolist(), time.process_time() - start


def batches(texts: list[str]) -> Iterator[list[str]]:
    for at in range(0, len(texts), BATCH):
        yield texts[at : at + BATCH]


def run(
    pool: ProcessPoolExecutor, column: ColumnResolver, texts: list[str]
) -> tuple[list[str], float, float]:
    """The entities of all texts, the time they took, and the processor time of the workers."""
    start = time.perf_counter()
    calls = [pool.submit(resolve, column, batch) for batch in batches(texts)]
    results = [call.result() for call in calls]
    taken = time.perf_counter() - start
    return [text for part, _ in results for text in part], taken, sum(cpu for _, cpu in results)


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="What resolving costs in worker processes.")
    parser.add_argument("file", nargs="?", help="texts; by default a sample of Wikipedia")
    parser.add_argument("--model", help="a name or a folder; by default the shipped model")
    parser.add_argument("--words", type=int, default=50_000, help="how many words to measure with")
    parser.add_argument("--wanted", type=float, default=1e9, help="words to tell the cost of")
    return parser.parse_args()


def main() -> int:
    given = options()
    default = Path(__file__).parents[2] / "shared" / "data"
    if default.is_dir():
        os.environ.setdefault("COINDEX_DATA", str(default))
    try:
        file = given.file or str(datasets.paths("wikipedia", "text-ai")[0])
        texts = texts_of(file, given.words)
        column = ColumnResolver(coindex.load(given.model, threads=1))
    except CoindexError as error:
        print(f"skipped: {error}")
        return 0
    words = sum(len(text.split()) for text in texts)
    print(f"{len(texts):,} texts, {words:,} words, {words / len(texts):,.0f} words a text")
    load = os.getloadavg()[0]
    context = get_context("spawn")
    times: dict[int, list[tuple[float, float]]] = {1: [], 2: []}
    answers = set()
    with (
        ProcessPoolExecutor(1, context) as one,
        ProcessPoolExecutor(2, context) as two,
    ):
        for pool in (one, two):
            run(pool, column, texts[:BATCH] * 4)  # every process loads the model
        for _ in range(REPEATS):
            for workers, pool in ((1, one), (2, two)):
                found, taken, cpu = run(pool, column, texts)
                times[workers].append((taken, cpu))
                answers.add(tuple(found))
    return report(times, words, given.wanted, load, len(answers))


def report(
    times: dict[int, list[tuple[float, float]]],
    words: int,
    wanted: float,
    load: float,
    answers: int,
) -> int:
    """Print the figures; 1 if a limit is missed."""
    best = {workers: min(taken for taken, _ in runs) for workers, runs in times.items()}
    cpu = min(each for _, each in times[1])
    print(f"processor time: {cpu / words * 1e6:,.0f} s for a million words"
          f" ({words / cpu:,.0f} words a second and core)")  # fmt: skip
    hours = cpu / words * wanted / 3600
    print(f"{wanted:,.0f} words: {hours:,.0f} core hours; on 100 cores {hours / 100:,.1f} hours")
    more = min(each for _, each in times[2]) / cpu
    print(f"in two workers a word costs {more:.2f} times the processor time   (limit 1.30)")
    ratio = best[1] / best[2]
    idle = load < 0.5 and (os.cpu_count() or 1) >= 2
    judged = "(limit 1.60)" if idle else f"(not judged: load {load:.1f} before the run)"
    print(f"one worker {words / best[1]:,.0f} words/s, two {words / best[2]:,.0f} words/s:"
          f" {ratio:.2f} times   {judged}")  # fmt: skip
    print(f"the same results in every run: {answers == 1}")
    return 1 if answers != 1 or more > 1.3 or (idle and ratio < 1.6) else 0


if __name__ == "__main__":
    sys.exit(main())
