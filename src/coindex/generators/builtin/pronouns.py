"""Singular they and neopronouns: all pronouns of one person exchanged, with the verbs that agree.

    Sam said he was late , and he blames himself .
    Sam said they were late , and they blame themself .
    Sam said xe was late , and xe blames xemself .

A person is an entity with `he` or with `she`, not with both. It keeps its pronouns where one of
them cannot be exchanged: a verb whose form is not sure, a clause within the pronoun's phrase, a
plural `they` in the same sentence. A person who is called a man or a woman, Mr or Mrs, keeps them
too. With trees, the verbs that agree are the finite ones of the clause, all those of coordinated
phrases included. Without trees only the next word counts: a past form, or a form of `be`,
`have` and `do`. Verbs agree with neopronouns as with `he`, so those need no verb at all.
"""

from __future__ import annotations

import random
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence

from coindex.generators.people import cased_like, longest_mentions, pronoun_gender_of
from coindex.generators.protocol import Generated, Make, Variant
from coindex.text.noun_phrase import PRONOUN_CASES, pronoun_case
from coindex.text.person_names import title_gender
from coindex.text.verb_forms import PLURAL_FORMS, is_past_form
from coindex.text.word_classes import normalize
from coindex.text.word_lists import labels, words
from coindex.transform.edit import TokenEdit, replace_tokens
from coindex.types.document import Document
from coindex.types.mention import Entity
from coindex.types.span import Span
from coindex.types.tree import Node, subtree

UNIT = "persons"
OPTIONS: Mapping[str, tuple[str, ...]] = {"set": ("any", "they", "neo")}

_THEY = frozenset({"they", "them", "their", "theirs", "themselves", "themself"})
_CLITICS = {"be": "'re", "have": "'ve"}
_CLAUSES = frozenset({"S", "SQ", "SINV", "SBARQ"})
_BESIDE = frozenset({"or", "/"})
_JOINS = frozenset({"and", "but", "or", ","})


class _Unsure(Exception):
    """Why the pronouns of a person cannot be exchanged."""


def generator(documents: Sequence[Document], set: str = "any") -> Make:
    """Exchanges the pronouns of about half the persons of a document, of at least one."""
    sets = {name: row.split() for name, row in labels("pronoun_sets").items()}
    neo = sorted(name for name in sets if name not in ("he", "she", "they"))

    def make(document: Document, rng: random.Random) -> Generated:
        persons = [e for e in document.entities if pronoun_gender_of(document, e)]
        rng.shuffle(persons)
        generated = Generated(reason="" if persons else "nobody with a pronoun of one gender")
        edits: list[TokenEdit] = []
        used: list[str] = []
        for number, entity in enumerate(persons):
            if number and rng.random() < 0.5:
                generated.refused["not drawn"] += 1
                continue
            chosen = "they" if set == "they" or (set == "any" and rng.random() < 0.5) else ""
            name = chosen or rng.choice([each for each in neo if each not in used] or neo)
            try:
                edits += _person_edits(document, entity, sets[name], verbs=name == "they")
                used.append(name)
            except _Unsure as error:
                generated.refused[str(error)] += 1
        if used:
            changed = replace_tokens(document, dict.fromkeys(edits))
            change = f"pronouns {', '.join(used)}"
            generated.variants.append(Variant(changed, change, len(used)))
        return generated

    return make


def _person_edits(
    document: Document, entity: Entity, forms: Sequence[str], *, verbs: bool
) -> list[TokenEdit]:
    """The edits of all pronouns of a person, and of the verbs if they agree in the plural."""
    if _is_called_by_gender(document, entity):
        raise _Unsure("called by a noun or title of one gender")
    longest = longest_mentions(document)
    edits = []
    for mention in entity.mentions:
        if mention.end - mention.start != 1:
            continue
        at = mention.start
        case = pronoun_case(document, at, longest.get(at, at))
        if case is None:
            continue
        beside = document.tokens[max(at - 1, 0) : at] + document.tokens[at + 1 : at + 2]
        if not _BESIDE.isdisjoint(map(normalize, beside)):
            raise _Unsure("one of two pronouns: he or she")
        new = forms[PRONOUN_CASES.index(case)]
        edits.append(TokenEdit(at, at + 1, (cased_like(new, document.tokens[at]),)))
        if verbs:
            sentence = _sentence(document, at)
            inside = document.tokens[sentence.start : sentence.end]
            if not _THEY.isdisjoint(map(normalize, inside)):
                raise _Unsure("a plural they in the sentence")
            if case == "subject":
                edits += _verb_edits(document, at, sentence)
    return edits


def _is_called_by_gender(document: Document, entity: Entity) -> bool:
    """Whether a mention has a gendered noun or title, outside of what it owns or is owned by."""
    nouns = words("gendered_nouns") | words("gender_pairs")
    for mention in entity.mentions:
        tokens = [normalize(document.tokens[token]) for token in mention.tokens]
        if len(tokens) <= 8 and any(t in nouns or title_gender(t) for t in tokens):
            return True
    return False


def _sentence(document: Document, token: int) -> Span:
    at = bisect_right(document.sentences, token)
    end = document.sentences[at] if at < len(document.sentences) else len(document)
    return Span(document.sentences[at - 1], end)


def _verb_edits(document: Document, token: int, sentence: Span) -> Iterator[TokenEdit]:
    if document.parse is not None and document.pos is not None:
        verbs = _verbs_by_tree(document, token, sentence)
    else:
        verbs = _verbs_by_position(document, token, sentence)
    for verb in verbs:
        new = _plural_form(document, verb)
        if new:
            yield TokenEdit(verb, verb + 1, (cased_like(new, document.tokens[verb]),))


def _plural_form(document: Document, verb: int) -> str:
    """The form of a verb that agrees with `they`; empty if it is the same."""
    low = normalize(document.tokens[verb])
    if low in PLURAL_FORMS:
        return PLURAL_FORMS[low]
    lemma = document.lemma[verb] if document.lemma is not None else ""
    if low == "'s":
        if lemma not in _CLITICS:
            raise _Unsure("a verb that is not sure")
        return _CLITICS[lemma]
    if document.pos is None or document.pos[verb] != "VBZ":
        return ""
    if not lemma.isalpha():
        raise _Unsure("a verb that is not sure")
    return lemma.lower()


def _verbs_by_position(document: Document, token: int, sentence: Span) -> list[int]:
    """The next verb, where its form is sure and none is coordinated with it."""
    at = token + 1
    while at < sentence.end and normalize(document.tokens[at]) in words("adverbs_before_verbs"):
        at += 1
    rest = [normalize(word) for word in document.tokens[at : sentence.end]]
    low = rest[0] if rest else ""
    before = normalize(document.tokens[token - 1]) if token > sentence.start else ""
    modal = labels("function_words").get(low) == "verb" and not low.endswith("s")
    past = is_past_form(low) or low in words("irregular_pasts") or low == "'d" or low == "'ll"
    if before in PLURAL_FORMS:  # `was he late`
        return [token - 1]
    if low not in PLURAL_FORMS and not past and not modal:
        raise _Unsure("a verb that is not sure")
    for join, word, after in zip(rest, rest[1:], [*rest[2:], ""], strict=False):
        if join in _JOINS and (
            word in PLURAL_FORMS
            or (word in words("adverbs_before_verbs") and after in PLURAL_FORMS)
        ):
            raise _Unsure("a coordinated verb that is not sure")
    return [at]


def _verbs_by_tree(document: Document, token: int, sentence: Span) -> list[int]:
    """The finite verbs of the clause whose subject is the pronoun."""
    path = _path(subtree(document.parse or (), sentence.start, sentence.end), token)
    at = len(path) - 1
    while at > 0 and path[at].tag in ("NP", "PRN", "X"):
        if len(list(path[at].leaves())) > 1:
            phrase = path[at]
            if any(_has_clause(child) for child in phrase.phrases):
                raise _Unsure("a clause within the pronoun's phrase")
            return []  # one of several: `he and Ann`
        at -= 1
    clause = path[at]
    if clause.tag not in _CLAUSES:
        raise _Unsure("a pronoun without a clause")
    found = [word for word in clause.words if _is_finite(document, word)]
    if not found:
        found = [v for each in clause.phrases if each.tag == "VP" for v in _finite(document, each)]
    if not found and any(each.tag == "VP" for each in clause.phrases):
        return []
    if not found:
        raise _Unsure("a pronoun without a verb")
    return found


def _path(node: Node, token: int) -> list[Node]:
    """The phrases from the root down to a token."""
    for child in node.phrases:
        if token in child.leaves():
            return [node, *_path(child, token)]
    return [node]


def _has_clause(node: Node) -> bool:
    return node.tag in ("SBAR", *_CLAUSES) or any(map(_has_clause, node.phrases))


def _is_finite(document: Document, token: int) -> bool:
    return document.pos is not None and document.pos[token] in ("VBZ", "VBD", "VBP", "MD")


def _finite(document: Document, phrase: Node) -> Iterator[int]:
    """The finite verbs of a verb phrase: its own, or those of the coordinated phrases in it."""
    own = [word for word in phrase.words if _is_finite(document, word)]
    yield from own
    inner = [each for each in phrase.phrases if each.tag == "VP"]
    if not own or len(inner) > 1:
        for each in inner:
            yield from _finite(document, each)
