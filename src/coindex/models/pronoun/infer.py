"""Scoring of phrases by a masked-lm or substitution model: by torch, or exported, by ONNX Runtime.

In ONNX Runtime one call reads one row of subwords: nothing is padded, so that other problems
cannot change a score. Several threads score several problems; results are in their order.

    inputs   pieces (rows, n), own (rows, n)     output  score (rows)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from coindex.errors import InputError
from coindex.models.common.artifact import METADATA, ONNX_METADATA, check_file, digest
from coindex.models.common.device import torch_device
from coindex.models.common.encoders import ENCODER_FILE
from coindex.models.common.inference import map_in_order, onnx_session
from coindex.models.common.packed_weights import shared_tensors
from coindex.models.common.subwords import TextTokenizer
from coindex.models.pronoun.artifact import NETWORK, is_exported, read_metadata
from coindex.models.pronoun.candidate_rows import FilledPassage, make_batch, problem_rows
from coindex.models.pronoun.query import CandidateQuery
from coindex.models.pronoun.symmetric_scoring import PhraseScorer, symmetric

if TYPE_CHECKING:
    from coindex.models.pronoun.weights import Model

FORMAT = 1
BATCH = 16
"""How many problems torch scores at once."""


@dataclass(frozen=True, slots=True)
class PronounScorer:
    """A model that is ready to score.

    threshold   the score below which none of the phrases is chosen, if there is one
    digest      a short checksum of the model, for signatures
    """

    score: PhraseScorer
    threshold: float | None
    digest: str


def load_scorer(folder: Path, kind: str, threads: int, device: str = "cpu") -> PronounScorer:
    """The model of a folder, exported or as training wrote it."""
    if is_exported(folder, kind):
        onnx = OnnxScorer(folder, threads, device)
        score: PhraseScorer = onnx.scores
        if onnx.symmetric:
            score = symmetric(score, names=onnx.names)
        return PronounScorer(score, onnx.threshold, digest(folder / ONNX_METADATA))
    from coindex.models.pronoun.weights import load_model

    metadata = read_metadata(folder, kind)
    recipe = metadata["recipe"]
    model = load_model(folder, kind).to(torch_device(device))
    score = partial(score_phrases, model, window=int(recipe["window"]))
    return PronounScorer(
        symmetric(score, names=bool(recipe.get("names"))) if recipe.get("both") else score,
        metadata.get("neither"),
        digest(folder / METADATA),
    )


def score_phrases(
    model: Model, queries: Iterable[CandidateQuery], window: int
) -> Iterator[list[float]]:
    """The score by torch of each phrase of each problem, in their order."""
    import torch

    model.eval()
    device = next(model.parameters()).device
    rest = iter(queries)
    while batch := list(islice(rest, BATCH)):
        rows = [problem_rows(query, model.tokenizer, window) for query in batch]
        flat: list[float] = []
        if any(each.rows for each in rows):
            cuda = device.type == "cuda"
            with torch.no_grad(), torch.autocast(device.type, torch.bfloat16, enabled=cuda):
                flat = model.scores(make_batch(rows, model.tokenizer.pad, device)).tolist()
        at = 0
        for each in rows:
            yield flat[at : at + len(each.rows)]
            at += len(each.rows)


class OnnxScorer:
    """The exported substitution model of a folder."""

    def __init__(self, folder: Path, threads: int, device: str = "cpu") -> None:
        """Load and check it."""
        metadata = read_metadata(folder, "substitution", ONNX_METADATA)
        if metadata.get("format") != FORMAT:
            raise InputError(
                f"{folder / ONNX_METADATA}: expected a model of format {FORMAT},"
                f" found {metadata.get('format')}"
            )
        check_file(folder / NETWORK, metadata["network"])
        check_file(folder / ENCODER_FILE, metadata["encoder"])
        self.window, self.threshold = int(metadata["window"]), metadata.get("neither")
        self.symmetric, self.names = bool(metadata.get("both")), bool(metadata.get("names"))
        self.tokenizer = TextTokenizer(str(folder))
        self._session = onnx_session(folder / NETWORK, shared_tensors(folder, metadata), device)
        self._threads = max(threads, 1)

    def scores(self, queries: Iterable[CandidateQuery]) -> Iterator[list[float]]:
        """The score of each phrase of each problem, in their order."""
        return map_in_order(
            lambda query: [self.score(row) for row in self.rows(query)],
            queries, self._threads, 4 * self._threads,
        )  # fmt: skip

    def rows(self, query: CandidateQuery) -> tuple[FilledPassage, ...]:
        """The inputs of the network for a problem: one row for each phrase."""
        return problem_rows(query, self.tokenizer, self.window).rows

    def score(self, row: FilledPassage) -> float:
        """The score of one row."""
        own = np.zeros((1, len(row)), dtype=np.float32)
        own[0, row.start : row.end] = 1
        subwords = np.array([row.subwords], dtype=np.int64)
        (scores,) = self._session.run(["score"], {"pieces": subwords, "own": own})
        return float(scores[0])
