"""Cleaning, packing and caching parses, and choosing the pipeline."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coindex import resolvers
from coindex.errors import InputError, InvalidValue, MissingExtra, UsageError
from coindex.text.parsing import spacy_pipeline as pipelines
from coindex.text.parsing.cache import ParseCache, cache_folder
from coindex.text.parsing.parse import Parse, pack, unpack
from coindex.text.parsing.parser import Parser, make_parser
from coindex.text.parsing.spacy_pipeline import SpacyPipeline, choose_pipeline, normalize

TEXTS = [
    "Ann met Mary. She sang.",
    "",
    "  Jos*  said:\n ``No''. ",
    "Ann met Mary. She sang.",
    "_ ran.",
]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Andr*s and *lvaro", "Andres and Elvaro"),
        ("two * stars ** here", "two * stars ** here"),
        ("*so* it is", "*so* it is"),
        ("``Yes'', he said", '"Yes", he said'),
        ("the _ was full", "the someone was full"),
        ("[MASK]'s jar, a_b __", "someone's jar, a_b someone"),
        ("  a \n\t b  ", "a b "),
        ("", ""),
    ],
)
def test_clean_text(text: str, expected: str) -> None:
    assert normalize(text).text == expected


@given(st.text(st.sampled_from("aB *`'_\n[MASK]é🙂."), max_size=40))
def test_clean_text_keeps_the_places(text: str) -> None:
    result = normalize(text)
    assert len(result.text) == len(result.starts) == len(result.ends)
    assert list(result.starts) == sorted(result.starts)
    assert list(result.ends) == sorted(result.ends)
    for char, start, end in zip(result.text, result.starts, result.ends, strict=True):
        assert 0 <= start < end <= len(text)
        assert char in text[start:end] or char in '"eE someone'


_LABELS = st.sampled_from(["NN", "PRP$", "nsubj", "", "``", "a b"])


@st.composite
def parses(draw: st.DrawFn) -> Parse:
    size = draw(st.integers(0, 6))
    top = draw(st.sampled_from([100, 70_000]))
    numbers = st.lists(st.integers(0, top), min_size=size, max_size=size).map(tuple)
    labels = st.lists(_LABELS, min_size=size, max_size=size).map(tuple)
    entities = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), _LABELS), max_size=3)
    columns: list[Any] = [
        draw(each) for each in (numbers, numbers, labels, labels, labels, numbers, numbers)
    ]
    columns.append(tuple(draw(entities)))
    return Parse(*columns)


@given(parses())
def test_unpacking_gives_what_was_packed(parse: Parse) -> None:
    assert unpack(pack(parse)) == parse


@given(parses(), st.data())
def test_damaged_bytes_are_noticed(parse: Parse, data: st.DataObject) -> None:
    packed = bytearray(pack(parse))
    packed[data.draw(st.integers(0, len(packed) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    with pytest.raises(InvalidValue, match="damaged"):
        unpack(bytes(packed))
    with pytest.raises(InvalidValue, match="damaged"):
        unpack(pack(parse)[:5])


def test_tokens_stand_in_the_original_text(pipeline: str) -> None:
    text = "\n Andr*s  said:\n``No'' to  _'s dog."
    (parse,) = make_parser(pipeline, cache=False).batch([text])
    words = [text[start:end] for start, end in zip(parse.starts, parse.ends, strict=True)]
    assert words == ["Andr*s", "said", ":", "``", "No", "''", "to", "_", "'s", "dog", "."]
    assert parse.deps[0] == "nsubj"
    assert parse.deps[words.index("_")] == "poss"
    assert all(parse.sentences[at] == parse.sentences[head] for at, head in enumerate(parse.heads))


@pytest.fixture
def no_loading(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(pipeline: SpacyPipeline) -> None:
        raise AssertionError("spaCy was loaded")

    monkeypatch.setattr(pipelines, "load_pipeline", refuse)


@pytest.fixture
def parsed(pipeline: str, tmp_path: Path) -> tuple[Parser, list[Parse]]:
    """A parser with a cache of its own that holds `TEXTS`."""
    own = Parser(choose_pipeline(pipeline), ParseCache(tmp_path / "deep" / "er" / "parses.sqlite"))
    return own, own.batch(TEXTS)


def test_what_is_cached_is_not_parsed_again(
    parsed: tuple[Parser, list[Parse]], no_loading: None
) -> None:
    own, before = parsed
    assert own.batch(TEXTS) == before
    assert before[0] == before[3]
    with pytest.raises(AssertionError, match="was loaded"):
        own.batch(["Something new."])


def test_a_second_run_does_not_import_spacy(pipeline: str, tmp_path: Path) -> None:
    code = """
import sys
from coindex import resolvers
from coindex.types.problem import Candidate, Problem
from coindex.types.span import Chars
problem = Problem("p", "Ann met Mary. She sang.", Chars(14, 17), (Candidate("Ann", Chars(0, 3)),))
resolver = resolvers.load("parallelism", resolvers.ResolverSettings("found", 1, sys.argv[1]))
print([d.chosen for d in resolver.decide([problem])], "spacy" in sys.modules)
"""
    env = {**os.environ, "COINDEX_CACHE": str(tmp_path / "fresh")}
    shown = [
        subprocess.run(
            [sys.executable, "-c", code, pipeline],
            env=env,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for _ in range(2)
    ]
    assert shown == ["[(0,)] True\n", "[(0,)] False\n"]


def test_pipelines_and_versions_do_not_share_parses(
    parsed: tuple[Parser, list[Parse]], no_loading: None
) -> None:
    own, _ = parsed
    others: tuple[dict[str, Any], ...]
    others = ({"version": "9"}, {"spacy": "9"}, {"name": "other"})
    for other in others:
        with pytest.raises(AssertionError, match="was loaded"):
            replace(own, pipeline=replace(own.pipeline, **other)).batch(TEXTS[:1])


def test_a_damaged_file_is_begun_anew(parsed: tuple[Parser, list[Parse]]) -> None:
    own, before = parsed
    assert own.cache is not None
    own.cache.path.write_bytes(b"this is no database" * 500)
    with pytest.warns(UserWarning, match="damaged .*begun anew"):
        assert own.batch(TEXTS) == before
    assert own.cache.path.with_name("parses.sqlite.damaged").read_bytes().startswith(b"this is")
    assert len(own.cache.get([own._key(text) for text in TEXTS])) == 4


def test_a_file_damaged_within_is_begun_anew(parsed: tuple[Parser, list[Parse]]) -> None:
    own, before = parsed
    assert own.cache is not None
    whole = own.cache.path.read_bytes()
    own.cache.path.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))
    with pytest.warns(UserWarning, match="damaged"):
        assert own.batch(TEXTS) == before
    assert own.batch(TEXTS) == before


def test_a_damaged_parse_is_parsed_again(parsed: tuple[Parser, list[Parse]]) -> None:
    own, before = parsed
    assert own.cache is not None
    key = own._key(TEXTS[0])
    good = own.cache.get([key])[key]
    own.cache.put({key: good[:-1] + b"?"})
    assert own.batch(TEXTS) == before
    assert own.cache.get([key]) == {key: good}


def test_a_folder_that_cannot_be_written_is_done_without(pipeline: str, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("in the way")
    own = Parser(choose_pipeline(pipeline), ParseCache(file / "parses.sqlite"))
    with pytest.warns(UserWarning, match="cannot be written .*not kept") as warned:
        assert len(own.batch(TEXTS)) == len(own.batch(TEXTS)) == len(TEXTS)
    assert len(warned) == 1


def test_a_file_that_is_read_only_is_read(
    parsed: tuple[Parser, list[Parse]], monkeypatch: pytest.MonkeyPatch
) -> None:
    own, before = parsed

    def read_only(self: ParseCache, mode: str) -> sqlite3.Connection:
        return sqlite3.connect(f"{self.path.as_uri()}?mode=ro", uri=True)

    monkeypatch.setattr(ParseCache, "_open", read_only)
    assert own.batch(TEXTS) == before
    with pytest.warns(UserWarning, match="cannot be written .*readonly"):
        assert own.batch([*TEXTS, "Something new."])[:5] == before


def test_an_empty_file_is_no_cache_yet(tmp_path: Path) -> None:
    cache = ParseCache(tmp_path / "empty.sqlite")
    cache.path.touch()
    assert cache.get([b"a"]) == {}
    cache.put({b"a": b"b"})
    assert cache.get([b"a", b"c"]) == {b"a": b"b"}


def test_nothing_to_keep_makes_no_file(tmp_path: Path) -> None:
    ParseCache(tmp_path / "none.sqlite").put({})
    assert not list(tmp_path.iterdir())


def test_a_damaged_file_met_while_writing(tmp_path: Path) -> None:
    cache = ParseCache(tmp_path / "bad.sqlite")
    cache.path.write_bytes(b"this is no database" * 500)
    with pytest.warns(UserWarning, match="damaged"):
        cache.put({b"a": b"b"})
    cache.put({b"a": b"b"})
    assert cache.get([b"a"]) == {b"a": b"b"}


def test_a_file_of_another_kind_is_left_alone(tmp_path: Path) -> None:
    cache = ParseCache(tmp_path / "other.sqlite")
    with sqlite3.connect(cache.path) as connection:
        connection.execute("CREATE TABLE parses (other)")
    connection.close()
    with pytest.warns(UserWarning, match="cannot be read .*no such column"):
        assert cache.get([b"a"]) == {}


def test_more_keys_than_one_question_can_hold(tmp_path: Path) -> None:
    cache = ParseCache(tmp_path / "many.sqlite")
    items = {str(at).encode(): b"%d" % at for at in range(2345)}
    cache.put(items)
    assert cache.get(list(items)) == items


def test_two_processes_write_at_once(tmp_path: Path) -> None:
    code = """
import sys
from pathlib import Path
from coindex.text.parsing.cache import ParseCache
cache = ParseCache(Path(sys.argv[1]))
for at in range(60):
    cache.put({f"{sys.argv[2]}{at}".encode(): b"x" * 3000, b"both": b"same"})
"""
    path = tmp_path / "parses.sqlite"
    running = [
        subprocess.Popen([sys.executable, "-W", "error", "-c", code, str(path), who])
        for who in "ab"
    ]
    assert [each.wait() for each in running] == [0, 0]
    keys = [f"{who}{at}".encode() for who in "ab" for at in range(60)]
    assert len(ParseCache(path).get([*keys, b"both"])) == 121


def test_where_the_cache_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("COINDEX_CACHE", str(tmp_path))
    assert cache_folder() == tmp_path
    monkeypatch.delenv("COINDEX_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_folder().name == "coindex"
    if sys.platform == "linux":
        assert cache_folder() == tmp_path / "xdg" / "coindex"


def test_no_cache_writes_nothing(
    pipeline: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COINDEX_CACHE", str(tmp_path))
    assert len(make_parser(pipeline, cache=False).batch(TEXTS)) == len(TEXTS)
    assert not list(tmp_path.iterdir())
    make_parser(pipeline).batch(TEXTS)
    assert [path.suffix for path in (tmp_path / "parses").iterdir()] == [".sqlite"]


def install(monkeypatch: pytest.MonkeyPatch, **versions: str) -> None:
    """Pretend that these packages are installed and no others."""

    def version(package: str) -> str:
        if package not in versions:
            raise metadata.PackageNotFoundError(package)
        return versions[package]

    monkeypatch.setattr(metadata, "version", version)


def test_the_best_pipeline_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    here: dict[str, str] = {"spacy": "3.8"}
    for name in reversed(pipelines.PREFERRED):
        here[name] = "1.0"
        install(monkeypatch, **here)
        assert choose_pipeline() == SpacyPipeline(name, "1.0", "3.8")
    assert choose_pipeline("en_core_web_sm").signature == "pipeline:en_core_web_sm-1.0|spacy:3.8"
    with pytest.raises(UsageError, match=r"'xx' *;.*en_core_web_lg.*python -m spacy download xx"):
        choose_pipeline("xx")


@pytest.mark.parametrize("versions", [{}, {"spacy": "3.8"}])
@pytest.mark.parametrize("name", ["parallelism", "token-distance"])
def test_what_is_missing_is_said_with_the_install_line(
    name: str, versions: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch, **versions)
    with pytest.raises(MissingExtra, match=r"spaCy.*pip install .*\[spacy\]'"):
        resolvers.load(name)


def test_a_pipeline_in_a_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    install(monkeypatch, spacy="3.8")
    with pytest.raises(UsageError, match="installed: none"):
        choose_pipeline(str(tmp_path))
    meta = tmp_path / "meta.json"
    meta.write_text('{"version": "2.1"}')
    first = choose_pipeline(str(tmp_path))
    assert first.version.startswith("2.1+")
    assert choose_pipeline(str(tmp_path)) == first
    (tmp_path / "weights").write_text("trained again")
    assert choose_pipeline(str(tmp_path)) != first
    meta.write_text("[]")
    with pytest.raises(InputError, match=r"meta\.json: expected the description of a pipeline"):
        choose_pipeline(str(tmp_path))


def test_a_pipeline_must_parse_and_find_names(pipeline: str, tmp_path: Path) -> None:
    spacy = pytest.importorskip("spacy")
    spacy.blank("en").to_disk(tmp_path / "blank")
    with pytest.raises(UsageError, match="without ner, parser, tagger"):
        pipelines.load_pipeline(choose_pipeline(str(tmp_path / "blank")))
