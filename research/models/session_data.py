"""The data of document models in a work folder, made without a GPU: `session_data WORK STEP`.

    generated             WORK/gen: what `coindex generate` makes of the corpora, as `document_recipes` names it
    problems ITEMS        WORK/problems: KnowRef, DPR, sentences with two roles, and the items that the pronoun
                          teacher answered: ITEMS has names.jsonl, mixed.jsonl and nouns.jsonl, which
                          research/pronoun_teacher/README.md makes
    raw TEXTS             WORK/raw: the texts that `unlabelled_text TEXTS` wrote, as documents
    corpora               WORK/data: the corpora that the recipes name
    teacher MODEL [NAME]  WORK/teacher, or WORK/NAME: an exported model (a name or folder) as a folder of training
    singles MODEL         WORK/gen/singles-everyday.jsonl: the everyday texts, and in them the entities of one
                          mention that a model finds under `gum` (the texts mark none)

FEW (environment) limits every set to so many items, for trials. A file that is there is not made
again.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from itertools import islice
from pathlib import Path

from coindex import datasets, formats, io, load
from coindex.models.pronoun.symmetric_scoring import are_names
from coindex.models.pronoun.train.problems import read_problems
from coindex.models.pronoun.train.teacher_scores import read_teacher_scores, softmax
from coindex.text.word_lists import labels
from coindex.types.document import Document
from coindex.types.mention import Entity
from coindex.types.problem import Problem
from research.models.counterfactual_problems import problems as role_problems
from research.models.device_session import trial_limit
from research.models.document_recipes import LABELLED, PARTLY, RAW_PART, UNLABELLED
from research.models.everyday_texts import main as write_everyday

SCORES = Path(__file__).parents[1] / "pronoun_teacher" / "scores"
LITBANK = ("--every", "10", "--except", "3", "--except", "7")
CORPORA = {
    "gum": ("gum:train",), "ontogum": ("ontogum:train",), "litbank": ("litbank:conll",),
    "fantasy": ("fantasycoref:dev", "fantasycoref:test"), "email": ("email:train",),
    "meantime": ("meantime",), "redocred": ("redocred:dev",),
}  # fmt: skip
EVERYDAY = "gen/everyday.jsonl"
SINGLES = "gen/singles-everyday.jsonl"
THREE_COPIES = frozenset({"dialogues", "mails"})
TWO_COPIES = frozenset({"excerpts-gum", "excerpts-ontogum"})
SMALLEST = {"names": 0.9, "mixed": 0.9, "nouns": 0.8}
"""The smallest probability of an answer of the teacher."""


def generator_commands(work: Path) -> Iterator[tuple[Path, list[str]]]:
    """The command that makes each generated file, those before it being there."""
    names = [row[0] for row in (*LABELLED, *PARTLY) if row[0].startswith("gen/")]
    names = [name for name in names if name not in (EVERYDAY, SINGLES)]
    order = sorted(dict.fromkeys(names), key=lambda name: ("excerpts-gum" in name[5:], name))
    order.sort(key=lambda name: not name.startswith(("gen/dialogues.", "gen/excerpts-")))
    for name in order:
        stem = Path(name).stem
        generator, source = _source(stem, work)
        copies = 3 if stem in THREE_COPIES else 2 if stem in TWO_COPIES else 1
        extra = LITBANK if stem.endswith("litbank") else ()
        yield work / name, [
            "generate", generator, *source, "--copies", str(copies), *extra, "-o", str(work / name)
        ]  # fmt: skip


def _source(stem: str, work: Path) -> tuple[str, tuple[str, ...]]:
    """The generator of a file, and what it reads."""
    if stem == "dialogues":
        return "dialogues", CORPORA["gum"]
    if stem == "dialogues-excerpts":
        return "excerpts", (str(work / "gen" / "dialogues.jsonl"),)
    if stem == "mails":
        return "mails", CORPORA["email"]
    generator, _, corpus = stem.partition("-")
    if corpus in ("excerpts-gum", "everyday"):
        return generator, (str(work / "gen" / f"{corpus}.jsonl"),)
    return generator, CORPORA[corpus]


def generate(work: Path) -> None:
    """Make the generated documents, and those of our own everyday texts."""
    if not (work / EVERYDAY).is_file():
        (work / "gen").mkdir(parents=True, exist_ok=True)
        write_everyday(work / EVERYDAY)
    for file, command in generator_commands(work):
        if not file.is_file():
            file.parent.mkdir(parents=True, exist_ok=True)
            subprocess.run([sys.executable, "-m", "coindex", *command], check=True)


def answered(name: str, items: Path) -> Iterator[Problem]:
    """Problems with the teacher's answer, where both readings agree and it is probable."""
    scores = read_teacher_scores((str(SCORES / f"{name}.tsv.xz"),))
    for problem in read_problems(str(items)):
        own = scores.get(problem.id)
        if own is None or (name == "nouns" and problem.pronoun.lower() not in ("it", "they")):
            continue
        chances = softmax(own.logits(names=are_names(problem)))
        best = max(range(len(chances)), key=chances.__getitem__)
        readings = [row for row in (own.own, own.switched) if row]
        agree = all(max(range(len(row)), key=row.__getitem__) == best for row in readings)
        if agree and chances[best] >= SMALLEST[name]:
            yield replace(problem, answer=(best,))


def balanced(problems: Iterable[Problem]) -> list[Problem]:
    """As many masculine as feminine problems, the first of each; all others as they are."""
    groups: dict[str, list[Problem]] = {"masculine": [], "feminine": [], "": []}
    for problem in problems:
        gender = labels("pronouns").get(problem.pronoun.lower(), "")
        groups[gender if gender in groups else ""].append(problem)
    most = min(len(groups["masculine"]), len(groups["feminine"]))
    return [*groups["masculine"][:most], *groups["feminine"][:most], *groups[""]]


def write_problems(work: Path, items: Path) -> None:
    """Write all files of problems."""
    sets: list[tuple[str, Iterable[Problem]]] = [
        ("knowref", read_problems("knowref:train")),
        ("dpr", read_problems("dpr:train-small")),
        ("counterfactual", role_problems(1500)),
    ]
    for name in SMALLEST:
        sets.append((name, balanced(answered(name, items / f"{name}.jsonl"))))
    for name, problems in sets:
        _write(work / "problems" / f"{name}.jsonl", problems, "problem-jsonl")


def write_raw(work: Path, texts: Path) -> None:
    """The unlabelled texts of each folder, `RAW_PART` a file, as many files as the recipes use.

    READERS processes (environment, 2) tokenise.
    """
    counts = {name: count for name, count, _, _ in UNLABELLED}
    jobs = []
    with ProcessPoolExecutor(int(os.environ.get("READERS", "2"))) as pool:
        for name, count in counts.items():
            files = sorted((texts / name).iterdir())
            for number in range(count):
                part = files[number * RAW_PART : (number + 1) * RAW_PART]
                file = work / "raw" / f"{name}.{number}.jsonl"
                jobs.append(pool.submit(_write_texts, file, part))
        for job in jobs:
            job.result()


def _write_texts(file: Path, texts: Sequence[Path]) -> None:
    _write(file, (item for text in texts for item in formats.read(text)), "document-jsonl")


def _write(file: Path, items: Iterable[Document | Problem], format: str) -> None:
    if file.is_file():
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    few = trial_limit()
    chosen = list(islice(items, few) if few else items)
    part = file.with_suffix(".part")
    io.write_text(part, formats.write_lines(chosen, format))
    part.rename(file)
    print(f"{file}: {len(chosen):,}", flush=True)  # noqa: T201


def write_singles(work: Path, model: str) -> None:
    """Write the everyday texts with the single mentions that a model finds in them."""
    resolver = load(model, singletons=True, scheme="gum")
    texts = [d for d in formats.read(work / EVERYDAY) if isinstance(d, Document)]
    found = resolver.resolve_all(each.text for each in texts)
    pairs = zip(texts, found, strict=True)
    _write(work / SINGLES, (with_singles(*pair) for pair in pairs), "document-jsonl")


def with_singles(marked: Document, found: Document) -> Document:
    """A marked document with the entities of one mention of another one that are not marked."""
    known = {mention.spans for entity in marked.entities for mention in entity.mentions}
    single = [e for e in found.entities if len(e) == 1 and e.mentions[0].spans not in known]
    return replace(marked, entities=(*marked.entities, *(Entity(e.mentions) for e in single)))


def copy_corpora(work: Path) -> None:
    """Copy the corpora of the recipes, training and dev."""
    names = {name for row in (*LABELLED, *PARTLY) for name in row[0].split() if "/" not in name}
    names |= {"ontogum:dev", "gum:dev", "gap:validation", "craft:dev"}
    roots = {path for name in names for path in datasets.named_files(name)[1]}
    base = datasets.path("gap", "development").parent.parent
    for path in sorted(roots):
        target = work / "data" / path.relative_to(base)
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target) if path.is_file() else shutil.copytree(path, target)


def write_teacher(work: Path, name: str, to: str = "teacher") -> None:
    """Write an exported model as training writes one, so that it can teach another."""
    from coindex.models.common.artifact import METADATA, TOKENIZER, write_json
    from coindex.models.common.checkpoint import save_tensors
    from coindex.models.coref.dequantize import load_exported
    from coindex.models.coref.network import Shape
    from coindex.models.coref.start import read_start
    from coindex.models.coref.weights import WEIGHTS

    start, out = read_start(name), work / to
    shape = Shape(**{**start.trained["head"], "schemes": start.schemes})
    model, _ = load_exported(start.folder, shape)
    out.mkdir(parents=True, exist_ok=True)
    weights = {key: value.half() if value.is_floating_point() else value
               for key, value in model.state_dict().items()}  # fmt: skip
    save_tensors(out / WEIGHTS, weights)
    model.encoder.config.to_json_file(out / "config.json")
    shutil.copy(start.folder / TOKENIZER, out / TOKENIZER)
    write_json(out / METADATA, dict(start.trained))


def main() -> None:
    """Run the step that the arguments name."""
    match sys.argv[1:]:
        case [work, "generated"]:
            generate(Path(work))
        case [work, "problems", items]:
            write_problems(Path(work), Path(items))
        case [work, "raw", texts]:
            write_raw(Path(work), Path(texts))
        case [work, "teacher", name, *to]:
            write_teacher(Path(work), name, *to)
        case [work, "singles", model]:
            write_singles(Path(work), model)
        case [work, "corpora"]:
            copy_corpora(Path(work))
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
