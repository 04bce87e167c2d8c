"""Range: the scores of a model on text that its training must not have seen.

    python -m research.models.score_range default --scheme ontogum --json FILE
    python -m research.models.score_range FOLDER --all-genres

CoNLL F1 in percent without entities of one mention, in key and response, on MEANTIME (all
documents), the mails (`email:train`) and CRAFT's dev split; their mean is the figure "out of
domain" of every table. Beside it, by genre, the documents of GUM's dev and test splits in the
OntoNotes scheme whose genre is held out.

A model that is scored here is trained with a recipe whose `without` is `WITHOUT`: none of these
corpora, none of these genres, and nothing that was generated from them. `recipe_without` writes
that line. The corpora are resolved under `--scheme`, by default the model's own; OntoGUM under
`ontogum` where the model knows it. Speakers that a document states are used as they are; where it
has none they are recognised in its text, as for users. MODEL is `default`, an exported folder or
one that training wrote (torch).
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import coindex
from coindex.errors import InputError
from coindex.models.coref.recipe import Corpus
from coindex.models.coref.train.corpora import read_corpus
from coindex.scoring.api import score

OUT_OF_DOMAIN = {"meantime": "meantime", "mails": "email:train", "craft": "craft:dev"}
"""The corpora of the mean, with their names in `coindex data`."""

GENRES = ("court", "news", "podcast", "whow")
"""The genres of GUM that are held out. Chosen for variety, among those with documents in train, dev
and test: hearings of a court (turns of few speakers, formal), news (names and nominals of informative
prose), podcasts (spontaneous speech) and how-to guides (the reader is addressed, generic nominals)."""

GENRE_FILES = ("ontogum:dev", "ontogum:test")
GENRE_SCHEME = "ontogum"
WITHOUT = ("meantime", "email", "craft", *(f"*/GUM_{genre}_*" for genre in GENRES))
"""The setting `without` of recipes whose models are scored here."""

METRICS = ("mentions", "muc", "b3", "ceafe", "conll")


@dataclass(frozen=True, slots=True)
class RangeScores:
    """The scores on one corpus or genre, in percent, without singletons."""

    documents: int
    words: int
    mention_recall: float
    mention_precision: float
    conll: float


def genre(document: coindex.Document) -> str:
    """The genre in the id of a document of GUM: `court` of `GUM_court_loan`."""
    return document.id.split("_")[1]


def read(*names: str) -> list[coindex.Document]:
    """The documents of corpora, in their order."""
    return list(read_corpus(Corpus(names)).documents)


def scores(gold: Sequence[coindex.Document], resolver: coindex.Resolver) -> RangeScores:
    """The scores of a resolver on documents."""
    predicted = resolver.resolve(gold)
    result = score(gold, predicted, metrics=list(METRICS), singletons="drop").scores
    mentions = result["mentions"]
    return RangeScores(
        len(gold), sum(map(len, gold)), round(mentions.recall or 0.0, 2),
        round(mentions.precision or 0.0, 2), round(result["conll"].f1, 2),
    )  # fmt: skip


def by_genre(
    gold: Sequence[coindex.Document], resolver: coindex.Resolver, genres: Sequence[str] | None
) -> dict[str, RangeScores]:
    """The scores on each of the genres; on all that there are if none are named."""
    names = sorted({genre(document) for document in gold}) if genres is None else genres
    return {name: scores([d for d in gold if genre(d) == name], resolver) for name in names}


def load(model: str | None, scheme: str | None, preferred: str | None = None) -> coindex.Resolver:
    """The resolver under the preferred scheme if it knows that one, else under `scheme`."""
    if preferred is not None:
        try:
            return coindex.load(model, scheme=preferred)
        except InputError:
            pass
    return coindex.load(model, scheme=scheme)


def mean(rows: Sequence[RangeScores]) -> float:
    """The mean CoNLL F1."""
    return round(sum(row.conll for row in rows) / len(rows), 2)


def measure(name: str, scheme: str | None, *, all_genres: bool = False) -> dict[str, object]:
    """Everything about one model, as plain values."""
    model = None if name == "default" else name
    resolver = load(model, scheme)
    domain = {label: scores(read(files), resolver) for label, files in OUT_OF_DOMAIN.items()}
    of_genres = load(model, scheme, GENRE_SCHEME)
    found = by_genre(read(*GENRE_FILES), of_genres, None if all_genres else GENRES)
    return {
        "model": name,
        "signature": resolver.signature,
        "out of domain": mean(list(domain.values())),
        "corpora": {label: asdict(row) for label, row in domain.items()},
        "genres signature": of_genres.signature,
        "held-out genres": mean([found[name] for name in GENRES]),
        "genres": {label: asdict(row) for label, row in found.items()},
    }


def table(found: dict[str, object]) -> str:
    """The scores as text."""
    lines = [str(found["signature"]), _line("", *(f.replace("_", " ") for f in _FIELDS))]
    for rows, total in (("corpora", "out of domain"), ("genres", "held-out genres")):
        each = found[rows]
        if not isinstance(each, dict):
            raise InputError(f"expected rows of {rows}, found {each!r}")
        for name, row in each.items():
            mark = "" if rows == "corpora" or name in GENRES else " (trained on)"
            lines.append(_line(name + mark, *(row[field] for field in _FIELDS)))
        lines.append(_line(f"mean, {total}", "", "", "", "", found[total]))
    return "\n".join(lines)


_FIELDS = ("documents", "words", "mention_recall", "mention_precision", "conll")


def _line(name: str, *cells: object) -> str:
    shown = (f"{cell:.2f}" if isinstance(cell, float) else str(cell) for cell in cells)
    return f"{name:<24}" + "".join(f"{cell:>19}" for cell in shown)


def recipe_without() -> str:
    """The line of a recipe that keeps all this out of training."""
    return f"without = {json.dumps(list(WITHOUT))}"


def main(arguments: Sequence[str]) -> int:
    """Print the table, and write JSON if a file is named."""
    parser = argparse.ArgumentParser(prog="python -m research.models.score_range")
    parser.add_argument("model", help="default, or a model's folder")
    parser.add_argument("--scheme", help="for MEANTIME, mails and CRAFT; by default the model's")
    parser.add_argument("--all-genres", action="store_true", help="also those that are trained on")
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args(arguments)
    found = measure(options.model, options.scheme, all_genres=options.all_genres)
    sys.stdout.write(table(found) + "\n")
    if options.json:
        Path(options.json).write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
