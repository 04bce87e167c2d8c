"""Reading corpora for training, checksums, and cutting what is too long."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import training_samples as samples
from coindex.errors import InputError
from coindex.models.coref.recipe import Corpus
from coindex.models.coref.train.corpora import checksums, read_corpus, split_document
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention
from coindex.types.span import Span


def test_documents_are_chosen_by_their_place(ten: Path) -> None:
    found = read_corpus(Corpus((str(ten),), every=5, only=(1,)))
    assert [d.id.strip("()") for d in found.documents] == ["story-01", "story-06"]
    found = read_corpus(Corpus((str(ten),), every=5, but=(0, 1, 2)))
    assert len(found.documents) == 4


def test_hidden_files_are_no_corpus(tmp_path: Path) -> None:
    samples.corpus(tmp_path, 2)
    (tmp_path / ".DS_Store").write_bytes(b"\x00\x01")
    (tmp_path / "folder").mkdir()
    assert len(read_corpus(Corpus((str(tmp_path),))).documents) == 2


def test_a_folder_of_brat_is_read_in_pairs(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.txt").write_text("Ann slept.", encoding="utf-8")
        (tmp_path / f"{name}.ann").write_text("T1\tPER 0 3\tAnn\n", encoding="utf-8")
    found = read_corpus(Corpus((str(tmp_path),)))
    assert [len(d.entities) for d in found.documents] == [1, 1]
    assert len(checksums([found])) == 4


def test_checksums_keep_files_of_one_name_apart(tmp_path: Path) -> None:
    story = samples.stories(2)
    one = samples.write(tmp_path / "a" / "x.conll", story[:1], "conll2012")
    two = samples.write(tmp_path / "b" / "x.conll", story[1:], "conll2012")
    three = samples.write(tmp_path / "b" / "y.conll", story[1:], "conll2012")
    reads = [read_corpus(Corpus(tuple(map(str, files)))) for files in ((one, two), (two, three))]
    sums = {p: hashlib.sha256(p.read_bytes()).hexdigest() for p in (one, two, three)}
    assert checksums(reads) == {
        "a/x.conll": sums[one], "b/x.conll": sums[two], "y.conll": sums[three],
    }  # fmt: skip


def test_mistakes(tmp_path: Path, ten: Path) -> None:
    with pytest.raises(InputError, match="nowhere: expected a file, a folder or a corpus"):
        read_corpus(Corpus(("nowhere",)))
    with pytest.raises(InputError, match="expected examples, found none"):
        read_corpus(Corpus((str(tmp_path),)))
    file = samples.write(tmp_path / "p.jsonl", [samples.problem(1)], "problem-jsonl")
    with pytest.raises(InputError, match="expected problems, found"):
        read_corpus(Corpus((str(ten), str(file)), partial=True))
    with pytest.raises(InputError, match="expected problems to switch, found"):
        read_corpus(Corpus((str(ten),), partial=True, switched=True))
    with pytest.raises(InputError, match="expected documents, found problem-1"):
        read_corpus(Corpus((str(file),)))


@given(
    st.lists(st.integers(1, 30), min_size=1, max_size=12), st.integers(5, 40), st.data()
)  # fmt: skip
def test_parts_lose_only_mentions_that_would_be_cut(
    sizes: list[int], longest: int, data: st.DataObject
) -> None:
    rows = [[f"{line}-{n}" for n in range(size)] for line, size in enumerate(sizes)]
    count = sum(sizes)
    spans = data.draw(st.sets(st.tuples(st.integers(0, count - 1), st.integers(1, 4)), max_size=10))
    mentions = [Mention.at(a, min(a + size, count)) for a, size in sorted(spans)]
    unique = list({m.spans: m for m in mentions}.values())
    document = Document.of("d", rows, [Entity(tuple(unique))] if unique else [])
    found = list(split_document(document, longest))
    assert [t for part in found for t in part.tokens] == list(document.tokens)
    assert all(len(part) <= longest for part in found)
    at = 0
    kept = set()
    for part in found:
        assert at + len(part) in (*document.sentences, count) or len(part) == longest
        inside = {s for s in document.sentences if at < s < at + len(part)}
        assert set(part.sentences) == {0, *(s - at for s in inside)}
        kept |= {(m.start + at, m.end + at) for e in part.entities for m in e.mentions}
        assert all(part.text_of(m) == document.text_of(Mention.at(m.start + at, m.end + at))
                   for e in part.entities for m in e.mentions)  # fmt: skip
        at += len(part)
    borders = {sum(map(len, found[:n])) for n in range(1, len(found))}
    whole = {(m.start, m.end) for m in unique if not any(m.start < b < m.end for b in borders)}
    assert kept == whole


def test_a_part_keeps_speakers_and_gaps() -> None:
    gap = Entity((Mention((Span(101, 102), Span(103, 104))),))
    document = Document.of(
        "d", [["a"] * 100, ["b"] * 50], [gap], speakers=("Ann",) * 100 + ("Tom",) * 50
    )
    first, second = split_document(document, 120)
    assert (set(first.speakers or ()), set(second.speakers or ())) == ({"Ann"}, {"Tom"})
    assert second.entities[0].mentions[0].spans == (Span(1, 2), Span(3, 4))
    assert next(split_document(document, 150)) is document


def test_problems_with_their_switched_copies(tmp_path: Path) -> None:
    file = samples.write(tmp_path / "p.jsonl", map(samples.problem, range(4)), "problem-jsonl")
    plain = read_corpus(Corpus((str(file),), partial=True))
    both = read_corpus(Corpus((str(file),), partial=True, switched=True))
    assert len(both.problems) == 2 * len(plain.problems) == 8
    assert both.problems[:4] == plain.problems
    assert both.problems[4].text.startswith(samples.problem(0).candidates[1].text)


def test_unlabelled_texts_are_checksummed_by_folder(tmp_path: Path) -> None:
    for name, text in (("b.txt", "She slept."), ("a.txt", "Ann slept.")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    found = read_corpus(Corpus((str(tmp_path),), "plain", unlabelled=True))
    lines = [f"{name} {hashlib.sha256((tmp_path / name).read_bytes()).hexdigest()}\n"
             for name in ("a.txt", "b.txt")]  # fmt: skip
    whole = hashlib.sha256("".join(lines).encode()).hexdigest()
    assert checksums([found]) == {tmp_path.name: whole}
    (tmp_path / "a.txt").write_text("Bo slept.", encoding="utf-8")
    again = read_corpus(Corpus((str(tmp_path),), "plain", unlabelled=True))
    assert checksums([again]) != checksums([found])
