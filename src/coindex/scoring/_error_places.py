"""Where the errors of one pair of documents are: see `errors` for what each is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass

from coindex.core.document import Document
from coindex.core.mention import Mention, reading_order
from coindex.scoring._sides import Side, Sides

_PREFERRED = ("name", "nominal", "pronoun")


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a divided or conflated entity: its best name, and how many mentions it has."""

    name: str
    mentions: int


@dataclass(frozen=True, slots=True)
class Found:
    """An error in a document: the mention to show, the kinds it counts for, its pieces."""

    error: str
    pair: Sides
    place: str
    mention: Mention
    kind: str
    kinds: tuple[str, ...]
    pieces: tuple[Piece, ...] = ()

    @property
    def words(self) -> str:
        """The words of the mention to show."""
        return words_of(self.pair.document, self.mention)


def words_of(document: Document, mention: Mention) -> str:
    """The tokens of a mention, a space apart, gaps as ` … `."""
    return " … ".join(" ".join(document.tokens[s.start : s.end]) for s in mention.spans)


def errors_of(pair: Sides, place: str) -> Iterator[Found]:
    """Every error of one pair; `place` is what the document is called."""
    for side, other, label in (
        (pair.key, pair.response, "missing"),
        (pair.response, pair.key, "extra"),
    ):
        for identity in side.owner:
            if identity not in other.owner:
                kind, mention = pair.kind(identity), side.mentions[identity]
                yield Found(f"{label} mention", pair, place, mention, kind, (kind,))
        for entity in side.entities():
            if not any(identity in other.owner for identity in entity):
                kind, mention = _best(pair, entity)
                yield Found(f"{label} entity", pair, place, mention, kind, (kind,))
    yield from _broken(pair, place, "divided", pair.key, pair.response)
    yield from _broken(pair, place, "conflated", pair.response, pair.key)


def _broken(pair: Sides, place: str, error: str, side: Side, other: Side) -> Iterator[Found]:
    """Entities of one side whose mentions are in several entities of the other."""
    others = other.entities()
    for entity in side.entities():
        pieces: defaultdict[int, list[Hashable]] = defaultdict(list)
        for identity in entity:
            if identity in other.owner:
                pieces[other.owner[identity]].append(identity)
        if len(pieces) < 2:
            continue
        ordered = sorted(pieces.items(), key=lambda item: (-len(item[1]), _first(side, item[1])))
        kind, mention = _best(pair, entity)
        yield Found(
            error,
            pair,
            place,
            mention,
            kind,
            tuple(_best(pair, piece)[0] for _, piece in ordered[1:]),
            tuple(
                # a conflated entity is shown by what its pieces are called in the key
                _piece(pair, others[index] if error == "conflated" else piece, len(piece))
                for index, piece in ordered
            ),
        )


def _piece(pair: Sides, mentions: Iterable[Hashable], size: int) -> Piece:
    return Piece(words_of(pair.document, _best(pair, mentions)[1]), size)


def _first(side: Side, piece: Iterable[Hashable]) -> tuple[int, ...]:
    return min(reading_order(side.mentions[identity]) for identity in piece)


def _best(pair: Sides, entity: Iterable[Hashable]) -> tuple[str, Mention]:
    """The kind of the best name among mentions, and that mention."""
    every = ((pair.kind(identity), pair.mention(identity)) for identity in entity)
    return min(every, key=lambda item: (_PREFERRED.index(item[0]), reading_order(item[1])))
