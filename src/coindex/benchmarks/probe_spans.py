"""Whether a predicted mention is a marked one, leniently: spans that readers call the same.

1. Both have the same characters.
2. They are equal without what stands at their borders: determiners, titles before a name, the
   possessive mark, suffixes (`Jr.`, `Ltd`), quotation marks, punctuation.
3. One contains the other, and both have the same head word: `Lee` and `Ann Lee`, `the firm` and
   `the firm based in Oslo`. `her` and `her brother` have different heads, and so have `Ann` and
   `Ann and Bo`: a coordination is only the same as another with the same members.

The first rule that applies to any marked mention decides, then the smaller difference, so that
nested marks are not confused. Nothing is parsed. The head is the last word before a postmodifier
(a preposition, a relative clause, a comma, a verb), after a possessor. Where a word may be a
participle (`based`), a number (`20 mg`), a name after a noun (`his wife Ada`) or an adjective
before a comma, either reading counts. Tags and entities of HTML are skipped. The words of these
rules are the benchmark's own list: no change of the resolver's lists changes a score.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from coindex import io
from coindex.benchmarks.probe_format import ExpectedMention
from coindex.types.span import Chars

Head = tuple[str, int]
"""A word or a coordination, and the offset of its (last) word."""

_TOKEN = re.compile(
    r"(?P<markup><[^<>]*>|&#?\w+;)|['’]s?(?!\w)"
    r"|\w+(?:(?:[-.'’]|&(?!#?\w+;))(?!s(?!\w))\w+)*|[^\w\s]"
)
_POSSESSIVE = re.compile(r"['’]s?")
_QUOTES = frozenset("\"'“”‘’«»*_`")
_ENDS = frozenset({"preposition", "relative", "verb"})


def matched_mentions(
    text: str, chars: Chars, expected: Sequence[ExpectedMention]
) -> tuple[ExpectedMention, ...]:
    """The marked mention that a predicted one is, first; none if it is not marked.

    After it come the marked mentions of the same entity that it could be as well: `Pavel` is also
    `her cousin Pavel` where both are marked as one entity.
    """
    ranked = []
    for order, mention in enumerate(expected):
        level = _level(text, chars, mention.chars)
        if level:
            difference = abs(len(chars) - len(mention.chars))
            ranked.append((level, difference, order, mention))
    ranked.sort(key=lambda each: each[:3])
    found = [mention for _, _, _, mention in ranked]
    return tuple(each for each in found if each.entity == found[0].entity)


def _level(text: str, one: Chars, two: Chars) -> int:
    """The number of the rule by which two spans are the same mention; 0 if they are not."""
    if one == two:
        return 1
    if one.start >= two.end or two.start >= one.end:
        return 0
    first, second = trimmed(text, one), trimmed(text, two)
    if first == second:
        return 2
    short, long = sorted((first, second), key=len)
    inside = long.start <= short.start and short.end <= long.end
    return 3 if inside and heads(text, first) & heads(text, second) else 0


def trimmed(text: str, chars: Chars) -> Chars:
    """A span without determiners, titles, the possessive mark and punctuation at its borders."""
    tokens = list(_tokens(text, chars))
    while len(tokens) > 1 and _is_tail(tokens[-1][1]):
        tokens.pop()
    while len(tokens) > 1 and _is_lead(tokens[0][1], tokens[1][1]):
        del tokens[0]
    if not tokens:
        return chars
    return Chars(tokens[0][0], tokens[-1][0] + len(tokens[-1][1]))


def heads(text: str, chars: Chars) -> frozenset[Head]:
    """The possible heads of a phrase: one, or one for each reading."""
    core: list[int] = []
    readings: set[int] = set()
    joined = False
    tokens = list(_tokens(text, chars))
    following = [token for _, token in tokens[1:]] + [""]
    for (at, token), after in zip(tokens, following, strict=True):
        kind = _word_kind(token)
        if _POSSESSIVE.fullmatch(token) and after:
            core, readings, joined = [], set(), False
        elif token in _QUOTES or (kind == "determiner" and not core):
            continue
        elif kind == "coordinator" and core:
            joined = joined or not (token == "&" and after[:1].isupper())
        elif core and _ends_core(token, kind, after):
            break
        elif token == "," and core:
            readings.add(core[-1])
        elif token[0].isalnum() and kind != "quantifier":
            if core and _may_follow_head(text[core[-1]], token, kind):
                readings.add(core[-1])
            core.append(at)
    if joined:
        return frozenset({("coordination", core[-1])})
    return frozenset(("word", at) for at in (*readings, *core[-1:]))


def single_word(text: str, chars: Chars) -> str | None:
    """The word of a span of one word; None of any other span."""
    tokens = [token for _, token in _tokens(text, trimmed(text, chars))]
    return tokens[0] if len(tokens) == 1 else None


def _tokens(text: str, chars: Chars) -> Iterator[tuple[int, str]]:
    """The words and marks of a span, with their offsets in the text."""
    for match in _TOKEN.finditer(chars.of(text)):
        if match["markup"] is None:
            yield chars.start + match.start(), match[0]


def _is_tail(token: str) -> bool:
    """Whether a token ends no name: a mark, a suffix (`Jr.`, `Inc.`), `both` in `they both`."""
    return not token[0].isalnum() or _word_kind(token) in ("suffix", "quantifier")


def _is_lead(token: str, after: str) -> bool:
    """Whether a token before another is no part of the name or the noun."""
    if not token[0].isalnum():
        return True
    kind = _word_kind(token)
    return kind == "determiner" or (kind == "title" and (after == "." or after[0].isupper()))


def _ends_core(token: str, kind: str, after: str) -> bool:
    """Whether a token after the noun begins what only says more about it."""
    if token == ",":  # not in `a big, red car`
        return not (after.islower() and not _word_kind(after))
    return (
        kind in _ENDS
        or kind == "determiner"
        or token == "that"
        or not (token[0].isalnum() or token in "&.-/")
    )


def _may_follow_head(before: str, token: str, kind: str) -> bool:
    """Whether a word may follow the head: a participle, a number, a name after a noun.

    before   the first letter of the word before it
    """
    if kind == "participle" or (token.islower() and token.endswith(("ed", "ing"))):
        return True
    return token[0].isdigit() or (before.islower() and token[0].isupper())


def _word_kind(token: str) -> str:
    return _words().get(token.lower().replace("’", "'"), "")


@cache
def _words() -> dict[str, str]:
    """The list of words, each with its class."""
    text = io.package_text("coindex.benchmarks.data", "probe_words.txt")
    rows = (line.partition("\t") for line in text.splitlines() if line and line[0] != "#")
    return {word: label.strip() for word, _, label in rows}
