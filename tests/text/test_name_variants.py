"""Variants of names: equal, variant, partial, different, unknown."""

from __future__ import annotations

import pytest

from coindex.text.agreement import mention_traits
from coindex.text.name_variants import Name, compare_names, parse_name, same_given_name


def relation(first: str, second: str) -> str:
    one, two = parse_name(tuple(first.split())), parse_name(tuple(second.split()))
    assert compare_names(one, two) == compare_names(two, one)
    return compare_names(one, two)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("Ann Lee", "Ms. Ann Lee", "equal"),
        ("the Ford", "Ford", "equal"),
        ("Acme Ltd", "Acme", "equal"),
        ("Ann Lee", "Lee", "variant"),
        ("Ann Lee", "Ann", "variant"),
        ("Ann Lee", "A. Lee", "variant"),
        ("William Hart", "Bill Hart", "variant"),
        ("Liz", "Elizabeth", "variant"),
        ("IBM", "International Business Machines", "variant"),
        ("WHO", "the World Health Organization", "variant"),
        ("Ann Lee", "Robert Lee", "different"),
        ("Ann Lee", "Ann Kim", "different"),
        ("Mr. Lee", "Mrs. Lee", "different"),
        ("Mr. Lee", "Mary Lee", "different"),
        ("John Hart Jr.", "John Hart Sr.", "different"),
        ("Irena Kos", "Kos", "variant"),
        ("Deputy Mayor Ann Lee", "Ann Lee", "equal"),
        ("Coach Ann Lee", "Lee", "variant"),
        ("Ann Lee", "Lee Ltd", "different"),
        ("Wanjiru Kimani", "Wanjiru", "partial"),
        ("Lumo One", "Lumo", "partial"),
        ("New York", "York", "unknown"),
        ("Paris", "the Eiffel Tower", "unknown"),
    ],
)
def test_two_names_relate_in_one_of_five_ways(first: str, second: str, expected: str) -> None:
    assert relation(first, second) == expected


def test_equal_names_are_told_apart_by_what_follows() -> None:
    def name(*words: str) -> Name:
        found = mention_traits(tuple(words), 0, named=True).name
        assert found is not None
        return found

    sales, accounting = name("Tom", "from", "sales"), name("Tom", "from", "accounting")
    assert compare_names(sales, accounting) == "different"
    assert compare_names(sales, name("Tom", "from", "the", "sales", "team")) == "equal"
    assert compare_names(sales, name("Tom")) == "equal"
    assert (
        compare_names(name("Institute", "of", "Marine", "Sound"), parse_name(("IMS",))) == "variant"
    )


def test_initials_and_short_forms_are_the_same_given_name() -> None:
    assert same_given_name("j", "james")
    assert same_given_name("peggy", "margaret")
    assert same_given_name("kate", "katie")  # both of Katherine
    assert not same_given_name("james", "john")


def test_a_name_knows_its_kind() -> None:
    assert parse_name(("Dr.", "Yilmaz")).person
    assert parse_name(("Varga", "Bank")).organisation
    assert parse_name(("Ann", "Lee")).full
    assert not parse_name(("Lee",)).full
