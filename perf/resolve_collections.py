"""How fast and in how much memory a collection of short texts is resolved.

`python perf/resolve_collections.py [--full] [--texts N] [--many N] [MODEL]`: texts of 20 to 1,000 words in one
file of JSON lines, resolved by `coindex resolve` with one thread, with two threads, and by two
processes of one thread; then the same words as one long text, with two threads. Rounds of the four
alternate, and the fastest of each counts. Then the peak memory of a run over a few and over many
texts of 20 to 60 words.

By default the collections are small, for `scripts/bench`: 200 texts, and 1,000 and 5,000 for memory. `--full`
takes 2,000, 1,000 and 100,000, which is an hour or more on two cores; `--texts` and `--many`
choose any other numbers.

Limits: two threads take at most 1/1.7 of the time of one, or do 0.9 of the words a second of two
processes; short texts do 0.95 of the words a second of one long text; the peak memory is below 0.8
GB, and grows by at most 20 % from the small collection to the large one. Exits with 1 if one is
missed. Times are those of whole runs less that of a run over one text, which is the start.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from coindex import datasets

ROUNDS = 2
FEW = 1_000
SIZES = {"small": (200, 5_000), "full": (2_000, 100_000)}  # texts for speed, texts for memory
GIGABYTE = 1_000_000  # kilobytes
WAYS = {
    "one thread": ("--threads", "1"),
    "two threads": ("--threads", "2"),
    "two processes": ("--threads", "1", "--workers", "2"),
    "one long text, two threads": ("--threads", "2"),
}


def paragraphs() -> list[list[str]]:
    """The words of LitBank's paragraphs, as a reader would paste them."""
    found = []
    for path in sorted(p for p in datasets.paths("litbank", "brat") if p.suffix == ".txt"):
        found += [line.split() for line in path.read_text(encoding="utf-8").splitlines()]
    return [words for words in found if words]


def texts(count: int, low: int, high: int) -> Iterator[str]:
    """Texts of so many words each, from paragraphs that follow each other."""
    source, draw = paragraphs(), random.Random(1)
    for _ in range(count):
        size, at = draw.randint(low, high), draw.randrange(len(source))
        words: list[str] = []
        while len(words) < size:
            words += source[at % len(source)]
            at += 1
        yield " ".join(words[:size])


def write_rows(path: Path, rows: Iterable[str]) -> Path:
    with path.open("w", encoding="utf-8") as stream:
        for number, text in enumerate(rows):
            stream.write(json.dumps({"id": str(number), "text": text}) + "\n")
    return path


def run(path: Path, out: Path, options: Iterable[str]) -> tuple[float, float]:
    """Seconds and peak memory (KB) of one run; with workers, the memory of the largest process."""
    args = [sys.executable, "-m", "coindex", "resolve", str(path), "--to", "jsonl", "-o", str(out)]
    start = time.perf_counter()
    process = subprocess.Popen(
        [*args, *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(args)} ended with {process.returncode}")
    return time.perf_counter() - start, usage.ru_maxrss


def speeds(folder: Path, count: int, model: tuple[str, ...]) -> dict[str, float]:
    """Words a second of each way."""
    short = list(texts(count, 20, 1000))
    words = sum(len(text.split()) for text in short)
    rows = write_rows(folder / "short.jsonl", short)
    long = write_rows(folder / "long.jsonl", ["\n".join(short)])
    one = write_rows(folder / "one.jsonl", ["Ann lost her keys."])
    best = dict.fromkeys(WAYS, float("inf"))
    for _ in range(ROUNDS):
        for name, options in WAYS.items():
            path = long if name.startswith("one long") else rows
            started, _ = run(one, folder / "out.jsonl", (*options, *model))
            taken, _ = run(path, folder / "out.jsonl", (*options, *model))
            best[name] = min(best[name], taken - started)
    return {name: words / taken for name, taken in best.items()}


def check(name: str, value: float, limit: float, *, most: bool = False) -> bool:
    met = value <= limit if most else value >= limit
    sign = "at most" if most else "at least"
    print(f"{name}: {value:.2f} ({sign} {limit}: {'met' if met else 'missed'})")
    return met


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", nargs="?")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--texts", type=int)
    parser.add_argument("--many", type=int)
    given = parser.parse_args()
    size = "full" if given.full else "small"
    count, many = given.texts or SIZES[size][0], given.many or SIZES[size][1]
    hint = "" if given.full else f"; --full: {SIZES['full'][0]:,} and {SIZES['full'][1]:,}"
    print(f"collections of {count:,} texts (speed) and {many:,} texts (memory){hint}")
    model = ("--model", given.model) if given.model else ()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        found = speeds(folder, count, model)
        for way, speed in found.items():
            print(f"{way}: {speed:,.0f} words a second")
        two = found["two threads"]
        gain = check("two threads over one", two / found["one thread"], 1.7)
        share = check("two threads over two processes", two / found["two processes"], 0.9)
        short = check("short texts over one long text", two / found["one long text, two threads"], 0.95)  # fmt: skip
        peaks = []
        for number in (min(FEW, many), many):
            rows = write_rows(folder / "many.jsonl", texts(number, 20, 60))
            peaks.append(run(rows, folder / "out.jsonl", ("--threads", "2", *model))[1])
            print(f"peak memory with {number:,} texts: {peaks[-1] / GIGABYTE:.2f} GB")
        memory = check("peak memory, GB", max(peaks) / GIGABYTE, 0.8, most=True)
        growth = check("peak memory, large over small", peaks[1] / peaks[0], 1.2, most=True)
    return 0 if (gain or share) and short and memory and growth else 1


if __name__ == "__main__":
    sys.exit(main())
