"""GAP: ambiguous pronouns with two names each, from Wikipedia (Webster et al. 2018).

K. Webster, M. Recasens, V. Axelrod, J. Baldridge: "Mind the GAP: A Balanced Corpus of
Gendered Ambiguous Pronouns", TACL 6, section 3.

1. `scan` keeps sentences with a gendered pronoun that can still fit a pattern, each with
   the sentence before it (of the same paragraph) and its context; all others are dropped
   with a reason, those without a pronoun too;
2. `build` applies the patterns and their constraints to the tree: one problem for each
   pronoun that fits, without an answer, or the reason why not;
3. `balance` picks what is sent for annotation; `collect` does so at the end of a run, unless
   the option `balance` is `no`;
4. `finish` makes the corpus of what the annotators said (`coindex build gap --finish`), from
   the fact `judgements` of each example (`A A neither`), and `write` its file.

The text of a problem is that of the page, line breaks made spaces: whole sentences of at
least 50 tokens before the sentence of the first mention, never from another section, up to
the end of the last mention's sentence. Facts: pattern, entity (whether a name is that of the
page), page, title, revision, source, offset and end, the place of the text in the page.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from coindex.core.mention import Pairs
from coindex.core.problem import Candidate, Problem
from coindex.core.span import Chars
from coindex.corpora._consensus import judgements
from coindex.corpora._duplicates import Single, once
from coindex.corpora._gap_balance import Balanced, balance, balanced
from coindex.corpora._gap_finish import Finished, finish
from coindex.corpora._gap_names import known_genders
from coindex.corpora._gap_page import packed, page_words, persons, unpacked
from coindex.corpora._gap_patterns import Match, match
from coindex.corpora._gap_persons import Mention, mentions, word
from coindex.corpora._gap_rules import Rules, rules
from coindex.corpora._gap_scan import ALONE, BOTH, Sentence, pronouns, sentences, tokens, verdict
from coindex.corpora._items import Dropped, Parsed, Passage, passage
from coindex.corpora._provenance import provenance
from coindex.formats import gap as gap_format
from coindex.sources import Page

__all__ = [
    "Balanced", "Finished", "balance", "build", "collect", "finish", "finished", "rules", "scan",
    "write",
]  # fmt: skip

ABOUT = "GAP: a gendered pronoun and two names, in three patterns (Webster et al. 2018)"
NEEDS = frozenset({"tags", "tree", "names"})

PUBLISHED: tuple[tuple[str, float | str, str], ...] = (
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


def scan(page: Page, rules: Rules) -> Iterator[Passage | Dropped]:
    """For each sentence, a passage if a gendered pronoun of it may be an item's, or why not."""
    known = persons(page.title, page.text, rules) if pronouns(page.text, rules) else {}
    for begin, end in _sections(page):
        at = begin
        for line in page.text[begin:end].splitlines(keepends=True):
            yield from _paragraph(page, begin, at, at + len(line), rules, known)
            at += len(line)


def _sections(page: Page) -> Iterator[tuple[int, int]]:
    starts = sorted({0, *(section.start for section in page.sections)})
    yield from pairwise((*starts, len(page.text)))


def _paragraph(
    page: Page, section: int, start: int, end: int, rules: Rules, known: Mapping[str, str]
) -> Iterator[Passage | Dropped]:
    before = None
    for sentence in sentences(page.text, start, end):
        yield _scanned(page, section, before, sentence, rules, known)
        before = sentence


def _scanned(
    page: Page, section: int, before: Sentence | None, sentence: Sentence, rules: Rules,
    known: Mapping[str, str],
) -> Passage | Dropped:  # fmt: skip
    text, name = page.text, f"{page.id}-{sentence.start}"
    own = text[sentence.start : sentence.end]
    told, found = "no gendered pronoun", pronouns(own, rules)
    if found:
        earlier = text[before.start : before.end] if before else ""
        told = verdict(earlier, own, found, rules, known)
    if told not in (BOTH, ALONE):
        return Dropped(name, "scan", told, own[:_SHOWN])
    first = before if before and told == BOTH else sentence
    told = packed(known, text[first.start : sentence.end])
    return _passage(page, name, section, first, sentence, rules, told)


def _passage(
    page: Page, name: str, section: int, first: Sentence, last: Sentence, rules: Rules, told: str
) -> Passage:
    starts = _context(page.text, section, first.start, rules.context)
    begin = starts[0] if starts else first.start
    facts = (
        ("context", page.text[begin : first.start]),
        ("starts", ",".join(str(start - begin) for start in starts)),
        ("persons", told),
    )
    text, cut = page.text[first.start : last.end], last.start - first.start
    return passage(page, name, text, first.start, facts=facts, cuts=(cut,) if cut else ())


def _context(text: str, section: int, end: int, wanted: int) -> list[int]:
    """Where the sentences begin that hold the tokens wanted before a place in a section."""
    starts: list[int] = []
    at = end
    while at > section and (not starts or tokens(text[starts[0] : end]) < wanted):
        line = text.rfind("\n", section, at - 1) + 1 or section
        starts = [sentence.start for sentence in sentences(text, line, at)] + starts
        at = line
    while len(starts) > 1 and tokens(text[starts[1] : end]) >= wanted:
        del starts[0]
    return starts


def build(parsed: Parsed, rules: Rules) -> Iterator[Problem | Dropped]:
    """For each gendered pronoun of a passage's last sentence, a problem or why there is none."""
    passage, facts = parsed.passage, dict(parsed.passage.facts)
    focus, text = passage.cuts[-1] if passage.cuts else 0, passage.text
    parse = parsed.parse
    title = page_words(passage.title)
    known = known_genders((passage.title, facts.get("context", ""), text), rules)
    known.update(unpacked(facts.get("persons", "")))
    found = mentions(text, parse, rules, known)
    long = tokens(text[focus:]) > rules.longest_sentence
    for at in range(len(parse)):
        if parse.starts[at] < focus or word(text, parse, at).lower() not in rules.pronouns:
            continue
        name = f"{passage.page}-{passage.start + parse.starts[at]}"
        if parse.tags[at] not in _PRONOUNS:
            result: Match | str = "no pronoun by its tag"  # the name He Wen
        else:
            result = "long sentence" if long else match(text, parse, at, found, rules)
        if isinstance(result, str):
            yield Dropped(name, "build", result, text[:_SHOWN])
        else:
            yield _problem(parsed, name, result, rules, title)


def _problem(
    parsed: Parsed, name: str, found: Match, rules: Rules, title: frozenset[str]
) -> Problem:
    """The example with its context, offsets counted from the start of the text."""
    passage, parse = parsed.passage, parsed.parse
    facts = dict(passage.facts)
    before = facts.get("context", "")
    places = (found.first.start, found.second.start, found.pronoun)
    first = len(before) + min(parse.starts[at] for at in places)
    begin = _begin(passage, first, rules.context)
    shift = len(before) - begin

    def place(start: int, end: int) -> Chars:
        return Chars(parse.starts[start] + shift, parse.ends[end - 1] + shift)

    text = (before + passage.text)[begin:].translate(_FLAT)
    spans = [place(name.start, name.end) for name in (found.first, found.second)]
    target = place(found.pronoun, found.pronoun + 1)
    offset = passage.start - shift
    entity = any(title and _names_page(parsed, each, title) for each in (found.first, found.second))
    return Problem(
        id=name,
        text=text,
        target=target,
        candidates=tuple(Candidate(span.of(text), span) for span in spans),
        group=rules.pronouns[target.of(text).lower()],
        source=passage.url or None,
        meta=_meta(passage, found.pattern, entity, offset),
    )


def _begin(passage: Passage, first: int, wanted: int) -> int:
    """Where the context begins: the last sentence start with enough tokens after it."""
    facts = dict(passage.facts)
    before = facts.get("context", "")
    text = before + passage.text
    starts = [int(start) for start in facts.get("starts", "").split(",") if start]
    starts += [len(before) + at for at in (0, *passage.cuts)]
    example = max(start for start in starts if start <= first)
    enough = (s for s in reversed(starts) if s <= example and tokens(text[s:example]) >= wanted)
    return next(enough, starts[0])


def _names_page(parsed: Parsed, name: Mention, title: frozenset[str]) -> bool:
    return word(parsed.passage.text, parsed.parse, name.head).casefold() in title


def _meta(passage: Passage, pattern: str, entity: bool, offset: int) -> Pairs:
    facts = (("pattern", pattern), ("entity", str(entity).lower()))
    end = passage.start + len(passage.text)
    return (*facts, *provenance(replace(passage, start=offset, end=end)))


def collect(problems: Collection[Problem], rules: Rules) -> Iterator[Problem | Dropped]:
    """What is sent for annotation, and what is not."""
    if not rules.balanced:
        yield from once(problems)
        return
    yield from (each for each in once(problems) if isinstance(each, Dropped))
    yield from balanced(Single(problems), rules.seed, rules)


def finished(problems: Sequence[Problem], rules: Rules) -> Iterator[Problem | Dropped]:
    """The corpus of examples with the judgements of raters."""
    said = {problem.id: judgements(problem) for problem in problems}
    done = finish(problems, said, rules.seed, rules)
    yield from done.kept
    yield from done.dropped


def write(problems: Iterable[Problem]) -> Iterator[str]:
    """The lines of the GAP file."""
    return gap_format.write(problems)
