"""Small stories with gold entities, and a parser that knows their words: no spaCy needed."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from coindex.models.mention_pair.feature_store import FeatureStore
from coindex.models.mention_pair.recipe import Config
from coindex.models.mention_pair.train import Learner
from coindex.text.parsing.parse import Parse
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention

WOMEN, MEN = ("Mary", "Susan", "Linda", "Karen"), ("James", "John", "Robert", "Paul")
THINGS = ("book", "letter", "horse", "garden", "house")
TAGS = {
    **dict.fromkeys(("She", "He", "she", "he", "her", "him", "it"), "PRP"), "his": "PRP$",
    **dict.fromkeys(("the", "a", "The", "A"), "DT"), **dict.fromkeys((*WOMEN, *MEN), "NNP"),
    **dict.fromkeys(THINGS, "NN"), "sister": "NN", ".": ".", "and": "CC",
}  # fmt: skip
FAMILIES = ("tokens", "window", "tokens-between", "sentences-between", "match")
CONFIG = Config(families=FAMILIES, bits=14)


@dataclass(frozen=True)
class WordParser:
    """Words at spaces; a determiner or a possessor depends on the noun after it, else on the verb."""

    signature: str = "pipeline:words-1|spacy:0"

    def batch(self, texts: Sequence[str]) -> list[Parse]:
        return [_parse(text) for text in texts]


def _parse(text: str) -> Parse:
    starts, ends, words, sentences, at = [], [], [], [], 0
    for number, line in enumerate(text.split("\n")):
        for word in line.split(" "):
            if word:
                starts.append(at)
                ends.append(at + len(word))
                words.append(word)
                sentences.append(number)
            at += len(word) + 1
    tags = [TAGS.get(word, "VBD") for word in words]
    verbs = {sentences[i]: i for i in reversed(range(len(words))) if tags[i] == "VBD"}
    heads, deps = [], []
    for i, tag in enumerate(tags):
        over = i + 1 if tag in ("DT", "PRP$") and i + 1 < len(words) else verbs.get(sentences[i], i)
        heads.append(over)
        deps.append(
            "ROOT"
            if over == i
            else "det"
            if tag in ("DT", "PRP$")
            else "nsubj"
            if i < over
            else "dobj"
        )
    names = tuple((i, i + 1, "PERSON") for i, tag in enumerate(tags) if tag == "NNP")
    pos = tuple("X" for _ in words)
    return Parse(
        tuple(starts), tuple(ends), tuple(tags), pos, tuple(deps), tuple(heads), tuple(sentences), names
    )  # fmt: skip


def story(number: int) -> Document:
    """Two people, a thing, pronouns, and a nested mention: `his sister`."""
    rng = random.Random(number)
    woman, man, thing = rng.choice(WOMEN), rng.choice(MEN), rng.choice(THINGS)
    rows = [
        [woman, "met", man, "."], ["She", "gave", "him", "a", thing, "."],
        ["He", "liked", "the", thing, "."], ["his", "sister", "saw", "it", "."],
    ]  # fmt: skip
    places = {
        "woman": [(0, 1), (4, 5)], "man": [(2, 3), (6, 7), (10, 11), (15, 16)],
        "thing": [(7, 9), (12, 14), (18, 19)], "sister": [(15, 17)],
    }  # fmt: skip
    if rng.random() < 0.5:
        rows.append([man, "thanked", woman, "."])
        places["man"].append((20, 21))
        places["woman"].append((22, 23))
    entities = (
        Entity(tuple(Mention.at(*place) for place in members), id=name)
        for name, members in places.items()
    )
    return Document.of(f"story-{number:02}", rows, entities)


def stories(count: int, start: int = 0) -> list[Document]:
    return [story(number) for number in range(start, start + count)]


def learner(config: Config = CONFIG) -> Learner:
    return Learner(FeatureStore(WordParser(), config), config)
