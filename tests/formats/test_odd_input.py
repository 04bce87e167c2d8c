"""What users do that no specification foresees; each case was once wrong."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import zstandard

from coindex import Document, Entity, FormatError, InvalidValue, Mention, Span, formats, io
from coindex.errors import InputError
from coindex.formats import read_lines
from coindex.types.source import Source


def read(text: str, format: str | None = None) -> list[Document]:
    lines = [line + "\n" for line in text.split("\n")]
    return list(read_lines(lines, format, Source("x")))  # type: ignore[arg-type]


def conll(*rows: str) -> str:
    return "\n".join(["#begin document (d);", *rows, "#end document"])


@pytest.mark.parametrize(
    ("text", "looks"),
    [
        ("#begin documnt (d)\na\t-\n#end document", "a CoNLL header"),
        ('{"text": "Ann slept", "clusters": []}', "JSON"),
        ('[\n{"original_sentence": "x"}\n]', "JSON"),
        ("<!DOCTYPE x>\n<collection/>", "XML"),
        ("id\ttext\n1\tAnn slept\n2\tBo ran", "a table by tabs"),
    ],
)
def test_structure_nobody_knows_is_not_read_as_plain_text(text: str, looks: str) -> None:
    with pytest.raises(FormatError, match=f"found {looks} of another kind: name it with --from"):
        read(text)
    assert read(text, "text")[0].text.startswith(text)


@pytest.mark.parametrize(
    "text",
    [
        "Ann slept.",
        "[Ann] slept",
        "1. Ann\n2. Bo",
        "# A title\n\nAnn slept",
        "<ann> hi\n<bo> hi",
        "<!DOCTYPE html>\n<p>Ann</p>",
        "<p>Ann</p>\n<p>Bo</p>",
    ],
)
def test_plain_text_is_plain_text(text: str) -> None:
    assert read(text)[0].text.startswith(text)


def test_rows_of_another_width_are_an_error() -> None:
    wide = "d\t0\t{}\tw\tNN\t*\t-\t-\t-\t-\t*\t-"
    with pytest.raises(FormatError, match=r"x:3: expected 12 columns, found 3: '0 slept -'"):
        read(conll(wide.format(0), "0\tslept\t-", wide.format(2)))
    with pytest.raises(FormatError, match=r"x:3: expected 12 columns, found 11"):
        read(conll(wide.format(0), "\t".join(wide.format(1).split("\t")[1:]), wide.format(2)))
    extra = wide.replace("\t-", "\t(V*)\t-")
    assert len(read(conll(wide.format(0), "", extra.format(0)))[0]) == 2, "verbs have arguments"


def test_columns_by_spaces_are_split_at_spaces_alone() -> None:
    (document,) = read(conll("d 0 0 10\u00a0000 CD * - - - - * -"))
    assert document.tokens == ("10\u00a0000",)


def test_words_may_begin_with_a_number_sign() -> None:
    (document,) = read(conll("# -", "#1 (2)", "# a comment", "x -"))
    assert document.tokens == ("#", "#1", "x")
    assert document.entities == (Entity((Mention.at(1, 2),), "2"),)
    assert document.sentences == (0, 2)


@pytest.mark.parametrize("format", formats.names("document"))
def test_documents_without_tokens(format: str, tmp_path: Path) -> None:
    formats.write(tmp_path / "out", [Document("d", "")], format)
    assert Document("d", "").mentions == ()
    assert list(Document("d", "").sentence_spans()) == []


def test_corefud_escapes_what_would_end_a_label() -> None:
    mention = Mention((Span(0, 1),), kind="PRO-PER(x)|y", attrs=(("other", "a-b"), ("size", "big")))
    document = Document.of("a  b", [["Ann"]], [Entity((mention,), "1")])
    losses = formats.ConversionLosses("corefud")
    text = "".join(formats.write_lines([document], "corefud", losses))
    assert "Entity=(1-PRO%2DPER%28x%29%7Cy--a-b)" in text
    assert read(text)[0].entities[0].mentions[0].attrs == (("head", ""), ("other", "a-b"))
    told = " ".join(losses.lines())
    assert "1 labels with a character that CorefUD cannot hold" in told
    assert "1 mention attributes that global.Entity does not name" in told
    assert "1 documents renamed" in told


def test_brat_keeps_the_ids_that_other_lines_refer_to(tmp_path: Path) -> None:
    annotation = (
        "T1\tp 0 3\tAnn\nT2\tp 4 7\tshe\nR1\tcoref Arg1:T1 Arg2:T2\nR2\towns Arg1:T1 Arg2:T2\n"
        "A1\tSure R2\n#1\tAnnotatorNotes R2\tcheck\n"
    )
    (tmp_path / "d.ann").write_text(annotation)
    (tmp_path / "d.txt").write_text("Ann she")
    (document,) = formats.read(tmp_path / "d.ann")
    assert isinstance(document, Document)
    named = Document(**{**{f: getattr(document, f) for f in document.__slots__},
                        "entities": (Entity(document.entities[0].mentions, "ann"),)})  # fmt: skip
    formats.write(tmp_path / "out", [named], "brat")
    written = (tmp_path / "out" / "d.ann").read_text()
    assert "R2\towns Arg1:T1 Arg2:T2\n" in written
    assert "#1\tAnnotatorNotes R2\tcheck\n" in written
    assert written.count("\n#1\t") == 1, "our notes are numbered above those there are"
    assert list(formats.read(tmp_path / "out" / "d.ann")) == [named]


def test_brat_folders_are_read_and_nothing_twice(tmp_path: Path) -> None:
    documents = [
        Document.of(id, [["Ann", "slept"]], [Entity((Mention.at(0, 1),), "1")]) for id in "ab"
    ]
    formats.write(tmp_path / "out", documents, "brat")
    everything = [tmp_path / "out" / f"{id}.{end}" for id in "ab" for end in ("ann", "txt")]
    expected = [str(tmp_path / "out" / f"{id}.ann") for id in "ab"]
    assert formats.expand_paths(everything) == expected
    assert formats.expand_paths([tmp_path / "out"]) == expected
    assert formats.expand_paths([tmp_path]) == [str(tmp_path)]


def test_brat_with_many_pairs_is_not_slow_and_finds_one_entity(tmp_path: Path) -> None:
    count = 3000
    marks = "".join(f"T{i}\tp {2 * i} {2 * i + 1}\ta\n" for i in range(count))
    pairs = "".join(f"R{i}\tcoref Arg1:T{i} Arg2:T{i + 1}\n" for i in range(count - 1))
    (tmp_path / "d.ann").write_text(marks + pairs)
    (tmp_path / "d.txt").write_text("a " * count)
    (document,) = formats.read(tmp_path / "d.ann")
    assert isinstance(document, Document)
    assert [len(entity) for entity in document.entities] == [count]


def test_brat_keys_need_numbers(tmp_path: Path) -> None:
    (tmp_path / "d.ann").write_text("T\tp 0 1\ta\n*\tCoref T T2\n")
    (tmp_path / "d.txt").write_text("a b")
    with pytest.raises(FormatError, match=r"d\.ann:1: expected a line such as"):
        list(formats.read(tmp_path / "d.ann"))


def test_mentions_of_white_space_are_counted_on_their_way_to_brat(tmp_path: Path) -> None:
    document = Document.of(
        "d", [["a", "\u00a0", "b"]], [Entity((Mention.at(1, 2), Mention.at(2, 3)), "1")]
    )
    losses = formats.write(tmp_path / "out", [document], "brat")
    assert losses.lost["edges"] == 1


def test_changed_ids_and_tokens_are_told(tmp_path: Path) -> None:
    document = Document("a\tb", "x\ny", ("x\ny",), (0,), (3,), (0,))
    for format, told in [
        ("conll2012", ["1 documents renamed", "1 token(s) with a line break"]),
        ("brat", ["1 documents renamed"]),
    ]:
        losses = formats.write(tmp_path / format, [document], format)
        for piece in told:
            assert any(piece in line for line in losses.lines())
    assert len(list(formats.read(tmp_path / "conll2012"))) == 1
    formats.write(tmp_path / "unnamed", [Document.of("", [["x"]])], "conll2012")
    assert [item.id for item in formats.read(tmp_path / "unnamed")] == ["_"]


def test_a_cut_zstd_file_is_noticed(tmp_path: Path) -> None:
    packed = zstandard.ZstdCompressor().compress(os.urandom(40_000).hex().encode())
    path = tmp_path / "a.zst"
    path.write_bytes(packed[: len(packed) // 2])
    with pytest.raises(InputError, match="cannot be read: the file ends before"):
        io.read_text(path)
    path.write_bytes(zstandard.compress(b"Ann ") + zstandard.compress(b"slept"))
    assert io.read_text(path) == "Ann slept"


def test_odd_paths_are_one_line_errors(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match="cannot be read: Not a directory"):
        io.read_text(tmp_path / "file" / "x")
    with pytest.raises(InputError, match="File name too long"):
        io.read_text(tmp_path / ("x" * 300))
    with pytest.raises(InputError, match="File name too long"):
        io.write_text(tmp_path / ("x" * 300), ["a"])
    with pytest.raises(InputError, match="expected a folder, found a file"):
        formats.write(tmp_path / "file", [Document.of("d", [["a"]])], "brat")
    with pytest.raises(InputError, match="No space left"):
        io.write_text("/dev/full", ["a" * 100_000])
    formats.write(tmp_path / "long", [Document.of("字" * 150, [["a"]])], "brat")
    assert len(list((tmp_path / "long").iterdir())) == 2


def test_half_a_character_cannot_be_written(tmp_path: Path) -> None:
    document = Document.of("d", [["\ud800"]])
    with pytest.raises(InputError, match=r"found half a character \(\\ud800\)"):
        formats.write(tmp_path / "a", [document], "conll2012")
    formats.write(tmp_path / "b", [document], "document-jsonl")
    assert list(formats.read(tmp_path / "b")) == [document]


def test_standard_input_is_read_once() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "coindex", "check", "-", "-"],
        input="Ann",
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "<stdin>" in done.stdout


@pytest.mark.parametrize("value", ["[1]", "not json", "3"])
def test_jsonlines_keeps_a_fact_that_is_no_object(value: str) -> None:
    document = Document.of("d", [["a"]], meta=(("json", value),))
    assert '"json":' in "".join(formats.write_lines([document], "jsonlines"))


def test_jsonlines_with_null_and_empty_sentences() -> None:
    source = Source("x")
    line = '{"doc_key":"d","sentences":[["a"],[]],"clusters":null,"speakers":null}\n'
    (document,) = read_lines([line], None, source)
    assert len(document) == 1  # type: ignore[arg-type]
    assert [finding.rule for finding in source.findings] == ["empty"]


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("a/ch.1.txt", "ch.1"),
        ("x.conll.gz", "x"),
        ("<stdin>", "stdin"),
        ("x", "x"),
        (".hidden", ".hidden"),
    ],
)
def test_documents_are_called_after_their_files(name: str, stem: str) -> None:
    assert io.stem(name) == stem


def test_later_pieces_that_say_more_are_noted() -> None:
    rows = ["1\ta" + "\t_" * 7 + "\tEntity=(e[1/2]-x-1-)", "2\tb" + "\t_" * 8,
            "3\tc" + "\t_" * 7 + "\tEntity=(e[2/2]-y-1-)"]  # fmt: skip
    source = Source("x")
    list(read_lines([row + "\n" for row in rows], None, source))
    assert [finding.rule for finding in source.findings] == ["span"]


@pytest.mark.parametrize(
    "make",
    [
        lambda: Document("d", "a", ["a"], (0,), (1,), (0,)),  # type: ignore[arg-type]
        lambda: Document.of("d", ["Ann slept"]),
        lambda: Mention([Span(0, 1)]),  # type: ignore[arg-type]
        lambda: Document("d", "", part=-1),
    ],
)
def test_lists_strings_and_negative_parts_are_refused(make: object) -> None:
    with pytest.raises(InvalidValue):
        make()  # type: ignore[operator]


def test_converting_nothing_is_a_failure(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("Ann met Bo and she sang.\nshe\nAnn,Bo\nAnn\n\n")
    out = tmp_path / "out"
    done = subprocess.run(
        [sys.executable, "-m", "coindex", "convert", str(path), "--to", "winogender", "-o", str(out)],
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 1
    assert "0 item(s) written" in done.stderr
