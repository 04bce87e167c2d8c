"""`coindex resolve`: every form, with and without single mentions, every scheme."""

from __future__ import annotations

from collections.abc import Iterator

from golden import inputs
from golden.case import Case, Step, command

OWN = ("jsonl", "html", "brackets", "replaced")
FORMATS = ("conll2012", "corefud", "jsonlines", "document-jsonl")
SCHEMES = ("litbank", "ontogum", "gum", "fantasy", "preco", "phrase-detectives", "quizbowl")
NAMES = (
    "chat", "dialogue", "empty", "list", "mail", "narrative", "news", "oneline", "unicode",
    "whitespace",
)  # fmt: skip
TEXTS = " ".join(f"texts/{name}.txt" for name in NAMES)
NOVELS = "bleak_house.txt persuasion.txt"
API = """
import coindex
from pathlib import Path
resolver = coindex.load(threads=1)
print(resolver.signature)
texts = [Path(f"texts/{name}.txt").read_text("utf-8") for name in ("chat", "news", "unicode")]
for document in [resolver.resolve(texts[0]), *resolver.resolve(texts), *resolver.stream(texts)]:
    print(document.id, len(document))
    for entity in document.entities:
        print(entity.id, [(m.spans, document.text_of(m), m.attrs) for m in entity.mentions])
coindex.write("all.jsonl", resolver.resolve(texts), "document-jsonl")
for document in coindex.read("all.jsonl"):
    print(document.id, [len(entity.mentions) for entity in document.entities])
"""


def forms(names: str) -> tuple[Step, ...]:
    """Every form of output, to standard output or to a file."""
    lines = [f"resolve {names} --threads 1", f"resolve {names} --threads 1 --json"]
    lines += [f"resolve {names} --threads 1 --to {form}" for form in OWN]
    lines += [f"resolve {names} --threads 1 --to {form}" for form in FORMATS]
    lines += [f"resolve {names} --threads 1 --to brat -o brat"]
    lines += [f"resolve {names} --threads 1 --to text -o table.txt"]
    return tuple(map(command, lines))


def cases() -> Iterator[Case]:
    """All cases of `resolve`."""
    for name in NAMES:
        step = command(f"resolve texts/{name}.txt --threads 1 --json --singletons")
        yield Case(f"resolve/text/{name}", (step,), inputs.texts, ours=True)
    yield from _forms()
    for scheme in SCHEMES:
        step = command(f"resolve {TEXTS} --scheme {scheme} --threads 1 --to jsonl")
        yield Case(f"resolve/scheme/{scheme}", (step,), inputs.texts, ours=True)
    yield from _others()
    yield from _novels()


def _forms() -> Iterator[Case]:
    for step in forms(TEXTS):
        form = step.args[-1] if "--to" in step.args[-2:] or "--json" in step.args[-1:] else "table"
        form = "brat" if "brat" in step.args else "text-file" if "-o" in step.args else form
        name = form.lstrip("-")
        yield Case(f"resolve/form/{name}", (step,), inputs.texts, ours=True)
        single = Step((*step.args, "--singletons"))
        long = name not in ("table", "jsonl", "html", "conll2012", "corefud", "replaced")
        yield Case(f"resolve/singletons/{name}", (single,), inputs.texts, full=long, ours=True)


def _others() -> Iterator[Case]:
    yield Case(
        "resolve/threads",
        (
            command(f"resolve {TEXTS} --threads 2 --batch 1 --to jsonl"),
            command(f"resolve {TEXTS} --threads 2 --batch 7 --to jsonl -o all.jsonl"),
        ),
        inputs.texts, ours=True,
    )  # fmt: skip
    told = "Alice told Bob that she had seen his dog. It bit him."
    lines = ("", "--to brackets", "--to replaced -", "--json -", "--to html -o page.html", "--to nonsense",
             "--json --to html", "nowhere.txt", "--model nowhere", "--scheme nonsense")  # fmt: skip
    steps = tuple(Step(tuple(f"resolve {line}".split()), stdin=told) for line in lines)
    yield Case("resolve/stdin", steps, ours=True)
    yield Case("resolve/api", (Step(code=API),), inputs.texts, ours=True)


def _novels() -> Iterator[Case]:
    for step in forms(NOVELS):
        rest = "-".join(each.lstrip("-") for each in step.args[5:]) or "table"
        needs, make = ("data",), inputs.litbank_texts
        yield Case(
            f"resolve/litbank/{rest}",
            (step,),
            make,
            needs,
            full=rest not in ("json", "to-conll2012"),
        )
    steps = tuple(
        command(f"resolve key.conll --threads 1 --to {to} {more}")
        for to, more in (
            ("conll2012", ""),
            ("jsonl", "--singletons"),
            ("corefud", "--scheme litbank"),
        )
    )
    prepare = inputs.all_of(inputs.litbank("key.conll", 1, 7))
    yield Case("resolve/documents/litbank", steps, prepare, ("data",))
    prepare = inputs.all_of(inputs.gum("key.conll", 2))
    yield Case("resolve/documents/gum", steps, prepare, ("data",))
    steps = (
        command("resolve key.conllu --threads 1 --to corefud"),
        command("resolve key.conllu --json"),
    )
    yield Case("resolve/documents/corefud", steps, inputs.corefud("key.conllu", 1), ("data",))
