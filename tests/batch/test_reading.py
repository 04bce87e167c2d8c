"""Collections of every kind are read text by text; what cannot be read has a reason."""

from __future__ import annotations

import bz2
import csv
import datetime
import gzip
import io as standard_io
import itertools
import json
import lzma
import os
import shutil
import tarfile
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coindex import formats
from coindex.batch.encodings import check_encoding, guess_encoding
from coindex.batch.file_kinds import not_text
from coindex.batch.inputs import (
    distinct_ids,
    find_inputs,
    matches,
    relative_path,
    without_outputs,
)
from coindex.batch.items import InputText, Item, Skipped
from coindex.batch.reading import ReadOptions, is_collection, read_collection
from coindex.batch.rows import RowFields
from coindex.errors import CoindexError, InputError, MissingExtra, UsageError
from coindex.types.document import Document


def read(*paths: Path | str, patterns: tuple[str, ...] = (), **options: Any) -> list[Item]:
    inputs = find_inputs([str(path) for path in paths], patterns)
    return list(read_collection(inputs, ReadOptions(patterns=patterns, **options)))


def texts(items: list[Item]) -> list[tuple[str, str]]:
    return [(i.document.id, i.document.text) for i in items if isinstance(i, InputText)]


def reasons(items: list[Item]) -> dict[str, str]:
    return {Path(i.source).name: i.reason for i in items if isinstance(i, Skipped)}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "in"
    (root / "sub").mkdir(parents=True)
    (root / "b.txt").write_text("two", encoding="utf-8")
    (root / "a.md").write_text("one", encoding="utf-8")
    (root / ".hidden").write_text("no", encoding="utf-8")
    (root / "sub" / "b.txt").write_text("three", encoding="utf-8")
    return root


def test_a_folder_is_all_files_below_it(folder: Path) -> None:
    assert texts(read(folder)) == [("a", "one"), ("b", "two"), ("sub/b", "three")]
    assert texts(read(folder, patterns=("*.txt",))) == [("b", "two"), ("sub/b", "three")]
    assert texts(read(folder, patterns=("sub/*", "*.md"))) == [("a", "one"), ("sub/b", "three")]
    assert texts(read(folder / "*.txt")) == [("b", "two")]
    assert texts(read(f"{folder}/**/*.txt")) == [("in/b", "two"), ("sub/b", "three")]
    with pytest.raises(InputError, match=r"expected files that match '\*.pdf', found none of 3"):
        read(folder, patterns=("*.pdf",))
    with pytest.raises(InputError, match="expected files that match it, found none"):
        read(folder / "*.pdf")
    assert texts(read(folder / "*", patterns=("*.md",))) == [("a", "one")]
    assert texts(read(f"{folder}/**/*", patterns=("*/sub/*",))) == [("b", "three")]
    with pytest.raises(InputError, match=r"expected files that match '\*.pdf', found none of 2"):
        read(folder / "*", patterns=("*.pdf",))


@pytest.mark.parametrize("kind", ["zip", "tar", "tar.gz", "tar.xz"])
def test_archives_are_read_like_folders(kind: str, folder: Path, tmp_path: Path) -> None:
    path = tmp_path / f"all.{kind}"
    names = ["a.md", "b.txt", ".hidden", "sub/b.txt"]
    if kind == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            for name in names:
                archive.write(folder / name, name)
    else:
        with tarfile.open(path, f"w:{kind[4:]}") as tar:  # type: ignore[call-overload]
            for name in names:
                tar.add(folder / name, name)
    assert texts(read(path)) == texts(read(folder))
    assert texts(read(path, patterns=("*.txt",))) == texts(read(folder, patterns=("*.txt",)))
    both = read(path, folder)
    ids = [id for id, _ in texts(both)]
    assert len(set(ids)) == len(ids) == 6


@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_files_in_archives_may_be_compressed(kind: str, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.txt.gz").write_bytes(gzip.compress(b"Ann ran."))
    (folder / "b.txt.bz2").write_bytes(bz2.compress(b"Bo fell."))
    (folder / "c.jsonl.xz").write_bytes(lzma.compress(b'{"id": "c1", "text": "Cy left."}\n'))
    (folder / "d.txt.gz").write_bytes(gzip.compress("The café was closed.".encode("cp1252")))
    (folder / "e.txt.gz").write_bytes(gzip.compress(b"Eve" * 9999)[:-20])
    shutil.make_archive(str(tmp_path / "all"), kind, folder)
    found = read(tmp_path / f"all.{kind}", encoding="auto")
    assert sorted(texts(found)) == [
        ("a", "Ann ran."), ("b", "Bo fell."), ("c1", "Cy left."), ("d", "The café was closed."),
    ]  # fmt: skip
    assert list(reasons(found)) == ["e.txt.gz"]
    assert "cannot be" in reasons(found)["e.txt.gz"]


@pytest.mark.parametrize("kind", ["zip", "tar.gz"])
def test_files_in_archives_are_unpacked_as_they_are_read(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"all.{kind}"
    contents = {"a.txt": bytes(40_000_000), "b.jsonl": b'{"text": "Ann ran."}\n' * 2_000_000}
    if kind == "zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in contents.items():
                archive.writestr(name, content)
    else:
        with tarfile.open(path, "w:gz") as tar:
            for name, content in contents.items():
                info = tarfile.TarInfo(name)
                info.size = len(content)
                tar.addfile(info, standard_io.BytesIO(content))
    del contents
    tracemalloc.start()
    items = read_collection(find_inputs([str(path)]), ReadOptions())
    first = list(itertools.islice(items, 2))
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert reasons(first) == {"a.txt": "binary data, not text"}
    assert [text for _, text in texts(first)] == ["Ann ran."]
    assert most < 20_000_000


@pytest.mark.parametrize("skip", [True, False])
def test_damage_in_a_file_of_an_archive_is_a_reason(skip: bool, tmp_path: Path) -> None:
    path = tmp_path / "all.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.txt", "Ann ran to the station.")
        archive.writestr("b.txt", "Bo fell.")
    path.write_bytes(path.read_bytes().replace(b"Ann ran", b"Ann sat"))
    if not skip:
        with pytest.raises(InputError, match=r"a\.txt: cannot be unpacked: Bad CRC-32"):
            read(path, skip=False)
        return
    found = read(path)
    assert texts(found) == [("b", "Bo fell.")]
    assert "cannot be unpacked: Bad CRC-32" in reasons(found)["a.txt"]


@pytest.mark.parametrize(
    ("ids", "distinct"),
    [
        ([("a", "a.txt"), ("a", "a.md"), ("b", "b.txt")], ["a.txt", "a.md", "b"]),
        ([("x/a", "x/a.txt"), ("x/a", "x/a.md")], ["x/a.txt", "x/a.md"]),
        ([("a", "x/a.txt"), ("a", "y/a.txt")], ["x/a", "y/a"]),
        ([("a", "x/s/a.txt"), ("a", "y/s/a.txt")], ["x/s/a", "y/s/a"]),
        ([("a", "a.txt"), ("a", "x/a.txt")], ["a.txt", "x/a"]),
        ([("a", "a.txt"), ("a", "a.txt")], ["a", "a"]),
        ([("a", "a"), ("a", "a.txt"), ("a.txt", "a.txt.gz")], ["a", "a.txt", "a.txt.gz"]),
    ],
)
def test_ids_of_files_are_distinct(ids: list[tuple[str, str]], distinct: list[str]) -> None:
    assert distinct_ids(ids) == distinct


@pytest.mark.parametrize("kind", ["folder", "zip", "tar"])
def test_texts_that_differ_in_their_suffix_keep_it(kind: str, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    (folder / "sub").mkdir(parents=True)
    for name in ("a.md", "a.txt", "sub/a.txt"):
        (folder / name).write_text(name, encoding="utf-8")
    if kind != "folder":
        shutil.make_archive(str(tmp_path / "all"), kind, folder)
    path = folder if kind == "folder" else tmp_path / f"all.{kind}"
    assert sorted(id for id, _ in texts(read(path))) == ["a.md", "a.txt", "sub/a"]


def test_what_a_run_writes_is_not_read_by_the_next_one(folder: Path) -> None:
    before = find_inputs([str(folder)])
    for name in ("out.jsonl", "out.jsonl.skipped.jsonl", "out.jsonl.parts/0.json", "out/a.txt"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("{}", encoding="utf-8")
    found = find_inputs([str(folder)])
    assert len(found.files) == len(before.files) + 4
    without = without_outputs(found, [str(folder)], folder / "out.jsonl")
    assert [f.id for f in without.files if f.id.startswith("out")] == ["out/a"]
    assert without_outputs(without, [str(folder)], folder / "out") == before


def test_an_input_is_not_overwritten(folder: Path) -> None:
    inputs = find_inputs([str(folder)])
    with pytest.raises(InputError, match="expected another place to write than an input"):
        without_outputs(inputs, [str(folder)], folder)
    file = Path(inputs.files[0].path)
    with pytest.raises(InputError, match="expected another place to write than an input"):
        without_outputs(find_inputs([str(file)]), [str(file)], file)


def test_names_in_archives_stay_below_the_output_folder() -> None:
    assert relative_path("../../etc/passwd") == "etc/passwd"
    assert relative_path("/a/./b/../c.txt") == "a/b/c.txt"
    assert relative_path("..") == "_"


ROWS = [
    {"id": "x", "text": "Ann ran.", "n": 1},
    {"id": "y", "text": "Bo, who “fell”,\tcried.", "n": 2},
]


def test_rows_of_every_kind_are_the_same_texts(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="needs pyarrow: pip install 'coindex[parquet]'")
    parquet = pytest.importorskip("pyarrow.parquet")
    (tmp_path / "r.jsonl").write_text(
        "".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8"
    )
    (tmp_path / "r.csv").write_text(
        "id,text,n\n" + "".join(f'{r["id"]},"{r["text"]}",{r["n"]}\n' for r in ROWS), "utf-8"
    )
    plain = [{**row, "text": str(row["text"]).replace("\t", " ")} for row in ROWS]
    (tmp_path / "r.tsv").write_text(
        "id\ttext\tn\n" + "".join(f"{r['id']}\t{r['text']}\t{r['n']}\n" for r in plain), "utf-8"
    )
    parquet.write_table(pyarrow.Table.from_pylist(ROWS), tmp_path / "r.parquet")
    expected = [(row["id"], row["text"]) for row in ROWS]
    for name in ("r.jsonl", "r.csv", "r.parquet"):
        found = read(tmp_path / name)
        assert texts(found) == expected, name
        assert [dict(i.fields or {}) for i in found if isinstance(i, InputText)] in (
            [{"n": 1}, {"n": 2}],
            [{"n": "1"}, {"n": "2"}],
        )
    assert texts(read(tmp_path / "r.tsv")) == [(row["id"], row["text"]) for row in plain]
    for name in ("r.jsonl", "r.csv", "r.tsv", "r.parquet"):
        assert is_collection(find_inputs([str(tmp_path / name)]), ReadOptions())


LONG_TEXTS = (
    "é" * 1_000_000,
    "Ann ran." + "\\" * 9**6,
    "Ann ran.!" + "\\" * 9**6,
    "{x}}" * 300_000,  # may be cut off after what looks like the end of the object
    "{x}}" * 300_000 + "}",
)


@pytest.mark.parametrize("text", LONG_TEXTS, ids=range(len(LONG_TEXTS)))
def test_one_row_may_be_longer_than_all_that_is_examined(text: str, tmp_path: Path) -> None:
    (tmp_path / "r.jsonl").write_text(json.dumps({"id": "7", "text": text, "n": 1}) + "\n")
    assert texts(read(tmp_path / "r.jsonl")) == [("7", text)]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_rows_may_be_longer_than_what_a_file_is_recognised_by(
    encoding: str, tmp_path: Path
) -> None:
    text = "Ann ran. " * 20_000
    (tmp_path / "r.jsonl").write_text(json.dumps({"text": text}) + "\n", encoding)
    (tmp_path / "r.csv").write_text(f"id,text\nr:1,{text}\n", encoding)
    for name in ("r.jsonl", "r.csv"):
        assert texts(read(tmp_path / name)) == [("r:1", text)]


def test_fields_have_the_names_that_are_given(tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_text('{"body": "I am late.", "key": 7, "who": "Ann", "at": [1]}\n', encoding="utf-8")
    (item,) = read(path, fields=RowFields("body", "key", "who"))
    assert isinstance(item, InputText)
    assert (item.document.id, item.speaker, item.fields) == ("7", "Ann", {"at": [1]})
    (item,) = read(path, fields=RowFields("body"))
    assert isinstance(item, InputText)
    assert item.document.id == "chat:1"
    assert reasons(read(path, fields=RowFields("none"))) == {
        "chat.jsonl:1": "expected the field 'none', found body, key, who, at"
    }


def test_a_broken_row_does_not_concern_the_others(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    lines = [
        b'{"text": "one"}', b"{", b"[1]", b'{"text": 3}', b'{"no": ""}', b'{"text": "\xe9"}', b"",
        b'{"text": "\\ud800"}', b'{"text": "x", "n": NaN}', b'{"text": "two"}',
    ]  # fmt: skip
    path.write_bytes(b"\n".join(lines) + b"\n")
    found = read(path, fields=RowFields("text"))
    assert [text for _, text in texts(found)] == ["one", "two"]
    assert list(reasons(found)) == [f"r.jsonl:{n}" for n in (2, 3, 4, 5, 6, 8, 9)]
    assert "the byte 0xe9" in reasons(found)["r.jsonl:6"]
    with pytest.raises(CoindexError, match=r"r\.jsonl:2: expected a JSON object"):
        read(path, fields=RowFields("text"), skip=False)
    path = tmp_path / "r.csv"
    path.write_bytes(b'id,text\n1,one\n2\n3,"a\nb"\n4,\xe9\n\n5,"two"x\n6,three\n')
    found = read(path)
    assert [text for _, text in texts(found)] == ["one", "a\nb", "three"]
    assert list(reasons(found)) == ["r.csv:3", "r.csv:6", "r.csv:8"]


@pytest.mark.parametrize("first", ["{", '{"id": 1, "text": null}', '{"id": 1}', "[1]", "x"])
def test_the_first_row_may_be_broken_too(first: str, tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text(f'{first}\n{{"id": 2, "text": "Ann ran."}}\n', encoding="utf-8")
    found = read(path)
    assert texts(found) == [("2", "Ann ran.")]
    assert list(reasons(found)) == ["r.jsonl:1"]
    assert is_collection(find_inputs([str(path)]), ReadOptions())


def test_documents_after_a_broken_line_are_not_read_as_rows(tmp_path: Path) -> None:
    (document,) = formats.write_lines([Document("d", "Ann ran.")], "document-jsonl")
    (tmp_path / "r.jsonl").write_text(f"{{\n{document}", encoding="utf-8")
    assert texts(read(tmp_path / "r.jsonl")) == []


LOST = "expected the closing quotation mark of a field that begins in this line:"


@pytest.mark.parametrize(
    ("rows", "read_ids", "skipped"),
    [
        pytest.param(
            '1,one\n2,"two\n3,three\n4,four\n', ["1"],
            {"r.csv:3": f"{LOST} the next 2 lines, up to line 5, are taken for its text, and not read"},
            id="to the end",
        ),
        pytest.param(
            '1,"two\n2,three\n3,"four"\n4,five\n', ["4"],
            {"r.csv:2": f"{LOST} the next 2 lines, up to line 4, are taken for its text, and not read"},
            id="to the next quotation mark",
        ),
        pytest.param(
            '1,one\n"2\n2","a ""b"",\nc\n3,three', ["1"],
            {"r.csv:4": f"{LOST} the next 2 lines, up to line 6, are taken for its text, and not read"},
            id="not in the first line of its row",
        ),
        pytest.param(
            '1,"one\n2","two"\n3,three\n', ["3"],
            {"r.csv:2": "expected 2 fields as in the first line, found 3 in a row of 2 lines:"
                        " is a quotation mark not closed?"},
            id="the row looks whole",
        ),
        pytest.param(
            '1,a "b" c\n2,"d\n"\n3,"e\n4,f', ["1", "2"],
            {"r.csv:5": f"{LOST} the next line is taken for its text, and not read"},
            id="other quotation marks",
        ),
    ],
)  # fmt: skip
def test_what_an_open_quotation_mark_takes_is_told(
    rows: str, read_ids: list[str], skipped: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "r.csv").write_text(f"id,text\n{rows}", encoding="utf-8")
    found = read(tmp_path / "r.csv")
    assert [id for id, _ in texts(found)] == read_ids
    assert reasons(found) == skipped


def test_no_row_is_read_under_a_broken_header(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text('text,"id\none,1\n"two",2\nthree,3\n', encoding="utf-8")
    found = read(tmp_path / "r.csv", fields=RowFields("text"))
    assert texts(found) == []
    assert reasons(found)["r.csv:1"].endswith("and not read; without a header, no row is read")


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_csv_has_the_separator_of_its_header(separator: str, tmp_path: Path) -> None:
    rows = [("id", "text", "a, b"), ("1", "One; two, three | four.", "x"), ("2", 'Say "no".', "")]
    path = tmp_path / "r.csv"
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream, delimiter=separator).writerows(rows)
    assert texts(read(path)) == [(row[0], row[1]) for row in rows[1:]]
    assert texts(read(path, fields=RowFields("a, b"))) == [("1", "x"), ("2", "")]


def test_a_line_that_names_the_separator_is_no_header(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text("sep=;\r\nid;text\r\n1;Ann, Bo ran.\r\n", encoding="utf-8")
    assert texts(read(tmp_path / "r.csv")) == [("1", "Ann, Bo ran.")]
    assert texts(read(tmp_path / "r.csv", fields=RowFields("text"))) == [("1", "Ann, Bo ran.")]


def test_columns_of_the_same_name_are_not_mixed_up(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text("id,text,n,n,n_2,n\n1,Ann ran.,a,b,c,d\n", encoding="utf-8")
    (found,) = read(path)
    assert isinstance(found, InputText)
    assert found.fields == {"n": "a", "n_3": "b", "n_2": "c", "n_4": "d"}
    path.write_text("id,text,text\n1,Ann ran.,Bo ran.\n", encoding="utf-8")
    assert reasons(read(path)) == {
        "r.csv:1": "expected one field 'text', found 2 of them: its row is not read"
    }


def test_line_ends_of_old_computers_have_a_reason(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_bytes(b"id,text\r1,Ann ran.\r")
    assert "found \\r alone: convert them" in reasons(read(tmp_path / "r.csv"))["r.csv:1"]


@pytest.mark.skipif(os.name != "posix", reason="names of files are bytes on POSIX alone")
def test_names_that_are_not_utf8_are_shown_as_bytes(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for name, content in (
        (b"a\xff.txt", b"Ann ran."),
        (b"b\xff.txt", b"\xff"),
        (b"c\xff.pdf", b"%PDF-"),
    ):
        (folder / os.fsdecode(name)).write_bytes(content)
    with tarfile.open(folder / os.fsdecode(b"d\xff.tar"), "w") as archive:
        archive.add(folder / os.fsdecode(b"a\xff.txt"), os.fsdecode(b"e\xff.txt"))
    found = read(folder)
    assert texts(found) == [(r"a\xff", "Ann ran."), (r"d\xff.tar/e\xff", "Ann ran.")]
    assert [each.target for each in found if isinstance(each, InputText)] == [
        r"a\xff.txt", r"d\xff.tar/e\xff.txt",
    ]  # fmt: skip
    told = reasons(found)
    assert told[r"b\xff.txt"] == "line 1: expected UTF-8 text, found the byte 0xff (see --encoding)"
    assert told[r"c\xff.pdf"].startswith("a PDF, not text")
    assert texts(read(os.fsdecode(bytes(folder) + b"/a\xff.txt"))) == [(r"a\xff", "Ann ran.")]


@pytest.mark.parametrize(
    ("name", "content", "found"),
    [
        ("r.csv", "id;body\n1;Ann, who ran.\n", "'id', 'body', separated by semicolons"),
        ("r.csv", "1,Ann ran.\n2,Bo fell.\n", "'1', 'Ann ran.', separated by commas"),
        ("r.tsv", "id\tbody\n1\tAnn ran.\n", "'id', 'body', separated by tabs"),
        ("r.csv.gz", "Ann ran.\nBo fell.\n", "'Ann ran.', separated by commas"),
        ("r.csv", ",".join(f"c{n}" for n in range(12)), "'c9' and 2 more, separated by commas"),
        ("r.csv", f"id,{'x' * 50}", f"'id', '{'x' * 30}…', separated by commas"),
    ],
)
def test_a_table_without_a_column_of_texts_is_no_prose(
    name: str, content: str, found: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(gzip.compress(content.encode()) if name.endswith("gz") else content.encode())
    (tmp_path / "zz.txt").write_text("Ann ran.", encoding="utf-8")
    items = read(tmp_path)
    assert texts(items) == [("zz", "Ann ran.")]
    assert reasons(items)[name].startswith("expected the column 'text', or --text-field for")
    assert f"{found}, in the first line" in reasons(items)[name]
    assert texts(read(path, format="text")) == [("r", content)]
    assert not is_collection(find_inputs([str(path)]), ReadOptions())
    with pytest.raises(InputError, match="--text-field for another one"):
        read(path, skip=False)


def test_tables_in_a_format_are_documents(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text("#FORMAT=WebAnno TSV 3.3\n\n\n#Text=Ann ran\n1-1\t0-3\tAnn\n1-2\t4-7\tran\n")
    assert [text.split() for _, text in texts(read(path))] == [["Ann", "ran"]]


@pytest.mark.parametrize("name", ["r.jsonl", "r.ndjson", "r.csv", "r.tsv", "r.jsonl.gz"])
@pytest.mark.parametrize("content", [b"", b"\n \n", b"\xef\xbb\xbf"])
def test_no_rows_are_no_texts(
    name: str, content: bytes, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / name
    path.write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    caplog.set_level("INFO", "coindex")
    assert read(path) == []
    assert caplog.messages == [f"{path}: no rows, and no texts"]
    assert is_collection(find_inputs([str(path)]), ReadOptions())
    (tmp_path / "r.csv").write_text("id,text\n", encoding="utf-8")
    assert read(tmp_path / "r.csv") == []


def test_a_field_that_a_table_does_not_have_is_told_once(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text("id,text\n" + "1,a\n" * 1000, encoding="utf-8")
    found = read(tmp_path / "r.csv", fields=RowFields("body"))
    assert reasons(found) == {
        "r.csv:1": "expected the field 'body', found 'id', 'text': none of its 1,000 rows is read"
    }
    found = read(tmp_path / "r.csv", fields=RowFields("text", speaker="who"))
    assert len(found) == 1
    with pytest.raises(InputError, match=r"r\.csv:1: expected the field 'body'"):
        read(tmp_path / "r.csv", fields=RowFields("body"), skip=False)


@given(st.lists(st.lists(st.text('a",\n '), min_size=2, max_size=2), max_size=6))
def test_tables_that_were_written_properly_have_no_reasons(values: list[list[str]]) -> None:
    from coindex.batch.tables import TableKind, table_rows

    stream = standard_io.StringIO(newline="")
    csv.writer(stream).writerows([["x", "y"], *values])
    found = [row for _, row in table_rows(stream.getvalue().splitlines(keepends=True), TableKind())]
    assert found == [{"x": x, "y": y} for x, y in values]


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=1, max_size=8))
def test_every_text_comes_back_from_rows_as_it_is(values: list[str]) -> None:
    from coindex.batch.rows import read_rows, row_document

    lines = "".join(json.dumps({"text": text}, ensure_ascii=False) + "\n" for text in values)
    rows = list(read_rows(standard_io.BytesIO(lines.encode()), "jsonl", "utf-8", RowFields()))
    assert [n for n, _ in rows] == list(range(1, len(values) + 1))
    found = [row_document(row, RowFields(), "x")[0].text for _, row in rows if not isinstance(row, str)]  # fmt: skip
    assert found == values


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.pdf", b"%PDF-1.7\n\0", "a PDF, not text: extract its text first, for example with pdftotext"),
        ("a.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0", "an office document"),
        ("a.rtf", b"{\\rtf1 Ann}", "an RTF document"),
        ("a.png", b"\x89PNG\r\n\x1a\n\0", "an image (PNG)"),
        ("a.bin", bytes(range(256)), "binary data, not text"),
        ("a.txt", "Ann ran.".encode("utf-16-le"), "UTF-16 without a byte order mark"),
        ("b.txt", b"one\ntwo \xe9t\xe9\n", "line 2: expected UTF-8 text, found the byte 0xe9"),
        ("a.gz", b"\x1f\x8b\x08\0broken", "cannot be"),
        ("a.conll", b"#begin document (a)\nx\n", "line 1: document 'a' has no '#end document'"),
    ],
)  # fmt: skip
def test_what_is_not_text_is_called_by_its_name(
    name: str, content: bytes, message: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(content)
    (tmp_path / "zz.txt").write_text("Ann ran.", encoding="utf-8")
    found = read(tmp_path)
    assert texts(found) == [("zz", "Ann ran.")]
    assert message in reasons(found)[name]


def test_office_files_are_no_archives(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.docx", "w") as archive:
        archive.writestr("[Content_Types].xml", "<x/>")
        archive.writestr("word/document.xml", "<x/>")
    with zipfile.ZipFile(tmp_path / "b.odt", "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.text")
    found = reasons(read(tmp_path))
    assert found["a.docx"].startswith("a Word document (.docx), not text: extract")
    assert found["b.odt"].startswith("an OpenDocument file")


def test_encodings(tmp_path: Path) -> None:
    said = "René said he’d pay £5 — “soon”."
    for name, encoding in (("a", "utf-8-sig"), ("b", "utf-16"), ("c", "utf-32"), ("d", "cp1252")):
        (tmp_path / f"{name}.txt").write_bytes(said.encode(encoding))
    assert texts(read(tmp_path)) == [(name, said) for name in "abc"]
    assert texts(read(tmp_path, encoding="auto")) == [(name, said) for name in "abcd"]
    assert texts(read(tmp_path / "d.txt", encoding="cp1252")) == [("d", said)]
    assert check_encoding("Latin1") == "iso8859-1"
    with pytest.raises(UsageError, match="expected auto or the name of an encoding"):
        check_encoding("klingon")
    with pytest.raises(UsageError):
        check_encoding("base64")


@pytest.mark.parametrize(
    "text", ["The café was closed.", "naïve résumé", "It cost £40 — “a lot”, he said."]
)
def test_short_english_texts_are_in_windows_1252(text: str) -> None:
    assert guess_encoding(text.encode("cp1252")) == "cp1252"


def test_a_text_with_a_stray_zero_is_a_text() -> None:
    assert not_text(b"Ann ran. " * 50 + b"\0" + b"She fell. " * 50) is None


def test_parquet_without_pyarrow_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    (tmp_path / "r.parquet").write_bytes(b"PAR1....PAR1")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtra, match=r"pip install .*\[parquet\]'"):
        read(tmp_path / "r.parquet")


def test_a_broken_parquet_file_has_a_reason(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="needs pyarrow: pip install 'coindex[parquet]'")
    (tmp_path / "r.parquet").write_bytes(b"PAR1....PAR1")
    assert "expected a Parquet file" in reasons(read(tmp_path / "r.parquet"))["r.parquet"]


def test_values_that_json_does_not_have(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="needs pyarrow: pip install 'coindex[parquet]'")
    parquet = pytest.importorskip("pyarrow.parquet")
    row = {
        "text": "a", "at": datetime.date(2020, 1, 2), "x": float("nan"), "raw": b"\xff",
        "name": "Zoë".encode(), "list": [float("inf"), 1.5],
    }  # fmt: skip
    parquet.write_table(pyarrow.Table.from_pylist([row]), tmp_path / "r.parquet")
    (item,) = read(tmp_path / "r.parquet", fields=RowFields(id="at"))
    assert isinstance(item, InputText)
    assert item.document.id == "2020-01-02"
    assert item.fields == {"x": None, "raw": {"base64": "/w=="}, "name": "Zoë", "list": [None, 1.5]}


def test_binary_columns_are_text_only_if_they_hold_text(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="needs pyarrow: pip install 'coindex[parquet]'")
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = [{"text": "Zoë ran.".encode(), "id": b"a"}, {"text": b"Zo\xeb fell.", "id": b"b"}]
    parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "r.parquet")
    found = read(tmp_path / "r.parquet")
    assert texts(found) == [("a", "Zoë ran.")]
    assert reasons(found) == {
        "r.parquet:2": "expected text in the field 'text', found binary data that is not UTF-8"
        " (the byte 0xeb): convert the column to strings first"
    }
    assert reasons(read(tmp_path / "r.parquet", fields=RowFields("body"))) == {
        "r.parquet:1": "expected the field 'body', found 'text', 'id': none of its 2 rows is read"
    }


def test_patterns() -> None:
    assert matches("a/b.txt", ["*.txt"])
    assert matches("a/b.txt", [])
    assert matches("a/b.txt", ["a/*"])
    assert not matches("a/b.txt", ["b/*", "*.md"])
