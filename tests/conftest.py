"""What all tests share: the folder of real corpora, or a visible skip."""

from __future__ import annotations

import os
import signal
from asyncio import events
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Time is measured in perf/, not here. Locally each run tries other inputs; in CI they are
# the same each time, so that a failure there is about the change at hand.
settings.register_profile(
    "coindex",
    deadline=None,
    derandomize=bool(os.environ.get("CI")),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
settings.load_profile("coindex")

pytest_plugins = ["browser_fixtures", "model_fixtures"]

# A shell script's background job ignores Ctrl-C, and so would every process that a test starts and interrupts.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

ROOT = Path(__file__).resolve().parent.parent

SLOW = (
    "annotate/", "browser/", "docs/", "golden/", "packaging/", "research/", "active/test_networks",
    "active/test_pages", "builders/test_build", "builders/test_golden_names", "builders/test_memory",
    "cli/test_active", "cli/test_bench", "cli/test_build", "cli/test_commands", "cli/test_completion", "cli/test_doctor", "cli/test_export", "cli/test_narrow",
    "cli/test_resolve", "cli/test_score", "cli/test_spans", "cli/test_train", "contract/test_entry",
    "evaluate/test_real", "formats/test_document_fuzz", "integrations/", "models/coref/test_inference",
    "models/coref/test_trainer", "models/coref/test_shipped", "models/coref/test_step", "models/mention_pair/test_real",
    "models/pronoun/test_", "resolvers/test_binding", "resolvers/test_contract", "resolvers/test_parses",
    "resolvers/test_resolver",
)  # fmt: skip
"""Tests that train, start servers, browsers or other processes, or take longer than 15 seconds."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what `scripts/test fast` leaves out; skip soak runs outside of `scripts/test full`."""
    for item in items:
        if item.get_closest_marker("full") and not os.environ.get("COINDEX_FULL"):
            item.add_marker(pytest.mark.skip(reason="long: run by scripts/test full"))
        path = item.path.relative_to(ROOT / "tests").as_posix()
        if path.startswith(SLOW):
            item.add_marker(pytest.mark.slow)


@pytest.fixture(autouse=True)
def no_event_loop(request: pytest.FixtureRequest) -> Iterator[None]:
    """No event loop runs while a test that uses no browser does.

    The loop of playwright runs on in this thread once a browser was started, so whether
    `asyncio.run` worked would depend on the tests before.
    """
    running = events._get_running_loop()
    if running is None or "browsers" in request.fixturenames:
        yield
        return
    events._set_running_loop(None)
    try:
        yield
    finally:
        events._set_running_loop(running)


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real corpora."""
    folder = Path(os.environ.get("COINDEX_DATA") or ROOT.parent / "shared" / "data")
    if not (folder / "README.md").is_file():
        pytest.skip(f"no corpora in {folder.name!r}: set COINDEX_DATA to their folder")
    return folder
