"""Finding, verifying and registering files."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from coindex import datasets
from coindex.datasets import catalogue, checksums, locate, registry
from coindex.datasets.catalogue import File
from coindex.errors import InputError, UnknownName, UsageError
from coindex.types.progress import Progress


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("COINDEX_DATA", raising=False)
    monkeypatch.setenv("COINDEX_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def put(root: Path, path: str, text: str = "x") -> Path:
    target = root / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")
    return target


def test_coindex_data_comes_before_the_own_folder(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = put(home / "data", "gap/gap-test.tsv")
    assert datasets.path("gap", "test") == own
    monkeypatch.setenv("COINDEX_DATA", str(tmp_path / "elsewhere"))
    assert datasets.path("gap", "test") == own
    first = put(tmp_path / "elsewhere", "gap/gap-test.tsv")
    assert datasets.path("gap", "test") == first


def test_an_empty_coindex_data_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COINDEX_DATA", "")
    assert [label for label, _ in locate.data_folders()] == ["coindex's own folder"]


def test_the_own_folder_is_the_systems_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COINDEX_HOME")
    assert registry.user_data_folder().name == "coindex"
    assert registry.user_data_folder().is_absolute()


def test_a_file_by_split_by_name_and_by_path(home: Path) -> None:
    file = put(home / "data", "gap/gap-test.tsv")
    assert datasets.path("gap", "gap-test.tsv") == datasets.path("gap", "gap/gap-test.tsv") == file
    only = put(home / "data", "corefud/en_gum-ud-dev.conllu")
    assert datasets.path("corefud") == only


def test_all_files_of_a_split(home: Path) -> None:
    for file in datasets.load("gap").files:
        put(home / "data", file.path)
    assert [path.name for path in datasets.paths("gap", "dev" + "elopment")] == [
        "gap-development.tsv"
    ]
    assert len(datasets.paths("gap")) == 3


def test_several_files_are_not_one() -> None:
    with pytest.raises(UsageError, match=r"litbank conll is 100 files, expected one of: .* more"):
        datasets.path("litbank", "conll")
    with pytest.raises(UsageError, match="wikipedia is 11 files"):
        datasets.path("wikipedia")


def test_what_is_missing_is_said_with_places_and_advice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COINDEX_DATA", str(tmp_path))
    with pytest.raises(datasets.CorpusNotFound) as caught:
        datasets.path("gap", "test")
    message = str(caught.value)
    assert "gap: not found: gap/gap-test.tsv" in message
    assert f"$COINDEX_DATA ({tmp_path})" in message
    assert "no such folder" in message
    assert "coindex data get gap" in message
    assert "\n" not in message
    with pytest.raises(datasets.CorpusNotFound, match="coindex data show ontogum"):
        datasets.paths("ontogum")


def test_an_unknown_split_is_answered_with_the_known() -> None:
    with pytest.raises(UnknownName, match=r"split or file of gap 'dev'.*development"):
        datasets.path("gap", "dev")
    with pytest.raises(UnknownName, match="unknown corpus 'nope'"):
        datasets.path("nope", "dev")


def meant(text: str) -> File:
    raw = text.encode()
    return File("a.txt", hashlib.sha256(raw).hexdigest(), len(raw))


def test_verify(tmp_path: Path) -> None:
    seen: list[Progress] = []
    good = put(tmp_path, "a.txt", "hello")
    assert checksums.find_mismatch(good, meant("hello"), seen.append) is None
    assert seen == [Progress(str(good), 5, None, "bytes")]
    shorter = checksums.find_mismatch(good, meant("hello!"))
    assert str(shorter) == f"{good}: expected 6 bytes, found 5 bytes"
    other = checksums.find_mismatch(good, meant("hullo"))
    assert other is not None
    assert other.expected == f"sha256 {meant('hullo').sha256}"
    assert other.found == f"sha256 {meant('hello').sha256}"
    missing = checksums.find_mismatch(tmp_path / "b.txt", meant("hello"))
    assert missing is not None
    assert missing.what == "expected a file of 5 bytes, found no such file"
    folder = checksums.find_mismatch(tmp_path, meant("hello"))
    assert folder is not None
    assert folder.found == "a folder"


def test_verify_several_reports_progress_over_all(tmp_path: Path) -> None:
    one, two = put(tmp_path, "1", "hello"), put(tmp_path, "2", "hullo")
    seen: list[Progress] = []
    faults = checksums.find_mismatches([(meant("hello"), one), (meant("hello"), two)], seen.append)
    assert [fault.path for fault in faults] == [two]
    assert seen == [Progress("checksums", done, 10, "bytes") for done in (5, 10)]


def test_a_checksum_of_what_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        checksums.sha256(tmp_path / "nothing")


def test_add_finds_again(tmp_path: Path, home: Path) -> None:
    file = put(tmp_path, "mine/dev.conll", "hello")
    corpus = registry.add("mine", [file], licence="MIT", citation="me", format="conll2012")
    assert corpus == datasets.load("mine")
    assert corpus.own
    assert corpus.files[0].sha256 == meant("hello").sha256
    assert datasets.path("mine", "dev.conll") == datasets.path("mine") == file
    assert "mine" in datasets.names()
    assert [path.name for path in (home / "corpora").iterdir()] == ["mine.json"]
    file.unlink()
    with pytest.raises(datasets.CorpusNotFound, match="coindex data add mine"):
        datasets.path("mine")


def test_add_a_folder_takes_its_files_once_and_no_hidden_ones(tmp_path: Path) -> None:
    first = put(tmp_path, "mine/a.txt")
    second = put(tmp_path, "mine/sub/b.txt")
    put(tmp_path, "mine/.cache/c.txt")
    corpus = registry.add("mine", [tmp_path / "mine", first, tmp_path / "mine" / ".." / "mine"])
    assert [file.path for file in corpus.files] == [str(first), str(second)]
    assert str(corpus.licence) == "none stated"


def test_add_refuses(tmp_path: Path) -> None:
    file = put(tmp_path, "a.txt")
    registry.add("mine", [file])
    with pytest.raises(UsageError, match="already; replace it with --force"):
        registry.add("mine", [file])
    registry.add("mine", [file], force=True)
    with pytest.raises(UsageError, match="'gap' is a corpus of the catalogue"):
        registry.add("gap", [file], force=True)
    with pytest.raises(UsageError, match=r"found '\.\./x'"):
        registry.add("../x", [file])
    with pytest.raises(InputError, match=r"b\.txt: no such file"):
        registry.add("other", [tmp_path / "b.txt"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="expected at least one file"):
        registry.add("other", [tmp_path / "empty"])
    with pytest.raises(UnknownName, match="unknown format 'nope'"):
        registry.add("other", [file], format="nope")
    assert registry.own_names() == ("mine",)


def test_add_where_nothing_can_be_written(tmp_path: Path, home: Path) -> None:
    home.write_text("in the way", encoding="utf-8")
    with pytest.raises(InputError, match="cannot be made"):
        registry.add("mine", [put(tmp_path, "a.txt")])


def test_the_catalogue_hides_an_own_corpus_but_says_so(home: Path) -> None:
    put(home / "corpora", "gap.json", "not read")
    assert registry.shadowed_names() == ("gap",)
    assert datasets.load("gap") is catalogue.load("gap")
