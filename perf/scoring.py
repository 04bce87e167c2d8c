"""How fast documents are scored: against reading them, a plain scorer, and the package scorch.

Three made-up corpora, always the same: one of the size of OntoNotes' test set, one of
LitBank's, and a book. The response is the key with its spans moved, mentions dropped
and added, entities split and merged. The plain scorer is written as coval is (`_plain_scorer.py`);
its reading-and-scoring loop alone is compared with the whole process of `coindex score`. Prints
ratios; exits with 1 if one breaks its limit.

`python perf/scoring.py [ontonotes] [litbank] [book] [mina]` measures some of them only: the book
takes the plain scorer minutes.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import lzma
import math
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from _timing import fastest

from coindex import formats
from coindex.scoring.alignment import align
from coindex.scoring.scorer import Result, ScoringOptions, score_pairs
from coindex.scoring.significance import RESAMPLES, intervals
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention
from coindex.types.span import Span

SEVEN = ("mentions", "muc", "b3", "ceafm", "ceafe", "blanc", "lea")
LIMITS = {
    "metrics": 1.0,  # seven metrics, in readings of the two files
    "mina": 1.0,  # what MINA adds, in readings of the key
    "book": 20.0,  # scorch on the book, from its own JSON, in times of coindex: at least
    "small": 1.0,  # scorch on the small corpora, from its own JSON: at least
    "plain": 5.0,  # the plain scorer's loop on OntoNotes' size, in whole processes: at least
    "plain book": 300.0,  # the same on the book
    "memory": 500.0,  # MB for the book
    "bootstrap": 1.0,  # seconds
}
PARTS = ("ontonotes", "litbank", "book", "mina")
SIZES = {  # documents, tokens, mentions, entities of each document; fewest mentions of an entity
    "OntoNotes test size": (348, 490, 58, 16, 2),
    "LitBank size": (100, 2100, 291, 110, 1),
    "a book": (1, 200_000, 30_000, 2800, 1),
}
TREES = {  # the fragments of a mention of that many words
    1: ["(NP*)"],
    2: ["(NP*", "*)"],
    3: ["(NP(NP*)", "(PP*", "(NP*)))"],
    4: ["(NP(NP*", "*)", "(PP*", "(NP*)))"],
}
SCORCH_SECONDS = 300
SCORCH_NAMES = {"muc": "MUC", "b3": "B³", "ceafm": "CEAF_m", "ceafe": "CEAF_e", "blanc": "BLANC"}
FALLBACK = """
import dataclasses, json, sys
from coindex import formats
from coindex.scoring import align, run
key, response = map(formats.read, sys.argv[1:])
options = run.Options(metrics=("mentions", "muc", "b3", "ceafm", "ceafe", "blanc", "lea", "conll"))
result = run.score_pairs(align.align(key, response), options)
scores = {name: dataclasses.asdict(score) for name, score in result.scores.items()}
print(json.dumps({"signature": result.signature, "systems": [{"name": "", "scores": scores}]}))
"""
PEAK = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print(peak / (1e6 if sys.platform == "darwin" else 1e3))
"""
Pairs = list[tuple[Document, Document]]


def made_up(name: str, size: tuple[int, ...], rng: random.Random) -> Document:
    """A document with trees: mentions in slots of equal width, some with another inside."""
    _, tokens, mentions, entities, fewest = size
    outer = round(mentions * 0.85)
    width = tokens // outer
    words = ["".join(rng.choices("abcdefghij", k=rng.randrange(1, 9))) for _ in range(3000)]
    bits = ["*"] * tokens
    spans = []
    for start in range(0, outer * width, width):
        length = rng.choices((1, 2, 3, 4), (52, 20, 16, 12))[0]
        spans.append(Span(start, start + length))
        bits[start : start + length] = TREES[length]
    long = [span for span in spans if len(span) > 2]
    spans += [
        Span(span.end - 1, span.end) for span in rng.sample(long, min(mentions - outer, len(long)))
    ]
    rng.shuffle(spans)
    groups: list[list[Mention]] = [[] for _ in range(entities)]
    weights = [1 / (rank + 1) for rank in range(entities)]
    sure = [index for index in range(entities) for _ in range(fewest)]
    drawn = rng.choices(range(entities), weights, k=max(len(spans) - len(sure), 0))
    for span, group in zip(spans, sure + drawn, strict=False):
        groups[group].append(Mention((span,)))
    long_row = width * max(20 // width, 1)  # a mention lies within a sentence
    rows = [rng.choices(words, k=min(long_row, tokens - at)) for at in range(0, tokens, long_row)]
    found = [Entity(tuple(group), str(number)) for number, group in enumerate(groups)]
    return Document.of(name, rows, found, part=0, pos=("NN",) * tokens, parse=tuple(bits))


def noisy(document: Document, rng: random.Random, fewest: int) -> Document:
    """A response: spans moved, mentions dropped, added and misplaced, entities split and merged."""
    groups: list[list[Mention]] = []
    taken = {mention.spans for mention in document.mentions}
    for entity in document.entities:
        kept = [
            _moved(m, len(document), taken, rng) for m in entity.mentions if rng.random() > 0.07
        ]
        if len(kept) > 3 and rng.random() < 0.2:
            cut = rng.randrange(1, len(kept))
            groups.append(kept[:cut])
            kept = kept[cut:]
        if groups and rng.random() < 0.06:
            rng.choice(groups).extend(kept)
        else:
            groups.append(kept)
    for group in groups:
        for mention in [mention for mention in group if rng.random() < 0.04]:
            group.remove(mention)
            rng.choice(groups).append(mention)
    for _ in range(round(len(document.mentions) * 0.07)):
        at = rng.randrange(len(document))
        if (Span(at, at + 1),) not in taken:
            taken.add((Span(at, at + 1),))
            rng.choice(groups).append(Mention.at(at, at + 1))
    entities = (Entity(tuple(g), str(n)) for n, g in enumerate(groups) if len(g) >= fewest)
    return replace(document, entities=tuple(entities))


def _moved(
    mention: Mention, tokens: int, taken: set[tuple[Span, ...]], rng: random.Random
) -> Mention:
    end = mention.end + rng.choice((-1, 1))
    if mention.end - mention.start == 1 or end > tokens or rng.random() > 0.1:
        return mention
    spans = (Span(mention.start, end),)
    if mention.discontinuous or spans in taken:
        return mention
    taken.add(spans)
    return Mention(spans)


def corpus(folder: Path, size: tuple[int, ...]) -> tuple[Path, Path]:
    """A key and a response in CoNLL-2012."""
    rng = random.Random(1)
    keys = [made_up(f"doc_{number:03}", size, rng) for number in range(size[0])]
    paths = folder / "key.conll", folder / "response.conll"
    formats.write(paths[0], keys, "conll2012")
    formats.write(paths[1], [noisy(key, rng, size[-1]) for key in keys], "conll2012")
    return paths


def read(path: Path) -> list[Document]:
    return [item for item in formats.read(path) if isinstance(item, Document)]


def has_command() -> bool:
    """Whether there is a `coindex score` that starts."""
    command = [sys.executable, "-m", "coindex", "score", "--help"]
    found = subprocess.run(command, capture_output=True).returncode == 0
    if not found:
        print("`coindex score` does not start: measuring coindex.scoring through python -c")
    return found


def score_command(paths: tuple[Path, Path], command: bool) -> list[str]:
    """`coindex score`, or the same through the library where there is no such command."""
    key, response = map(str, paths)
    if command:
        options = ["--metrics", "all", "--json"]
        return [sys.executable, "-m", "coindex", "score", key, response, *options]
    return [sys.executable, "-c", FALLBACK, key, response]


def installed() -> dict[str, str]:
    """The environment of an installed package, whose modules are compiled."""
    return {name: each for name, each in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def run_json(command: Sequence[str]) -> dict[str, dict[str, float]]:
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, env=installed())
    scores: dict[str, dict[str, float]] = json.loads(done.stdout)["systems"][0]["scores"]
    return scores


class Scorch:
    """The PyPI package: found, or installed into a folder for this run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = dict(os.environ)
        self.found = importlib.util.find_spec("scorch") is not None
        if self.found:
            return
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(folder / "site")]
        done = subprocess.run([*pip, "scorch"], capture_output=True, text=True)
        self.found = done.returncode == 0
        self.environment["PYTHONPATH"] = str(folder / "site")
        if not self.found:
            reason = (done.stderr.strip().splitlines() or [""])[-1]
            print(f"scorch could not be installed, ratio skipped: {reason}")

    def convert(self, paths: tuple[Path, Path]) -> tuple[float, tuple[Path, Path]]:
        """Its seconds to turn the files into its own JSON, a folder a side with a file a document."""
        sides = paths[0].with_suffix(""), paths[1].with_suffix("")
        spent = 0.0
        for path, side in zip(paths, sides, strict=True):
            side.mkdir()
            spent += self._timed("scorch.conll", path, side)[0]
        return spent, sides

    def score(self, sides: tuple[Path, Path]) -> tuple[float, str | None]:
        """Its seconds to score two files or folders, and what it printed if it finished."""
        return self._timed("scorch.main", *sides)

    def _timed(self, module: str, *arguments: Path) -> tuple[float, str | None]:
        command = [sys.executable, "-m", module, *map(str, arguments)]
        start = time.perf_counter()
        try:
            done = subprocess.run(
                command, env=self.environment, capture_output=True, text=True,
                encoding="utf-8", timeout=SCORCH_SECONDS,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return time.perf_counter() - start, None
        if done.returncode:
            print(f"  {module} failed: {(done.stderr.splitlines() or [''])[-1][:200]}")
        return time.perf_counter() - start, done.stdout if done.returncode == 0 else None


def as_scorch_has_it(key: Document, response: Document) -> Document:
    """scorch's command adds every mention of the response to the key, as a singleton."""
    known = {mention.spans for mention in key.mentions}
    extra = [mention for mention in response.mentions if mention.spans not in known]
    return replace(key, entities=(*key.entities, *(Entity((mention,)) for mention in extra)))


def compare_values(printed: str, pair: tuple[Document, Document]) -> bool:
    """Are the values equal, for the key as it is and as scorch alters it?"""
    found = {
        name: [float(value) for value in re.findall(r"=([\d.e-]+)", line)]
        for line in printed.splitlines()
        for name in SCORCH_NAMES
        if line.startswith(f"{SCORCH_NAMES[name]}:")
    }
    options = ScoringOptions(metrics=tuple(SCORCH_NAMES))
    equal = {}
    for way, key in (("given", pair[0]), ("altered", as_scorch_has_it(*pair))):
        scores = score_pairs([(key, pair[1])], options).scores
        equal[way] = [
            name
            for name, values in found.items()
            for score in [scores[name]]
            if all(
                math.isclose(100 * value, ours or 0.0, abs_tol=1e-6)
                for value, ours in zip(
                    values, (score.recall, score.precision, score.f1), strict=True
                )
            )
        ]
    wrong = [name for name in found if name not in equal["given"]]
    print(f"  values of {pair[0].key}: equal to scorch's: {', '.join(equal['given']) or 'none'}")
    print(f"    with the key altered as scorch does: {', '.join(equal['altered']) or 'none'}")
    if wrong:
        print(f"    scorch adds the response's own mentions to the key: wrong {', '.join(wrong)}")
    return equal["altered"] == list(SCORCH_NAMES)


class Report:
    """What was measured against its limit, and what broke one."""

    def __init__(self) -> None:
        self.broken: list[str] = []

    def most(self, limit: str, value: float, what: str) -> None:
        """A value that must not be above its limit."""
        print(f"  {what}")
        if value > LIMITS[limit]:
            self.broken.append(f"{what} (limit {LIMITS[limit]:g})")

    def least(self, limit: str, value: float, what: str) -> None:
        """A value that must not be below its limit."""
        print(f"  {what}")
        if value < LIMITS[limit]:
            self.broken.append(f"{what} (at least {LIMITS[limit]:g})")


def measure_metrics(paths: tuple[Path, Path], report: Report) -> tuple[Pairs, Result]:
    """The seven metrics against reading the two files."""
    reading = fastest(lambda: [read(path) for path in paths], 3)
    key, response = map(read, paths)
    options = ScoringOptions(metrics=(*SEVEN, "conll"))
    scoring = fastest(lambda: score_pairs(align(key, response), options).scores)
    pairs = list(align(key, response))
    result = score_pairs(pairs, options)
    mentions, entities = (
        sum(len(getattr(document, name)) for document in key) for name in ("mentions", "entities")
    )
    print(f"  {len(key)} documents, {mentions:,} mentions, {entities:,} entities,"
          f" CoNLL F1 {result.scores['conll'].f1:.1f}")  # fmt: skip
    ratio = scoring / reading
    report.most("metrics", ratio, f"seven metrics: {ratio:.2f} x reading ({1000 * scoring:.0f} ms)")
    if len(key) == SIZES["OntoNotes test size"][0]:
        drawn = fastest(lambda: intervals(result), 3)
        what = (
            f"{RESAMPLES:,} bootstrap resamples: {drawn:.2f} s, {drawn / scoring:.1f} x one scoring"
        )
        report.most("bootstrap", drawn, what)
    return pairs, result


def run_plain(paths: tuple[Path, Path]) -> dict[str, float]:
    """The plain scorer's F1 of each metric, and its seconds without starting Python."""
    script = Path(__file__).with_name("_plain_scorer.py")
    command = [sys.executable, str(script), *map(str, paths)]
    found = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return {"seconds": found["seconds"], **found["f1"]}


def measure_plain(title: str, command: list[str], paths: tuple[Path, Path], report: Report) -> None:
    """The whole process against the loop of a plain scorer, run in turns."""
    book = SIZES[title][0] == 1
    ours, theirs = [], []
    for _ in range(1 if book else 5):
        ours.append(fastest(lambda: run_json(command), 3))
        plain = run_plain(paths)
        theirs.append(plain.pop("seconds"))
    scores = run_json(command)
    for name, value in plain.items():
        if not math.isclose(value, scores[name]["f1"], abs_tol=1e-6):
            report.broken.append(f"{name} of {title} differs from the plain scorer's: {value}")
    times = min(theirs) / min(ours)
    seconds = f"({min(theirs):.2f} s, {min(ours):.3f} s)"
    what = f"plain scorer's loop: {times:.1f} x the whole process {seconds}"
    if title.startswith("LitBank"):
        print(f"  {what}")
    else:
        report.least("plain book" if book else "plain", times, what)


def measure_process(
    command: list[str], paths: tuple[Path, Path], pairs: Pairs, scorch: Scorch, report: Report
) -> None:
    """The whole process against scorch's, and its memory."""
    run_json(command)
    ours = fastest(lambda: run_json(command), 5)
    peak = subprocess.run(
        [sys.executable, "-c", PEAK, *command], check=True, stdout=subprocess.PIPE, text=True
    )
    memory = float(peak.stdout)
    what = f"whole process: {ours:.2f} s, {memory:.0f} MB at its peak"
    report.most("memory", memory if len(pairs) == 1 else 0.0, what)
    if not scorch.found:
        return
    converting, sides = scorch.convert(paths)
    runs = [scorch.score(sides) for _ in range(1 if len(pairs) == 1 else 3)]
    theirs, printed = min(runs, key=lambda run: run[0])
    least = "" if printed is not None else "at least "
    limit = "book" if len(pairs) == 1 else "small"
    same, alone = (converting + theirs) / ours, theirs / ours
    what = f"scorch from its own JSON, converted before: {least}{alone:.2f} x ({theirs:.2f} s)"
    report.least(limit, alone, what)
    print(f"  scorch from the same files: {least}{same:.2f} x coindex")
    if len(pairs) > 1:
        _, printed = scorch.score((min(sides[0].iterdir()), min(sides[1].iterdir())))
    if printed is not None and not compare_values(printed, pairs[0]):
        report.broken.append("values differ from scorch's on the key as it alters it")


def measure_mina(folder: Path, report: Report) -> None:
    """What matching by minimum spans adds, against one reading of the key."""
    data = Path(os.environ.get("COINDEX_DATA") or Path(__file__).parents[2] / "shared" / "data")
    packed = data / "gum" / "ontogum.train.gold_conll.xz"
    if packed.is_file():
        path, name = folder / "train.conll", "OntoGUM train"
        path.write_bytes(lzma.decompress(packed.read_bytes()))
    else:
        name = "OntoNotes test size"
        path, _ = corpus(folder, SIZES[name])
    reading = fastest(lambda: read(path), 3)
    rng = random.Random(1)
    pairs = [(key, noisy(key, rng, 2)) for key in read(path)]
    times = {}
    for match in ("exact", "mina", "head", "partial"):
        options = ScoringOptions(metrics=SEVEN, match=match)
        times[match] = fastest(partial(score_pairs, pairs, options))
    print(f"minimum spans on {name}:")
    extra = {match: (spent - times["exact"]) / reading for match, spent in times.items()}
    report.most("mina", extra["mina"], f"MINA adds {extra['mina']:.2f} x reading the key")
    print(f"  head adds {extra['head']:.2f}, partial {extra['partial']:.2f} x reading the key")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("part", nargs="*", help=", ".join(PARTS))
    chosen = parser.parse_args().part or PARTS
    if unknown := set(chosen) - set(PARTS):
        parser.error(f"unknown: {', '.join(sorted(unknown))}; expected some of: {', '.join(PARTS)}")
    report = Report()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        command, scorch = has_command(), Scorch(folder)
        for part, (title, size) in zip(PARTS, SIZES.items(), strict=False):
            if part not in chosen:
                continue
            home = folder / title
            home.mkdir()
            print(f"{title}:")
            paths = corpus(home, size)
            pairs, _ = measure_metrics(paths, report)
            measure_process(score_command(paths, command), paths, pairs, scorch, report)
            measure_plain(title, score_command(paths, command), paths, report)
        if "mina" in chosen:
            measure_mina(folder, report)
    for what in report.broken:
        print(f"over the limit: {what}")
    return 1 if report.broken else 0


if __name__ == "__main__":
    sys.exit(main())
