"""Which words of two candidates change places: the phrases themselves and their parts.

"Barack Obama" and "John Smith" change places as wholes, and so do "Obama" and
"Smith", "Barack" and "John". Where only one of the two has such a part ("Barack
Obama" and "Ann"), the part is a word that must not stand alone in the text.
The determiner stays where it is if both have an article, or the same one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from coindex.core.words import labels, words

_ARTICLES = frozenset({"a", "an", "the"})


@dataclass(frozen=True, slots=True)
class Names:
    """Pairs of words that change places, and words that may not stand alone."""

    pairs: tuple[tuple[str, str], ...]
    alone: frozenset[str]


def is_title(word: str) -> bool:
    """Whether a word is a title such as "Mr." or "Professor"."""
    return word[:1].isupper() and word.rstrip(".").lower() in words("titles")


def is_function_word(word: str) -> bool:
    """Whether a word belongs to a closed class: it is no part of a name."""
    return word.lower() in labels("function_words")


def article(word: str) -> str:
    """The indefinite article before a word: "a" or "an"."""
    lower = word.lower()
    known = [start for start in labels("articles") if lower.startswith(start)]
    if known:
        return labels("articles")[max(known, key=len)]
    return "an" if lower[:1] in "aeiou" else "a"


def determiner(phrase: str) -> str:
    """The determiner that a phrase of several words begins with, or nothing."""
    first, _, rest = phrase.partition(" ")
    return first if rest and labels("function_words").get(first.lower()) == "determiner" else ""


def lowered(phrase: str) -> str:
    """A phrase with its determiner in lower case."""
    first = determiner(phrase)
    return first.lower() + phrase[len(first) :]


def contained(one: str, other: str) -> bool:
    """Whether one phrase stands within the other as whole words, in any case."""
    short, long = sorted((one.lower(), other.lower()), key=len)
    return re.search(rf"(?<!\w){re.escape(short)}(?!\w)", long) is not None


def is_name(phrase: str) -> bool:
    """Whether a phrase is a name without a determiner."""
    return phrase[:1].isupper() and not determiner(phrase)


def is_common(phrase: str, beside: str, text: str) -> bool:
    """Whether a phrase that begins a sentence would have no capital elsewhere."""
    found = phrase.split()
    if determiner(phrase) or not phrase[:1].isupper() or phrase[1:] != phrase[1:].lower():
        return False
    if len(found) > 1:
        plain = not re.search(r"['’]|\d", phrase) and not any(map(_links, found))
        return plain and not is_title(found[0])
    if not beside[:1].islower():
        return False
    plurals = phrase.endswith("s") and beside.endswith("s") and beside == beside.lower()
    return plurals or re.search(rf"(?<!\w){re.escape(phrase.lower())}(?!\w)", text) is not None


def is_bare_noun(phrase: str, before: str, other: str) -> bool:
    """Whether a phrase is less than the whole phrase that the other one is.

    A noun after its determiner or adjective ("brown suitcase") cannot change
    places with "the trophy" or "Ann"; a singular noun never can with "Ann".
    """
    if determiner(phrase) or not phrase[:1].islower() or phrase.split()[-1][0].isupper():
        return False
    if not is_name(other) and not determiner(other):
        return False
    last = before.split()[-1:]
    label = labels("function_words").get(last[0].lower()) if last else None
    return label in ("determiner", "adjective") or (is_name(other) and not phrase.endswith("s"))


def names_of(one: str, other: str) -> Names:
    """What changes places for two phrases of the text."""
    dets = determiner(one).lower(), determiner(other).lower()
    cores = one[len(dets[0]) :].strip(), other[len(dets[1]) :].strip()
    pairs: dict[str, str] = {}
    if dets[0] == dets[1] or set(dets) <= _ARTICLES:
        whole = cores
    else:
        whole = lowered(one), lowered(other)
    parts = _parts(cores[0]), _parts(cores[1])
    if whole != cores:
        for part, core, det in zip(parts, cores, dets, strict=True):
            if det:
                part["core"] = core
    for part, core, det in zip(parts, cores, dets, strict=True):
        if det and core.split()[-1][0].isupper():
            part["other"] = "\n".join([*part.get("other", "").split(), _head(core)])
    for kind in parts[0].keys() & parts[1].keys() - {"other"}:
        pairs[parts[0][kind]] = parts[1][kind]
    every = [word for part in parts for value in part.values() for word in value.split("\n")]
    taken = [word for pair in pairs.items() for word in pair]
    clash = {word for word in taken if taken.count(word) > 1 or word in whole}
    kept = {a: b for a, b in pairs.items() if a not in clash and b not in clash}
    alone = (set(every) | clash) - set(kept) - set(kept.values()) - set(whole)
    return Names((whole, *sorted(kept.items())), frozenset(alone))


def _parts(core: str) -> dict[str, str]:
    """The parts by which a phrase may be taken up again: by kind, the rest as "other"."""
    found = core.split()
    if len(found) < 2:
        return {}
    link = next((at for at, word in enumerate(found) if _links(word)), None)
    if not found[-1][:1].isupper() or not found[0][:1].isupper():
        if found[-1][:1].isupper() and link is None:
            found = _run(found)
            return _of_name(found) if len(found) > 1 else {"last": found[0]}
        return {"head": found[link - 1 if link else -1]}
    if link is not None:
        return {"other": "\n".join(word for word in found if word[:1].isupper())}
    run = [word for word in _run(found) if not is_title(word)]
    return _of_name(run) if len(run) > 1 else {"last": found[-1]}


def _head(core: str) -> str:
    """The last word of a phrase in lower case: "the Green Knight ... the knight"."""
    return core.split()[-1].lower()


def _of_name(run: list[str]) -> dict[str, str]:
    parts = {"first": run[0], "last": run[-1]}
    return parts if len(run) == 2 else {**parts, "other": "\n".join(run[1:-1])}


def _run(found: list[str]) -> list[str]:
    """The words with capitals that a phrase ends in."""
    start = len(found)
    while start and found[start - 1][:1].isupper():
        start -= 1
    return found[start:]


def _links(word: str) -> bool:
    return word.lower() in {"and", "or", "&"} or (
        labels("function_words").get(word.lower()) == "preposition"
    )
