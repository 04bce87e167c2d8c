"""The service in the same process, with the shipped model or with a stub."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from service_samples import StubClusterer, stub_resolver

testclient = pytest.importorskip("starlette.testclient", reason="needs coindex[serve] and httpx2")
pytest.importorskip("prometheus_client", reason="needs prometheus-client: coindex[serve]")

from coindex.integrations.service.app import create_app  # noqa: E402
from coindex.integrations.service.model_pool import ModelPool  # noqa: E402
from coindex.integrations.service.service import Service  # noqa: E402
from coindex.integrations.service.settings import ServiceSettings  # noqa: E402

Make = Callable[..., Any]


@pytest.fixture(scope="session")
def pool() -> ModelPool:
    """The shipped model, under two names."""
    settings = ServiceSettings((("default", None), ("other", None)), threads=2)
    return ModelPool.load(settings)


@pytest.fixture(scope="session")
def client(pool: ModelPool) -> Iterator[Any]:
    """A client of a service with the shipped model and the default limits."""
    service = Service(ServiceSettings(), pool)
    with testclient.TestClient(create_app(service), raise_server_exceptions=False) as made:
        yield made


@pytest.fixture
def stub() -> Iterator[StubClusterer]:
    made = StubClusterer()
    yield made
    made.gate.set()


@pytest.fixture
def make(stub: StubClusterer) -> Iterator[Make]:
    """Makes clients of services with a stub, under settings of their own."""
    with ExitStack() as stack:

        def made(**settings: Any) -> Any:
            service = Service(ServiceSettings(**settings), ModelPool({"stub": stub_resolver(stub)}))
            client = testclient.TestClient(create_app(service), raise_server_exceptions=False)
            stack.callback(stub.gate.set)
            stack.enter_context(client)
            client.service = service
            return client

        yield made
        stub.gate.set()
