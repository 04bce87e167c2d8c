"""Dialects of CoNLL that are read with a note, and what a lenient source repairs."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coindex import Document, FormatError, formats
from coindex.formats import read_lines
from coindex.formats.reading import sniff
from coindex.types.source import Source
from strategies import documents

END = "#end document"


def read(*lines: str, lenient: bool = False) -> tuple[list[Document], list[str]]:
    """The documents of a file, and its findings as `LINE RULE`."""
    source = Source("f.conll", lenient=lenient)
    items = list(read_lines([f"{line}\n" for line in lines], None, source))
    assert source.format == "conll2012"
    found = [f"{finding.line} {finding.rule}" for finding in source.findings]
    return [item for item in items if isinstance(item, Document)], found


def spans(document: Document) -> dict[str | None, list[tuple[int, int]]]:
    return {e.id: [(m.start, m.end) for m in e.mentions] for e in document.entities}


@pytest.mark.parametrize(
    ("header", "id", "part", "noted"),
    [
        ("#begin document my own file", "my own file", None, True),
        ("#begin document my own file; part 003", "my own file", 3, True),
        ("#begin document (my own file); part 003", "my own file", 3, False),
        ("#begin document file; part 3", "file", 3, False),
        ("#begin document file part 3", "file", 3, False),
        ("#begin document", "_", None, True),
        ("#begin document ()", "_", None, True),
        ("#begin document (); part 4", "_", 4, True),
        ("#begin document ; part 4", "_", 4, True),
        ("#begin document part 4", "_", 4, True),
    ],
)
def test_headers(header: str, id: str, part: int | None, noted: bool) -> None:
    (document,), findings = read(header, "Ann (1)", END)
    assert (document.id, document.part) == (id, part)
    assert findings == (["1 dialect"] if noted else [])


def test_documents_without_names_have_different_ones() -> None:
    found, findings = read(*["#begin document ()", "Ann (1)", END] * 3)
    assert [document.id for document in found] == ["_", "_2", "_3"]
    assert findings == ["1 dialect", "4 dialect", "7 dialect"]


def test_stray_lines_between_documents_are_left_out() -> None:
    one, two = ["#begin document (a)", "Ann (1)", END], ["#begin document (b)", "she (1)", END]
    found, findings = read(*one, "F1: 71.2", "", "# a comment", "x -", *two, "bye")
    assert [document.id for document in found] == ["a", "b"]
    assert findings == ["4 dialect", "7 dialect", "11 dialect"]


def test_messages_before_the_first_document_are_left_out() -> None:
    lines = ["Loading model ...", "  100 %", "", "#begin document (a)", "Ann (1)", END]
    found, findings = read(*lines)
    assert [document.id for document in found] == ["a"]
    assert findings == ["1 dialect", "2 dialect"]
    assert sniff([f"{line}\n" for line in lines]) == "conll2012"
    prose = ["A file begins so:\n", "#begin document (NAME); part N\n", "and then has rows.\n"]
    assert sniff(prose) == "text"
    for bad in (["She", *["ran"] * 100, *lines], ["She", "Ann (1)"]):
        with pytest.raises(FormatError, match="f:1: expected '#begin document', found 'She'"):
            list(read_lines([f"{line}\n" for line in bad], "conll2012", Source("f")))


@pytest.mark.parametrize("separator", ["\t", " ", "   "])
@pytest.mark.parametrize("bar", ["| ", " |", " | ", "|"])
def test_bars_with_spaces(separator: str, bar: str) -> None:
    rows = [("0", "|", "(1"), ("1", "b", f"(2{bar}(3){bar}1)"), ("2", "c", "2)")]
    found, findings = read("#begin document (d)", *map(separator.join, rows), END)
    assert spans(found[0]) == {"1": [(0, 2)], "2": [(1, 3)], "3": [(1, 2)]}
    assert found[0].tokens == ("|", "b", "c")
    assert findings == ([] if bar == "|" else ["3 dialect"])


def test_rows_without_headers_are_one_document_or_those_of_their_first_columns() -> None:
    (document,), findings = read("Ann\t(1)", "slept\t-", "", "She\t(1)")
    assert (document.id, document.sentences) == ("f", (0, 2))
    assert spans(document) == {"1": [(0, 1), (2, 3)]}
    assert findings == ["1 dialect"]
    rows = ["a 0 0 Ann (1)", "a 0 1 ran -", "", "a 0 0 She (1)", "a 1 0 He (1)", "b 0 0 x -"]
    found, findings = read(*rows)
    assert [(d.key, d.tokens) for d in found] == [
        ("a part 0", ("Ann", "ran", "She")),
        ("a part 1", ("He",)),
        ("b part 0", ("x",)),
    ]
    assert findings == ["1 dialect", "5 dialect", "6 dialect"]


def test_a_lost_first_header_does_not_lose_the_documents_behind_it() -> None:
    found, _ = read("a 0 0 Ann (1)", "a 0 1 ran -", END, "#begin document (b); part 0", "x -", END)
    assert [document.key for document in found] == ["a part 0", "b part 0"]


@pytest.mark.parametrize("text", ["See the note (1)\nand this one (2)", "a\tb\nc\td", "x (1)"])
def test_prose_and_tables_are_no_rows(text: str) -> None:
    assert not formats.load("conll2012").sniff([f"{line}\n" for line in text.split("\n")])


@settings(max_examples=40, deadline=None)
@given(document=documents())
def test_a_file_that_loses_its_headers_keeps_everything_else(document: Document) -> None:
    lines = list(formats.write_lines([document], "conll2012"))
    (whole,) = read_lines(lines, None, Source("f"))
    (bare,) = read_lines(lines[1:-1], "conll2012", Source("f"))
    assert isinstance(whole, Document)
    assert isinstance(bare, Document)
    assert (bare.id, bare.tokens, bare.sentences) == (whole.id, whole.tokens, whole.sentences)
    assert (bare.entities, bare.pos, bare.parse) == (whole.entities, whole.pos, whole.parse)


BROKEN = [
    # rows, entities after the repair, findings
    (["a (1", "b 1)", "c 1)", "d (2)"], {"1": [(0, 2)], "2": [(3, 4)]}, ["4 unbalanced"]),
    (["a (1", "b (2)", "c -"], {"2": [(1, 2)]}, ["2 unbalanced"]),
    (["a (1", "b (1", "c 1)"], {"1": [(1, 3)]}, ["2 unbalanced"]),
    (["a (1", "b 1)|(1", "c 1)"], {"1": [(0, 2)]}, ["4 crossing"]),
    (["a 7", "b (1)|", "c (2)"], {"2": [(2, 3)]}, ["2 brackets", "3 brackets"]),
]  # fmt: skip


@pytest.mark.parametrize(("rows", "expected", "findings"), BROKEN)
def test_repairs(
    rows: list[str], expected: dict[str | None, list[tuple[int, int]]], findings: list[str]
) -> None:
    lines = ["#begin document (d)", *rows, END]
    (document,), found = read(*lines, lenient=True)
    assert spans(document) == expected
    assert found == findings
    if "crossing" not in findings[0]:
        with pytest.raises(FormatError):
            read(*lines)


def test_a_document_without_its_end() -> None:
    lines = ["#begin document (a)", "Ann (1)", "#begin document (b)", "she (1)"]
    found, findings = read(*lines, lenient=True)
    assert [document.id for document in found] == ["a", "b"]
    assert findings == ["3 end", "3 end"]
    with pytest.raises(FormatError, match=r"f.conll:3: document 'a' \(line 1\) has no '#end"):
        read(*lines)


def test_corefud_is_repaired_too() -> None:
    row = "{}\t{}" + "\t_" * 7 + "\t{}\n"
    lines = [row.format(1, "Ann", "Entity=(e1-x-1-"), row.format(2, "ran", "Entity=(e2-x-1-)e3)")]
    source = Source("f", lenient=True)
    (document,) = read_lines(lines, None, source)
    assert isinstance(document, Document)
    assert spans(document) == {"e2": [(1, 2)]}
    assert [finding.line for finding in source.findings] == [2, 1]


@settings(max_examples=150, deadline=None)
@given(st.lists(st.lists(st.sampled_from(["(1", "1)", "(1)", "(2", "2)", "-", "7"]), max_size=4),
                min_size=1, max_size=8))  # fmt: skip
def test_lenient_reading_takes_any_brackets_and_changes_nothing_that_is_right(
    cells: list[list[str]],
) -> None:
    rows = [f"w\t{'|'.join(cell) or '-'}" for cell in cells]
    lines = ["#begin document (d)", *rows, END]
    (document,), findings = read(*lines, lenient=True)
    again = list(formats.write_lines([document], "conll2012"))
    (same,) = read_lines(again, None, Source("g"))
    assert isinstance(same, Document)
    assert spans(same) == spans(document), "a repaired document is written and read as it is"
    try:
        (strict,), _ = read(*lines)
    except FormatError:
        assert findings
    else:
        assert spans(strict) == spans(document) or Counter(findings)


def test_a_repair_says_what_became_of_it() -> None:
    source = Source("f.conll", lenient=True)
    list(read_lines(["#begin document (d)\n", "a 1)\n", "#end document\n"], None, source))
    assert str(source.findings[0]) == (
        "f.conll:2: ')' closes entity 1, which is not open; the bracket is left out [unbalanced]"
    )
