"""The three patterns of GAP on a parsed passage (Webster et al. 2018, section 3.1).

    final    Name Name Pronoun   both names in one sentence, the pronoun in it or the next
    medial   Name Pronoun Name   the first name in the sentence before the other two
    initial  Pronoun Name Name   all three in one sentence

In the last two the pronoun is in a subordinate clause at the start of its sentence, or is a
possessive in a prepositional phrase there. The heads of the names are different words, and
nothing else that the pronoun may mean, by gender and number, stands between the three. In
GAP's development part a pronoun of the same gender does so in 1 of 2000 examples, so pronouns
are such mentions, and so are nouns like `mother`, unless the pronoun itself owns them.

Ours is the rule that one of the two names is known (a given name of the list, or the name
of a person of the page): two names that only the parser takes for persons are often none. So
are those that a name in quotation marks or a bracket alone stands between: they are one
person's, or a part and its actor (`Dru (Andrew Grange)`).

A pronoun gives one example at most: of several patterns the rarer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from coindex.corpora._gap_names import last_word, may_be, one_phrase
from coindex.corpora._gap_persons import Mention, word
from coindex.corpora._gap_rules import Rules
from coindex.parsing.parse import Parse

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
class Match:
    """A pronoun (its token) and two names that fit a pattern."""

    pattern: str
    pronoun: int
    first: Mention
    second: Mention


def match(
    text: str, parse: Parse, pronoun: int, found: Sequence[Mention], rules: Rules
) -> Match | str:
    """The example of a pronoun, or why it is in none."""
    kind = rules.pronouns[word(text, parse, pronoun).lower()]
    own = parse.heads[pronoun] if parse.deps[pronoun] == "poss" else pronoun
    able = [
        m for m in found if may_be(m.gender, kind) and (m.sure or m.start not in (pronoun, own))
    ]
    sentence = parse.sentences[pronoun]
    before = [m for m in able if m.end <= pronoun and parse.sentences[m.start] >= sentence - 1]
    after = [m for m in able if m.start > pronoun and parse.sentences[m.start] == sentence]
    before.reverse()
    reasons = set()
    for pattern, pair in (
        ("initial", after[:2]),
        ("medial", [*before[:1], *after[:1]]),
        ("final", before[1::-1]),
    ):
        reason = _why_not(text, parse, pattern, pronoun, pair)
        if not reason:
            return Match(pattern, pronoun, pair[0], pair[1])
        reasons.add(reason)
    return next(reason for reason in _REASONS if reason in reasons)


def _why_not(
    text: str, parse: Parse, pattern: str, pronoun: int, pair: Sequence[Mention]
) -> str | None:
    if len(pair) < 2:
        return "fewer than two names"
    if not _placed(parse, pattern, pronoun, pair):
        return "names in different sentences"
    if not all(mention.sure for mention in pair):
        return "intruder" if any(mention.sure for mention in pair) else "fewer than two names"
    if not any(mention.known for mention in pair):
        return "no known name"
    if pattern != "final" and not initial_phrase(parse, pronoun):
        return "pronoun not in an initial phrase"
    if one_phrase(text[parse.ends[pair[0].end - 1] : parse.starts[pair[1].start]]):
        return "one phrase"
    one, other = (_head_word(text, parse, mention) for mention in pair)
    return "same head" if one == other else None


def _placed(parse: Parse, pattern: str, pronoun: int, pair: Sequence[Mention]) -> bool:
    """Whether the names stand in the sentences that a pattern asks for."""
    one, other = (parse.sentences[mention.start] for mention in pair)
    return one == other - 1 if pattern == "medial" else one == other


def _head_word(text: str, parse: Parse, mention: Mention) -> str:
    """What heads a name: its last word, for `Charles II` and `John Bell Jr.` the one before."""
    return last_word(word(text, parse, at) for at in range(mention.start, mention.end))


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
    """Whether nothing but marks, `and` and adverbs stands before a phrase in its sentence."""
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
