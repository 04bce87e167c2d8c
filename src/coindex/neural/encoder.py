"""The encoder, run by onnxruntime, one window at a time.

One window is one call: nothing is padded, and nothing that shares a call can change a
bit of what another gives. Several threads run several windows; the order and the company
of texts change nothing.

    inputs   pieces (1, n), places (words), shapes (words), scheme ()
    outputs  x (words, d), left and ends (words, h), start, end and attend (words)
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from coindex.errors import InputError

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

OUTPUTS = ("x", "left", "ends", "start", "end", "attend")


@dataclass(frozen=True, slots=True)
class Task:
    """One window: its pieces, where its words begin, and their shapes."""

    pieces: Ints
    places: Ints
    shapes: Ints


@dataclass(frozen=True, slots=True)
class Rows:
    """What the encoder says of each word of a window."""

    x: Floats
    left: Floats
    ends: Floats
    start: Floats
    end: Floats
    attend: Floats


class Encoder(Protocol):
    """Anything that turns windows into rows, in their order."""

    def run(self, tasks: Iterable[Task], scheme: int) -> Iterator[Rows]:
        """The rows of each window."""


class OnnxEncoder:
    """The network in `encoder.onnx`."""

    def __init__(self, file: Path, threads: int, batch: int | None = None) -> None:
        """Load the network; it runs on the CPU, `batch` windows ahead of what is asked for."""
        import onnxruntime

        if not file.is_file():
            raise InputError(f"{file}: expected an ONNX network, found no file")
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        try:
            self._session: Any = onnxruntime.InferenceSession(
                str(file), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # onnxruntime raises its own kinds, all of them Exceptions
            raise InputError(f"{file}: expected an ONNX network: {error}") from None
        self._threads = max(threads, 1)
        self._ahead = batch or 2 * self._threads

    def run(self, tasks: Iterable[Task], scheme: int) -> Iterator[Rows]:
        """The rows of each window; a few windows ahead of what is asked for."""
        number = np.array(scheme, dtype=np.int64)
        if self._threads == 1:
            yield from (self._one(task, number) for task in tasks)
            return
        with ThreadPoolExecutor(self._threads) as pool:
            ahead: deque[Future[Rows]] = deque()
            for task in tasks:
                ahead.append(pool.submit(self._one, task, number))
                if len(ahead) > self._ahead:
                    yield ahead.popleft().result()
            while ahead:
                yield ahead.popleft().result()

    def _one(self, task: Task, scheme: NDArray[np.int64]) -> Rows:
        inputs = {
            "pieces": task.pieces[None],
            "places": task.places,
            "shapes": task.shapes,
            "scheme": scheme,
        }
        return Rows(*self._session.run(OUTPUTS, inputs))
