"""Roles for names: a later repeat of a name becomes a noun that the document gives the entity.

    Acme Corp , a software company , opened ... Acme Corp sold its shop .
    Acme Corp , a software company , opened ... The company sold its shop .

The noun is one of `role_nouns`. It comes from an apposition (`Acme , a software company ,`), a
predicate (`Acme is a software company`), a title (`Senator Lee`), the word before the name
(`the company Acme`) or its last word (`organisation_words`). A repeat is only replaced after such a place, where nothing else of the
same type was mentioned since the entity was mentioned last: the nearest noun of that type must
be the right one. Names whose type is unknown count as of the same type.
"""

from __future__ import annotations

import random
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from coindex.generators.people import entity_type, given_name_gender, is_thing
from coindex.generators.protocol import Generated, Make, Variant
from coindex.text.mention_classes import kind_of
from coindex.text.noun_phrase import starts_sentence
from coindex.text.word_classes import COORDINATORS, normalize
from coindex.text.word_lists import labels, words
from coindex.transform.edit import TokenEdit, replace_tokens
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention

UNIT = "names"
OPTIONS: Mapping[str, tuple[str, ...]] = {"share": ("1.0", "0.5", "0.25")}

_COPULAS = frozenset({"is", "was"})
_ARTICLES = frozenset({"a", "an", "the"})
_OPEN, _CLOSE = frozenset({"(", "-LRB-"}), frozenset({")", "-RRB-"})
_LONGEST = 8
_NOT_BEFORE = frozenset({"-", "(", "-lrb-", "/", "’", "'", '"', "``", "“", "&", "and", "or", "by"})
_TAGS_AFTER = frozenset(("VBD", "VBZ", "VBP", "MD", "IN", "TO", "POS", "WDT", "WP", "RB", "VBN"))
_NOUN_TAGS = frozenset({"NN", "NNS", "NNP", "NNPS", "JJ", "CD", "HYPH", "VBG"})
_NEAR = 100
_BESIDE = 8


@dataclass(frozen=True, slots=True)
class Role:
    """The noun of an entity, its type, and the token at which the document has given it."""

    noun: str
    type: str
    at: int


def generator(documents: Sequence[Document], share: str = "1.0") -> Make:
    """Replaces a share of the repeats that can be replaced."""

    def make(document: Document, rng: random.Random) -> Generated:
        roles = {number: role for number, e in enumerate(document.entities)
                 if (role := find_role(document, e))}  # fmt: skip
        if not roles:
            return Generated.none("no entity with a name and a noun")
        refused: Counter[str] = Counter()
        edits: list[TokenEdit] = []
        for number, role in roles.items():
            for mention in _repeats(document, number, role):
                reason = _why_not(document, number, mention, roles)
                if not reason and rng.random() >= float(share):
                    reason = "not drawn"
                if reason:
                    refused[reason] += 1
                else:
                    edits.append(_edit(document, mention, role))
        apart = _apart(document, edits)
        refused["another change in the sentence"] += len(edits) - len(apart)
        if not apart:
            return Generated([], +refused, "" if +refused else "no repeat after the noun")
        changed = replace_tokens(document, apart)
        return Generated([Variant(changed, "nouns for names", len(apart))], +refused)

    return make


def find_role(document: Document, entity: Entity) -> Role | None:
    """The first noun that a document gives an entity; None if it gives none, or no name."""
    for mention in entity.mentions:
        if mention.discontinuous or kind_of(document, mention) != "name":
            continue
        role = _noun_after(document, mention.end) or _noun_of_name(document, mention)
        if role is not None and not (role.type == "person" and is_thing(document, entity)):
            return role
    return None


def _noun_after(document: Document, at: int) -> Role | None:
    """The noun of an apposition or of a predicate after a name, brackets left out."""
    tokens = [normalize(token) for token in document.tokens]
    end = _sentence_end(document, at - 1)
    at = _after_brackets(tokens, at, end)
    if at + 2 < end and tokens[at] == "," and tokens[at + 1] in _ARTICLES:
        return _head_noun(document, at + 2, end, apposition=True)
    if at + 2 < end and tokens[at] in _COPULAS and tokens[at + 1] in _ARTICLES:
        return _head_noun(document, at + 2, end, apposition=False)
    return None


def _after_brackets(tokens: Sequence[str], at: int, end: int) -> int:
    """The first token after a bracket that begins at a token."""
    if at >= end or tokens[at] not in _OPEN:
        return at
    depth = 0
    for index in range(at, end):
        depth += (tokens[index] in _OPEN) - (tokens[index] in _CLOSE)
        if not depth:
            return index + 1
    return end


def _head_noun(document: Document, start: int, end: int, *, apposition: bool) -> Role | None:
    """The last noun of a phrase that begins at a token, if it is listed.

    An apposition must end in a comma, so that `, the company said` is none.
    """
    stop = start
    while stop < min(end, start + _LONGEST) and not _ends_phrase(document, stop):
        stop += 1
    noun = document.tokens[stop - 1].lower() if stop > start else ""
    if noun not in labels("role_nouns"):
        return None
    rest = document.tokens[stop : min(end, stop + 12)]
    if apposition and not {",", ".", ")", "-RRB-", ";"} & set(rest):
        return None
    return Role(noun, labels("role_nouns")[noun], stop)


def _ends_phrase(document: Document, at: int) -> bool:
    token = document.tokens[at]
    low = normalize(token)
    if low in ("-", "of") or not low[0].isalnum():
        return low != "-"
    if document.pos is not None:
        return document.pos[at] not in _NOUN_TAGS
    known = labels("function_words").get(low)
    return known not in (None, "adjective") or low.endswith("ed")


def _noun_of_name(document: Document, mention: Mention) -> Role | None:
    """The noun of a title, the noun right before a name, or that of its last word."""
    tokens = document.tokens[mention.start : mention.end]
    first, last = tokens[0].lower(), tokens[-1].rstrip(".").lower()
    nouns = labels("role_nouns")
    if len(tokens) > 1 and nouns.get(first) == "person" and tokens[0][0].isupper():
        return Role(first, "person", mention.end)
    small = [at for at, token in enumerate(tokens) if token.islower()]
    before = document.tokens[mention.start - 1] if mention.start else ""
    near = tokens[small[-1]] if small else before  # the software company Nordwind
    if near in nouns and tokens[-1][0].isupper():
        return Role(near, nouns[near], mention.end)
    noun = labels("organisation_words").get(last, "") if len(tokens) > 1 else ""
    return Role(noun, nouns.get(noun, "organisation"), mention.end) if noun else None


def _repeats(document: Document, number: int, role: Role) -> Iterator[Mention]:
    """The names of an entity in later sentences than its noun."""
    first = _sentence_end(document, role.at - 1)
    for mention in document.entities[number].mentions:
        if mention.start >= first and kind_of(document, mention) == "name":
            yield mention


def _why_not(document: Document, number: int, mention: Mention, roles: Mapping[int, Role]) -> str:
    if mention.discontinuous or not _is_whole(document, mention):
        return "a name within a longer phrase"
    entity, role = document.entities[number], roles[number]
    if normalize(document.tokens[mention.end - 1]) == role.noun:
        return "the noun already"
    if any(m.start >= mention.start and m.end <= mention.end and m is not mention
           for m in document.mentions):  # fmt: skip
        return "a mention within the name"
    before = [m for m in entity.mentions if m.end <= mention.start]
    last = before[-1].end if before else 0
    if mention.start - last > _NEAR:
        return "too far from the last mention"
    others = [n for n, e in enumerate(document.entities)
              if n != number and _mentioned_between(e, last, mention.start)]  # fmt: skip
    if any(_may_be(document, document.entities[n], role.type, roles.get(n)) for n in others):
        return "another of its type in between"
    after = min(mention.end + _BESIDE, _sentence_end(document, mention.start))
    near = [normalize(t) for t in document.tokens[max(last, role.at) : mention.start]]
    near += [normalize(t) for t in document.tokens[mention.end : after]]
    if role.noun in near or f"{role.noun}s" in near:
        return "the noun itself beside it"
    return ""


def _mentioned_between(entity: Entity, start: int, end: int) -> bool:
    return any(start <= m.start and m.end <= end for m in entity.mentions)


def _may_be(document: Document, entity: Entity, type: str, role: Role | None) -> bool:
    """Whether an entity may be of a type."""
    if role is not None:
        return role.type == type
    kinds = {entity_type(mention) for mention in entity.mentions} - {None}
    if kinds:
        return {"organization": "organisation", "location": "place"}.get(
            str(next(iter(kinds))), str(next(iter(kinds)))
        ) == type
    names = [m for m in entity.mentions if kind_of(document, m) == "name"]
    if not names:
        nouns = {document.tokens[m.end - 1].lower() for m in entity.mentions}
        return any(labels("role_nouns").get(noun.removesuffix("s")) == type for noun in nouns)
    tokens = document.tokens[names[0].start : names[0].end]
    if any(token.isdigit() for token in tokens):
        return False
    if any(document.tokens[m.start - 1] in words("place_prepositions") for m in names if m.start):
        return type == "place"
    person = given_name_gender(tokens[0]) is not None and len(tokens) in (2, 3)
    return person if type == "person" else not person


def _is_whole(document: Document, mention: Mention) -> bool:
    """Whether a name stands alone: nothing belongs to it before or after."""
    before = document.tokens[mention.start - 1] if mention.start else ""
    if mention.start in document.sentences:
        before = ""
    if before and before[0].isalnum():
        kind = labels("function_words").get(before.lower())
        past = before.endswith("ed") and before.islower()
        if kind in (None, "determiner", "adjective") and not past:
            return False
    if before.lower() in _NOT_BEFORE or mention.end >= _sentence_end(document, mention.start):
        return False
    low = normalize(document.tokens[mention.end])
    if low in ("'s", ".", "'"):
        return True
    if low in COORDINATORS:
        return False
    if low == ",":
        after = normalize(document.tokens[mention.end + 1])
        return after not in _ARTICLES | COORDINATORS and before != ","
    if document.pos is not None:
        return document.pos[mention.end] in _TAGS_AFTER
    kind = labels("function_words").get(low)
    past = low in words("irregular_pasts") or low.endswith("ed")
    return kind in ("verb", "preposition", "other") or (
        past and low == document.tokens[mention.end]
    )


def _edit(document: Document, mention: Mention, role: Role) -> TokenEdit:
    article = "The" if starts_sentence(document, mention.start) else "the"
    owns = normalize(document.tokens[mention.end - 1]) in ("'s", "'")
    mark = ("'s",) if owns else ()
    return TokenEdit(mention.start, mention.end, (article, role.noun, *mark))


def _apart(document: Document, edits: Sequence[TokenEdit]) -> list[TokenEdit]:
    """The first edit of each sentence."""
    first: dict[int, TokenEdit] = {}
    for edit in sorted(edits, key=lambda each: each.start):
        first.setdefault(_sentence_end(document, edit.start), edit)
    return list(first.values())


def _sentence_end(document: Document, token: int) -> int:
    at = bisect_right(document.sentences, token)
    return document.sentences[at] if at < len(document.sentences) else len(document)
