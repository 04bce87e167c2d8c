"""The Wikipedia source: what becomes of markup, what is skipped, what is broken."""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import source_samples as samples
from coindex.builders import sources
from coindex.builders.sources import Page, RejectedInput, Section
from coindex.errors import MissingExtra

pytest.importorskip("mwparserfromhell", reason="needs pip install 'coindex[build]'")

MARKUP = re.compile(r"\[\[|\]\]|\{\{|\}\}|<ref|</|\{\||^\s*\|-|^\s*[|!*#]|'''", re.MULTILINE)


def dump(folder: Path, *pages: str) -> Path:
    return samples.write(folder / "d.xml", samples.HEADER + "".join(pages) + "</mediawiki>\n")


def read(folder: Path, *pages: str) -> list[Page | RejectedInput]:
    return samples.everything(dump(folder, *pages), "wikipedia")


def cleaned(folder: Path, wikitext: str) -> Page:
    (page,) = read(folder, samples.wiki_page(7, wikitext))
    assert isinstance(page, Page)
    return page


@pytest.mark.parametrize(
    ("wikitext", "text"),
    [
        ("'''Ada''' met ''Bea''.", "Ada met Bea."),
        ("[[Ada Lovelace|Ada]] met [[Bea]].", "Ada met Bea."),
        ("[[:Category:Mills|Mills]] turn.", "Mills turn."),
        ("Ada<ref>A book.</ref> met<ref name=x /> Bea.", "Ada met Bea."),
        ("Ada {{citation needed|date=May}} met Bea.", "Ada met Bea."),
        ("Ada ({{IPA|x}}) met Bea.", "Ada met Bea."),
        ("Ada ({{IPA|x}}; born 1815) met Bea.", "Ada (born 1815) met Bea."),
        ("Ada{{lang|fr|dit}} and {{nowrap|Bea B.}} met.", "Adadit and Bea B. met."),
        ("{{Infobox|name={{nested|a}}\n* item\n}}\nAda met Bea.", "Ada met Bea."),
        ("{| class=x\n|-\n| Ada || Bea\n|}\nAda met Bea.", "Ada met Bea."),
        ("{|\n|-\n| {|\n| inner\n|}\n|}\nAda met Bea.", "Ada met Bea."),
        ("Ada met Bea.\n{|\n|-\n| never closed", "Ada met Bea."),
        ("Ada met Bea.\n* one\n* two\n# three\n: four\n; five", "Ada met Bea."),
        ("[[File:A.jpg|thumb|Ada and [[Bea]] here]]Ada met Bea.", "Ada met Bea."),
        ("Ada met Bea.\n\n[[Category:People]]\n[[fr:Ada]]", "Ada met Bea."),
        ("Ada <!-- not\nhere -->met Bea.", "Ada met Bea."),
        ("Ada <!-- never closed", "Ada"),
        ("Ada met [http://x.org the poet] and [http://y.org].", "Ada met the poet and."),
        ("Ada &amp; Bea&nbsp;met.", "Ada & Bea met."),
        ("<math>x</math>Ada met<br/>Bea<sup>2</sup>.", "Ada met Bea."),
        ("<div class=x>Ada met Bea.</div>", "Ada met Bea."),
        ("__NOTOC__\nAda\nmet Bea.\n\nShe left.", "Ada met Bea.\nShe left."),
        ("Ada {{unclosed met Bea.", "Ada unclosed met Bea."),
        ("Ada [[unclosed met Bea.", "Ada unclosed met Bea."),
        ("Ada met Bea.<ref>never closed", "Ada met Bea."),
        ("<gallery>\nA.jpg|Ada\n</gallery>\nAda met Bea.", "Ada met Bea."),
    ],
)
def test_markup(tmp_path: Path, wikitext: str, text: str) -> None:
    assert cleaned(tmp_path, wikitext).text == text


def test_sections(tmp_path: Path) -> None:
    wikitext = (
        "Ada.\n== Life ==\nBorn.\n=== ''Death'' ===\nDied.\n== Works ==\n* A\n== Last ==\nEnd."
    )
    page = cleaned(tmp_path, wikitext)
    assert page.text == "Ada.\nBorn.\nDied.\nEnd."
    assert page.sections == (
        Section("", 0), Section("Life", 5), Section("Death", 11), Section("Last", 17),
    )  # fmt: skip


def test_what_a_page_keeps(tmp_path: Path) -> None:
    page = cleaned(tmp_path, "Ada.")
    assert (page.id, page.title, page.revision) == ("7", "Page 7", "507")
    assert page.url == "https://test.wikipedia.org/wiki/Page_7"
    assert page.position == f"byte {len(samples.HEADER)}"
    assert page.meta == (("timestamp", "2020-01-01T00:00:00Z"),)


def test_what_is_skipped(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        samples.wiki_page(1, "Ada.", '    <redirect title="X" />\n'),
        samples.wiki_page(2, "#REDIRECT [[Ada]]"),
        samples.wiki_page(3, "'''Ada''' may be:\n* [[Ada]]\n{{disambiguation|geo}}"),
        samples.wiki_page(4, "'''Ada''' may be:\n{{Hndis|Ada}}"),
        samples.wiki_page(5).replace("<ns>0</ns>", "<ns>10</ns>"),
        samples.wiki_page(6, "").replace("Page 6", "Ada (disambiguation)"),
        samples.wiki_page(7, "Not {{about|x|other uses|Ada (disambiguation)}} this."),
    )
    assert [item.reason if isinstance(item, RejectedInput) else item.id for item in found] == [
        "redirect", "redirect", "disambiguation", "disambiguation", "other namespace",
        "disambiguation", "7",
    ]  # fmt: skip
    assert all(item.skipped for item in found if isinstance(item, RejectedInput))


def test_broken_pages_cost_themselves_alone(tmp_path: Path) -> None:
    good = samples.wiki_page(1)
    path = dump(tmp_path)
    text = samples.HEADER + good + good.replace("</title>", "</tilte>") + good
    text += good.replace("  </page>\n", "") + good
    raw = text.encode() + good.encode().replace(b"Page 1", b"Page \xff") + good.encode()
    path.write_bytes(raw + b"</mediawiki>")
    found = samples.everything(path, "wikipedia")
    assert [item.reason if isinstance(item, RejectedInput) else "page" for item in found] == [
        "page", "broken XML", "page", "a <page> that is not closed", "page", "invalid UTF-8",
        "page",
    ]  # fmt: skip
    places = [int(item.position.removeprefix("byte ")) for item in found]
    assert all(raw[place:].startswith(b"  <page>") for place in places)
    assert not any(item.skipped for item in found if isinstance(item, RejectedInput))


def test_pages_on_one_line_are_told(tmp_path: Path) -> None:
    path = samples.write(tmp_path / "d.xml", "<mediawiki><page><title>A</title></page></mediawiki>")
    (bad,) = samples.bads(path, "wikipedia")
    assert bad.reason == "<page> not at the beginning of a line"


@pytest.mark.parametrize("mark", ["{{a|", "[[a|", "<a ", "<ref>", "{|\n"])
def test_thousands_of_open_marks_are_not_parsed(tmp_path: Path, mark: str) -> None:
    bad, page = read(tmp_path, samples.wiki_page(1, mark * 5000), samples.wiki_page(2))
    assert isinstance(bad, RejectedInput)
    assert (bad.reason, bad.skipped) == ("broken markup", False)
    assert isinstance(page, Page)


@given(
    st.lists(
        st.sampled_from(
            ["{{", "}}", "[[", "]]", "{|", "|}", "|-", "\n", "|", "<ref>", "</ref>", "<ref name=a/>",
             "''", "'''", "==", "*", "Ada", " ", "&amp;", "<!--", "-->", "<b>", "</b>", "{{{", "!"]
        ),
        max_size=40,
    )
)  # fmt: skip
def test_no_markup_survives(tmp_path_factory: pytest.TempPathFactory, parts: list[str]) -> None:
    page = cleaned(tmp_path_factory.mktemp("fuzz"), "".join(parts))
    assert not re.search(r"\[\[|\]\]|\{\{|\}\}|<ref|\{\||^\|-", page.text, re.MULTILINE), page.text
    assert [section.start for section in page.sections] == sorted(
        section.start for section in page.sections
    )


@given(st.binary(max_size=60), st.integers(0, 2000))
def test_any_bytes_in_a_dump(
    tmp_path_factory: pytest.TempPathFactory, junk: bytes, at: int
) -> None:
    raw = samples.wikipedia(3).encode()
    path = tmp_path_factory.mktemp("fuzz") / "d.xml"
    path.write_bytes(raw[:at] + junk + raw[at + len(junk) :])
    whole = samples.everything(path, "wikipedia")
    assert samples.everything(path, "wikipedia", 100) == whole


def test_a_missing_parser_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mwparserfromhell", None)
    with pytest.raises(MissingExtra, match=r"\[build\]"):
        cleaned(tmp_path, "Ada.")


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "count", "skipped"),
    [
        (
            "enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2",
            206,
            {"redirect": 100, "disambiguation": 8},
        ),
        ("enwiki-table-markup.xml.bz2", 5, {}),
    ],
)
def test_genuine_dumps(data: Path, name: str, count: int, skipped: dict[str, int]) -> None:
    path = data / "wikipedia" / name
    assert sources.guess(path) == "wikipedia"
    found = samples.everything(path, "wikipedia")
    assert len(found) == count
    assert Counter(item.reason for item in found if isinstance(item, RejectedInput)) == skipped
    pages = [item for item in found if isinstance(item, Page)]
    assert all(page.id and page.title and page.revision and page.url for page in pages)
    assert [
        (page.title, MARKUP.search(page.text)) for page in pages if MARKUP.search(page.text)
    ] == []
    assert sum(len(page.text) for page in pages) / len(pages) > 10_000
    for page in pages:
        assert all(page.text[s.start - 1] == "\n" for s in page.sections if s.start)


@pytest.mark.data
def test_a_genuine_dump_in_shards(data: Path) -> None:
    path = data / "wikipedia" / "enwiki-table-markup.xml.bz2"
    assert samples.everything(path, "wikipedia", 10_000) == samples.everything(path, "wikipedia")
