"""What the commands say of corpora: plain rows for tables and JSON, and lines of text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from coindex.data import where
from coindex.data.catalogue import Corpus, File
from coindex.data.fetch import Step


def row(corpus: Corpus) -> dict[str, Any]:
    """One corpus in short, with the folder of its files, which is None if none was found."""
    places = [place for _, place in where.found(corpus)]
    here = [place for place in places if place is not None]
    return {
        "name": corpus.name,
        "what": corpus.what,
        "licence": str(corpus.licence),
        "redistributable": corpus.licence.redistributable,
        "citation": corpus.cite,
        "where": str(here[0].parent) if here else None,
        "files": len(places),
        "found": len(here),
    }


def place(
    file: File, found: Path | None, checked: bool, faults: Mapping[Path, str]
) -> dict[str, Any]:
    """One file with its place, and with what is wrong with it if that was looked at."""
    entry: dict[str, Any] = {
        "file": file.path,
        "format": file.format,
        "split": file.split,
        "where": str(found) if found is not None else None,
    }
    if checked:
        entry["verified"] = found is not None and found not in faults
        entry["fault"] = faults.get(found, None) if found is not None else "not found"
    return entry


def step(done: Step) -> dict[str, Any]:
    """What `get` did for one file."""
    here = done.state != Step.NO_ADDRESS
    state = "downloaded" if done.state == Step.DOWNLOAD else done.state
    return {
        "file": done.file.path,
        "state": state,
        "where": str(done.target) if here else None,
        "note": done.file.note,
    }


def terms(corpus: Corpus) -> Iterator[str]:
    """Licence and citations, in full."""
    yield f"licence: {corpus.licence.full}"
    for citation in corpus.citations:
        yield f"cite: {citation}"


def describe(corpus: Corpus) -> Iterator[str]:
    """All that is known of a corpus, line by line."""
    yield f"{corpus.name}: {corpus.title}"
    yield corpus.what
    yield from terms(corpus)
    if corpus.homepage:
        yield f"homepage: {corpus.homepage}"
    for file in corpus.files:
        yield ""
        label = ", ".join(each for each in (file.format, file.split) if each)
        counts = "".join(f", {count:,} {what}" for what, count in file.counts)
        yield f"{file.path}{f' ({label})' if label else ''}: {file.bytes:,} bytes{counts}"
        yield f"  sha256 {file.sha256}"
        if file.url:
            yield f"  {file.url}"
        if file.note:
            yield f"  {file.note}"
