"""The three patterns of GAP on a parsed passage (Webster et al. 2018, section 3.1).

    final    Name Name Pronoun   both names in one sentence, the pronoun in it or the next
    medial   Name Pronoun Name   the first name in the sentence before the other two
    initial  Pronoun Name Name   all three in one sentence

In the last two the pronoun is in a subordinate clause at the start of its sentence, or is a
possessive in a prepositional phrase there. The heads of the names are different words, and
nothing else that the pronoun may refer to, by gender and number, is between the three. In GAP's
development set a pronoun of the same gender is in 1 of 2000 examples, so pronouns count as such
mentions; so do nouns like `mother`, unless the pronoun is their possessor.

We add two rules. One of the two names is known (a listed given name, or the name of a person of
the page): two names that only the parser takes for persons often are not. And the two names are
not separated by quotation marks or a bracket alone: they then name one person, or a role and its
actor (`Dru (Andrew Grange)`).

A pronoun is in one example at most: if it fits several patterns, the rarest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from coindex.builders.gap.mentions import PersonMention, token_text
from coindex.builders.gap.names import joins_names, last_word, may_agree
from coindex.builders.gap.rules import GapRules
from coindex.text.parsing.parse import Parse

_BEFORE_PHRASE = frozenset({"PUNCT", "CCONJ", "ADV", "INTJ", "SPACE"})
_OPENERS = frozenset({"prep", "advmod"})
_CLAUSES = frozenset({"VERB", "AUX"})
_REASONS = (
    "same head",
    "one phrase",
    "no known name",
    "intruder",
    "pronoun not in an initial phrase",
    "names in different sentences",
    "fewer than two names",
)


@dataclass(frozen=True, slots=True)
class PatternMatch:
    """A pronoun (its token) and two names that fit a pattern."""

    pattern: str
    pronoun: int
    first: PersonMention
    second: PersonMention


def match_pattern(
    text: str, parse: Parse, pronoun: int, mentions: Sequence[PersonMention], rules: GapRules
) -> PatternMatch | str:
    """The example of a pronoun, or why there is none."""
    kind = rules.pronouns[token_text(text, parse, pronoun).lower()]
    own = parse.heads[pronoun] if parse.deps[pronoun] == "poss" else pronoun
    agreeing = [
        m
        for m in mentions
        if may_agree(m.gender, kind) and (m.candidate or m.start not in (pronoun, own))
    ]
    sentence = parse.sentences[pronoun]
    before = [m for m in agreeing if m.end <= pronoun and parse.sentences[m.start] >= sentence - 1]
    after = [m for m in agreeing if m.start > pronoun and parse.sentences[m.start] == sentence]
    before.reverse()
    reasons = set()
    for pattern, pair in (
        ("initial", after[:2]),
        ("medial", [*before[:1], *after[:1]]),
        ("final", before[1::-1]),
    ):
        reason = _why_not(text, parse, pattern, pronoun, pair)
        if not reason:
            return PatternMatch(pattern, pronoun, pair[0], pair[1])
        reasons.add(reason)
    return next(reason for reason in _REASONS if reason in reasons)


def _why_not(
    text: str, parse: Parse, pattern: str, pronoun: int, pair: Sequence[PersonMention]
) -> str | None:
    if len(pair) < 2:
        return "fewer than two names"
    one, other = (parse.sentences[mention.start] for mention in pair)
    if one != (other - 1 if pattern == "medial" else other):
        return "names in different sentences"
    if not all(mention.candidate for mention in pair):
        return "intruder" if any(mention.candidate for mention in pair) else "fewer than two names"
    if not any(mention.known for mention in pair):
        return "no known name"
    if pattern != "final" and not initial_phrase(parse, pronoun):
        return "pronoun not in an initial phrase"
    if joins_names(text[parse.ends[pair[0].end - 1] : parse.starts[pair[1].start]]):
        return "one phrase"
    words = [[token_text(text, parse, at) for at in range(m.start, m.end)] for m in pair]
    return "same head" if last_word(words[0]) == last_word(words[1]) else None


def initial_phrase(parse: Parse, pronoun: int) -> bool:
    """Whether a pronoun is in an initial clause, or a possessive in an initial phrase.

    Clauses are adverbial ones (`Judging that he is suitable, ...`) and those under a
    preposition or an adverb (`After leaving him, ...`, `As soon as he left, ...`).
    """
    at, clause = pronoun, False
    possessive = parse.tags[pronoun] == "PRP$" or parse.deps[pronoun] == "poss"
    while parse.heads[at] != at:
        above, dep = parse.heads[at], parse.deps[at]
        clause = clause or dep in ("advcl", "pcomp")
        fits = dep == "advcl" or (dep == "prep" and possessive) or (dep in _OPENERS and clause)
        if fits and at < above and parse.pos[above] in _CLAUSES and _first(parse, at):
            return True
        at = above
    return False


def _first(parse: Parse, phrase: int) -> bool:
    """Whether only punctuation, `and` and adverbs precede a phrase in its sentence."""
    at = phrase
    while at and parse.sentences[at - 1] == parse.sentences[phrase]:
        at -= 1
    while at < phrase and not _under(parse, at, phrase):
        if parse.pos[at] not in _BEFORE_PHRASE:
            return False
        at += 1
    return True


def _under(parse: Parse, at: int, phrase: int) -> bool:
    while at != phrase and parse.heads[at] != at:
        at = parse.heads[at]
    return at == phrase
