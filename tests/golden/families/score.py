"""`coindex score`: the official cases, and rankings of responses made by seeded mistakes."""

from __future__ import annotations

from collections.abc import Iterator

from golden import inputs
from golden.case import Case, Step, command

COUNTS = {letter: 1 for letter in "BCDEFGHIJKL"} | {"A": 13, "M": 6, "N": 6}
PAIRS = tuple(f"{letter}-{n}" for letter, count in COUNTS.items() for n in range(1, count + 1))
STYLES = ("", "--json", "--html", "--markdown", "--latex")
SEEDS = (3, 11, 27)
MORE = "--metrics all --errors --by type --per-document"
API = """
import coindex
key, response = list(coindex.read("key.conll")), list(coindex.read("response-3.conll"))
for options in ({}, {"metrics": "all"}, {"match": "head", "metrics": "all"},
                {"match": "mina", "singletons": "drop"}, {"match": "partial", "metrics": ["lea", "b3"]}):
    result = coindex.score(key, response, **options)
    print(options, result.signature)
    for name, score in result.scores.items():
        print(name, score.recall, score.precision, score.f1)
print(coindex.score([{"Ann", "she"}, {"Bo"}], [{"Ann", "she", "Bo"}]).scores)
"""


def cases() -> Iterator[Case]:
    """All cases of `score`."""
    for pair in PAIRS:
        yield Case(f"score/official/{pair}", tuple(_official(pair)), needs=("data",))
    yield from _ranking("ontogum", inputs.gum("key.conll", 6, 2), "exact,mina,head,partial")
    yield from _ranking("litbank", inputs.litbank("key.conll", 4, 10), "exact")
    prepare = inputs.all_of(inputs.gum("key.conll", 3, 4), inputs.responses("key.conll", 3))
    yield Case("score/api", (Step(code=API),), prepare, ("data",))
    prepare = inputs.all_of(
        inputs.corefud("key.conllu", 3), inputs.gum("answer.conll", 3, kind="gum")
    )
    lines = [
        f"score key.conllu key.conllu --match {rule} --zeros drop --metrics all"
        for rule in ("exact", "head", "partial")
    ]
    lines += ["score key.conllu answer.conll --metrics all --json"]
    yield Case("score/corefud", tuple(map(command, lines)), prepare, ("data",))
    yield from _errors()


def _official(pair: str) -> Iterator[Step]:
    key = f"data/scorer-cases/TC-{pair.partition('-')[0]}.key"
    response = f"data/scorer-cases/TC-{pair}.response"
    for style in ("", "--json", "--html"):
        yield command(f"score {key} {response} --metrics all --resamples 1000 {style}")
    if pair in ("A-3", "M-2"):
        yield command(
            f"score {key} {response} {MORE} --singletons drop --markdown --resamples 1000"
        )


def _ranking(name: str, key: inputs.Prepare, rules: str) -> Iterator[Case]:
    """One response in all detail, then three of them ranked."""
    prepare = inputs.all_of(key, inputs.responses("key.conll", *SEEDS))
    several = " ".join(f"response-{seed}.conll" for seed in SEEDS)
    for rule in rules.split(","):
        lines = [f"score key.conll response-11.conll --match {rule} {MORE} --resamples 1000",
                 f"score key.conll response-11.conll --match {rule} --metrics all --singletons drop"]  # fmt: skip
        yield Case(f"score/{name}/one/{rule}", tuple(map(command, lines)), prepare, ("data",))
    for style in STYLES:
        line = f"score key.conll {several} {MORE} --resamples 2000 --examples 2 {style}"
        yield Case(
            f"score/{name}/ranking/{style.lstrip('-') or 'text'}",
            (command(line),),
            prepare,
            ("data",),
        )
    line = f"score key.conll {several} --match {rules} --singletons drop --seed 7 -o ranking.txt"
    yield Case(f"score/{name}/ranking/file", (command(line),), prepare, ("data",))


def _errors() -> Iterator[Case]:
    prepare = inputs.all_of(inputs.gum("key.conll", 2), inputs.gum("other.conll", 2, 1))
    lines = (
        "score key.conll other.conll", "score key.conll other.conll --missing empty",
        "score key.conll key.conll key.conll", "score key.conll nowhere.conll",
        "score key.conll key.conll --metrics nonsense", "score key.conll key.conll --match nonsense",
        "score key.conll key.conll --json --html", "score key.conll", "score key.conll key.conll --resamples 3",
    )  # fmt: skip
    yield Case("score/errors", tuple(map(command, lines)), prepare, ("data",))
