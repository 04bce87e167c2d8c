"""Opening files: encodings, compression, standard streams, atomic writes."""

from __future__ import annotations

import bz2
import gzip
import io as std
import lzma
import os
import stat
import sys
from pathlib import Path

import pytest

from coindex import io
from coindex.errors import FormatError, InputError

TEXT = "Ann\r\nslept\u2028here\u0085e\u0301 👩🏽‍🚀\n\nlast"


@pytest.mark.parametrize("suffix", ["", ".gz", ".bz2", ".xz", ".zst"])
def test_text_survives_every_compression(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a.txt{suffix}"
    io.write_text(path, [TEXT])
    assert io.read_text(path) == TEXT
    packed = path.read_bytes()
    assert (packed == TEXT.encode()) == (suffix == "")
    io.write_text(path, [TEXT])
    assert path.read_bytes() == packed, "the same content gives the same bytes"


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_compression_is_told_by_content(tmp_path: Path, pack: object) -> None:
    path = tmp_path / "no-suffix"
    path.write_bytes(pack(TEXT.encode()))  # type: ignore[operator]
    assert io.read_text(path) == TEXT


def test_lines_end_at_line_feeds_alone(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(TEXT.encode())
    with io.open_lines(path) as lines:
        assert list(lines) == ["Ann\r\n", "slept\u2028here\u0085e\u0301 👩🏽‍🚀\n", "\n", "last"]
        assert lines.position == lines.size == len(TEXT.encode())


def test_a_byte_order_mark_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"\xef\xbb\xbfAnn")
    assert io.read_text(path) == "Ann"


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_wrong_encodings_name_the_line(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a{suffix}"
    raw = b"x\n" * 30_000 + "caf\u00e9".encode("latin-1") + b"\n"
    path.write_bytes(gzip.compress(raw) if suffix else raw)
    with pytest.raises(
        FormatError, match=r"a(\.gz)?:30001: expected UTF-8 text, found the byte 0xe9"
    ):
        io.read_text(path)


def test_utf16_is_called_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes("Ann".encode("utf-16"))
    with pytest.raises(FormatError, match="expected UTF-8 text, found UTF-16"):
        io.read_text(path)


def test_xml_may_declare_another_encoding(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_bytes(
        '<?xml version="1.0" encoding="ISO-8859-1"?>\n<a>caf\u00e9</a>'.encode("latin-1")
    )
    assert "café" in io.read_text(path)
    path.write_bytes('<?xml version="1.0" encoding="nonsense"?>\n<a>café</a>'.encode())
    assert "café" in io.read_text(path)


def test_missing_files_folders_and_broken_archives(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nothing: no such file"):
        io.read_text(tmp_path / "nothing")
    with pytest.raises(InputError, match="expected a file, found a folder"):
        io.read_text(tmp_path)
    path = tmp_path / "cut.gz"
    path.write_bytes(gzip.compress(os.urandom(5000).hex().encode())[:3000])
    with pytest.raises(InputError, match="cannot be unpacked"):
        io.read_text(path)


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("old")

    def chunks() -> object:
        yield "new"
        raise RuntimeError("half way")

    with pytest.raises(RuntimeError, match="half way"):
        io.write_text(path, chunks())  # type: ignore[arg-type]
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path], "no temporary file is left"


def test_a_write_keeps_the_mode_and_follows_links(tmp_path: Path) -> None:
    path, link = tmp_path / "a", tmp_path / "link"
    path.write_text("old")
    path.chmod(0o640)
    link.symlink_to(path)
    io.write_text(link, ["new"])
    assert link.is_symlink()
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    io.write_text(tmp_path / "fresh", ["x"])
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE((tmp_path / "fresh").stat().st_mode) == 0o666 & ~mask


def test_places_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such folder to write in"):
        io.write_text(tmp_path / "no" / "a", ["x"])
    with pytest.raises(InputError, match="expected a file to write, found a folder"):
        io.write_text(tmp_path, ["x"])
    io.write_text(os.devnull, ["x"])


def test_standard_streams(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    raw = std.BufferedReader(std.BytesIO(gzip.compress(b"Ann\n")))
    monkeypatch.setattr(sys, "stdin", std.TextIOWrapper(raw))
    assert io.read_text("-") == "Ann\n"
    io.write_text("-", ["a", "b"])
    assert capsys.readouterr().out == "ab"


def test_bad_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = std.BufferedReader(std.BytesIO(b"\xff\xffabc"))
    monkeypatch.setattr(sys, "stdin", std.TextIOWrapper(raw))
    with pytest.raises(FormatError, match="<stdin>: expected UTF-8 text, found the byte 0xff"):
        io.read_text("-")


def test_zstd_without_its_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.zst"
    io.write_text(path, ["Ann"])
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(Exception, match=r"pip install .*\[zstd\]'"):
        io.read_text(path)


def test_bytes_are_written_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    io.write_bytes(path, b"\x00\xff")
    assert io.read_bytes(path) == b"\x00\xff"
    io.copy_file(path, tmp_path / "b.bin")
    with io.open_binary(tmp_path / "b.bin") as raw:
        assert raw.read() == b"\x00\xff"
    with pytest.raises(InputError, match="nothing: cannot be read: No such file"):
        io.open_binary(tmp_path / "nothing")
    with pytest.raises(FileNotFoundError):
        io.copy_file(tmp_path / "nothing", path)
    assert io.read_bytes(path) == b"\x00\xff"


@pytest.mark.parametrize("sync", [False, True])
def test_a_file_is_replaced_only_when_all_went_well(tmp_path: Path, sync: bool) -> None:
    path = tmp_path / "weights.npz"
    path.write_bytes(b"old")

    def interrupted() -> None:
        with io.replace_file(path, sync=sync) as temporary:
            assert temporary.parent == tmp_path
            assert temporary.suffix == ".npz"
            temporary.write_bytes(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert path.read_bytes() == b"old"
    with io.replace_file(path, sync=sync) as temporary:
        temporary.write_bytes(b"new")
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("sync", [False, True])
def test_appended_lines_follow_whole_lines(tmp_path: Path, sync: bool) -> None:
    path = tmp_path / "log.jsonl"
    io.append_lines(path, ["a\n", "b\n"], sync=sync)
    path.write_bytes(path.read_bytes() + b"cut sh")
    io.append_lines(path, ["c\n"], sync=sync)
    assert path.read_text() == "a\nb\ncut sh\nc\n"


def test_data_files_of_the_package() -> None:
    assert io.package_text("coindex.text.data", "titles.txt").startswith("#")
    with pytest.raises(FileNotFoundError):
        io.package_text("coindex.text.data", "no-such-list.txt")
