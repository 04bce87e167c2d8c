"""The WikiExtractor source: titles, headings, leftovers of markup, broken documents."""

from __future__ import annotations

import lzma
from pathlib import Path

import pytest

import source_samples as samples
from coindex.builders import sources
from coindex.builders.sources import Page, RejectedInput, Section


def read(folder: Path, text: str | bytes) -> list[Page | RejectedInput]:
    return samples.everything(samples.write(folder / "wiki_00", text), "wikiextractor")


def doc(body: str, title: str = "Ada") -> str:
    return f'<doc id="7" url="http://x/7" title="{title}">\n{title}\n\n{body}\n</doc>\n'


def page_of(folder: Path, body: str) -> Page:
    (page,) = read(folder, doc(body))
    assert isinstance(page, Page)
    return page


def test_a_document(tmp_path: Path) -> None:
    (page,) = read(tmp_path, doc("Ada met Bea.\nEarly life.\nShe was born.", "R&amp;B"))
    assert isinstance(page, Page)
    assert (page.id, page.title, page.url, page.position) == ("7", "R&B", "http://x/7", "byte 0")
    assert page.text == "Ada met Bea.\nShe was born."
    assert page.sections == (Section("", 0), Section("Early life", 13))


@pytest.mark.parametrize(
    "line",
    [
        "History.", "Early life and education.", "1998-1999.", "Week 4: vs. Green Bay Packers.",
        '"Songs Included".', "Class 628.9/629.", "U.S. House of Representatives, 1847–49.",
    ],
)  # fmt: skip
def test_headings(tmp_path: Path, line: str) -> None:
    page = page_of(tmp_path, f"Ada met Bea.\n{line}\nShe was born.")
    assert page.sections[1:] == (Section(line[:-1], 13),)
    assert page.text == "Ada met Bea.\nShe was born."


@pytest.mark.parametrize(
    "line",
    [
        "He was born in Prague.", "Welch married Renell Madison.", "They went.",
        "and he held that position.", "This is a list.", "Wait...", "42.", "History",
        "With the loss, the Jets fell to 3–1 in the end.", "She won.",
    ],
)  # fmt: skip
def test_sentences_are_no_headings(tmp_path: Path, line: str) -> None:
    page = page_of(tmp_path, f"Ada met Bea.\n{line}\nBorn in 1815 she is known.")
    assert line in page.text
    assert len(page.sections) == 1


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("<br> Ada met<br>Bea.", "Ada met Bea."),
        ("Ada () met Bea ( , 1815).", "Ada met Bea (1815)."),
        ("AT&amp;T met y &lt; z.", "AT&T met y < z."),
        ("!|Year\n|-\n[[File:x.jpg|thumb|Ada]]\nAda met Bea.", "Ada met Bea."),
        ("", ""),
    ],
)
def test_leftovers(tmp_path: Path, body: str, text: str) -> None:
    assert page_of(tmp_path, body).text == text


def test_broken_documents(tmp_path: Path) -> None:
    good = doc("Ada met Bea.")
    raw = (
        b"stray\n" + good.encode() + b'<doc id="2" title="x">\nx\n' + good.encode()
        + doc("A B").encode().replace(b"A B", b"\xff\xfe") + good.encode() + b"more\n"
        + b'<doc title="no id">\n</doc>\n' + b'<doc id="3" title="cut">\nxy'
    )  # fmt: skip
    found = read(tmp_path, raw)
    assert [item.reason if isinstance(item, RejectedInput) else item.id for item in found] == [
        "text outside of records", "7", "a <doc> that is not closed", "7", "invalid UTF-8", "7",
        "text outside of records", "a <doc> without id", "a <doc> that is not closed",
    ]  # fmt: skip
    path = tmp_path / "wiki_00"
    for size in range(20, 400, 7):
        assert samples.everything(path, "wikiextractor", size) == found


@pytest.mark.data
def test_a_genuine_piece(data: Path) -> None:
    path = data / "wikipedia" / "wikiextractor-2014-AI.txt.xz"
    with lzma.open(path) as raw:
        count = sum(line.startswith(b"<doc ") for line in raw)
    assert sources.guess(path) == "wikiextractor"
    found = samples.everything(path, "wikiextractor", 1 << 20)
    assert len(found) == count == 7273
    pages = [item for item in found if isinstance(item, Page)]
    assert len(pages) == count
    titles = [section.title for page in pages for section in page.sections]
    assert titles.count("History") > 500
    assert not any(page.text.startswith(f"{page.title}\n\n") for page in pages)
