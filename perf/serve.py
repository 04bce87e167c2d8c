"""`coindex serve` under load: times as ratios to a lone request, and what processes share.

    python perf/serve.py [--clients 64] [--seconds 20] [--workers 2]

A real service is started. First one client sends requests one after the other; then many clients
do, each waiting for its answer before it sends the next one. Reported are the 95th percentile and
the median as ratios to the lone client's median, and requests per second as a ratio to its rate:
what batching and several threads gain. Every answer must equal that of the lone client.

Then the memory of services with one and with several processes: the proportional set size of all
of their processes together counts a page that n of them share as 1/n, so that it shows what the
machine really needs.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import threading
import time
from http.client import HTTPConnection
from importlib import import_module
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

_samples: Any = import_module("service_samples")

TEXTS = [
    "Alice told Bob that she had seen his dog.",
    "Clara Whitfield, who runs the museum, wrote to her brother Tom. He answered her at once.",
    "The committee met on Monday. It decided that its chair should write to them. " * 3,
]


def percentile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)]


class SimulatedClient(threading.Thread):
    """Sends requests until the time is over, each after the answer to the one before."""

    def __init__(self, port: int, until: float, expected: dict[str, bytes]) -> None:
        super().__init__()
        self.port, self.until, self.expected = port, until, expected
        self.taken: list[float] = []
        self.wrong: list[str] = []

    def run(self) -> None:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=120)
        number = 0
        while time.perf_counter() < self.until:
            text = TEXTS[number % len(TEXTS)]
            number += 1
            start = time.perf_counter()
            body = json.dumps({"text": text})
            connection.request("POST", "/v1/resolve", body, {"content-type": "application/json"})
            answer = connection.getresponse()
            content = answer.read()
            self.taken.append(time.perf_counter() - start)
            if answer.status != 200 or self.expected.setdefault(text, content) != content:
                self.wrong.append(f"{answer.status} {content[:200]!r}")
        connection.close()


def load(port: int, clients: int, seconds: float, expected: dict[str, bytes]) -> list[float]:
    """The times of all requests of so many clients."""
    until = time.perf_counter() + seconds
    threads = [SimulatedClient(port, until, expected) for _ in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    wrong = [each for thread in threads for each in thread.wrong]
    if wrong:
        raise SystemExit(f"{len(wrong)} wrong answers, such as {wrong[0]}")
    return [each for thread in threads for each in thread.taken]


def memory(process: int) -> dict[str, int]:
    """Megabytes of a process and those it has forked: resident, proportional, and private."""
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    total = {"Rss": 0, "Pss": 0, "Private_Dirty": 0}
    for each in (str(process), *children):
        for line in Path(f"/proc/{each}/smaps_rollup").read_text().splitlines():
            name, _, value = line.partition(":")
            if name in total:
                total[name] += int(value.split()[0])
    return {name: value // 1024 for name, value in total.items()}


def measured_memory(workers: int) -> dict[str, int]:
    """The memory of a service with so many processes, after each has answered."""
    with tempfile.TemporaryDirectory() as folder:
        options = ("--workers", str(workers), "--threads", "1")
        with _samples.running(Path(folder), *options) as service:
            load(service.port, 4 * workers, 3, {})
            return memory(service.process.pid)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    expected: dict[str, bytes] = {}
    with tempfile.TemporaryDirectory() as folder, _samples.running(Path(folder)) as service:
        load(service.port, 1, 1, expected)  # warm
        lone = load(service.port, 1, given.seconds / 4, expected)
        many = load(service.port, given.clients, given.seconds, expected)
        lone += load(service.port, 1, given.seconds / 4, expected)
        peak = service.memory() >> 20
    median = statistics.median(lone)
    print(f"one client: median {1000 * median:.1f} ms, p95 {1000 * percentile(lone, 0.95):.1f} ms,"
          f" {len(lone)} requests")  # fmt: skip
    rates = len(many) / given.seconds, len(lone) / (given.seconds / 2)
    print(f"{given.clients} clients: median {statistics.median(many) / median:.1f} and p95"
          f" {percentile(many, 0.95) / median:.1f} times the lone median,"
          f" {rates[0] / rates[1]:.2f} times its requests per second, {len(many)} requests,"
          f" peak memory {peak} MB")  # fmt: skip
    for workers in (1, given.workers):
        used = measured_memory(workers)
        print(f"{workers} process(es): {used['Rss']} MB resident in all, {used['Pss']} MB"
              f" proportional, {used['Private_Dirty']} MB private")  # fmt: skip


if __name__ == "__main__":
    main()
