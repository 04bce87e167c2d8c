"""Golden values for each document format, and the dialects found in the wild."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from coindex import Document, Entity, FormatError, Mention, Span, formats
from coindex.errors import InputError, UnknownName, UsageError
from coindex.formats import read_lines
from coindex.types.source import Source


def read(text: str, format: str | None = None, name: str = "x") -> list[Document]:
    lines = [line + "\n" for line in text.split("\n")]
    return list(read_lines(lines, format, Source(name)))  # type: ignore[arg-type]


def written(document: Document, format: str) -> str:
    return "".join(formats.write_lines([document], format))


OFFICIAL = """\
#begin document (nw/a); part 001
nw/a   1   0   Ann   NNP   (TOP(S(NP*)   -   -   -   Bo   (PERSON)   (ARG0*)   (1)
nw/a   1   1   fed   VBD   (VP*   feed   01   1   Bo   *   (V*)   -
nw/a   1   2   her   PRP$  (NP*   -   -   -   Bo   *   (ARG1*   (2|(1)
nw/a   1   3   dog   NN    *))))   dog   -   -   Bo   *   *)   2)

nw/a   1   0   It    PRP   (TOP(S(NP*)   -   -   -   -   *   -   (2)
nw/a   1   1   slept VBD   (VP*)))   sleep   01   -   -   *   -   -

#end document
"""


def test_official_conll2012() -> None:
    (document,) = read(OFFICIAL)
    assert document.id == "nw/a"
    assert document.part == 1
    assert document.tokens == ("Ann", "fed", "her", "dog", "It", "slept")
    assert document.text == "Ann fed her dog\nIt slept"
    assert document.sentences == (0, 4)
    assert document.pos == ("NNP", "VBD", "PRP$", "NN", "PRP", "VBD")
    assert document.parse == ("(TOP(S(NP*)", "(VP*", "(NP*", "*))))", "(TOP(S(NP*)", "(VP*)))")
    assert document.lemma == ("-", "feed", "-", "dog", "-", "sleep")
    assert document.speakers == ("Bo", "Bo", "Bo", "Bo", "", "")
    assert document.layer("names") == ("(PERSON)", "*", "*", "*", "*", "*")
    assert document.layer("arguments") == ("(ARG0*)", "(V*)", "(ARG1*", "*)", "-", "-")
    assert document.entities == (
        Entity((Mention.at(0, 1), Mention.at(2, 3)), "1"),
        Entity((Mention.at(2, 4), Mention.at(4, 5)), "2"),
    )
    assert read(written(document, "conll2012")) == [document]


@pytest.mark.parametrize(
    ("header", "id", "part"),
    [
        ("#begin document (a); part 000", "a", 0),
        ("#begin document (a); ", "a", None),
        ("#begin document (a(b) c); part 012", "a(b) c", 12),
        ("#begin document GUM_news_x", "GUM_news_x", None),
        ("# begin document GUM_news_x", "GUM_news_x", None),
        ("#BEGIN DOCUMENT (a)", "a", None),
    ],
)
def test_headers(header: str, id: str, part: int | None) -> None:
    (document,) = read(f"{header}\nx 0 0 Ann (1)\n#end document")
    assert (document.id, document.part) == (id, part)


@pytest.mark.parametrize(
    ("row", "word"),
    [
        ("d -", "_"),
        ("Ann -", "Ann"),
        ("1\tAnn\t-", "Ann"),
        ("d\t0\t1\tAnn\t-", "Ann"),
        ("d\t0\t1\tAnn\t-\t", "Ann"),
        ("d\t0\t1\tAnn" + "\t_" * 8 + "\t", "Ann"),
        ("d\t0\t1\tAnn Lee\tNN\t-\t-\t-\t-\t-\t*\t-", "Ann Lee"),
    ],
)
def test_widths(row: str, word: str) -> None:
    (document,) = read(f"#begin document (d);\n{row}\n\n{row}\n#end document")
    assert document.tokens == (word, word)
    assert document.sentences == (0, 1)


def test_litbank_leaves_the_last_column_empty() -> None:
    blank = "\t_" * 8
    rows = [f"d\t0\t0\tAnn{blank}\t(0)", f"d\t0\t1\tran{blank}\t", f"d\t0\t2\the{blank}\t(0)"]
    (document,) = read("\n".join(["#begin document (d); part 0", *rows, "#end document"]))
    assert document.pos is None
    assert document.layers == ()
    assert document.entities == (Entity((Mention.at(0, 1), Mention.at(2, 3)), "0"),)


def test_brackets_without_bars_and_crossing_entities() -> None:
    rows = ["a (1(3(3", "b 3)", "c 1)3)(2)", "d (x-7", "e x-7)"]
    (document,) = read("\n".join(["#begin document (q)", *rows, "#end document"]))
    assert {e.id: [m.spans[0] for m in e.mentions] for e in document.entities} == {
        "1": [Span(0, 3)],
        "2": [Span(2, 3)],
        "3": [Span(0, 2), Span(0, 3)],
        "x-7": [Span(3, 5)],
    }


def test_repeated_mentions_are_kept_once_and_noted() -> None:
    source = Source("f")
    lines = ["#begin document (d)\n", "a (1)|(1)\n", "#end document\n"]
    (document,) = read_lines(lines, "conll2012", source)
    assert isinstance(document, Document)
    assert document.entities == (Entity((Mention.at(0, 1),), "1"),)
    assert [str(finding) for finding in source.findings] == [
        "f:2: entity 1 holds the mention of tokens 0 to 0 twice; kept once [repeated]"
    ]


def test_crlf_files() -> None:
    (document,) = read(OFFICIAL.replace("\n", "\r\n"))
    assert [document] == read(OFFICIAL)


COREFUD = """\
# newdoc id = d
# global.Entity = eid-etype-head-other
# sent_id = d-1
# speaker = Bo
# text = Don't tell Ann.
1-2	Don't	_	_	_	_	_	_	_	_
1	Do	do	AUX	VB	_	3	aux	_	_
2	n't	not	PART	RB	_	3	advmod	_	_
3	tell	tell	VERB	VB	_	0	root	_	_
3.1	_	you	PRON	PRP	_	_	_	3:nsubj	Entity=(e1-person-1-)
4	Ann	Ann	PROPN	NNP	_	3	obj	_	Entity=(e2[1/2]-person-1-)|SpaceAfter=No
5	.	.	PUNCT	.	_	3	punct	_	_

# newpar
# sent_id = d-2
# text = She too
1	She	she	PRON	PRP	_	0	root	_	Bridge=e1<e4:part|Entity=(e4-person-1-(e2-person--)|SplitAnte=e1<e4,e2<e4
2	too	too	ADV	RB	_	1	advmod	_	Entity=(e2[2/2])e4)

"""


def test_corefud() -> None:
    (document,) = read(COREFUD.removesuffix("\n"))
    assert document.id == "d"
    assert document.text == "Don't tell Ann.\nShe too"
    assert document.tokens[:4] == ("Do", "n't", "tell", "_")
    assert document.zeros == (3,)
    assert document.heads == (2, 2, -1, -1, 2, 2, -1, 6)
    assert document.speakers == ("Bo",) * 6 + ("",) * 2
    assert document.chars(Span(0, 2)).of(document.text) == "Don't"
    assert document.chars(Span(3, 4)).of(document.text) == ""
    other = (("other", ""),)
    assert document.entities == (
        Entity((Mention((Span(3, 4),), 3, "person", attrs=other),), "e1"),
        Entity(
            (
                Mention((Span(4, 5), Span(7, 8)), 4, "person", attrs=other),
                Mention((Span(6, 7),), None, "person", attrs=(("head", ""), *other)),
            ),
            "e2",
        ),
        Entity((Mention((Span(6, 8),), 6, "person", attrs=other),), "e4"),
    )
    assert written(document, "corefud") == COREFUD


def test_corefud_without_the_links_of_entities_that_are_gone() -> None:
    (document,) = read(COREFUD.removesuffix("\n"))
    e1, e2, e4 = document.entities
    losses = formats.ConversionLosses("corefud")
    without_e1 = replace(document, entities=(e2, e4))
    text = "".join(formats.write_lines([without_e1], "corefud", losses))
    assert "\tEntity=(e4-person-1-(e2-person--)|SplitAnte=e2<e4\n" in text
    assert losses.noted == {"links (Bridge, SplitAnte) left out: an entity of theirs is gone": 2}
    text = written(replace(document, entities=(e1, e2)), "corefud")
    assert "Bridge" not in text
    assert "SplitAnte" not in text
    other = Entity((Mention.at(0, 1),), "e4")
    assert "e1<e4" not in written(replace(document, entities=(e1, e2, other)), "corefud"), (
        "another entity has the name now: it does not begin where the link stands"
    )


def test_corefud_writes_heads_that_the_file_had_no_field_for() -> None:
    text = COREFUD.replace("eid-etype-head-other", "eid-etype-other")
    text = text.replace("-person-1-", "-person-").replace("-person--", "-person-")
    (document,) = read(text.removesuffix("\n"))
    assert written(document, "corefud") == text
    heads = tuple(
        replace(e, mentions=tuple(replace(m, head=m.start) for m in e.mentions))
        for e in document.entities
    )
    with_heads = written(replace(document, entities=heads), "corefud")
    expected = COREFUD.replace("(e2-person--)", "(e2-person-1-)")
    assert with_heads == expected
    (again,) = read(with_heads.removesuffix("\n"))
    assert all(m.head == m.start for m in again.mentions)


def test_corefud_from_another_format() -> None:
    (document,) = read(OFFICIAL)
    losses = formats.ConversionLosses("corefud")
    text = "".join(formats.write_lines([document], "corefud", losses))
    assert "# newdoc id = nw/a\n# global.Entity = eid-etype-head-other\n" in text
    assert "# speaker = Bo\n# text = Ann fed her dog\n" in text
    assert "3\ther\t_\t_\tPRP$\t_\t_\t_\t_\tEntity=(2(1)\n" in text.replace("\t-\t", "\t_\t")
    assert losses.lost["parse"] == 1
    (again,) = read(text)
    assert [e.mentions for e in again.entities] == [e.mentions for e in document.entities]
    assert again.text == document.text


def test_jsonlines_ends_are_inclusive_there_and_half_open_here() -> None:
    line = '{"doc_key":"a_3","part_id":3,"sentences":[["Ann","Lee"],["she"]],"clusters":[[[0,1],[2,2]]],"speakers":[["-","-"],["Bo"]],"year":1999}'
    (document,) = read(line)
    assert (document.id, document.part) == ("a", 3)
    assert document.entities == (Entity((Mention.at(0, 2), Mention.at(2, 3))),)
    assert document.speakers == ("", "", "Bo")
    assert document.meta == (("json", '{"year": 1999}'),)
    assert read(written(document, "jsonlines")) == [document]


def test_jsonlines_of_lingmess_has_tokens_in_place_of_sentences() -> None:
    line = '{"doc_key":"a","text":"Ann ran. She won.","tokens":["Ann","ran",".","She","won","."],"clusters":[[[0,0],[3,3]]]}'
    (document,) = read(line)
    assert (document.id, document.sentences) == ("a", (0, 3))
    assert document.entities == (Entity((Mention.at(0, 1), Mention.at(3, 4))),)
    (again,) = read(written(document, "jsonlines"))
    assert (again.sentences, again.entities) == (document.sentences, document.entities)
    (empty,) = read('{"doc_key":"a","tokens":[],"predicted_clusters":[]}')
    assert (len(empty), empty.sentences) == (0, ())


BRAT = """\
T1\tperson 0 3\tAnn
T2\tperson 14 17\tshe
T3\tanimal 8 11;12 13\tdog s
R1\tcoref Arg1:T1 Arg2:T2
R2\towns Arg1:T1 Arg2:T3
A1\tNegated T3
"""


def _brat(tmp_path: Path, annotation: str, text: str) -> Document:
    (tmp_path / "d.ann").write_text(annotation, encoding="utf-8", newline="")
    (tmp_path / "d.txt").write_text(text, encoding="utf-8", newline="")
    (document,) = formats.read(tmp_path / "d.txt")
    assert isinstance(document, Document)
    return document


def test_brat(tmp_path: Path) -> None:
    document = _brat(tmp_path, BRAT, "Ann fed dog s. she\r\n".replace(". ", " "))
    assert document.id == "d"
    assert document.text.endswith("\r\n")
    assert [[m.id for m in e.mentions] for e in document.entities] == [["T1", "T2"], ["T3"]]
    assert document.entities[1].mentions[0].spans == (Span(2, 3), Span(3, 4))
    assert document.meta == (("relation", "R2\towns Arg1:T1 Arg2:T3"), ("brat", "A1\tNegated T3"))
    formats.write(tmp_path / "out", [document], "brat")
    (again,) = formats.read(tmp_path / "out" / "d.ann")
    assert again == document
    assert (tmp_path / "out" / "d.txt").read_bytes() == document.text.encode()


def test_brat_cuts_tokens_at_the_borders_of_mentions(tmp_path: Path) -> None:
    document = _brat(tmp_path, "T1\tplace 0 4\tNew-\n", "New-Yorkers ran")
    assert document.tokens == ("New-", "Yorkers", "ran")


def test_brat_as_litbank_writes_it(tmp_path: Path) -> None:
    annotation = "T1\tPROP_PER 0 3\tAnn\nT2\tAnn_Lee-4 0 3\tAnn\nT3\tPRON_PER 4 7\tshe\nT4\tAnn_Lee-4 4 7\tshe\nT5\tNOM_FAC 8 11\tinn\nR1\tcop Arg1:T2 Arg2:T5\n"
    document = _brat(tmp_path, annotation, "Ann she inn")
    assert [(e.id, [m.id for m in e.mentions]) for e in document.entities] == [
        ("Ann_Lee-4", ["T1", "T3"]),
        (None, ["T5"]),
    ]
    assert document.meta == (("relation", "R1\tcop Arg1:T1 Arg2:T5"),)


def test_brat_writes_each_document_to_its_own_files(tmp_path: Path) -> None:
    documents = [Document.of(id, [["a"]]) for id in ("x/y", "x_y", "..", "")]
    formats.write(tmp_path / "out", documents, "brat")
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert len(names) == 8
    assert all("/" not in name and not name.startswith("..") for name in names)


def test_brat_needs_both_files(tmp_path: Path) -> None:
    (tmp_path / "d.ann").write_text("T1\tx 0 1\ta\n")
    with pytest.raises(InputError, match=r"d\.txt: no such file"):
        list(formats.read(tmp_path / "d.ann"))
    with pytest.raises(UsageError, match="two files"):
        list(read_lines(["T1\tx 0 1\ta\n"], "brat", Source("<stdin>"), "-"))
    with pytest.raises(UsageError, match="name a folder with -o"):
        formats.write_lines([], "brat")


def test_text(tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_text("Ann fed her dog.\r\nIt  slept.", newline="")
    (document,) = formats.read(path)
    assert isinstance(document, Document)
    assert document.id == "letter"
    assert document.text == "Ann fed her dog.\r\nIt  slept."
    assert document.tokens == ("Ann", "fed", "her", "dog", ".", "It", "slept", ".")
    assert document.sentences == (0, 5)


def test_bracketed_text() -> None:
    (document,) = read(OFFICIAL)
    assert written(document, "text") == "[Ann]_1 fed [[her]_1 dog]_2\n[It]_2 slept"


def test_our_own_form_is_readable_json() -> None:
    (document,) = read(OFFICIAL)
    line = written(document, "document-jsonl")
    assert line.startswith('{"coindex":"document","version":1,"id":"nw/a","text":"Ann fed')
    assert line.count("\n") == 1
    assert read(line) == [document]


def test_unknown_formats_are_answered_with_those_there_are() -> None:
    with pytest.raises(UnknownName, match=r"expected one of: .*brat.*conll2012"):
        read("x", "conl2012")


def test_a_document_does_not_go_into_a_format_of_problems() -> None:
    with pytest.raises(UsageError, match="gap holds problems, this is a document: nw/a"):
        list(formats.write_lines(read(OFFICIAL), "gap"))


def test_line_numbers_of_errors_are_those_of_the_file() -> None:
    with pytest.raises(FormatError) as caught:
        read(OFFICIAL.replace("2)\n", "9)\n", 1), name="dev.conll")
    assert str(caught.value) == "dev.conll:5: ')' closes entity 9, which is not open"


def test_a_format_of_two_files_is_not_written_to_standard_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Version 0.1 made a folder called `-`, which later commands read in place of their input."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="brat is written as two files a document"):
        formats.write("-", [Document("d", "Ann")], "brat")
    assert list(tmp_path.iterdir()) == []
