"""Outputs of other tools: recognised by content, read alike, and explained when broken."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import tool_samples
from coindex import Document, Entity, FormatError, Mention, formats
from coindex.errors import UsageError
from coindex.types.source import Source
from tool_samples import FILES, ONE_FILE, TEXT, TOKENS

CHARACTERS = {
    "fastcoref",
    "corenlp-json",
    "corenlp-xml",
    "stanza",
    "label-studio",
    "doccano",
    "prodigy",
}
"""Formats with the offsets of the original text."""


def save(folder: Path, files: dict[str, str]) -> Path:
    """Write files called `pets`; returns the first, which is the one to read."""
    for suffix, content in files.items():
        (folder / f"pets{suffix}").write_text(content, encoding="utf-8", newline="")
    return folder / f"pets{next(iter(files))}"


def read(path: Path, format: str | None = None, **options: Any) -> tuple[list[Document], Source]:
    source = Source(str(path), **options)
    items = formats.read(path, format, source)
    return [item for item in items if isinstance(item, Document)], source


def read_value(tmp_path: Path, value: Any, **options: Any) -> tuple[Document, Source]:
    (document,), source = read(save(tmp_path, {".json": json.dumps(value)}), **options)
    return document, source


def spans(document: Document) -> list[list[tuple[int, int]]]:
    return [[(m.start, m.end) for m in entity.mentions] for entity in document.entities]


def rules(source: Source) -> list[str]:
    return [finding.rule for finding in source.findings]


@pytest.mark.parametrize("name", FILES)
def test_each_output_is_recognised_and_says_the_same(tmp_path: Path, name: str) -> None:
    (document,), source = read(save(tmp_path, FILES[name]))
    assert source.format == name
    assert document.tokens == TOKENS
    assert document.sentences == (0, 6)
    assert spans(document) == [[(0, 2), (3, 4)], [(3, 5), (6, 7)]]
    if name in CHARACTERS:
        assert [document.chars(m.cover).start for m in document.mentions] == [0, 12, 12, 21]
    if name in CHARACTERS - {"stanza", "corenlp-xml"}:
        assert document.text == TEXT


@pytest.mark.parametrize("name", FILES)
def test_no_other_format_claims_it(tmp_path: Path, name: str) -> None:
    head = next(iter(FILES[name].values())).split("\n")
    lines = [f"{line}\n" for line in head][:60]
    assert [other for other in formats.names() if formats.load(other).sniff(lines)] == [name]


@pytest.mark.parametrize("name", ONE_FILE)
def test_json_may_be_indented_or_in_an_array(tmp_path: Path, name: str) -> None:
    """CoreNLP and Python's `json.dump(indent=2)` write an object over many lines."""
    (plain,), _ = read(save(tmp_path, FILES[name]))
    indented = json.dumps(ONE_FILE[name], indent=2) + "\n"
    (document,), source = read(save(tmp_path, {".json": indented}))
    assert source.format == name
    assert document == plain
    if isinstance(ONE_FILE[name], dict):
        (document,), source = read(save(tmp_path, {".json": f"[\n{indented}]\n"}))
        assert source.format == name
        assert document == plain


@pytest.mark.parametrize("count", [2, 3, 4, 5])
def test_equal_rows_are_no_blocks_of_problems(tmp_path: Path, count: int) -> None:
    """Blocks of problems are known by their second line, which occurs in the first."""
    value = {"doc_key": "d", "sentences": [["Ann"]], "clusters": []}
    _, source = read(save(tmp_path, {".jsonl": f"{json.dumps(value)}\n" * count}))
    assert source.format == "jsonlines"


LONG = [str(number) for number in range(3000)]
LONG_VALUES: dict[str, dict[str, Any]] = {
    "maverick": {"tokens": LONG, "clusters_token_offsets": [[[0, 0], [9, 9]]]},
    "allennlp": {
        "top_spans": [[at, at] for at in range(3000)],
        "document": LONG,
        "clusters": [[[0, 0], [9, 9]]],
    },
    "preco": {"id": "d", "sentences": [LONG], "mention_clusters": [[[0, 0, 1], [0, 9, 10]]]},
    "fastcoref": {"text": LONG, "clusters": [[[0, 1], [9, 10]]], "clusters_strings": None},
    "jsonlines": {"doc_key": "d", "sentences": [LONG], "clusters": [[[0, 0], [9, 9]]]},
}


@pytest.mark.parametrize("array", [False, True])
@pytest.mark.parametrize("name", LONG_VALUES)
def test_long_indented_json_is_recognised(tmp_path: Path, name: str, array: bool) -> None:
    """The field that tells the format comes after thousands of lines."""
    value = LONG_VALUES[name]
    text = json.dumps([value, value] if array else value, indent=4)
    documents, source = read(save(tmp_path, {".json": text}))
    assert source.format == name
    assert [spans(document) for document in documents] == [[[(0, 1), (9, 10)]]] * (1 + array)


def test_documents_without_keys_in_an_array_have_different_names(tmp_path: Path) -> None:
    value = {"sentences": [["Ann", "slept"]], "clusters": []}
    documents, _ = read(save(tmp_path, {".json": json.dumps([value, value])}))
    assert [document.id for document in documents] == ["document 1", "document 2"]


@pytest.mark.parametrize("size", [100, 60_000, 300_000])
def test_a_first_object_that_is_cut_off_is_recognised(tmp_path: Path, size: int) -> None:
    """A large task on many lines: the first lines end within a string, or are very long."""
    task = {"id": 1, "data": {"text": TEXT + " x" * size}, "annotations": [{"result": []}]}
    lines = json.dumps(task, indent=1) if size == 100 else json.dumps(task)
    (document,), source = read(save(tmp_path, {".json": f"[\n{lines}\n]"}))
    assert source.format == "label-studio"
    assert document.text.startswith(TEXT)


@pytest.mark.parametrize("name", ONE_FILE)
def test_several_documents_without_ids_are_numbered(tmp_path: Path, name: str) -> None:
    value = ONE_FILE[name]
    rows = value * 2 if name == "label-studio" else [value, value]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    documents, source = read(save(tmp_path, {".json": lines}))
    named = name in ("wl-coref", "preco", "corenlp-json", "ontonotes-rows")
    assert source.unnamed is not named
    ids = [document.id for document in documents]
    assert len(ids) == 2
    assert named or ids == ["pets-1", "pets-2"]


@pytest.mark.parametrize(
    ("name", "files", "message"),
    tool_samples.BROKEN,
    ids=[f"{n}-{i}" for i, (n, _, _) in enumerate(tool_samples.BROKEN)],
)
def test_broken_files_are_explained(
    tmp_path: Path, name: str, files: dict[str, str], message: str
) -> None:
    if name == "docbin":
        pytest.importorskip("spacy")
    with pytest.raises(FormatError) as caught:
        read(save(tmp_path, files), name)
    assert message in str(caught.value)
    assert str(caught.value).startswith(str(tmp_path / "pets"))
    assert "\n" not in str(caught.value)


def test_fastcoref_with_tokens(tmp_path: Path) -> None:
    """Given tokens, fastcoref counts them, half-open."""
    value = {"text": list(TOKENS), "clusters": [[[0, 2], [3, 4]]], "clusters_strings": [[["Ann"]]]}
    document, _ = read_value(tmp_path, value)
    assert document.tokens == TOKENS
    assert spans(document) == [[(0, 2), (3, 4)]]


@pytest.mark.parametrize("nowhere", [None, [None, None]])
@pytest.mark.parametrize(
    ("text", "pairs"), [(TEXT, [[0, 7], [12, 15]]), (TOKENS, [[0, 2], [3, 4]])]
)
def test_fastcoref_leaves_out_what_it_could_not_locate(
    tmp_path: Path, nowhere: Any, text: Any, pairs: list[list[int]]
) -> None:
    """It writes null in the place of the offsets, and nothing among the words."""
    clusters = [[pairs[0], nowhere, pairs[1]]]
    value = {"text": text, "clusters": clusters, "clusters_strings": [["Ann Lee", "her"]]}
    document, source = read_value(tmp_path, value)
    assert spans(document) == [[(0, 2), (3, 4)]]
    assert rules(source) == ["offset"]


def test_wl_coref_with_heads(tmp_path: Path) -> None:
    value = dict(ONE_FILE["wl-coref"], head2span=[[1, 0, 2], [3, 3, 4], [4, 3, 5], [6, 6, 7]])
    document, _ = read_value(tmp_path, value)
    assert [m.head for m in document.mentions] == [1, 3, 4, 6]
    del value["span_clusters"]
    again, source = read_value(tmp_path, value)
    assert again == document
    del value["head2span"]
    heads, source = read_value(tmp_path, value)
    assert spans(heads) == [[(1, 2), (3, 4)], [(4, 5), (6, 7)]]
    assert rules(source) == ["span"]


def test_wl_coref_predictions_beside_gold_clusters(tmp_path: Path) -> None:
    value = dict(ONE_FILE["wl-coref"], clusters=[[[0, 2], [6, 7]]])
    assert spans(read_value(tmp_path, value)[0]) == [[(0, 2), (6, 7)]]
    document, source = read_value(tmp_path, value, response=True)
    assert spans(document) == [[(0, 2), (3, 4)], [(3, 5), (6, 7)]]
    assert rules(source) == ["predictions"]
    heads, _ = read_value(tmp_path, value, response=True, clusters="word_clusters")
    assert spans(heads) == [[(1, 2), (3, 4)], [(4, 5), (6, 7)]]


def test_trees_and_tags_of_corenlp_and_of_the_rows(tmp_path: Path) -> None:
    fragments = ("(S(NP*", "*)", "(VP*", "(NP*", "*))", "*))")
    for name in ("corenlp-json", "ontonotes-rows"):
        (document,), _ = read(save(tmp_path, FILES[name]))
        assert document.parse is not None
        assert tuple(each.split("(", 2)[-1] for each in document.parse[1:2]) == ("*)",)
        assert document.parse[2:6] == fragments[2:]
    assert document.pos == ("NNP", "NNP", "VBD", "PRP$", "NN", ".", "PRP", "VBD", ".")
    assert document.part == 0
    assert [entity.id for entity in document.entities] == ["7", "9"]


def test_a_row_has_a_document_for_each_part(tmp_path: Path) -> None:
    value = json.loads(json.dumps(ONE_FILE["ontonotes-rows"]))
    value["sentences"][1]["part_id"] = 1
    documents, _ = read(save(tmp_path, {".json": json.dumps(value)}))
    assert [document.key for document in documents] == ["nw/pets part 0", "nw/pets part 1"]
    assert spans(documents[1]) == [[(0, 1)]]


def test_corenlp_mentions_have_kinds_and_heads(tmp_path: Path) -> None:
    (document,), _ = read(save(tmp_path, FILES["corenlp-json"]))
    assert [(m.kind, m.head) for m in document.entities[0].mentions] == [
        ("PROPER", 1),
        ("PRONOMINAL", 3),
    ]
    (document,), _ = read(save(tmp_path, FILES["corenlp-xml"]))
    assert [m.head for m in document.entities[1].mentions] == [4, 6]


def test_stanza_skips_ranges_and_empty_nodes(tmp_path: Path) -> None:
    value = json.loads(json.dumps(ONE_FILE["stanza"]))
    value[0].insert(0, {"id": [1, 2], "text": "AnnLee", "start_char": 0, "end_char": 7})
    value[0].append({"id": [6, 1], "text": "_"})
    document, source = read_value(tmp_path, value)
    assert document.tokens == TOKENS
    assert rules(source) == ["empty"]


def test_stanza_with_the_original_text(tmp_path: Path) -> None:
    """`to_serialized` writes the text beside the sentences."""
    sentences = ONE_FILE["stanza"]
    document, source = read_value(
        tmp_path,
        {"text": TEXT.replace(" It", "\tIt"), "sentences": sentences, "comments": [[], []]},
    )
    assert source.format == "stanza"
    assert document.text == TEXT.replace(" It", "\tIt")
    assert spans(document) == [[(0, 2), (3, 4)], [(3, 5), (6, 7)]]
    other, _ = read_value(tmp_path, {"text": "Somebody else's text.", "sentences": sentences})
    assert other.tokens == TOKENS


def test_label_studio_relations_and_annotators(tmp_path: Path) -> None:
    task = json.loads(json.dumps(tool_samples.LABEL_STUDIO))
    document, source = read_value(tmp_path, [task])
    assert rules(source) == ["relation"]
    assert [m.kind for m in document.mentions] == ["person", "person", "animal", "animal"]
    first = task["annotations"][0]
    task["annotations"] = [{**first, "was_cancelled": True}, {**first, "result": []}, first]
    document, source = read_value(tmp_path, [task])
    assert document.entities == ()
    assert "annotations" in rules(source)
    task["annotations"], task["predictions"] = [{"result": []}], [{"result": first["result"]}]
    assert read_value(tmp_path, [task])[0].entities == ()
    document, source = read_value(tmp_path, [task], response=True)
    assert len(document.entities) == 2
    assert rules(source) == ["predictions", "relation"]


def test_label_studio_tasks_may_have_ids(tmp_path: Path) -> None:
    """Documents with ids are never taken in the order of the key."""
    task = {"data": {"text": TEXT, "doc_id": "a"}, "annotations": [{"result": []}]}
    document, source = read_value(tmp_path, [task])
    assert (document.id, source.unnamed) == ("a", False)


def test_label_studio_offsets_in_utf16(tmp_path: Path) -> None:
    """Browsers count code units: an emoji is two. The words of a region tell."""
    task = json.loads(json.dumps(tool_samples.LABEL_STUDIO))
    task["data"]["text"] = f"🐕 {TEXT}"
    for region in task["annotations"][0]["result"][:4]:
        region["value"]["start"] += 3
        region["value"]["end"] += 3
    document, _ = read_value(tmp_path, [task])
    assert [document.text_of(m) for m in document.mentions] == ["Ann Lee", "her", "her dog", "It"]


def test_prodigy_leaves_out_tasks_that_were_not_accepted(tmp_path: Path) -> None:
    rows = [{**tool_samples.PRODIGY, "answer": answer} for answer in ("reject", "accept", "ignore")]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    documents, source = read(save(tmp_path, {".jsonl": lines}))
    assert [document.id for document in documents] == ["pets-2"]
    assert sorted(rules(source)) == ["answer", "answer", "relation"]


def test_litbank_keeps_kinds_ids_and_other_rows(tmp_path: Path) -> None:
    (document,), _ = read(save(tmp_path, FILES["litbank-tsv"]))
    assert document.meta == (("relation", "COP\tT1\tT3"),)
    assert document.mentions[0] == Mention(document.mentions[0].spans, None, "PROP_PER", "T1")
    formats.write(tmp_path / "out", [document], "litbank-tsv")
    assert (tmp_path / "out" / "pets.ann").read_text() == tool_samples.LITBANK_ANN
    assert (tmp_path / "out" / "pets.txt").read_text() == tool_samples.LITBANK_TXT
    (again,) = formats.read(tmp_path / "out" / "pets.txt")
    assert again == document, "the text file names the format too"


def test_booknlp_heads_and_kinds(tmp_path: Path) -> None:
    (document,), _ = read(save(tmp_path, FILES["booknlp"]))
    assert document.heads == (1, 2, -1, 4, 2, 2, 7, -1, 7)
    assert [m.kind for m in document.entities[0].mentions] == ["PROP_PER", "PRON_PER"]
    formats.write(tmp_path / "out", [document], "booknlp")
    assert (tmp_path / "out" / "pets.entities").read_text() == tool_samples.BOOKNLP_ENTITIES


def test_brat_is_still_brat(tmp_path: Path) -> None:
    files = {".ann": "T1\tperson 0 3\tAnn\n", ".txt": "Ann slept."}
    (document,), source = read(save(tmp_path, files))
    assert source.format == "brat"
    assert len(document.entities) == 1


def test_mentions_over_two_sentences_are_counted(tmp_path: Path) -> None:
    document = Document.of("d", [["Ann", "."], ["Bo", "."]])
    long = Document.of("d", [["Ann", "."], ["Bo", "."]], [Entity((Mention.at(0, 3),), "1")])
    for name in ("preco", "stanza", "corenlp-json", "corenlp-xml", "ontonotes-rows"):
        losses = formats.write(tmp_path / "out", [long], name)
        assert losses.lost["across"] == 1
        assert "1 left out: they go on after the end of a sentence" in " ".join(losses.lines())
    losses = formats.write(tmp_path / "out", [document], "preco")
    assert not losses.lost


def test_binary_files_are_not_written_to_standard_output(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="docbin is not text: name a file with -o"):
        formats.write("-", [], "docbin")
    with pytest.raises(UsageError, match="docbin is not text: name a file with -o"):
        formats.write_lines([], "docbin")
    with pytest.raises(UsageError, match="docbin is read from a file, not -"):
        list(formats.read_lines([], "docbin", Source("<stdin>"), "-"))
    with pytest.raises(UsageError, match="preco is text, expected a binary format"):
        formats.write_binary([], "preco")
