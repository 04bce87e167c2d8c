"""Scores are computed in a process of their own, which ends when nobody waits for it."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator, Mapping
from threading import Event, Timer
from typing import Any

import pytest

from coindex.annotate.errors import ApiError
from coindex.integrations.service.answers import score_answer
from coindex.integrations.service.scoring_process import ScoringFailed, ScoringProcess
from coindex.integrations.service.service import Service
from coindex.integrations.service.settings import ServiceLimits, ServiceSettings

KEY = "#begin document (d);\nAnn (1)\nsaw -\nher (1)\n\n#end document\n"


def act(body: Mapping[str, Any]) -> dict[str, Any]:
    """Do as the body says, in place of a score."""
    if "sleep" in body:
        time.sleep(body["sleep"])
    if "refuse" in body:
        raise ApiError(422, "invalid", body["refuse"])
    if "bug" in body:
        raise ZeroDivisionError("secret words of a text")
    if "die" in body:
        os.kill(os.getpid(), signal.SIGKILL)
    return {"process": os.getpid()}


@pytest.fixture
def scoring() -> Iterator[ScoringProcess]:
    process = ScoringProcess(act)
    yield process
    process.close()


def test_scores_are_those_of_the_library() -> None:
    process, body = ScoringProcess(), {"key": KEY, "response": KEY}
    try:
        assert process.score(body, Event()) == score_answer(body)
    finally:
        process.close()


def test_one_process_answers_until_it_fails(scoring: ScoringProcess) -> None:
    first = scoring.score({}, Event())
    with pytest.raises(ApiError, match="no good"):
        scoring.score({"refuse": "no good"}, Event())
    with pytest.raises(ScoringFailed) as failed:
        scoring.score({"bug": 1}, Event())
    assert failed.value.at[0] == str(failed.value) == "ZeroDivisionError"
    assert failed.value.at[-1].endswith(" act")
    assert "secret" not in str(failed.value.at)
    assert scoring.score({}, Event()) == first
    with pytest.raises(ApiError, match="the scoring process ended") as ended:
        scoring.score({"die": 1}, Event())
    assert ended.value.status == 503
    assert scoring.score({}, Event()) != first


def test_a_score_that_nobody_waits_for_ends(scoring: ScoringProcess) -> None:
    first, stop = scoring.score({}, Event()), Event()
    Timer(0.2, stop.set).start()
    with pytest.raises(ApiError, match="nobody waits"):
        scoring.score({"sleep": 600}, stop)
    with pytest.raises(ProcessLookupError):
        os.kill(first["process"], 0)
    with pytest.raises(ApiError, match="nobody waits"):
        scoring.score({}, stop)
    assert scoring.score({}, Event()) != first


def test_a_score_that_takes_too_long_does_not_delay_the_next(
    monkeypatch: pytest.MonkeyPatch, scoring: ScoringProcess
) -> None:
    import asyncio

    from coindex.integrations.service.model_pool import ModelPool
    from service_samples import StubClusterer, stub_resolver

    limits = ServiceLimits(seconds=4)
    pool = ModelPool({"default": stub_resolver(StubClusterer())})
    service = Service(ServiceSettings(limits=limits), pool)
    service.start()
    monkeypatch.setattr(service, "_scoring", scoring)

    async def ask() -> None:
        with pytest.raises(ApiError, match="no answer within 4 seconds"):
            await service.score({"sleep": 600})
        assert "process" in await service.score({})
        with pytest.raises(ApiError, match="internal server error; it has been logged"):
            await service.score({"bug": 1})

    try:
        asyncio.run(ask())
    finally:
        service.close()
