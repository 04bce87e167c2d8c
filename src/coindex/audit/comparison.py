"""What a resolver answers on a text, and what becomes of it when the text changes.

An answer is about a mention after the first of its entity: the set of marked entities of which a
name or noun is in the same cluster. It is right if that is its own entity alone. Predicted mentions
are matched with marked ones as leniently as those of probes are (`benchmarks.probe_spans`).

A link joins a mention with the one before it in its cluster, by the numbers of their tokens.
Texts that differ in words only, not in the number of tokens, are compared link by link.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from coindex.audit.templates import Passage
from coindex.benchmarks.probe_format import ExpectedMention
from coindex.benchmarks.probe_spans import matched_mentions
from coindex.errors import InvalidValue
from coindex.text.char_alignment import nonspace_text
from coindex.text.tokenizer import token_offsets
from coindex.types.document import Document
from coindex.types.span import Chars

Key = tuple[str, int]
Answers = dict[Key, frozenset[str]]
Link = tuple[tuple[int, int], tuple[int, int]]


@dataclass(frozen=True, slots=True)
class LinkChange:
    """The links of a text before and after a change of its words; `links` is of either."""

    changed: int
    links: int
    lost: tuple[Link, ...] = ()
    new: tuple[Link, ...] = ()


def cluster_chars(id: str, text: str, document: Document) -> Iterator[list[Chars]]:
    """The entities of a resolved document, as characters of the text that it was made from."""
    theirs, ours = nonspace_text(document.text), nonspace_text(text)
    if theirs.text != ours.text:
        raise InvalidValue(f"{id}: expected a document with its text, found another text")
    for entity in document.entities:
        places = []
        for mention in entity.mentions:
            start, end = theirs.range(document.chars(mention.cover))
            if start < end:
                places.append(Chars(ours.offsets[start], ours.offsets[end - 1] + 1))
        yield list(dict.fromkeys(places))


def answers(passage: Passage, document: Document) -> Answers:
    """The answer to each question of a passage; empty where a mention is joined with nothing."""
    kinds = dict(zip(passage.mentions, passage.kinds, strict=True))
    together: dict[ExpectedMention, set[ExpectedMention]] = {}
    for places in cluster_chars(passage.id, passage.text, document):
        found: set[ExpectedMention] = set()
        for chars in places:
            found.update(matched_mentions(passage.text, chars, passage.mentions)[:1])
        for mention in found:
            together.setdefault(mention, set()).update(found - {mention})
    return {
        question.key: frozenset(
            other.entity
            for other in together.get(question.mention, ())
            if kinds[other] != "pronoun"
        )
        for question in passage.questions
    }


def is_right(key: Key, answer: frozenset[str]) -> bool:
    """Whether a mention is joined with its own entity and no other."""
    return answer == {key[0]}


def found_names(passage: Passage, document: Document) -> tuple[int, int]:
    """How many names of entities with several mentions are in a cluster, and how many there are."""
    found: set[ExpectedMention] = set()
    for places in cluster_chars(passage.id, passage.text, document):
        if len(places) > 1:
            for chars in places:
                found.update(matched_mentions(passage.text, chars, passage.mentions)[:1])
    several = {question.key[0] for question in passage.questions}
    names = [
        mention
        for mention, kind in zip(passage.mentions, passage.kinds, strict=True)
        if kind == "name" and mention.entity in several
    ]
    return sum(mention in found for mention in names), len(names)


def links(id: str, text: str, document: Document) -> set[Link]:
    """The links of a resolved text; a mention within a token counts as that token."""
    offsets = list(token_offsets(text))
    starts = {start: at for at, (start, _) in enumerate(offsets)}
    ends = {end: at + 1 for at, (_, end) in enumerate(offsets)}
    result: set[Link] = set()
    for places in cluster_chars(id, text, document):
        spans = sorted(
            (_token(chars.start, starts, offsets), _token(chars.end - 1, {}, offsets) + 1)
            if chars.end not in ends
            else (_token(chars.start, starts, offsets), ends[chars.end])
            for chars in places
        )
        result.update(pairwise(dict.fromkeys(spans)))
    return result


def compare_links(one: tuple[str, str, Document], two: tuple[str, str, Document]) -> LinkChange:
    """The links of two texts with the same number of tokens, each with its id and its document."""
    sizes = [len(list(token_offsets(text))) for _, text, _ in (one, two)]
    if sizes[0] != sizes[1]:
        raise InvalidValue(
            f"{two[0]}: expected as many tokens as {one[0]} has, {sizes[0]}, found {sizes[1]}"
        )
    before, after = links(*one), links(*two)
    lost, new = tuple(sorted(before - after)), tuple(sorted(after - before))
    return LinkChange(len(lost) + len(new), len(before | after), lost, new)


def link_words(text: str, link: Link) -> str:
    """A link in words: `the nurse ← she`."""
    offsets = list(token_offsets(text))
    first, second = (
        " ".join(text[offsets[start][0] : offsets[end - 1][1]].split()) for start, end in link
    )
    return f"{first} ← {second}"


def _token(at: int, starts: dict[int, int], offsets: list[tuple[int, int]]) -> int:
    """The number of the token that a character is in."""
    if at in starts:
        return starts[at]
    return next(number for number, (_, end) in enumerate(offsets) if at < end)
