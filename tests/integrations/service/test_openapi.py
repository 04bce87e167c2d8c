"""The description: valid, its examples answered, and no generated request finds a server error."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from coindex.integrations.service.openapi import API

jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")


@pytest.fixture(scope="module")
def described(client: Any) -> dict[str, Any]:
    told: dict[str, Any] = client.get("/openapi.json").json()
    return told


def checked(described: dict[str, Any], schema: Any, value: Any) -> None:
    """That a value fits a schema of the description."""
    whole = {**schema, "components": described["components"]}
    jsonschema.Draft202012Validator(whole).validate(value)


def test_every_route_is_described(described: dict[str, Any], client: Any) -> None:
    paths = {(path, method) for path, each in described["paths"].items() for method in each}
    assert paths == {(route.path, route.method.lower()) for route in API}
    names = [
        each["operationId"] for methods in described["paths"].values() for each in methods.values()
    ]
    assert len(set(names)) == len(names)
    assert client.get(described["externalDocs"]["url"]).status_code == 200
    page = client.get("/docs").text
    for route in API:
        assert f"{route.method} {route.path}" in page
        assert (route.handler.__doc__ or "").strip().split("\n")[0] in page


@pytest.mark.parametrize("route", API, ids=lambda route: route.path)
def test_examples_fit_and_are_answered(route: Any, described: dict[str, Any], client: Any) -> None:
    operation = described["paths"][route.path][route.method.lower()]
    ok = operation["responses"]["200"]["content"][route.answer_type]["schema"]
    if route.method == "GET":
        assert client.get(route.path).status_code == 200
        return
    content = operation["requestBody"]["content"][route.media_type]
    assert content["examples"]
    for example in content["examples"].values():
        checked(described, content["schema"], example["value"])
        value = example["value"]
        body = value if isinstance(value, str) else json.dumps(value)
        response = client.post(route.path, content=body, headers={"content-type": route.media_type})
        assert response.status_code == 200, response.text
        is_json = response.headers["content-type"] == "application/json"
        checked(described, ok, response.json() if is_json else response.text)


def test_schemathesis_finds_no_server_error(client: Any, described: dict[str, Any]) -> None:
    """Generated values for every operation; what is answered fits the description."""
    schemathesis = pytest.importorskip("schemathesis", reason="schemathesis is not installed")
    known = copy.deepcopy(described)  # schemathesis cannot write JSON lines: as plain text
    body = known["paths"]["/v1/batch"]["post"]["requestBody"]
    body["content"] = {"text/plain": body["content"]["application/x-ndjson"]}
    schema = schemathesis.openapi.from_dict(known)
    seen: dict[str, set[int]] = {}
    for result in schema.get_all_operations():
        operation = result.ok()
        seen[operation.path] = _tried(operation, client, described)
    assert set(seen) == set(described["paths"])
    assert all(200 in codes for codes in seen.values() if codes), seen
    assert all(seen[path] for path in ("/v1/resolve", "/v1/score"))


def _tried(operation: Any, client: Any, described: dict[str, Any]) -> set[int]:
    seen: set[int] = set()
    responses = described["paths"][operation.path][operation.method.lower()]["responses"]

    @given(case=operation.as_strategy())
    @settings(
        max_examples=60, deadline=None, suppress_health_check=list(HealthCheck), database=None
    )
    def check(case: Any) -> None:
        body = case.body if isinstance(case.body, bytes | str) else _json(case.body)
        if body is None:
            return
        lines = case.media_type == "text/plain"
        kind = {"content-type": "application/x-ndjson" if lines else case.media_type or ""}
        response = client.request(case.method, case.formatted_path, content=body, headers=kind)
        code = response.status_code
        assert code < 500, response.text
        assert str(code) in responses, response.text
        seen.add(code)
        if response.headers["content-type"] == "application/json":
            content = responses[str(code)]["content"]["application/json"]
            checked(described, content["schema"], response.json())

    check()
    return seen


def _json(body: Any) -> bytes | None:
    """A body as JSON; None if it cannot be written as such."""
    try:
        return json.dumps(body).encode()
    except (TypeError, ValueError):
        return b""


@pytest.mark.parametrize("path", ["/v1/resolve", "/v1/score", "/v1/batch"])
def test_values_of_wrong_types_are_refused_with_4xx(client: Any, path: str) -> None:
    odd: list[Any] = [None, True, -1, 2**70, 1.5, "", "x" * 300, [], [[]], {}, {"a": {}}]
    names = ["text", "documents", "content", "form", "model", "scheme", "key", "response", "match"]
    kind = "application/x-ndjson" if path == "/v1/batch" else "application/json"
    for name in names:
        for value in odd:
            for more in ({}, {"text": "a"}, {"key": "a", "response": "b"}):
                content = json.dumps({**more, name: value})
                response = client.post(path, content=content, headers={"content-type": kind})
                assert response.status_code < 500, (content, response.text)
                if response.status_code >= 400:
                    assert "\n" not in response.json()["error"]["message"]
