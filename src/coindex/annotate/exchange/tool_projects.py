"""Projects of other tools, with their annotators: INCEpTION, brat, Label Studio and Prodigy.

inception-project      the export of a project: `annotation/DOCUMENT/USER.*` in WebAnno TSV or XMI
                       (perhaps zipped), `curation/DOCUMENT/CURATION_USER.*` as gold
brat-project           a zip archive with a folder of `.ann` and `.txt` files for each annotator
label-studio-project   the JSON export: `completed_by` of each annotation; `ground_truth` is gold
prodigy-project        the JSONL of `db-out`: `_annotator_id` or `_session_id` of each task

Each document is yielded without entities, with its gold if it has one, and then once for each
annotator. Tools that mark characters divide words differently for each annotator: all of them
get tokens with the borders of all mentions.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any

from coindex import formats, io
from coindex.errors import InputError
from coindex.formats.builtin import document_jsonl
from coindex.transform.edit import retokenize
from coindex.types.document import Document
from coindex.types.source import Source

INITIAL, CURATED = "INITIAL_CAS", "CURATION_USER"
CAS_SUFFIXES = (".tsv", ".xmi")

Extract = Callable[[Path], Path]
"""Unpacks the annotation in a small zip archive and returns its path."""


@dataclass
class AnnotatedText:
    """A document with what each annotator made of it."""

    annotations: dict[str, Document] = field(default_factory=dict)
    gold: Document | None = None

    def all(self) -> list[Document]:
        """All versions of the document."""
        return [*self.annotations.values(), *([self.gold] if self.gold else [])]


Texts = dict[str, AnnotatedText]


def read_project(format: str, extract: Extract) -> Iterator[Document]:
    """Yield the documents of the project in the current folder, as the importer expects them."""
    texts = READERS[format](extract)
    if not texts:
        raise InputError(f"expected a project for {format}, found no annotation")
    for name, text in texts.items():
        yield from _importable(name, text)


def _importable(name: str, text: AnnotatedText) -> Iterator[Document]:
    from coindex.annotate.exchange.import_context import ANNOTATOR_KEY, DOCUMENT_KEY

    versions = text.all()
    aligned = dict(zip(map(id, versions), _with_same_tokens(name, versions), strict=True))
    first = replace(aligned[id(versions[0])], entities=(), meta=())
    values: dict[str, Any] = {}
    if text.gold is not None:
        gold = replace(aligned[id(text.gold)], meta=())
        values["gold"] = "".join(document_jsonl.write([gold]))
    yield replace(first, meta=((DOCUMENT_KEY, json.dumps(values, ensure_ascii=False)),))
    for annotator, version in text.annotations.items():
        yield replace(aligned[id(version)], meta=((ANNOTATOR_KEY, annotator),))


def _with_same_tokens(name: str, versions: list[Document]) -> list[Document]:
    """Return the versions of a document under one name, with the same tokens if they differ."""
    named = [replace(each, id=name, part=None) for each in versions]
    if len({(each.text, each.starts, each.ends) for each in named}) == 1:
        return named
    borders = {
        border
        for each in named
        for entity in each.entities
        for mention in entity.mentions
        for span in mention.spans
        for border in (each.chars(span).start, each.chars(span).end)
    }
    return [retokenize(each, sorted(borders)) for each in named]


def _single(path: Path, format: str | None = None) -> Document | None:
    """Return the document of a file with one."""
    found = [item for item in formats.read(path, format) if isinstance(item, Document)]
    return found[0] if found else None


def _inception(extract: Extract) -> Texts:
    texts: Texts = {}
    for kind in ("annotation", "curation"):
        for path in sorted(Path().rglob("*")):
            parts = path.parts
            if kind not in parts[:-2] or not path.is_file():
                continue
            name, user = parts[-2], path.stem
            if parts[-3] != kind or user == INITIAL:
                continue
            plain = extract(path) if zipfile.is_zipfile(path) else path
            if plain.suffix not in CAS_SUFFIXES:
                raise InputError(
                    f"{path}: expected WebAnno TSV or XMI, found {plain.suffix or 'another format'}:"
                    " choose one of them as the format of the export"
                )
            document = _single(plain)
            text = texts.setdefault(PurePosixPath(name).stem, AnnotatedText())
            if document is not None and (kind == "curation" or user == CURATED):
                text.gold = document
            elif document is not None:
                text.annotations[user] = document
    return {name: text for name, text in texts.items() if text.all()}


def _brat(extract: Extract) -> Texts:
    paths = [path for path in sorted(Path().rglob("*.ann")) if path.is_file()]
    while (
        paths
        and len({path.parts[0] for path in paths}) == 1
        and min(len(p.parts) for p in paths) > 2
    ):
        paths = [Path(*path.parts[1:]) for path in paths]
    root = _root(paths)
    if any(len(path.parts) < 2 for path in paths):
        raise InputError("expected a folder for each annotator, with .ann and .txt files in it")
    texts: Texts = {}
    for path in paths:
        document = _single(root / path, "brat")
        name = str(PurePosixPath(*path.parts[1:]).with_suffix(""))
        if document is not None:
            texts.setdefault(name, AnnotatedText()).annotations[path.parts[0]] = document
    return texts


def _root(paths: list[Path]) -> Path:
    """Return the folder under which shortened paths are."""
    if not paths:
        return Path()
    found = next(each for each in sorted(Path().rglob("*.ann")) if each.match(str(paths[0])))
    return Path(*found.parts[: len(found.parts) - len(paths[0].parts)])


def _label_studio(extract: Extract) -> Texts:
    texts: Texts = {}
    for path in _plain_files():
        try:
            tasks = json.loads(io.read_text(path))
        except ValueError as error:
            raise InputError(f"{path}: expected the JSON export of Label Studio") from error
        for number, task in enumerate(tasks if isinstance(tasks, list) else [tasks], 1):
            if not isinstance(task, dict):
                raise InputError(f"{path}: expected tasks, found {type(task).__name__}")
            name = _task_name(task, path, number)
            for annotation in task.get("annotations") or []:
                if isinstance(annotation, dict) and not annotation.get("was_cancelled"):
                    _add_label_studio(texts, name, task, annotation)
    return texts


def _task_name(task: Mapping[str, Any], path: Path, number: int) -> str:
    data = task.get("data")
    named = data.get("doc_id", data.get("doc_key")) if isinstance(data, dict) else None
    if isinstance(named, str) and named:
        return named
    return f"{path.stem}-{task.get('id', number)}"


def _add_label_studio(
    texts: Texts, name: str, task: Mapping[str, Any], annotation: Mapping[str, Any]
) -> None:
    line = json.dumps({"id": 1, "data": task.get("data"), "annotations": [annotation]})
    document = _from_line(line, "label-studio", name)
    text = texts.setdefault(name, AnnotatedText())
    if document is None:
        return
    if annotation.get("ground_truth"):
        text.gold = document
    else:
        text.annotations[_completed_by(annotation.get("completed_by"))] = document


def _completed_by(value: Any) -> str:
    """Return the name of an annotator: an e-mail address, or a number."""
    if isinstance(value, dict):
        value = value.get("email") or value.get("username") or value.get("id")
    return value if isinstance(value, str) and value else f"annotator {value}"


def _prodigy(extract: Extract) -> Texts:
    texts: Texts = {}
    names: dict[Any, str] = {}
    for path in _plain_files():
        for number, line in enumerate(io.read_text(path).splitlines(), 1):
            if not line.strip():
                continue
            try:
                task = json.loads(line)
            except ValueError as error:
                raise InputError(f"{path}:{number}: expected a line of JSON") from error
            document = _from_line(line, "prodigy", path.stem)
            if not isinstance(task, dict) or document is None:
                continue
            key = task.get("_input_hash") or document.text
            name = task.get("doc_key") or names.setdefault(key, f"{path.stem}-{len(names) + 1}")
            who = str(task.get("_annotator_id") or task.get("_session_id") or "annotator")
            texts.setdefault(str(name), AnnotatedText()).annotations[who] = document
    return texts


def _from_line(line: str, format: str, name: str) -> Document | None:
    items: Iterable[Any] = formats.read_lines([line + "\n"], format, Source(name))
    return next((item for item in items if isinstance(item, Document)), None)


def _plain_files() -> list[Path]:
    return [path for path in sorted(Path().rglob("*")) if path.is_file()]


READERS: Mapping[str, Callable[[Extract], Texts]] = {
    "inception-project": _inception, "brat-project": _brat,
    "label-studio-project": _label_studio, "prodigy-project": _prodigy,
}  # fmt: skip
NAMES = tuple(READERS)
