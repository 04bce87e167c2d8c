"""How fast the shipped pronoun model decides, against single passes of its own encoder.

`python perf/pronoun.py [MODEL]`: the shipped model, or an exported one that shares an
encoder, on two threads, on the dev sets of DPR and WinoBias. The baseline, in the same
run, on the same pieces and threads, is `encoder.onnx` of the same folder, a pass for each
row of pieces. An item has two candidates, hence two rows, and four where the model reads it
both ways round; adapters, scorer, word pieces and decisions are the rest.

Limits: at least 20 items a second; a row in the time of at most 1.75 passes. Exits with 1
if one is missed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path

import numpy as np
from _timing import in_turns

from coindex.assets import DEFAULT_MODEL
from coindex.errors import CoindexError
from coindex.models.common import encoders
from coindex.models.common.inference import onnx_session
from coindex.models.pronoun.candidate_rows import FilledPassage
from coindex.models.pronoun.infer import OnnxScorer
from coindex.models.pronoun.query import CandidateQuery, own_candidates
from coindex.models.pronoun.symmetric_scoring import switched_query
from coindex.models.pronoun.train.problems import read_problems
from coindex.resolvers import ResolverSettings
from coindex.resolvers.builtin import substitution
from coindex.types.problem import Problem

THREADS = 2
SETS = ("dpr:dev", "winobias:dev")
MOST = 300
"""So many items of each set."""
ITEMS, PASSES = 20.0, 1.75
REPEATS = 9


def problems() -> list[Problem]:
    """The beginnings of the dev sets."""
    return [each for name in SETS for each in islice(read_problems(name), MOST)]


def passes(
    folder: Path, rows: list[FilledPassage], pool: ThreadPoolExecutor
) -> Callable[[], object]:
    """One pass of the encoder over every row, when called."""
    network = onnx_session(folder / encoders.ENCODER_FILE)
    word, scheme = np.zeros(1, dtype=np.int64), np.array(0, dtype=np.int64)

    def one(row: FilledPassage) -> None:
        subwords = np.array([row.subwords], dtype=np.int64)
        network.run(["x"], {"pieces": subwords, "places": word, "shapes": word, "scheme": scheme})

    return lambda: list(pool.map(one, rows))


def _copy(asked: CandidateQuery, light: OnnxScorer) -> CandidateQuery | None:
    """The switched copy, which is also scored by a model with symmetric scoring."""
    return switched_query(asked) if light.symmetric else None


def main() -> int:
    default = Path(__file__).parents[2] / "shared" / "data"
    if default.is_dir():
        os.environ.setdefault("COINDEX_DATA", str(default))
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else DEFAULT_MODEL
    try:
        model = str(folder) if len(sys.argv) > 1 else None
        resolver = substitution.load(ResolverSettings(model=model, threads=THREADS))
        items = problems()
        light = OnnxScorer(folder, THREADS)
        every = [
            each for asked in own_candidates(items) for each in (asked, _copy(asked, light)) if each
        ]
        rows = [row for asked in every for row in light.rows(asked)]
    except CoindexError as error:
        print(f"skipped: {error}")
        return 0
    with ThreadPoolExecutor(THREADS) as pool:
        whole, alone = in_turns(
            lambda: list(resolver.decide(items)), passes(folder, rows, pool), repeats=REPEATS
        )
    rate, single = len(items) / whole, alone / len(rows)
    ratio = whole / len(rows) / single
    pieces = sum(map(len, rows)) / len(rows)
    print(f"{len(items)} items, {len(rows)} rows of {pieces:.0f} pieces, {THREADS} threads")
    print(f"{rate:,.0f} items/s   (limit {ITEMS:g})")
    print(f"{len(rows) / len(items):.2f} rows an item; a row takes {ratio:.2f} x one pass of the"
          f" encoder, {1000 * single:.2f} ms   (limit {PASSES:g})")  # fmt: skip
    return int(rate < ITEMS or ratio > PASSES)


if __name__ == "__main__":
    sys.exit(main())
