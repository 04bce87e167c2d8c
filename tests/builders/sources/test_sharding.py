"""Any cut into shards gives the same pages in the same order; no damage raises."""

from __future__ import annotations

import bz2
import pickle
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import source_samples as samples
from coindex import plugins
from coindex.builders import sources
from coindex.builders.sources import Page, RejectedInput
from coindex.errors import InputError, InvalidValue, UnknownName

MADE: dict[str, Callable[[int], str]] = {
    "wikipedia": samples.wikipedia,
    "wikiextractor": samples.wikiextractor,
    "reddit": samples.reddit,
    "jsonl": samples.jsonl,
}
SUFFIXES = ("", ".gz", ".bz2", ".xz", ".zst")


def made(folder: Path, name: str, suffix: str, count: int = 260) -> Path:
    text = MADE[name](count).encode()
    if suffix == ".zst":
        zstandard = pytest.importorskip("zstandard")
        path = folder / f"{name}.zst"
        path.write_bytes(zstandard.ZstdCompressor(write_checksum=True).compress(text))
        return path
    return samples.write(folder / f"{name}{suffix or '.data'}", text)


def cut(path: Path, name: str, size: int) -> list[list[Page | RejectedInput]]:
    source = sources.load(name)
    return [list(source.read(shard)) for shard in source.shards(str(path), size)]


def flat(parts: list[list[Page | RejectedInput]]) -> list[Page | RejectedInput]:
    return [item for part in parts for item in part]


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("name", MADE)
def test_any_cut_gives_the_same(tmp_path: Path, name: str, suffix: str) -> None:
    path = made(tmp_path, name, suffix)
    (whole,) = cut(path, name, 1 << 30)
    assert len(whole) == 260
    for size in (5000, 9000, 20000):
        parts = cut(path, name, size)
        assert len(parts) > 1
        assert flat(parts) == whole
        assert sum(map(bool, parts)) > 1


@pytest.mark.parametrize("name", MADE)
@given(size=st.integers(20, 3000))
def test_a_plain_file_can_be_cut_anywhere(
    tmp_path_factory: pytest.TempPathFactory, name: str, size: int
) -> None:
    path = made(tmp_path_factory.mktemp("cut"), name, "", 4)
    assert flat(cut(path, name, size)) == flat(cut(path, name, 1 << 30))


@pytest.mark.parametrize("name", MADE)
def test_a_cut_at_each_byte(tmp_path: Path, name: str) -> None:
    path = made(tmp_path, name, "", 2)
    (whole,) = cut(path, name, 1 << 30)
    total = path.stat().st_size
    for size in range(total // 2, total):
        assert flat(cut(path, name, size)) == whole


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz", ".zst"])
@pytest.mark.parametrize("name", MADE)
def test_a_file_cut_off_anywhere_is_told_once(tmp_path: Path, name: str, suffix: str) -> None:
    path = made(tmp_path, name, suffix, 40)
    packed = path.read_bytes()
    (whole,) = cut(path, name, 1 << 30)
    good = {item.id for item in whole if isinstance(item, Page)}
    for end in range(0, len(packed) - 12, max(len(packed) // 40, 1)):
        path.write_bytes(packed[:end])
        found = flat(cut(path, name, 1 << 30))
        assert (
            sum(
                item.reason == "cannot be unpacked"
                for item in found
                if isinstance(item, RejectedInput)
            )
            == 1
        )
        assert {item.id for item in found if isinstance(item, Page)} <= good
        assert flat(cut(path, name, 4096)) == found


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz", ".zst"])
def test_a_damage_in_the_middle(tmp_path: Path, suffix: str) -> None:
    path = made(tmp_path, "jsonl", suffix, 400)
    packed = bytearray(path.read_bytes())
    for at in range(len(packed) // 2, len(packed) // 2 + 64):
        packed[at] ^= 0xFF
    path.write_bytes(bytes(packed))
    found = flat(cut(path, "jsonl", 1 << 30))
    assert any(isinstance(item, RejectedInput) and not item.skipped for item in found)
    assert flat(cut(path, "jsonl", 4096)) == found


def test_reading_goes_on_at_the_next_bzip2_stream(tmp_path: Path) -> None:
    first, second, third = (
        bz2.compress(f'{{"id": "{n}", "text": "{samples.prose(n, 80)}"}}\n'.encode())
        for n in (1, 2, 3)
    )
    broken = second[:40] + bytes(60) + second[100:]
    path = tmp_path / "three.jsonl.bz2"
    path.write_bytes(first + broken + third)
    found = samples.everything(path, "jsonl")
    assert [item.id if isinstance(item, Page) else item.reason for item in found] == [
        "1", "cannot be unpacked", "3",
    ]  # fmt: skip


def test_streams_one_after_the_other_are_one_file(tmp_path: Path) -> None:
    rows = samples.jsonl(6).encode().splitlines(keepends=True)
    for suffix in (".gz", ".bz2", ".xz"):
        path = tmp_path / f"six.jsonl{suffix}"
        path.write_bytes(b"".join(map(samples.PACKERS[suffix], rows)))
        assert len(samples.pages(path, "jsonl")) == 6


def test_multistream_by_its_index(tmp_path: Path) -> None:
    path = samples.multistream(tmp_path / "t-multistream.xml.bz2", 30, 5)
    parts = cut(path, "wikipedia", 2000)
    (whole,) = cut(path, "wikipedia", 1 << 30)
    assert len(parts) > 2
    assert flat(parts) == whole
    assert [item.id for item in whole if isinstance(item, Page)] == [str(n) for n in range(1, 31)]
    assert whole[0].position == f"byte {len(bz2.compress(samples.HEADER.encode()))}+0"
    assert isinstance(whole[0], Page)
    assert whole[0].url == "https://test.wikipedia.org/wiki/Page_1"


def test_a_folder_of_a_dump_leaves_its_index_out(tmp_path: Path) -> None:
    samples.multistream(tmp_path / "t-multistream.xml.bz2", 4, 2)
    assert sources.guess(tmp_path) == "wikipedia"
    assert len(samples.everything(tmp_path, "wikipedia")) == 4


def test_a_broken_stream_costs_its_pages_alone(tmp_path: Path) -> None:
    path = samples.multistream(tmp_path / "t-multistream.xml.bz2", 30, 5)
    packed = bytearray(path.read_bytes())
    middle = int((tmp_path / "t-multistream-index.txt.bz2").exists() and len(packed) // 2)
    packed[middle : middle + 200] = bytes(200)
    path.write_bytes(bytes(packed))
    found = flat(cut(path, "wikipedia", 1 << 30))
    assert flat(cut(path, "wikipedia", 2000)) == found
    assert 20 <= sum(isinstance(item, Page) for item in found) < 30
    assert any(isinstance(item, RejectedInput) for item in found)


def test_an_index_cut_off_still_finds_all_pages(tmp_path: Path) -> None:
    path = samples.multistream(tmp_path / "t-multistream.xml.bz2", 30, 5)
    index = tmp_path / "t-multistream-index.txt.bz2"
    index.write_bytes(index.read_bytes()[:-20])
    assert len(samples.pages(path, "wikipedia", 100)) == 30


@pytest.mark.parametrize("name", ["text", "opensubtitles"])
def test_folders_of_whole_files(tmp_path: Path, name: str) -> None:
    for number in range(20):
        samples.write(tmp_path / f"{number % 3}" / f"f{number:02}.txt", samples.prose(number))
    (whole,) = cut(tmp_path, name, 1 << 30)
    assert len(whole) == 20
    parts = cut(tmp_path, name, 700)
    assert len(parts) > 3
    assert flat(parts) == whole


def test_a_long_file_of_subtitles_is_cut(tmp_path: Path) -> None:
    path = samples.write(tmp_path / "en.txt", samples.opensubtitles(9000))
    (whole,) = cut(path, "opensubtitles", 1 << 30)
    parts = cut(path, "opensubtitles", 1)
    assert len(whole) == len(parts) == -(-path.stat().st_size // (1 << 18))
    assert flat(parts) == whole
    text = "\n".join(item.text for item in whole if isinstance(item, Page))
    assert text + "\n" == samples.opensubtitles(9000)


def test_a_folder_is_read_in_the_order_of_its_paths(tmp_path: Path) -> None:
    for name in ("b/wiki_00", "a/wiki_01", "a/wiki_00", ".hidden/wiki_00"):
        samples.write(tmp_path / name, samples.wikiextractor(1))
    found = samples.pages(tmp_path, "wikiextractor")
    assert [str(Path(page.source).relative_to(tmp_path)) for page in found] == [
        "a/wiki_00", "a/wiki_01", "b/wiki_00",
    ]  # fmt: skip


def test_shards_are_counted_through_and_travel(tmp_path: Path) -> None:
    for name in ("a", "b"):
        samples.write(tmp_path / name, samples.wikiextractor(9))
    shards = sources.load("wikiextractor").shards(str(tmp_path), 2000)
    assert [shard.number for shard in shards] == list(range(len(shards)))
    assert pickle.loads(pickle.dumps(shards)) == shards


def test_a_packed_file_has_few_shards(tmp_path: Path) -> None:
    path = made(tmp_path, "jsonl", ".gz", 3000)
    assert 4 < len(sources.load("jsonl").shards(str(path), 1)) <= 16


def test_a_line_without_end_does_not_fill_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("coindex.builders.sources.records.LIMIT", 1 << 17)
    long = '{"id": "x", "text": "' + "x" * (1 << 18) + '"}\n'
    path = samples.write(tmp_path / "a.jsonl", samples.jsonl(1) + long + samples.jsonl(1))
    found = samples.everything(path, "jsonl")
    assert [type(item).__name__ for item in found] == ["Page", "RejectedInput", "Page"]
    doc = '<doc id="1" title="t">\n' + "line\n" * (1 << 16) + "</doc>\n"
    path = samples.write(tmp_path / "a.txt", doc + samples.wikiextractor(1))
    found = samples.everything(path, "wikiextractor")
    assert [type(item).__name__ for item in found] == ["RejectedInput", "Page"]
    path = samples.write(tmp_path / "long.txt", "long " * (1 << 16))
    assert [bad.reason for bad in samples.bads(path, "text")] == ["too long"]


def test_names() -> None:
    assert sources.names() == plugins.names("sources")
    assert set(sources.names()) >= {*MADE, "text", "opensubtitles"}
    with pytest.raises(UnknownName, match="expected one of: jsonl, opensubtitles"):
        sources.load("nothing")


@pytest.mark.parametrize("suffix", ["", ".gz", ".bz2", ".xz"])
@pytest.mark.parametrize("name", MADE)
def test_guess(tmp_path: Path, name: str, suffix: str) -> None:
    assert sources.guess(made(tmp_path, name, suffix, 20)) == name
    assert sources.guess(tmp_path) == name


def test_guess_text_and_subtitles(tmp_path: Path) -> None:
    path = samples.write(tmp_path / "a.txt", "Ada met Bea.\n")
    assert sources.guess(path) == "text"
    path = samples.write(tmp_path / "OpenSubtitles.en.txt", "Hello.\n")
    assert sources.guess(path) == "opensubtitles"
    path = samples.write(tmp_path / "x.xml", '<document id="1">\n<s id="1">Hello.</s></document>')
    assert sources.guess(path) == "opensubtitles"


def test_guess_finds_several(tmp_path: Path) -> None:
    for name in ("reddit", "wikipedia"):
        made(tmp_path, name, "", 1)
    with pytest.raises(
        InputError, match=r"may be of several; say which with --source: reddit \(.*wikipedia \("
    ):
        sources.guess(tmp_path)


@pytest.mark.parametrize("content", [b"", b"<html></html>", b'{"a": 1}\n', b"\x00\x01\x02"])
def test_what_is_of_no_source(tmp_path: Path, content: bytes) -> None:
    path = samples.write(tmp_path / "a.bin", content)
    with pytest.raises(
        InputError, match=r"a\.bin: expected .*found what begins .*jsonl \(.*wikipedia \("
    ):
        sources.guess(path)


def test_what_is_not_there(tmp_path: Path) -> None:
    for name in sources.names():
        with pytest.raises(InputError, match="expected a file or a folder, found nothing"):
            sources.load(name).shards(str(tmp_path / "none"), 10)
        with pytest.raises(InputError, match="empty folder"):
            sources.load(name).shards(str(tmp_path), 10)


def test_a_size_of_nothing(tmp_path: Path) -> None:
    path = samples.write(tmp_path / "a.txt", "Hello.")
    for name in sources.names():
        with pytest.raises(InvalidValue, match="at least 1 byte, found 0"):
            sources.load(name).shards(str(path), 0)
