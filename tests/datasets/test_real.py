"""The catalogue against the corpora themselves."""

from __future__ import annotations

from pathlib import Path

import pytest

from coindex import Document, formats
from coindex.datasets import catalogue, checksums
from coindex.report.corpus_statistics import DocumentStatistics, document_statistics

pytestmark = pytest.mark.data


@pytest.mark.parametrize("name", catalogue.names())
def test_every_file_is_the_one_listed(data: Path, name: str) -> None:
    places = [(file, data / file.path) for file in catalogue.load(name).files]
    assert [str(fault) for fault in checksums.find_mismatches(places)] == []


DOCUMENTS = ("documents", "mentions", "entities", "singletons")


@pytest.mark.parametrize("name", catalogue.names())
def test_counts_are_those_that_coindex_reads(data: Path, name: str) -> None:
    for file in catalogue.load(name).files:
        listed = dict(file.counts)
        if file.format is None or not listed:
            continue
        total, problems = DocumentStatistics(), 0
        for item in formats.read(data / file.path, file.format):
            if isinstance(item, Document):
                total += document_statistics(item)
            else:
                problems += 1
        found = {what: getattr(total, what) for what in DOCUMENTS} | {"problems": problems}
        assert listed == {what: found[what] for what in listed}, file.path


def test_every_file_there_is_listed(data: Path) -> None:
    listed = {file.path for name in catalogue.names() for file in catalogue.load(name).files}
    there = {
        path.relative_to(data).as_posix()
        for path in data.rglob("*")
        if path.is_file() and not path.name.startswith(("README", "LICENSE", "."))
    }
    assert there - listed == set()
