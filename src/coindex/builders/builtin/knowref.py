"""KnowRef: two persons, a connective, and a pronoun that may mean either.

    Wanda tries to apologize to Rose, but [she] refuses to accept.     (from Warren, Rose)

Emami et al., ACL 2019, section 3.1: the initial and the connective filter (`knowref_text`), then
the antecedents: exactly two noun phrases before the connective, both of them persons and neither
mentioned again after it. If their names have different genders, the pronoun's gender reveals the
answer; it becomes the label, and one name is replaced so that the genders match.

    mode "train"   only such sentences, labelled
    mode "test"    also those whose names do not differ in gender; all without a label, for
                   annotators. The paper takes them from other sources than training.

`collect` makes the first name the answer as often as the second, within `most_surplus` of all
items, by dropping a random part of those with the more frequent answer. (Switching the names
would not help: the position of the answer stays the same.) `finished` labels test items on which
five of six annotators agree, as in the paper.

We add rules that the paper does not state, since their violation makes labels wrong or items
unsolvable: no noun of the sentence has a gender, no third person is between connective and
pronoun, and the two names are not adjacent (`Tom and Ann left, but he ...`). In training, a last
name alone has no gender, though it may be spelt like a first name (`Jane` on a page about
Patrick Jane).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cache

from coindex.builders.consensus import ANSWERS, consensus, judgements
from coindex.builders.disk_index import (
    SortedRows,
    UniqueProblems,
    deduplicate,
    group_limits,
    within_limit,
)
from coindex.builders.knowref_text import (
    Connective,
    Possessive,
    count_noun_phrases,
    find_connective,
    has_gendered_noun,
    initial_filter,
    pronouns_of,
    replace_name,
    to_ascii,
)
from coindex.builders.protocol import Dropped, ParsedPassage, Passage, PublishedFigures
from coindex.builders.sentences import prose_sentences
from coindex.builders.sources import Page
from coindex.errors import InvalidValue
from coindex.text.person_names import (
    GENDERS,
    NameRun,
    after_place_preposition,
    is_last_name_on_page,
    is_title,
    name_gender,
    name_runs,
)
from coindex.text.seeded_hash import seeded_fraction
from coindex.text.word_lists import labels, numbers, words
from coindex.transform.switch_edits import TextEdits, apply_edits
from coindex.types.problem import Candidate, Problem
from coindex.types.span import Chars

ABOUT = "ambiguous pronouns after two names, after KnowRef (Emami et al., ACL 2019)"
NEEDS = frozenset({"tags", "names"})
MODES = ("train", "test")
OPTIONS = {"mode": "|".join(MODES)}
LAST_NAMES = "last names"
"""The metadata key of a passage for its one-word names that end a longer name on the page."""
PUBLISHED: PublishedFigures = (
    ("items", 8724, "7,455 for training and 1,269 for tests, section 3.1"),
    ("group masculine, %", 52.7, "table 2"),
    ("group feminine, %", 47.3, "table 2"),
    ("answer is the first candidate, %", 50.7, "table 2"),
    ("answer is the second candidate, %", 49.2, "table 2"),
    ("labels that are right, %", 86, "of 100 for training, section 3.1; for ours see the guide"),
    ("words, least and most", "9 to 33", "section 3.1"),
    ("duplicates", 24, "in 1,269 of the released test file, counted here"),
    ("words, mean", 19.2, "the released test file, counted here"),
    ("words, median", 19, "the released test file, counted here"),
)

_DOUBTFUL = frozenset({"ORG", "PRODUCT", "WORK_OF_ART"})  # labels of unusual first names


@dataclass(frozen=True, slots=True)
class KnowRefRules:
    """The thresholds of the builder; see `knowref_rules.txt`."""

    mode: str
    seed: int
    fewest_words: int
    most_words: int
    fewest_before: int
    most_name_words: int
    most_surplus: float
    raters: int
    agree: int


def rules(seed: int = 0, mode: str = "train") -> KnowRefRules:
    """The thresholds, with the seed of names and the mode."""
    if mode not in MODES:
        raise InvalidValue(f"expected a mode of {', '.join(MODES)}, found {mode!r}")
    return KnowRefRules(mode, seed, **numbers("knowref_rules"))


def scan(page: Page, rules: KnowRefRules) -> Iterator[Passage | Dropped]:
    """The sentences that pass the initial and the connective filter and may name two persons."""
    sentences, outside = prose_sentences(page)
    yield from outside
    for number, sentence in enumerate(sentences):
        id, text = f"{page.id}:{number}", to_ascii(sentence.text)
        reason = initial_filter(text, rules.fewest_words, rules.most_words) if text else "too short"
        reason = reason or _scanned(text, rules)
        if reason:
            yield Dropped(id, "scan", reason, text)
        else:
            metadata = ((LAST_NAMES, _last_names(page, text)),)
            yield Passage.from_page(
                page, id, text, sentence.start, end=sentence.end, metadata=metadata
            )


def _scanned(text: str, rules: KnowRefRules) -> str:
    """Why a sentence cannot be an item; empty if it can."""
    connective = find_connective(text, rules.fewest_before)
    if isinstance(connective, str):
        return connective
    if has_gendered_noun(text):
        return "a noun tells a gender"
    return _may_name(text, connective, rules)


def _may_name(text: str, connective: Connective, rules: KnowRefRules) -> str:
    """Why the capitalised words cannot be two persons before the connective; empty if they can."""
    names = [run for run in name_runs(text) if run.end <= connective.start]
    if len(names) < 2:
        return "fewer than two names before the connective"
    genders = {name_gender(text[run.start : run.end]) for run in names}
    if rules.mode == "train" and not set(GENDERS) <= genders:
        return "no names of different genders"
    return ""


def _last_names(page: Page, text: str) -> str:
    """The names of one word that the page shows to be last names."""
    names = {text[run.start : run.end] for run in name_runs(text)}
    single = sorted(name for name in names if " " not in name)
    return " ".join(name for name in single if is_last_name_on_page(page.title, page.text, name))


def build(parsed: ParsedPassage, rules: KnowRefRules) -> Iterator[Problem | Dropped]:
    """The item of a sentence, or why there is none."""
    passage, text = parsed.passage, parsed.passage.text
    connective = find_connective(text, rules.fewest_before)
    reason = connective if isinstance(connective, str) else ""
    if not isinstance(connective, str):
        persons, others = _persons(parsed)
        reason = _antecedent_filter(text, persons, connective, rules)
        if not reason and any(run.start < connective.pronoun for run in others):
            reason = "a third name"
        tags = zip(parsed.parse.tags, parsed.parse.starts, strict=True)
        before = (tag for tag, start in tags if start < connective.start)
        if not reason and count_noun_phrases(before) != 2:
            reason = "not two noun phrases before the connective"
        if not reason:
            problem = _problem(parsed, persons[:2], connective, rules)
            if isinstance(problem, Problem):
                yield problem
                return
            reason = problem
    yield Dropped(passage.id, "build", reason, text)


def _persons(parsed: ParsedPassage) -> tuple[list[NameRun], list[NameRun]]:
    """The runs that name persons, and those that may name persons.

    A PERSON entity is a person; so is a run with a first name or a title that the tagger does
    not label, or labels as an organisation, as taggers do with unusual names. A name without a
    gender after `in` is a place.
    """
    parse, text = parsed.parse, parsed.passage.text
    persons, possible = [], []
    for run in name_runs(text):
        kinds = {
            label
            for first, last, label in parse.entities
            if parse.starts[first] < run.end and run.start < parse.ends[last - 1]
        }
        gendered = name_gender(text[run.start : run.end]) is not None
        if not gendered and after_place_preposition(text, run.start):
            continue
        if (gendered and kinds <= _DOUBTFUL | {"PERSON"}) or kinds == {"PERSON"}:
            persons.append(run)
        elif gendered or not kinds or (len(run.words) == 1 and kinds <= _DOUBTFUL):
            possible.append(run)
    return persons, possible


def _antecedent_filter(
    text: str, persons: list[NameRun], connective: Connective, rules: KnowRefRules
) -> str:
    """Why a sentence fails the antecedent filter (3.1.3); empty if it passes."""
    before = [run for run in persons if run.end <= connective.start]
    if len(before) != 2:
        return "no two persons before the connective" if len(before) < 2 else "a third person"
    one, two = before
    if any(len(text[run.start : run.end].split()) > rules.most_name_words for run in before):
        return "a name of too many words"
    named = [{word for word in run.words if not is_title(word)} for run in before]
    if named[0] & named[1]:
        return "two names that share a word"
    if _between().fullmatch(text, one.end, two.start):
        return "names side by side"
    after = set(re.findall(r"\w+", text[connective.end :]))
    if after & (named[0] | named[1]):
        return "a name comes again"
    if any(connective.start <= run.start < connective.pronoun for run in persons):
        return "another person before the pronoun"
    return ""


@cache
def _between() -> re.Pattern[str]:
    """The text between names that makes them one phrase, or one name with a nickname."""
    between = sorted(words("between_names"))
    every = "|".join(rf"{re.escape(word)}\b" if word[-1].isalpha() else word for word in between)
    return re.compile(rf'(?:\s|"[^"]*"|{every})*', re.IGNORECASE)


def _problem(
    parsed: ParsedPassage, pair: list[NameRun], connective: Connective, rules: KnowRefRules
) -> Problem | str:
    """The item with matching genders, or why there is none."""
    passage, text = parsed.passage, parsed.passage.text
    pronoun = Chars(connective.pronoun, connective.pronoun_end)
    gender = _gender_of(pronoun.of(text))
    genders = [name_gender(text[run.start : run.end]) for run in pair]
    differ = set(genders) == set(GENDERS)
    if gender not in genders and None not in genders:
        return "a pronoun of neither gender"
    if rules.mode == "train" and not differ:
        return "no names of different genders"
    last = (dict(passage.metadata).get(LAST_NAMES) or "").split()
    if rules.mode == "train" and any(text[run.start : run.end] in last for run in pair):
        return "a last name alone"
    right = genders.index(gender) if differ else None
    change = _changed(parsed, pair, (gender, *genders), rules)
    if isinstance(change, str):
        return change
    edited, which = change
    spans = [edited.image(Chars(run.start, run.end)) for run in pair]
    target = edited.image(pronoun)
    change_data = () if which is None else (("original", text), ("replaced", str(which)))
    return Problem(
        passage.id,
        edited.text,
        target,
        tuple(Candidate(span.of(edited.text), span) for span in spans),
        (right,) if right is not None and rules.mode == "train" else None,
        _gender_of(target.of(edited.text)),
        meta=(*passage.provenance, *change_data),
    )


def _changed(
    parsed: ParsedPassage, pair: list[NameRun], genders: tuple[str | None, ...], rules: KnowRefRules
) -> tuple[TextEdits, int | None] | str:
    """The text with one name replaced if its gender reveals the answer, and the name's index;
    or why that is impossible.

    genders   of the pronoun and of the two names
    """
    passage, text = parsed.passage, parsed.passage.text
    gender, *of_names = genders
    mismatched = [at for at, each in enumerate(of_names) if each is not None and each != gender]
    if not mismatched:
        return apply_edits(text, ()), None
    which = mismatched[0]
    if set(of_names) == set(GENDERS):  # either can be changed
        which = int(seeded_fraction(rules.seed, "which", passage.id) * 2)
    old = str(of_names[which])
    new = "feminine" if old == "masculine" else "masculine"
    name = Chars(pair[which].start, pair[which].end)
    if _means_another(text, pair, old):
        return "a pronoun of a third person"
    edited = replace_name(text, name, old, new, _possessive(parsed), rules.seed, passage.id)
    return "a name that cannot be replaced" if edited is None else (edited, which)


def _means_another(text: str, pair: list[NameRun], old: str) -> bool:
    """Whether a pronoun of the gender to be changed follows another name of that gender."""
    others = [run for run in name_runs(text) if run.start > pair[1].start]
    same = [run.end for run in others if name_gender(text[run.start : run.end]) == old]
    return bool(same) and pronouns_of(old).search(text, min(same)) is not None


def _possessive(parsed: ParsedPassage) -> Possessive:
    """Whether the pronoun at an offset is possessive, by its tag."""
    tags = dict(zip(parsed.parse.starts, parsed.parse.tags, strict=True))
    return lambda start: tags.get(start) == "PRP$"


def _gender_of(pronoun: str) -> str:
    return labels("pronouns")[pronoun.lower()]


def collect(problems: Collection[Problem], rules: KnowRefRules) -> Iterator[Problem | Dropped]:
    """The items with both answers equally frequent; those without a label unchanged."""
    answers = Counter(problem.answer for problem in UniqueProblems(problems) if problem.answer)
    few, many = sorted(((0,), (1,)), key=lambda answer: answers[answer])
    most = answers[few] + max(1, int(rules.most_surplus * 2 * answers[few]))
    with closing(
        SortedRows(
            (*many, *_rank(each, rules)) for each in UniqueProblems(problems) if each.answer == many
        )
    ) as ranked:
        limits = group_limits(ranked, 1, {many: most})
    for item in deduplicate(problems):
        if (
            isinstance(item, Problem)
            and item.answer == many
            and not within_limit(many, _rank(item, rules), limits)
        ):
            item = Dropped(item.id, "balance", "position of the answer", item.text)
        yield item


def _rank(problem: Problem, rules: KnowRefRules) -> tuple[float, str]:
    """The random rank of an item."""
    return seeded_fraction(rules.seed, "position", problem.id), problem.id


def finished(problems: Sequence[Problem], rules: KnowRefRules) -> Iterator[Problem | Dropped]:
    """The items for which the annotators agree on one of the names, labelled."""
    for problem in problems:
        label = consensus(problem.id, judgements(problem), rules.raters, rules.agree)
        if label in ("first", "second"):
            yield replace(problem, answer=ANSWERS[label])
        else:
            yield Dropped(problem.id, "finish", label, problem.text)
