"""The smaller commands: check, stats, spans, switch, show, list, data, and bad usage."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from golden import inputs
from golden.case import Case, Step, command
from golden.inputs import Prepare

BAD = {
    "open.conll": "#begin document (d);\nAnn (1\nslept -\n#end document\n",
    "close.conll": "#begin document (d);\nAnn (1)\nslept 2)\n#end document\n",
    "twice.conll": "#begin document (d);\nAnn (1)|(1)|(2)\nslept (1\nwell (2\nnow 1)\nhere 2)\n#end document\n",
    "cut.jsonl": '{"doc_key": "d", "sentences": [["Ann"]], "clusters": [[[0, 7]]]}\n{"doc_key":',
    "gap.tsv": "ID\tText\tPronoun\tPronoun-offset\tA\tA-offset\tA-coref\tB\tB-offset\tB-coref\tURL\n"
    "d-1\tRuth met Ida.\tshe\t5\tRuth\t1\tTRUE\tIda\t9\tTRUE\thttp://x\n",
    "blocks.txt": "Ann saw him.\nshe\nAnn,Bo\nBo\n\nAnn left.\n",
}
GROUPS = (
    "formats",
    "matching",
    "metrics",
    "benchmarks",
    "corpora",
    "sources",
    "resolvers",
    "active",
)
CORPORA = (
    "blocks", "corefud", "ezcoref", "fantasycoref", "gap", "gum", "knowref", "knowref-train",
    "litbank", "ontogum", "quizbowl", "scorer-cases", "wikipedia", "winobias", "winogender",
    "winogrande", "wnli", "wsc",
)  # fmt: skip
COMMANDS = (
    "active", "active rank", "active simulate", "annotate", "annotate users", "annotate init",
    "annotate serve", "annotate import", "annotate export", "annotate backup", "annotate doctor",
    "annotate users list", "annotate users invite", "annotate users disable", "bench", "build",
    "check", "convert", "data", "data list", "data where", "data show", "data add", "data get",
    "list", "resolve", "score", "show", "spans", "stats", "switch", "train", "train quizbowl",
    "train export", "train pronoun", "train teach", "train coref",
)  # fmt: skip
REAL: dict[str, tuple[str, Prepare]] = {
    "ontogum": ("in.conll", inputs.gum("in.conll", 2)),
    "gum": ("in.conll", inputs.gum("in.conll", 2, kind="gum")),
    "litbank": ("in.conll", inputs.litbank("in.conll", 2)),
    "corefud": ("in.conllu", inputs.corefud("in.conllu", 2)),
    "fantasy": ("in.conll", inputs.fantasy("in.conll", 1)),
    "gap": ("in.tsv", inputs.head_lines("gap/gap-development.tsv", "in.tsv", 101)),
    "knowref": ("in.json", inputs.head_json("knowref/knowref_test.json", "in.json", 60)),
    "wsc": ("in.xml", inputs.whole("wsc/PDPChallenge2016.xml", "in.xml")),
    "winogrande": ("in.jsonl", inputs.head_lines("winogrande/dev.jsonl", "in.jsonl", 80)),
}


def bad(scratch: Path) -> None:
    """Files with mistakes."""
    for name, text in BAD.items():
        inputs.written(scratch / name, text)


def cases() -> Iterator[Case]:
    """All cases of the smaller commands."""
    yield _bad()
    for name, (file, prepare) in REAL.items():
        yield Case(f"tools/real/{name}", tuple(_real(file)), prepare, ("data",))
    for name in ("ontogum", "gum"):
        lines = (
            "spans in.conll",
            "spans in.conll --json --examples 2",
            "check in.conll --ignore repeated",
        )
        prepare = inputs.gum("in.conll", 4, kind=name)
        yield Case(f"tools/spans/{name}", tuple(map(command, lines)), prepare, ("data",))
    yield _show()
    yield from _lists()
    yield _usage()
    steps = tuple(command(f"{name} --help") for name in COMMANDS)
    yield Case("tools/options", steps, ours=True, rules=("options",))


def _bad() -> Case:
    lines = [f"check {name}" for name in BAD]
    lines += [
        f"check {' '.join(BAD)} --json",
        "check --rules",
        "check --rules --json",
        "check nowhere",
    ]
    lines += [f"stats {name}" for name in BAD] + [
        "spans open.conll",
        "switch gap.tsv",
        "show close.conll",
    ]
    return Case("tools/bad", tuple(map(command, lines)), bad, ours=True)


def _real(file: str) -> Iterator[Step]:
    yield command(f"check {file}")
    yield command(f"check {file} --json")
    yield command(f"stats {file}")
    yield command(f"stats {file} {file} --json")
    yield command(f"switch {file} -o switched.out")
    yield command(f"switch {file} -o others.out --keep-others --to problem-jsonl --json")
    yield command(f"show {file} --first 1")
    yield command(f"show {file} --html page.html --first 2")


def _show() -> Case:
    file = "stories/pool.conll"
    lines = (
        f"show {file}", f"show {file} --html -", f"show {file} --doc story-41 --no-singletons",
        f"show {file} --json", f"show {file} --html out.html", f"show {file} --doc nowhere",
        "show stories/problems.jsonl", "show stories/problems.jsonl --html problems.html",
        "stats stories/train.conll stories/pool.conll", "stats stories/problems.jsonl --json",
        "switch stories/problems.jsonl -o - --json", "switch stories/problems.jsonl",
        "check stories/train.conll stories/problems.jsonl",
    )  # fmt: skip
    return Case("tools/show", tuple(map(command, lines)), inputs.stories, ours=True)


def _lists() -> Iterator[Case]:
    lines = [f"list {group}" for group in GROUPS] + ["list", "list --json", "list nonsense"]
    yield Case("list/all", tuple(map(command, lines)), ours=True)
    needs = ("data",)
    yield Case("data/list", (command("data list"), command("data list --json")), needs=needs)
    for name in CORPORA:
        lines = [f"data show {name}", f"data show {name} --json", f"data where {name}"]
        yield Case(f"data/show/{name}", tuple(map(command, lines)), needs=needs)
    lines = [
        "data where wsc --verify",
        "data where wnli --verify --json",
        "data where nonsense",
        "data show nonsense",
    ]
    yield Case("data/where", tuple(map(command, lines)), needs=needs)
    home = {"COINDEX_HOME": "home"}
    lines = ["data add mine stories --licence CC0-1.0 --citation Me", "data add mine stories/train.conll",
             "data show mine", "data where mine --verify --json", "data list --json", "stats mine"]  # fmt: skip
    steps = tuple(Step(tuple(line.split()), env=home) for line in lines[:4])
    yield Case("data/add", steps, inputs.stories, rules=("times",))


def _usage() -> Case:
    lines = ("", "nonsense", "--version", "score", "resolve --nonsense", "convert", "bench --seed x",
             "build", "build nonsense x -o y", "active", "active rank", "annotate", "train", "data",
             "train coref", "active rank nowhere --strategy nonsense")  # fmt: skip
    steps = tuple(Step(tuple(line.split())) for line in lines)
    return Case("tools/usage", steps, ours=True)
