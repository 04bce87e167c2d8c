"""Tokens and sentences of plain English text, by rule.

Every character that is not white space belongs to exactly one token, so no text is
lost; a byte order mark (U+FEFF) is white space. Words keep inner hyphens, dots and apostrophes (`7-year-old`, `example.org`,
`O'Neil`), and an ampersand between capitals (`AT&T`); clitics (`'s`, `n't`) and the
parts of `cannot` and `gonna` are split off as in treebanks; abbreviations and initials
keep their full stop. Runs of one mark (`....`, `--`, `?!`) are one token, as are
addresses, `#hashtags`, `@handles`, emoticons and emoji.

Hyphenated words are whole as in LitBank. GUM splits them, except after prefixes; on its
dev texts splitting gave 0.1 more CoNLL F1 and on LitBank's 0.3 less (`perf/tokenizer.py`).

A sentence ends after `.`, `!`, `?` or `…`, with closing quotes and a reference such as `[3]`,
unless a lower-case letter follows; after an abbreviation only before a capitalised function
word; at a blank line; and at the end of a line that was not wrapped. A block is a run of lines that
are not blank. A line of it is full if the first word of the next line would hardly have
fitted into the width of the block. If most lines are full, the block is wrapped prose: a line that
ends early ends a sentence, unless the next one goes on in lower case. In other blocks (chats,
lists, headers, addresses, verse, one paragraph a line) every line ends a sentence unless the next
one goes on in lower case; where a block has no capital letter, every line does. A bullet, a label
(`Ann:`) or a time at the start of a line always begins a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from coindex.text.word_lists import labels, words

_MARKS = (
    "\u00ad\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0900-\u0903\u093a-\u094f"
    "\u1ab0-\u1aff\u1dc0-\u1dff\u200c\u200d\u20d0-\u20ff\ufe20-\ufe2f"
)
"""Characters that belong to the letter before them: combining marks, soft hyphens, joiners."""
_WORD = rf"[^\W_](?:[^\W_{_MARKS}]|[{_MARKS}]|_+(?=[^\W_]))*"
_TONE = "[\ufe0e\ufe0f\u20e3\U0001f3fb-\U0001f3ff]*"
_CLITIC = r"['’](?:s|m|d|re|ve|ll)\b"
_JOIN = rf"(?:-|(?!{_CLITIC})['’]|(?-i:(?<![a-z])\.|\.(?![A-Z])|(?<=[A-Z])&(?=[A-Z])))"
_WORDS = rf"{_WORD}(?:{_JOIN}{_WORD})*"
_TOKEN = re.compile(
    rf"""
    https?://\S+[\w/] | www\.\w\S*[\w/]     # addresses
  | [\w.+-]{{1,64}}@[\w-]+(?:\.[\w-]+)+       # mail
  | (?:[^\W\d_][{_MARKS}]*\.){{2,}}          # U.S.
  | (?:ph|m|b)\.(?:d|sc)\.?(?!\w)           # Ph.D.
  | \d+(?:[.,:/]\d+)*(?:-?(?=[^\W\d_]){_WORDS})?
  | \w+(?=n['’]t\b) | n['’]t\b              # do|n't
  | can(?=not\b) | (?:gon|wan)(?=na\b) | got(?=ta\b) | (?:gim|lem)(?=me\b)
  | {_CLITIC} | ['’](?:em|cause|cuz|til|\d0s)\b
  | [@\#][^\W\d_]\w* | [b-df-hj-np-tv-z]{{1,4}}-(?=\s)    # th- this
  | {_WORDS}
  | \.{{2,}} | …+ | [?!]{{2,}} | ([-*=~\#_])\1+
  | (?-i:[:;]['’]?-?[()DP\[\]|])(?![\w/])   # emoticons
  | [\U0001f1e6-\U0001f1ff]{{2}}             # flags
  | [^\s\w]{_TONE}(?:\u200d[^\s\w]{_TONE})*
  | _
    """,
    re.VERBOSE | re.IGNORECASE,
)
_STOPS = (".", "!", "?", "…")
_CLOSING = frozenset("\"'”’)]}»")
_REFERENCE = re.compile(r"\[(?:\d+|\.\.\.|…)\]")
NARROWEST = 50
"""Prose is not wrapped at fewer characters."""
SLACK = 0.1
"""The share of the width that may be left at the end of a full line."""
MOSTLY = 0.6
"""The share of the lines of a block that are full if it is wrapped prose."""

_LINE = re.compile(r"[^\n]*")
_ITEM = re.compile(
    r"""[-*+•‣◦·–—]\s | \d{1,3}[.)]\s | [(]?[a-zA-Z][.)]\s | >      # items, quoted lines
      | [\[(]?\d{1,2}:\d\d | <[\w .@+-]{1,40}>\s                    # times, <name>
      | [^\W\d_][\w.'’-]{0,30}(?:[ ][\w.'’()-]{1,30}){0,3}:(?:\s|$) # Ann:""",
    re.VERBOSE,
)
_Line = tuple[int, str]
_NEXT_WORD = re.compile(r"\s+([^\W\d_]\w*)")
_NUMBER = re.compile(r"\s?\d")


def without_bom(text: str) -> str:
    """The text with a space for every byte order mark (U+FEFF), of the same length."""
    return text.replace("\ufeff", " ")


def token_offsets(text: str, borders: Iterable[int] = ()) -> Iterator[tuple[int, int]]:
    """The offsets of the tokens of a text; a token is split at any border inside it."""
    splits = sorted(set(borders))
    at = 0
    for start, end in _raw_tokens(without_bom(text)):
        while at < len(splits) and splits[at] <= start:
            at += 1
        while at < len(splits) and splits[at] < end:
            yield start, splits[at]
            start = splits[at]
            at += 1
        yield start, end


def _raw_tokens(text: str) -> Iterator[tuple[int, int]]:
    last = 0
    for match in _TOKEN.finditer(text):
        start, end = match.span()
        if start < last:
            continue
        if text.startswith(".", end) and _keeps_stop(text, start, end, text[last:start]):
            end += 1
        yield start, end
        last = end


def _keeps_stop(text: str, start: int, end: int, gap: str) -> bool:
    """Whether the full stop after a word belongs to it: `Mr.`, `J. Smith`, `No. 5`, `1.`

    gap   the white space before the word
    """
    word = text[start:end].lower()
    label = labels("abbreviation_rules").get(word)
    if label == "number":
        return _NUMBER.match(text, end + 1) is not None
    if label is not None or word in words("abbreviations"):
        return True
    if end - start == 1 and word != "i" and text[start].isupper():
        return _before_name(text, end + 1)
    heads_line = not start or "\n" in gap  # the number of an item of a list
    return (
        heads_line and word.isdecimal() and len(word) < 3 and text[end + 1 : end + 2] in (" ", "\t")
    )


def _before_name(text: str, at: int) -> bool:
    """Whether the next word could be a surname: it has a capital and is no function word."""
    match = _NEXT_WORD.match(text, at)
    return match is not None and match[1][0].isupper() and not _is_function_word(match[1])


def _is_function_word(word: str) -> bool:
    """Whether a word is of a closed class: a determiner, preposition, pronoun or conjunction."""
    label = labels("function_words").get(word.lower())
    return label is not None and label not in ("verb", "adjective")


def sentence_starts(text: str, spans: list[tuple[int, int]]) -> tuple[int, ...]:
    """The index of each sentence's first token."""
    firsts = [0] if spans else []
    text = without_bom(text)
    lines = line_starts(text)
    ended, quoted, reference = False, False, 0
    for index in range(1, len(spans)):
        (_, last), (start, end) = spans[index - 1], spans[index]
        before, here = text[slice(*spans[index - 1])], text[start:end]
        quoted ^= before == '"'
        if last > reference:
            ended = _ends_sentence(before, here) or (ended and before in _CLOSING)
        if ended and here == "[" and (match := _REFERENCE.match(text, start)):
            reference = match.end()
        broken = start in lines and "\n" in text[last:start]
        closes = here in _CLOSING and (last == start or (here == '"' and quoted))
        goes_on = closes or start < reference or here[:1].islower()
        if broken or (ended and not goes_on and (last < start or _is_glued(text, last, here))):
            firsts.append(index)
            ended, quoted = False, quoted and not broken
    return tuple(firsts)


def _ends_sentence(token: str, after: str) -> bool:
    """Whether a token is a full stop, or an abbreviation at the end of a sentence."""
    if token[-1:] not in _STOPS:
        return False
    if not token.strip("".join(_STOPS)):
        return True
    acronym = "final" if token.count(".") > 1 else ""
    final = labels("abbreviation_rules").get(token[:-1].lower(), acronym) == "final"
    return final and after[:1].isupper() and _is_function_word(after)


def _is_glued(text: str, at: int, word: str) -> bool:
    """Whether the space after a full stop is missing: `late.She`."""
    return text[at - 1] == "." and text[at - 2 : at - 1].islower() and word.istitle()


def line_starts(text: str) -> frozenset[int]:
    """The offset of the first word of each line that begins a sentence."""
    if "\n" not in text:
        return frozenset()
    found: list[int] = []
    for block in _blocks(text):
        found.append(block[0][0])
        if len(block) > 1:
            found += _starts(block)
    return frozenset(found)


def _blocks(text: str) -> Iterator[list[_Line]]:
    """The runs of lines that are not blank: the offset of the first word, and the line from there."""
    block: list[_Line] = []
    for match in _LINE.finditer(text):
        line = match.group().rstrip()
        words = line.lstrip()
        if words:
            block.append((match.start() + len(line) - len(words), words))
        elif block and match.start() == match.end() > 0 and text[match.start() - 1] != "\n":
            continue  # the empty match at the end of a line
        elif block:
            yield block
            block = []
    if block:
        yield block


def _starts(block: Sequence[_Line]) -> Iterator[int]:
    width = max(NARROWEST, max(len(line) for _, line in block))
    full = [
        len(line) + 1 + len(after.split(None, 1)[0]) > (1 - SLACK) * width
        for (_, line), (_, after) in pairwise(block)
    ]
    wrapped = sum(full) >= MOSTLY * len(full)
    lower = not any(line != line.lower() for _, line in block)
    for is_full, (start, line) in zip(full, block[1:], strict=True):
        goes_on = line[0].islower() and (wrapped or not lower)
        if _ITEM.match(line) or not (goes_on or (wrapped and is_full)):
            yield start
