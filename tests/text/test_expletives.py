"""Expletive `it`: recognised where it refers to nothing, and nowhere else."""

from __future__ import annotations

import pytest

from coindex.text.expletives import is_expletive
from coindex.transform.edit import retokenize
from coindex.types.document import Document


def judged(text: str) -> list[bool]:
    """For each `it` of a text, whether it is expletive."""
    tokens = retokenize(Document("d", text), ()).tokens
    return [is_expletive(tokens, at) for at, word in enumerate(tokens) if word.lower() == "it"]


@pytest.mark.parametrize(
    "text",
    [
        "It was raining when Ann came.",
        "It has started to snow.",
        "I think it never rains there.",
        "It took him an hour to find a taxi.",
        "What time is it?",
        "It is already dark outside.",
        "It's 7 o'clock.",
        "It would be best to eat out tonight.",
        "It was Ann herself who left.",
        "It is a pity.",
        "It seems that he left.",
        "It turned out that he had left.",
        "I find it hard to believe him.",
        "Is it true that he left?",
        "It is likely that she will win.",
    ],
)
def test_it_that_refers_to_nothing(text: str) -> None:
    assert judged(text) == [True]


@pytest.mark.parametrize(
    "text",
    [
        "It looks like a brick.",
        "It is small, but nice.",
        "The soup is good. It is easy to make.",
        "It costs ninety euros.",
        "It is likely to fail.",
        "It was built in 1990.",
        "It is known for its food.",
        "It turns cloudy.",
        "It",
        "Give it to me.",
    ],
)
def test_it_that_refers_to_something(text: str) -> None:
    assert judged(text) == [False]


def test_each_it_is_judged_by_what_follows_it() -> None:
    assert judged("It was Ann who tore it. It rained on it.") == [True, False, True, False]
