"""The sources jsonl, text and opensubtitles."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import source_samples as samples
from coindex.builders.sources import Page, RejectedInput, Section
from coindex.builders.sources.builtin.opensubtitles import join_tokens, spoken_text

XML = """<?xml version="1.0" encoding="utf-8"?>
<document id="4711">
  <meta><source><year>1999</year><genre>Drama</genre></source></meta>
  <s id="1"><time id="T1S" value="00:00:01,000" />
    <w id="1.1">Ada</w> <w id="1.2">did</w> <w id="1.3">n't</w> <w id="1.4">go</w> <w id="1.5">.</w>
  </s>
  <s id="2">- [door] I saw <i>her</i>.</s>
</document>
"""


def test_jsonl(tmp_path: Path) -> None:
    row = {
        "id": 7, "title": "Ada", "text": "Ada met Bea.", "url": "http://x", "revision": "3",
        "sections": [{"title": "", "start": 0}, {"title": "Life", "start": 4}], "year": 1815,
    }  # fmt: skip
    path = samples.write(tmp_path / "a.jsonl", "\ufeff" + json.dumps(row) + '\n\n{"text": "Bea."}')
    first, second = samples.pages(path, "jsonl")
    assert first == Page(
        "7", "Ada", "Ada met Bea.", "http://x", "3", str(path), "byte 0",
        (Section("", 0), Section("Life", 4)), (("year", "1815"),),
    )  # fmt: skip
    assert second.id == second.position
    assert second.sections == (Section("", 0),)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "broken JSON"),
        ("[" * 100_000, "broken JSON"),
        ('"text"', "broken JSON"),
        ('{"a": 1}', "no text"),
        ('{"text": 1}', "no text"),
        ('{"text": "\\ud800"}', "broken JSON"),
        ('{"text": "a", "sections": 3}', "broken sections"),
        ('{"text": "a", "sections": [{"title": "", "start": 9}]}', "broken sections"),
        ('{"text": "a", "sections": [{"title": "", "start": "0"}]}', "broken sections"),
    ],
)
def test_broken_json(tmp_path: Path, line: str, reason: str) -> None:
    good = '{"text": "Ada."}\n'
    path = samples.write(tmp_path / "a.jsonl", good + line + "\n" + good)
    found = samples.everything(path, "jsonl")
    assert [item.reason if isinstance(item, RejectedInput) else "" for item in found] == [
        "",
        reason,
        "",
    ]
    assert found[1].position == f"byte {len(good)}"


@given(st.lists(st.binary(max_size=30), max_size=6), st.integers(1, 50))
def test_any_bytes_in_json_lines(
    tmp_path_factory: pytest.TempPathFactory, junk: list[bytes], size: int
) -> None:
    good = b'{"id": "ada", "text": "Ada."}'
    raw = b"\n".join([good, *(each for piece in junk for each in (piece, good))])
    path = samples.write(tmp_path_factory.mktemp("fuzz") / "a.jsonl", raw)
    for name in ("jsonl", "reddit"):
        whole = samples.everything(path, name)
        assert samples.everything(path, name, size) == whole
        if name == "jsonl":
            kept = [item for item in whole if isinstance(item, Page) and item.id == "ada"]
            assert len(kept) == len(junk) + 1


def test_text(tmp_path: Path) -> None:
    samples.write(tmp_path / "b" / "two.txt.gz", "Bea.\r\n")
    samples.write(tmp_path / "one.txt", "\ufeffAda met Bea.\n")
    samples.write(tmp_path / "three.txt", b"\xff")
    samples.write(tmp_path / "void.txt", " \n")
    kept = {page.id: page for page in samples.pages(tmp_path, "text")}
    assert {id: page.text for id, page in kept.items()} == {
        "b/two.txt.gz": "Bea.\n", "one.txt": "Ada met Bea.\n",
    }  # fmt: skip
    assert kept["b/two.txt.gz"].title == "two"
    assert {(bad.reason, bad.skipped) for bad in samples.bads(tmp_path, "text")} == {
        ("invalid UTF-8", False), ("no text", True),
    }  # fmt: skip


def test_one_text(tmp_path: Path) -> None:
    (page,) = samples.pages(samples.write(tmp_path / "one.txt", "Ada."), "text")
    assert (page.id, page.title) == ("one.txt", "one")


@pytest.mark.parametrize("name", ["text", "opensubtitles"])
@pytest.mark.parametrize("suffix", [".gz", ".xz"])
def test_of_a_cut_file_the_beginning_is_read(tmp_path: Path, name: str, suffix: str) -> None:
    text = "".join(f"{samples.prose(number, 1)} é\n" for number in range(900))
    path = samples.write(tmp_path / f"a.txt{suffix}", text)
    packed = path.read_bytes()
    lengths = []
    for end in range(len(packed) // 2, len(packed) - 20, len(packed) // 30):
        path.write_bytes(packed[:end])
        page, bad = samples.everything(path, name)
        assert isinstance(page, Page)
        assert isinstance(bad, RejectedInput)
        assert text.startswith(page.text.rpartition("\n")[0])
        lengths.append(len(page.text))
    assert lengths == sorted(lengths)
    assert lengths[0] > len(text) / 4


def test_subtitles_in_xml(tmp_path: Path) -> None:
    for suffix in ("", ".gz"):
        path = samples.write(tmp_path / f"4711.xml{suffix}", XML)
        (page,) = samples.everything(path, "opensubtitles")
        assert isinstance(page, Page)
        assert page.text == "Ada didn't go.\nI saw her."
        assert dict(page.meta) == {"year": "1999", "genre": "Drama"}
        assert (page.id, page.title) == (path.name, "4711")


def test_broken_subtitles(tmp_path: Path) -> None:
    broken = XML.replace("</document>", "<s>")
    path = samples.write(tmp_path / "a.xml", broken)
    page, bad = samples.everything(path, "opensubtitles")
    assert isinstance(page, Page)
    assert page.text == "Ada didn't go.\nI saw her."
    assert isinstance(bad, RejectedInput)
    assert (bad.reason, bad.position) == ("broken XML", "end")
    path = samples.write(tmp_path / "a.xml", "<?xml version='1.0' encoding='nonsense'?><document>")
    assert [bad.reason for bad in samples.bads(path, "opensubtitles")] == ["broken XML"]


@given(st.binary(max_size=40), st.integers(0, len(XML)))
def test_any_bytes_in_subtitles(
    tmp_path_factory: pytest.TempPathFactory, junk: bytes, at: int
) -> None:
    raw = XML.encode()
    path = tmp_path_factory.mktemp("fuzz") / "a.xml"
    path.write_bytes(raw[:at] + junk + raw[at:])
    assert samples.everything(path, "opensubtitles")


def test_a_bad_line_costs_itself(tmp_path: Path) -> None:
    path = samples.write(tmp_path / "a.txt", b"Ada met Bea.\n\xff\nShe left.\n")
    page, bad = samples.everything(path, "opensubtitles")
    assert isinstance(page, Page)
    assert page.text == "Ada met Bea.\nShe left."
    assert isinstance(bad, RejectedInput)
    assert bad.reason == "invalid UTF-8"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("- Ada is here.", "Ada is here."),
        ("[DOOR OPENS]", ""),
        ("(sighs) I know.", "I know."),
        ("JOHN: I know.", "I know."),
        ("Time: 5 pm.", "Time: 5 pm."),
        ("♪ La la ♪", ""),
        ("Subtitles by SomeOne", ""),
        ("{\\an8}Up here.", "Up here."),
        ("...", ""),
    ],
)
def test_what_is_said(line: str, said: str) -> None:
    assert spoken_text(line) == said


def test_tokens_are_joined() -> None:
    assert join_tokens(["He", "'s", "here", ",", "is", "n't", "he", "?"]) == "He's here, isn't he?"
    assert join_tokens(["(", "$", "5", ")"]) == "($5)"
