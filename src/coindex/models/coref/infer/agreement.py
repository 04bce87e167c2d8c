"""Agreement: which mentions an entity can take, by what all its mentions say about it.

The network scores pairs. Here the whole entity is asked: its gender, number and person, who
speaks, its names and modifiers. Each rule adds to the score of an entity, in the units of the
network's scores (log odds): a penalty where something contradicts, `-inf` where nothing can
outweigh it, a bonus where something else than the network gives evidence. Every rule has a name
and can be switched off.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from coindex.errors import InvalidValue, UnknownName
from coindex.models.coref.features import SpanFeatures
from coindex.models.coref.infer.entity_record import EntityRecord, MentionRecord
from coindex.models.coref.infer.findings import findings, has_role
from coindex.models.coref.infer.mention_records import mention_records
from coindex.models.coref.infer.relations import RelationFinder, Relations
from coindex.types.document import Document

BAR = -math.inf
LEAST = -8.0
"""Entities with a lower score are not considered."""

WEIGHTS: Mapping[str, float] = {
    "gender": BAR,
    "likely-gender": -3.0,
    "animacy": -4.0,
    "number": -5.0,
    "time": -6.0,
    "person": BAR,
    "speaker": 8.0,
    "other-speaker": -2.0,
    "unknown-person": -4.0,
    "name": BAR,
    "other-name": -2.0,
    "elsewhere": -4.0,
    "naming": -1.5,
    "same-name": 3.0,
    "variant": 1.5,
    "modifier": BAR,
    "owner": BAR,
    "same-owner": 2.0,
    "within": BAR,
    "contrast": BAR,
    "binding": -4.0,
    "pronoun-binding": -8.0,
    "loose-binding": -2.0,
    "object": -4.0,
    "reflexive": 3.0,
    "alias": 8.0,
    "apposition": 8.0,
    "former": 8.0,
    "cataphora": 3.0,
    "gender-match": 1.0,
    "neopronoun": 4.0,
    "role": 1.0,
    "stated-role": 4.0,
    "role-elsewhere": -3.0,
    "organisation": 4.0,
    "voice": -3.0,
    "they": -4.0,
    "person-noun": 2.0,
    "person-it": -3.0,
    "thing": -3.0,
}
"""The rules with their weights."""

EVERYDAY_RULES = frozenset(
    {
        "role", "stated-role", "role-elsewhere", "organisation", "they", "person-noun", "person-it", "thing", "apposition",
        "pronoun-binding",
    }
)  # fmt: skip
"""Rules that are applied under an everyday scheme alone: novels have other roles than news, and
corpora have other borders."""

Effect = tuple[float, str]
"""What a rule adds to a score, and its name with what it saw."""


class Agreement:
    """The mentions of one document with the entities that they form, and the rules."""

    def __init__(
        self,
        mentions: Sequence[MentionRecord],
        weights: Mapping[str, float] = WEIGHTS,
        relations: Relations | None = None,
        texts: Sequence[str] | None = None,
    ) -> None:
        """The mentions in reading order; rules without a weight are off.

        texts   the words of each mention, to explain decisions; None for no explanations
        """
        self._texts = texts
        self._considered: list[tuple[int, float, float, tuple[str, ...]]] = []
        self.reasons: list[str] = []
        self._mentions = mentions
        self._relations = relations or Relations()
        self._weights = weights
        self._entities: list[EntityRecord] = []
        self._speakers: dict[str, int] = {}
        self._roles: dict[str, dict[int, None]] = {}
        self.merges: list[tuple[int, int]] = []

    def adjust(
        self, scores: dict[int, float], mention: int, entity_of: Sequence[int]
    ) -> dict[int, float]:
        """The scores of entities for a mention, with what the rules add; barred ones are absent."""
        record = self._mentions[mention]
        if record.owner >= 0:
            record.owner_entity = entity_of[record.owner]
        if "speaker" in self._weights and record.means in self._speakers:
            scores.setdefault(self._speakers[record.means], 0.0)
        bearers = self._bearers(record)
        for entity in bearers:
            scores.setdefault(entity, 0.0)
        extra = self._related(scores, mention, entity_of)
        adjusted = {}
        self._considered = []
        found = {e: [*self.effects(e, record)] for e, score in scores.items() if score > LEAST}
        known = record.traits.name is not None and any(map(_is_same_name, found.values()))
        for entity, score in scores.items():
            if score > LEAST:
                effects = [extra.get(entity, (0.0, "")), *found[entity]]
                if known:
                    effects += self._named_elsewhere(found[entity])
                if bearers and entity not in bearers:
                    effects += self._role_elsewhere(entity, record)
                total = score + sum(weight for weight, _ in effects)
                if total > BAR:
                    adjusted[entity] = total
                if self._texts is not None:
                    applied = tuple(name for weight, name in effects if weight)
                    self._considered.append((entity, score, total, applied))
        return adjusted

    def _named_elsewhere(self, effects: Sequence[Effect]) -> Iterator[Effect]:
        """What another entity that has the name of a mention adds to the score of one that has not."""
        if "elsewhere" in self._weights and any(
            name.startswith("other-name") for _, name in effects
        ):
            yield self._weights["elsewhere"], "elsewhere"

    def _bearers(self, mention: MentionRecord) -> frozenset[int]:
        """The entities of which the text states the role that a definite description names."""
        traits = mention.traits
        if not {"stated-role", "role-elsewhere"} & self._weights.keys() or not traits.definite:
            return frozenset()
        known = self._roles.get(traits.head, ())
        return frozenset(entity for entity in known if has_role(self._entities[entity], traits))

    def _role_elsewhere(self, entity: int, mention: MentionRecord) -> Iterator[Effect]:
        """What the bearer of a role takes from the score of others that were not called so yet."""
        if mention.traits.head not in self._entities[entity].nominals:
            yield self._weights.get("role-elsewhere", 0.0), "role-elsewhere"

    def _related(
        self, scores: dict[int, float], mention: int, entity_of: Sequence[int]
    ) -> dict[int, tuple[float, str]]:
        """What the relations of a mention add, by entity; an entity that it is gets a score."""
        none = (0.0, "")
        extra: dict[int, tuple[float, str]] = {}
        for other, rule in self._relations.apart.get(mention, ()):
            if rule in self._weights:
                entity = entity_of[other]
                extra[entity] = min(extra.get(entity, none), (self._weights[rule], rule))
        for other, rule in self._relations.same.get(mention, ()):
            entity = entity_of[other]
            if rule not in self._weights or extra.get(entity, none)[0] < 0:
                continue
            if rule == "cataphora" and self._entities[entity].names:
                continue
            scores[entity] = max(scores.get(entity, -1.0), -1.0)
            extra[entity] = max(extra.get(entity, none), (self._weights[rule], rule))
        return extra

    def _reason(self, chosen: int) -> str:
        """Why the mention that was considered last joins an entity, and not others."""
        texts = self._texts or ()
        joined, apart = "", []
        for entity, score, total, rules in self._considered:
            named = f"“{texts[self._entities[entity].first_index]}”"
            by = f", {', '.join(rules)}" if rules else ""
            if entity == chosen:
                joined = f"joined to {named} (model {score:+.1f}{by}, total {total:+.1f})"
            elif total == BAR or (rules and score > 0 >= total):
                apart.append(f"kept apart from {named} (model {score:+.1f}{by})")
        return "; ".join([joined] * bool(joined) + apart)

    def effects(self, entity: int, mention: MentionRecord) -> Iterator[Effect]:
        """What each rule adds to the score of an entity for a mention."""
        for name, what in findings(self._entities[entity], mention):
            weight = self._weights.get(name)
            if weight is not None:
                yield weight, f"{name}: {what}" if what else name

    def join(self, mention: int, entity: int) -> None:
        """Add a mention to an entity; the number of the next entity makes a new one."""
        if self._texts is not None:
            self.reasons.append(self._reason(entity))
        if entity == len(self._entities):
            self._entities.append(EntityRecord(first_index=mention))
        record = self._mentions[mention]
        self._entities[entity].add(record)
        for noun, _ in record.roles:
            self._roles.setdefault(noun, {})[entity] = None
        if record.means:
            self._speakers.setdefault(record.means, entity)
        if record.quotes:
            self._merge(self._speakers.setdefault(record.quotes, entity), entity)

    def _merge(self, quoted: int, speaker: int) -> None:
        """Note that what a quotation's `I` means and its speaker are one, if nothing forbids it."""
        first, second = self._entities[quoted], self._entities[speaker]
        if quoted != speaker and len((first.genders | second.genders) - {"neuter"}) < 2:
            self.merges.append((first.first_index, second.first_index))


def _is_same_name(effects: Sequence[Effect]) -> bool:
    """Whether rules saw that an entity has the name of a mention, or a variant of it."""
    return any(name.startswith(("same-name", "variant")) for _, name in effects)


def agreement(
    document: Document,
    spans: SpanFeatures,
    weights: Mapping[str, float] = WEIGHTS,
    explain: bool = False,
) -> Agreement:
    """The rules for the mentions of a document; `explain` keeps what they decided, in words."""
    places = list(zip(spans.starts.tolist(), spans.ends.tolist(), strict=True))
    names = [" ".join(document.tokens[start:end]) for start, end in places] if explain else None
    relations = RelationFinder(document, places).find()
    return Agreement(mention_records(document, spans), weights, relations, names)


def corpus_rules(weights: Mapping[str, float]) -> Mapping[str, float]:
    """The rules that follow the annotation scheme of a corpus, without those for everyday text."""
    return {name: weight for name, weight in weights.items() if name not in EVERYDAY_RULES}


def parse_rules(text: str) -> Mapping[str, float]:
    """The weights of rules by their names: `all`, `none`, `gender,number` or `-gender,-number`."""
    if text in ("all", "none"):
        return WEIGHTS if text == "all" else {}
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if name in ("all", "none"):
            raise InvalidValue(f"expected {name} alone or names of rules, found {text!r}")
        if name.removeprefix("-") not in WEIGHTS:
            raise UnknownName("rule", name.removeprefix("-"), ("all", "none", *WEIGHTS))
    off = {name[1:] for name in names if name.startswith("-")}
    on = {name for name in names if not name.startswith("-")} or WEIGHTS.keys()
    return {name: weight for name, weight in WEIGHTS.items() if name in on and name not in off}
