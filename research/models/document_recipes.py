"""The recipes of the document models of version 0.2, for `coref_device`.

    full    all corpora that may be used, and what was generated from them
    home    the same with half as much again of LitBank, OntoGUM and GUM
    range   without MEANTIME, the mails, CRAFT, four genres of GUM, and all that was made of them:
            its scores on those are its range
    full-first, range-first       a smaller encoder, without a teacher
    home-student, range-student   the same taught by large models, also on unlabelled text
    base-open, small-open   the recipes of `coindex train coref` of these names

A row of `LABELLED` is files, scheme and the share of them per epoch. Files that begin with `gen/`
or `problems/` lie in the work folder; the commands that made them stand in
`research/models/README.md`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from coindex.models.common.recipe import parse_toml
from coindex.models.coref.recipe import SHIPPED
from research.models.score_range import WITHOUT

OPEN = ("base-open", "small-open")
NAMES = ("full", "home", "range", "full-first", "full-student", "home-student", "range-first",
         "range-student", *OPEN)  # fmt: skip
SCHEMES = ("litbank", "ontogum", "gum", "fantasy", "preco", "phrase-detectives", "quizbowl",
           "general", "craft", "email", "meantime")  # fmt: skip
NO_SINGLETONS = frozenset({"ontogum", "craft", "general"})
PARTIAL = "litbank,ontogum,gum,general"
FICTION = {"every": 10, "except": [3, 7]}

LABELLED = (
    ("litbank:conll", "litbank", 1.0),
    ("litbank:conll", "general", 0.1),
    ("ontogum:train", "ontogum", 1.0),
    ("gum:train", "gum", 1.0),
    ("gum:train", "general", 0.4),
    ("fantasycoref:dev fantasycoref:test", "fantasy", 1.0),
    ("fantasycoref:dev fantasycoref:test", "general", 0.2),
    ("ezcoref:preco", "preco", 1.0),
    ("ezcoref:phrase-detectives", "phrase-detectives", 1.0),
    ("ezcoref:quizbowl", "quizbowl", 1.0),
    ("ezcoref:preco ezcoref:phrase-detectives ezcoref:quizbowl", "general", 1.0),
    ("craft:train", "craft", 0.3),
    ("email:train", "email", 1.0),
    ("email:train", "general", 0.5),
    ("meantime", "meantime", 1.0),
    ("meantime", "general", 1.0),
    ("gen/dialogues.jsonl", "general", 0.35),
    ("gen/dialogues.jsonl", "gum", 0.15),
    ("gen/dialogues-excerpts.jsonl", "general", 0.15),
    ("gen/mails.jsonl", "email", 0.3),
    ("gen/mails.jsonl", "general", 0.3),
    ("gen/roles-gum.jsonl", "general", 1.0),
    ("gen/roles-meantime.jsonl", "general", 1.0),
    ("gen/cataphora-gum.jsonl", "general", 1.0),
    ("gen/cataphora-ontogum.jsonl", "ontogum", 0.5),
    ("gen/cataphora-litbank.jsonl", "litbank", 0.5),
    ("gen/pronouns-gum.jsonl", "general", 0.25),
    ("gen/pronouns-ontogum.jsonl", "ontogum", 0.1),
    ("gen/pronouns-litbank.jsonl", "litbank", 0.1),
    ("gen/genders-gum.jsonl", "general", 0.25),
    ("gen/genders-ontogum.jsonl", "ontogum", 0.15),
    ("gen/genders-litbank.jsonl", "litbank", 0.15),
    ("gen/genders-fantasy.jsonl", "fantasy", 0.2),
    ("gen/names-gum.jsonl", "general", 0.15),
    ("gen/names-ontogum.jsonl", "ontogum", 0.1),
    ("gen/names-litbank.jsonl", "litbank", 0.1),
    ("gen/surface-gum.jsonl", "general", 0.15),
    ("gen/surface-ontogum.jsonl", "ontogum", 0.05),
    ("gen/excerpts-gum.jsonl", "general", 0.15),
    ("gen/excerpts-ontogum.jsonl", "ontogum", 0.05),
    ("gen/excerpts-litbank.jsonl", "litbank", 0.1),
    ("gen/excerpts-email.jsonl", "general", 0.5),
    ("gen/excerpts-meantime.jsonl", "general", 0.5),
    ("gen/surface-excerpts-gum.jsonl", "general", 0.1),
    ("gen/genders-excerpts-gum.jsonl", "general", 0.1),
    ("gen/everyday.jsonl", "general", 1.0),
    ("gen/singles-everyday.jsonl", "gum", 0.7),
    ("gen/names-everyday.jsonl", "general", 0.4),
    ("gen/genders-everyday.jsonl", "general", 0.4),
)
AT_HOME = (
    ("litbank:conll", "litbank", 0.5),
    ("ontogum:train", "ontogum", 0.5),
    ("gum:train", "gum", 0.5),
)
"""What the recipe `home` has besides."""
PARTLY = (
    ("redocred:dev", 0.4),
    ("gen/roles-redocred.jsonl", 0.5),
    ("gap:development", 0.8),
    ("problems/knowref.jsonl", 0.4),
    ("problems/dpr.jsonl", 1.0),
    ("problems/names.jsonl", 0.25),
    ("problems/mixed.jsonl", 0.2),
    ("problems/nouns.jsonl", 0.4),
    ("problems/counterfactual.jsonl", 0.5),
)
"""Problems, and documents of which only links are known."""
RAW_PART = 2000
"""Texts of a file of unlabelled text (`session_data raw`); files are read in parallel."""
UNLABELLED = (
    ("wiki", 4, ("ontogum", "general"), 0.09),
    ("articles", 4, ("general", "gum", "general", "ontogum"), 0.12),
    ("short", 8, ("general", "general", "general", "ontogum"), 0.12),
    ("fiction", 1, ("litbank",), 0.2),
    ("fiction", 1, ("general",), 0.04),
    ("speeches", 1, ("general",), 0.06),
    ("speeches", 1, ("gum",), 0.06),
    ("handbook", 1, ("general",), 0.15),
    ("handbook", 1, ("ontogum",), 0.1),
)
"""Folder, how many files of `RAW_PART` texts, their schemes in turn, and the share per epoch."""


def document_recipe(name: str, work: Path) -> dict[str, Any]:
    """The values of a recipe, with the folders of a machine."""
    if name in OPEN:
        return _open_recipe(name, work)
    kind, _, student = name.partition("-")
    labelled = (*LABELLED, *AT_HOME) if kind == "home" else LABELLED
    values: dict[str, Any] = {
        "encoder": str(work / ("gte-small" if student else "mpnet")),
        "epochs": 400, "seed": 1, "words": 3200, "longest": 3000, "check": 400,
        "encoder_rate": 1.5e-4 if student else 5e-5, "head_rate": 6e-4 if student else 4e-4,
        "hidden": 256 if student else 512, "span": 256 if student else 384,
        "schemes": list(SCHEMES), "plain": "general", "single": "gum",
        "train": [*_labelled(labelled, work), *_partial(work)], "dev": list(_dev(work)),
    }  # fmt: skip
    if student == "student":
        values["train"] += _unlabelled(work)
        values |= {"teacher": str(work / f"teacher-{kind}"), "teacher_weight": 0.5}
    if kind == "range":
        values["without"] = list(WITHOUT)
    return values


def _paths(files: str, work: Path) -> list[str]:
    return [str(work / each) if "/" in each else each for each in files.split()]


def _labelled(rows: Iterable[tuple[str, str, float]], work: Path) -> Iterator[dict[str, Any]]:
    for files, scheme, share in rows:
        row: dict[str, Any] = {
            "files": _paths(files, work), "scheme": scheme, "share": share,
            "singletons": scheme not in NO_SINGLETONS,
        }  # fmt: skip
        yield row | (FICTION if files == "litbank:conll" else {})


def _partial(work: Path) -> Iterator[dict[str, Any]]:
    for files, share in PARTLY:
        yield {
            "files": _paths(files, work), "scheme": PARTIAL, "share": share, "partial": True,
        }  # fmt: skip


def _unlabelled(work: Path) -> Iterator[dict[str, Any]]:
    for folder, count, schemes, share in UNLABELLED:
        for number in range(count):
            yield {
                "files": [str(work / "raw" / f"{folder}.{number}.jsonl")],
                "scheme": schemes[number % len(schemes)], "unlabelled": True, "share": share,
            }  # fmt: skip


def _dev(work: Path) -> Iterator[dict[str, Any]]:
    yield {"files": ["litbank:conll"], "scheme": "litbank", "every": 10, "only": [7]}
    yield {"files": ["ontogum:dev"], "scheme": "ontogum", "singletons": False}
    yield {"files": ["gum:dev"], "scheme": "gum"}
    yield {"files": ["gap:validation"], "scheme": "ontogum,general", "partial": True}
    everyday = str(work / "gen" / "everyday.dev.jsonl")
    yield {"files": [everyday], "scheme": "general", "singletons": False}


def _open_recipe(name: str, work: Path) -> dict[str, Any]:
    """A shipped recipe, with the encoders and texts of a machine in the place of names."""
    file = SHIPPED / f"{name}.toml"
    values = dict(parse_toml(file.read_text(encoding="utf-8"), str(file)))
    values["encoder"] = str(work / ("mpnet" if name == "base-open" else "minilm"))
    if "teacher" in values:
        values["teacher"] = str(work / "out-base-open")
    texts = {"WIKIPEDIA": "wiki", "FICTION": "fiction"}
    for row in values["train"]:
        row["files"] = [f for each in row["files"] for f in _texts(texts.get(each), each, work)]
    return values


def _texts(folder: str | None, name: str, work: Path) -> list[str]:
    counts = {row[0]: row[1] for row in UNLABELLED}
    if folder is None:
        return [name]
    return [str(work / "raw" / f"{folder}.{n}.jsonl") for n in range(counts[folder])]
