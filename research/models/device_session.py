"""A training session on a machine that is available for minutes: folders, log lines, slices.

Environment:
    W     the folder with the data that was sent (default: ~/w)
    OUT   the folder whose files are copied back (default: W/returned)
    FEW   use only so many items of each set, for trials
"""

from __future__ import annotations

import os
import time
from pathlib import Path

SLICE = 15_900_000
"""The size of a slice in bytes: less than the limit of one returned file."""
SLICES_PER_CALL = 4
_STARTED = time.monotonic()


def work_folder() -> Path:
    """The folder with the data that was sent."""
    return Path(os.environ.get("W", str(Path.home() / "w")))


def out_folder() -> Path:
    """The folder whose files are copied back; it is created."""
    out = Path(os.environ.get("OUT", str(work_folder() / "returned")))
    out.mkdir(parents=True, exist_ok=True)
    return out


def trial_limit() -> int:
    """The number of items of each set in a trial; 0 for all."""
    return int(os.environ.get("FEW", "0"))


def elapsed() -> float:
    """Seconds since the process started."""
    return time.monotonic() - _STARTED


def log(text: str) -> None:
    """Print a line with the seconds since the start."""
    print(f"{elapsed():6.1f} {text}", flush=True)  # noqa: T201


def slices(content: bytes, first: int, size: int = SLICE) -> dict[int, bytes]:
    """At most `SLICES_PER_CALL` slices of a file, by number, beginning with number `first`."""
    count = -(-len(content) // size)
    numbers = range(first, min(first + SLICES_PER_CALL, count))
    return {number: content[number * size : (number + 1) * size] for number in numbers}


def write_slices(content: bytes, name: str, first: int) -> None:
    """Write slices to the returned folder as NAME.00, NAME.01 ...: one call returns no more."""
    out = out_folder()
    for number, part in slices(content, first).items():
        (out / f"{name}.{number:02d}").write_bytes(part)


def use_one_thread() -> None:
    """Use one CPU thread in this process and its children.

    MPNet computes positions on the CPU; many threads that wait for each other double the time.
    """
    import torch

    os.environ.setdefault("OMP_NUM_THREADS", "1")
    torch.set_num_threads(1)
