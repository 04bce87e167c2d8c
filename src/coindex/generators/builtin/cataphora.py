"""Cataphora: a pronoun in a fronted phrase, and the name after it.

    When Priya left , she took her keys .      When she left , Priya took her keys .
    In her speech , she thanked them .         In her speech , Priya thanked them .

Documents with trees are searched for a clause with a phrase before its subject (a
subordinate clause, a participle, a prepositional phrase) in which the subject's entity is
mentioned too. There the subject may stand after its pronoun, since the pronoun does not
c-command it. Either the name within the phrase and the pronoun after it are exchanged, or
the second of two pronouns becomes the name that the entity has elsewhere, or the first of two
names becomes a pronoun; sentences that are so already are taken as they are. The new document begins with that sentence, so that nothing before
it gives the answer. Without trees only a subject right after the first comma of a sentence counts,
if the sentence begins with a word of `subordinators`.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from coindex.generators.protocol import Generated, Make, Variant
from coindex.text.mention_classes import kind_of, pronoun_group
from coindex.text.noun_phrase import starts_sentence
from coindex.text.word_classes import ARTICLES, normalize
from coindex.text.word_lists import labels, words
from coindex.transform.edit import TokenEdit, excerpt, replace_tokens
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention
from coindex.types.span import Span
from coindex.types.tree import Node, subtree

UNIT = "sentences"
OPTIONS: Mapping[str, tuple[str, ...]] = {"singletons": ("auto", "keep", "drop")}

_AFTER = 12
"""How many sentences follow in the new document."""
_FRONTED = frozenset({"SBAR", "S", "PP", "ADVP", "VP", "SBARQ"})
_GROUPS = frozenset({"masculine", "feminine", "neuter", "plural"})
_SUBJECTS = frozenset({"he", "she", "it", "they"})
_LONGEST = 6
_FORMS = {"masculine": ("he", "his"), "feminine": ("she", "her"), "neuter": ("it", "its"),
          "plural": ("they", "their")}  # fmt: skip
_LATIN = 0x370
_SINGULAR = frozenset({"VBZ", "was"})
_MANY = frozenset({"VBP", "were"})


@dataclass(frozen=True, slots=True)
class _Fronted:
    """A fronted phrase in which the entity of the clause's subject is mentioned."""

    entity: int
    inside: tuple[Mention, ...]
    subject: Mention


def generator(documents: Sequence[Document], singletons: str = "auto") -> Make:
    """Makes a document of every sentence that can have a pronoun before its name."""
    alone = sum(entity.singleton for document in documents for entity in document.entities)
    keep = singletons == "keep" or (singletons == "auto" and alone > 0)

    def make(document: Document, rng: random.Random) -> Generated:
        generated = Generated(reason="")
        sentences = list(document.sentence_spans())
        for number, sentence in enumerate(sentences):
            by_tree = document.parse is not None and document.pos is not None
            search = _fronted_by_tree if by_tree else _fronted_by_pattern
            for found in search(document, sentence):
                edits, reason = _edits(document, found)
                if reason:
                    generated.refused[reason] += 1
                    continue
                end = sentences[min(number + _AFTER, len(sentences) - 1)].end
                new = _excerpt(document, sentence.start, end, edits, keep)
                change = (
                    "pronoun before the name" if edits else "pronoun before the name, as it was"
                )
                generated.variants.append(Variant(new, change))
        return generated

    return make


def _fronted_by_pattern(document: Document, sentence: Span) -> Iterator[_Fronted]:
    """A subject right after the first comma of a sentence that begins with a subordinator."""
    tokens = [normalize(token) for token in document.tokens[sentence.start : sentence.end]]
    if tokens[0] not in words("subordinators") or "," not in tokens:
        return
    comma = sentence.start + tokens.index(",")
    for number, entity in enumerate(document.entities):
        subject = [m for m in entity.mentions if m.start == comma + 1 and m.end < sentence.end]
        inside = tuple(m for m in entity.mentions if sentence.start <= m.start and m.end <= comma)
        if subject and inside and not subject[-1].discontinuous:
            plain = normalize(document.tokens[subject[-1].start]) in _SUBJECTS
            if plain or _is_subject(document, subject[-1]):
                yield _Fronted(number, inside, subject[-1])


def _fronted_by_tree(document: Document, sentence: Span) -> Iterator[_Fronted]:
    """The clauses of a sentence with a fronted phrase that mentions their subject's entity."""
    at = {(m.start, m.end): (number, m) for number, e in enumerate(document.entities)
          for m in e.mentions if sentence.start <= m.start < sentence.end}  # fmt: skip
    root = subtree(document.parse or (), sentence.start, sentence.end)
    for clause, fronted, subject in _clauses(root):
        leaves = list(subject.leaves())
        mentioned = at.get((leaves[0], leaves[-1] + 1))
        if mentioned is None or next(clause.leaves()) != sentence.start:
            continue
        number, mention = mentioned
        span = list(fronted.leaves())
        inside = tuple(
            m for m in document.entities[number].mentions
            if span[0] <= m.start and m.end <= span[-1] + 1
        )  # fmt: skip
        if inside:
            yield _Fronted(number, inside, mention)


def _clauses(node: Node) -> Iterator[tuple[Node, Node, Node]]:
    """Each clause with a fronted phrase and its subject."""
    phrases = node.phrases
    for index, phrase in enumerate(phrases):
        if node.tag == "S" and phrase.tag == "NP":
            if any(each.tag == "VP" for each in phrases[index + 1 :]):
                before = [each for each in phrases[:index] if each.tag in _FRONTED]
                if len(before) == 1:
                    yield node, before[0], phrase
            break
    for phrase in phrases:
        yield from _clauses(phrase)


def _edits(document: Document, found: _Fronted) -> tuple[list[TokenEdit], str]:
    """The edits that put the pronoun before the name, or why there are none."""
    named = [m for m in found.inside if not _is_pronoun(document, m)]
    if any(pronoun_group(document, m) is not None for m in (*named, found.subject)
           if not _is_pronoun(document, m)):  # fmt: skip
        return [], "a pronoun of the first or second person"
    if named and (len(named) > 1 or found.inside[0] is not named[0]):
        return [], "several mentions in the phrase"
    if not _is_pronoun(document, found.subject):
        return _pronoun_for_name(document, found, named[0]) if named else ([], "")
    pronoun = normalize(document.tokens[found.subject.start])
    if pronoun not in _SUBJECTS:
        return [], "a pronoun that is no subject"
    if normalize(document.tokens[found.subject.end])[0] == "'":
        return [], "a clitic after the pronoun"
    if not named:
        name = _full_name(document, document.entities[found.entity])
        edits = [TokenEdit(found.subject.start, found.subject.end, name or ())]
        return (edits, "") if name else ([], "no name in the document")
    return _exchange(document, found, named[0])


def _exchange(document: Document, found: _Fronted, name: Mention) -> tuple[list[TokenEdit], str]:
    """The name in the phrase and the pronoun after it change places."""
    pronoun = normalize(document.tokens[found.subject.start])
    tokens = _name_tokens(document, name)
    if tokens is None:
        return [], "a long name, or a mention within it"
    if not _is_subject(document, name):
        return [], "a name that is no subject"
    verbs = {document.tokens[name.end].lower(), *(document.pos or ())[name.end : name.end + 1]}
    if verbs & (_SINGULAR if pronoun == "they" else _MANY):
        return [], "a pronoun that does not agree with the name"
    new = TokenEdit(name.start, name.end, (_capital(document, name, pronoun),))
    return [new, TokenEdit(found.subject.start, found.subject.end, tokens)], ""


def _pronoun_for_name(
    document: Document, found: _Fronted, name: Mention
) -> tuple[list[TokenEdit], str]:
    """The name in the phrase becomes a pronoun; the one after it stays."""
    groups = {pronoun_group(document, m) for m in document.entities[found.entity].mentions}
    known = sorted(str(group) for group in groups & _GROUPS)
    if len(known) != 1:
        return [], "a name in the phrase and after it, and no pronoun"
    if _name_tokens(document, name) is None:
        return [], "a long name, or a mention within it"
    owns = normalize(document.tokens[name.end - 1]) == "'s"
    if not owns and not _is_subject(document, name):
        return [], "a name that is no subject"
    verbs = {document.tokens[name.end].lower(), *(document.pos or ())[name.end : name.end + 1]}
    if not owns and verbs & (_SINGULAR if known[0] == "plural" else _MANY):
        return [], "a pronoun that does not agree with the name"
    new = _FORMS[known[0]][int(owns)]
    return [TokenEdit(name.start, name.end, (_capital(document, name, new),))], ""


def _capital(document: Document, mention: Mention, word: str) -> str:
    return word.capitalize() if starts_sentence(document, mention.start) else word


def _is_subject(document: Document, mention: Mention) -> bool:
    """Whether a finite verb follows, with at most an adverb between."""
    if document.pos is None:
        low = normalize(document.tokens[mention.end])
        past = low.endswith("ed") or low in words("irregular_pasts")
        return past or (labels("function_words").get(low) == "verb" and low[0] != "'")
    tags = (document.pos or ())[mention.end : mention.end + 2]
    tags = tags[1:] if tags[:1] == ("RB",) else tags[:1]
    return bool(tags) and tags[0] in ("VBD", "VBZ", "VBP", "MD")


def _name_tokens(document: Document, mention: Mention) -> tuple[str, ...] | None:
    """The words of a name or a short noun phrase; None if a mention is within it."""
    if mention.discontinuous or mention.end - mention.start > _LONGEST:
        return None
    inner = (m for m in document.mentions if mention.start <= m.start and m.end <= mention.end)
    if any(m.spans != mention.spans for m in inner):
        return None
    first, *rest = document.tokens[mention.start : mention.end]
    if starts_sentence(document, mention.start) and kind_of(document, mention) != "name":
        first = first.lower()
    if not rest and first[0].islower():
        return None
    return (first.lower() if first.lower() in ARTICLES else first, *rest)


def _full_name(document: Document, entity: Entity) -> tuple[str, ...] | None:
    """The longest name of capitalised words that an entity has in the document."""
    names = [
        tokens for mention in entity.mentions
        if kind_of(document, mention) == "name"
        and (tokens := _name_tokens(document, mention)) is not None
        and all(token[0].isupper() and token[-1].isalnum() for token in tokens)
        and max(map(ord, "".join(tokens))) < _LATIN
        and (document.pos is None or document.pos[mention.end - 1] in ("NNP", "NNPS"))
    ]  # fmt: skip
    return max(names, key=len, default=None)


def _is_pronoun(document: Document, mention: Mention) -> bool:
    return pronoun_group(document, mention) in _GROUPS


def _excerpt(
    document: Document, start: int, end: int, edits: Sequence[TokenEdit], keep: bool
) -> Document:
    """Some sentences of the changed document; entities without a mention in them are left out."""
    changed = replace_tokens(document, edits)
    grown = sum(len(edit.words) - (edit.end - edit.start) for edit in edits)
    return excerpt(changed, Span(start, end + grown), singletons=keep)
