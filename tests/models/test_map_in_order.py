"""Items are mapped in their order, and only so much of them is taken ahead."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from coindex.models.common.inference import map_in_order


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("ahead", [1, 4, 100])
def test_results_come_in_order_and_within_the_limit(threads: int, ahead: int) -> None:
    sizes = [1, 3, 2, 1, 1, 1, 3, 2] * 20
    taken = 0

    def items() -> Iterator[int]:
        nonlocal taken
        for size in sizes:
            taken += size
            yield size

    consumed = 0
    found = []
    for result in map_in_order(lambda size: size * 10, items(), threads, ahead, lambda size: size):
        found.append(result)
        consumed += result // 10
        assert taken - consumed <= max(ahead, 0) + 3
    assert found == [size * 10 for size in sizes]


def test_small_items_are_taken_further_ahead() -> None:
    def first_taken(size: int) -> int:
        taken = 0

        def items() -> Iterator[int]:
            nonlocal taken
            for number in range(100):
                taken += 1
                yield number

        next(iter(map_in_order(abs, items(), 2, 8, lambda _: size)))
        return taken

    assert first_taken(8) == 2
    assert first_taken(1) == 9
