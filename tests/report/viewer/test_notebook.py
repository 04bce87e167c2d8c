"""What a notebook shows of a document and of a problem."""

from __future__ import annotations

from html.parser import HTMLParser

from hypothesis import given, settings

import coindex
from coindex import Candidate, Chars, Document, Entity, Mention, Problem
from coindex.report.viewer import notebook
from strategies import documents

STORY = Document.of(
    "story",
    [["Ann", "fed", "her", "dog", "."], ["It", "slept", "<here>", "."]],
    [
        Entity((Mention.at(0, 1), Mention.at(2, 3))),
        Entity((Mention.at(2, 4), Mention.at(5, 6))),
        Entity((Mention.at(7, 8),)),
    ],
)


class Outline(HTMLParser):
    """The text of a piece of HTML; fails where elements are not closed in order."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.text = ""
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.append(tag)
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_a_document_shows_its_entities() -> None:
    html = STORY._repr_html_()
    assert html == coindex.to_html(STORY)
    page = Outline(html)
    assert "Ann1 fed her1 dog2 .It2 slept <here>3 ." in page.text
    assert "story: 9 tokens, 5 mentions, 3 entities (1 singleton)" in page.text
    assert "1 Ann ×2" in page.text
    assert "2 her dog ×2" in page.text
    assert "<here> ×" not in page.text, "entities of one mention are not listed"
    assert {"script", "style", "link", "img"}.isdisjoint(page.tags)


def test_singletons_can_be_left_out() -> None:
    assert "slept <here> ." in Outline(coindex.to_html(STORY, singletons=False)).text


def test_a_problem_shows_its_candidates() -> None:
    problem = Problem(
        "p", "Ann called Mary, but she slept.", Chars(21, 24),
        (Candidate("Ann", Chars(0, 3)), Candidate("Mary", Chars(11, 15))), (1,),
    )  # fmt: skip
    text = Outline(problem._repr_html_()).text
    assert "Ann1 called Mary2, but she" in text
    assert "1 Ann" in text
    assert "2 Mary" in text


def test_of_a_long_text_the_beginning_is_shown_and_all_is_closed() -> None:
    words = ["very"] * 10_000
    long = Document.of("long", [words], [Entity((Mention.at(0, 9_000), Mention.at(9_500, 9_600)))])
    page = Outline(coindex.to_html(long))
    assert f"the first {notebook.LONGEST:,} of {len(long.text):,} characters" in page.text
    assert page.text.count("very") < 4_100


@given(documents())
@settings(max_examples=60, deadline=None)
def test_any_document_is_well_formed(document: Document) -> None:
    page = Outline(coindex.to_html(document))
    assert page.open == []
    assert page.tags
