"""What the service counts, in the text format of Prometheus.

With several processes each writes its counts to files in the folder that the environment variable
`PROMETHEUS_MULTIPROC_DIR` names, and any of them answers for all. The library looks at that
variable when it is imported, so it is imported in functions only.
"""

from __future__ import annotations

import os

FOLDER = "PROMETHEUS_MULTIPROC_DIR"
MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"

_SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
_SIZES = (1, 2, 4, 8, 16, 32, 64)


class Measurements:
    """The counters of one process."""

    def __init__(self) -> None:
        from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

        self._registry = CollectorRegistry()
        registry = self._registry
        self.requests = Counter(
            "coindex_requests", "Requests that were answered", ["path", "status"], registry=registry
        )
        self.seconds = Histogram(
            "coindex_request_seconds", "Time to the end of the answer", ["path"],
            buckets=_SECONDS, registry=registry,
        )  # fmt: skip
        self.documents = Counter(
            "coindex_documents", "Documents that were resolved", registry=registry
        )
        self.tokens = Counter("coindex_tokens", "Tokens of these documents", registry=registry)
        self.streams = Histogram(
            "coindex_stream_documents", "Documents that were resolved in one stream",
            buckets=_SIZES, registry=registry,
        )  # fmt: skip
        self.running = Gauge(
            "coindex_requests_running", "Requests that are answered or wait",
            multiprocess_mode="livesum", registry=registry,
        )  # fmt: skip

    def text(self) -> bytes:
        """All counts; those of all processes where there are several."""
        from prometheus_client import CollectorRegistry, generate_latest
        from prometheus_client.multiprocess import MultiProcessCollector

        if not os.environ.get(FOLDER):
            return generate_latest(self._registry)
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        return generate_latest(registry)


def forget_process(process: int) -> None:
    """Remove the gauges of a process that ended from the counts of all."""
    from prometheus_client.multiprocess import mark_process_dead

    mark_process_dead(process)  # type: ignore[no-untyped-call]
