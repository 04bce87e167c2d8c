"""An exported substitution model, run by onnxruntime: no torch.

One row of pieces is one call: nothing is padded, and what is asked together changes no
score. Several threads work on several problems; the order of answers stays.

    inputs   pieces (rows, n), own (rows, n)     output  score (rows)
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from coindex.data.verify import sha256
from coindex.errors import InputError
from coindex.pronoun.asked import Asked
from coindex.pronoun.package import LIGHT, NETWORK, facts_of
from coindex.pronoun.pieces import Tokens
from coindex.pronoun.rows import item
from coindex.pronoun.shipped import ENCODER
from coindex.pronoun.slot import Filled

FORMAT = 1


class Light:
    """The network of a folder, ready to score."""

    def __init__(self, folder: Path, threads: int) -> None:
        """Load it; it runs on the CPU."""
        facts = facts_of(folder, "substitution", LIGHT)
        if facts.get("format") != FORMAT:
            raise InputError(
                f"{folder / LIGHT}: expected a model of format {FORMAT}, found {facts.get('format')}"
            )
        for name, wanted in ((NETWORK, facts["network"]), (ENCODER, facts["encoder"])):
            _same(folder / name, wanted)
        self.window, self.cut = int(facts["window"]), facts.get("neither")
        self.both = bool(facts.get("both"))
        self.tokens = Tokens(str(folder))
        self._session = session(folder / NETWORK)
        self._threads = max(threads, 1)

    def scores(self, asked: Iterable[Asked]) -> Iterator[list[float]]:
        """The score of each phrase of each problem, in their order."""
        if self._threads == 1:
            yield from map(self._one, asked)
            return
        with ThreadPoolExecutor(self._threads) as pool:
            ahead: deque[Future[list[float]]] = deque()
            for each in asked:
                ahead.append(pool.submit(self._one, each))
                if len(ahead) > 4 * self._threads:
                    yield ahead.popleft().result()
            while ahead:
                yield ahead.popleft().result()

    def rows(self, asked: Asked) -> tuple[Filled, ...]:
        """What the network reads of a problem: a row for each phrase."""
        return item(asked, self.tokens, self.window).rows

    def score(self, row: Filled) -> float:
        """The score of one row."""
        own = np.zeros((1, len(row)), dtype=np.float32)
        own[0, row.start : row.end] = 1
        pieces = np.array([row.pieces], dtype=np.int64)
        (found,) = self._session.run(["score"], {"pieces": pieces, "own": own})
        return float(found[0])

    def _one(self, asked: Asked) -> list[float]:
        return [self.score(row) for row in self.rows(asked)]


def session(file: Path) -> Any:
    """A network ready to run, each call on one thread."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    try:
        return onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime raises its own kinds, all of them Exceptions
        raise InputError(f"{file}: expected an ONNX network: {error}") from None


def _same(file: Path, wanted: str | None) -> None:
    """Raise an error unless a file is the one that the model was written with.

    The network points at bytes of the encoder by their places; in another encoder other
    things are there, and nothing else would notice.
    """
    if wanted is None:
        return
    if not file.is_file():
        raise InputError(f"{file.parent}: expected {file.name} of an exported model, found none")
    found = sha256(file)
    if found != wanted:
        raise InputError(f"{file}: expected sha256 {wanted[:16]}, found {found[:16]}: export again")
