"""Label Studio's JSON export: tasks with marked regions of a text, and relations between them.

    [{"id": 1, "data": {"text": "Ann slept. She snored."}, "annotations": [{"result": [
      {"id": "a", "type": "labels", "value": {"start": 0, "end": 3, "labels": ["person"]}},
      {"id": "b", "type": "labels", "value": {"start": 11, "end": 14, "labels": ["person"]}},
      {"type": "relation", "from_id": "a", "to_id": "b", "labels": ["coref"]}]}]}]

Offsets are half-open. They count characters, or UTF-16 code units where only those agree with
the `text` of the regions. Relations whose label begins with `coref` or `ident`, and relations
without a label, connect the mentions of an entity; others are left out and noted. Of several
annotations of a task the first that was not cancelled is read; predictions are read in a
response, and where there are no annotations. The relations of a region may be a list within the
list, as Label Studio's SDK writes them. The export of kind JSON is meant: JSON_MIN has no
relations. coindex writes the document's id as `doc_id` of the data, and reads it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from coindex.formats.json_documents import read_json_documents
from coindex.formats.json_fields import Fields, shown, to_line
from coindex.formats.json_probe import first_object
from coindex.formats.text_mentions import (
    PLAIN,
    TextMention,
    is_coreference,
    linked_groups,
    note_other_relations,
    text_document,
)
from coindex.types.document import Document
from coindex.types.source import Source

KIND = "document"
SUPPORTS = frozenset({"entities", "crossing", "text", "surface", "mention-kind"})
_ANNOTATED = ("annotations", "predictions", "completions")
_LABELS = ("labels", "hypertextlabels")


def sniff(head: Sequence[str]) -> bool:
    """The first object has annotations with a result, or data to annotate beside them."""
    value = first_object(head)
    annotated = [value[name] for name in _ANNOTATED if isinstance(value.get(name), list)]
    results = any(isinstance(each, dict) and "result" in each for row in annotated for each in row)
    return results or (bool(annotated) and isinstance(value.get("data"), dict))


def read(lines: Iterable[str], source: Source) -> Iterator[Document]:
    """The documents of a file, one per task."""
    return read_json_documents(lines, source, _documents, ids=())


def _documents(fields: Fields, name: str) -> Iterator[Document]:
    data = fields.take("data")
    if not isinstance(data, dict):
        raise fields.wrong("data", "an object", data)
    id = data.get("doc_id", data.get("doc_key"))
    text = _text(fields, data)
    regions: dict[str, TextMention] = {}
    links: list[tuple[str, str]] = []
    others = 0
    for region in _result(fields):
        if region.peek("type") == "relation":
            link = _link(region)
            links += [link] if link else []
            others += link is None
        elif region.peek("type") in _LABELS:
            key, mention = _region(region, text)
            regions[key] = mention
    for link in links:
        if not {*link} <= regions.keys():
            raise fields.wrong("result", "a relation between two regions", list(link))
    note_other_relations(fields, others)
    groups = [(None, [regions[key] for key in group]) for group in linked_groups(regions, links)]
    own = id if isinstance(id, str) else ""
    fields.source.unnamed = fields.source.unnamed or not own
    yield text_document(own or name, text, groups, fields.line, fields.source)


def _text(fields: Fields, data: dict[str, Any]) -> str:
    """The text of a task: the field `text`, or the only one that is a string."""
    if isinstance(data.get("text"), str):
        return str(data["text"])
    texts = [value for key, value in data.items() if isinstance(value, str) and key != "doc_id"]
    if len(texts) != 1:
        expected = "a field 'text', or one field that is a string"
        raise fields.wrong("data", expected, sorted(data))
    return texts[0]


def _result(fields: Fields) -> list[Fields]:
    """The regions and relations of the annotation that is read."""
    old = [*fields.objects("completions")] if fields.has("completions") else []
    annotations = [*fields.objects("annotations"), *old]
    done = [each for each in annotations if not each.take("was_cancelled")]
    predictions = [*fields.objects("predictions")]
    source = fields.source
    if done and predictions and (source.response or source.collect):
        message = "predictions beside annotations: they count in a response, not in a key"
        source.note_once(fields.line, "predictions", message)
    chosen = predictions if predictions and (source.response or not done) else done
    if len(chosen) > 1:
        message = f"expected one annotation of a task, found {len(chosen)}; the first is read"
        source.note(fields.line, "annotations", message)
    if not chosen:
        return []
    result = chosen[0].as_list("result", chosen[0].take("result", []))
    flat = [each for row in result for each in (row if isinstance(row, list) else [row])]
    return [*Fields({"result": flat}, fields.line, source).objects("result")]


def _link(region: Fields) -> tuple[str, str] | None:
    """The two ends of a relation; None if it is not coreference."""
    labels = region.take("labels") or []
    ends = region.text("from_id"), region.text("to_id")
    coreference = not labels or any(map(is_coreference, region.as_list("labels", labels)))
    return ends if coreference else None


def _region(region: Fields, text: str) -> tuple[str, TextMention]:
    value = region.take("value")
    if not isinstance(value, dict):
        raise region.wrong("value", "an object", value)
    inner = Fields(value, region.line, region.source)
    place = inner.take("globalOffsets") or {"start": value.get("start"), "end": value.get("end")}
    if not isinstance(place, dict):
        raise region.wrong("globalOffsets", "an object", place)
    start, end = region.as_ints("value", [place.get("start"), place.get("end")])
    words = inner.optional_text("text")
    start, end = _code_points(region, text, start, end, words)
    labels = next((inner.texts(name) for name in _LABELS if inner.has(name)), ())
    kind = labels[0] if labels and labels[0] != PLAIN else None
    key = region.text("id")
    return key, TextMention(start, end, kind, key)


def _code_points(
    region: Fields, text: str, start: int, end: int, words: str | None
) -> tuple[int, int]:
    """The offsets in code points: as they are, unless only UTF-16 gives the words of the region."""
    if words is None or text[max(start, 0) : end] == words or not 0 <= start < end:
        return start, end
    units = text.encode("utf-16-le", "surrogatepass")
    before, inside = units[: 2 * start], units[2 * start : 2 * end]
    if inside.decode("utf-16-le", "replace") == words:
        first = len(before.decode("utf-16-le", "replace"))
        return first, first + len(words)
    if end <= len(text) and text[start:end].split() != words.split():
        message = f"expected {shown(words)} at {start} {end}, found {shown(text[start:end])}"
        region.source.mistake(region.line, "offset", message)
    return start, end


def write(items: Iterable[Document]) -> Iterator[str]:
    """An array with one task per document, each on its line."""
    yield "[\n"
    for number, document in enumerate(items, 1):
        result: list[dict[str, Any]] = []
        relations: list[dict[str, Any]] = []
        for at, entity in enumerate(document.entities):
            own = [_region_fields(document, m, f"e{at}m{n}") for n, m in enumerate(entity.mentions)]
            result += own
            relations += [
                {"type": "relation", "from_id": one["id"], "to_id": other["id"],
                 "direction": "right", "labels": ["coref"]}
                for one, other in pairwise(own)
            ]  # fmt: skip
        data = {"text": document.text, "doc_id": document.id}
        annotation = {"was_cancelled": False, "result": result + relations}
        task = {"id": number, "data": data, "annotations": [annotation], "predictions": []}
        yield ("," if number > 1 else "") + to_line(task)
    yield "]\n"


def _region_fields(document: Document, mention: Any, id: str) -> dict[str, Any]:
    chars = document.chars(mention.cover)
    value = {"start": chars.start, "end": chars.end, "text": chars.of(document.text)}
    names = {"from_name": "label", "to_name": "text", "type": "labels"}
    return {"id": id, **names, "value": {**value, "labels": [mention.kind or PLAIN]}}
