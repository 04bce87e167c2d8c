"""`Document`: a text, its tokens, and the entities mentioned in it.

Everything is a tuple and parallel to `tokens`, so that a document of a hundred
thousand tokens is a handful of objects. The text is never altered: `starts`
and `ends` are the offsets of each token in the user's text. A token need not
equal its characters (treebanks write `-LRB-` for a bracket).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from operator import le, sub
from typing import TYPE_CHECKING

from coindex.errors import InvalidValue
from coindex.types.mention import Entity, Mention, Pairs, reading_order
from coindex.types.span import Chars, Span

if TYPE_CHECKING:
    from pandas import DataFrame

Layer = tuple[str, tuple[str, ...]]
"""The name of a layer of annotation, and one string for each token."""


@dataclass(frozen=True, slots=True)
class Document:
    """One text with its coreference annotation.

    sentences  the index of each sentence's first token
    entities   in reading order of their first mentions
    part       the number of the part, if a text was split into several
    speakers   the speaker of each token; empty if unknown
    parse      a constituency tree, one CoNLL-2012 fragment per token: `(NP*)`
    heads      the index of each token's governor, -1 for a root
    zeros      the tokens that have no characters, such as dropped pronouns
    layers     other annotation, one string per token, by name
    meta       metadata of the whole document, by name
    """

    id: str
    text: str
    tokens: tuple[str, ...] = ()
    starts: tuple[int, ...] = ()
    ends: tuple[int, ...] = ()
    sentences: tuple[int, ...] = ()
    entities: tuple[Entity, ...] = ()
    part: int | None = None
    speakers: tuple[str, ...] | None = None
    pos: tuple[str, ...] | None = None
    lemma: tuple[str, ...] | None = None
    parse: tuple[str, ...] | None = None
    heads: tuple[int, ...] | None = None
    zeros: tuple[int, ...] = ()
    layers: tuple[Layer, ...] = ()
    meta: Pairs = ()

    def __post_init__(self) -> None:
        self._check_tokens()
        self._check_layers()
        self._check_sentences()
        self._check_mentions()
        object.__setattr__(self, "entities", _in_reading_order(self.entities))
        if self.speakers is not None and not any(self.speakers):
            object.__setattr__(self, "speakers", None)

    @classmethod
    def of(
        cls,
        id: str,
        sentences: Iterable[Sequence[str]],
        entities: Iterable[Entity] = (),
        **fields: object,
    ) -> Document:
        """A document of tokenised sentences; its text is the tokens, joined.

        >>> Document.of("d", [["Ann", "slept", "."]]).text
        'Ann slept .'
        """
        given = list(sentences)
        if any(isinstance(row, str) for row in given):
            raise InvalidValue(f"{id}: a sentence is a list of tokens, found a string")
        rows = [tuple(row) for row in given if row]
        tokens = tuple(token for row in rows for token in row)
        firsts = tuple(accumulate((len(row) for row in rows[:-1]), initial=0)) if rows else ()
        text, starts, ends = join(tokens, firsts)
        return cls(id, text, tokens, starts, ends, firsts, tuple(entities), **fields)  # type: ignore[arg-type]

    def __len__(self) -> int:
        return len(self.tokens)

    @property
    def key(self) -> str:
        """The id, with the part if there is one."""
        return self.id if self.part is None else f"{self.id} part {self.part}"

    @property
    def mentions(self) -> tuple[Mention, ...]:
        """Every mention, once for each of its entities, in reading order."""
        every = (mention for entity in self.entities for mention in entity.mentions)
        return tuple(sorted(every, key=reading_order))

    def sentence_spans(self) -> Iterator[Span]:
        """The sentences as spans of tokens."""
        for start, end in pairwise((*self.sentences, len(self.tokens))):
            yield Span(start, end)

    def chars(self, span: Span) -> Chars:
        """The characters of a span of tokens."""
        return Chars(self.starts[span.start], self.ends[span.end - 1])

    def text_of(self, mention: Mention) -> str:
        """The words of a mention as written in the text, with ` … ` for gaps."""
        return " … ".join(self.chars(span).of(self.text) for span in mention.spans)

    def layer(self, name: str) -> tuple[str, ...] | None:
        """A layer by its name, or None."""
        return dict(self.layers).get(name)

    def to_pandas(self, table: str = "mentions") -> DataFrame:
        """The mentions or the entities as a data frame: see `coindex.to_pandas`."""
        import coindex

        return coindex.to_pandas(self, table)

    def _repr_html_(self) -> str:
        """What a notebook shows: see `coindex.to_html`."""
        import coindex

        return coindex.to_html(self)

    def _check_tokens(self) -> None:
        for name in ("tokens", "starts", "ends", "sentences", "entities", "zeros"):
            if type(getattr(self, name)) is not tuple:
                actual = type(getattr(self, name)).__name__
                raise InvalidValue(f"{self.id}: {name} must be a tuple, found a {actual}")
        if self.part is not None and self.part < 0:
            raise InvalidValue(f"{self.id}: a part is numbered from 0, found {self.part}")
        count = len(self.tokens)
        if len(self.starts) != count or len(self.ends) != count:
            raise InvalidValue(
                f"{self.id}: {count} tokens need as many starts and ends,"
                f" found {len(self.starts)} and {len(self.ends)}"
            )
        if not count:
            return
        if "" in self.tokens:
            raise InvalidValue(f"{self.id}: token {self.tokens.index('')} is empty")
        rising = all(map(le, self.starts, self.starts[1:])) and all(map(le, self.starts, self.ends))
        if self.starts[0] < 0 or not rising or max(self.ends) > len(self.text):
            raise InvalidValue(
                f"{self.id}: token offsets must rise within the text's {len(self.text)} characters"
            )

    def _check_layers(self) -> None:
        columns = [*self.layers]
        for name in ("speakers", "pos", "lemma", "parse", "heads"):
            column = getattr(self, name)
            if column is not None:
                columns.append((name, column))
        for name, column in columns:
            if len(column) != len(self.tokens):
                raise InvalidValue(
                    f"{self.id}: {name} has {len(column)} values for {len(self.tokens)} tokens"
                )
        if self.heads and not (min(self.heads) >= -1 and max(self.heads) < len(self.tokens)):
            raise InvalidValue(f"{self.id}: a head lies outside the {len(self.tokens)} tokens")

    def _check_sentences(self) -> None:
        firsts, count = self.sentences, len(self.tokens)
        if count and (not firsts or firsts[0] != 0):
            raise InvalidValue(f"{self.id}: the first sentence must start at token 0")
        if firsts and firsts[-1] >= count:
            raise InvalidValue(f"{self.id}: a sentence starts at {firsts[-1]} of {count} tokens")
        if any(b <= a for a, b in pairwise(firsts)):
            raise InvalidValue(f"{self.id}: sentence starts must rise, found {firsts[:20]}")

    def _check_mentions(self) -> None:
        count = len(self.tokens)
        for entity in self.entities:
            for mention in entity.mentions:
                if mention.spans[-1].end > count:
                    raise InvalidValue(
                        f"{self.id}: a mention ends at token {mention.end} of {count}"
                    )
        named = [entity.id for entity in self.entities if entity.id is not None]
        if len(set(named)) < len(named):
            twice = next(name for name in named if named.count(name) > 1)
            raise InvalidValue(f"{self.id}: two entities are called {twice!r}")
        if any(not 0 <= zero < count for zero in self.zeros):
            raise InvalidValue(f"{self.id}: a zero lies outside the {count} tokens: {self.zeros}")
        if list(self.zeros) != sorted(set(self.zeros)):
            raise InvalidValue(f"{self.id}: zeros must rise, found {self.zeros[:20]}")


def _in_reading_order(entities: Sequence[Entity]) -> tuple[Entity, ...]:
    def first(entity: Entity) -> tuple[tuple[int, ...], str]:
        return reading_order(entity.mentions[0]), entity.id or ""

    def every(entity: Entity) -> tuple[object, ...]:
        return *first(entity), tuple(map(reading_order, entity.mentions))

    keys = [first(entity) for entity in entities]
    if len(set(keys)) < len(keys):
        return tuple(sorted(entities, key=every))
    return tuple(sorted(entities, key=first))


def join(
    tokens: Sequence[str], sentences: Sequence[int]
) -> tuple[str, tuple[int, ...], tuple[int, ...]]:
    """A text for tokens (joined by spaces, one line per sentence), with their starts and ends."""
    lengths = list(map(len, tokens))
    ends = tuple(map((-1).__add__, accumulate(map((1).__add__, lengths))))
    starts = tuple(map(sub, ends, lengths))
    borders = (*sentences, len(tokens))
    lines = (" ".join(tokens[start:end]) for start, end in pairwise(borders))
    return "\n".join(lines), starts, ends
