"""A document's text with pronouns replaced by names, and a mapping of offsets.

    Ann lost her keys. She found them.  →  Ann lost Ann's keys. Ann found Ann's keys.

What changes:
- Third-person pronouns become the name of their entity (see `naming`): possessive
  ones with `'s`, or with a bare `'` if a plural pronoun is replaced by a word in s
  (`the boys'`, but `James's`). The apostrophe is the one used in the text.
- A description is repeated with `the` (`a boy ... he` gives `the boy`), and a
  possessive pronoun inside it is replaced too (`her keys` gives `Ann's keys`).
- A pronoun of several entities becomes the list of their names: `Ann and Bo's`.
- First and second person change only if the speaker is known and the entity has a
  name; `I'm` is then `Ann is`, and `I need` is `Ann needs`. Where the form of the verb is
  not sure they stay, as in `are you` (see `subject_agreement`).
- The case is that of the pronoun: `She` gives `The king`, `SHE WAS LATE` gives `ANN WAS LATE`.
- With `nominals`, `the singer` becomes the name too, unless it is indefinite, is next
  to the name, follows a form of `be`, or is only a part of its phrase.

What does not change: pronouns and names of which a resolver was not sure; pronouns of entities
that contradict themselves (he and she, two people's names), or that are named by a verb, a
clause or a long description only; names; reflexives, relatives and demonstratives; pronouns of
entities without a name (`every man ... his`); a pronoun inside a mention of its own
entity (`the man who lost his hat`); everything that is not a mention. Of overlapping
mentions only the outermost is replaced, so nothing is replaced twice. Verbs after other pronouns agree
if the table `verb_after_name` has an entry: `they are` may become `Ann are`. Without
part-of-speech tags it is a guess whether `her` is possessive (see `coindex.text.noun_phrase`).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

from coindex.text.mention_classes import pronoun_group
from coindex.text.noun_phrase import is_possessive_her, starts_sentence
from coindex.text.word_classes import normalize
from coindex.text.word_lists import labels, words
from coindex.transform.naming import (
    EntityName,
    entity_name,
    join_names,
    mention_kind,
    pronoun_at,
    speaker_at,
)
from coindex.transform.replaced_text import Change, ReplacedText, TextSegment, replace_text
from coindex.transform.resolved_entities import is_contradictory, link_confidence, sure_part
from coindex.transform.subject_agreement import agreeing_verb
from coindex.types.document import Document
from coindex.types.mention import Mention
from coindex.types.span import Span

__all__ = ["MIN_CONFIDENCE", "ReplacedText", "TextSegment", "replace_pronouns"]

MIN_CONFIDENCE = 0.6
"""The default; see docs/how-to/resolving.md for how many replacements are right at which confidence."""

_PERSONAL = frozenset({"first", "second"})
_ONE_PERSON = frozenset({"i", "you"})
_PLURAL = frozenset({"their", "theirs", "our", "ours"})
_BE = frozenset({"be", "am", "is", "are", "was", "were", "been", "being", "'s", "'re", "'m", "as"})
_NEAR = 3
_TAKEN_UP = frozenset({"definite", "pointing", "owned"})


def replace_pronouns(
    document: Document, *, nominals: bool = False, min_confidence: float = MIN_CONFIDENCE
) -> ReplacedText:
    """The text of a document with names for pronouns, and with `nominals` for descriptions.

    min_confidence   mentions with a lower `confidence` or `link` are neither replaced nor used
                     as names; mentions without these attributes are
    """
    return replace_text(document.text, _changes(document, nominals, min_confidence))


def _changes(document: Document, nominals: bool, min_confidence: float) -> Iterator[Change]:
    """All possible changes, in no order; some may overlap."""
    index = _Index(document, min_confidence)
    for spans, entities in index.owners.items():
        if len(spans) > 1 or not document.chars(spans[0]) or not index.is_sure(spans, entities):
            continue
        word = pronoun_at(document, index.mentions[spans])
        if word:
            yield from _for_pronoun(index, spans[0], word, entities)
        elif nominals and len(entities) == 1:
            yield from _for_nominal(index, spans[0], entities[0])


class _Index:
    """The entities of a document by mention; each name is computed once."""

    def __init__(self, document: Document, min_confidence: float) -> None:
        self.document = document
        self.min_confidence = min_confidence
        self.owners: dict[tuple[Span, ...], list[int]] = {}
        self.mentions: dict[tuple[Span, ...], Mention] = {}
        self.longest: dict[int, int] = {}
        self._doubtful: set[tuple[tuple[Span, ...], int]] = set()
        self._names: dict[int, EntityName] = {}
        self._around: dict[int, tuple[list[int], list[int]]] = {}
        self._borders: dict[int, tuple[list[int], list[int]]] = {}
        for number, entity in enumerate(document.entities):
            for at, mention in enumerate(entity.mentions):
                sure = link_confidence(entity, at)
                if sure is not None and sure < min_confidence:
                    self._doubtful.add((mention.spans, number))
                self.owners.setdefault(mention.spans, []).append(number)
                self.mentions.setdefault(mention.spans, mention)
                far = max(mention.spans[0].end, self.longest.get(mention.start, 0))
                self.longest[mention.start] = far
        curly = document.text.count("’s") > document.text.count("'s")
        self.apostrophe = "’" if curly else "'"

    def name(self, number: int) -> EntityName:
        """What an entity is called."""
        if number not in self._names:
            entity = self.document.entities[number]
            sure = sure_part(entity, self.min_confidence)
            if sure is None or is_contradictory(self.document, entity):
                self._names[number] = EntityName("", "pronoun", usable=False)
            else:
                self._names[number] = entity_name(self.document, sure)
        return self._names[number]

    def is_sure(self, spans: tuple[Span, ...], owners: Sequence[int]) -> bool:
        """Whether a mention belongs to its entities by the confidence that is asked for."""
        return all((spans, number) not in self._doubtful for number in owners)

    def within_own(self, span: Span, number: int) -> bool:
        """Whether a longer mention of the same entity contains a span."""
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
        """Whether another mention of the entity overlaps a span or is separated by marks only."""
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
        return after - bisect_left(ends, span.start - low) > 1  # the span itself is one

    def phrase(self, number: int, *, inner: bool = False) -> str:
        """An entity's name as the replacement of a pronoun; empty if it has none.

        A possessive pronoun at its start is replaced by the name of that pronoun's entity,
        unless this name begins with another possessive pronoun.
        """
        name = self.name(number)
        if not name.usable or name.span is None:
            return name.text if name.usable else ""
        first = self.document.tokens[name.span.start]
        word = normalize(first)
        if normalize(name.text[: len(first)]) != word:  # a token may differ from its characters
            return name.text
        rest = name.text[len(first) :]
        if labels("pronoun_forms").get(word) in ("possessive", "either") and rest:
            return "" if inner else self._owned(name.span.start, word, rest) or name.text
        return labels("definite").get(word, name.text[: len(first)]) + rest if rest else name.text

    def _owned(self, token: int, word: str, rest: str) -> str:
        """`Ann's dog` for `her dog`, or an empty string."""
        spans = (Span(token, token + 1),)
        owners = self.owners.get(spans, [])
        if not owners or not self.is_sure(spans, owners) or not may_change(self, token, owners):
            return ""
        names = [self.phrase(owner, inner=True) for owner in owners]
        return possessive(join_names(names), word, self.apostrophe) + rest if all(names) else ""


def may_change(index: _Index, token: int, owners: Sequence[int]) -> bool:
    """Whether a pronoun's person allows a name: the first and second need a known speaker."""
    group = pronoun_group(index.document, Mention.at(token, token + 1))
    if group not in _PERSONAL:
        return True
    known = speaker_at(index.document, token) != ""
    return known and all(index.name(number).kind == "name" for number in owners)


def possessive(name: str, pronoun: str, apostrophe: str) -> str:
    """The possessive of a name: `James's`, but `the boys'` for a plural pronoun."""
    bare = pronoun in _PLURAL and name.endswith("s")
    return name + apostrophe + ("" if bare else "s")


def _for_pronoun(index: _Index, span: Span, word: str, owners: Sequence[int]) -> Iterator[Change]:
    document = index.document
    form = labels("pronoun_forms").get(word)
    if form is None or any(index.within_own(span, number) for number in owners):
        return
    names = [index.phrase(number) for number in owners]
    if not all(names) or not may_change(index, span.start, owners):
        return
    if normalize(document.chars(span).of(document.text)) != word:
        return  # a tag is within the word
    if form == "either":
        owns = is_possessive_her(document, span.start, index.longest[span.start])
    else:
        owns = form == "possessive"
    text = join_names(names)
    text = possessive(text, word, index.apostrophe) if owns else text
    verb: tuple[int, str] | bool = True
    if word in _ONE_PERSON and not owns:
        verb = len(names) == 1 and not _is_plural(text) and agreeing_verb(document, span.start)
    if not verb:
        return
    yield Change(document.chars(span), _in_case(document, span.start, text))
    if isinstance(verb, tuple):
        yield from _verb(document, *verb)
    elif not owns and word not in _ONE_PERSON and span.end < len(document):
        pair = f"{word} {normalize(document.tokens[span.end])}"
        if (new := labels("verb_after_name").get(pair)) is not None:
            yield from _verb(document, span.end, new)


def _in_case(document: Document, token: int, text: str) -> str:
    """A name in the case of the word it replaces: capitals, a capital, or as it is.

    `I` is a capital only at the start of a sentence.
    """
    word = document.tokens[token]
    if word.isupper() and _is_in_capitals(document, token):
        return text.upper()
    raised = starts_sentence(document, token) if word == "I" else word[:1].isupper()
    return text[:1].upper() + text[1:] if raised else text


def _is_in_capitals(document: Document, token: int) -> bool:
    """Whether the other words of a token's sentence are written in capitals."""
    sentence = bisect_right(document.sentences, token)
    end = document.sentences[sentence] if sentence < len(document.sentences) else len(document)
    tokens = document.tokens[document.sentences[sentence - 1] : end]
    long = [word for word in tokens if len(word) > 1 and word.isalpha()]
    return len(long) > 1 and all(map(str.isupper, long))


def _is_plural(name: str) -> bool:
    """Whether a name may be of several people: `the Smiths`."""
    return name.lower().startswith("the ") and name.endswith("s")


def _verb(document: Document, token: int, new: str) -> Iterator[Change]:
    """The change of a verb after a pronoun that would not agree with a name."""
    chars = document.chars(Span(token, token + 1))
    if not chars:
        return
    if _is_in_capitals(document, token):
        new = new.upper()
    apart = document.text[chars.start - 1 : chars.start].isspace()
    yield Change(chars, new if apart else f" {new}")


def _for_nominal(index: _Index, span: Span, number: int) -> Iterator[Change]:
    """The change of a description to the name, unless the result would be `Ann is Ann`."""
    document, name, mention = index.document, index.name(number), index.mentions[span,]
    if name.kind != "name" or not name.usable or mention_kind(document, mention) != "nominal":
        return
    tokens = [normalize(token) for token in document.tokens[span.start : span.end]]
    opener = labels("mention_starts").get(tokens[0])
    before = normalize(document.tokens[span.start - 1]) if span.start else ""
    if opener not in _TAKEN_UP or before in _BE or not words("mention_tails").isdisjoint(tokens):
        return
    if index.beside(span, number):
        return
    end = span.end - (tokens[-1] in ("'s", "'"))
    text = index.phrase(number)
    if end < span.end:
        text = possessive(text, "", index.apostrophe)
    yield Change(document.chars(span), _in_case(document, span.start, text))


def _is_mark(document: Document, token: int) -> bool:
    """Whether a token exists and has no letter or digit."""
    return 0 <= token < len(document) and not any(map(str.isalnum, document.tokens[token]))
