"""The scores of a model card: `python -m research.models.score_coref MODEL dev|test [JSON]`.

LitBank: the files in sorted order, of every ten the eighth is dev and the fourth test. OntoGUM
(entities of one mention are left out of key and response), GUM and GAP have their own splits.
Documents have CoNLL F1 as of `coindex score`; GAP is scored by `coindex bench` with found
candidates. MODEL is a folder, or `default` for the shipped one. Test is run once.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import coindex
from coindex.models.coref.recipe import Corpus
from coindex.models.coref.train.corpora import read_corpus
from coindex.scoring.api import score

SPLITS = {"dev": (7, "validation"), "test": (3, "test")}
METRICS = ("mentions", "muc", "b3", "ceafe", "conll")


def corpora(split: str) -> list[Corpus]:
    """The corpora of documents, each with the scheme of its name."""
    fold = SPLITS[split][0]
    return [
        Corpus(("litbank:conll",), "litbank", True, 10, (fold,)),
        Corpus((f"ontogum:{split}",), "ontogum", False),
        Corpus((f"gum:{split}",), "gum", True),
    ]


def documents(corpus: Corpus, model: str | None) -> dict[str, float]:
    """The scores on one corpus."""
    gold = list(read_corpus(corpus).documents)
    single = corpus.singletons
    resolver = coindex.load(model, scheme=corpus.scheme, singletons=single)
    predicted = [
        replace(answer, entities=tuple(e for e in answer.entities if single or len(e.mentions) > 1))
        for answer in resolver.resolve(gold)
    ]
    scores = score(gold, predicted, metrics=list(METRICS)).scores
    return {"documents": len(gold)} | {name: round(scores[name].f1, 2) for name in METRICS}


def gap(split: str, model: str | None) -> dict[str, object]:
    """The figures of GAP with their confidence intervals."""
    command = [
        "coindex", "bench", "gap", "--split", SPLITS[split][1], "--resolver", "neural", "--json",
        *(["--model", model] if model else []),
    ]  # fmt: skip
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    figures = json.loads(output)["benchmarks"][0]["systems"][0]["figures"]
    return {name: [round(v["value"], 2), *(round(x, 2) for x in v["interval"])]
            for name, v in figures.items()}  # fmt: skip


def main() -> None:
    """Print the scores, and write them to a file if one is named."""
    name, split = sys.argv[1:3]
    model = None if name == "default" else name
    found: dict[str, object] = {c.scheme: documents(c, model) for c in corpora(split)}
    found["gap"] = gap(split, model)
    print(json.dumps(found, indent=1))  # noqa: T201
    if len(sys.argv) > 3:
        Path(sys.argv[3]).write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
