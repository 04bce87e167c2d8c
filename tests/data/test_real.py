"""The catalogue against the corpora themselves."""

from __future__ import annotations

from pathlib import Path

import pytest

from coindex.data import catalogue, verify

pytestmark = pytest.mark.data


@pytest.mark.parametrize("name", catalogue.names())
def test_every_file_is_the_one_listed(data: Path, name: str) -> None:
    places = [(file, data / file.path) for file in catalogue.load(name).files]
    assert [str(fault) for fault in verify.faults(places)] == []


def test_every_file_there_is_listed(data: Path) -> None:
    listed = {file.path for name in catalogue.names() for file in catalogue.load(name).files}
    there = {
        path.relative_to(data).as_posix()
        for path in data.rglob("*")
        if path.is_file() and not path.name.startswith(("README", "LICENSE", "."))
    }
    assert there - listed == set()
