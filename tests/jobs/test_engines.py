"""Engines: all results, in order if that is asked for, whatever happens to the workers."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from coindex.errors import InputError, UnknownName
from coindex.jobs.engine_choice import Engine
from coindex.jobs.engines import WorkerDied, check_reachable, run_tasks

TWO = Engine("local", 2)


@pytest.mark.parametrize("scheme", ["", "ray://"])
def test_an_address_without_a_cluster_is_told_at_once(scheme: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = f"{scheme}127.0.0.1:{listener.getsockname()[1]}"
        check_reachable(address)
    with pytest.raises(InputError, match=f"^{address}: expected a running Ray cluster"):
        check_reachable(address)
    for name in ("local", "auto"):
        check_reachable(name)
    with pytest.raises(InputError, match="expected a running Ray cluster"):
        check_reachable("127.0.0.1:99999")


def square(number: int) -> int:
    return number * number


def fail(number: int) -> int:
    raise InputError(f"{number}: no")


def die_once(path: str) -> str:
    """Kill the worker the first time that this task is given."""
    mark = Path(path)
    if mark.suffix == ".deadly" and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return mark.stem


def die(number: int) -> int:
    if number == 5:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


@pytest.mark.parametrize("engine", [Engine(), TWO])
def test_every_task_has_its_result_in_order(engine: Engine) -> None:
    found = list(run_tasks(square, range(50), engine, ordered=True))
    assert found == [(n, n * n) for n in range(50)]
    assert sorted(run_tasks(square, range(50), engine)) == found


def test_tasks_are_taken_as_fast_as_they_are_processed() -> None:
    taken = 0

    def tasks() -> Iterator[int]:
        nonlocal taken
        for number in range(40):
            taken += 1
            yield number

    for done, _ in enumerate(run_tasks(square, tasks(), TWO, ordered=True, window=5), 1):
        assert taken <= done + 5
    assert taken == 40


def test_the_error_of_a_task_is_raised_as_it_is() -> None:
    with pytest.raises(InputError, match="3: no"):
        list(run_tasks(fail, [3], TWO))


@pytest.mark.slow
def test_the_death_of_a_worker_is_survived(tmp_path: Path) -> None:
    names = [str(tmp_path / f"{n}.{'deadly' if n == 7 else 'mild'}") for n in range(12)]
    found = list(run_tasks(die_once, names, TWO, ordered=True))
    assert [result for _, result in found] == [str(n) for n in range(12)]


@pytest.mark.slow
def test_a_task_that_no_worker_survives_is_named() -> None:
    found = dict(run_tasks(die, range(10), TWO, on_death=lambda number: -number))
    assert found == {n: -n if n == 5 else n for n in range(10)}
    with pytest.raises(WorkerDied, match="ended unexpectedly, 3 times"):
        list(run_tasks(die, range(10), TWO))


def test_engines_have_names() -> None:
    with pytest.raises(UnknownName, match="unknown engine 'cloud'"):
        Engine("cloud")


class FakeRay:
    """What `run_tasks` asks of Ray; it runs a task when its result is waited for."""

    class exceptions:
        WorkerCrashedError = OutOfMemoryError = RayTaskError = LookupError

    def __init__(self) -> None:
        self.settings: dict[str, object] = {}

    def is_initialized(self) -> bool:
        return False

    def init(self, **settings: object) -> None:
        self.settings = settings

    def remote(self, **settings: object) -> Any:
        return lambda function: SimpleNamespace(remote=lambda task: (function, task))

    def wait(self, references: list[Any], num_returns: int) -> tuple[list[Any], list[Any]]:
        return references[:1], references[1:]

    def get(self, reference: Any) -> Any:
        function, task = reference
        return function(task)

    def shutdown(self) -> None:
        self.settings["ended"] = True


@pytest.mark.parametrize(
    ("address", "environment", "expected"),
    [
        (None, "", {"address": "local", "num_cpus": 2}),
        ("10.0.0.1:6379", "", {"address": "10.0.0.1:6379", "num_cpus": None}),
        (None, "10.0.0.2:6379", {"address": "10.0.0.2:6379", "num_cpus": None}),
    ],
)
def test_without_an_address_ray_starts_and_joins_no_cluster_that_it_finds(
    monkeypatch: pytest.MonkeyPatch,
    address: str | None,
    environment: str,
    expected: dict[str, object],
) -> None:
    fake = FakeRay()
    monkeypatch.setattr("coindex.jobs.engines.import_extra", lambda module, extra: fake)
    monkeypatch.setenv("RAY_ADDRESS", environment)
    found = list(run_tasks(square, range(4), Engine("ray", 2, address), ordered=True))
    assert found == [(n, n * n) for n in range(4)]
    assert fake.settings == expected | {"log_to_driver": False, "ended": True}
