"""Every entry of the catalogue says what it must, and broken ones are refused."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from coindex import datasets, plugins
from coindex.datasets import catalogue
from coindex.datasets.catalogue import Citation, Corpus, Licence
from coindex.errors import FormatError, UnknownName

FORMATS = {
    *("blocks", "brat", "conll2012", "corefud", "document-jsonl", "gap", "jsonlines", "knowref"),
    "knowref-pairs",
    *("problem-jsonl", "text", "winobias", "winogender", "winogrande", "wnli", "wsc"),
}
PINNED = re.compile(r"https://raw\.githubusercontent\.com/[\w.-]+/[\w.-]+/[0-9a-f]{40}/\S+")


@pytest.fixture(params=catalogue.names())
def corpus(request: pytest.FixtureRequest) -> Corpus:
    return catalogue.load(request.param)


def test_every_corpus_is_listed() -> None:
    assert {"gap", "knowref", "blocks", "wsc", "winobias", "winogender", "winogrande", "wnli"} <= {
        *catalogue.names()
    }
    assert {"ontogum", "gum", "corefud", "litbank", "fantasycoref", "ezcoref", "quizbowl"} <= {
        *catalogue.names()
    }
    assert {"wikipedia", "scorer-cases", "knowref-train"} <= {*catalogue.names()}
    assert {"craft", "email", "meantime", "redocred", "character-identification"} <= {
        *catalogue.names()
    }
    assert {"mina", "corefud-cases"} <= {*catalogue.names()}


def test_restrictions_are_stated() -> None:
    scenes = catalogue.load("character-identification")
    assert not scenes.licence.redistributable
    assert "never train weights that are shipped" in scenes.licence.full
    for name in ("character-identification", "redocred"):
        assert all(file.note.startswith("partial: ") for file in catalogue.load(name).files)


def test_licence_and_citation_are_there(corpus: Corpus) -> None:
    licence = corpus.licence
    assert licence.spdx is None or re.fullmatch(r"[A-Za-z0-9.+-]+", licence.spdx)
    assert licence.spdx or licence.note
    assert isinstance(licence.redistributable, bool)
    assert corpus.citations
    for citation in corpus.citations:
        assert citation.authors
        assert 1980 < (citation.year or 0) < 2030
        assert citation.title
        assert citation.venue


def test_nothing_unlicensed_may_be_passed_on(corpus: Corpus) -> None:
    if str(corpus.licence).startswith("none"):
        assert not corpus.licence.redistributable


def test_texts_are_there(corpus: Corpus) -> None:
    assert corpus.title
    assert 0 < len(corpus.what) <= 60
    assert corpus.homepage is None or corpus.homepage.startswith("https://")
    assert not corpus.own


def test_files_are_well_formed(corpus: Corpus) -> None:
    assert corpus.files
    for file in corpus.files:
        assert re.fullmatch(r"[0-9a-f]{64}", file.sha256)
        assert file.bytes > 0
        assert not file.path.startswith("/")
        assert "\\" not in file.path
        assert all(count > 0 for _, count in file.counts)


def test_formats_exist(corpus: Corpus) -> None:
    known = FORMATS | {*plugins.names("formats")}
    assert {file.format for file in corpus.files} - {None} <= known


def test_addresses_are_pinned_or_explained(corpus: Corpus) -> None:
    for file in corpus.files:
        if file.url is None:
            assert file.note, file.path
        else:
            assert PINNED.fullmatch(file.url), file.url


def test_an_address_ends_in_the_file_it_is_for(corpus: Corpus) -> None:
    for file in corpus.files:
        if file.url and file.path != "wnli/test.tsv":  # published under another name
            assert file.url.endswith(file.path.rpartition("/")[2])


def test_a_path_belongs_to_one_corpus() -> None:
    paths = [file.path for name in catalogue.names() for file in catalogue.load(name).files]
    assert len(paths) == len(set(paths))


def test_litbank_is_expanded_from_its_lists() -> None:
    litbank = catalogue.load("litbank")
    assert litbank.splits == ("conll", "brat")
    assert sum(file.format == "conll2012" for file in litbank.files) == 100
    assert sum(file.format == "brat" for file in litbank.files) == 200


def test_unknown_names_are_answered_with_the_known() -> None:
    with pytest.raises(UnknownName, match=r"unknown corpus 'gpa'.*gap"):
        catalogue.load("gpa")
    with pytest.raises(UnknownName, match=r"unknown corpus '\.\./x'"):
        datasets.load("../x")


@pytest.mark.parametrize(
    ("authors", "short"),
    [
        (("Ada Lovelace",), "Lovelace 1843"),
        (("Ada Lovelace", "Luigi Menabrea"), "Lovelace and Menabrea 1843"),
        (("Ada Lovelace", "Luigi Menabrea", "Charles Babbage"), "Lovelace et al. 1843"),
    ],
)
def test_short_citations(authors: tuple[str, ...], short: str) -> None:
    citation = Citation("Notes", authors, 1843, "Memoirs")
    assert citation.short == short
    assert str(citation).startswith("Ada Lovelace")


def test_a_citation_in_free_text() -> None:
    assert Citation("ask me").short == str(Citation("ask me")) == "ask me"


def test_licences_in_short_and_in_full() -> None:
    assert str(Licence(None, "none stated; Reddit text", False)) == "none stated"
    assert Licence("MIT", "of 2018", True).full == "MIT (of 2018); you may pass it on"
    assert Licence(None, "none stated", False).full == "none stated; do not pass it on"


def entry(**changes: object) -> dict[str, object]:
    file = {"path": "mine/a.txt", "sha256": "0" * 64, "bytes": 1}
    whole: dict[str, object] = {
        "name": "mine",
        "title": "Mine",
        "what": "a test",
        "licence": {"spdx": None, "note": "none stated", "redistributable": False},
        "citations": [],
        "homepage": None,
        "files": [{**file, **changes}],
    }
    return whole


def read(folder: Path, text: str) -> Corpus:
    path = folder / "mine.json"
    path.write_text(text, encoding="utf-8")
    return catalogue.read(path)


def test_a_good_entry(tmp_path: Path) -> None:
    assert read(tmp_path, json.dumps(entry())).files[0].bytes == 1


@pytest.mark.parametrize(
    "change",
    [
        {"sha256": "0" * 63},
        {"sha256": "G" * 64},
        {"bytes": -1},
        {"bytes": "many"},
        {"path": "../out.txt"},
        {"colour": "red"},
        {"counts": 3},
    ],
)
def test_bad_files_are_refused(tmp_path: Path, change: dict[str, object]) -> None:
    with pytest.raises(FormatError, match=r"mine\.json: not a catalogue entry"):
        read(tmp_path, json.dumps(entry(**change)))


def test_bad_entries_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"mine\.json:2: expected JSON"):
        read(tmp_path, '{\n"name": }')
    with pytest.raises(FormatError, match="KeyError"):
        read(tmp_path, "{}")
    with pytest.raises(FormatError, match="not a catalogue entry"):
        read(tmp_path, "[]")
    with pytest.raises(FormatError, match="expected the name 'mine', found 'yours'"):
        read(tmp_path, json.dumps({**entry(), "name": "yours"}))
    twice = entry()
    twice["files"] = [*twice["files"], *twice["files"]]  # type: ignore[misc]
    with pytest.raises(FormatError, match="listed twice"):
        read(tmp_path, json.dumps(twice))


def test_the_documentation_lists_every_corpus(corpus: Corpus) -> None:
    page = Path(__file__).parents[2] / "docs" / "reference" / "data.md"
    start = f"| `{corpus.name}` | {corpus.what} | {corpus.licence} | {corpus.cite} |"
    assert start in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("page", ["docs/reference/data.md", "CHANGELOG.md"])
def test_pages_say_how_many_corpora_there_are(page: str) -> None:
    text = (Path(__file__).parents[2] / page).read_text(encoding="utf-8")
    counts = re.findall(r"catalogue (?:of `coindex data` )?has (\d+)", text)
    assert counts == [str(len(catalogue.names()))]
