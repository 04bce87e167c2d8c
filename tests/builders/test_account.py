"""Nothing of a page is lost: each of its sentences is looked at once, and dropped with a reason or not."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coindex import plugins
from coindex.builders import Dropped, Passage
from coindex.builders.sentences import not_prose_reason, prose_sentences
from corpora_samples import page

LINES = (
    "Heading {}", "== Heading {} ==", "* Ann met Mary at {}. Then Ann left {}.", "| {} | {}", "",
    "Ann met Mary in {}.", "Ann, {} and Mary.", "   ", "It rained for long in the year of {}.",
    "John met David at {} before John left for the war. She came to Anna Bell when it was {}.",
    "Anna Bell wrote to Mary Cole at {} because she needed help. Warren tells Rose {} about it,"
    " but she refuses to go. He left {}.",
    "1. First of all is {}", "The end of it is {}!", "Dr. Bell and J. Cole told her of {}.",
)  # fmt: skip


def numbered(lines: list[str]) -> str:
    """The lines with a number of its own in each place."""
    count = iter(range(10_000))
    return re.sub(r"\{\}", lambda _: f"n{next(count)}", "\n".join(lines))


def looked_at(found: Passage | Dropped) -> str:
    """The sentence that something of a scan is about; pairs of sentences come beside them."""
    if "+1" in found.id:
        return ""
    if isinstance(found, Dropped):
        return found.example
    return found.text[found.boundaries[-1] if found.boundaries else 0 :]


@pytest.mark.parametrize("name", ["wikicrem", "randomwiki", "knowref", "gap"])
@settings(max_examples=40)
@given(st.lists(st.sampled_from(LINES), max_size=8))
def test_every_sentence_is_kept_or_dropped(name: str, lines: list[str]) -> None:
    builder, text = plugins.load("builders", name), numbered(lines)
    found = list(builder.scan(page(text), builder.rules(1)))
    told = Counter(mark for each in found for mark in re.findall(r"\bn\d+", looked_at(each)))
    assert told == Counter(re.findall(r"\bn\d+", text))
    assert all(each.stage == "scan" and each.reason for each in found if isinstance(each, Dropped))
    assert len({each.id for each in found}) == len(found)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("* Ann met Mary in the town there.", "an item of a list"),
        ("3. Ann met Mary in the town there.", "an item of a list"),
        ("Ann met Mary in the town there", "a line without a full stop"),
        ("Ann met Mary there.", "a line of few words"),
        ("Ann met Mary in town.", ""),
        ("Ann met Mary in the “town.”", ""),
    ],
)
def test_what_is_no_paragraph(line: str, reason: str) -> None:
    assert not_prose_reason(line) == reason
    inside, outside = prose_sentences(page(line))
    assert {each.reason for each in outside} == ({reason} if reason else set())
    assert len(inside) == (not reason)
