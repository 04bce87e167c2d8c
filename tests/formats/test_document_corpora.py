"""Every real corpus of documents: its published counts, and read → write → read."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from coindex import Document, formats
from coindex.report.corpus_statistics import DocumentStatistics, document_statistics
from coindex.transform.edit import without_zeros
from coindex.types.source import Source

pytestmark = pytest.mark.data

# files, format, documents, tokens, mentions, entities, singletons (None: not stated)
CORPORA = {
    "ontogum-train": ("gum/ontogum.train.gold_conll.xz", "conll2012", 177, "177k", 23_320, 5_311, None),
    "ontogum-dev": ("gum/ontogum.dev.gold_conll.xz", "conll2012", 30, "28k", 3_818, 857, None),
    "ontogum-test": ("gum/ontogum.test.gold_conll.xz", "conll2012", 30, "28k", 3_581, 858, None),
    "gum-train": ("gum/gum.train.gold_conll.xz", "conll2012", 177, "177k", 49_649, 25_757, 18_750),
    "gum-dev": ("gum/gum.dev.gold_conll.xz", "conll2012", 30, "28k", 7_897, 3_940, None),
    "gum-test": ("gum/gum.test.gold_conll.xz", "conll2012", 30, "28k", 7_927, 4_319, None),
    "litbank": ("litbank/conll/*.conll", "conll2012", 100, 210_532, 29_103, 7_927, 5_763),
    "litbank-brat": ("litbank/brat/*.ann", "brat", 100, None, 29_103, 7_927, 5_763),
    "fantasycoref-dev": ("fantasycoref/GFT_split1/dev*", "conll2012", 20, "33k", 5_879, 549, None),
    "fantasycoref-test": ("fantasycoref/GFT_split1/test*", "conll2012", 20, "32k", 5_381, 557, None),
    "quizbowl": ("quizbowl/quizbowl20.gold_conll", "conll2012", 20, 3_346, 604, 276, 143),
    "ezcoref": ("ezcoref/*.gold_conll", "conll2012", 47, None, None, None, None),
    "corefud-dev": ("corefud/en_gum-ud-dev.conllu", "corefud", 30, "28k", 7_897, 3_940, None),
    "scorer-cases": ("scorer-cases/TC-*", "conll2012", 50, None, None, None, None),
    "corefud-cases": ("corefud-cases/**/TC-*", "corefud", 133, None, None, None, None),
    "craft-train": ("craft/craft.train.jsonl.xz", "document-jsonl", 39, "329k", 48_030, 10_039, 0),
    "craft-dev": ("craft/craft.dev.jsonl.xz", "document-jsonl", 7, "66k", 9_994, 2_135, 0),
    "craft-test": ("craft/craft.test.jsonl.xz", "document-jsonl", 17, "136k", 20_865, 4_501, 0),
    "email-train": ("email/email.train.gold_conll.xz", "conll2012", 36, 20_064, 3_014, 613, 159),
    "email-test": ("email/email.test.gold_conll.xz", "conll2012", 10, 8_771, 1_265, 255, 75),
    "meantime": ("meantime/meantime.jsonl.xz", "document-jsonl", 106, "12k", 2_294, 1_024, 561),
    "redocred-dev": ("redocred/redocred.dev.gold_conll.xz", "conll2012", 499, "102k", 10_448, 7_240, 5_572),
    "redocred-test": ("redocred/redocred.test.gold_conll.xz", "conll2012", 498, "98k", 10_243, 7_307, 5_774),
    "characters-dev": ("character-identification/*.dev.jsonl.xz", "document-jsonl", 121, "29k", 4_330, 551, None),
    "characters-test": ("character-identification/*.test.jsonl.xz", "document-jsonl", 188, "50k", 7_745, 1_019, None),
    "characters-groups-dev": ("character-identification/groups/*.dev.*", "conll2012", 121, "29k", None, None, None),
    "characters-groups-test": ("character-identification/groups/*.test.*", "conll2012", 188, "50k", None, None, None),
}  # fmt: skip


def _files(data: Path, pattern: str) -> list[Path]:
    files = sorted(data.glob(pattern))
    assert files, f"no file matches {pattern}"
    return files


def _documents(files: Iterable[Path]) -> list[Document]:
    return [item for path in files for item in formats.read(path)]  # type: ignore[misc]


@pytest.mark.parametrize("name", CORPORA)
def test_counts_are_the_published_ones(data: Path, name: str) -> None:
    pattern, format, documents, tokens, mentions, entities, singletons = CORPORA[name]
    total = DocumentStatistics()
    for path in _files(data, pattern):
        source = Source()
        for document in formats.read(path, source=source):
            assert isinstance(document, Document)
            total += document_statistics(document)
        assert source.format == format, f"{path.name} was taken for {source.format}"
    size = f"{total.tokens / 1000:.0f}k" if isinstance(tokens, str) else total.tokens
    found = (total.documents, size, total.mentions, total.entities, total.singletons)
    wanted = (documents, tokens, mentions, entities, singletons)
    assert [f for f, w in zip(found, wanted, strict=True) if w is not None] == [
        w for w in wanted if w is not None
    ]


@pytest.mark.parametrize("name", CORPORA)
@pytest.mark.parametrize("through", ["itself", "document-jsonl"])
def test_reading_what_was_written_gives_the_same(
    data: Path, tmp_path: Path, name: str, through: str
) -> None:
    pattern, own, *_ = CORPORA[name]
    format = own if through == "itself" else through
    documents = _documents(_files(data, pattern))
    losses = formats.write(tmp_path / "out", documents, format)
    assert not losses.lost, f"{name} lost {dict(losses.lost)}"
    if format == "brat":
        again = _documents(tmp_path / "out" / f"{document.id}.ann" for document in documents)
    else:
        again = _documents([tmp_path / "out"])
    assert again == documents


def test_corefud_survives_byte_for_byte(data: Path, tmp_path: Path) -> None:
    path = data / "corefud/en_gum-ud-dev.conllu"
    formats.write(tmp_path / "out", formats.read(path), "corefud")
    assert (tmp_path / "out").read_bytes() == path.read_bytes()


def test_corefud_coreference_survives_our_own_form(data: Path, tmp_path: Path) -> None:
    path = data / "corefud/en_gum-ud-dev.conllu"
    formats.write(tmp_path / "lossless", formats.read(path), "document-jsonl")
    formats.write(tmp_path / "out", formats.read(tmp_path / "lossless"), "corefud")
    assert (tmp_path / "out").read_bytes() == path.read_bytes()


def test_litbank_is_the_same_in_both_its_forms(data: Path) -> None:
    """The brat files and the CoNLL files mark the same characters as the same entities.

    All but one: in Great Expectations the two put one 'the churchyard' differently.
    """
    differ = []
    for conll in _files(data, "litbank/conll/*.conll"):
        (one,) = formats.read(conll)
        (other,) = formats.read(data / "litbank/brat" / f"{conll.stem}.ann")
        assert isinstance(one, Document)
        assert isinstance(other, Document)
        if _words(one) != _words(other):
            differ.append(one.id)
    assert differ == ["1400_great_expectations_brat"]


def _words(document: Document) -> set[frozenset[tuple[int, int]]]:
    """Entities as sets of places, counted in characters that are not white space."""
    seen = [0]
    for char in document.text:
        seen.append(seen[-1] + (not char.isspace()))
    return {
        frozenset(
            (seen[c.start], seen[c.end]) for c in (document.chars(m.cover) for m in e.mentions)
        )
        for e in document.entities
    }


def test_gum_is_the_same_in_corefud_and_conll(data: Path) -> None:
    one = _documents([data / "gum/gum.dev.gold_conll.xz"])
    other = _documents([data / "corefud/en_gum-ud-dev.conllu"])
    for a, b in zip(one, other, strict=True):
        assert a.id == b.id
        assert a.tokens == without_zeros(b).tokens
        spans = {frozenset(m.cover for m in e.mentions) for e in a.entities}
        assert spans == {frozenset(m.cover for m in e.mentions) for e in without_zeros(b).entities}
