"""The API as described: OpenAPI covers all routes, and random requests find no server error."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from annotate_web import World, problem
from coindex.annotate.store.database import Database
from coindex.annotate.web.api import ROUTES, openapi_description


def test_every_route_is_described_with_its_rule() -> None:
    told = openapi_description(ROUTES)
    count = sum(len(methods) for methods in told["paths"].values())
    assert count == len(ROUTES)
    names = [each["operationId"] for methods in told["paths"].values() for each in methods.values()]
    assert len(set(names)) == len(names)
    for route in ROUTES:
        assert route.summary
        assert route.handler.__doc__
        assert (route.body is None and not route.upload) or route.method not in ("GET", "DELETE")


@pytest.fixture(scope="module")
def world(shared: Database) -> World:
    made = World(shared)
    made.fill(2)
    made.fill(1, "training")
    made.bring([problem("p-1")], project=made.problems)
    for project in (made.project, made.problems):
        made["annotator"].post(f"/api/projects/{project}/next")
    return made


ODD: list[Any] = [
    None,
    True,
    0,
    -1,
    2**63,
    1.5,
    "",
    "x" * 300,
    "\0",
    "\ud800",
    "é🙂",
    [],
    [[]],
    {},
    {"a": {}},
]


def odd_body(chance: random.Random, schema: Any) -> Any:
    """A body that half fits."""
    if chance.random() < 0.1:
        return chance.choice(ODD)
    if schema.get("type") == "object" and "properties" in schema:
        return {
            name: odd_body(chance, each)
            for name, each in schema["properties"].items()
            if chance.random() < 0.9
        }
    if "enum" in schema:
        return chance.choice(schema["enum"])
    if schema.get("type") == "array":
        return [odd_body(chance, schema["items"]) for _ in range(chance.randint(0, 3))]
    if schema.get("type") == "integer":
        return chance.choice([schema.get("minimum", 0), 1, 2, schema.get("maximum", 9)])
    return chance.choice([*ODD, "mention.add", "name", "text"])


@pytest.mark.parametrize("who", ["annotator", "manager", "administrator"])
def test_random_requests_find_no_server_error(world: World, who: str) -> None:
    chance = random.Random(who)
    client = world[who]
    for _ in range(400):
        route = chance.choice(
            [r for r in ROUTES if "logout" not in r.path and "rank" not in r.path]
        )
        path = route.path
        for name in ("project", "document", "sheet", "user", "token"):
            value = chance.choice(["1", "2", "3", "77"])
            path = path.replace("{" + name + ":int}", value).replace("{" + name + "}", value)
        query = {
            name: str(
                chance.choice([*schema.get("enum", ()), "1", "", "x", "99999999999999999999"])
            )
            for name, schema in route.query.items()
            if chance.random() < 0.5
        }
        body = odd_body(chance, route.body) if route.body else None
        if route.path in ("/api/me/password",) or "users" in route.path:
            body = {"x": body}  # nobody's account is to change under the others
        answer = _send(client, route.method, path, query, body)
        assert answer is None or answer.status_code < 500, (
            route.method,
            path,
            query,
            body,
            answer.text,
        )


def _send(client: Any, method: str, path: str, query: Any, body: Any) -> Any:
    try:
        return client.ask(method, path, body, params=query)
    except (UnicodeEncodeError, ValueError):
        return None  # the client itself cannot write this


def test_schemathesis_finds_no_server_error(database: Database) -> None:
    """Every operation, with generated values, as an administrator with a token, on both databases."""
    schemathesis = pytest.importorskip("schemathesis", reason="schemathesis is not installed")
    fresh = World(database)
    fresh.fill(2)
    fresh["administrator"].post(f"/api/projects/{fresh.project}/next")
    secret = fresh["administrator"].post("/api/me/tokens", {"name": "t"})["token"]
    client = fresh.anybody()
    schema = schemathesis.openapi.from_dict(openapi_description(ROUTES))
    tested = done = 0
    for result in schema.get_all_operations():
        operation = result.ok()
        if any(part in operation.path for part in ("suggest", "/rank", "/tokens/")):
            continue  # these start processes, or end our own token
        codes = _tried(operation, client, secret)
        for path in ("/state", "/documents/state"):  # restore what has been deleted
            body = {"state": "active", **({"documents": [1, 2]} if "doc" in path else {})}
            fresh["administrator"].post(f"/api/projects/{fresh.project}{path}", body)
        tested += bool(codes)
        done += bool(codes & {200, 202})
    assert tested > 40
    assert done > 30  # not all were refused


def _tried(operation: Any, client: Any, secret: str) -> set[int]:
    """The statuses that an operation answers; none may be an error of the server."""
    seen: set[int] = set()

    @given(case=operation.as_strategy())
    @settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck), database=None)
    def check(case: Any) -> None:
        answer = _case(client, case, secret)
        if answer is not None:
            assert answer.status_code < 500, answer.text
            seen.add(answer.status_code)

    check()
    return seen


def _case(client: Any, case: Any, secret: str) -> Any:
    for name, value in (case.path_parameters or {}).items():  # mostly what is there
        if isinstance(value, int) and value % 4:
            case.path_parameters[name] = 1
    body = case.body if isinstance(case.body, dict | list | str | int | float | None) else None
    more: dict[str, Any] = {"content": case.body} if isinstance(case.body, bytes) else {}
    query = {name: str(value) for name, value in (case.query or {}).items()}
    headers = {"Authorization": f"Bearer {secret}"}
    try:
        return client.ask(
            case.method,
            case.formatted_path,
            None if more else body,
            params=query,
            headers=headers,
            **more,
        )
    except (UnicodeEncodeError, ValueError, TypeError):
        return None  # the client itself cannot write this
