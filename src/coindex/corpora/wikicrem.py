"""WikiCREM: a repeated name is masked, and the names before it are the candidates.

    Gina is furious with Denise for not protecting Jody, as [MASK] was the parent.

Kocijan et al., EMNLP 2019, section 3. In one sentence, or two that follow each other, there
are two distinct names of persons, and one of them is repeated. A non-first occurrence of it
is masked, where

    (a) it comes after both candidates, all in one sentence; or
    (b) both candidates are in one sentence and it is in the next.

Where one candidate stands in the sentence of the mask and the other does not, the item is
discarded as too trivial. Each wrong candidate makes an item of its own. Of the occurrences
of a name, the first one that satisfies (a) or (b) is masked.

The names are PERSON entities, as in the paper; a small tagger misses many, so words that it
calls a person once are one wherever they stand alone in the passage, and so is what it says
nothing about where a first name or a title tells (`_names_of_people`). What the paper does not say and we add: a
name is written as one (`_capitals`), so that runs such as `Adams County` are left out; the
masked one is no part of a longer name (`Captain [MASK]`), since no pronoun could stand there;
and candidates that share a word (`Smith`, `John Smith`) are not distinct, as they may well be
one person; a name after `in` that tells no gender is a place; and lists that are written
as sentences are left out, by how many names, brackets and quotation marks there are.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import pairwise

from coindex.core.problem import Candidate, Problem
from coindex.core.span import Chars
from coindex.core.words import labels
from coindex.corpora._capitals import Run, in_place, is_name, runs
from coindex.corpora._chance import fraction
from coindex.corpora._duplicates import once
from coindex.corpora._items import Dropped, Parsed, Passage, passage
from coindex.corpora._names_of_people import gender, is_title
from coindex.corpora._provenance import provenance
from coindex.corpora._sentences import Sentence, parted
from coindex.sources import Page

ABOUT = "masked repeated names of persons, after WikiCREM (Kocijan et al., EMNLP 2019)"
NEEDS = frozenset({"names"})
MASK = "[MASK]"
PUBLISHED: tuple[tuple[str, float | str, str], ...] = (
    ("items", 2438897, "section 3, from all of Wikipedia of December 2018"),
    ("split held-out, %", 0.41, "10,000, section 3"),
    ("gender masculine, %", 32.8, "0.8 of 2.44 million, section 3"),
    ("gender feminine, %", 17.2, "0.42 of 2.44 million, section 3"),
    ("gender unknown, %", 50.0, "the rest, section 3"),
    ("solvable, %", 82, "of 100, section 3; for ours see the guide"),
    ("natural with a pronoun, %", 63, "of 100, section 3; for ours see the guide"),
)

_POSSESSIVE = re.compile(r"['’]s?$")
_FOREIGN = re.compile(r"[\[\]_|{}<>]")  # markup left over; would also clash with the mask

_NEAREST = (
    "repeated too often",
    "one candidate only beside the mask",
    "part of a longer name",
    "no other name before",
)


@dataclass(frozen=True, slots=True)
class Rules:
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
class _Written:
    """A run of capitals as it is written, without titles, and its words."""

    text: str
    words: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Name:
    """A person's name at a place of the passage, with its words in lower case."""

    start: int
    end: int
    text: str
    words: frozenset[str]


def rules(seed: int = 0) -> Rules:
    """The thresholds, with the seed of the split."""
    told = labels("wikicrem_rules")
    return Rules(
        seed,
        float(told["held_out"]),
        int(told["fewest_words"]),
        int(told["most_words"]),
        int(told["most_name_words"]),
        int(told["most_occurrences"]),
        int(told["most_people"]),
        int(told["most_brackets"]),
        int(told["most_quotes"]),
    )


def scan(page: Page, rules: Rules) -> Iterator[Passage | Dropped]:
    """The sentences, and pairs of them, that may hold a repeated name."""
    found, outside = parted(page)
    yield from outside
    every = [(number, each, _runs(each.text)) for number, each in enumerate(found)]
    for number, each, names in every:
        yield _scanned(page, f"{number}", (each,), _may_repeat(names), rules)
    for (number, one, before), (_, two, after) in pairwise(every):
        if one.paragraph == two.paragraph:
            yield _scanned(page, f"{number}+1", (one, two), _may_follow(before, after), rules)


def _scanned(
    page: Page, number: str, found: tuple[Sentence, ...], reason: str, rules: Rules
) -> Passage | Dropped:
    """The passage of one or two sentences, if nothing speaks against it."""
    id = f"{page.id}:{number}"
    text = page.text[found[0].start : found[-1].end]
    reason = reason or _unfit(text, rules)
    if reason:
        return Dropped(id, "scan", reason, text)
    cuts = tuple(each.start - found[0].start for each in found[1:])
    return passage(page, id, text, found[0].start, cuts=cuts)


def _unfit(text: str, rules: Rules) -> str:
    count = len(text.split())
    if count < rules.fewest_words:
        return "too short"
    if count > rules.most_words:
        return "too long"
    if text.count("(") > rules.most_brackets or text.count('"') > rules.most_quotes:
        return "a list"
    return "markup" if _FOREIGN.search(text) else ""


def _runs(text: str) -> list[_Written]:
    """The runs of capitals, each with what is written without the titles that it begins with."""
    found = []
    for run in runs(text):
        pieces = text[run.start : run.end].split()
        while len(pieces) > 1 and is_title(pieces[0]):
            pieces = pieces[1:]
        found.append(_Written(" ".join(pieces), run.words))
    return found


def _may_repeat(names: list[_Written]) -> str:
    """Why a sentence cannot be an item of kind (a); empty if it can.

    What is masked is a whole run, so it must be written before as it is (`Adams`, `Captain
    Adams`). A tagger may find `Adams` in `John Adams` too, but seldom does (1 item in 100).
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


def _may_follow(before: list[_Written], after: list[_Written]) -> str:
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


def _beside(run: _Written, others: list[_Written]) -> bool:
    return any(not other.words & run.words for other in others)


def build(parsed: Parsed, rules: Rules) -> Iterator[Problem | Dropped]:
    """The items of a passage, one for each wrong candidate of each masked name."""
    passage = parsed.passage
    cut = passage.cuts[-1] if passage.cuts else 0
    names = _names(parsed, rules)
    texts = dict.fromkeys(name.text for name in names)
    if len(texts) > rules.most_people:
        yield Dropped(passage.id, "build", "a list of people", passage.text)
        return
    count, reasons = 0, []
    for text in texts:
        same = [name for name in names if name.text == text]
        masked, wrong, reason = _choose(passage.text, same, names, cut)
        if masked is None or len(same) > rules.most_occurrences:
            reasons.append("repeated too often" if masked else reason)
            continue
        for other in wrong:
            yield _problem(passage, masked, (same[0], other), count, rules)
            count += 1
    if not count:
        yield Dropped(passage.id, "build", _main(reasons), passage.text)


def _main(reasons: list[str]) -> str:
    """Of the reasons against the names of a passage, the one that came nearest to an item."""
    for reason in _NEAREST:
        if reason in reasons:
            return reason
    return "no person repeated" if reasons else "no person"


def _names(parsed: Parsed, rules: Rules) -> list[_Name]:
    """The names of persons in order, without those of places."""
    text, capitals = parsed.passage.text, runs(parsed.passage.text)
    found = _tagged(parsed, capitals, rules)
    known = {name.text for name in found}
    taken = [span[:2] for span in _spans(parsed)]
    for run in capitals:
        name = text[run.start : run.end]
        free = not any(start < run.end and run.start < end for start, end in taken)
        again = name in known and all((run.start, run.end) != (n.start, n.end) for n in found)
        if again or (free and gender(name) and len(name.split()) <= rules.most_name_words):
            found.append(_name(text, run.start, run.end))
    found.sort(key=lambda name: name.start)
    places = {name.text for name in found if in_place(text, name.start) and not gender(name.text)}
    return [name for name in found if name.text not in places]


def _tagged(parsed: Parsed, capitals: list[Run], rules: Rules) -> list[_Name]:
    """The PERSON entities that are written as names, without possessive endings."""
    text, found = parsed.passage.text, []
    for start, end, label in _spans(parsed):
        end = start + len(_POSSESSIVE.sub("", text[start:end]).rstrip(" ,.;:"))
        if label != "PERSON" or "," in text[start:end]:
            continue
        if is_name(text, start, end, capitals, rules.most_name_words):
            found.append(_name(text, start, end))
    return found


def _spans(parsed: Parsed) -> list[tuple[int, int, str]]:
    """The entities by their characters."""
    parse = parsed.parse
    return [(parse.starts[a], parse.ends[b - 1], label) for a, b, label in parse.entities]


def _name(text: str, start: int, end: int) -> _Name:
    return _Name(start, end, text[start:end], frozenset(text[start:end].lower().split()))


def _choose(
    text: str, same: list[_Name], names: list[_Name], cut: int
) -> tuple[_Name | None, list[_Name], str]:
    """The occurrence to mask and the wrong candidates; or None and why there is none."""
    reason, whole = "", {(run.start, run.end) for run in runs(text)}
    for name in same[1:]:
        if (name.start, name.end) not in whole:  # Captain [MASK], [MASK] Junior
            reason = reason or "part of a longer name"
            continue
        others = _distinct([each for each in names if each.end <= name.start], name)
        if not others:
            reason = reason or "no other name before"
            continue
        kept = [other for other in others if _fits(text, same[0], other, name, cut)]
        if kept:
            return name, kept, ""
        reason = "one candidate only beside the mask"
    return None, [], reason


def _distinct(names: list[_Name], right: _Name) -> list[_Name]:
    """The first occurrences of the names that share no word with the right one or each other."""
    found: list[_Name] = []
    for name in names:
        if not name.words & right.words and not any(name.words & each.words for each in found):
            found.append(name)
    return found


def _fits(text: str, right: _Name, wrong: _Name, masked: _Name, cut: int) -> bool:
    """Conditions (a) and (b); `cut` is where the last sentence begins."""
    if cut == 0:
        return True
    if max(right.end, wrong.end) > cut or masked.start < cut:
        return False
    last = text[cut : masked.start] + MASK + text[masked.end :]
    return not any(_stands(word, last) for word in right.words | wrong.words)


def _stands(word: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text, re.IGNORECASE) is not None


def _problem(
    passage: Passage, masked: _Name, pair: tuple[_Name, _Name], number: int, rules: Rules
) -> Problem:
    """The item with its candidates in the order of the text."""
    text = passage.text[: masked.start] + MASK + passage.text[masked.end :]
    ordered = sorted(pair, key=lambda name: name.start)
    side = "held-out" if fraction(rules.seed, "split", passage.page) < rules.held_out else "train"
    kind = "b" if passage.cuts else "a"
    facts = (("kind", kind), ("split", side), ("gender", gender(masked.text) or "unknown"))
    return Problem(
        f"{passage.id}/{number}",
        text,
        Chars(masked.start, masked.start + len(MASK)),
        tuple(Candidate(name.text, _place(text, name)) for name in ordered),
        (ordered.index(pair[0]),),
        source=passage.page,
        meta=(*provenance(passage), *facts),
    )


def _place(text: str, name: _Name) -> Chars:
    """The first place of a name's words in the text, which may be within a longer name."""
    found = re.search(rf"(?<!\w){re.escape(name.text)}(?!\w)", text)
    return Chars(*found.span()) if found else Chars(name.start, name.end)


def collect(problems: Collection[Problem], rules: Rules) -> Iterator[Problem | Dropped]:
    """Each item once; with the same one in training, held-out items would test nothing."""
    del rules
    return once(problems)
