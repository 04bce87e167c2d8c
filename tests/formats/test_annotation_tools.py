"""The formats of annotation tools and corpora: golden values, and files as other programs write."""

from __future__ import annotations

import warnings
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from coindex import Document, Entity, FormatError, Mention, Span, formats
from coindex.errors import UsageError
from coindex.formats import read_lines
from coindex.types.source import Source
from program_samples import ECB, KNOWTATOR, MARKABLES, RELATIONS, SEMEVAL, WEBANNO, WORDS, XMI


def read(text: str, name: str = "d.x") -> tuple[Document, Source]:
    """The one document of a text, whose format is recognised."""
    source = Source(name)
    (item,) = read_lines([f"{line}\n" for line in text.split("\n")], None, source)
    assert isinstance(item, Document)
    return item, source


def entities(document: Document) -> list[tuple[str | None, list[str]]]:
    return [(e.id, [document.text_of(m) for m in e.mentions]) for e in document.entities]


def test_semeval2010() -> None:
    document, source = read(SEMEVAL)
    assert (source.format, document.id) == ("semeval2010", "7_news")
    assert document.text == "Ann fed her dog\nIt"
    assert entities(document) == [("1", ["Ann", "her"]), ("2", ["her dog", "It"])]
    assert document.lemma == ("Ann", "feed", "she", "dog", "it"), "the predicted column"
    assert document.pos == ("NNP", "VBD", "PRP$", "NN", "PRP")
    assert document.heads == (1, -1, 3, 1, -1)
    assert document.layer("deprel") == ("SBJ", "ROOT", "NMOD", "OBJ", "ROOT")
    assert document.layer("names") == ("(PER)", "_", "_", "_", "_")


def test_conll2012_is_not_taken_for_semeval2010() -> None:
    rows = ["d\t0\t1\tAnn" + "\t_" * 13 + "\t(1)", "d\t0\t2\tran" + "\t_" * 13 + "\t-"]
    _, source = read("\n".join(["#begin document (d); part 0", *rows, "#end document"]))
    assert source.format == "conll2012"


def test_webanno_tsv() -> None:
    document, source = read(WEBANNO)
    assert source.format == "webanno-tsv"
    assert document.text == "😀 Ann O_Neil said\nshe left Rome.\n\nHers"
    assert document.tokens == ("😀", "Ann", "O_Neil", "said", "she", "left", "Rome", ".", "Hers")
    assert document.sentences == (0, 8)
    assert entities(document) == [
        (None, ["Ann O_Neil", "she"]),
        (None, ["O_Neil", "Hers"]),
        (None, ["Rome"]),
    ]
    assert [m.kind for e in document.entities for m in e.mentions] == [
        "name", "pron", "kin", None, None,
    ]  # fmt: skip


def test_webanno_tsv_with_relations() -> None:
    document, _ = read(RELATIONS)
    assert entities(document) == [(None, ["The old dog", "Her bark"]), (None, ["Ann", "Her"])]
    assert [m.kind for e in document.entities for m in e.mentions] == [
        "animal", "animal", "person", "person",
    ]  # fmt: skip
    with pytest.raises(FormatError, match=r"d.x:14: expected an annotation .* found '1-4\[0_3\]'"):
        read(RELATIONS.replace("1-5[0_3]", "1-4[0_3]"))
    with pytest.raises(FormatError, match="expected the span layer 'x', on which"):
        read(RELATIONS.replace("BT_webanno.custom.Referent", "BT_x"))


def test_webanno_tsv_as_written() -> None:
    mention = Mention((Span(0, 2),), kind="a_b")
    document = Document.of("d", [["Ann", "[", "x"]], [Entity((mention, Mention.at(1, 3)))])
    lines = "".join(formats.write_lines([document], "webanno-tsv"))
    assert "1-2\t4-5\t\\[\ta\\_b[1]|*[1]\tcoref->1-1|*->1-2\n" in lines
    assert "\n#Text=Ann \\[ x\n" in lines


def test_ecbplus() -> None:
    document, source = read(ECB)
    assert (source.format, document.id) == ("ecbplus", "7_1ecbplus.xml")
    assert document.sentences == (0, 4)
    assert entities(document) == [
        ("HUM7", ["Ann", "She"]),
        ("INTRA2", ["gave … up"]),
        (None, ["it"]),
    ]
    assert document.entities[1].mentions[0].kind == "ACTION_OCCURRENCE"


def _mmax2(folder: Path) -> None:
    (folder / "Basedata").mkdir()
    (folder / "Markables").mkdir()
    (folder / "Basedata" / "d_words.xml").write_text(WORDS)
    (folder / "Markables" / "d_coref_level.xml").write_text(MARKABLES)
    project = "<mmax_project><words>d_words.xml</words></mmax_project>\n"
    (folder / "d.mmax").write_text(project)


@pytest.mark.parametrize("name", ["d.mmax", "Markables/d_coref_level.xml", "Basedata/d_words.xml"])
def test_mmax2(tmp_path: Path, name: str) -> None:
    _mmax2(tmp_path)
    (document,) = formats.read(tmp_path / name)
    assert isinstance(document, Document)
    assert (document.id, document.text) == ("d", "Ann gave it up .\nShe saw that .")
    assert entities(document) == [
        ("set_3", ["Ann", "She"]),
        (None, ["gave … up"]),
        (None, ["it", "saw that"]),
        (None, ["that"]),
    ]
    first = document.entities[0].mentions[0]
    assert (first.id, first.attrs) == ("markable_1", (("np_form", "ne"),))


def test_mmax2_folders(tmp_path: Path) -> None:
    documents = [Document.of(id, [["Ann", "slept"], ["She"]]) for id in "ab"]
    formats.write(tmp_path / "out", documents, "mmax2")
    paths = formats.expand_paths([tmp_path / "out"])
    assert paths == [str(tmp_path / "out" / f"{id}_coref_level.xml") for id in "ab"]
    assert [item for path in paths for item in formats.read(path)] == documents
    assert formats.expand_paths([*paths, tmp_path / "out" / "a_words.xml"]) == paths


@pytest.mark.parametrize("beside", ["d.txt", "../articles/d.txt"])
def test_knowtator2(tmp_path: Path, beside: str) -> None:
    folder = tmp_path / "annotation"
    folder.mkdir()
    (tmp_path / "articles").mkdir()
    (folder / "d.xml").write_text(KNOWTATOR)
    (folder / beside).write_text("Mia saw two mice. She ran.\n")
    source = Source()
    (document,) = formats.read(folder / "d.xml", source=source)
    assert isinstance(document, Document)
    assert (source.format, document.id) == ("knowtator2", "d")
    assert entities(document) == [("c1", ["Mia", "She"]), (None, ["saw … mice"])]
    assert [m.kind for e in document.entities for m in e.mentions] == [None, "Pronoun", None]
    assert [finding.rule for finding in source.findings] == ["element"], "the apposition"


@pytest.mark.parametrize("format", ["brat", "booknlp", "knowtator2", "litbank-tsv", "mmax2"])
def test_folders_of_every_format_in_two_files_are_read_back(tmp_path: Path, format: str) -> None:
    written = [Document.of(id, [["Mia", "ran", "."]]) for id in ("a", "b")]
    formats.write(tmp_path / "out", written, format)
    (tmp_path / "out" / "broken.xml").write_bytes(b"\xff\xfe\0")
    paths = formats.expand_paths([tmp_path / "out"])
    assert [Path(path).stem[0] for path in paths] == ["a", "b"]
    read = [item for path in paths for item in formats.read(path)]
    assert [(d.id, d.tokens) for d in read if isinstance(d, Document)] == [
        (d.id, d.tokens) for d in written
    ]
    every = sorted(each for each in (tmp_path / "out").iterdir() if each.stem != "broken")
    assert formats.expand_paths(every) == paths


def test_xml_of_other_formats_beside_a_text_is_not_taken_for_knowtator(tmp_path: Path) -> None:
    (tmp_path / "d.xml").write_text(ECB)
    (tmp_path / "d.txt").write_text("Ann ran.")
    assert formats.expand_paths([tmp_path / "d.xml", tmp_path / "d.txt"]) == [
        str(tmp_path / "d.xml"), str(tmp_path / "d.txt"),
    ]  # fmt: skip
    (document,) = formats.read(tmp_path / "d.xml")
    assert document.id == "7_1ecbplus.xml"
    (text,) = formats.read(tmp_path / "d.txt")
    assert text.id == "d"


@pytest.mark.parametrize("label", ["Coref", "coreference", "Ident", "SAME_AS", "Anaphora", "Equiv"])
def test_brat_links(tmp_path: Path, label: str) -> None:
    marks = "T1\tp 0 3\tAnn\nT2\tp 4 7\tshe\nT3\tp 8 11\ther\n"
    links = f"R1\t{label} Arg1:T2 Arg2:T1\nR2\t{label} Anaphor:T3 Antecedent:T2\n"
    (tmp_path / "d.ann").write_text(f"{marks}{links}R3\tBridging Arg1:T1 Arg2:T3\n")
    (tmp_path / "d.txt").write_text("Ann she her")
    (document,) = formats.read(tmp_path / "d.ann")
    assert isinstance(document, Document)
    assert entities(document) == [(None, ["Ann", "she", "her"])]
    assert document.meta == (("relation", "R3\tBridging Arg1:T1 Arg2:T3"),)


def test_brat_links_of_events(tmp_path: Path) -> None:
    """Relations may connect events; a link between two of them is one between their triggers."""
    marks = "T1\tSleep 0 5\tslept\nT2\tSleep 6 9\tnap\nE1\tSleep:T1 Who:T2\nE2\tSleep:T2\n"
    links = "R1\tCauses Arg1:E1 Arg2:E2\t\nR2\tCoref Arg1:E2 Arg2:E1\t\n"
    (tmp_path / "d.ann").write_text(marks + links)
    (tmp_path / "d.txt").write_text("slept nap")
    (document,) = formats.read(tmp_path / "d.ann")
    assert isinstance(document, Document)
    assert entities(document) == [(None, ["slept", "nap"])]
    assert ("relation", "R1\tCauses Arg1:E1 Arg2:E2\t") in document.meta


@pytest.mark.parametrize("format", ["xmi", "webanno-tsv", "ecbplus"])
def test_files_of_one_document_refuse_a_second_one(format: str) -> None:
    documents = [Document.of(id, [["Ann"]]) for id in "ab"]
    with pytest.raises(UsageError, match=f"{format} holds one document per file"):
        list(formats.write_lines(documents, format))


def test_characters_that_xml_cannot_hold_are_counted() -> None:
    document = Document.of("d", [["a\x01b"]])
    losses = formats.ConversionLosses("ecbplus")
    assert ">a\ufffdb</token>" in "".join(formats.write_lines([document], "ecbplus", losses))
    assert "1 character(s) that XML cannot hold" in " ".join(losses.lines())


@pytest.mark.parametrize("format", ["xmi", "ecbplus"])
def test_entities_of_xml_are_never_expanded(format: str) -> None:
    bomb = '<!DOCTYPE r [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>\n<r>&b;</r>\n'
    with pytest.raises(FormatError, match="expected no declarations in the document type"):
        list(read_lines([bomb], format, Source("x")))
    outside = '<!DOCTYPE r SYSTEM "file:///etc/passwd">\n<Document>&x;</Document>\n'
    with pytest.raises(FormatError, match=r"expected no entities, found &x;|expected an XMI"):
        list(read_lines([outside], format, Source("x")))


# XMI, as dkpro-cassis reads and writes it

LINK = "de.tudarmstadt.ukp.dkpro.core.api.coref.type.CoreferenceLink"
CHAIN = "de.tudarmstadt.ukp.dkpro.core.api.coref.type.CoreferenceChain"
TOKEN = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Token"
SENTENCE = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Sentence"
META = "de.tudarmstadt.ukp.dkpro.core.api.metadata.type.DocumentMetaData"


def _types(cassis: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # within cassis, on Python 3.11
        types = cassis.load_dkpro_core_typesystem()
    assert types.contains_type(LINK)
    metadata = types.create_type(META, "uima.tcas.DocumentAnnotation")
    for name in ("documentTitle", "documentId"):
        types.create_feature(metadata, name, "uima.cas.String")
    return types


def _links(cas: Any) -> list[list[tuple[str, str | None]]]:
    """The chains of a CAS: the words and the type of each link."""
    found = []
    for chain in cas.select_all_fs():
        if chain.type.name == CHAIN:
            links, at = [], chain.first
            while at is not None:
                links.append((at.get_covered_text(), at.referenceType))
                at = at.next
            found.append(links)
    return found


def test_xmi_that_cassis_makes() -> None:
    cassis = pytest.importorskip("cassis")
    types = _types(cassis)
    cas = cassis.Cas(typesystem=types)
    cas.sofa_string = "😀 Ann left.\n\nShe sang & danced."
    cas.sofa_mime = "text/plain"
    link, chain = types.get_type(LINK), types.get_type(CHAIN)
    for name, spans in (
        (SENTENCE, [(0, 11), (13, 31)]),
        (TOKEN, [(0, 1), (2, 5), (6, 11), (13, 16), (17, 21), (22, 23), (24, 31)]),
    ):
        cas.add_all([types.get_type(name)(begin=b, end=e) for b, e in spans])
    she = link(begin=13, end=16, referenceType="pron")
    ann = link(begin=2, end=5, referenceType="name", next=she)
    cas.add_all([ann, she, chain(first=ann)])
    document, source = read(cas.to_xmi())
    assert (source.format, document.id) == ("xmi", "d")
    assert document.text == "😀 Ann left.\n\nShe sang & danced."
    assert document.tokens == ("😀", "Ann", "left.", "She", "sang", "&", "danced.")
    assert document.sentences == (0, 3)
    assert entities(document) == [(None, ["Ann", "She"])]
    assert [m.kind for m in document.mentions] == ["name", "pron"]


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ('documentTitle="a.txt" documentId="admin"', "a.txt"),
        ('documentId="admin"', "admin"),
        ("", "town"),
    ],
)
def test_xmi_documents_are_called_by_their_title(given: str, name: str) -> None:
    """WebAnno and INCEpTION give every document of an annotator the same id."""
    metadata = f'<custom:DocumentMetaData xmi:id="1" sofa="9" begin="0" end="17" {given}/>'
    document, _ = read(XMI.replace("</xmi:XMI>", f"{metadata}</xmi:XMI>"), "town.xmi")
    assert document.id == name


def test_cassis_reads_our_xmi() -> None:
    cassis = pytest.importorskip("cassis")
    mentions = (Mention((Span(1, 2),), kind="name"), Mention((Span(3, 5),)))
    document = Document.of(
        "d", [["😀", "Ann", "left"], ["the", "<town>"]],
        [Entity(mentions), Entity((Mention.at(4, 5),))],
    )  # fmt: skip
    text = "".join(formats.write_lines([document], "xmi"))
    cas = cassis.load_cas_from_xmi(BytesIO(text.encode()), typesystem=_types(cassis))
    assert cas.sofa_string == document.text
    assert [token.get_covered_text() for token in cas.select(TOKEN)] == list(document.tokens)
    assert [each.get_covered_text() for each in cas.select(SENTENCE)] == document.text.split("\n")
    assert [each.documentId for each in cas.select(META)] == ["d"]
    assert sorted(_links(cas)) == [
        [("<town>", None)],
        [("Ann", "name"), ("the <town>", None)],
    ]


def test_xmi_without_tokens_and_with_layers_of_a_project() -> None:
    document, _ = read(XMI, "town.xmi")
    assert document.id == "town"
    assert document.tokens == ("Rome", "is", "the", "city", ".")
    assert entities(document) == [(None, ["Rome", "city"]), (None, ["is"])]
