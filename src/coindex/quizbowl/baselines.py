"""Two systems that any trained one must beat, on the same mentions.

exact-string   mentions with the same words (articles in front left out) corefer;
               pronouns too, each with its own kind
head-match     names and nouns with the same head corefer; a pronoun joins the nearest
               earlier mention that may agree with it in gender, number and person
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from coindex.quizbowl.featured import Featured
from coindex.quizbowl.ground import GENDERS, GROUPS, Ground
from coindex.quizbowl.levels import Place
from coindex.quizbowl.link import groups
from coindex.quizbowl.spans import NAME_KIND, PRONOUN_KIND, Spans, spans

Sets = list[list[Place]]
_FIXED = frozenset({"first", "second"})


def exact_string(part: Featured, found: Sequence[Place]) -> Sets:
    """Entities of equal strings."""
    members = spans(part.ground, found)
    seen: dict[int, int] = {}
    joined = []
    for at, string in enumerate(members.strings.tolist()):
        if string in seen:
            joined.append((seen[string], at))
        seen.setdefault(string, at)
    return _sets(found, joined)


def head_match(part: Featured, found: Sequence[Place]) -> Sets:
    """Entities of equal heads, with pronouns beside the nearest mention that fits."""
    members = spans(part.ground, found)
    seen: dict[int, int] = {}
    joined = []
    for at in range(len(members)):
        if members.kinds[at] == PRONOUN_KIND:
            nearest = _nearest(part.ground, members, at)
            joined += [] if nearest is None else [(nearest, at)]
            continue
        head = int(part.ground.lower[members.heads[at]])
        if head in seen:
            joined.append((seen[head], at))
        seen.setdefault(head, at)
    return _sets(found, joined)


BASELINES: dict[str, Callable[[Featured, Sequence[Place]], Sets]] = {
    "exact-string": exact_string,
    "head-match": head_match,
}


def _sets(found: Sequence[Place], joined: list[tuple[int, int]]) -> Sets:
    return [[found[at] for at in group] for group in groups(len(found), joined)]


def _nearest(ground: Ground, members: Spans, at: int) -> int | None:
    for other in range(at - 1, -1, -1):
        apart = members.ends[other] <= members.starts[at]
        if apart and _fits(ground, members, other, at):
            return other
    return None


def _fits(ground: Ground, members: Spans, other: int, at: int) -> bool:
    """Whether a pronoun can stand for an earlier mention."""
    group = GROUPS[members.classes[at]]
    if members.kinds[other] == PRONOUN_KIND:
        return bool(members.classes[other] == members.classes[at])
    if group in _FIXED:
        return False
    plural = bool(ground.plural[members.heads[other]])
    if group == "plural":
        return plural
    if plural:
        return False
    person = members.kinds[other] == NAME_KIND
    gender = GENDERS[members.genders[other]]
    if group in ("masculine", "feminine"):
        return gender in ("", group)
    return not (group == "neuter" and (gender or (person and _is_person(ground, members, other))))


def _is_person(ground: Ground, members: Spans, other: int) -> bool:
    from coindex.quizbowl.ground import string_hash

    return bool(ground.names[members.heads[other]] == np.uint64(string_hash("PERSON")))
