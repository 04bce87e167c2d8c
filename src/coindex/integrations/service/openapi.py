"""The description of the API: OpenAPI for programs, and the same as a page for people."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from coindex import __version__
from coindex.integrations.service import routes
from coindex.integrations.service.batch_lines import MEDIA_TYPES
from coindex.integrations.service.service import Service
from coindex.report.html_text import escape

TEXT = "Alice told Bob that she had seen his dog."
LINES = (
    '{"id": "a", "text": "Alice told Bob that she had seen his dog.", "form": "replaced"}\n'
    '{"text": 7}\n'
)
KEY = "#begin document (d);\nAnn (1)\nsaw -\nher (1)\ndog (2)\n\n#end document\n"
RESPONSE = "#begin document (d);\nAnn (1)\nsaw -\nher (1)\ndog -\n\n#end document\n"
ERRORS = {
    400: "not JSON, or not UTF-8", 401: "no token, or one that is not known",
    408: "the body took too long", 413: "too large: the body, a text, or too many documents",
    415: "not of this type", 422: "not valid: the message says what was expected where",
    429: "too many requests at the same time; see Retry-After",
    503: "no answer in time, or the service is stopping; see Retry-After",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class RouteDescription:
    """A route, what it is described by, and whether it needs a token where there are tokens."""

    method: str
    path: str
    handler: routes.Handler
    summary: str
    token: bool = False
    media_type: str = routes.JSON
    examples: Mapping[str, Any] = field(default_factory=dict)
    answer: str = "Answer"
    answer_type: str = routes.JSON


API = (
    RouteDescription(
        "POST", "/v1/resolve", routes.resolve, "Resolve one text, several, or documents", True,
        examples={
            "text": {"text": TEXT},
            "replaced": {"text": TEXT, "form": ["replaced", "brackets"], "singletons": True},
            "documents": {"documents": [{"id": "a", "text": TEXT}, {"text": "It rained."}]},
            "conll": {"content": KEY, "format": "conll2012", "form": "conll2012"},
        }, answer="Resolved",
    ),
    RouteDescription(
        "POST", "/v1/batch", routes.batch, "Resolve JSON lines, streaming", True, MEDIA_TYPES[0],
        {"lines": LINES}, "Lines", MEDIA_TYPES[0],
    ),
    RouteDescription(
        "POST", "/v1/score", routes.score, "Score a response against a key", True,
        examples={"conll": {"key": KEY, "response": RESPONSE, "metrics": "muc,b3"}},
        answer="Scores",
    ),
    RouteDescription("GET", "/v1/models", routes.models, "The models, forms and limits"),
    RouteDescription("GET", "/health", routes.health, "Whether the service answers"),
    RouteDescription(
        "GET", "/metrics", routes.metrics, "Counts and times, for Prometheus", True,
        answer="Text", answer_type="text/plain",
    ),
)  # fmt: skip

_STRING: dict[str, Any] = {"type": "string"}
_SCHEMAS: dict[str, Any] = {
    "Error": {
        "type": "object", "required": ["error"],
        "properties": {"error": {
            "type": "object", "required": ["code", "message"],
            "properties": {"code": _STRING, "message": _STRING, "retry_after": {"type": "integer"}},
        }},
    },
    "Answer": {"type": "object"},
    "Text": _STRING,
    "Lines": {**_STRING, "description": 'one object per line: `line` (its number), `status`, and'
                                        ' `result` as of /v1/resolve, or `error`'},
    "Resolved": {
        "type": "object", "required": ["model", "signature", "documents"],
        "properties": {
            "model": _STRING, "signature": _STRING,
            "documents": {"type": "array", "items": {"$ref": "#/components/schemas/Document"}},
            "outputs": {"type": "object", "additionalProperties": _STRING,
                        "description": "all documents in each document format of `form`"},
            "notes": {"type": "array", "items": _STRING,
                      "description": "what these formats cannot store"},
        },
    },
    "Document": {
        "type": "object", "required": ["id"],
        "description": "Offsets count code points of the text; ends are excluded.",
        "properties": {
            "id": _STRING, "part": {"type": "integer"}, "text": _STRING, "brackets": _STRING,
            "replaced": _STRING, "html": _STRING,
            "turns": {"type": "array", "items": {"type": "object"}},
            "entities": {"type": "array", "items": {"$ref": "#/components/schemas/Entity"}},
        },
    },
    "Entity": {
        "type": "object", "required": ["number", "name", "mentions"],
        "properties": {
            "number": {"type": "integer"}, "name": {"type": ["string", "null"]},
            "confidence": {"type": "number"},
            "mentions": {"type": "array", "items": {
                "type": "object", "required": ["text", "start", "end", "kind"],
                "properties": {
                    "text": _STRING, "kind": {"type": ["string", "null"]},
                    **{name: {"type": "integer"}
                       for name in ("start", "end", "token_start", "token_end")},
                    **{name: {"type": "number"} for name in ("confidence", "link")},
                    "why": _STRING,
                },
            }},
        },
    },
    "Scores": {
        "type": "object", "required": ["signature", "systems", "notes"],
        "properties": {"signature": _STRING, "systems": {"type": "array"},
                       "notes": {"type": "array", "items": _STRING}},
    },
}  # fmt: skip


def openapi_description(service: Service) -> dict[str, Any]:
    """The OpenAPI description, with the models and formats of this service."""
    bodies = {
        "/v1/resolve": service.schemas.resolve,
        "/v1/batch": {**_STRING, "description": "one object per line, as of /v1/resolve"},
        "/v1/score": service.schemas.score,
    }
    paths = {
        route.path: {route.method.lower(): _operation(route, bodies.get(route.path))}
        for route in API
    }
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "coindex",
            "version": __version__,
            "summary": "English coreference: who is who in a text",
        },
        "externalDocs": {"description": "This description as a page", "url": "/docs"},
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": _SCHEMAS,
        },
    }


def _operation(route: RouteDescription, body: Mapping[str, Any] | None) -> dict[str, Any]:
    error = {routes.JSON: {"schema": {"$ref": "#/components/schemas/Error"}}}
    codes = [*ERRORS] if body is not None else [401, 503] if route.token else [503]
    answer = {route.answer_type: {"schema": {"$ref": f"#/components/schemas/{route.answer}"}}}
    operation: dict[str, Any] = {
        "summary": route.summary,
        "description": (route.handler.__doc__ or "").strip(),
        "operationId": route.path.strip("/").replace("/", "_"),
        "responses": {
            "200": {"description": "done", "content": answer},
            **{str(code): {"description": ERRORS[code], "content": error} for code in codes},
        },
        "security": [{"token": []}, {}] if route.token else [],
    }
    if body is not None:
        examples = {name: {"value": value} for name, value in route.examples.items()}
        content = {route.media_type: {"schema": dict(body), "examples": examples}}
        operation["requestBody"] = {"required": True, "content": content}
    return operation


def docs_page(service: Service) -> str:
    """The description as a page without scripts."""
    described = openapi_description(service)
    sections = "\n".join(_section(route, described) for route in API)
    rows = "".join(f"<tr><th scope=row>{code}<td>{escape(why)}" for code, why in ERRORS.items())
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>API · coindex</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="static/playground.css">
</head>
<body class="docs">
<header><h1><a href="./">co<i>index</i></a></h1><p class="quiet">version {__version__}</p></header>
<main>
<h2>API</h2>
<p>For programs: <a href="openapi.json">openapi.json</a>. Bodies and answers are JSON in UTF-8.
Offsets count code points, and ends are excluded.</p>
{sections}
<section aria-labelledby="errors"><h3 id="errors">Errors</h3>
<p>An error is <code>{{"error": {{"code": …, "message": …}}}}</code>, with a message of one line.</p>
<table><tbody>{rows}</tbody></table></section>
</main>
</body>
</html>
"""


def _section(route: RouteDescription, described: Mapping[str, Any]) -> str:
    name = route.path.strip("/").replace("/", "-")
    operation = described["paths"][route.path][route.method.lower()]
    parts = [
        f'<section aria-labelledby="{name}"><h3 id="{name}"><code>{route.method} {route.path}</code>'
        f"</h3><p>{escape(operation['description'])}</p>"
    ]
    schema = operation.get("requestBody", {}).get("content", {}).get(route.media_type, {})
    properties = schema.get("schema", {}).get("properties", {})
    if properties:
        rows = "".join(
            f"<tr><th scope=row><code>{name}</code><td>{_meaning(each)}"
            for name, each in properties.items()
        )
        parts.append(f'<div class="wide" tabindex="0" role="region" aria-label="Fields of {route.path}">'
                     f"<table><tbody>{rows}</tbody></table></div>")  # fmt: skip
    for number, value in enumerate(route.examples.values(), 1):
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
        label = f"Example {number} for {route.path}"
        parts.append(f'<pre tabindex="0" role="region" aria-label="{label}">{escape(text)}</pre>')
    return "\n".join([*parts, "</section>"])


def _meaning(schema: Mapping[str, Any]) -> str:
    """What a field is, in words, as HTML."""
    choices = schema.get("enum") or schema.get("anyOf", [{}])[0].get("enum") or ()
    kind = schema.get("type", "")
    about = schema.get("description", "")
    listed = f"one of {', '.join(map(str, choices))}" if choices else str(kind)
    return re.sub("`(.+?)`", r"<code>\1</code>", escape(f"{about} ({listed})" if about else listed))
