"""`coindex build`: each builder on one piece of Wikipedia, with one worker and with two."""

from __future__ import annotations

from collections.abc import Iterator

from golden import inputs
from golden.case import Case, Step, command, plain

NEEDS = ("data", "spacy")
JUDGED = """
import coindex
from dataclasses import replace
(woman, *_) = (item for item in coindex.read("items.jsonl") if " she " in item.text)
woman = replace(woman, id="w", meta=(*woman.meta, ("judgements", "A A B")))
man = replace(woman, id="m", group="masculine", text=woman.text.replace(" she ", " he ", 1))
man = replace(man, target=replace(woman.target, end=woman.target.start + 2), source="other")
second = [replace(each, id=each.id + "2", meta=(("page", each.id), ("judgements", "B B B")))
          for each in (woman, man)]
coindex.write("judged.jsonl", [woman, man, *second], "problem-jsonl")
"""
BUILDERS = {
    "wikicrem": ("wikicrem", "--split"),
    "gap": ("gap", "--set balance=no"),
    "gap-balanced": ("gap", ""),
    "knowref": ("knowref", ""),
    "knowref-test": ("knowref", "--set mode=test"),
}
XML = "data/wikipedia/enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2"


def cases() -> Iterator[Case]:
    """All cases of `build`."""
    for name, (builder, options) in BUILDERS.items():
        ordinary = name in ("wikicrem", "gap", "knowref")
        if ordinary:
            yield _case(name, builder, options, 40, False)
        yield _case(name, builder, options, 1500, True)
    for full in (False, True):
        yield _randomwiki(full)
    yield _sources()
    yield _dump()
    yield _finish()


def _steps(line: str, out: str) -> tuple[Step, ...]:
    """With one worker and a report; with two in a process of its own."""
    one = command(f"{line} -o {out} --report report.html --json")
    two = plain(f"{line} -o two.jsonl --workers 2")
    return (one, two)


def _case(name: str, builder: str, options: str, articles: int, full: bool) -> Case:
    prepare = inputs.wikipedia("piece.txt", 300, articles)
    line = f"build {builder} piece.txt {options} --shard {articles * 400}"
    where = "full" if full else "small"
    return Case(
        f"build/{where}/{name}", _steps(line, "one.jsonl"), prepare, NEEDS, full, rules=("seconds",)
    )


def _randomwiki(full: bool) -> Case:
    articles = 1500 if full else 40
    prepare = inputs.wikipedia("piece.txt", 300, articles)
    line = f"build randomwiki piece.txt --set like=crem.jsonl --shard {articles * 400}"
    first = command("build wikicrem piece.txt -o crem.jsonl")
    where = "full" if full else "small"
    steps = (first, *_steps(line, "one.jsonl"))
    return Case(f"build/{where}/randomwiki", steps, prepare, NEEDS, full, rules=("seconds",))


def _sources() -> Case:
    """Other sources, other formats, and what is refused."""
    lines = (
        "build wikicrem stories/pages.jsonl -o crem.jsonl --report report.html",
        "build wikicrem stories/pages.jsonl -o crem.txt --to blocks --fresh --seed 3",
        "build gap stories/pages.jsonl -o gap.tsv --to gap --set balance=no",
        "build gap stories/pages.jsonl -o items.jsonl --set balance=no --limit 1 --shard 300",
        "build knowref stories/pages.jsonl -o train.jsonl --json",
        "build knowref stories/pages.jsonl -o test.jsonl --set mode=test --apart train.jsonl",
        "build wikicrem texts -o texts.jsonl", "build wikicrem stories/pages.jsonl -o x.jsonl --strict",
        "build wikicrem nowhere -o x.jsonl", "build gap stories/pages.jsonl -o x --set nonsense=1",
        "build wikicrem stories/pages.jsonl -o x.jsonl --source nonsense",
    )  # fmt: skip
    prepare = inputs.all_of(inputs.stories, inputs.texts)
    return Case(
        "build/sources",
        tuple(map(command, lines)),
        prepare,
        ("spacy",),
        ours=True,
        rules=("seconds",),
    )


def _dump() -> Case:
    """A dump with its markup."""
    lines = (
        f"build gap {XML} -o items.jsonl --set balance=no --limit 1",
    )  # fmt: skip
    steps = tuple(map(command, lines))
    return Case(
        "build/full/dump", steps, None, (*NEEDS, "mwparserfromhell"), True, rules=("seconds",)
    )


def _finish() -> Case:
    """GAP and KnowRef after their annotation."""
    steps = (
        command("build gap stories/pages.jsonl -o items.jsonl --set balance=no"),
        command("build gap --finish items.jsonl -o none.tsv --to gap"),
        Step(code=JUDGED),
        command("build gap --finish judged.jsonl -o gap.tsv --to gap"),
        command("build gap --finish judged.jsonl -o gap.jsonl --json"),
        command("build knowref --finish judged.jsonl -o knowref.jsonl"),
    )
    return Case("build/finish", steps, inputs.stories, ("spacy",), ours=True, rules=("seconds",))
