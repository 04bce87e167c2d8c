"""A mention as the rules of agreement see it, and what the mentions of an entity say together."""

from __future__ import annotations

from dataclasses import dataclass, field

from coindex.models.coref.infer.stated_roles import Role
from coindex.text.agreement import PLURAL, SINGULAR, Traits
from coindex.text.name_variants import Name
from coindex.text.word_lists import words

MOST_NOMINALS = 64
"""How many descriptions with one head an entity remembers."""


@dataclass(slots=True)
class MentionRecord:
    """A mention as the rules see it.

    traits      what its words say
    start, end  its tokens
    sentence    the number of its sentence
    speaker     who says it, or ""
    means       the speaker's label whom it means (`I`, `you`, a label), or ""
    never       the labels whom it cannot mean
    quotation   the number of its quotation, or ""
    quotes      the label of the quotation whose speaker this pronoun is: `he` of `"I do," he said`
    owner       the mention of the possessor that it begins with, or -1
    owner_entity  the entity of that mention, or -1
    roles       that the text states of it: `Judge Okafor`, `Ann, a lawyer`
    """

    traits: Traits
    start: int
    end: int
    sentence: int = 0
    speaker: str = ""
    means: str = ""
    never: frozenset[str] = frozenset()
    quotation: str = ""
    quotes: str = ""
    owner: int = -1
    owner_entity: int = -1
    roles: frozenset[Role] = frozenset()


Nominals = dict[tuple[frozenset[str], int], MentionRecord]
"""The first mention for each set of modifiers with complement, and owner."""


@dataclass(slots=True)
class Spoken:
    """Where an entity is meant by a first or second person whose speaker is not known."""

    sentences: set[int] = field(default_factory=set)
    quotations: set[str] = field(default_factory=set)

    def add(self, mention: MentionRecord) -> None:
        """Take a mention in; "" stands for text outside quotations."""
        self.sentences.add(mention.sentence)
        self.quotations.add(mention.quotation)


@dataclass(slots=True)
class EntityRecord:
    """What the mentions of an entity say together.

    Its size does not grow with the number of mentions that say the same.

    first_index  the index of its first mention among all mentions
    nominals     by head, at most `MOST_NOMINALS` for each
    spoken       by person
    several      whether a noun or a name, not a pronoun alone, says that it is plural
    """

    first_index: int = 0
    genders: set[str] = field(default_factory=set)
    likely: set[str] = field(default_factory=set)
    singular: bool = False
    plural: bool = False
    several: bool = False
    group: bool = False
    person_noun: bool = False
    thing: bool = False
    time: bool = False
    means: str = ""
    quotes: set[str] = field(default_factory=set)
    never: set[str] = field(default_factory=set)
    pronouns: set[str] = field(default_factory=set)
    neopronouns: set[str] = field(default_factory=set)
    names: dict[Name, MentionRecord] = field(default_factory=dict)
    nominals: dict[str, Nominals] = field(default_factory=dict)
    spoken: dict[int, Spoken] = field(default_factory=dict)
    roles: set[Role] = field(default_factory=set)

    @property
    def organisation(self) -> bool:
        """Whether one of its names is that of an organisation, and none that of a person."""
        return any(name.organisation for name in self.names) and not any(
            name.person for name in self.names
        )

    def add(self, mention: MentionRecord) -> None:
        """Take a mention in."""
        traits = mention.traits
        if traits.gender:
            self.genders.add(traits.gender)
        if traits.likely_gender:
            self.likely.add(traits.likely_gender)
        self.singular |= traits.number == SINGULAR
        self.plural |= traits.number == PLURAL
        self.several |= traits.number == PLURAL and traits.pronoun != "plural"
        self.group |= traits.group
        self.person_noun |= traits.person_noun
        self.thing |= traits.thing
        self.time |= traits.time
        self.roles |= mention.roles
        self._add_speaker(mention)
        if traits.pronoun:
            self.pronouns.add(traits.pronoun)
        if traits.neopronoun:
            self.neopronouns.add(traits.neopronoun)
        if traits.name is not None:
            self.names.setdefault(traits.name, mention)
        elif not traits.pronoun:
            described = self.nominals.setdefault(traits.head, {})
            if len(described) < MOST_NOMINALS:
                told = traits.modifiers | traits.complement
                described.setdefault((told, mention.owner_entity), mention)
        if traits.person < 3 and not mention.speaker:
            self.spoken.setdefault(traits.person, Spoken()).add(mention)

    def _add_speaker(self, mention: MentionRecord) -> None:
        self.never |= mention.never
        self.quotes |= {mention.quotes} - {""}
        if mention.means.startswith("?"):
            self.quotes.add(mention.means)
        elif not self.means or (mention.means and is_description(self.means)):
            self.means = mention.means


def is_description(label: str) -> bool:
    """Whether the label of a speaker is a description, which a named person can have too."""
    return " " in label and label.split()[0].lower() in words("mention_starts")
