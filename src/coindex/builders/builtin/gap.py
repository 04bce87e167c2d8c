"""GAP: ambiguous pronouns with two names each, from Wikipedia (Webster et al. 2018).

K. Webster, M. Recasens, V. Axelrod, J. Baldridge: "Mind the GAP: A Balanced Corpus of
Gendered Ambiguous Pronouns", TACL 6, section 3.

1. `scan` passes on sentences with a gendered pronoun that can still fit a pattern, each with the
   sentence before it (of the same paragraph) and its context; all others are dropped with a
   reason, including those without a pronoun;
2. `build` applies the patterns and their constraints to the parse: one problem for each pronoun
   that fits, without an answer, or the reason why it does not;
3. `collect` selects a balanced set for annotation, unless the option `balance` is `no`;
4. `finish` makes the corpus from the annotators' judgements (`coindex build gap --finish`), in
   the metadata `judgements` of each example (`A A neither`).

The text of a problem is that of the page, with spaces for line breaks: whole sentences of at
least 50 tokens before the sentence of the first mention, never from another section, up to the
end of the last mention's sentence. Metadata: pattern, entity (whether a name is that of the
page), page, title, revision, source, and `offset` and `end` of the text in the page.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from itertools import pairwise

from coindex.builders.disk_index import UniqueProblems, deduplicate
from coindex.builders.gap import finish
from coindex.builders.gap.balance import balanced
from coindex.builders.gap.mentions import person_mentions, token_text
from coindex.builders.gap.names import (
    gendered_pronouns,
    known_genders,
    pack_genders,
    page_genders,
    title_name_words,
    unpack_genders,
)
from coindex.builders.gap.patterns import PatternMatch, match_pattern
from coindex.builders.gap.rules import GapRules, gap_rules
from coindex.builders.gap.scan import (
    ALONE,
    BOTH,
    count_tokens,
    paragraph_sentences,
    scan_sentence,
)
from coindex.builders.protocol import Dropped, ParsedPassage, Passage, PublishedFigures
from coindex.builders.sources import Page
from coindex.types.problem import Candidate, Problem
from coindex.types.span import Chars

ABOUT = "GAP: a gendered pronoun and two names, in three patterns (Webster et al. 2018)"
NEEDS = frozenset({"tags", "tree", "names"})
OPTIONS = {"balance": "yes|no"}
rules = gap_rules
finished = finish.finished

PUBLISHED: PublishedFigures = (
    ("items", 8604, "sent for annotation, section 3.1"),
    ("group feminine, %", 50, "1:1, section 3.1; 9:1 masculine before balancing"),
    ("group masculine, %", 50, "1:1, section 3.1; 9:1 masculine before balancing"),
    ("pattern final, %", 75, "6:1:1, section 3.1; 87.5 before balancing"),
    ("pattern medial, %", 12.5, "6:1:1, section 3.1"),
    ("pattern initial, %", 12.5, "6:1:1, section 3.1"),
    ("entity true, %", 50, "1:1, section 3.1"),
    ("answer is the first candidate, %", 44.4, "1,979 of 4,454, table 3, final"),
    ("answer is the second candidate, %", 44.6, "1,985 of 4,454, table 3, final"),
    ("answer is none of them, %", 11.0, "490 of 4,454, table 3, final"),
    ("duplicates", 1, "in 2,000 of the released development file, counted here"),
    ("words, mean", 71.2, "the released development file, counted here"),
    ("words, median", 68, "the released development file, counted here"),
)

_SHOWN = 160
_PRONOUNS = frozenset({"PRP", "PRP$"})
_FLAT = str.maketrans(dict.fromkeys("\t\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029", " "))


def scan(page: Page, rules: GapRules) -> Iterator[Passage | Dropped]:
    """For each sentence, a passage if a pronoun of it may become an item, or why not."""
    known = (
        page_genders(page.title, page.text, rules) if gendered_pronouns(page.text, rules) else {}
    )
    sections = sorted({0, *(section.start for section in page.sections)})
    for begin, end in pairwise((*sections, len(page.text))):
        at = begin
        for line in page.text[begin:end].splitlines(keepends=True):
            before = None
            for sentence in paragraph_sentences(page.text, at, at + len(line)):
                yield _scanned(page, begin, before, sentence, rules, known)
                before = sentence
            at += len(line)


def _scanned(
    page: Page, section: int, before: Chars | None, sentence: Chars, rules: GapRules,
    known: Mapping[str, str],
) -> Passage | Dropped:  # fmt: skip
    text, name = page.text, f"{page.id}-{sentence.start}"
    own = text[sentence.start : sentence.end]
    result, pronouns = "no gendered pronoun", gendered_pronouns(own, rules)
    if pronouns:
        earlier = text[before.start : before.end] if before else ""
        result = scan_sentence(earlier, own, pronouns, rules, known)
    if result not in (BOTH, ALONE):
        return Dropped(name, "scan", result, own[:_SHOWN])
    first = before if before and result == BOTH else sentence
    genders = pack_genders(known, text[first.start : sentence.end])
    return _passage(page, name, section, first, sentence, rules, genders)


def _passage(
    page: Page, name: str, section: int, first: Chars, last: Chars, rules: GapRules, genders: str
) -> Passage:
    starts = _context(page.text, section, first.start, rules.context)
    begin = starts[0] if starts else first.start
    metadata = (
        ("context", page.text[begin : first.start]),
        ("starts", ",".join(str(start - begin) for start in starts)),
        ("persons", genders),
    )
    text, split = page.text[first.start : last.end], last.start - first.start
    return Passage.from_page(
        page, name, text, first.start, metadata=metadata, boundaries=(split,) if split else ()
    )


def _context(text: str, section: int, end: int, fewest: int) -> list[int]:
    """The offsets of the sentences with the last `fewest` tokens before an offset in a section."""
    starts: list[int] = []
    at = end
    while at > section and (not starts or count_tokens(text[starts[0] : end]) < fewest):
        line = text.rfind("\n", section, at - 1) + 1 or section
        starts = [sentence.start for sentence in paragraph_sentences(text, line, at)] + starts
        at = line
    while len(starts) > 1 and count_tokens(text[starts[1] : end]) >= fewest:
        del starts[0]
    return starts


def build(parsed: ParsedPassage, rules: GapRules) -> Iterator[Problem | Dropped]:
    """For each gendered pronoun of a passage's last sentence, a problem or why there is none."""
    passage, metadata = parsed.passage, dict(parsed.passage.metadata)
    focus, text = passage.boundaries[-1] if passage.boundaries else 0, passage.text
    parse = parsed.parse
    title = title_name_words(passage.title)
    known = known_genders((passage.title, metadata.get("context", ""), text), rules)
    known.update(unpack_genders(metadata.get("persons", "")))
    mentions = person_mentions(text, parse, rules, known)
    long = count_tokens(text[focus:]) > rules.longest_sentence
    for at in range(len(parse)):
        if parse.starts[at] < focus or token_text(text, parse, at).lower() not in rules.pronouns:
            continue
        name = f"{passage.page}-{passage.start + parse.starts[at]}"
        if parse.tags[at] not in _PRONOUNS:
            result: PatternMatch | str = "no pronoun by its tag"  # the name He Wen
        else:
            result = "long sentence" if long else match_pattern(text, parse, at, mentions, rules)
        if isinstance(result, str):
            yield Dropped(name, "build", result, text[:_SHOWN])
        else:
            yield _problem(parsed, name, result, rules, title)


def _problem(
    parsed: ParsedPassage, name: str, match: PatternMatch, rules: GapRules, title: frozenset[str]
) -> Problem:
    """The example with its context, offsets counted from the start of the text."""
    passage, parse = parsed.passage, parsed.parse
    metadata = dict(passage.metadata)
    before = metadata.get("context", "")
    tokens = (match.first.start, match.second.start, match.pronoun)
    first = len(before) + min(parse.starts[at] for at in tokens)
    begin = _begin(passage, first, rules.context)
    shift = len(before) - begin

    def chars(start: int, end: int) -> Chars:
        return Chars(parse.starts[start] + shift, parse.ends[end - 1] + shift)

    text = (before + passage.text)[begin:].translate(_FLAT)
    spans = [chars(name.start, name.end) for name in (match.first, match.second)]
    target = chars(match.pronoun, match.pronoun + 1)
    heads = (match.first.head, match.second.head)
    end = passage.start + len(passage.text)
    entity = any(token_text(passage.text, parse, at).casefold() in title for at in heads)
    return Problem(
        id=name,
        text=text,
        target=target,
        candidates=tuple(Candidate(span.of(text), span) for span in spans),
        group=rules.pronouns[target.of(text).lower()],
        source=passage.url or None,
        meta=(
            ("pattern", match.pattern),
            ("entity", str(entity).lower()),
            *replace(passage, start=passage.start - shift, end=end).provenance,
        ),
    )


def _begin(passage: Passage, first: int, fewest: int) -> int:
    """The offset of the context: the last start of a sentence with enough tokens after it."""
    metadata = dict(passage.metadata)
    before = metadata.get("context", "")
    text = before + passage.text
    starts = [int(start) for start in metadata.get("starts", "").split(",") if start]
    starts += [len(before) + at for at in (0, *passage.boundaries)]
    example = max(start for start in starts if start <= first)
    enough = (
        s for s in reversed(starts) if s <= example and count_tokens(text[s:example]) >= fewest
    )
    return next(enough, starts[0])


def collect(problems: Collection[Problem], rules: GapRules) -> Iterator[Problem | Dropped]:
    """The examples to be annotated, and the others as dropped."""
    if not rules.balanced:
        yield from deduplicate(problems)
        return
    yield from (each for each in deduplicate(problems) if isinstance(each, Dropped))
    yield from balanced(UniqueProblems(problems), rules.seed, rules)
