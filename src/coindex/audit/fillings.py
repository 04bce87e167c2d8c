"""The names and pronouns with which the bundled texts are filled.

Everything is deterministic: the n-th text takes the n-th names of a list, so that two audits
compare the same sentences. Names are those of `text/data/name_origins.txt`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from coindex.audit.templates import PRONOUNS, Filling, Template, fillers
from coindex.text.word_lists import labels

BASE_ORIGIN = "english"
SETS = ("he", "she", "they", "xe", "ze", "fae", "ey")
"""The pronouns that are compared, by the subject form of their sets."""
NEOPRONOUNS = SETS[3:]
INSERTED = 2
"""How many sentences are inserted to make a distance longer."""
_OTHER = 3
"""How far down the list the other names are."""


def origins() -> tuple[str, ...]:
    """The origins of names, in the order of the list."""
    return tuple(dict.fromkeys(key.split()[0] for key in labels("name_origins") if "last" in key))


def names_of(origin: str, part: str) -> tuple[str, ...]:
    """Names of an origin: `feminine` or `masculine` given names, or `last` names."""
    return tuple(labels("name_origins")[f"{origin} {part}"].split())


def base_filling(
    template: Template,
    number: int,
    origin: str = BASE_ORIGIN,
    genders: Mapping[str, str] | None = None,
) -> Filling:
    """The names and pronouns of the text with this number; `genders` are those of the template."""
    chosen = genders or template.people
    names = {}
    for at, person in enumerate(template.named):
        given = names_of(origin, chosen[person])
        last = names_of(origin, "last")
        names[person] = given[(number + at) % len(given)], last[(2 * number + at) % len(last)]
    pronouns = {person: PRONOUNS[chosen[person]] for person in template.with_pronouns}
    return Filling(names, pronouns)


def exchanged_genders(template: Template, number: int) -> Filling:
    """The same with feminine and masculine exchanged, in given names and pronouns."""
    other = {"feminine": "masculine", "masculine": "feminine", "": ""}
    return base_filling(
        template, number, genders={name: other[each] for name, each in template.people.items()}
    )


def other_names(template: Template, number: int) -> Filling:
    """Other names of the same origin and gender."""
    return replace(
        base_filling(template, number), names=base_filling(template, number + _OTHER).names
    )


def with_pronouns(template: Template, number: int, pronouns: str, *, neutral: bool) -> Filling:
    """The same with other pronouns of the first person that has some.

    neutral   whether this person gets a given name that tells no gender
    """
    filling = base_filling(template, number)
    person = template.with_pronouns[0]
    names = dict(filling.names)
    if neutral and person in names:
        given = names_of("neutral", "given")
        names[person] = given[number % len(given)], names[person][1]
    return replace(filling, names=names, pronouns={**filling.pronouns, person: pronouns})


def in_passive(template: Template, number: int) -> Filling:
    """The same with a clause in the passive."""
    return replace(base_filling(template, number), passive=True)


def at_distance(template: Template, number: int) -> Filling:
    """The same with sentences inserted between the first mention and the others."""
    sentences = fillers()
    chosen = [sentences[(number + at) % len(sentences)] for at in range(INSERTED)]
    return replace(base_filling(template, number), inserted=chosen)
