"""The corpus of what the annotators said (Webster et al. 2018, section 3.2).

Three raters choose A, B, neither, both or "?" for each example. In this order, an example is
dropped for

    not judged      fewer than three judgements
    no consensus    no two raters agree (or two pairs do, where there are four)
    error           a missing sentence break, a list, a candidate that is only a role
    both, not sure  the consensus says so: there is nothing to resolve
    same page       one example a page and form of the pronoun (`his`)
    gender, label   1:1 in gender, and A as often as B

The paper names the errors as examples of what it filtered ("missing sentence breaks, list
environments, and non-referential personal roles/nationalities"), and no rules: these are
ours. It made the genders equal before it took one example a page and form; here that comes
first, because it would unbalance them again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from coindex.core.problem import Problem
from coindex.core.words import words
from coindex.corpora._consensus import ANSWERS, consensus
from coindex.corpora._gap_balance import rank
from coindex.corpora._gap_rules import GENDERS, Rules, rules
from coindex.corpora._items import Dropped
from coindex.errors import InvalidValue

_GLUED = re.compile(r"[a-z]{2}[.!?][A-Z][a-z]")
_LIST = re.compile(r"(?:^|\s)[*•·▪]\s|(?:;[^.;]{1,60}){5}|\s[|]\s")


@dataclass(frozen=True, slots=True)
class Finished:
    """The labelled examples, by id, and the others with the reason."""

    kept: tuple[Problem, ...]
    dropped: tuple[Dropped, ...]


def finish(
    problems: Iterable[Problem],
    judgements: Mapping[str, Sequence[str]],
    seed: int = 0,
    limits: Rules | None = None,
) -> Finished:
    """The final corpus; judgements are the raters' answers by the example's id."""
    limits = limits or rules()
    labelled: list[Problem] = []
    dropped: list[Dropped] = []
    for problem in sorted(problems, key=lambda problem: (rank(seed, problem.id), problem.id)):
        label = consensus(problem.id, judgements.get(problem.id, ()), limits.raters, limits.agree)
        reason = error(problem) if label in ANSWERS or label in ("both", "not sure") else label
        if not reason and label in ANSWERS:
            labelled.append(replace(problem, answer=ANSWERS[label]))
        else:
            dropped.append(_dropped(problem, reason or label))
    single = _one_a_page(labelled, dropped)
    kept = _even(single, dropped)
    return Finished(
        tuple(sorted(kept, key=lambda problem: problem.id)),
        tuple(sorted(dropped, key=lambda drop: drop.id)),
    )


def _dropped(problem: Problem, why: str) -> Dropped:
    return Dropped(problem.id, "finish", why, problem.text[-160:])


def error(problem: Problem) -> str:
    """What is wrong with an example whatever its label; nothing if all is well."""
    if _GLUED.search(problem.text):
        return "missing sentence break"
    if _LIST.search(problem.text):
        return "list"
    roles = words("gap_roles") | words("gap_not_names")
    for candidate in problem.candidates:
        if all(word.casefold() in roles for word in candidate.text.split()):
            return "role or nationality"
    return ""


def _one_a_page(problems: Iterable[Problem], dropped: list[Dropped]) -> list[Problem]:
    """The first one drawn of each page and form of the pronoun."""
    found: dict[tuple[str, str], Problem] = {}
    for problem in problems:
        page = problem.fact("page") or problem.source or problem.id
        if found.setdefault((page, problem.pronoun.lower()), problem) is not problem:
            dropped.append(_dropped(problem, "same page"))
    return list(found.values())


def _even(problems: Sequence[Problem], dropped: list[Dropped]) -> list[Problem]:
    """As many of each gender and of each of the two names; neither as often in each gender."""
    cells: dict[tuple[str, tuple[int, ...]], list[Problem]] = {
        (kind, answer): [] for kind in GENDERS for answer in ANSWERS.values()
    }
    for problem in problems:
        cells[_gender(problem), problem.answer or ()].append(problem)
    kept: list[Problem] = []
    for (_, answer), found in cells.items():
        fewest = min(len(cells[kind, answer]) for kind in GENDERS)
        same = [cells[kind, (index,)] for kind in GENDERS for index in (0, 1)]
        most = min(map(len, same)) if answer else fewest
        kept += found[:most]
        dropped += [_dropped(problem, "label") for problem in found[most:fewest]]
        dropped += [_dropped(problem, "gender") for problem in found[fewest:]]
    return kept


def _gender(problem: Problem) -> str:
    if problem.group not in GENDERS:
        raise InvalidValue(
            f"{problem.id}: expected the gender {' or '.join(GENDERS)}, found {problem.group!r}"
        )
    return problem.group
