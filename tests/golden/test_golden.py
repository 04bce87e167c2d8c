"""The golden run of version 0.1: the command line gives the same bytes, but for `changes.toml`."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from golden import cases, compare, store
from golden.case import Case
from golden.changes import Changes
from golden.runner import Runner, lacks
from golden.versions import differing

FULL = bool(os.environ.get("COINDEX_FULL"))
CHANGES = Changes.read()
DONE: set[str] = set()
"""The cases that were compared in this session."""


def parameters() -> Iterator[object]:
    """Every case; the long ones are marked."""
    for case in cases.all_cases():
        yield pytest.param(case, id=case.name, marks=[pytest.mark.full] if case.full else [])


@pytest.fixture(scope="module")
def runner(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runner]:
    made = Runner(tmp_path_factory.mktemp("golden"))
    yield made
    made.close()


@pytest.mark.timeout(3600 if FULL else 600)
@pytest.mark.parametrize("case", list(parameters()))
def test_the_outputs_are_those_of_the_record(case: Case, runner: Runner) -> None:
    missing = lacks(case)
    if missing:
        pytest.skip(missing)
    record = store.Record.read(case.family)
    found = compare.differences(case.name, runner.outputs(case), record.outputs(case.name), CHANGES)
    DONE.add(case.name)
    assert not found, "\n".join([case.name, *found, *differing(record.versions)])


def test_every_permitted_change_is_needed() -> None:
    """Judged for the entries all of whose cases were run before this test."""
    unused = CHANGES.unused(DONE, [case.name for case in cases.all_cases()])
    assert not unused, "remove these from changes.toml: " + "\n".join(map(str, unused))


def test_the_record_has_no_case_that_is_gone() -> None:
    known = {case.name for case in cases.all_cases()}
    for family in {name.partition("/")[0] for name in known}:
        assert set(store.Record.read(family).cases) <= known


def test_our_own_outputs_are_those_of_the_record() -> None:
    """What is stored whole has the digests of the record."""
    families = {case.family for case in cases.all_cases()}
    stored = [each for family in families for each in store.read_ours(family).items()]
    for case, outputs in stored:
        prints = store.Record.read(case.partition("/")[0]).outputs(case)
        assert prints is not None
        assert set(outputs) <= set(prints)
        for name, text in outputs.items():
            made = store.Print.of(text.encode("utf-8"))
            assert made.digest == prints[name].digest
