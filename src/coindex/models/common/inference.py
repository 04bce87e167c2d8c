"""The few functions of a network that numpy lacks, and its matrix products on one thread."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import lru_cache, partial
from pathlib import Path
from threading import Lock
from typing import Any, NoReturn, TypeVar

import numpy as np
from numpy.typing import NDArray

from coindex.errors import InputError
from coindex.models.common.device import CPU, onnx_providers

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
    result: Floats = x * np.where(x >= 0, 1 - tail / 2, tail / 2)
    return result


def layer_norm(x: Floats, weight: Floats, bias: Floats) -> Floats:
    """Each row with mean 0 and variance 1, then scaled and moved."""
    centred = x - x.mean(-1, keepdims=True)
    spread = np.sqrt((centred * centred).mean(-1, keepdims=True) + np.float32(1e-5))
    result: Floats = centred / spread * weight + bias
    return result


def sigmoid(x: Floats) -> Floats:
    """1 / (1 + e^-x), without overflow."""
    result: Floats = 0.5 * (1 + np.tanh(0.5 * x))
    return result


class _ProcessLimit:
    """One thread for the libraries whose number of threads belongs to the process, not to a thread.

    The first of several threads that enter sets it, and the last one that leaves restores it.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._users = 0
        self._limiter: Any = None

    def enter(self) -> None:
        with self._lock:
            if self._users == 0:
                self._limiter = _libraries()[0].limit(limits=1, user_api="blas")
            self._users += 1

    def leave(self) -> None:
        from threadpoolctl import OpenBLASController

        with self._lock:
            self._users -= 1
            if self._users == 0:  # threadpoolctl ignores other threads than the one that entered
                OpenBLASController.clear_controlling_thread(force=True)
                self._limiter.restore_original_limits()
                OpenBLASController.clear_controlling_thread()


_PROCESS_LIMIT = _ProcessLimit()


@contextmanager
def one_thread() -> Iterator[None]:
    """Products of small matrices on one thread, while it lasts; safe in several threads.

    They gain nothing from more; threads that wait for work took ten times the time of the
    work itself where the processor had something else to do.
    """
    _PROCESS_LIMIT.enter()
    try:
        with _libraries()[1].limit(limits=1, user_api="blas"):
            yield
    finally:
        _PROCESS_LIMIT.leave()


@lru_cache(maxsize=1)
def _libraries() -> tuple[Any, Any]:
    """The libraries that are limited by process, and those that are limited by thread."""
    from threadpoolctl import ThreadpoolController

    every = ThreadpoolController()
    own = [each["filepath"] for each in every.info() if each.get("threading_layer") != "pthreads"]
    return every.select(threading_layer="pthreads"), every.select(filepath=own)


Item = TypeVar("Item")
Result = TypeVar("Result")


def onnx_session(
    file: Path, tensors: Mapping[str, NDArray[Any]] | None = None, device: str = CPU
) -> Any:
    """A session of ONNX Runtime; each call runs on one thread of the CPU, or on a GPU.

    tensors   the values of external tensors that are not in files (see `packed_weights`)
    """
    import onnxruntime

    providers = onnx_providers(onnxruntime.get_available_providers(), device)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # Planning which tensors share memory takes half a second at loading, since it grows with the
    # square of the nodes; the arena gives freed memory to later tensors anyway.
    options.enable_mem_reuse = device != CPU
    try:
        values = {
            name: onnxruntime.OrtValue.ortvalue_from_numpy(value)
            for name, value in (tensors or {}).items()
        }
        options.add_external_initializers(list(values), list(values.values()))
        session: Any = onnxruntime.InferenceSession(str(file), options, providers=providers)
        session.external_tensors = values  # it uses their memory and does not own it
    except Exception as error:  # onnxruntime raises its own kinds, all of them Exceptions
        raise InputError(f"{file}: expected an ONNX network: {error}") from None
    if device != CPU:  # ONNX Runtime falls back to the CPU without an error
        onnx_providers(session.get_providers(), device)
    return session


def map_in_order(
    function: Callable[[Item], Result],
    items: Iterable[Item],
    threads: int,
    ahead: int,
    size: Callable[[Item], int] = lambda item: 1,
) -> Iterator[Result]:
    """The results of a function on items, in their order, computed by several threads.

    An error, also one of the iterator of items, is raised after the results before it. Calls that
    have not begun are dropped when the results are no longer consumed.

    ahead   the total size of the items that are taken before the first result is consumed
    size    of an item; by default each counts as 1
    """
    if threads == 1:
        yield from map(function, items)
        return
    pool = ThreadPoolExecutor(threads)
    try:
        waiting: deque[tuple[int, Future[Result]]] = deque()
        taken = 0
        for own, call in _calls(function, items, size):
            waiting.append((own, pool.submit(call)))
            taken += own
            while taken > ahead:
                first, future = waiting.popleft()
                taken -= first
                yield future.result()
        while waiting:
            yield waiting.popleft()[1].result()
    finally:
        pool.shutdown(cancel_futures=True)


def _calls(
    function: Callable[[Item], Result], items: Iterable[Item], size: Callable[[Item], int]
) -> Iterator[tuple[int, Callable[[], Result]]]:
    """The size and a call of each item, and a call that raises what ended the items, if anything."""
    try:
        for item in items:
            yield size(item), partial(function, item)
    except Exception as error:
        yield 1, partial(_raise, error)


def _raise(error: Exception) -> NoReturn:
    raise error
