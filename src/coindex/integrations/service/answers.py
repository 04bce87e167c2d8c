"""The answers of the API: resolved documents in the forms of a request, and scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from coindex import formats
from coindex.annotate.errors import ApiError
from coindex.errors import CoindexError
from coindex.formats import ConversionLosses
from coindex.integrations.service.request_values import (
    FORMS,
    ResolveRequest,
    invalid,
    read_documents,
)
from coindex.report.score_report import ScoreReport, ScoreReportOptions
from coindex.report.viewer.annotated_text import layout
from coindex.report.viewer.html import page
from coindex.scoring import metrics
from coindex.scoring.alignment import named_as_in
from coindex.transform.brackets import bracketed_text
from coindex.transform.projection import project
from coindex.transform.replace_pronouns import MIN_CONFIDENCE, replace_pronouns
from coindex.transform.resolved_entities import as_json
from coindex.types.document import Document


def resolve_answer(
    request: ResolveRequest, resolved: Sequence[Document], signature: str
) -> dict[str, Any]:
    """The answer to a request, with its documents in each of the forms it asks for.

    What a document format cannot store is counted in `notes`.
    """
    answer: dict[str, Any] = {
        "model": request.options.model,
        "signature": signature,
        "documents": [_document(request, document) for document in resolved],
    }
    others = [form for form in request.forms if form not in FORMS]
    if others:
        outputs: dict[str, str] = {}
        notes: list[str] = []
        for form in others:
            losses = ConversionLosses(form)
            try:
                outputs[form] = "".join(formats.write_lines(resolved, form, losses))
            except CoindexError as error:
                raise invalid(error) from None
            notes += losses.lines()
        answer |= {"outputs": outputs, "notes": notes}
    return answer


def _document(request: ResolveRequest, document: Document) -> dict[str, Any]:
    """A document in all forms that are not a file format."""
    value: dict[str, Any] = {"id": document.id}
    if document.part is not None:
        value["part"] = document.part
    if "json" in request.forms:
        value = as_json(document)
    if "brackets" in request.forms:
        value["brackets"] = bracketed_text(document)
    if "replaced" in request.forms:
        least = MIN_CONFIDENCE if request.min_confidence is None else request.min_confidence
        value["replaced"] = replace_pronouns(document, min_confidence=least).text
    if "html" in request.forms:
        value["html"] = "".join(page([layout(document, True)]))
    return value


def score_answer(body: Mapping[str, Any]) -> dict[str, Any]:
    """The scores of a response, as `coindex score --json` prints them.

    `notes` has what was done to make the two comparable, such as mentions placed on the tokens
    of the key.
    """
    form = body.get("format")
    keys = read_documents(body["key"], form, "key")
    responses = read_documents(body["response"], form, "response", response=True)
    if not keys or not responses:
        raise ApiError(422, "invalid", "expected documents in key and response, found none")
    try:
        chosen = ScoreReportOptions(
            metrics=metrics.expand(body.get("metrics", "conll")),
            rules=(body.get("match", "exact"),),
            **{name: body[name] for name in ("singletons", "zeros", "missing") if name in body},
            per_document=body.get("per_document", False),
        )
        moved, notes = _on_key_tokens(responses, keys)
        report = ScoreReport.of_documents(keys, {"response": moved}, chosen)
        notes += [note for side in report.alignments.values() for note in side.notes[:5]]
        return {**report.json(), "notes": notes}
    except CoindexError as error:
        raise invalid(error) from None


def _on_key_tokens(
    responses: Sequence[Document], keys: Sequence[Document]
) -> tuple[list[Document], list[str]]:
    """The response over the tokens of the key, where both split the same characters otherwise."""
    by_key = {key.key: key for key in keys}
    if len(responses) == len(keys) == 1 and responses[0].key != keys[0].key:
        responses = [replace(responses[0], id=keys[0].id, part=keys[0].part)]
    documents, count = [], 0
    for one in named_as_in(keys, responses):
        moved = project(one, by_key[one.key]) if one.key in by_key else None
        documents.append(one if moved is None else moved.document)
        count += moved is not None
    note = f"{count} document(s) with other tokens than the key: mentions placed by characters"
    return documents, [note] if count else []
