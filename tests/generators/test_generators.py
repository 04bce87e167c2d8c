"""What holds for every generator, on small documents and on real corpora."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from coindex import Document, datasets, formats, generators
from coindex.errors import UsageError
from coindex.generators.run import Account, RunOptions, SourceCorpus, generate, new_account
from generator_samples import EVERY, STORY

NAMES = generators.names()
SOURCES = {
    "cataphora": "ontogum:train", "dialogues": "gum:train", "excerpts": "meantime", "genders": "ontogum:train",
    "mails": "email:train", "names": "gum:train", "pronouns": "ontogum:train",
    "roles": "meantime", "surface": "meantime",
}  # fmt: skip
"""A real corpus for each generator."""


def run(
    name: str, documents: Sequence[Document], copies: int = 2, seed: int = 1, **settings: str
) -> tuple[list[Document], Account]:
    options = RunOptions(name, seed, copies, settings=settings)
    account = new_account(options)
    corpora = [SourceCorpus("sample", documents)]
    return list(generate(corpora, options, account)), account


def check(new: Sequence[Document], account: Account, source: dict[str, Document]) -> None:
    """The account adds up, and every new document says where it comes from."""
    assert account.read == account.used + account.dropped.total()
    assert account.written == len(new)
    assert account.mentions == sum(len(document.mentions) for document in new)
    assert len({document.id for document in new}) == len(new)
    for document in new:
        meta = dict(document.meta)
        assert meta["document"] in source
        assert meta["corpus"] == meta["scheme"]
        assert meta["change"]
        assert meta["seed"]
        assert account.generator in meta["generator"]
        assert "" not in document.tokens
        spans = [m.spans for entity in document.entities for m in entity.mentions]
        assert spans


@pytest.mark.parametrize("name", NAMES)
def test_the_account_and_the_metadata(name: str) -> None:
    new, account = run(name, EVERY)
    assert new
    check(new, account, {document.key: document for document in EVERY})
    assert account.read == 2 * len(EVERY)
    assert account.made > 0
    assert account.table().rows[0] == ("documents read", account.as_json()["read"])


@pytest.mark.parametrize("name", NAMES)
def test_the_same_seed_gives_the_same_documents(name: str) -> None:
    first, _ = run(name, EVERY)
    assert run(name, EVERY)[0] == first
    assert run(name, EVERY[::-1])[0] != []
    assert {d.id for d in run(name, EVERY[::-1])[0]} == {d.id for d in first}


@pytest.mark.parametrize("name", NAMES)
def test_a_document_without_annotation_is_dropped_or_changed(name: str) -> None:
    bare = Document.of("bare", [["It", "rained", "."]])
    new, account = run(name, [bare, Document("empty", "")])
    assert account.read == account.used + account.dropped.total() == 4
    assert name == "surface" or not new


@pytest.mark.parametrize("name", NAMES)
def test_unknown_options(name: str) -> None:
    with pytest.raises(UsageError, match=f"{name}: expected an option of"):
        new_account(RunOptions(name, settings={"colour": "red"}))
    for option in generators.load(name).OPTIONS:
        with pytest.raises(UsageError, match=f"{name}: {option} must be one of"):
            new_account(RunOptions(name, settings={option: "red"}))


def test_generators_can_be_applied_one_after_the_other() -> None:
    once, _ = run("names", [STORY], copies=1)
    twice = list(
        generate(
            [SourceCorpus("made", once)],
            options := RunOptions("surface", settings={"form": "lower"}),
            new_account(options),
        )
    )
    meta = dict(twice[0].meta)
    assert meta["corpus"] == "sample"
    assert meta["document"] == "story"
    assert meta["generator"] == "names+surface"
    assert meta["change"] == "names of all; surface form lower"


def test_equal_copies_are_dropped_and_counted() -> None:
    _, account = run("surface", [STORY], copies=3, form="upper")
    assert account.written == 1
    assert account.dropped == {
        "every change refused: equal to the document or to an earlier copy": 2
    }


def real(name: str) -> Iterator[Document]:
    _, paths = datasets.training_files(name)
    for path in paths:
        for item in formats.read(path):
            assert isinstance(item, Document)
            yield item


@pytest.mark.parametrize("name", NAMES)
def test_real_documents(name: str, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COINDEX_DATA", os.fspath(data))
    assert set(SOURCES) == set(NAMES)
    documents = list(real(SOURCES[name]))[:60]
    new, account = run(name, documents, copies=1)
    assert len(new) >= 5
    check(new, account, {document.key: document for document in documents})
    kept = {document.key: document for document in documents}
    for document in new:
        if name in ("names", "genders", "pronouns", "roles", "surface"):
            old = kept[dict(document.meta)["document"]]
            assert len(document.entities) == len(old.entities)
            for one, other in zip(document.entities, old.entities, strict=True):
                assert len(one) == len(other)
