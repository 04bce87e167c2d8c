"""Expletive `it`: the pronoun of `it rained` and `it is hard to say`, which refers to nothing.

Recognised by the words that follow, without a parser:

    weather       it rained, it has started to snow
    condition     it is late, it was already dark outside
    clause        it is hard to say, it would be best to wait, it is a pity that; find it hard to
    raising       it seems that, it turned out that
    duration      it took him an hour to find a taxi
    cleft         it was Dagny who tore the tent
    question      what time is it

Paice and Husk (1987) describe such patterns; Evans (2001) surveys the uses of `it`.
"""

from __future__ import annotations

from collections.abc import Sequence

from coindex.text.word_classes import normalize
from coindex.text.word_lists import labels

FARTHEST = 10
"""How many tokens after `it` a clause may begin."""

_BE = frozenset({"is", "was", "be", "been", "being", "'s", "’s", "were", "are"})
_AUXILIARIES = _BE | {
    "has", "had", "have", "will", "would", "may", "might", "could", "can", "must", "should", "did", "does",
    "do", "'d", "'ll", "’d", "’ll", "wo", "ca", "to", "going", "start", "started", "starts", "begin", "began", "begins",
    "stop", "stopped", "stops", "keep", "keeps", "kept", "get", "gets", "got", "getting", "become", "became", "becomes",
}  # fmt: skip
_ADVERBS = frozenset({
    "not", "n't", "n’t", "never", "always", "often", "usually", "already", "still", "just", "now", "also", "probably",
    "certainly", "really", "so", "very", "quite", "pretty", "rather", "too", "almost", "nearly", "only", "even",
    "a", "an", "the", "such", "about", "that", "more", "most", "much", "far", "no", "simply", "hardly",
})  # fmt: skip
_SENTENCES = frozenset({"that", "whether", "if", "how", "why"})
_PREDICATIVE = frozenset({"condition", "noun", "that", "clause"})
_UNITS = frozenset(
    {
        "second",
        "minute",
        "hour",
        "day",
        "week",
        "month",
        "year",
        "decade",
        "century",
        "long",
        "ages",
        "forever",
    }
    | {
        "seconds",
        "minutes",
        "hours",
        "days",
        "weeks",
        "months",
        "years",
        "decades",
        "centuries",
        "time",
    }
)
_STOPS = frozenset({".", ";", "!", "?", ":"})
_FINDING = frozenset({
    "find", "finds", "found", "finding", "make", "makes", "made", "making", "think", "thinks", "thought", "consider",
    "considers", "considered", "believe", "believed", "deem", "deemed", "call", "called",
})  # fmt: skip


def is_expletive(tokens: Sequence[str], at: int) -> bool:
    """Whether the `it` at an index refers to nothing."""
    low = [normalize(token) for token in tokens[max(0, at - 3) : at + 1 + FARTHEST]]
    own = min(at, 3)
    rest = _sentence(low[own + 1 :])
    before = low[own - 1] if own else ""
    kinds = labels("expletive_words")
    if before in _FINDING and rest and kinds.get(rest[0]) in ("clause", "that"):
        return "to" in rest or not _SENTENCES.isdisjoint(rest)
    if before in _BE:  # a question: `what time is it`, `is it true that`
        return "time" in low[:own] or _is_predicate(rest, kinds, be=True)
    return _is_predicate(rest, kinds, be=False) or _is_cleft(rest)


def _sentence(tokens: Sequence[str]) -> list[str]:
    """The tokens up to the end of the sentence."""
    end = next((n for n, token in enumerate(tokens) if token in _STOPS), len(tokens))
    return list(tokens[:end])


def _is_predicate(rest: Sequence[str], kinds: dict[str, str], *, be: bool) -> bool:
    """Whether a predicate that takes no subject follows; `be` if a form of it stands before."""
    at = 0
    while at < len(rest) and rest[at] in _AUXILIARIES | _ADVERBS:
        be = be or rest[at] in _BE
        at += 1
    if at == len(rest):
        return False
    word, after = rest[at], rest[at + 1 :]
    kind = kinds.get(word, "")
    if be and (kind in _PREDICATIVE or word[:1].isdigit()):
        return _is_state(word, kind, after)
    if kind == "raising":
        return bool(after) and after[0] in ("that", "as", "to", "likely")
    if word in ("turns", "turned", "turn"):
        return after[:2] == ["out", "that"]
    return kind == "weather" or (kind == "duration" and _is_duration(after))


def _is_duration(after: Sequence[str]) -> bool:
    """`it took him an hour`, `it takes courage to`."""
    return "to" in after or not _UNITS.isdisjoint(after[:5])


def _is_state(word: str, kind: str, after: Sequence[str]) -> bool:
    """What follows a form of be: a time, a condition, or an adjective or noun with its clause."""
    if word[:1].isdigit():
        return bool(after) and after[0] in ("o'clock", "am", "pm", "a.m.", "p.m.")
    if kind == "condition":
        return not after or after[0] not in ("in", "for", "with")
    if kind == "noun" or not _SENTENCES.isdisjoint(after[:3]):
        return True
    return kind == "clause" and _has_whole_infinitive(after)


def _has_whole_infinitive(after: Sequence[str]) -> bool:
    """Whether an infinitive follows that lacks no object.

    It lacks one in `it is easy to read`, where `it` is what is read.
    """
    if "to" not in after:
        return False
    return len(after) - after.index("to") > 3


def _is_cleft(rest: Sequence[str]) -> bool:
    """`it was Dagny herself who`: a form of be, some words, and `who`."""
    return len(rest) > 2 and rest[0] in _BE and "who" in rest[2:6] and "," not in rest[1:6]
