"""The scores of a model card: `score.py MODEL dev|test [JSON]`.

LitBank's files in sorted order, every tenth from the eighth as dev and from the fourth as
test; OntoGUM (single mentions left out of key and response), GUM and GAP by their own
splits. CoNLL F1 as `coindex score` gives it; GAP by `coindex bench`, names found, clusters.
MODEL is a folder, `default` for the shipped one. Test is to be run once.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import coindex
from coindex.scoring.api import score
from coindex.training.config import Corpus
from coindex.training.read import read

SPLITS = {"dev": (7, "validation"), "test": (3, "test")}
METRICS = ("mentions", "muc", "b3", "ceafe", "conll")


def corpora(split: str) -> list[Corpus]:
    """The corpora of documents, each under the scheme of its name."""
    place = SPLITS[split][0]
    return [
        Corpus(("litbank:conll",), "litbank", True, 10, (place,)),
        Corpus((f"ontogum:{split}",), "ontogum", False),
        Corpus((f"gum:{split}",), "gum", True),
    ]


def documents(corpus: Corpus, model: str | None) -> dict[str, float]:
    """The scores on one corpus."""
    gold = list(read(corpus).documents)
    single = corpus.singletons
    resolver = coindex.load(model, scheme=corpus.scheme, singletons=single)
    found = [
        replace(answer, entities=tuple(e for e in answer.entities if single or len(e.mentions) > 1))
        for answer in resolver.resolve(gold)
    ]
    scores = score(gold, found, metrics=list(METRICS)).scores
    return {"documents": len(gold)} | {name: round(scores[name].f1, 2) for name in METRICS}


def gap(split: str, model: str | None) -> dict[str, object]:
    """GAP's figures with their intervals."""
    command = [
        "coindex", "bench", "gap", "--split", SPLITS[split][1], "--resolver", "neural", "--json",
        *(["--model", model] if model else []),
    ]  # fmt: skip
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    figures = json.loads(told)["benchmarks"][0]["systems"][0]["figures"]
    return {name: [round(v["value"], 2), *(round(x, 2) for x in v["interval"])]
            for name, v in figures.items()}  # fmt: skip


def main() -> None:
    """Print, and write if asked to."""
    name, split = sys.argv[1:3]
    model = None if name == "default" else name
    found: dict[str, object] = {c.scheme: documents(c, model) for c in corpora(split)}
    found["gap"] = gap(split, model)
    print(json.dumps(found, indent=1))  # noqa: T201
    if len(sys.argv) > 3:
        Path(sys.argv[3]).write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
