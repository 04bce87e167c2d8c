"""Where mentions and entities begin, for each scheme of an exported model, chosen on dev.

A logit of 0 is where a span is as likely a mention as not, which is not where CoNLL F1
is highest: one scheme counts single mentions, another drops them. So every pair of cuts
on a grid is tried with the exported model itself, on the dev corpora of its scheme (the
mean of them, CoNLL F1 for documents and F1 for problems), and the best pair is written
into `model.json`. Schemes without a dev corpus keep 0.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np

from coindex.core.document import Document
from coindex.errors import InputError
from coindex.neural.links import Block, compared, joined
from coindex.neural.load import engine
from coindex.neural.mentions import Found
from coindex.neural.numbers import one_thread
from coindex.neural.package import Scheme
from coindex.neural.resolve import Engine, resolved
from coindex.scoring.api import score
from coindex.training.config import Corpus, Recipe
from coindex.training.examples import Clue, passage
from coindex.training.read import read

MENTION = (-1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0)
LINK = (0.0, 0.5, 1.0, 1.5, 2.0, 2.5)

Say = Callable[[str], None]
Pair = tuple[float, float]


def tune(folder: Path, recipe: Recipe, threads: int = 2, say: Say | None = None) -> dict[str, Any]:
    """Choose the cuts of each scheme and write them; the scores before and after by scheme."""
    if not recipe.dev:
        raise InputError(f"{folder}: the recipe has no [[dev]] corpora to choose cuts on")
    model = engine(folder, threads)
    found: dict[str, Any] = {}
    for scheme in model.facts.schemes:
        corpora = [c for c in recipe.dev if scheme.name in _names(c)]
        if not corpora:
            continue
        grids = [_grid(model, scheme, corpus) for corpus in corpora]
        best = max(grids[0], key=lambda pair: (mean(g[pair] for g in grids), -abs(pair[0])))
        found[scheme.name] = {
            "cut_mention": best[0], "cut_link": best[1],
            "dev": {", ".join(c.files): {"before": grid[0.0, 0.0], "after": grid[best]}
                    for c, grid in zip(corpora, grids, strict=True)},
        }  # fmt: skip
        if say:
            say(f"{scheme.name}: {found[scheme.name]}")
    _write(folder / "model.json", found)
    return found


def _names(corpus: Corpus) -> list[str]:
    return [name.strip() for name in corpus.scheme.split(",")]


def _grid(model: Engine, scheme: Scheme, corpus: Corpus) -> dict[Pair, float]:
    """The score of every pair of cuts on one corpus."""
    content = read(corpus)
    clues: list[Clue] = []
    documents = list(content.documents)
    if corpus.partial:
        known = [made for made in map(passage, content.problems) if made is not None]
        documents, clues = [document for document, _ in known], [clue for _, clue in known]
    asked = replace(scheme, singletons=corpus.singletons, cut_mention=MENTION[0])
    found = list(model.found(documents, asked))
    grid: dict[Pair, float] = {}
    for mention in MENTION:
        with one_thread():
            asking = [_asked(model, document, every, mention) for document, every in found]
        for cut in LINK:
            answers = [
                resolved(document, some, joined(some.spans, blocks, cut), asked)
                for document, some, blocks in asking
            ]
            grid[mention, cut] = round(_score(answers, documents, clues), 3)
    return grid


def _asked(
    model: Engine, document: Document, every: Found, cut: float
) -> tuple[Document, Found, list[Block]]:
    """The mentions above a cut and the scores of their antecedents, which no cut of links changes."""
    kept = np.nonzero(every.logits > cut)[0]
    some = Found(every.spans.take(kept), every.logits[kept], every.vectors[kept])
    return document, some, list(compared(some, model.facts, model.head))


def _score(answers: list[Document], documents: list[Document], clues: list[Clue]) -> float:
    if not clues:
        return score(documents, answers, metrics=["conll"]).scores["conll"].f1
    right = wrong = missed = 0
    for answer, clue in zip(answers, clues, strict=True):
        own: set[tuple[int, int]] = set()
        for entity in answer.entities:
            spans = {(mention.start, mention.end) for mention in entity.mentions}
            if clue.pronoun in spans:
                own = spans
        hit = any(span in own for span in clue.right)
        right += hit
        missed += bool(clue.right) and not hit
        wrong += any(span in own for span in clue.wrong)
    return 200 * right / max(2 * right + wrong + missed, 1)


def _write(file: Path, found: dict[str, Any]) -> None:
    facts = json.loads(file.read_text(encoding="utf-8"))
    for scheme in facts["schemes"]:
        chosen = found.get(scheme["name"], {})
        scheme.update({key: chosen[key] for key in ("cut_mention", "cut_link") if key in chosen})
    facts["tuned"] = found
    file.write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
