"""The bundled texts in many variants, and how they are changed on their surface."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import replace

from coindex.audit.fillings import base_filling
from coindex.audit.templates import Filling, Passage, Template, fill, templates
from coindex.transform.switch_edits import TextEdit, apply_edits

BASE = "base"
TYPO_EVERY = 12
"""One word in so many gets a typo."""

_WORD = re.compile(r"\b[a-z]{5,}\b")
_MARKS = re.compile(r"[.,;:!?\"()]")

Fill = Callable[[Template, int], Filling]
Surface = Callable[[Passage], Passage]


def passages(
    label: str, how: Fill = base_filling, keep: Callable[[Template], bool] = lambda template: True
) -> tuple[Passage, ...]:
    """The bundled texts that `keep` accepts, filled; their ids end in the label."""
    return tuple(
        labelled(fill(template, how(template, number)), label)
        for number, template in enumerate(templates())
        if keep(template)
    )


def labelled(passage: Passage, label: str) -> Passage:
    """A passage whose id says how it was changed: `roles-03/typos`."""
    return replace(passage, id=f"{passage.id.partition('/')[0]}/{label}")


def base_id(passage: Passage) -> str:
    """The id of the text that a passage is a variant of."""
    return passage.id.partition("/")[0]


def with_typos(passage: Passage, seed: int = 1) -> Passage:
    """Two letters exchanged in some words that are no mentions, at least in one."""
    rng = random.Random(f"{seed} {base_id(passage)}")
    free = [
        match
        for match in _WORD.finditer(passage.text)
        if not any(
            match.start() < each.chars.end and each.chars.start < match.end()
            for each in passage.mentions
        )
    ]
    count = max(1, round(len(passage.text.split()) / TYPO_EVERY))
    letters = list(passage.text)
    for match in rng.sample(free, min(count, len(free))):
        places = [
            at for at in range(match.start() + 1, match.end() - 1) if letters[at] != letters[at + 1]
        ]
        at = rng.choice(places)
        letters[at], letters[at + 1] = letters[at + 1], letters[at]
    return replace(passage, text="".join(letters))


def in_lower_case(passage: Passage) -> Passage:
    """Without capitals."""
    return replace(passage, text=passage.text.lower())


def in_capitals(passage: Passage) -> Passage:
    """In capitals only."""
    return replace(passage, text=passage.text.upper())


def without_punctuation(passage: Passage) -> Passage:
    """Without commas, full stops and other marks; hyphens and apostrophes stay."""
    edits = [TextEdit(*match.span(), "") for match in _MARKS.finditer(passage.text)]
    changed = apply_edits(passage.text, edits)
    moved = tuple(replace(each, chars=changed.image(each.chars)) for each in passage.mentions)
    return replace(passage, text=changed.text, mentions=moved)
