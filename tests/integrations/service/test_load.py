"""64 clients for a minute: every answer right, none lost, memory that does not grow."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from service_samples import running

pytestmark = pytest.mark.full


def test_sixty_four_clients_for_a_minute(tmp_path: Path) -> None:
    perf: Any = import_module("perf.serve")
    expected: dict[str, bytes] = {}
    with running(tmp_path) as service:
        perf.load(service.port, 64, 15, expected)
        before = service.memory()
        taken = perf.load(service.port, 64, 45, expected)
        assert len(taken) > 64
        assert service.memory() - before < 64 << 20
        assert service.ask("GET", "/health")[1]["running"] == 0
        statuses = {row["status"] for row in service.events() if row["event"] == "request"}
        assert statuses == {200}
        assert service.stop() == 0
