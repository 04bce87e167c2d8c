"""The quick reader of CoNLL-2012 pairs: what it answers equals what the full reader gives."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.optimize import linear_sum_assignment

from coindex import formats, plugins
from coindex.cli import cli
from coindex.errors import CoindexError
from coindex.formats.builtin import conll2012
from coindex.report import quick_scoring
from coindex.scoring import conll_lines, metrics
from coindex.scoring.alignment import align
from coindex.scoring.conll_arrays import read_pair
from coindex.scoring.contingency import contingency_table
from coindex.scoring.counting import count
from coindex.scoring.metrics.assignment import best_totals
from coindex.scoring.scorer import Result, ScoringOptions, score_pairs, score_stack
from coindex.scoring.table_stack import TableStack, stack
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention
from coindex.types.source import Source

OPTIONS = ScoringOptions(metrics=metrics.expand("all"))


def made_up(name: str, rng: random.Random, part: int | None = 0) -> Document:
    """A document whose entities are nested in themselves and in each other."""
    rows = [["a", "b", "c"] * rng.randrange(1, 5) for _ in range(rng.randrange(1, 6))]
    tokens = sum(map(len, rows))
    spans = {
        (start, rng.randrange(start + 1, min(start + 5, tokens) + 1))
        for start in rng.choices(range(tokens), k=rng.randrange(0, 14))
    }
    groups: dict[int, list[tuple[int, int]]] = {}
    for span in sorted(spans):
        group = groups.setdefault(rng.randrange(1, 200) % 5, [])
        if not any(a < span[0] < b < span[1] for a, b in group):  # crossing mentions are lost
            group.append(span)
    entities = [
        Entity(tuple(Mention.at(*span) for span in group), str(id)) for id, group in groups.items()
    ]
    return Document.of(name, rows, entities, part=part, pos=("NN",) * tokens)


def with_entities(document: Document, other: Document) -> Document:
    """A document with those entities of another one that are within it."""
    entities = [
        Entity(inside, entity.id)
        for entity in other.entities
        if (inside := tuple(m for m in entity.mentions if m.end <= len(document)))
    ]
    return Document.of(
        document.id,
        [document.tokens[s.start : s.end] for s in document.sentence_spans()],
        entities,
        part=document.part,
        pos=document.pos,
    )


def text_of(documents: Sequence[Document]) -> bytes:
    return "".join(conll2012.write(documents)).encode()


def aligned(text: bytes, width: int) -> bytes:
    """The same with spaces, and the last column aligned to the right."""
    rows = []
    for line in text.decode().split("\n"):
        cells = line.split("\t")
        last = cells[-1].rjust(width) if len(cells) > 1 else cells[-1]
        rows.append("   ".join([*cells[:-1], last]))
    return "\n".join(rows).encode()


def full(key: bytes, response: bytes, options: ScoringOptions) -> Result:
    """The result of the full reader, which must have nothing to note."""
    sides = []
    for data in (key, response):
        source = Source("test")
        lines = data.decode().splitlines(keepends=True)
        sides.append([d for d in formats.read_lines(lines, "conll2012", source) if d])
        assert not source.findings
    documents = [[each for each in side if isinstance(each, Document)] for side in sides]
    found = align(*documents)
    assert not found.notes
    return score_pairs(found, options)


def assert_equal(quick: tuple[list[str], TableStack], wanted: Result) -> None:
    result = score_stack(*quick, wanted.options, "response")
    assert result.documents == wanted.documents
    assert result.signature == wanted.signature
    for name, rows in wanted.counts.items():
        assert (result.counts[name] == rows).all(), name


@pytest.mark.parametrize("singletons", ["keep", "drop"])
@pytest.mark.parametrize("seed", range(12))
def test_the_quick_reader_gives_the_tables_of_the_full_one(seed: int, singletons: str) -> None:
    rng = random.Random(seed)
    part = None if seed % 3 == 0 else seed
    keys = [made_up(f"d{at}", rng, part) for at in range(1 + seed % 4)]
    responses = [with_entities(key, made_up("x", rng)) for key in keys]
    key, response = text_of(keys), text_of(responses)
    if seed % 2:
        key, response = aligned(key, 9), aligned(response, 12)
    options = ScoringOptions(metrics=OPTIONS.metrics, singletons=singletons)
    quick = read_pair(key, response, singletons)
    assert quick is not None
    assert_equal(quick, full(key, response, options))


@pytest.mark.parametrize("block", [1, 7, 64])
def test_the_size_of_blocks_does_not_matter(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(block)
    keys = [made_up(f"d{at}", rng) for at in range(4)]
    key, response = text_of(keys), text_of([with_entities(key, made_up("x", rng)) for key in keys])
    for separated in ((key, response), (aligned(key, 9), aligned(response, 12))):
        wanted = full(*separated, OPTIONS)
        monkeypatch.setattr(conll_lines, "BLOCK", block)
        monkeypatch.setattr(conll_lines, "LINES", block)
        quick = read_pair(*separated, "keep")
        assert quick is not None
        assert_equal(quick, wanted)


@pytest.mark.parametrize("block", [1, 1 << 12])
def test_a_mutated_file_is_left_to_the_full_reader_or_read_alike(
    block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whenever there is an answer, the full reader has the same, and nothing to complain of."""
    monkeypatch.setattr(conll_lines, "LINES", block)
    rng = random.Random(1)
    answered = 0
    for seed in range(400):
        document = made_up("d", random.Random(seed))
        key = text_of([document, made_up("e", random.Random(seed + 1))])
        data = bytearray(key)
        for _ in range(rng.randrange(1, 3)):
            at = rng.randrange(len(data))
            data[at : at + rng.randrange(0, 3)] = rng.choice(
                [
                    b"",
                    b"(",
                    b")",
                    b"|",
                    b"\t",
                    b" ",
                    b"\n",
                    b"-",
                    b"1",
                    b"#",
                    b"\r\n",
                    b"\xff",
                    b"\0",
                ]
            )
        both = rng.random() < 0.5
        pair = (bytes(data), bytes(data)) if both else (key, bytes(data))
        quick = read_pair(*pair, "keep")
        if quick is not None:
            answered += 1
            assert_equal(quick, full(*pair, OPTIONS))
    assert answered > 20


KEY = (
    b"#begin document (a); part 000\n"
    b"a\t0\t0\tAnn\tNN\t-\t(1)\na\t0\t1\tshe\tNN\t-\t(1)\n\n#end document\n"
)
UNUSUAL = {
    "empty": b"",
    "no line break at the end": KEY[:-1],
    "Windows": KEY.replace(b"\n", b"\r\n"),
    "compressed": b"\x1f\x8b" + KEY,
    "a comment": KEY.replace(b"a\t0\t0", b"# no\na\t0\t0"),
    "no part and no parentheses": KEY.replace(b"(a); part 000", b"a"),
    "twice": KEY + KEY,
    "a stray row": KEY + b"a\t0\t1\tshe\tNN\t-\t-\n",
    "a document without rows": KEY + b"#begin document (b); part 000\n#end document\n",
    "no end": KEY.replace(b"#end document\n", b""),
    "unbalanced": KEY.replace(b"(1)\n\n", b"(1\n\n"),
    "never opened": KEY.replace(b"(1)\n\n", b"2)\n\n"),
    "malformed": KEY.replace(b"(1)\n\n", b"1\n\n"),
    "repeated": KEY.replace(b"(1)\n\n", b"(1)|(2)\n\n"),
    "an empty word": KEY.replace(b"she", b""),
    "a short row": KEY.replace(b"she\tNN", b"she"),
    "few columns": KEY.replace(b"\tNN\t-", b""),
    "a trailing tab": KEY.replace(b"(1)\n", b"(1)\t\n"),
    "not UTF-8": KEY.replace(b"Ann", b"\xff"),
    "one column": KEY.replace(b"a\t0\t1\tshe\tNN\t-\t(1)", b"x"),
    "an indented row": KEY.replace(b"a\t0\t1", b"\t0\t1"),
}


@pytest.mark.parametrize("data", UNUSUAL.values(), ids=UNUSUAL)
def test_what_is_unusual_is_left_to_the_full_reader(data: bytes) -> None:
    assert read_pair(KEY, KEY, "keep") is not None
    assert read_pair(data, data, "keep") is None
    assert read_pair(KEY, data, "keep") is None


def test_other_words_are_left_to_the_full_reader() -> None:
    assert read_pair(KEY, KEY.replace(b"Ann", b"Bob"), "keep") is None
    assert read_pair(KEY, KEY.replace(b"Ann", b"Anna"), "keep") is None
    spaced = KEY.replace(b"\t", b"  ")
    assert read_pair(spaced, spaced.replace(b"Ann", b"Bob"), "keep") is None
    assert read_pair(KEY, spaced, "keep") is None


def files(folder: Path, key: bytes, response: bytes) -> list[str]:
    paths = [folder / "key.conll", folder / "response.conll"]
    for path, data in zip(paths, (key, response), strict=True):
        path.write_bytes(data)
    return list(map(str, paths))


@pytest.mark.parametrize("options", [[], ["--json"], ["--per-document", "--metrics", "all"]])
def test_the_command_prints_the_same(
    options: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(3)
    keys = [made_up(f"d{at}", rng) for at in range(5)]
    responses = [with_entities(key, made_up("x", rng)) for key in keys]
    command = ["score", *files(tmp_path, text_of(keys), text_of(responses)), *options]
    quick = CliRunner().invoke(cli, command)
    monkeypatch.setattr(quick_scoring, "read_pair", lambda *given: None)
    slow = CliRunner().invoke(cli, command)
    assert quick.exit_code == 0
    assert quick.output == slow.output


NOT_NEEDED = (
    "coindex.cli.log_output", "coindex.formats.reading", "coindex.scoring.identities",
    "coindex.types.document", "coindex.types.source", "numpy.ma", "numpy.typing", "scipy",
)  # fmt: skip
"""What takes longer to import than a small file takes to score."""


def test_scoring_plain_files_imports_only_what_it_needs(tmp_path: Path) -> None:
    paths = files(tmp_path, KEY, KEY)
    code = (
        "import sys; from coindex.cli import main; main(sys.argv[1:]);"
        f" print(sorted(set({NOT_NEEDED!r}) & set(sys.modules)), file=sys.stderr)"
    )
    command = [sys.executable, "-c", code, "score", *paths, "--metrics", "all", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"
    assert json.loads(done.stdout)["systems"][0]["scores"]["b3"]["f1"] == 100


@pytest.mark.parametrize(
    "options",
    [["--match", "head"], ["--errors"], ["--by", "type"], ["--metrics", "mor"], ["--lenient"],
     ["--from", "semeval2010"], ["--relation", "discourse-deixis"]],
)  # fmt: skip
def test_options_that_need_documents_get_them(
    options: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quick_scoring, "read_pair", lambda *given: pytest.fail("read quickly"))
    result = CliRunner().invoke(cli, ["score", *files(tmp_path, KEY, KEY), *options])
    assert result.exception is None or isinstance(result.exception, CoindexError | SystemExit)


def test_a_format_of_another_package_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plugins, "only_builtin", lambda family: False)
    monkeypatch.setattr(quick_scoring, "read_pair", lambda *given: None)
    result = CliRunner().invoke(cli, ["score", *files(tmp_path, KEY, KEY), "--json"])
    assert json.loads(result.output)["systems"][0]["scores"]["b3"]["f1"] == 100


@pytest.mark.parametrize("name", [n for n in metrics.names() if not metrics.load(n).AVERAGE_OF])
def test_counting_many_documents_at_once_equals_counting_each(name: str) -> None:
    rng = random.Random(name)
    tables = []
    for _ in range(40):
        sides = [
            [[m for m in range(30) if rng.randrange(6) == at] for at in range(6)] for _ in range(2)
        ]
        tables.append(contingency_table(*[[e for e in side if e] for side in sides]))
    tables.append(contingency_table([], [[1]]))
    stacked, count_stack = stack(tables), metrics.load_counting(name).count_stack
    assert stacked is not None
    if count_stack is not None:
        found, wanted = count_stack(stacked), [count(name, table) for table in tables]
        np.testing.assert_allclose(found, wanted, rtol=1e-12)


@pytest.mark.parametrize("seed", range(30))
def test_the_best_alignment_is_that_of_a_full_matrix(seed: int) -> None:
    rng = np.random.default_rng(seed)
    size = (3, 12, 40)[seed % 3]
    filled = rng.random((size, size + 2)) < (0.1, 0.3, 0.9)[seed % 3 - 1]
    matrix = np.where(filled, rng.integers(1, 9, filled.shape), 0).astype(float)
    rows, columns = np.nonzero(matrix)
    found = best_totals(rows, columns, matrix[rows, columns], np.zeros(len(rows), np.int64), 1)
    assert found[0] == pytest.approx(matrix[linear_sum_assignment(matrix, maximize=True)].sum())


def test_a_file_is_read_ahead(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"\xff words")
    assert quick_scoring._read_ahead(str(file))() == b"\xff words"
    wait = quick_scoring._read_ahead(str(tmp_path / "missing"))  # raised when the bytes are wanted
    with pytest.raises(FileNotFoundError):
        wait()
