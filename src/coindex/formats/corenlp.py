"""CoreNLP's annotation, which its JSON and XML hold alike: sentences of tokens, and chains.

Sentences, tokens and heads are counted from 1, within their sentence; the end of a mention is
the token after its last, so that it is half-open.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from coindex.formats.sentence_spans import SentenceMap, penn_columns
from coindex.formats.text_layout import replaced_text, with_layout
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention
from coindex.types.source import Source
from coindex.types.span import Span

NARRATOR = "PER0"
"""The speaker of what nobody is quoted as saying."""


@dataclass(frozen=True, slots=True)
class Token:
    """A token.

    word      with brackets as `-LRB-`
    spelled   as in the text
    offsets   of its characters in the text, half-open
    gaps      the white space before and after it, if the file says
    """

    word: str
    spelled: str
    offsets: tuple[int, int] | None = None
    gaps: tuple[str, str] | None = None
    lemma: str | None = None
    pos: str | None = None
    speaker: str | None = None


@dataclass(frozen=True, slots=True)
class ChainMention:
    """A mention of a chain: the sentence, the half-open span, and the head, all from 1."""

    sentence: int
    start: int
    end: int
    head: int | None = None
    kind: str | None = None


@dataclass(slots=True)
class CoreNlpDocument:
    """The sentences and chains of one document, as they are in the file.

    trees   Penn brackets of each sentence, None for one without
    chains  the id of each chain, if it has one, with its mentions
    """

    sentences: list[list[Token]] = field(default_factory=list)
    trees: list[str | None] = field(default_factory=list)
    chains: list[tuple[str | None, list[ChainMention]]] = field(default_factory=list)

    def build(self, name: str, line: int, source: Source) -> Document:
        """The document."""
        borders = [0]
        for sentence in self.sentences:
            borders.append(borders[-1] + len(sentence))
        places = SentenceMap(tuple(borders))
        tokens = [token for sentence in self.sentences for token in sentence]
        trees = penn_columns(self.trees, list(map(len, self.sentences)))
        speakers = [token.speaker or "" for token in tokens]
        document = Document.of(
            name,
            [[token.word for token in sentence] for sentence in self.sentences],
            [e for id, chain in self.chains if (e := _entity(id, chain, places, line, source))],
            lemma=_column([token.lemma for token in tokens]),
            pos=_column([token.pos for token in tokens]),
            parse=trees[1] if trees and tokens else None,
            speakers=tuple("" if name == NARRATOR else name for name in speakers),
        )
        exact = _exact_text(document, tokens)
        words = [token.spelled for token in tokens]
        return exact or with_layout(document, [token.offsets for token in tokens], words)


def _column(values: Sequence[str | None]) -> tuple[str, ...] | None:
    return tuple(value or "_" for value in values) if any(values) else None


def _entity(
    id: str | None, chain: list[ChainMention], places: SentenceMap, line: int, source: Source
) -> Entity | None:
    mentions: dict[tuple[int, int], Mention] = {}
    named = "a chain" if id is None else f"chain {id}"
    for each in chain:
        span = places.span(each.sentence - 1, each.start - 1, each.end - 1)
        if span is None:
            place = f"sentence {each.sentence}, {each.start} to {each.end}"
            message = f"expected the mentions of {named} within sentences, found {place}"
            raise source.error(line, message)
        head = None if each.head is None else span[0] + each.head - each.start
        if head is not None and not span[0] <= head < span[1]:
            raise source.error(line, f"{named}: head {each.head} lies outside its mention")
        if span in mentions:
            message = f"{named} holds the mention of tokens {span[0]} to {span[1]} twice; kept once"
            source.note(line, "repeated", message)
        mentions[span] = Mention((Span(*span),), head, each.kind)
    if not mentions:
        source.note(line, "empty", f"expected mentions in {named}, found none; left out")
        return None
    return Entity(tuple(mentions.values()), id)


def _exact_text(document: Document, tokens: list[Token]) -> Document | None:
    """The document over the original text, if each token says what is around it."""
    parts: list[str] = []
    starts, ends, at, after = [], [], 0, ""
    for token in tokens:
        if token.gaps is None:
            return None
        before = token.gaps[0] if not parts else after
        parts += [before, token.spelled]
        starts.append(at + len(before))
        at = starts[-1] + len(token.spelled)
        ends.append(at)
        after = token.gaps[1]
    return replaced_text(document, "".join([*parts, after]), tuple(starts), tuple(ends))
