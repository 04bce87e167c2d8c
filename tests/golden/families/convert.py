"""`coindex convert`: every format of documents to every other, and so with problems."""

from __future__ import annotations

from collections.abc import Iterator

from golden import inputs
from golden.case import Case, Step, command
from golden.inputs import Prepare

DOCUMENTS = ("conll2012", "corefud", "jsonlines", "brat", "text", "document-jsonl")
PROBLEMS = (
    "gap", "knowref", "knowref-pairs", "blocks", "wsc", "winobias", "winogender", "winogrande",
    "wnli", "problem-jsonl",
)  # fmt: skip

FROM_DOCUMENTS: dict[str, tuple[str, Prepare, str]] = {
    "conll2012": ("in.conll", inputs.gum("in.conll", 1, 2), ""),
    "conll2012-litbank": ("in.conll", inputs.litbank("in.conll", 1, 3), ""),
    "conll2012-fantasy": ("in.conll", inputs.fantasy("in.conll", 1), ""),
    "corefud": ("in.conllu", inputs.corefud("in.conllu", 1), ""),
    "brat": ("in/1023_bleak_house_brat.ann", inputs.brat("in", 1), ""),
    "text": ("texts/mail.txt texts/unicode.txt", inputs.texts, "--from text"),
    "document-jsonl": ("in.jsonl", inputs.head_lines("meantime/meantime.jsonl.xz", "in.jsonl", 4), ""),
    "jsonlines": ("first.jsonl", inputs.gum("in.conll", 2, 5), ""),
}  # fmt: skip
"""Named by the format: the files, how they are made, options; jsonlines by a first step."""

FROM_PROBLEMS: dict[str, tuple[str, Prepare]] = {
    "gap": ("in.tsv", inputs.head_lines("gap/gap-development.tsv", "in.tsv", 41)),
    "knowref": ("in.json", inputs.head_json("knowref/knowref_test.json", "in.json", 40)),
    "knowref-train": ("in.json", inputs.head_json("knowref/train/val.json", "in.json", 40)),
    "knowref-pairs": ("in.tsv", inputs.head_lines("knowref/train/dev.tsv", "in.tsv", 81)),
    "blocks": ("in.txt", inputs.head_lines("blocks/PDP.txt", "in.txt", 200)),
    "blocks-dpr": ("in.txt", inputs.head_lines("blocks/test.c.txt", "in.txt", 200)),
    "wsc": ("in.xml", inputs.head_pieces("wsc/WSCollection.xml", "in.xml", "</schema>\n", 40, "</collection>\n")),
    "wsc-pdp": ("in.xml", inputs.whole("wsc/PDPChallenge2016.xml", "in.xml")),
    "winobias": ("in.txt", inputs.head_lines("winobias/pro_stereotyped_type1.txt.test", "in.txt", 40)),
    "winogender": ("in.tsv", inputs.head_lines("winogender/data/all_sentences.tsv", "in.tsv", 61)),
    "winogender-templates": ("in.tsv", inputs.head_lines("winogender/data/templates.tsv", "in.tsv", 13)),
    "winogrande": ("in.jsonl", inputs.head_lines("winogrande/dev.jsonl", "in.jsonl", 40)),
    "wnli": ("in.tsv", inputs.head_lines("wnli/dev.tsv", "in.tsv", 41)),
    "problem-jsonl": ("first.jsonl", inputs.head_lines("gap/gap-validation.tsv", "in.tsv", 21)),
}  # fmt: skip
FIRST = {
    "jsonlines": "convert in.conll --to jsonlines -o first.jsonl",
    "problem-jsonl": "convert in.tsv --to problem-jsonl -o first.jsonl",
}


AGAIN = (*FROM_DOCUMENTS, "gap", "knowref", "wsc", "blocks")
"""Of which what was written is read again."""


def cases() -> Iterator[Case]:
    """All cases of `convert`."""
    for name, (files, prepare, options) in FROM_DOCUMENTS.items():
        steps = tuple(_steps(name, files, DOCUMENTS, options))
        needs = () if name == "text" else ("data",)
        yield Case(f"convert/documents/{name}", steps, prepare, needs, ours=name == "text")
    for name, (files, prepare) in FROM_PROBLEMS.items():
        steps = tuple(_steps(name, files, PROBLEMS, ""))
        long = name in ("knowref-train", "winogender-templates", "blocks-dpr", "wsc-pdp")
        yield Case(f"convert/problems/{name}", steps, prepare, ("data",), full=long)
    yield _others()


def _steps(name: str, files: str, targets: tuple[str, ...], options: str) -> Iterator[Step]:
    if name in FIRST:
        yield command(FIRST[name])
    for target in targets:
        yield command(f"convert {files} {options} --to {target} -o out.{target}")
    yield command(f"convert {files} {options} --to {targets[0]} -o report.out --json")
    back = targets[-1]
    for target in targets[:-1] if name in AGAIN else ():
        source = f"out.{target}"
        yield command(f"convert {source} --from {target} --to {back} -o back.{target}")


def _others() -> Case:
    lines = (
        "convert texts/list.txt --to nonsense", "convert nowhere.conll --to brat", "convert --to brat",
        "convert texts/list.txt --from text --to conll2012", "convert texts/list.txt --from text --to gap",
        "convert texts/empty.txt --to conll2012", "convert texts/list.txt --from conll2012 --to text",
        "convert texts/list.txt --from text --to conll2012 --json", "convert texts/list.txt --to brat",
    )  # fmt: skip
    return Case("convert/errors", tuple(map(command, lines)), inputs.texts, ours=True)
