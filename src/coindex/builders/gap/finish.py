"""The final corpus from annotated examples (Webster et al. 2018, section 3.2).

Three annotators choose A, B, neither, both or "?" for each example. An example is dropped for
these reasons, checked in this order:

    not judged      fewer than three judgements
    no consensus    no two annotators agree (or two pairs do, of four annotators)
    error           a missing sentence break, a list, a candidate that is only a role
    both, not sure  as the consensus: there is nothing to resolve
    same page       at most one example per page and form of the pronoun (`his`)
    gender, label   1:1 in gender, and A as often as B

The paper lists the errors as examples of what it filtered ("missing sentence breaks, list
environments, and non-referential personal roles/nationalities"), without rules: these are ours.
It balanced the genders before it selected one example per page and form. Here the selection is
done first, because it would unbalance the genders again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from coindex.builders.consensus import ANSWERS, consensus, judgements
from coindex.builders.gap.rules import GENDERS, GapRules
from coindex.builders.protocol import Dropped
from coindex.errors import InvalidValue
from coindex.text.seeded_hash import seeded_rank
from coindex.text.word_lists import words
from coindex.types.problem import Problem

_GLUED = re.compile(r"[a-z]{2}[.!?][A-Z][a-z]")
_LIST = re.compile(r"(?:^|\s)[*•·▪]\s|(?:;[^.;]{1,60}){5}|\s[|]\s")


def finished(problems: Sequence[Problem], rules: GapRules) -> Iterator[Problem | Dropped]:
    """The labelled examples with the judgements of annotators, by id, then the others."""
    labelled: list[Problem] = []
    dropped: list[Dropped] = []
    for problem in sorted(problems, key=lambda each: (seeded_rank(rules.seed, each.id), each.id)):
        label = consensus(problem.id, judgements(problem), rules.raters, rules.agree)
        reason = text_error(problem) if label in ANSWERS or label in ("both", "not sure") else label
        if not reason and label in ANSWERS:
            labelled.append(replace(problem, answer=ANSWERS[label]))
        else:
            dropped.append(_dropped(problem, reason or label))
    retained = _balanced_labels(_one_per_page(labelled, dropped), dropped)
    yield from sorted(retained, key=lambda problem: problem.id)
    yield from sorted(dropped, key=lambda drop: drop.id)


def _dropped(problem: Problem, why: str) -> Dropped:
    return Dropped(problem.id, "finish", why, problem.text[-160:])


def text_error(problem: Problem) -> str:
    """The error in an example, whatever its label; empty if there is none."""
    if _GLUED.search(problem.text):
        return "missing sentence break"
    if _LIST.search(problem.text):
        return "list"
    roles = words("gap_roles") | words("gap_not_names")
    for candidate in problem.candidates:
        if all(word.casefold() in roles for word in candidate.text.split()):
            return "role or nationality"
    return ""


def _one_per_page(problems: Iterable[Problem], dropped: list[Dropped]) -> list[Problem]:
    """The first example drawn of each page and form of the pronoun."""
    firsts: dict[tuple[str, str], Problem] = {}
    for problem in problems:
        page = problem.meta_value("page") or problem.source or problem.id
        if firsts.setdefault((page, problem.pronoun.lower()), problem) is not problem:
            dropped.append(_dropped(problem, "same page"))
    return list(firsts.values())


def _balanced_labels(problems: Sequence[Problem], dropped: list[Dropped]) -> list[Problem]:
    """Equal numbers by gender and by answer; `neither` is equally frequent in both genders."""
    cells: dict[tuple[str, tuple[int, ...]], list[Problem]] = {
        (kind, answer): [] for kind in GENDERS for answer in ANSWERS.values()
    }
    for problem in problems:
        cells[_gender(problem), problem.answer or ()].append(problem)
    retained: list[Problem] = []
    for (_, answer), cell in cells.items():
        fewest = min(len(cells[kind, answer]) for kind in GENDERS)
        same = [cells[kind, (index,)] for kind in GENDERS for index in (0, 1)]
        most = min(map(len, same)) if answer else fewest
        retained += cell[:most]
        dropped += [_dropped(problem, "label") for problem in cell[most:fewest]]
        dropped += [_dropped(problem, "gender") for problem in cell[fewest:]]
    return retained


def _gender(problem: Problem) -> str:
    if problem.group not in GENDERS:
        raise InvalidValue(
            f"{problem.id}: expected the gender {' or '.join(GENDERS)}, found {problem.group!r}"
        )
    return problem.group
