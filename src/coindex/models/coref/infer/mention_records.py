"""The mentions of a document as the rules of agreement see them: traits, speakers, owners."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

from coindex.models.coref.features import NAME, SpanFeatures
from coindex.models.coref.infer.entity_record import MentionRecord
from coindex.models.coref.infer.stated_roles import Role, stated_roles
from coindex.text.agreement import PLURAL, Traits, mention_traits
from coindex.text.name_variants import (
    DIFFERENT,
    EQUAL,
    UNKNOWN,
    VARIANT,
    Name,
    compare_names,
    is_person_word,
    parse_name,
)
from coindex.text.word_classes import POSSESSIVE_MARKS, normalize
from coindex.text.word_lists import labels, words
from coindex.types.document import Document

_GIVING = frozenset({"am", "'m", "’m", "is", "me", "myself", "called", "named"})
_NOBODY: frozenset[str] = frozenset()
_NO_ROLES: frozenset[Role] = frozenset()


def mention_records(document: Document, spans: SpanFeatures) -> list[MentionRecord]:
    """The mentions of a document as the rules see them."""
    tokens = document.tokens
    low = [token.lower() for token in tokens]
    speakers = document.speakers or ()
    layers = dict(document.layers)
    addressees, quotations = layers.get("addressee", ()), layers.get("quotation", ())
    labelled = layers.get("speaker-label", ())
    known = _label_names({*speakers, *labelled, *addressees} - {""})
    verbatim = {label.lower(): label for label in known.values() if label in speakers}
    tagged = {label[1:]: label for label in labelled if label[:1] == "?"}
    records: list[MentionRecord] = []
    firsts = frozenset(document.sentences)
    directions = _stage_directions(document)
    opening: dict[int, list[int]] = {}
    columns = zip(
        spans.starts.tolist(), spans.ends.tolist(), (spans.classes == NAME).tolist(),
        spans.sentences.tolist(), strict=True,
    )  # fmt: skip
    for index, (start, end, named, sentence) in enumerate(columns):
        words = _without_mark(tokens[start:end])
        named = named or (len(words) < end - start and words[-1][:1].isupper())
        label = labelled[start] if labelled else ""
        named = named or (start in firsts and _is_name_at_start(words, label))
        traits = mention_traits(words, head_index(words), named)
        quotation = quotations[start] if quotations else ""
        speaker = (speakers[start] if speakers else "") or tagged.get(quotation, "")
        addressee = addressees[start] if addressees else ""
        label = label or verbatim.get(" ".join(words).lower(), "")
        if start in directions:  # nobody says it
            means, never, speaker = _meant_by_direction(traits, speaker), _NOBODY, ""
        else:
            means, never = _meant(traits, speaker, addressee, label, known)
            if quotation and traits.name is not None:  # who is quoted speaks of somebody else
                never |= {speaker} - {"", means}
            elif speaker != means and _is_another(
                _possible_name(traits, words), speaker, tokens[max(0, start - 1) : start]
            ):
                never |= {speaker}
        record = MentionRecord(
            traits, start, end, sentence, "" if speaker[:1] == "?" else speaker, means, never, quotation,
            label if label[:1] == "?" and traits.pronoun in ("masculine", "feminine") else "",
            _owner(opening.get(start, ()), records, tokens, end),
            roles=stated_roles(low, start, end) if _may_be_name(traits, words) else _NO_ROLES,
        )  # fmt: skip
        opening.setdefault(start, []).append(index)
        records.append(record)
    return records


def _label_names(speaker_labels: Set[str]) -> dict[Name, str]:
    """The labels of speakers by the names that they are."""
    return {parse_name(tuple(label.split())): label for label in sorted(speaker_labels)}


def _stage_directions(document: Document) -> frozenset[int]:
    """The tokens in brackets within the turns of a script: `(taking off his coat)`."""
    turns = document.layer("turn") or ()
    found, inside = set(), False
    for at, (token, turn) in enumerate(zip(document.tokens, turns, strict=False)):
        inside = turn == "script" and (inside or token == "(")
        if inside:
            found.add(at)
        inside = inside and token != ")"
    return frozenset(found)


def _meant_by_direction(traits: Traits, speaker: str) -> str:
    """Whom a mention in a stage direction means: `he` is the one who speaks."""
    return speaker if traits.pronoun in ("masculine", "feminine") else ""


def _without_mark(tokens: tuple[str, ...]) -> tuple[str, ...]:
    """A mention without the possessive mark at its end."""
    marked = len(tokens) > 1 and normalize(tokens[-1]) in POSSESSIVE_MARKS
    return tokens[:-1] if marked else tokens


def _is_name_at_start(tokens: Sequence[str], label: str) -> bool:
    """Whether words at the start of a sentence are a name, and not only capitalised for that."""
    if not tokens[0][:1].isupper() or not tokens[-1][:1].isupper():
        return False
    return bool(label) or is_person_word(tokens[0].lower())


def _owner(
    opened: Sequence[int], records: Sequence[MentionRecord], tokens: Sequence[str], end: int
) -> int:
    """The mention at the same start that is the possessor: `her` of `her mother`."""
    for index in reversed(opened):
        inner = records[index]
        if inner.end < end and (
            tokens[inner.end].lower() in ("'s", "’s", "'", "’")
            or (
                labels("mention_starts").get(normalize(tokens[inner.start])) == "owned"
                and inner.end == inner.start + 1
            )
        ):
            return index
    return -1


def _meant(
    traits: Traits, speaker: str, addressee: str, label: str, known: Mapping[Name, str]
) -> tuple[str, frozenset[str]]:
    """The speaker whom a mention means, and those whom it cannot mean."""
    if label and not traits.pronoun and not label.startswith("?"):
        return label, frozenset()
    if not traits.pronoun:
        return _named_speaker(traits, known), frozenset()
    if not speaker:
        return "", frozenset()
    if traits.pronoun == "plural":  # `they` are neither who speaks nor who is spoken to
        return "", frozenset({speaker, addressee} - {""})
    if traits.number == PLURAL:
        return "", frozenset()
    if traits.person == 1:
        return speaker, frozenset({addressee} - {""})
    if traits.person == 2:
        return addressee, frozenset({speaker})
    if traits.gender:
        return "", frozenset({speaker, addressee} - {""})
    return "", frozenset()


def _possible_name(traits: Traits, tokens: Sequence[str]) -> Name | None:
    """The name of a mention, or one capitalised word at the start of a sentence that may be one."""
    if traits.name is not None or traits.pronoun or len(tokens) > 1 or tokens[0].islower():
        return traits.name
    return parse_name(tuple(tokens))


def _may_be_name(traits: Traits, tokens: Sequence[str]) -> bool:
    """Whether a mention is a name, or may be one that stands where any word is capitalised."""
    return traits.name is not None or not (traits.pronoun or tokens[-1].islower())


def _is_another(name: Name | None, speaker: str, before: Sequence[str]) -> bool:
    """Whether a name is not the speaker's, unless who speaks gives it: `I am Ann`, `call me Al`."""
    own = parse_name(tuple(speaker.split()))
    if name is None or not own.person or (before and normalize(before[0]) in _GIVING):
        return False
    return compare_names(name, own) in (DIFFERENT, UNKNOWN)


def _named_speaker(traits: Traits, known: Mapping[Name, str]) -> str:
    """The only speaker whose label a name is or can be."""
    if traits.name is None:
        return ""
    related = {
        label
        for name, label in known.items()
        if compare_names(traits.name, name) in (EQUAL, VARIANT)
    }
    return related.pop() if len(related) == 1 else ""


def head_index(tokens: Sequence[str]) -> int:
    """The index of a mention's head: the last word before what only says more about it."""
    low = [token.lower() for token in tokens]
    first = int(len(low) > 1 and low[0] in words("mention_starts"))
    tails = words("mention_tails")
    for at in range(first + 1, len(low)):
        if low[at] in tails or tokens[at] in tails:
            return at - 1
    return len(low) - 1
