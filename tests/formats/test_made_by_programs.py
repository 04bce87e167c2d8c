"""Files that the programs themselves write and check; each test skips without its program."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from coindex import Document, formats, io
from coindex.types.source import Source
from tool_samples import FILES, TEXT, TOKENS

PROGRAMS = Path(__file__).resolve().parent.parent / "fixtures" / "programs"
EXPECTED = [["Ann Lee", "her"], ["her dog", "It"]]


def read(path: Path) -> tuple[list[Document], Source]:
    source = Source(str(path))
    items = formats.read(path, None, source)
    return [item for item in items if isinstance(item, Document)], source


def words(document: Document) -> list[list[str]]:
    return [[document.text_of(m) for m in entity.mentions] for entity in document.entities]


def docbin(path: Path, *groups: tuple[str, list[tuple[int, int, str]]], **clusters: Any) -> Path:
    """A DocBin of one doc with span groups, as pipelines leave it."""
    spacy = pytest.importorskip("spacy")
    from spacy.tokens import Doc, DocBin, Span

    doc = spacy.blank("en")(f"{TEXT}\n\n")
    for key, spans in groups:
        doc.spans[key] = [Span(doc, start, end, label=label) for start, end, label in spans]
    for name, value in clusters.items():
        if not Doc.has_extension(name):
            Doc.set_extension(name, default=None)
        doc._.set(name, value)
    DocBin(store_user_data=True, docs=[doc]).to_disk(path)
    return path


def test_docbin_of_our_component(tmp_path: Path) -> None:
    spans = [(0, 2, "1"), (3, 4, "1"), (3, 5, "2"), (6, 7, "2")]
    (document,), source = read(docbin(tmp_path / "pets.spacy", ("coindex", spans)))
    assert source.format == "docbin"
    assert (document.id, document.text, document.tokens) == ("pets", f"{TEXT}\n\n", TOKENS)
    assert words(document) == EXPECTED
    assert [entity.id for entity in document.entities] == ["1", "2"]


def test_docbin_of_spacy_experimental(tmp_path: Path) -> None:
    groups = [
        ("coref_head_clusters_1", [(1, 2, ""), (3, 4, "")]),
        ("coref_clusters_1", [(0, 2, ""), (3, 4, "")]),
        ("coref_clusters_2", [(3, 5, ""), (6, 7, "")]),
    ]
    (document,), _ = read(docbin(tmp_path / "pets.spacy", *groups))
    assert words(document) == EXPECTED


def test_docbin_of_fastcoref(tmp_path: Path) -> None:
    """Its component stores half-open character spans in `doc._.coref_clusters`."""
    clusters = [[(0, 7), (12, 15)], [(12, 19), (21, 23)]]
    (document,), _ = read(docbin(tmp_path / "pets.spacy", coref_clusters=clusters))
    assert words(document) == EXPECTED


def test_docbin_of_fastcoref_with_a_mention_that_it_could_not_locate(tmp_path: Path) -> None:
    clusters = [[(0, 7), None, (12, 15)], [(12, 19), (21, 23)]]
    (document,), source = read(docbin(tmp_path / "pets.spacy", coref_clusters=clusters))
    assert words(document) == EXPECTED
    assert [finding.rule for finding in source.findings] == ["offset"]


def test_spacy_reads_what_we_write(tmp_path: Path) -> None:
    pytest.importorskip("spacy")
    from spacy.tokens import DocBin
    from spacy.vocab import Vocab

    document = Document.of("a", [["Ann", "slept"], ["She", "snored"]])
    (pets,), _ = read(tmp_path_file(tmp_path, "booknlp"))
    formats.write(tmp_path / "out.spacy", [pets, document], "docbin")
    docs = list(DocBin().from_disk(tmp_path / "out.spacy").get_docs(Vocab()))
    assert [doc.text for doc in docs] == [pets.text, document.text]
    assert [span.text for span in docs[0].spans["coindex"]] == ["Ann Lee", "her", "her dog", "It"]
    assert [sentence.text.strip() for sentence in docs[1].sents] == ["Ann slept", "She snored"]
    again, source = read(tmp_path / "out.spacy")
    assert not source.unnamed
    assert [each.id for each in again] == ["pets", "a"]
    assert words(again[0]) == EXPECTED


def tmp_path_file(folder: Path, name: str) -> Path:
    for suffix, content in FILES[name].items():
        (folder / f"pets{suffix}").write_text(content, encoding="utf-8", newline="")
    return folder / f"pets{next(iter(FILES[name]))}"


CONFIG = """<View>
  <Labels name="label" toName="text">
    <Label value="person"/><Label value="animal"/><Label value="Mention"/>
  </Labels>
  <Relations><Relation value="coref"/></Relations>
  <Text name="text" value="$text"/>
</View>"""


def interface() -> Any:
    module = pytest.importorskip("label_studio_sdk.label_interface")
    return module.LabelInterface(CONFIG)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of its own libraries
def test_regions_that_label_studio_makes(tmp_path: Path) -> None:
    objects = pytest.importorskip("label_studio_sdk.label_interface.objects")
    control = interface().get_control("label")
    places = [("person", 0, 7), ("person", 12, 15), ("animal", 12, 19), ("animal", 21, 23)]
    regions = [control.label(label=[kind], start=a, end=b) for kind, a, b in places]
    regions[0].add_relation(regions[1], label=["coref"])
    regions[3].add_relation(regions[2], label=["coref"])
    value = objects.AnnotationValue(completed_by=1, result=regions).model_dump()
    task = {"id": 1, "data": {"text": TEXT}, "annotations": [value]}
    path = tmp_path / "export.json"
    path.write_text(json.dumps([task], indent=2, default=str), encoding="utf-8")
    (document,), source = read(path)
    assert source.format == "label-studio"
    assert words(document) == EXPECTED


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of its own libraries
def test_label_studio_accepts_what_we_write(tmp_path: Path) -> None:
    checker = interface()
    (document,), _ = read(tmp_path_file(tmp_path, "label-studio"))
    formats.write(tmp_path / "out.json", [document], "label-studio")
    (task,) = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert checker.validate_task({"data": task["data"]})
    for annotation in task["annotations"]:
        assert checker.validate_annotation(annotation)


def test_what_doccano_exports() -> None:
    (letter, empty), source = read(PROGRAMS / "doccano-1.8.4.jsonl")
    assert source.format == "doccano"
    assert words(letter) == [["Ann Lee", "her", "She"], ["Leeds", "there"], ["Bo"]]
    assert [finding.rule for finding in source.findings] == ["relation"]  # `lives in` is left out
    meta = dict(letter.meta)
    assert json.loads(meta["json"])["source"] == "letter-0.txt"
    assert empty.entities == ()


def udapi_document(text: str) -> Any:
    document = pytest.importorskip("udapi.core.document").Document()
    document.from_conllu_string(text)
    return document


def corefud_words(text: str) -> set[frozenset[tuple[tuple[str, ...], str]]]:
    """The entities of a CorefUD file as udapi reads it: words and sentence of each mention."""
    document = udapi_document(text)
    return {
        frozenset(
            (tuple(word.form for word in mention.words), mention.words[0].root.sent_id)
            for mention in entity.mentions
        )
        for entity in document.coref_entities
    }


def own_words(document: Document) -> set[frozenset[tuple[tuple[str, ...], str]]]:
    """The same of a document, whose sentences udapi knows by their numbers."""
    sentence = [
        sum(start <= at for start in document.sentences) for at in range(len(document.tokens))
    ]
    return {
        frozenset(
            (
                tuple(
                    document.tokens[at] for span in m.spans for at in range(span.start, span.end)
                ),
                f"{document.id}-{sentence[m.start]}",
            )
            for m in entity.mentions
        )
        for entity in document.entities
    }


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_udapi_reads_what_we_write_and_the_reverse(tmp_path: Path) -> None:
    (letter,), _ = read(Path(__file__).parents[2] / "docs/examples/letter.conll")
    formats.write(tmp_path / "ours.conllu", [letter], "corefud")
    ours = (tmp_path / "ours.conllu").read_text(encoding="utf-8")
    assert corefud_words(ours) == own_words(letter)
    assert len(own_words(letter)) == 19
    written = udapi_document(ours).to_conllu_string()
    (tmp_path / "theirs.conllu").write_text(written, encoding="utf-8")
    (again,), source = read(tmp_path / "theirs.conllu")
    assert source.format == "corefud"
    assert own_words(again) == own_words(letter)


@pytest.mark.data
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_udapi_and_we_read_gum_alike(data: Path) -> None:
    """Nested, discontinuous and crossing mentions of real documents."""
    file = sorted((data / "corefud").glob("*.conllu*"))[0]
    documents, _ = read(file)
    with io.open_lines(file) as lines:
        text = "".join(lines)
    parts = ["# newdoc" + part for part in text.split("# newdoc")[1:]]
    for part, document in list(zip(parts, documents, strict=True))[:5]:
        theirs, ours = corefud_words(part), own_words(document)
        assert len(ours) > 20
        assert {frozenset(words for words, _ in entity) for entity in theirs} == {
            frozenset(words for words, _ in entity) for entity in ours
        }
