"""The everyday texts for training: their marks, their documents, and that they are not the probes."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from research.models.everyday_texts import (
    FOLDER,
    EverydayText,
    annotated,
    read_texts,
    without_repeats,
)

from coindex.assets import DEFAULT_MODEL
from coindex.benchmarks.probe_format import probe_files, read_marked_text
from coindex.errors import CoindexError
from coindex.transform.edit import retokenize
from coindex.types.document import Document
from coindex.types.source import Source

FILES = sorted(FOLDER.glob("*.txt"))
LONGEST_SHARED = 9


def words_of(text: str) -> list[str]:
    return "".join(c if c.isalnum() else " " for c in text.lower()).split()


def runs(texts: Iterable[str]) -> set[tuple[str, ...]]:
    every = map(words_of, texts)
    return {
        tuple(w[i : i + LONGEST_SHARED]) for w in every for i in range(len(w) - LONGEST_SHARED + 1)
    }


def test_there_are_many_genres() -> None:
    assert len(FILES) >= 50


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_marks_are_well_formed(file: Path) -> None:
    texts = list(read_texts(file))
    assert len({text.id for text in texts}) == len(texts)
    for text in texts:
        for mention in text.mentions:
            assert mention.required
            words = mention.chars.of(text.text)
            inside = words[0] in '."' or words[-1] in '.!?"'  # `.kvl`, `"Doc" Crane`
            assert inside or words == words.strip(" ,;:!?\n"), (text.id, words)


def test_no_text_shares_nine_words_with_a_probe() -> None:
    probes = runs(p.text for each in probe_files().values() for p in each.probes)
    for file in FILES:
        for text in read_texts(file):
            assert not probes & runs([text.text]), text.id


def document_of(text: str) -> Document:
    return retokenize(Document("x", text), ())


def text_of(marked: str) -> EverydayText:
    text, mentions = read_marked_text(marked, Source("texts"))
    return EverydayText("texts/1", text, mentions)


def test_a_document_has_the_marked_entities() -> None:
    text = text_of("⟦1:⟦2:Lena⟧'s boss⟧ praised ⟦2:her⟧. ⟦1:He⟧ smiled. ⟦3:Bo⟧ left.")
    document = annotated(document_of(text.text), text)
    found = [[document.text_of(m) for m in e.mentions] for e in document.entities]
    assert sorted(found) == [["Lena", "her"], ["Lena's boss", "He"]]
    assert document.id == "texts/1"


def test_a_phrase_marked_within_a_token_gets_the_whole_token() -> None:
    text = text_of("⟦1:Ann⟧-led talks; ⟦1:she⟧ won.")
    document = annotated(document_of(text.text), text)
    assert document.text_of(document.entities[0].mentions[0]).startswith("Ann")


def test_equal_texts_are_kept_once() -> None:
    one = text_of("⟦1:Ann⟧ said ⟦1:she⟧ won.")
    assert list(without_repeats([one, replace(one, id="texts/2")])) == [one]


def test_other_models_still_fit_a_tuned_encoder(tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    tuning = pytest.importorskip("research.models.everyday_tuning")
    assert tuning.is_shared("int8//encoder/encoder/layer.5/attention/self/query/0/matrix")
    assert tuning.is_shared("encoder.embeddings.word_embeddings.rows")
    assert not tuning.is_shared("int8//encoder/encoder/layer.6/attention/self/query/0/matrix")
    assert not tuning.is_shared("/Constant_4_output_0/half")
    shutil.copy(DEFAULT_MODEL / "encoder.onnx", tmp_path / "encoder.onnx")
    tuning.check_references(DEFAULT_MODEL, tmp_path, DEFAULT_MODEL / "parser.onnx")
    content = bytearray((tmp_path / "encoder.onnx").read_bytes())
    content[len(content) // 4] ^= 1
    (tmp_path / "encoder.onnx").write_bytes(content)
    with pytest.raises(CoindexError, match=r"is not the same in the new encoder"):
        tuning.check_references(DEFAULT_MODEL, tmp_path, DEFAULT_MODEL / "pronoun.onnx")
