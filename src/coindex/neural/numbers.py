"""The few functions of a network that numpy lacks, and its matrix products on one thread."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

_P = np.float32(0.3275911)
_A = tuple(
    np.float32(a) for a in (0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429)
)


def gelu(x: Floats) -> Floats:
    """x times the normal distribution's share below x.

    The error function is Abramowitz and Stegun's 7.1.26, right to 1.5e-7.
    """
    z = np.abs(x) * np.float32(0.7071067811865476)
    t = 1 / (1 + _P * z)
    poly = ((((_A[4] * t + _A[3]) * t + _A[2]) * t + _A[1]) * t + _A[0]) * t
    tail = poly * np.exp(-z * z)
    found: Floats = x * np.where(x >= 0, 1 - tail / 2, tail / 2)
    return found


def layer_norm(x: Floats, weight: Floats, bias: Floats) -> Floats:
    """Each row with mean 0 and variance 1, then scaled and moved."""
    centred = x - x.mean(-1, keepdims=True)
    spread = np.sqrt((centred * centred).mean(-1, keepdims=True) + np.float32(1e-5))
    found: Floats = centred / spread * weight + bias
    return found


def sigmoid(x: Floats) -> Floats:
    """1 / (1 + e^-x), without overflow."""
    found: Floats = 0.5 * (1 + np.tanh(0.5 * x))
    return found


def one_thread() -> AbstractContextManager[Any]:
    """Products of small matrices on one thread, while it lasts.

    They gain nothing from more; threads that wait for work took ten times the time of the
    work itself where the processor had something else to do.
    """
    limits: AbstractContextManager[Any] = _libraries().limit(limits=1, user_api="blas")
    return limits


@lru_cache(maxsize=1)
def _libraries() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
