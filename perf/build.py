"""How fast corpora are built, against the plain way: spaCy over every sentence, then the rules.

The plain way parses every sentence of the text once, with the whole pipeline, and then applies
the same rules, with nothing ruled out before. The cascade is what `coindex build` does: patterns
on the text first, then only what can still pass, with only the components that are needed.
Both run in this process on the same part of one piece of Wikipedia; seconds are those of the
processor, so that other work on the machine counts little. Then whole runs: megabytes of
text for each second of a core, memory of a worker, and two workers against one, by the clock:
that ratio needs two idle cores.

KnowRef has an item in a million characters or so. Its items are therefore compared once more, on
`--more` millions of characters, without those sentences that its rules reject by their text
alone, whatever a parser says of them (length, connective, pronoun, nouns that tell a gender:
`scan` with `OPEN` open). That these play no part is not only argued: on the text where
every sentence is parsed, both ways must give the same items.

    python perf/build.py [--more MILLIONS] [BUILDER[=MILLIONS] ...]

Millions of characters are those that the plain way is given: about 40 seconds each. Prints all
figures; exits with 1 if one misses its limit.
"""

from __future__ import annotations

import argparse
import hashlib
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

from coindex import datasets, formats, plugins
from coindex.builders import Dropped, ParsedPassage, Passage
from coindex.builders import sentences as _sentences
from coindex.builders.gap import scan
from coindex.builders.knowref_text import to_ascii
from coindex.builders.pipeline.run import (
    collect_items,
    make_rules,
    plan_build,
    run_build,
)
from coindex.builders.pipeline.shard_output import FORMAT
from coindex.builders.pipeline.worker import BATCH, BuildJob, parsed_passages
from coindex.builders.sources import Page, pages
from coindex.errors import CoindexError
from coindex.text.parsing.parse import Parse, join_parses
from coindex.text.parsing.parser import make_parser
from coindex.types.problem import Problem

PIECES = ("AI", "AA", "AB")
MILLIONS = {"wikicrem": 3.0, "knowref": 1.5, "gap": 3.0}
"""How many millions of characters the plain way is given."""
MORE = 60.0
"""How many of them the items of `BY_TEXT` are compared on."""
BY_TEXT = ("knowref",)
"""Builders with few items, whose rules reject most sentences by their text alone."""
RUNS = {"wikicrem": 24.0, "knowref": 99.0, "gap": 24.0}
"""How many of them whole runs are given: enough for a minute or so."""
FASTER, FOUND, WORKERS, MEMORY = 8.0, 98.0, 1.7, 1.0
SHARDS = 24

OPEN: dict[str, dict[str, Callable[..., str]]] = {
    "wikicrem": {"_may_repeat": lambda *_: "", "_may_follow": lambda *_: ""},
    "knowref": {"_may_name": lambda *_: ""},
    "gap": {"scan_sentence": lambda *_: scan.BOTH},
}
"""What of each builder only rules out early; the plain way does without."""


def text_of(millions: float) -> list[Page]:
    """The first pages of the pieces, until they have so many million characters."""
    files = (datasets.path("wikipedia", f"wikiextractor-2014-{piece}.txt.xz") for piece in PIECES)
    every = (page for file in files for page in pages(file) if isinstance(page, Page))
    return list(first(every, millions))


def first(text: Iterable[Page], millions: float) -> Iterator[Page]:
    """The first pages of a text, until they have so many million characters."""
    size = 0
    for page in text:
        yield page
        size += len(page.text)
        if size > millions * 1e6:
            break


def every_sentence(name: str, page: Page) -> Iterator[str]:
    """The sentences of a page, as the builder cuts and cleans them."""
    if name == "gap":
        at = 0
        for line in page.text.splitlines(keepends=True):
            for each in scan.paragraph_sentences(page.text, at, at + len(line)):
                yield page.text[each.start : each.end].rstrip()
            at += len(line)
        return
    for sentence in _sentences.prose_sentences(page)[0]:
        text = to_ascii(sentence.text) if name == "knowref" else sentence.text
        if text:
            yield text


def plain(name: str, text: list[Page]) -> list[Problem]:
    """spaCy over every sentence, then the rules."""
    builder, rules = _loaded(name)
    every = (each for page in text for each in every_sentence(name, page))
    parses = _parses(every)
    parsed = (_put_together(passage, parses) for passage in opened(name, text))
    return _problems(builder, parsed, rules)


def plain_by_text(name: str, text: list[Page]) -> list[Problem]:
    """The same, without parsing what the rules reject by its text alone."""
    builder, rules = _loaded(name)
    passages = opened(name, text)
    parses = _parses(dict.fromkeys(piece for each in passages for piece in each.segments))
    print(f"{name}: {len(parses)} sentences are not rejected by their text alone", flush=True)
    return _problems(builder, (_put_together(each, parses) for each in passages), rules)


def _loaded(name: str) -> tuple[Any, Any]:
    builder = plugins.load("builders", name)
    return builder, builder.rules(1)


def _parses(sentences: Iterable[str]) -> dict[str, Parse]:
    """What the whole pipeline says of some sentences."""
    found: dict[str, Parse] = {}
    tagger, rest = make_parser(cache=False), iter(sentences)
    while batch := list(islice(rest, BATCH)):
        found.update(zip(batch, tagger.batch(batch), strict=True))
    return found


def opened(name: str, text: list[Page]) -> list[Passage]:
    """The passages of a scan that rules nothing out early."""
    builder, rules = _loaded(name)
    kept = {each: getattr(builder, each) for each in OPEN[name]}
    for each, instead in OPEN[name].items():
        setattr(builder, each, instead)
    try:
        found = [each for page in text for each in builder.scan(page, rules)]
    finally:
        for each, own in kept.items():
            setattr(builder, each, own)
    return [each for each in found if isinstance(each, Passage)]


def _put_together(passage: Passage, parses: dict[str, Parse]) -> ParsedPassage:
    own = [parses[segment] for segment in passage.segments]
    return ParsedPassage(passage, join_parses(own, (0, *passage.boundaries)))


def cascade(name: str, text: list[Page]) -> list[Problem]:
    """What `coindex build` does."""
    builder, rules = _loaded(name)
    found = (each for page in text for each in builder.scan(page, rules))
    passages = (each for each in found if isinstance(each, Passage))
    return _problems(builder, parsed_passages(passages, builder.NEEDS), rules)


def _problems(builder: Any, parsed: Iterable[ParsedPassage], rules: Any) -> list[Problem]:
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
    make_parser(cache=False).batch(["Ann slept."])
    quick, fast = timed(cascade, name, text)
    all_items, slow = timed(plain, name, text)
    print(
        f"{name}: {size_of(text):.1f} M characters: plain {slow:.1f} s, cascade {fast:.1f} s:"
        f" {slow / fast:.1f} x",
        flush=True,
    )
    missed = [f"{name}: {slow / fast:.1f} x (limit {FASTER:g})"] if slow < FASTER * fast else []
    if name in BY_TEXT and plain_by_text(name, text) != all_items:
        missed.append(f"{name}: sentences that are rejected by their text alone give items")
    return missed + found_of(name, quick, all_items)


def compare_more(name: str, text: list[Page]) -> list[str]:
    """Print the items of the cascade beside those of the plain way, on more text."""
    (quick, fast), (all_items, slow) = timed(cascade, name, text), timed(plain_by_text, name, text)
    print(
        f"{name}: {size_of(text):.1f} M characters: cascade {fast:.1f} s, all that their text does"
        f" not reject {slow:.1f} s"
    )
    return found_of(name, quick, all_items)


def size_of(text: list[Page]) -> float:
    """Millions of characters."""
    return sum(len(page.text) for page in text) / 1e6


def found_of(name: str, quick: list[Problem], all_items: list[Problem]) -> list[str]:
    """Print how many items of the plain way the cascade finds; returns what misses its limit."""
    here, there = {repr(item) for item in quick}, {repr(item) for item in all_items}
    share = 100 * len(here & there) / len(there) if there else 100.0
    wrong = len(here - there)
    print(
        f"{name}: {len(here & there)} of the {len(there)} items of the plain way found"
        f" ({share:.1f} %), {wrong} that it would reject",
        flush=True,
    )
    return [
        *([f"{name}: {share:.1f} % found (limit {FOUND:g})"] if share < FOUND else []),
        *([f"{name}: {wrong} items rejected by the plain way (limit 0)"] if wrong else []),
    ]


def whole(name: str, file: str, folder: str, workers: int, answer: Any) -> None:
    """A whole run in a separate process: its items, seconds by the clock, memory."""
    size = Path(file).stat().st_size // SHARDS
    todo = plan_build(BuildJob(name, "jsonl", folder), [file], size=size)
    start = time.perf_counter()
    built = collect_items(
        run_build(todo, workers=workers), name, make_rules(name, 1, {}), Path(folder)
    )
    seconds = time.perf_counter() - start
    children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    used = sum(
        sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    digest = hashlib.sha256()
    for line in formats.write_lines(built.problems, FORMAT):
        digest.update(line.encode("utf-8", "surrogatepass"))
    answer.put((digest.hexdigest(), seconds, max(own_peak(), children), used))


def own_peak() -> int:
    """The most memory of this process. `ru_maxrss` would be that of the process that started it,
    if that was larger: Linux counts the moment between fork and exec."""
    with open("/proc/self/status", encoding="ascii") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) * 1024


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
    load = os.getloadavg()[0]
    one = measured(name, str(file), str(folder / f"{name}-1"), 1)
    two = measured(name, str(file), str(folder / f"{name}-2"), 2)
    size = file.stat().st_size / 1e6
    ratio = one[1] / two[1]
    memory = max(one[2], two[2]) / 1e9
    print(
        f"{name}: {size:.1f} MB: 1 worker {one[1]:.1f} s, {size / one[3]:.2f} MB for each second of"
        f" a core; 2 workers {two[1]:.1f} s: {ratio:.2f} x; at most {memory:.2f} GB a worker;"
        f" {'the same' if one[0] == two[0] else 'DIFFERENT'} items"
        f" (load of the machine before: {load:.1f} on {os.cpu_count()} cores)",
        flush=True,
    )
    return [
        *([f"{name}: 2 workers {ratio:.2f} x (limit {WORKERS:g})"] if ratio < WORKERS else []),
        *([f"{name}: {memory:.2f} GB (limit {MEMORY:g})"] if memory > MEMORY else []),
        *([f"{name}: 2 workers give other items"] if one[0] != two[0] else []),
    ]


def arguments() -> tuple[dict[str, float], float]:
    """How many millions of characters each builder is given, and KnowRef once more."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--more", type=float, default=MORE, metavar="MILLIONS")
    parser.add_argument("builders", nargs="*", metavar="BUILDER[=MILLIONS]")
    found = parser.parse_args()
    pairs = [each.partition("=") for each in found.builders] or [(each, "", "") for each in OPEN]
    for name, _, _ in pairs:
        if name not in OPEN:
            parser.error(f"expected a builder of {', '.join(OPEN)}, found {name!r}")
    return {name: float(size or MILLIONS[name]) for name, _, size in pairs}, found.more


def main() -> int:
    default = Path(__file__).parents[2] / "shared" / "data"
    if default.is_dir():
        os.environ.setdefault("COINDEX_DATA", str(default))
    sizes, more = arguments()
    try:
        text = text_of(max(more, *(RUNS[name] for name in sizes), *sizes.values()))
        make_parser(cache=False)
    except CoindexError as error:
        print(f"skipped: {error}")
        return 0
    missed: list[str] = []
    for name, size in sizes.items():
        missed += compare(name, list(first(text, size)))
        if name in BY_TEXT and more:
            missed += compare_more(name, list(first(text, more)))
    with tempfile.TemporaryDirectory() as folder:
        for name in sizes:
            missed += scale(name, list(first(text, RUNS[name])), Path(folder))
    for each in missed:
        print(f"missed: {each}")
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main())
