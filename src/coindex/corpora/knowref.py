"""KnowRef: two persons, a connective, and a pronoun that may mean either.

    Wanda tries to apologize to Rose, but [she] refuses to accept.     (from Warren, Rose)

Emami et al., ACL 2019, section 3.1: the initial and the connective filter (`_knowref_text`),
then the antecedents: exactly two noun phrases before the connective, both of them persons and
none of them named again after it. Where their names have different genders, the pronoun's gives the answer away; it
becomes the label, and one name is replaced so that the genders match (`_knowref_names`).

    mode "train"   only such sentences, labelled
    mode "test"    also those whose names tell no difference; all without a label, for
                   annotators. The paper takes them from other sources than training.

`collect` makes the answer the first name as often as the second, within `most_surplus` of all
items, by leaving out some of those with the more frequent one, drawn by chance. (Switching the
names would not help: the answer stays at its place.) `finished` labels test items on which five
of six annotators agree, as in the paper.

What the paper does not say and we add, since each makes labels wrong or items unsolvable:
no noun of the sentence tells a gender, no third person comes between connective and
pronoun, and the two names do not stand side by side (`Tom and Ann left, but he ...`). In
training, a last name alone tells no gender, though it may be written as a first name (`Jane`
on a page about Patrick Jane).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cache

from coindex.core.problem import Candidate, Problem
from coindex.core.span import Chars
from coindex.core.words import labels, words
from coindex.corpora._capitals import Run, in_place, runs
from coindex.corpora._chance import fraction
from coindex.corpora._consensus import ANSWERS, consensus, judgements
from coindex.corpora._disk import Row, Rows, borders, within
from coindex.corpora._duplicates import Single, once
from coindex.corpora._items import Dropped, Parsed, Passage, passage
from coindex.corpora._knowref_names import Edited, Possessive, edited, pronouns_of, replaced
from coindex.corpora._knowref_text import Joint, cleaned, joint, noun_phrases, tells_gender, unfit
from coindex.corpora._names_of_people import gender, is_last_name_on, is_title
from coindex.corpora._provenance import provenance
from coindex.corpora._sentences import parted
from coindex.errors import InvalidValue
from coindex.sources import Page

ABOUT = "ambiguous pronouns after two names, after KnowRef (Emami et al., ACL 2019)"
NEEDS = frozenset({"tags", "names"})
MODES = ("train", "test")
LAST_NAMES = "last names"
"""The fact of a passage: its names of one word that end a longer name on the page."""
PUBLISHED: tuple[tuple[str, float | str, str], ...] = (
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

_DOUBTFUL = frozenset({"ORG", "PRODUCT", "WORK_OF_ART"})  # what taggers call odd first names


@dataclass(frozen=True, slots=True)
class Rules:
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


def rules(seed: int = 0, mode: str = "train") -> Rules:
    """The thresholds, with the seed of names and the mode."""
    if mode not in MODES:
        raise InvalidValue(f"expected a mode of {', '.join(MODES)}, found {mode!r}")
    told = labels("knowref_rules")
    return Rules(
        mode,
        seed,
        int(told["fewest_words"]),
        int(told["most_words"]),
        int(told["fewest_before"]),
        int(told["most_name_words"]),
        float(told["most_surplus"]),
        int(told["raters"]),
        int(told["agree"]),
    )


def scan(page: Page, rules: Rules) -> Iterator[Passage | Dropped]:
    """The sentences that pass the initial and the connective filter and may name two persons."""
    found, outside = parted(page)
    yield from outside
    for number, sentence in enumerate(found):
        id, text = f"{page.id}:{number}", cleaned(sentence.text)
        reason = unfit(text, rules.fewest_words, rules.most_words) if text else "too short"
        reason = reason or _scanned(text, rules)
        if reason:
            yield Dropped(id, "scan", reason, text)
        else:
            facts = ((LAST_NAMES, _last_names(page, text)),)
            yield passage(page, id, text, sentence.start, end=sentence.end, facts=facts)


def _scanned(text: str, rules: Rules) -> str:
    """Why a sentence cannot be an item; empty if it can."""
    found = joint(text, rules.fewest_before)
    if isinstance(found, str):
        return found
    if tells_gender(text):
        return "a noun tells a gender"
    return _may_name(text, found, rules)


def _may_name(text: str, found: Joint, rules: Rules) -> str:
    """Why capitals rule out two persons before the connective; empty if they do not."""
    names = [run for run in runs(text) if run.end <= found.start]
    if len(names) < 2:
        return "fewer than two names before the connective"
    told = {gender(text[run.start : run.end]) for run in names}
    if rules.mode == "train" and not {"masculine", "feminine"} <= told:
        return "no names of different genders"
    return ""


def _last_names(page: Page, text: str) -> str:
    """The names of one word that the page shows to be last names."""
    names = {text[run.start : run.end] for run in runs(text)}
    single = sorted(name for name in names if " " not in name)
    return " ".join(name for name in single if is_last_name_on(page.title, page.text, name))


def build(parsed: Parsed, rules: Rules) -> Iterator[Problem | Dropped]:
    """The item of a sentence, or why there is none."""
    passage, text = parsed.passage, parsed.passage.text
    found = joint(text, rules.fewest_before)
    reason = found if isinstance(found, str) else ""
    if not isinstance(found, str):
        persons, others = _persons(parsed)
        reason = _unlike(text, persons, found, rules)
        if not reason and any(run.start < found.pronoun for run in others):
            reason = "a third name"
        if not reason and noun_phrases(_tags_before(parsed, found.start)) != 2:
            reason = "not two noun phrases before the connective"
        if not reason:
            made = _made(parsed, persons[:2], found, rules)
            if isinstance(made, Problem):
                yield made
                return
            reason = made
    yield Dropped(passage.id, "build", reason, text)


def _tags_before(parsed: Parsed, end: int) -> Iterator[str]:
    parse = parsed.parse
    return (tag for tag, start in zip(parse.tags, parse.starts, strict=True) if start < end)


def _persons(parsed: Parsed) -> tuple[list[Run], list[Run]]:
    """The runs that surely name persons, and those that may do so as well.

    A PERSON entity is sure, and so is what a first name or a title tells where the tagger
    says nothing, or calls it an organization as taggers call odd names. A name that tells no gender after `in` is a place.
    """
    parse, text = parsed.parse, parsed.passage.text
    sure, may = [], []
    for run in runs(text):
        kinds = {
            label
            for first, last, label in parse.entities
            if parse.starts[first] < run.end and run.start < parse.ends[last - 1]
        }
        told = gender(text[run.start : run.end]) is not None
        if not told and in_place(text, run.start):
            continue
        if (told and kinds <= _DOUBTFUL | {"PERSON"}) or kinds == {"PERSON"}:
            sure.append(run)
        elif told or not kinds or (len(run.words) == 1 and kinds <= _DOUBTFUL):
            may.append(run)
    return sure, may


def _unlike(text: str, persons: list[Run], found: Joint, rules: Rules) -> str:
    """Why the antecedent filter (3.1.3) rejects a sentence; empty if it does not."""
    before = [run for run in persons if run.end <= found.start]
    if len(before) != 2:
        return "no two persons before the connective" if len(before) < 2 else "a third person"
    one, two = before
    if any(len(text[run.start : run.end].split()) > rules.most_name_words for run in before):
        return "a name of too many words"
    told = [{word for word in run.words if not is_title(word)} for run in before]
    if told[0] & told[1]:
        return "two names that share a word"
    if _between().fullmatch(text, one.end, two.start):
        return "names side by side"
    after = set(re.findall(r"\w+", text[found.end :]))
    if after & (told[0] | told[1]):
        return "a name comes again"
    if any(found.start <= run.start < found.pronoun for run in persons):
        return "another person before the pronoun"
    return ""


@cache
def _between() -> re.Pattern[str]:
    """What makes two names one phrase; a nickname in quotation marks makes them one name."""
    told = sorted(words("between_names"))
    every = "|".join(rf"{re.escape(word)}\b" if word[-1].isalpha() else word for word in told)
    return re.compile(rf'(?:\s|"[^"]*"|{every})*', re.IGNORECASE)


def _made(parsed: Parsed, pair: list[Run], found: Joint, rules: Rules) -> Problem | str:
    """The item with matching genders, or why there is none."""
    passage, text = parsed.passage, parsed.passage.text
    pronoun = Chars(found.pronoun, found.pronoun_end)
    wanted = _gender_of(pronoun.of(text))
    told = [gender(text[run.start : run.end]) for run in pair]
    differ = set(told) == {"masculine", "feminine"}
    if wanted not in told and None not in told:
        return "a pronoun of neither gender"
    if rules.mode == "train" and not differ:
        return "no names of different genders"
    last = (dict(passage.facts).get(LAST_NAMES) or "").split()
    if rules.mode == "train" and any(text[run.start : run.end] in last for run in pair):
        return "a last name alone"
    right = told.index(wanted) if differ else None
    change = _changed(parsed, pair, (wanted, *told), rules)
    if isinstance(change, str):
        return change
    done, which = change
    places = [done.place(Chars(run.start, run.end)) for run in pair]
    target = done.place(pronoun)
    facts = [("original", text)] if which is not None else []
    facts += [("replaced", str(which))] if which is not None else []
    return Problem(
        passage.id,
        done.text,
        target,
        tuple(Candidate(place.of(done.text), place) for place in places),
        (right,) if right is not None and rules.mode == "train" else None,
        _gender_of(target.of(done.text)),
        meta=(*provenance(passage), *facts),
    )


def _changed(
    parsed: Parsed, pair: list[Run], told: tuple[str | None, ...], rules: Rules
) -> tuple[Edited, int | None] | str:
    """The text with one name replaced where a gender gives something away, and which one;
    or why that cannot be done."""
    passage, text = parsed.passage, parsed.passage.text
    wanted, *genders = told
    odd = [at for at, each in enumerate(genders) if each is not None and each != wanted]
    if not odd:
        return edited(text, []), None
    which = odd[0]
    if set(genders) == {"masculine", "feminine"}:  # either can be the one to change
        which = int(fraction(rules.seed, "which", passage.id) * 2)
    old = str(genders[which])
    new = "feminine" if old == "masculine" else "masculine"
    place = Chars(pair[which].start, pair[which].end)
    if _means_another(text, pair, old):
        return "a pronoun of a third person"
    done = replaced(text, place, old, new, _possessive(parsed), rules.seed, passage.id)
    return "a name that cannot be replaced" if done is None else (done, which)


def _means_another(text: str, pair: list[Run], old: str) -> bool:
    """Whether a pronoun of the gender that goes comes after another name of that gender."""
    others = [run for run in runs(text) if run.start > pair[1].start]
    same = [run.end for run in others if gender(text[run.start : run.end]) == old]
    return bool(same) and pronouns_of(old).search(text, min(same)) is not None


def _possessive(parsed: Parsed) -> Possessive:
    """Whether the pronoun at a place is possessive, by its tag."""
    tags = dict(zip(parsed.parse.starts, parsed.parse.tags, strict=True))
    return lambda start: tags.get(start) == "PRP$"


def _gender_of(pronoun: str) -> str:
    return labels("pronouns")[pronoun.lower()]


def collect(problems: Collection[Problem], rules: Rules) -> Iterator[Problem | Dropped]:
    """The items with answers first and second in balance; those without a label as they are."""
    answers = Counter(problem.answer for problem in Single(problems) if problem.answer)
    few, many = sorted(((0,), (1,)), key=lambda answer: answers[answer])
    most = answers[few] + max(1, int(rules.most_surplus * 2 * answers[few]))
    with closing(
        Rows((*many, *_drawn(each, rules)) for each in Single(problems) if each.answer == many)
    ) as ranked:
        limits = borders(ranked, 1, {many: most})
    for item in once(problems):
        if isinstance(item, Problem) and not _stays(item, many, limits, rules):
            yield Dropped(item.id, "balance", "position of the answer", item.text)
        else:
            yield item


def _stays(problem: Problem, many: tuple[int], limits: Mapping[Row, Row], rules: Rules) -> bool:
    """Whether an item has the rarer answer, or is among the first drawn of those with the other."""
    return problem.answer != many or within(many, _drawn(problem, rules), limits)


def _drawn(problem: Problem, rules: Rules) -> tuple[float, str]:
    """Where an item stands in the draw of those that stay."""
    return fraction(rules.seed, "position", problem.id), problem.id


def finished(problems: Sequence[Problem], rules: Rules) -> Iterator[Problem | Dropped]:
    """The items on one of whose names the annotators agree, labelled."""
    for problem in problems:
        label = consensus(problem.id, judgements(problem), rules.raters, rules.agree)
        if label in ("first", "second"):
            yield replace(problem, answer=ANSWERS[label])
        else:
            yield Dropped(problem.id, "finish", label, problem.text)
