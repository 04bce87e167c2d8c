"""What to call an entity: the words of the mention that names it best.

Names come before nominals, and nominals before pronouns. A speaker who only says
`I` is called by the speaker's own label. Among names, the one wins that stands
for most of the others: `Christine Nilsson` holds all the words of `Madame
Nilsson`, so it stands for both. Of those that stand for nearly as many, the shortest
of at least two words is taken (`Patrick Gordon`, not `Patrick Leopold Gordon of
Auchleuchries`), then the most frequent. Titles and words in small letters do not
count, so `Mr. Darcy` and `Darcy` are worth the same. Nominals are chosen likewise,
but `the girl` goes before `a girl` and `this girl`.

The words are those of the text, white space made single, without what only says
more: clauses, apposition, the possessive mark (see `_phrase`). An article that
has its capital from the start of a sentence loses it. Ties go to the earlier
mention, so the answer never depends on anything but the document.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from coindex.core._phrase import apposed, core_of, opens, plain
from coindex.core.document import Document
from coindex.core.kinds import KINDS, kind_of, pronoun_group
from coindex.core.mention import Entity, Mention
from coindex.core.span import Span
from coindex.core.words import labels, words

LONGEST = 8
"""A phrase of more tokens is a description: it names only what nothing else names."""

NEARLY = 0.8
"""A shorter name that stands for this share of what the best one stands for is preferred."""

NOBODY = frozenset({"", "-", "_"})
"""What files write where no speaker is known."""

_THE = ("the ", "The ")
_ONESELF = frozenset({"i", "me", "my", "mine", "myself"})
_FIRM = {
    "nominal": {"definite": 2, "owned": 2, "": 1},
    "name": {"definite": 1, "": 1},
}
_CLAUSES = frozenset({"why", "how", "when", "where", "whether", "if", "that", "to", "because"})


@dataclass(frozen=True, slots=True)
class Name:
    """What an entity is called.

    kind    "name", "nominal" or "pronoun": that of the mention it comes from
    span    the tokens it comes from; None for a speaker's label
    usable  whether it can stand in a pronoun's place: it names one known thing,
            unlike `every man`, a verb, a clause, or a pronoun
    """

    text: str
    kind: str
    span: Span | None = None
    usable: bool = True


@dataclass(frozen=True, slots=True)
class _Form:
    """A mention's name with what the choice depends on."""

    text: str
    kind: str
    span: Span
    content: frozenset[str]
    firm: int
    odd: bool
    opens: bool


def best_name(document: Document, entity: Entity) -> str:
    """What to call an entity of a document."""
    return name_of(document, entity).text


def name_of(document: Document, entity: Entity) -> Name:
    """What to call an entity, with where that comes from."""
    forms = [_form(document, mention) for mention in entity.mentions]
    for kind in KINDS[1:]:
        if kind == "nominal" and (
            other := _speaker(document, entity) or _apposed(document, entity)
        ):
            return other
        found = [form for form in forms if form.kind == kind and not form.odd]
        if found:
            best = _best(found)
            return Name(_shown(document, best), kind, best.span)
    odd = [form for form in forms if form.kind != "pronoun"]
    best = _best(odd or forms)
    return Name(_shown(document, best), best.kind, best.span, usable=False)


def kind_in(document: Document, mention: Mention) -> str:
    """The kind a mention is marked with, or the one its words tell."""
    return mention.kind if mention.kind in KINDS else kind_of(document, mention)


def speaker_at(document: Document, token: int) -> str:
    """Who says a token, or an empty string."""
    said = document.speakers[token] if document.speakers is not None else ""
    return "" if said in NOBODY else said


def _apposed(document: Document, entity: Entity) -> Name | None:
    """The first name that stands in apposition within a mention."""
    spans = (apposed(document, m) for m in entity.mentions if not m.discontinuous)
    span = next(filter(None, spans), None)
    return Name(flat(document.chars(span).of(document.text)), "name", span) if span else None


def _speaker(document: Document, entity: Entity) -> Name | None:
    """The label of whoever calls this entity `I` most often."""
    if document.speakers is None:
        return None
    said = Counter(
        speaker_at(document, m.start)
        for m in entity.mentions
        if m.end - m.start == 1 and plain(document.tokens[m.start]) in _ONESELF
    )
    del said[""]
    return Name(max(said, key=lambda name: said[name]), "name") if said else None


def _form(document: Document, mention: Mention) -> _Form:
    kind = kind_in(document, mention)
    if kind == "pronoun":
        text = flat(document.text_of(mention))
        return _Form(text, kind, mention.spans[0], frozenset(), 0, False, False)
    span = core_of(document, mention, kind == "name")
    tokens = document.tokens[span.start : span.end]
    starts = opens(document, span.start)
    if kind == "nominal" and not starts and _untagged_name(document, span):
        kind = "name"
    text = flat(document.chars(span).of(document.text))
    return _Form(
        text,
        kind,
        span,
        frozenset(_content(tokens, kind == "name")),
        _firm(plain(tokens[0]), kind),
        not text or len(span) > LONGEST or _odd(document, span, kind),
        starts,
    )


def _firm(first: str, kind: str) -> int:
    """How well a phrase's first word suits a name: `the girl` before `girls` before `a girl`."""
    return _FIRM[kind].get(labels("mention_starts").get(first, ""), 0)


def _untagged_name(document: Document, span: Span) -> bool:
    """Whether one word with a capital within a sentence was taken for a verb or an adjective.

    `Rose` and `Will` are in the list of verbs, which kinds without tags go by.
    """
    token = document.tokens[span.start]
    untagged = document.pos is None or not document.pos[span.start]
    return untagged and len(span) == 1 and len(token) > 1 and token.istitle()


def _odd(document: Document, span: Span, kind: str) -> bool:
    """Whether a phrase names no one thing: `every man`, `why they left`, `swear`, `there`."""
    first = plain(document.tokens[span.start])
    if first in words("quantifiers") or (first in _CLAUSES and len(span) > 1):
        return first != "that" or len(span) > 4
    tag = document.pos[span.start] if document.pos is not None else ""
    if len(span) == 1 and tag:
        return tag.startswith("VB") or tag in ("VERB", "AUX")
    label = labels("function_words").get(first, "adjective")
    return kind == "nominal" and len(span) == 1 and label != "adjective"


def _content(tokens: Sequence[str], named: bool) -> Iterator[str]:
    """The words that tell one name from another; titles only where there is nothing else."""
    capitals = [token for token in tokens if token[0].isupper()] if named else []
    found = [plain(token) for token in capitals or tokens]
    telling = [
        word
        for word in found
        if any(map(str.isalnum, word))
        and labels("function_words").get(word, "adjective") == "adjective"
    ]
    titles = words("titles") | words("honorifics")
    names = [word for word in telling if word.rstrip(".") not in titles]
    yield from names or telling or found


def _best(forms: Sequence[_Form]) -> _Form:
    """The form that stands for most of the others; see the module."""
    groups: dict[str, list[_Form]] = {}
    for form in forms:
        groups.setdefault(form.text.casefold(), []).append(form)
    counts = Counter(form.content for form in forms)
    held = {
        content: sum(count for other, count in counts.items() if other <= content)
        for content in counts
    }
    firmest = max(form.firm for form in forms)
    enough = NEARLY * max(held[form.content] for form in forms if form.firm == firmest)

    def worth(group: Sequence[_Form]) -> tuple[int, bool, bool, int, int]:
        first = group[0]
        size = len(first.content)
        said_of = first.text.startswith(_THE) and " of " in first.text  # the City of Leeds
        full = first.kind == "nominal" or (size > 1 and not said_of)
        return first.firm, held[first.content] >= enough, full, -size, len(group)

    return _written(max(groups.values(), key=worth))


def _written(group: Sequence[_Form]) -> _Form:
    """Of forms that differ in capitals, the one from within a sentence, the commonest first."""
    counts = Counter(form.text for form in group)

    def plainness(form: _Form) -> tuple[bool, bool, bool, int]:
        shouts = form.text.isupper() and len(form.text) > 4
        return not shouts, form.text[:1].islower(), not form.opens, counts[form.text]

    return max(group, key=plainness)


def _shown(document: Document, form: _Form) -> str:
    """The text of a form without the capital that only the sentence gave it."""
    first = document.tokens[form.span.start]
    if form.kind == "pronoun":
        return form.text if first == "I" else form.text.lower()
    if not (form.opens and first[0].isupper() and form.text.startswith(first)):
        return form.text
    label = labels("function_words").get(plain(first))
    article = label == "determiner" and (len(first) == 1 or first.istitle())
    tag = document.pos[form.span.start] if document.pos is not None else ""
    common = tag in ("NN", "NNS", "NOUN") and first.istitle()
    return first.lower() + form.text[len(first) :] if article or common else form.text


def flat(text: str) -> str:
    """A text with all its white space made single."""
    return " ".join(text.split())


def pronoun_at(document: Document, mention: Mention) -> str:
    """The pronoun a mention is, in small letters; an empty string for any other mention."""
    if pronoun_group(document, mention) is None:
        return ""
    return plain(document.tokens[mention.start])


def joined(names: Iterable[str]) -> str:
    """Several names as one: `Ann, Bo and Cy`."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last
