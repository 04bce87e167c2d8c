"""Which rules of agreement apply to an entity and a mention; `agreement` weighs them."""

from __future__ import annotations

from collections.abc import Iterator

from coindex.models.coref.infer.entity_record import EntityRecord, MentionRecord, is_description
from coindex.models.coref.infer.stated_roles import can_mean
from coindex.text.agreement import PLURAL, SINGULAR, Traits, exclusive
from coindex.text.name_variants import (
    DIFFERENT,
    EQUAL,
    PARTIAL,
    UNKNOWN,
    VARIANT,
    Name,
    compare_names,
    differ_in_complement,
)
from coindex.text.word_lists import labels

BESIDE = 3
"""How many tokens may be between a description and the name beside it."""

_TIMELESS = frozenset({"masculine", "feminine", "neuter", "plural", "first", "second", "reflexive"})
_PERSONAL = frozenset({"masculine", "feminine"})
_THIRD = frozenset({"masculine", "feminine", "plural"})


def findings(entity: EntityRecord, mention: MentionRecord) -> Iterator[tuple[str, str]]:
    """The rules that apply, with what they saw."""
    yield from _gender(entity, mention.traits)
    yield from _animacy(entity, mention.traits)
    yield from _time(entity, mention.traits)
    yield from _number(entity, mention.traits)
    yield from _speech(entity, mention)
    if mention.traits.name is not None:
        yield from _names(entity, mention)
        yield from _naming(entity, mention)
    elif not mention.traits.pronoun:
        yield from _nominals(entity, mention)


def _gender(entity: EntityRecord, traits: Traits) -> Iterator[tuple[str, str]]:
    gender, likely = traits.gender, traits.likely_gender
    others = entity.genders - {gender}
    if gender and others:
        other = min(others)
        yield "animacy" if "neuter" in (gender, other) else "gender", f"{gender} and {other}"
    elif gender and entity.likely and gender not in entity.likely:
        yield "likely-gender", f"{gender}, and the name is {min(entity.likely)}"
    elif likely and not gender and not entity.genders <= {likely}:
        yield "likely-gender", f"{min(entity.genders)}, and the name is {likely}"
    if traits.pronoun in ("masculine", "feminine") and gender in entity.genders - entity.pronouns:
        yield "gender-match", gender
    yield from _neopronoun(entity, traits)


def _animacy(entity: EntityRecord, traits: Traits) -> Iterator[tuple[str, str]]:
    """`he` and `she` are persons or animals, and persons described by a noun are not `it`."""
    if traits.pronoun in _PERSONAL:
        if "plural" in entity.pronouns and entity.pronouns.isdisjoint(_PERSONAL):
            yield "they", traits.pronoun
        if entity.organisation:
            yield "animacy", f"{traits.pronoun} and an organisation"
        elif entity.person_noun and not entity.plural:
            yield "person-noun", traits.pronoun
        elif not entity.names and not entity.genders and (entity.thing or entity.group):
            yield "thing", traits.pronoun
    elif traits.pronoun == "neuter" and entity.person_noun and not entity.thing:
        yield "person-it", traits.pronoun
    elif traits.thing and not entity.pronouns.isdisjoint(_PERSONAL):
        yield "thing", traits.head
    elif traits.person_noun and "neuter" in entity.pronouns and not entity.thing:
        yield "person-it", traits.head


def _neopronoun(entity: EntityRecord, traits: Traits) -> Iterator[tuple[str, str]]:
    """Pronouns of two sets, one of them a neopronoun, never mean the same person."""
    own = traits.neopronoun
    if own:
        others = (entity.neopronouns - {own}) | entity.genders
        if others:
            yield "gender", f"{own} and {min(others)}"
        elif entity.neopronouns or not (entity.plural or entity.thing or entity.group):
            yield "neopronoun", own
    elif entity.neopronouns and traits.pronoun in ("masculine", "feminine", "neuter"):
        yield "gender", f"{traits.pronoun} and {min(entity.neopronouns)}"


def _time(entity: EntityRecord, traits: Traits) -> Iterator[tuple[str, str]]:
    """Nobody is a Friday, and `it` is hardly ever one."""
    if entity.time and traits.pronoun in _TIMELESS:
        yield "time", traits.pronoun
    elif traits.time and (entity.names or not entity.pronouns.isdisjoint(_TIMELESS)):
        if not entity.time:
            yield "time", traits.head
    elif entity.time and not traits.time and traits.name is not None:
        yield "time", traits.head


def _number(entity: EntityRecord, traits: Traits) -> Iterator[tuple[str, str]]:
    if traits.number == PLURAL and entity.singular and not entity.plural:
        if traits.pronoun == "plural" and not _excludes_they(entity):
            return
        yield "number", "plural and singular"
    elif traits.number == SINGULAR and entity.plural and not entity.singular:
        if entity.group or traits.group or _is_named_singular(entity, traits):
            return
        yield "number", "singular and plural"
    elif (
        entity.plural and entity.singular
        and not (entity.group or traits.group)
        and traits.pronoun in ("masculine", "feminine", "neuter")
        and not _is_named_singular(entity, traits)
    ):  # fmt: skip
        yield "number", "singular and plural"


def _is_named_singular(entity: EntityRecord, traits: Traits) -> bool:
    """Whether `he` or `she` fits a name, and `they` alone says that several are meant."""
    return not entity.several and traits.gender in entity.likely


def _excludes_they(entity: EntityRecord) -> bool:
    """Whether the singular mentions of an entity leave no room for `they`."""
    if entity.group:
        return False
    return bool(entity.pronouns & {"masculine", "feminine", "first"}) or (
        "neuter" in entity.pronouns or bool(entity.genders)
    )


def _speech(entity: EntityRecord, mention: MentionRecord) -> Iterator[tuple[str, str]]:
    means = mention.means
    if means.startswith("?"):
        yield ("speaker" if means in entity.quotes else "person"), "the speaker of its quotation"
    elif means and entity.means:
        if means == entity.means:
            yield "speaker", means
        elif is_description(means) or is_description(entity.means):
            yield "other-speaker", f"{means} and {entity.means}"
        else:
            yield "person", f"{means} and {entity.means}"
            return
    never = mention.never
    if (means and means in entity.never) or entity.means in never or entity.quotes & never:
        yield "person", f"cannot be {means or entity.means or 'who says it'}"
    elif not means and not mention.speaker:
        if mention.traits.person < 3:
            yield from _unknown_speaker(entity, mention)
        elif mention.traits.pronoun in _THIRD:
            yield from _third_person(entity, mention)


def _third_person(entity: EntityRecord, mention: MentionRecord) -> Iterator[tuple[str, str]]:
    """Nobody calls himself `he`: third persons and first or second ones of the same voice."""
    if any(mention.quotation in spoken.quotations for spoken in entity.spoken.values()):
        yield "voice", "third person and first or second"


def _unknown_speaker(entity: EntityRecord, mention: MentionRecord) -> Iterator[tuple[str, str]]:
    others = [spoken for person, spoken in entity.spoken.items() if person != mention.traits.person]
    quotation = mention.quotation
    if any(
        mention.sentence in other.sentences or (quotation and quotation in other.quotations)
        for other in others
    ):
        yield "person", "first and second person of one speaker"
    elif not quotation and any("" in other.quotations for other in others):
        yield "unknown-person", "first and second person"


def _names(entity: EntityRecord, mention: MentionRecord) -> Iterator[tuple[str, str]]:
    name = mention.traits.name
    assert name is not None
    if name in entity.names:  # also beside another name, as `the Tenant` beside `Dominic Shaw`
        yield "same-name", " ".join(name.words)
        return
    best = ""
    for other in entity.names.values():
        assert other.traits.name is not None
        relation = compare_names(name, other.traits.name)
        if relation == DIFFERENT:
            what = f"{' '.join(name.words)} and {' '.join(other.traits.name.words)}"
            hard = _are_two(name, other.traits.name)
            yield ("name" if hard else "other-name"), what
            return
        if (
            relation == EQUAL
            or (relation == VARIANT and best != EQUAL)
            or (relation == PARTIAL and best not in (EQUAL, VARIANT))
            or (relation == UNKNOWN and not best)
        ):
            best = relation
    if best == EQUAL:
        yield "same-name", " ".join(name.words)
    elif best == VARIANT:
        yield "variant", " ".join(name.words)
    elif best == UNKNOWN:
        yield "other-name", " ".join(name.words)


def _naming(entity: EntityRecord, mention: MentionRecord) -> Iterator[tuple[str, str]]:
    """A new name for somebody's relative or thing, which does not stand beside it: his wife, Ann."""
    if entity.names or not entity.nominals:
        return
    described = [record for each in entity.nominals.values() for record in each.values()]
    beside = any(abs(record.end - mention.start) <= BESIDE for record in described)
    if not beside and all(record.owner >= 0 for record in described):
        yield "naming", " ".join(mention.traits.name.words if mention.traits.name else ())


def _are_two(first: Name, second: Name) -> bool:
    """Whether different names certainly mean two: full names, or one name with two complements."""
    if first.full or second.full:
        return all(name.full or name.organisation for name in (first, second))
    return first.words == second.words and differ_in_complement(first, second)


def _nominals(entity: EntityRecord, mention: MentionRecord) -> Iterator[tuple[str, str]]:
    traits = mention.traits
    if traits.definite:
        if has_role(entity, traits):
            yield "stated-role", traits.head
        else:
            yield from _taken_up(entity, traits)
    for other in entity.nominals.get(traits.head, {}).values():
        found = exclusive(traits.modifiers, other.traits.modifiers) or _other_complement(
            traits.complement, other.traits.complement
        )
        if found:
            yield "modifier", found
            return
        if mention.owner_entity >= 0 and other.owner_entity >= 0:
            same = mention.owner_entity == other.owner_entity
            yield ("same-owner" if same else "owner"), traits.head
            return


def has_role(entity: EntityRecord, traits: Traits) -> bool:
    """Whether a definite description names a role that the text states of an entity."""
    return not traits.complement and any(
        can_mean(role, traits.head, traits.modifiers) for role in entity.roles
    )


def _other_complement(first: frozenset[str], second: frozenset[str]) -> str:
    """Two complements that name different things: the mayors of Lyon and of Paris."""
    apart = bool(first and second) and first.isdisjoint(second)
    return f"{' '.join(sorted(first))} and {' '.join(sorted(second))}" if apart else ""


def _taken_up(entity: EntityRecord, traits: Traits) -> Iterator[tuple[str, str]]:
    """A definite noun for a person or an organisation that was only named before."""
    if not entity.names or entity.nominals or entity.plural:
        return
    persons = any(name.person for name in entity.names) or entity.genders & {
        "masculine",
        "feminine",
    }
    if traits.person_noun and persons:
        yield "role", traits.head
    elif traits.group and not persons and _is_called(entity, traits.head):
        yield "organisation", traits.head


def _is_called(entity: EntityRecord, noun: str) -> bool:
    """Whether a noun for a group fits any organisation, or is part of the name: Leeds City Council."""
    named = any(noun in name.words for name in entity.names)
    return named or labels("group_nouns").get(noun) != "people"
