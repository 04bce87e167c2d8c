"""Which stretches of a text a name takes the place of, and what stands there then."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from coindex.core._phrase import opens, plain
from coindex.core.document import Document
from coindex.core.her import is_possessive
from coindex.core.kinds import pronoun_group
from coindex.core.mention import Mention
from coindex.core.naming import Name, joined, kind_in, name_of, pronoun_at, speaker_at
from coindex.core.span import Chars, Span
from coindex.core.words import labels, words

_PERSONAL = frozenset({"first", "second"})
_PLURAL = frozenset({"their", "theirs", "our", "ours"})
_BE = frozenset({"be", "am", "is", "are", "was", "were", "been", "being", "'s", "'re", "'m", "as"})
_NEAR = 3
_TAKEN_UP = frozenset({"definite", "pointing", "owned"})


class Change(NamedTuple):
    """Some characters of the text and what stands in their place."""

    chars: Chars
    text: str


def changes(document: Document, nominals: bool) -> Iterator[Change]:
    """Every change there could be, in no order; some may overlap."""
    book = _Book(document)
    for spans, entities in book.owners.items():
        if len(spans) > 1 or not document.chars(spans[0]):
            continue
        word = pronoun_at(document, book.mentions[spans])
        if word:
            yield from _for_pronoun(book, spans[0], word, entities)
        elif nominals and len(entities) == 1:
            yield from _for_nominal(book, spans[0], entities[0])


class _Book:
    """A document's entities, looked up by their mentions; names are found once."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.owners: dict[tuple[Span, ...], list[int]] = {}
        self.mentions: dict[tuple[Span, ...], Mention] = {}
        self.longest: dict[int, int] = {}
        self._names: dict[int, Name] = {}
        self._around: dict[int, tuple[list[int], list[int]]] = {}
        self._borders: dict[int, tuple[list[int], list[int]]] = {}
        for number, entity in enumerate(document.entities):
            for mention in entity.mentions:
                self.owners.setdefault(mention.spans, []).append(number)
                self.mentions.setdefault(mention.spans, mention)
                far = max(mention.spans[0].end, self.longest.get(mention.start, 0))
                self.longest[mention.start] = far
        curly = document.text.count("’s") > document.text.count("'s")
        self.apostrophe = "’" if curly else "'"

    def name(self, number: int) -> Name:
        """What an entity is called."""
        if number not in self._names:
            self._names[number] = name_of(self.document, self.document.entities[number])
        return self._names[number]

    def within_own(self, span: Span, number: int) -> bool:
        """Whether a longer mention of the same entity holds a span."""
        if number not in self._around:
            covers = [m.cover for m in self.document.entities[number].mentions]
            wide = sorted((cover.start, cover.end) for cover in covers if len(cover) > 1)
            self._around[number] = (
                [start for start, _ in wide],
                list(accumulate((end for _, end in wide), max)),
            )
        starts, ends = self._around[number]
        at = bisect_right(starts, span.start)
        return at > 0 and ends[at - 1] >= span.end

    def beside(self, span: Span, number: int) -> bool:
        """Whether another mention of the entity overlaps a span, or only marks lie between."""
        if number not in self._borders:
            covers = [m.cover for m in self.document.entities[number].mentions]
            self._borders[number] = (
                sorted(cover.start for cover in covers),
                sorted(cover.end for cover in covers),
            )
        starts, ends = self._borders[number]
        low = high = 0
        while low < _NEAR and _is_mark(self.document, span.start - low - 1):
            low += 1
        while high < _NEAR and _is_mark(self.document, span.end + high):
            high += 1
        after = bisect_right(starts, span.end + high)
        return after - bisect_left(ends, span.start - low) > 1  # itself is one

    def phrase(self, number: int, *, inner: bool = False) -> str:
        """An entity's name as it stands in a pronoun's place, or nothing if it has none.

        A possessive pronoun it begins with is replaced by its own entity's name,
        unless that begins with another.
        """
        name = self.name(number)
        if not name.usable or name.span is None:
            return name.text if name.usable else ""
        first = self.document.tokens[name.span.start]
        word = plain(first)
        if plain(name.text[: len(first)]) != word:  # a token need not be what is written
            return name.text
        rest = name.text[len(first) :]
        if labels("pronoun_forms").get(word) in ("possessive", "either") and rest:
            return "" if inner else self._owned(name.span.start, word, rest) or name.text
        return labels("definite").get(word, name.text[: len(first)]) + rest if rest else name.text

    def _owned(self, token: int, word: str, rest: str) -> str:
        """`Ann's dog` for `her dog`, or nothing."""
        owners = self.owners.get((Span(token, token + 1),), [])
        if not owners or not may_change(self, token, owners):
            return ""
        names = [self.phrase(owner, inner=True) for owner in owners]
        return possessive(joined(names), word, self.apostrophe) + rest if all(names) else ""


def may_change(book: _Book, token: int, owners: Sequence[int]) -> bool:
    """Whether a pronoun's person allows a name: the first and second need a known speaker."""
    group = pronoun_group(book.document, Mention.at(token, token + 1))
    if group not in _PERSONAL:
        return True
    known = speaker_at(book.document, token) != ""
    return known and all(book.name(number).kind == "name" for number in owners)


def possessive(name: str, pronoun: str, apostrophe: str) -> str:
    """A name as an owner: `James's`, but `the boys'` for a plural pronoun."""
    bare = pronoun in _PLURAL and name.endswith("s")
    return name + apostrophe + ("" if bare else "s")


def _for_pronoun(book: _Book, span: Span, word: str, owners: Sequence[int]) -> Iterator[Change]:
    document = book.document
    form = labels("pronoun_forms").get(word)
    if form is None or any(book.within_own(span, number) for number in owners):
        return
    names = [book.phrase(number) for number in owners]
    if not all(names) or not may_change(book, span.start, owners):
        return
    if form == "either":
        owns = is_possessive(document, span.start, book.longest[span.start])
    else:
        owns = form == "possessive"
    text = joined(names)
    text = possessive(text, word, book.apostrophe) if owns else text
    yield Change(document.chars(span), _with_capital(document, span.start, word, text))
    if not owns:
        yield from _verb(document, span.end, word)


def _with_capital(document: Document, token: int, word: str, text: str) -> str:
    """A name with a capital where the pronoun had one; `I` has one for itself."""
    raised = opens(document, token) if word == "i" else document.tokens[token][:1].isupper()
    return text[:1].upper() + text[1:] if raised else text


def _verb(document: Document, token: int, pronoun: str) -> Iterator[Change]:
    """The verb right after a pronoun, where it could not stand after a name."""
    if token >= len(document):
        return
    new = labels("verb_after_name").get(f"{pronoun} {plain(document.tokens[token])}")
    chars = document.chars(Span(token, token + 1))
    if new is None or not chars:
        return
    apart = document.text[chars.start - 1 : chars.start].isspace()
    yield Change(chars, new if apart else f" {new}")


def _for_nominal(book: _Book, span: Span, number: int) -> Iterator[Change]:
    """A description becomes the name, unless the sentence would say `Ann is Ann`."""
    document, name, mention = book.document, book.name(number), book.mentions[span,]
    if name.kind != "name" or not name.usable or kind_in(document, mention) != "nominal":
        return
    tokens = [plain(token) for token in document.tokens[span.start : span.end]]
    opener = labels("mention_starts").get(tokens[0])
    before = plain(document.tokens[span.start - 1]) if span.start else ""
    if opener not in _TAKEN_UP or before in _BE or not words("mention_tails").isdisjoint(tokens):
        return
    if book.beside(span, number):
        return
    end = span.end - (tokens[-1] in ("'s", "'"))
    text = book.phrase(number)
    if end < span.end:
        text = possessive(text, "", book.apostrophe)
    yield Change(document.chars(span), _with_capital(document, span.start, "", text))


def _is_mark(document: Document, token: int) -> bool:
    """Whether a token is there and has no letter or digit."""
    return 0 <= token < len(document) and not any(map(str.isalnum, document.tokens[token]))
