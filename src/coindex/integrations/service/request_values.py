"""What requests to the API may contain, as JSON schemas, and the values that are made of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from functools import cache
from io import StringIO
from typing import Any

from coindex import formats
from coindex.annotate.errors import ApiError
from coindex.annotate.web.schema import object_schema, one_of, string_schema, validate
from coindex.errors import CoindexError
from coindex.formats.protocol import BinaryFormat, TwoFileFormat
from coindex.integrations.service.model_pool import ResolveOptions
from coindex.integrations.service.request_bodies import too_large
from coindex.integrations.service.settings import ServiceLimits
from coindex.integrations.service.speaker_turns import speakers_schema, with_given_turns
from coindex.scoring import matching, metrics
from coindex.text.markup import MARKUPS
from coindex.types.document import Document
from coindex.types.source import Source

FORMS = ("json", "brackets", "replaced", "html")
INPUTS = ("text", "documents", "content")
EXPLAINED = ("json", "document-jsonl")
_COMMAND_LINE = re.compile(r",? or --[a-z-]+ [^:;]*")


@cache
def text_formats() -> tuple[str, ...]:
    """The document formats that are one text: those that a request or an answer can hold."""
    other = (TwoFileFormat, BinaryFormat)
    return tuple(
        name for name in formats.names("document") if not isinstance(formats.load(name), other)
    )


def _text(description: str) -> dict[str, Any]:
    """The schema of a text; its length is limited by the settings, with a status of its own (413)."""
    return {"type": "string", "x-null-characters": True, "description": description}


def _option_schemas(models: Iterable[str]) -> dict[str, Any]:
    form = one_of(*FORMS, *text_formats())
    forms = {"type": "array", "items": form, "minItems": 1, "maxItems": 8}
    return {
        "model": {**one_of(*models), "description": "the model, see `GET /v1/models`"},
        "form": {"anyOf": [form, forms], "default": "json",
                 "description": "how the result is written; several forms as an array"},
        "singletons": {"type": "boolean", "description": "also entities that are mentioned once"},
        "scheme": {**string_schema(100, 1), "description": "an annotation scheme of the model"},
        "speakers": speakers_schema(),
        "markup": {**one_of(*MARKUPS), "description": "how plain texts are read"},
        "rules": {**string_schema(500, 1), "description": "rules of agreement: all, none or names"},
        "events": {"type": "boolean", "description": "whether verbs can be mentions"},
        "explain": {"type": "boolean", "description": "whether mentions say why they were joined"},
        "min_confidence": {"type": "number", "minimum": 0, "maximum": 1,
                           "description": "of replaced pronouns and their names"},
    }  # fmt: skip


def resolve_schema(models: Iterable[str]) -> dict[str, Any]:
    """The schema of the body of `/v1/resolve`, and of each line of `/v1/batch`."""
    item = object_schema("text", id=string_schema(500, 1), text=_text("a plain text"))
    inputs: dict[str, Any] = {
        "text": _text("one plain text"),
        "id": {**string_schema(500, 1), "description": "the id of the text, 1 by default"},
        "documents": {"type": "array", "items": item, "minItems": 1,
                      "description": "several plain texts"},
        "content": _text("documents in a format, such as CoNLL"),
        "format": {**one_of(*text_formats()),
                   "description": "the format of `content`; recognised by default"},
    }  # fmt: skip
    schema = object_schema(**inputs, **_option_schemas(models))
    return {**schema, "oneOf": [{"required": [kind]} for kind in INPUTS]}


def score_schema() -> dict[str, Any]:
    """The schema of the body of `/v1/score`."""
    keep = one_of("keep", "drop")
    return object_schema(
        "key response",
        key=_text("the correct documents, in any format that is one text"),
        response=_text("the documents to be scored"),
        format={**one_of(*text_formats()), "description": "of both; recognised by default"},
        metrics={**string_schema(500, 1), "default": "conll",
                 "description": f"conll, all, or names by commas: {', '.join(metrics.in_order())}"},
        match={**one_of(*matching.in_order()), "default": "exact"},
        singletons=keep,
        zeros=keep,
        missing=one_of("error", "empty"),
        per_document={"type": "boolean"},
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class ResolveRequest:
    """The documents to resolve, the options, and the forms of the result."""

    documents: tuple[Document, ...]
    options: ResolveOptions
    forms: tuple[str, ...]
    min_confidence: float | None = None


def _validate(schema: Mapping[str, Any], body: Any) -> None:
    """An error if a body does not fit; of two alternatives, the second one is for lists."""
    either = [name for name, each in schema["properties"].items() if "anyOf" in each]
    for name in either:
        if isinstance(body, dict) and name in body:
            allowed = schema["properties"][name]["anyOf"][isinstance(body[name], list)]
            validate(allowed, body[name], f"body.{name}")
    validate({**schema, "properties": {**schema["properties"], **{n: {} for n in either}}}, body)


def _expect_one_input(body: Any) -> None:
    given = [kind for kind in INPUTS if isinstance(body, dict) and kind in body]
    if len(given) != 1:
        found = " and ".join(given) or "none"
        raise ApiError(422, "invalid", f"body: expected one of {', '.join(INPUTS)}, found {found}")


def resolve_request(
    body: Any, schema: Mapping[str, Any], limits: ServiceLimits, default: str
) -> ResolveRequest:
    """The request of a body that fits the schema; an error with its status if it does not.

    default   the model to use if the request names none
    """
    _validate(schema, body)
    _expect_one_input(body)
    form = body.get("form", "json")
    forms = tuple(dict.fromkeys(form)) if isinstance(form, list) else (form,)
    names = {each.name for each in fields(ResolveOptions)} & set(body)
    options = ResolveOptions(**{"model": default, **{name: body[name] for name in names}})
    turns = body["speakers"] if isinstance(body.get("speakers"), list) else None
    if turns is not None:
        options = replace(options, speakers="none")  # but for those that are given
    if "id" in body and "text" not in body:
        raise ApiError(422, "invalid", "body: id is the id of text, found no text")
    if "format" in body and "content" not in body:
        raise ApiError(422, "invalid", "body: format is the format of content, found no content")
    if "min_confidence" in body and "replaced" not in forms:
        raise ApiError(422, "invalid", "body: min_confidence needs the form replaced")
    if options.explain and not set(EXPLAINED) & set(forms):
        raise ApiError(422, "invalid", f"body: explain needs the form {' or '.join(EXPLAINED)}")
    documents = _documents(body, limits)
    if turns is not None:
        documents = with_given_turns(documents, turns, options.markup)
    return ResolveRequest(documents, options, forms, body.get("min_confidence"))


def _documents(body: Mapping[str, Any], limits: ServiceLimits) -> tuple[Document, ...]:
    if "content" in body:
        _check_length(len(body["content"]), limits)
        documents = read_documents(body["content"], body.get("format"), "content")
    elif "documents" in body:
        rows = enumerate(body["documents"], 1)
        documents = tuple(Document(row.get("id", str(at)), row["text"]) for at, row in rows)
    else:
        documents = (Document(body.get("id", "1"), body["text"]),)
    if len(documents) > limits.documents:
        raise too_large(limits.documents, "documents: use /v1/batch")
    _check_length(sum(len(document.text) for document in documents), limits)
    return documents


def _check_length(length: int, limits: ServiceLimits) -> None:
    if length > limits.text:
        raise too_large(limits.text, f"characters of text in a request, found {length}")


def read_documents(
    content: str, format: str | None, name: str, *, response: bool = False
) -> tuple[Document, ...]:
    """The documents of a text in a format; plain texts have no tokens yet.

    name   what the text is called in errors
    """
    source = Source(name, response=response)
    lines = StringIO(content, newline="\n")  # lines end at \n alone, as in files
    documents = []
    try:
        for item in formats.read_lines(lines, format, source):
            if not isinstance(item, Document):
                raise ApiError(
                    422, "invalid", f"{name}: expected documents, found pronoun problems"
                )
            plain = source.format == "text"
            documents.append(Document(item.id, item.text) if plain else item)
    except CoindexError as error:
        raise invalid(error) from None
    return tuple(documents)


def invalid(error: CoindexError) -> ApiError:
    """An error of the library as one of the API, without the options of commands."""
    if isinstance(error, ApiError):
        return error
    message = " ".join(str(error).split()).replace("with --from", "with format")
    return ApiError(422, "invalid", _COMMAND_LINE.sub("", message))
