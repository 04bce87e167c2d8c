"""What to call an entity: the words of the mention that names it best.

Names are preferred to nominals, and nominals to pronouns. An entity that is only
mentioned as `I` by its speaker gets the speaker's label. Among names, the one that
covers most of the others is preferred: `Christine Nilsson` contains all words of
`Madame Nilsson`, so it covers both. Of names that cover nearly as many, the shortest
of at least two words is chosen (`Patrick Gordon`, not `Patrick Leopold Gordon of
Auchleuchries`), then the most frequent. Titles and lower-case words do not count, so
`Mr. Darcy` and `Darcy` are equal. Nominals are chosen in the same way, but `the girl`
is preferred to `a girl` and `this girl`. A term such as `the Company` is used only if there is
no other name, and a heading in capitals only if there is no term either.

A name is the text of its mention, with single spaces and without clauses, apposition
and possessive mark (see `coindex.text.noun_phrase`). An article that is capitalised
only because it begins a sentence becomes lower case. Ties go to the earlier mention,
so the name depends on the document alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from coindex.text.clauses import is_clause, is_verb
from coindex.text.markup import collapse_spaces, decoded, shown_text
from coindex.text.mention_classes import KINDS, kind_of, pronoun_group
from coindex.text.noun_phrase import apposed_name, core_span, starts_sentence
from coindex.text.speakers.labels import names_person
from coindex.text.word_classes import normalize
from coindex.text.word_lists import labels, words
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention
from coindex.types.span import Span

LONGEST = 8
"""A phrase of more tokens is a description, used only if an entity has no other name."""

NEARLY = 0.8
"""A shorter name is preferred if it covers this share of the mentions that the best one covers."""

NOBODY = frozenset({"", "-", "_"})
"""The values that files have for an unknown speaker."""

HEADING, TERM, PLAIN = range(3)
"""Kinds of names, from the least to the most telling: see `_rank`."""

_COMMON = ("role_nouns", "person_nouns", "group_nouns", "organisation_words", "vocabulary")
_THE = ("the ", "The ")
_ONESELF = frozenset({"i", "me", "my", "mine", "myself"})
_DEFINITENESS = {
    "nominal": {"definite": 2, "owned": 2, "": 1},
    "name": {"definite": 1, "": 1},
}


@dataclass(frozen=True, slots=True)
class EntityName:
    """What an entity is called.

    kind    "name", "nominal" or "pronoun": the kind of the mention it is taken from
    span    the tokens it is taken from; None for a speaker's label
    usable  whether it can replace a pronoun: it names one known thing, unlike
            `every man`, a verb, a clause, or a pronoun
    """

    text: str
    kind: str
    span: Span | None = None
    usable: bool = True


@dataclass(frozen=True, slots=True)
class _Form:
    """The name that a mention offers, with the properties that the choice depends on."""

    text: str
    kind: str
    span: Span
    content: frozenset[str]
    firm: int
    odd: bool
    opens: bool
    rank: int = PLAIN


def best_name(document: Document, entity: Entity) -> str:
    """What to call an entity of a document, for people: `R&D` for `R&amp;D`."""
    name = entity_name(document, entity)
    return name.text if name.span is None else decoded(document, name.span, name.text)


def entity_name(document: Document, entity: Entity) -> EntityName:
    """What to call an entity, with the source of that name."""
    forms = [_form(document, mention) for mention in entity.mentions]
    for kind in KINDS[1:]:
        if kind == "nominal" and (
            other := _speaker(document, entity) or _apposed(document, entity)
        ):
            return other
        usable = [form for form in forms if form.kind == kind and not form.odd]
        if usable:
            rank = max(form.rank for form in usable)
            best = _best([form for form in usable if form.rank == rank])
            return EntityName(_display_text(document, best), kind, best.span)
    unusable = [form for form in forms if form.kind != "pronoun"]
    best = _best(unusable or forms)
    return EntityName(_display_text(document, best), best.kind, best.span, usable=False)


def mention_kind(document: Document, mention: Mention) -> str:
    """The annotated kind of a mention, or else the kind determined from its words."""
    return mention.kind if mention.kind in KINDS else kind_of(document, mention)


def speaker_at(document: Document, token: int) -> str:
    """The speaker of a token, or an empty string."""
    speaker = document.speakers[token] if document.speakers is not None else ""
    return "" if speaker in NOBODY else speaker


def _apposed(document: Document, entity: Entity) -> EntityName | None:
    """The first name in apposition within a mention."""
    spans = (apposed_name(document, m) for m in entity.mentions if not m.discontinuous)
    span = next(filter(None, spans), None)
    return EntityName(shown_text(document, span), "name", span) if span else None


def _speaker(document: Document, entity: Entity) -> EntityName | None:
    """The label of the speaker who most often refers to this entity as `I`."""
    if document.speakers is None:
        return None
    counts = Counter(
        speaker_at(document, m.start)
        for m in entity.mentions
        if m.end - m.start == 1 and normalize(document.tokens[m.start]) in _ONESELF
    )
    del counts[""]
    if not counts:
        return None
    label = max(counts, key=lambda name: counts[name])
    return EntityName(label, "name", usable=names_person(label))


def _form(document: Document, mention: Mention) -> _Form:
    kind = mention_kind(document, mention)
    if kind == "pronoun":
        text = collapse_spaces(document.text_of(mention))
        return _Form(text, kind, mention.spans[0], frozenset(), 0, False, False)
    span = core_span(document, mention, kind == "name")
    tokens = document.tokens[span.start : span.end]
    starts = starts_sentence(document, span.start)
    if kind == "nominal" and not starts and _untagged_name(document, span):
        kind = "name"
    text = shown_text(document, span)
    return _Form(
        text,
        kind,
        span,
        frozenset(_content(tokens, kind == "name")),
        _definiteness_rank(normalize(tokens[0]), kind),
        not text or len(span) > LONGEST or _is_unusable(document, span, kind),
        starts,
        _rank(tokens) if kind == "name" else PLAIN,
    )


def _rank(tokens: Sequence[str]) -> int:
    """Whether a name is a heading in capitals, a term such as `the Company`, or any other."""
    long = [token for token in tokens if len(token) > 1 and token.isalpha()]
    if len(long) > 1 and all(map(str.isupper, long)):
        return PLAIN if tokens[0].lower() in words("first_names") else HEADING
    opener = labels("mention_starts").get(normalize(tokens[0]))
    if opener not in ("definite", "pointing") or len(tokens) != 2:
        return PLAIN
    common = any(tokens[1].lower() in words(name) for name in _COMMON)
    return TERM if common else PLAIN


def _definiteness_rank(first: str, kind: str) -> int:
    """A rank of a phrase's first word: `the girl` before `girls` before `a girl`."""
    return _DEFINITENESS[kind].get(labels("mention_starts").get(first, ""), 0)


def _untagged_name(document: Document, span: Span) -> bool:
    """Whether a span is one capitalised word that was taken for a verb or an adjective.

    `Rose` and `Will` are in the list of verbs, which determines kinds without tags.
    """
    token = document.tokens[span.start]
    untagged = document.pos is None or not document.pos[span.start]
    return untagged and len(span) == 1 and len(token) > 1 and token.istitle()


def _is_unusable(document: Document, span: Span, kind: str) -> bool:
    """Whether a phrase names no particular thing: `every man`, `why they left`, `there`, `ran`."""
    if normalize(document.tokens[span.start]) in words("quantifiers"):
        return True
    if len(span) > 1:
        return is_clause(document, span, kind == "name")
    tagged = document.pos is not None and document.pos[span.start] != ""
    return (kind == "nominal" or tagged) and is_verb(document, span.start)


def _content(tokens: Sequence[str], named: bool) -> Iterator[str]:
    """The words that distinguish a name from others; titles only if there are no other words."""
    capitals = [token for token in tokens if token[0].isupper()] if named else []
    normalized = [normalize(token) for token in capitals or tokens]
    distinctive = [
        word
        for word in normalized
        if any(map(str.isalnum, word))
        and labels("function_words").get(word, "adjective") == "adjective"
    ]
    titles = words("titles") | words("honorifics")
    names = [word for word in distinctive if word.rstrip(".") not in titles]
    yield from names or distinctive or normalized


def _best(forms: Sequence[_Form]) -> _Form:
    """The form that covers most of the others; see the module."""
    groups: dict[str, list[_Form]] = {}
    for form in forms:
        groups.setdefault(form.text.casefold(), []).append(form)
    counts = Counter(form.content for form in forms)
    covered = {
        content: sum(count for other, count in counts.items() if other <= content)
        for content in counts
    }
    highest = max(form.firm for form in forms)
    enough = NEARLY * max(covered[form.content] for form in forms if form.firm == highest)

    def worth(group: Sequence[_Form]) -> tuple[int, bool, bool, int, int]:
        first = group[0]
        size = len(first.content)
        titled = first.text.startswith(_THE) and " of " in first.text  # the City of Leeds
        full = first.kind == "nominal" or (size > 1 and not titled)
        return first.firm, covered[first.content] >= enough, full, -size, len(group)

    return _written(max(groups.values(), key=worth))


def _written(group: Sequence[_Form]) -> _Form:
    """Of forms that differ in case, one from within a sentence, then the most frequent."""
    counts = Counter(form.text for form in group)

    def plainness(form: _Form) -> tuple[bool, bool, bool, int]:
        shouts = form.text.isupper() and len(form.text) > 4
        return not shouts, form.text[:1].islower(), not form.opens, counts[form.text]

    return max(group, key=plainness)


def _display_text(document: Document, form: _Form) -> str:
    """The text of a form, without a capital that is due to the start of a sentence only."""
    first = document.tokens[form.span.start]
    if form.kind == "pronoun":
        return form.text if first == "I" else form.text.lower()
    if not (form.opens and first[0].isupper() and form.text.startswith(first)):
        return form.text
    label = labels("function_words").get(normalize(first))
    article = label == "determiner" and (len(first) == 1 or first.istitle())
    tag = document.pos[form.span.start] if document.pos is not None else ""
    common = tag in ("NN", "NNS", "NOUN") and first.istitle()
    return first.lower() + form.text[len(first) :] if article or common else form.text


def pronoun_at(document: Document, mention: Mention) -> str:
    """The pronoun that a mention consists of, in lower case; otherwise an empty string."""
    if pronoun_group(document, mention) is None:
        return ""
    return normalize(document.tokens[mention.start])


def join_names(names: Iterable[str]) -> str:
    """Several names as one: `Ann, Bo and Cy`."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last
