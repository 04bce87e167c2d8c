"""Attention of candidates to the pronoun: sums and means by hand, cuts, single passages."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs torch: pip install 'coindex[train]'")
import torch

import training_samples as samples
from coindex.errors import InputError
from coindex.models.common.subwords import TextTokenizer, window_around
from coindex.models.pronoun.attention import AttentionEncoder
from coindex.models.pronoun.query import CandidateQuery, Phrase, own_candidates
from coindex.types.problem import Candidate, Problem
from coindex.types.span import Chars


def told(tiny: Path, weights: torch.Tensor) -> AttentionEncoder:
    """An `Attention` whose one layer with one head is given."""
    made = AttentionEncoder(str(tiny))
    made.layers, made.heads = 1, 1
    made.encoder = lambda **_: SimpleNamespace(attentions=(weights[None, None],))
    return made


def test_all_places_of_a_piece_are_summed_and_pieces_of_a_span_are_meant(tiny: Path) -> None:
    text = "Ann met Mary Jones. Ann liked her."
    pieces = TextTokenizer(str(tiny)).of(text)
    assert len(pieces) == 9  # ann met mary jones . ann liked her .
    n = len(pieces) + 2
    weights = torch.arange(n * n, dtype=torch.float32).reshape(n, n)
    at = text.index("her")
    names = (Candidate("Ann", Chars(0, 3)), Candidate("Mary Jones", Chars(8, 18)))
    asked = next(own_candidates([Problem("p", text, Chars(at, at + 3), names)]))
    (found,) = told(tiny, weights).weigh([asked])
    # The pronoun is piece 7, so column 8 with the first mark; Ann is in rows 1 and 6,
    # Mary in row 3, Jones in row 4.
    cell = lambda row: row * n + 8  # noqa: E731
    assert found[0, 0, 0] == cell(1) + cell(6)
    assert found[1, 0, 0] == (cell(3) + cell(4)) / 2


def test_a_pronoun_of_two_pieces_that_stands_twice(tiny: Path) -> None:
    text = "xy Bob xy"  # x ##y bob x ##y
    n = 7
    weights = torch.arange(n * n, dtype=torch.float32).reshape(n, n)
    asked = next(
        own_candidates([Problem("p", text, Chars(7, 9), (Candidate("Bob", Chars(3, 6)),))])
    )
    (found,) = told(tiny, weights).weigh([asked])
    row = 3 * n
    assert found[0, 0, 0] == ((row + 1 + row + 4) + (row + 2 + row + 5)) / 2


def test_shapes_and_that_no_passage_depends_on_another(tiny: Path) -> None:
    made = AttentionEncoder(str(tiny))
    asked = list(own_candidates([samples.problem(n) for n in range(6)]))
    together = list(made.weigh(asked))
    assert together[0].shape == (2, 2, 2)
    alone = [next(made.weigh([each])) for each in reversed(asked)]
    for one, other in zip(together, reversed(alone), strict=True):
        assert np.array_equal(one, other)


def test_the_first_layers_alone_say_the_same(tiny: Path) -> None:
    asked = list(own_candidates([samples.problem(n) for n in range(3)]))
    whole, first = AttentionEncoder(str(tiny)), AttentionEncoder(str(tiny), layers=1)
    for one, other in zip(whole.weigh(asked), first.weigh(asked), strict=True):
        assert other.shape == (2, 1, 2)
        assert np.array_equal(one[:, :1], other)


def test_who_is_not_in_the_text_attends_with_nothing(tiny: Path) -> None:
    made = AttentionEncoder(str(tiny))
    problem = Problem("p", "She slept.", Chars(0, 3), (Candidate("Ann"), Candidate("Clara")))
    (found,) = made.weigh(own_candidates([problem]))
    assert not found.any()
    (found,) = made.weigh([CandidateQuery(problem, ())])
    assert found.shape == (0, 2, 2)


def test_a_long_passage_is_cut_around_the_pronoun(tiny: Path) -> None:
    made = AttentionEncoder(str(tiny))
    assert made.room == 126
    text = "Ann slept. " + "Bob met Tom . " * 60 + "Clara liked her ."
    at, near = text.index("her"), text.index("Clara")
    phrases = (Phrase("Ann", Chars(0, 3), (0,)), Phrase("Clara", Chars(near, near + 5), (1,)))
    names = (Candidate("Ann"), Candidate("Clara"))
    (found,) = made.weigh([CandidateQuery(Problem("p", text, Chars(at, at + 3), names), phrases)])
    assert not found[0].any()
    assert found[1].all()


@pytest.mark.parametrize(
    ("length", "middle", "room", "expected"),
    [
        (10, range(5, 6), 10, range(10)),
        (100, range(50, 51), 20, range(36, 56)),
        (100, range(2, 3), 20, range(20)),
        (100, range(98, 99), 20, range(80, 100)),
    ],
)
def test_three_quarters_of_the_room_are_before(
    length: int, middle: range, room: int, expected: range
) -> None:
    assert window_around(length, middle, room) == expected


def test_an_encoder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="expected an encoder's folder or hub name"):
        AttentionEncoder(str(tmp_path))
