"""From probabilities of pairs to entities, by a named rule.

    closest-first   a mention joins the nearest earlier one that is likely enough (Soon 2001)
    best-first      it joins the likeliest earlier one, if likely enough (Ng and Cardie 2002)
    transitive      every pair that is likely enough is joined

Entities are what links connect. Of equally likely antecedents the nearest wins.
"""

from __future__ import annotations

import numpy as np

from coindex.errors import UnknownName
from coindex.quizbowl.config import RULES
from coindex.quizbowl.ground import Floats
from coindex.quizbowl.pairs import Pairs


def links(pairs: Pairs, chances: Floats, rule: str, threshold: float) -> list[tuple[int, int]]:
    """The pairs (earlier, later) that are joined under a rule."""
    if rule not in RULES:
        raise UnknownName("link rule", rule, RULES)
    likely = np.flatnonzero(chances >= threshold)
    one, two = pairs.earlier[likely], pairs.later[likely]
    if rule != "transitive":
        weight = chances[likely] if rule == "best-first" else np.zeros(len(likely))
        order = np.lexsort((one, weight, two))
        one, two = one[order], two[order]
        last = np.r_[two[1:] != two[:-1], np.ones(min(len(two), 1), bool)]
        one, two = one[last], two[last]
    return list(zip(one.tolist(), two.tolist(), strict=True))


def groups(count: int, joined: list[tuple[int, int]]) -> list[list[int]]:
    """The sets of mentions that links connect, in reading order; single ones too."""
    owner = list(range(count))

    def root(mention: int) -> int:
        while owner[mention] != mention:
            owner[mention] = owner[owner[mention]]
            mention = owner[mention]
        return mention

    for one, two in joined:
        first, second = sorted((root(one), root(two)))
        owner[second] = first
    found: dict[int, list[int]] = {}
    for mention in range(count):
        found.setdefault(root(mention), []).append(mention)
    return list(found.values())
