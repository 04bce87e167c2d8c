"""How fast corpora are built, against the plain way: spaCy over every sentence, then the rules.

The plain way parses every sentence of the text once, with the whole pipeline, and then applies
the same rules, with nothing ruled out before. The cascade is what `coindex build` does: patterns
on the text first, then only what can still pass, with only the components that are needed.
Both run in this process on the same part of one piece of Wikipedia; seconds are those of the
processor, so that other work on the machine counts little. Then whole runs: megabytes of
text for each second of a core, memory of a worker, and two workers against one, by the clock:
that ratio needs two idle cores.

    python perf/build.py [MILLIONS OF CHARACTERS] [BUILDER ...]

Prints all figures; exits with 1 if one misses its limit.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from coindex import data, plugins
from coindex.build.run import digest, plan, run
from coindex.build.work import BATCH, Job, parsed_passages
from coindex.core.problem import Problem
from coindex.corpora import Dropped, Parsed, Passage, _gap_scan, _sentences
from coindex.corpora._knowref_text import cleaned
from coindex.errors import CoindexError
from coindex.parsing.parse import Parse, join
from coindex.parsing.parser import parser
from coindex.sources import Page, pages

PIECES = ("AI", "AA", "AB")
MILLIONS = 3.0
RUNS = {"wikicrem": 8, "knowref": 33, "gap": 8}
"""How many times as much text whole runs are given: enough for a minute or so."""
FASTER, FOUND, WORKERS, MEMORY = 8.0, 98.0, 1.7, 1.0
SHARDS = 24

OPEN: dict[str, dict[str, Callable[..., str]]] = {
    "wikicrem": {"_may_repeat": lambda *_: "", "_may_follow": lambda *_: ""},
    "knowref": {"_may_name": lambda *_: ""},
    "gap": {"verdict": lambda *_: _gap_scan.BOTH},
}
"""What of each builder only rules out early; the plain way does without."""


def text_of(wanted: int) -> list[Page]:
    """The first pages of the pieces, until they have so many characters."""
    found: list[Page] = []
    size = 0
    files = (data.path("wikipedia", f"wikiextractor-2014-{piece}.txt.xz") for piece in PIECES)
    for page in (page for file in files for page in pages(file)):
        if isinstance(page, Page):
            found.append(page)
            size += len(page.text)
        if size > wanted:
            break
    return found


def every_sentence(name: str, page: Page) -> Iterator[str]:
    """The sentences of a page, as the builder cuts and cleans them."""
    if name == "gap":
        at = 0
        for line in page.text.splitlines(keepends=True):
            for each in _gap_scan.sentences(page.text, at, at + len(line)):
                yield page.text[each.start : each.end].rstrip()
            at += len(line)
        return
    for sentence in _sentences.sentences(page.text):
        text = cleaned(sentence.text) if name == "knowref" else sentence.text
        if text:
            yield text


def plain(name: str, text: list[Page]) -> list[Problem]:
    """spaCy over every sentence, then the rules."""
    builder = plugins.load("corpora", name)
    rules = builder.rules(1)
    tagger = parser(cache=False)
    parses: dict[str, Parse] = {}
    every = (each for page in text for each in every_sentence(name, page))
    while batch := list(islice(every, BATCH)):
        parses.update(zip(batch, tagger.batch(batch), strict=True))
    kept = {each: getattr(builder, each) for each in OPEN[name]}
    for each, instead in OPEN[name].items():
        setattr(builder, each, instead)
    try:
        found = [each for page in text for each in builder.scan(page, rules)]
    finally:
        for each, own in kept.items():
            setattr(builder, each, own)
    passages = [each for each in found if isinstance(each, Passage)]
    parsed = (_put_together(passage, parses) for passage in passages)
    return _problems(builder, parsed, rules)


def _put_together(passage: Passage, parses: dict[str, Parse]) -> Parsed:
    pieces = [parses[piece] for piece in passage.pieces]
    return Parsed(passage, join(pieces, (0, *passage.cuts)))


def cascade(name: str, text: list[Page]) -> list[Problem]:
    """What `coindex build` does."""
    builder = plugins.load("corpora", name)
    rules = builder.rules(1)
    found = (each for page in text for each in builder.scan(page, rules))
    passages = (each for each in found if isinstance(each, Passage))
    return _problems(builder, parsed_passages(passages, builder.NEEDS), rules)


def _problems(builder: Any, parsed: Iterable[Parsed], rules: Any) -> list[Problem]:
    built = (item for each in parsed for item in builder.build(each, rules))
    return [item for item in built if not isinstance(item, Dropped)]


def timed(work: Callable[[str, list[Page]], list[Problem]], name: str, text: list[Page]) -> tuple[
    list[Problem], float
]:  # fmt: skip
    """What came out, and the seconds of the processor that it took."""
    start = time.process_time()
    found = work(name, text)
    return found, time.process_time() - start


def compare(name: str, text: list[Page]) -> list[str]:
    """Print the cascade beside the plain way; returns what misses its limit."""
    cascade(name, text[:20])  # spaCy is loaded, word lists are read
    parser(cache=False).batch(["Ann slept."])
    quick, fast = timed(cascade, name, text)
    all_items, slow = timed(plain, name, text)
    here, there = {repr(item) for item in quick}, {repr(item) for item in all_items}
    share = 100 * len(here & there) / len(there) if there else 100.0
    wrong = len(here - there)
    size = sum(len(page.text) for page in text) / 1e6
    print(
        f"{name}: {size:.1f} M characters: plain {slow:.1f} s, cascade {fast:.1f} s:"
        f" {slow / fast:.1f} x; {len(here & there)} of its {len(there)} items found"
        f" ({share:.1f} %), {wrong} that it would reject"
    )
    return [
        *([f"{name}: {slow / fast:.1f} x (limit {FASTER:g})"] if slow < FASTER * fast else []),
        *([f"{name}: {share:.1f} % found (limit {FOUND:g})"] if share < FOUND else []),
        *([f"{name}: {wrong} items rejected by the plain way (limit 0)"] if wrong else []),
    ]


def whole(name: str, file: str, folder: str, workers: int, answer: Any) -> None:
    """A whole run in a process of its own: its items, seconds by the clock, memory."""
    size = Path(file).stat().st_size // SHARDS
    todo = plan(Job(name, "jsonl", folder), [file], size=size)
    start = time.perf_counter()
    built = run(todo, workers=workers)
    seconds = time.perf_counter() - start
    own, children = (
        resource.getrusage(who).ru_maxrss * 1024
        for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    used = sum(
        sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    answer.put((digest(built.problems), seconds, children if workers > 1 else own, used))


def measured(name: str, file: str, folder: str, workers: int) -> tuple[str, float, float, float]:
    context = multiprocessing.get_context("spawn")
    answer = context.Queue()
    process = context.Process(target=whole, args=(name, file, folder, workers, answer))
    process.start()
    found: tuple[str, float, float, float] = answer.get()
    process.join()
    return found


def scale(name: str, text: list[Page], folder: Path) -> list[str]:
    """Print the speed and memory of whole runs; returns what misses its limit."""
    file = folder / "text.jsonl"
    rows = ({"id": page.id, "title": page.title, "text": page.text} for page in text)
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    one = measured(name, str(file), str(folder / f"{name}-1"), 1)
    two = measured(name, str(file), str(folder / f"{name}-2"), 2)
    size = file.stat().st_size / 1e6
    ratio = one[1] / two[1]
    memory = max(one[2], two[2]) / 1e9
    print(
        f"{name}: {size:.1f} MB: 1 worker {one[1]:.1f} s, {size / one[3]:.2f} MB for each second of"
        f" a core; 2 workers {two[1]:.1f} s: {ratio:.2f} x; at most {memory:.2f} GB a worker;"
        f" {'the same' if one[0] == two[0] else 'DIFFERENT'} items"
        f" (load of the machine before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores)"
    )
    return [
        *([f"{name}: 2 workers {ratio:.2f} x (limit {WORKERS:g})"] if ratio < WORKERS else []),
        *([f"{name}: {memory:.2f} GB (limit {MEMORY:g})"] if memory > MEMORY else []),
        *([f"{name}: 2 workers give other items"] if one[0] != two[0] else []),
    ]


def main() -> int:
    default = Path(__file__).parents[2] / "shared" / "data"
    if default.is_dir():
        os.environ.setdefault("COINDEX_DATA", str(default))
    millions = float(sys.argv[1]) if len(sys.argv) > 1 else MILLIONS
    try:
        text = text_of(int(millions * 1e6))
        parser(cache=False)
    except CoindexError as error:
        print(f"skipped: {error}")
        return 0
    missed: list[str] = []
    names = sys.argv[2:] or list(OPEN)
    for name in names:
        missed += compare(name, text)
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            missed += scale(name, text_of(int(RUNS[name] * millions * 1e6)), Path(folder))
    for each in missed:
        print(f"missed: {each}")
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main())
