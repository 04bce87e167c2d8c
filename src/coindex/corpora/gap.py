"""GAP: ambiguous pronouns with two names each, from Wikipedia (Webster et al. 2018).

K. Webster, M. Recasens, V. Axelrod, J. Baldridge: "Mind the GAP: A Balanced Corpus of
Gendered Ambiguous Pronouns", TACL 6, section 3.

1. `scan` keeps sentences with a gendered pronoun that can still fit a pattern, each with
   the sentence before it (of the same paragraph) and its context;
2. `build` applies the patterns and their constraints to the tree: one problem for each
   pronoun that fits, without an answer, or the reason why not;
3. `balance` picks what is sent for annotation;
4. `finish` makes the corpus of what the annotators said, and `write` its file.

The text of a problem is that of the page, line breaks made spaces: whole sentences of at
least 50 tokens before the sentence of the first mention, never from another section, up to
the end of the last mention's sentence. Facts: pattern, entity (whether a name is that of the
page), page, title, revision, source, and offset, the place of the text in the page.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import pairwise

from coindex.core.mention import Pairs
from coindex.core.problem import Candidate, Problem
from coindex.core.span import Chars
from coindex.corpora._gap_balance import Balanced, balance
from coindex.corpora._gap_finish import Finished, finish
from coindex.corpora._gap_names import known_genders
from coindex.corpora._gap_page import packed, page_words, persons, unpacked
from coindex.corpora._gap_patterns import Match, match
from coindex.corpora._gap_persons import Mention, mentions, word
from coindex.corpora._gap_rules import Rules, rules
from coindex.corpora._gap_scan import Sentence, pronouns, sentences, tokens, why_not
from coindex.corpora._items import Dropped, Parsed, Passage
from coindex.formats import gap as gap_format
from coindex.parsing.parse import Parse
from coindex.sources import Page

__all__ = ["Balanced", "Finished", "balance", "build", "finish", "rules", "scan", "write"]

ABOUT = "GAP: a gendered pronoun and two names, in three patterns (Webster et al. 2018)"
NEEDS = frozenset({"tags", "tree", "names"})

_SHOWN = 160
_FLAT = str.maketrans(dict.fromkeys("\t\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029", " "))


def scan(page: Page, rules: Rules) -> Iterator[Passage | Dropped]:
    """For each sentence with a gendered pronoun, a passage or why there is none."""
    if not pronouns(page.text, rules):
        yield Dropped(page.id, "scan", "no gendered pronoun", page.title)
        return
    known = persons(page.title, page.text, rules)
    for begin, end in _sections(page):
        at = begin
        for line in page.text[begin:end].splitlines(keepends=True):
            if pronouns(line, rules):
                yield from _paragraph(page, begin, at, at + len(line), rules, known)
            at += len(line)


def _sections(page: Page) -> Iterator[tuple[int, int]]:
    starts = sorted({0, *(section.start for section in page.sections)})
    yield from pairwise((*starts, len(page.text)))


def _paragraph(
    page: Page, section: int, start: int, end: int, rules: Rules, known: Mapping[str, str]
) -> Iterator[Passage | Dropped]:
    text, before = page.text, None
    for sentence in sentences(text, start, end):
        own = text[sentence.start : sentence.end]
        if found := pronouns(own, rules):
            earlier = text[before.start : before.end] if before else ""
            name = f"{page.id}-{sentence.start}"
            if reason := why_not(earlier, own, found, rules, known):
                yield Dropped(name, "scan", reason, own[:_SHOWN])
            else:
                first = before or sentence
                told = packed(known, text[first.start : sentence.end])
                yield _passage(page, name, section, first, sentence, rules, told)
        before = sentence


def _passage(
    page: Page, name: str, section: int, first: Sentence, last: Sentence, rules: Rules, told: str
) -> Passage:
    starts = _context(page.text, section, first.start, rules.context)
    begin = starts[0] if starts else first.start
    facts = (
        ("focus", str(last.start - first.start)),
        ("context", page.text[begin : first.start]),
        ("starts", ",".join(str(start - begin) for start in starts)),
        ("persons", told),
    )
    return Passage(
        id=name,
        text=page.text[first.start : last.end],
        page=page.id,
        title=page.title,
        url=page.url,
        revision=page.revision,
        source=page.source,
        start=first.start,
        facts=facts,
    )


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
    focus, text = int(facts.get("focus", "0")), passage.text
    parse = _split(parsed.parse, focus)
    title = page_words(passage.title)
    known = known_genders((passage.title, facts.get("context", ""), text), rules)
    known.update(unpacked(facts.get("persons", "")))
    found = mentions(text, parse, rules, known)
    long = "focus" in facts and tokens(text[focus:]) > rules.longest_sentence
    for at in range(len(parse)):
        if parse.starts[at] < focus or word(text, parse, at).lower() not in rules.pronouns:
            continue
        name = f"{passage.page}-{passage.start + parse.starts[at]}"
        result = "long sentence" if long else match(text, parse, at, found, rules)
        if isinstance(result, str):
            yield Dropped(name, "build", result, text[:_SHOWN])
        else:
            yield _problem(parsed, name, result, rules, title)


def _split(parse: Parse, focus: int) -> Parse:
    """A parse with a sentence border where the scan has one, beside the parser's own."""
    found: list[int] = []
    for at, sentence in enumerate(parse.sentences):
        new = at and (
            sentence != parse.sentences[at - 1] or parse.starts[at - 1] < focus <= parse.starts[at]
        )
        found.append(found[-1] + bool(new) if found else 0)
    return replace(parse, sentences=tuple(found))


def _problem(
    parsed: Parsed, name: str, found: Match, rules: Rules, title: frozenset[str]
) -> Problem:
    """The example with its context, offsets counted from the start of the text."""
    passage, parse = parsed.passage, parsed.parse
    facts = dict(passage.facts)
    before = facts.get("context", "")
    places = (found.first.start, found.second.start, found.pronoun)
    first = len(before) + min(parse.starts[at] for at in places)
    begin = _begin(before + passage.text, facts, first, rules.context)
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


def _begin(text: str, facts: dict[str, str], first: int, wanted: int) -> int:
    """Where the context begins: the last sentence start with enough tokens after it."""
    before = len(facts.get("context", ""))
    starts = [int(start) for start in facts.get("starts", "").split(",") if start]
    starts += [before, before + int(facts.get("focus", "0"))]
    example = max(start for start in starts if start <= first)
    enough = (s for s in reversed(starts) if s <= example and tokens(text[s:example]) >= wanted)
    return next(enough, starts[0])


def _names_page(parsed: Parsed, name: Mention, title: frozenset[str]) -> bool:
    return word(parsed.passage.text, parsed.parse, name.head).casefold() in title


def _meta(passage: Passage, pattern: str, entity: bool, offset: int) -> Pairs:
    facts = (
        ("pattern", pattern),
        ("entity", str(entity).lower()),
        ("page", passage.page),
        ("title", passage.title),
        ("revision", passage.revision),
        ("source", passage.source),
        ("offset", str(offset)),
    )
    return tuple((name, value) for name, value in facts if value)


def write(problems: Iterable[Problem]) -> Iterator[str]:
    """The lines of the GAP file."""
    return gap_format.write(problems)
