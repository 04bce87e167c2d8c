"""Every request has an even share of the time, whatever the others submit."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from coindex.integrations.service.fair_queue import FairQueue


def taken(queue: FairQueue[str, str], group: str = "g") -> list[str]:
    found = []
    while (item := queue.take(group)) is not None:
        found.append(item)
    return found


def test_equal_requests_take_turns() -> None:
    queue: FairQueue[str, str] = FairQueue()
    for name in "ab":
        queue.add("g", [(10, f"{name}{number}") for number in range(3)])
    assert taken(queue) == ["a0", "b0", "a1", "b1", "a2", "b2"]


def test_small_requests_come_before_large_ones_that_wait() -> None:
    queue: FairQueue[str, str] = FairQueue()
    queue.add("g", [(1000, "large")])
    queue.add("g", [(10, "small")])
    assert taken(queue) == ["small", "large"]


def test_a_large_request_waits_for_no_more_than_its_own_size() -> None:
    queue: FairQueue[str, str] = FairQueue()
    queue.add("g", [(100, "large")])
    before = 0
    queue.add("g", [(10, "small")])
    while queue.take("g") == "small":
        before += 10
        queue.add("g", [(10, "small")])  # there is always another one
    assert before == 90  # the one that would make it 100 came later


def test_the_first_item_of_all_groups_is_known() -> None:
    queue: FairQueue[str, str] = FairQueue()
    assert queue.first() is None
    queue.add("g", [(20, "a"), (5, "b")])
    queue.add("h", [(10, "c")])
    assert (queue.first(), len(queue)) == ("c", 3)
    assert taken(queue, "h") == ["c"]
    assert (queue.first(), len(queue)) == ("a", 2)
    assert taken(queue, "x") == []


@given(st.lists(st.lists(st.integers(0, 50), max_size=5), max_size=8))
def test_nothing_is_lost_and_a_request_keeps_its_order(requests: list[list[int]]) -> None:
    queue: FairQueue[str, tuple[int, int]] = FairQueue()
    for number, sizes in enumerate(requests):
        queue.add("g", [(size, (number, place)) for place, size in enumerate(sizes)])
    found = []
    while (item := queue.take("g")) is not None:
        found.append(item)
    for number, sizes in enumerate(requests):
        assert [place for owner, place in found if owner == number] == list(range(len(sizes)))
    assert len(found) == sum(map(len, requests))
