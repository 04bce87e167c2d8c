"""`coindex bench`: all benchmarks, on their first items, and whole under COINDEX_FULL."""

from __future__ import annotations

from collections.abc import Iterator

from golden import inputs
from golden.case import Case, Step, command
from golden.inputs import Prepare

LINES = {
    "gap/gap-development.tsv": 81, "gap/gap-validation.tsv": 41, "winogrande/dev.jsonl": 60,
    "wnli/dev.tsv": 72, "wnli/train.tsv": 81, "blocks/dpr_dev_small.txt": 300,
    "blocks/test.c.txt": 300, "winogender/data/all_sentences.tsv": 121,
    "winogender/data/occupations-stats.tsv": 100, "winogender/data/templates.tsv": 200,
    "knowref/train/dev.tsv": 81,
}  # fmt: skip
"""How many lines of each file make the small folder of corpora."""

WINOBIAS = tuple(
    f"winobias/{kind}_stereotyped_type{n}.txt.{split}"
    for kind in ("pro", "anti") for n in (1, 2) for split in ("dev", "test")
)  # fmt: skip
NAMES = ("dpr", "gap", "knowref", "pdp", "winobias", "winogender", "winogrande", "wnli", "wsc273")
RESOLVERS = "parallelism,first,substitution"


def small() -> Prepare:
    """A folder `small` with the first items of every benchmark."""
    parts = [inputs.head_lines(path, f"small/{path}", count) for path, count in LINES.items()]
    parts += [inputs.head_lines(path, f"small/{path}", 30) for path in WINOBIAS]
    parts += [inputs.head_json("knowref/knowref_test.json", "small/knowref/knowref_test.json", 60)]
    end = ("</schema>", 40, "\n</collection>\n")
    for name in ("WSCollection", "WSCollection_2016", "WSCollection_2017", "PDPChallenge2016"):
        parts += [inputs.head_pieces(f"wsc/{name}.xml", f"small/wsc/{name}.xml", *end)]
    return inputs.all_of(*parts)


def on_small(line: str) -> Step:
    """A command on the small corpora."""
    return Step(tuple(line.split()), env={"COINDEX_DATA": "small"})


def cases() -> Iterator[Case]:
    """All cases of `bench`."""
    needs = ("data", "spacy")
    for name in NAMES:
        steps = (on_small(f"bench {name} --resolver {RESOLVERS} --json"),)
        yield Case(f"bench/small/{name}", steps, small(), needs)
    for name, line in OTHERS.items():
        yield Case(f"bench/small/{name}", (on_small(line),), small(), needs)
    yield Case("bench/small/errors", tuple(map(on_small, ERRORS)), small(), needs)
    yield _made_elsewhere()
    yield from _full()


OTHERS = {
    "all-text": "bench --resolver random,last,parallelism --resamples 1000",
    "all-html": "bench --resolver token-distance,random,binding --resamples 1000 --html report.html",
    "all-json": "bench --resolver first,majority,random --resamples 1000 --json",
    "neural": "bench wsc273 pdp gap --resolver neural --resamples 1000 --json",
    "neural-text": "bench gap winobias --resolver neural,first --resamples 1000 --scheme litbank",
    "both": "bench gap --resolver parallelism,topical-entity,syntactic-distance,parallelism-url,binding"
    " --candidates both --difficulty --save saved --plot gap.svg --html report.html --resamples 1000",
    "switched": "bench dpr pdp winogrande --resolver substitution,random --switched --difficulty --resamples 1000",
    "markdown": "bench gap knowref wnli --resolver first,last --markdown --resamples 1000",
    "latex": "bench gap winogender --resolver first,binding --latex --resamples 1000",
    "splits": "bench gap --split validation --resolver random --seed 5 --resamples 1000 --save saved",
    "documents": "bench pdp --documents passages.conll",
}
ERRORS = (
    "bench nonsense --resolver first", "bench gap --resolver nonsense", "bench gap",
    "bench wnli --split test --resolver first", "bench gap --split nonsense --resolver first",
    "bench knowref --candidates found --resolver first", "bench gap --resolver quizbowl",
    "bench gap --resolver first --html", "bench gap --predictions nowhere.jsonl",
)  # fmt: skip


def _made_elsewhere() -> Case:
    """Decisions and clusters that come as files."""
    lines = (
        "bench gap --resolver binding --save saved --resamples 1000",
        "bench gap --documents passages.conll", "bench gap --documents passages.jsonl --to document-jsonl",
        "resolve passages.conll --threads 1 --to conll2012 -o resolved.conll",
        "bench gap --clusters resolved.conll --resamples 1000",
        "bench gap --predictions saved/gap.development.binding.found.decisions.jsonl --predictions saved/gap.development.binding.found.tsv --json --resamples 1000",
    )  # fmt: skip
    return Case(
        "bench/small/made-elsewhere", tuple(map(on_small, lines)), small(), ("data", "spacy")
    )


FULL = {
    "all": f"bench --resolver {RESOLVERS} --json --html report.html",
    "text": "bench --resolver parallelism,first,random",
    "neural": "bench pdp wsc273 knowref winobias --resolver neural --json",
    "cues": "bench gap --resolver random,token-distance,topical-entity,parallelism-url"
    " --candidates both --split validation --json",
}
"""On the whole benchmarks."""


def _full() -> Iterator[Case]:
    for name, line in FULL.items():
        yield Case(f"bench/full/{name}", (command(line),), None, ("data", "spacy"), full=True)
