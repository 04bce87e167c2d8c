"""WikiCREM: a repeated name is masked, and the names before it are the candidates.

    Gina is furious with Denise for not protecting Jody, as [MASK] was the parent.

Kocijan et al., EMNLP 2019, section 3. In one sentence, or two that follow each other, there
are two distinct names of persons, and one of them is repeated. A non-first occurrence of it
is masked, where

    (a) it is after both candidates, all in one sentence; or
    (b) both candidates are in one sentence and it is in the next.

If one candidate is in the sentence of the mask and the other is not, the item is discarded as
trivial. Each wrong candidate makes a separate item. Of the occurrences of a name, the first one
that satisfies (a) or (b) is masked.

The names are PERSON entities, as in the paper. A small tagger misses many, so a name that it
labels once is a person wherever it occurs by itself in the passage, and so is an unlabelled run
with a first name or a title (`text/person_names.py`). We add rules that the paper does not state:
a name is written like one, which excludes runs such as `Adams County`; the masked name is not
part of a longer one (`Captain [MASK]`), since no pronoun could replace it; candidates that share
a word (`Smith`, `John Smith`) are not distinct, as they may be one person; a name without a
gender after `in` is a place; and lists that are written as sentences are excluded, by the number
of names, brackets and quotation marks.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import pairwise

from coindex.builders.disk_index import deduplicate
from coindex.builders.protocol import Dropped, ParsedPassage, Passage, PublishedFigures
from coindex.builders.sentences import Sentence, prose_sentences
from coindex.builders.sources import Page
from coindex.text.person_names import (
    NameRun,
    after_place_preposition,
    is_title,
    is_written_as_name,
    name_gender,
    name_runs,
)
from coindex.text.seeded_hash import seeded_fraction
from coindex.text.word_lists import numbers
from coindex.types.problem import Candidate, Problem
from coindex.types.span import Chars

ABOUT = "masked repeated names of persons, after WikiCREM (Kocijan et al., EMNLP 2019)"
NEEDS = frozenset({"names"})
MASK = "[MASK]"
PUBLISHED: PublishedFigures = (
    ("items", 2438897, "section 3, from all of Wikipedia of December 2018"),
    ("split held-out, %", 0.41, "10,000, section 3"),
    ("gender masculine, %", 32.8, "0.8 of 2.44 million, section 3"),
    ("gender feminine, %", 17.2, "0.42 of 2.44 million, section 3"),
    ("gender unknown, %", 50.0, "the rest, section 3"),
    ("solvable, %", 82, "of 100, section 3; for ours see the guide"),
    ("natural with a pronoun, %", 63, "of 100, section 3; for ours see the guide"),
)

_POSSESSIVE = re.compile(r"['’]s?$")
_FOREIGN = re.compile(r"[\[\]_|{}<>]")  # remaining markup, which would also clash with the mask

_NEAREST = (
    "repeated too often",
    "one candidate only beside the mask",
    "part of a longer name",
    "no other name before",
)


@dataclass(frozen=True, slots=True)
class WikiCremRules:
    """The thresholds of the builder; see `wikicrem_rules.txt`."""

    seed: int
    held_out: float
    fewest_words: int
    most_words: int
    most_name_words: int
    most_occurrences: int
    most_people: int
    most_brackets: int
    most_quotes: int


@dataclass(frozen=True, slots=True)
class _Name:
    """A person's name in the passage, or a run of capitalised words, and the set of its words."""

    start: int
    end: int
    text: str
    words: frozenset[str]


def rules(seed: int = 0) -> WikiCremRules:
    """The thresholds, with the seed of the split."""
    return WikiCremRules(seed, **numbers("wikicrem_rules"))


def scan(page: Page, rules: WikiCremRules) -> Iterator[Passage | Dropped]:
    """The sentences, and pairs of them, that may contain a repeated name."""
    sentences, outside = prose_sentences(page)
    yield from outside
    every = [(number, each, _runs(each.text)) for number, each in enumerate(sentences)]
    for number, each, names in every:
        yield _scanned(page, f"{number}", (each,), _may_repeat(names), rules)
    for (number, one, before), (_, two, after) in pairwise(every):
        if one.paragraph == two.paragraph:
            yield _scanned(page, f"{number}+1", (one, two), _may_follow(before, after), rules)


def _scanned(
    page: Page, number: str, sentences: tuple[Sentence, ...], reason: str, rules: WikiCremRules
) -> Passage | Dropped:
    """The passage of one or two sentences, unless there is a reason against it."""
    id = f"{page.id}:{number}"
    text = page.text[sentences[0].start : sentences[-1].end]
    reason = reason or _unfit(text, rules)
    if reason:
        return Dropped(id, "scan", reason, text)
    boundaries = tuple(each.start - sentences[0].start for each in sentences[1:])
    return Passage.from_page(page, id, text, sentences[0].start, boundaries=boundaries)


def _unfit(text: str, rules: WikiCremRules) -> str:
    count = len(text.split())
    if count < rules.fewest_words:
        return "too short"
    if count > rules.most_words:
        return "too long"
    if text.count("(") > rules.most_brackets or text.count('"') > rules.most_quotes:
        return "a list"
    return "markup" if _FOREIGN.search(text) else ""


def _runs(text: str) -> list[_Name]:
    """The runs of capitalised words, each without the titles that it begins with."""
    runs = []
    for run in name_runs(text):
        parts = text[run.start : run.end].split()
        while len(parts) > 1 and is_title(parts[0]):
            parts = parts[1:]
        runs.append(_Name(run.start, run.end, " ".join(parts), run.words))
    return runs


def _may_repeat(names: list[_Name]) -> str:
    """Why a sentence cannot be an item of kind (a); empty if it can.

    The masked name is a whole run, so an earlier one must equal it (`Adams`, `Captain Adams`).
    A tagger may find `Adams` in `John Adams` too, but rarely does (1 item in 100).
    """
    if len(names) < 3:
        return "fewer than three names"
    reason = "no name repeated"
    for at, run in enumerate(names):
        if any(run.text == other.text for other in names[:at]):
            if _beside(run, names[:at]):
                return ""
            reason = "no other name before"
    return reason


def _may_follow(before: list[_Name], after: list[_Name]) -> str:
    """Why two sentences cannot be an item of kind (b); empty if they can."""
    if len(before) < 2:
        return "fewer than two names in the first sentence"
    if not after:
        return "no name in the second sentence"
    if not {run.text for run in before} & {run.text for run in after}:
        return "no name repeated"
    known = frozenset().union(*(run.words for run in before))
    taken = [word for run in after for word in run.words]
    shared = known.intersection(taken)
    if not any(taken.count(word) == 1 for word in shared):
        return "one candidate only beside the mask"
    free = [run for run in before if not run.words <= shared]
    if any(run.words & shared and _beside(run, free) for run in before):
        return ""
    return "one candidate only beside the mask"


def _beside(run: _Name, others: list[_Name]) -> bool:
    return any(not other.words & run.words for other in others)


def build(parsed: ParsedPassage, rules: WikiCremRules) -> Iterator[Problem | Dropped]:
    """The items of a passage, one for each wrong candidate of each masked name."""
    passage = parsed.passage
    last = passage.boundaries[-1] if passage.boundaries else 0
    names = _names(parsed, rules)
    texts = dict.fromkeys(name.text for name in names)
    if len(texts) > rules.most_people:
        yield Dropped(passage.id, "build", "a list of people", passage.text)
        return
    count, reasons = 0, []
    for text in texts:
        same = [name for name in names if name.text == text]
        masked, wrong, reason = _choose(passage.text, same, names, last)
        if masked is None or len(same) > rules.most_occurrences:
            reasons.append("repeated too often" if masked else reason)
            continue
        for other in wrong:
            yield _problem(passage, masked, (same[0], other), count, rules)
            count += 1
    if not count:
        yield Dropped(passage.id, "build", _main_reason(reasons), passage.text)


def _main_reason(reasons: list[str]) -> str:
    """The reason against the name of a passage that came closest to an item."""
    for reason in _NEAREST:
        if reason in reasons:
            return reason
    return "no person repeated" if reasons else "no person"


def _names(parsed: ParsedPassage, rules: WikiCremRules) -> list[_Name]:
    """The names of persons in order, without those of places."""
    text, capitals = parsed.passage.text, name_runs(parsed.passage.text)
    names = _tagged(parsed, capitals, rules)
    known = {name.text for name in names}
    taken = [span[:2] for span in _spans(parsed)]
    for run in capitals:
        name = text[run.start : run.end]
        free = not any(start < run.end and run.start < end for start, end in taken)
        again = name in known and all((run.start, run.end) != (n.start, n.end) for n in names)
        if again or (free and name_gender(name) and len(name.split()) <= rules.most_name_words):
            names.append(_name(text, run.start, run.end))
    names.sort(key=lambda name: name.start)
    places = {
        name.text
        for name in names
        if after_place_preposition(text, name.start) and not name_gender(name.text)
    }
    return [name for name in names if name.text not in places]


def _tagged(parsed: ParsedPassage, capitals: list[NameRun], rules: WikiCremRules) -> list[_Name]:
    """The PERSON entities that are written as names, without possessive endings."""
    text, tagged = parsed.passage.text, []
    for start, end, label in _spans(parsed):
        end = start + len(_POSSESSIVE.sub("", text[start:end]).rstrip(" ,.;:"))
        if label != "PERSON" or "," in text[start:end]:
            continue
        if is_written_as_name(text, start, end, capitals, rules.most_name_words):
            tagged.append(_name(text, start, end))
    return tagged


def _spans(parsed: ParsedPassage) -> list[tuple[int, int, str]]:
    """The entities by their characters."""
    parse = parsed.parse
    return [(parse.starts[a], parse.ends[b - 1], label) for a, b, label in parse.entities]


def _name(text: str, start: int, end: int) -> _Name:
    return _Name(start, end, text[start:end], frozenset(text[start:end].lower().split()))


def _choose(
    text: str, same: list[_Name], names: list[_Name], last: int
) -> tuple[_Name | None, list[_Name], str]:
    """The occurrence to mask and the wrong candidates; or None and the reason."""
    reason, whole = "", {(run.start, run.end) for run in name_runs(text)}
    for name in same[1:]:
        if (name.start, name.end) not in whole:  # Captain [MASK], [MASK] Junior
            reason = reason or "part of a longer name"
            continue
        others = _distinct([each for each in names if each.end <= name.start], name)
        if not others:
            reason = reason or "no other name before"
            continue
        fitting = [other for other in others if _fits(text, same[0], other, name, last)]
        if fitting:
            return name, fitting, ""
        reason = "one candidate only beside the mask"
    return None, [], reason


def _distinct(names: list[_Name], right: _Name) -> list[_Name]:
    """The first occurrences of the names that share no word with the right one or each other."""
    distinct: list[_Name] = []
    for name in names:
        if not name.words & right.words and not any(name.words & each.words for each in distinct):
            distinct.append(name)
    return distinct


def _fits(text: str, right: _Name, wrong: _Name, masked: _Name, last: int) -> bool:
    """Conditions (a) and (b); `last` is the offset of the last sentence."""
    if last == 0:
        return True
    if max(right.end, wrong.end) > last or masked.start < last:
        return False
    sentence = text[last : masked.start] + MASK + text[masked.end :]
    names = "|".join(map(re.escape, right.words | wrong.words))
    return re.search(rf"(?<!\w)(?:{names})(?!\w)", sentence, re.IGNORECASE) is None


def _problem(
    passage: Passage, masked: _Name, pair: tuple[_Name, _Name], number: int, rules: WikiCremRules
) -> Problem:
    """The item with its candidates in the order of the text."""
    text = passage.text[: masked.start] + MASK + passage.text[masked.end :]
    ordered = sorted(pair, key=lambda name: name.start)
    side = (
        "held-out"
        if seeded_fraction(rules.seed, "split", passage.page) < rules.held_out
        else "train"
    )
    kind = "b" if passage.boundaries else "a"
    labelled = (("kind", kind), ("split", side), ("gender", name_gender(masked.text) or "unknown"))
    return Problem(
        f"{passage.id}/{number}",
        text,
        Chars(masked.start, masked.start + len(MASK)),
        tuple(Candidate(name.text, _first_occurrence(text, name)) for name in ordered),
        (ordered.index(pair[0]),),
        source=passage.page,
        meta=(*passage.provenance, *labelled),
    )


def _first_occurrence(text: str, name: _Name) -> Chars:
    """The first occurrence of a name in the text, which may be within a longer name."""
    match = re.search(rf"(?<!\w){re.escape(name.text)}(?!\w)", text)
    return Chars(*match.span()) if match else Chars(name.start, name.end)


def collect(problems: Collection[Problem], rules: WikiCremRules) -> Iterator[Problem | Dropped]:
    """Each item once: held-out items must not also be in the training set."""
    del rules
    return deduplicate(problems)
