"""The nine problem formats: what they refuse, and what holds for all of them."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from importlib import import_module
from types import ModuleType
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from coindex.errors import InvalidValue
from coindex.transform.reduce import reduce_problem
from coindex.types.problem import Candidate, Problem
from coindex.types.source import Source
from coindex.types.span import Chars
from problem_samples import FORMATS, SAMPLES, lines


def load(format: str) -> ModuleType:
    return import_module(f"coindex.formats.builtin.{format}")


def read(format: str, text: str | None = None, source: Source | None = None) -> list[Problem]:
    text = SAMPLES[format] if text is None else text
    return list(load(format).read(lines(text), source or Source("sample")))


def written(format: str, *problems: Problem) -> str:
    return "".join(load(format).write(problems))


def placed(problem: Problem) -> list[tuple[str, str | None]]:
    """Each candidate with what stands at its place."""
    return [(c.text, c.chars.of(problem.text) if c.chars else None) for c in problem.candidates]


# --- what a format refuses ------------------------------------------------------------

ONE = Problem(
    "1", "Otto met Max and he left.", Chars(17, 19), (Candidate("Otto", Chars(0, 4)),) * 1, (0,)
)
TWO = replace(ONE, candidates=(Candidate("Otto", Chars(0, 4)), Candidate("Max", Chars(9, 12))))


@pytest.mark.parametrize(
    ("format", "problem", "reason"),
    [
        ("gap", ONE, "it has 1 candidate, not two"),
        ("gap", replace(TWO, text=TWO.text.replace(" ", "\t")), "a tab or a line break in it"),
        ("gap", replace(TWO, group="pro"), "its group is not that of its pronoun"),
        (
            "gap",
            replace(TWO, candidates=(TWO.candidates[0], Candidate("Max"))),
            "a candidate is not in the text",
        ),
        (
            "gap",
            replace(TWO, candidates=(TWO.candidates[0], Candidate("Mex", Chars(9, 12)))),
            "it could not be read again",
        ),
        ("gap", replace(TWO, id="\ud800"), "it holds half a character (a lone surrogate)"),
        ("knowref", replace(TWO, answer=()), "none of the candidates is right"),
        ("knowref", replace(TWO, answer=(0, 1)), "several candidates are right"),
        (
            "knowref",
            replace(TWO, candidates=(TWO.candidates[0], Candidate("Max", Chars(0, 3)))),
            "a candidate would be found at another place, or not at all",
        ),
        ("knowref", replace(TWO, meta=(("a", "b"),) * 2), "its facts would be read differently"),
        ("blocks", replace(TWO, answer=(0, 1)), "several candidates are right"),
        (
            "blocks",
            replace(TWO, candidates=(Candidate("Otto, Max"),)),
            "a comma in a candidate",
        ),
        (
            "blocks",
            replace(TWO, text="Otto met he . or he left.", candidates=ONE.candidates),
            "its pronoun would be found at another place",
        ),
        (
            "blocks",
            replace(TWO, text="\ufeff" + TWO.text),
            "its text begins with a byte order mark",
        ),
        ("wsc", replace(TWO, answer=()), "none of the candidates is right"),
        (
            "wsc",
            replace(TWO, text=TWO.text + "\x01"),
            "it holds a character that XML does not allow",
        ),
        ("winobias", replace(TWO, answer=None), "its answer is not known"),
        ("winobias", TWO, "it could not be read again"),
        ("winogender", TWO, "its id is not OCCUPATION.PARTICIPANT.ANSWER.GENDER.txt"),
        ("winogrande", TWO, "its pronoun is not a blank '_'"),
        ("knowref_pairs", TWO, "its pronoun is not a blank '_'"),
        (
            "knowref_pairs",
            replace(TWO, text="_" * 25, target=Chars(1, 2), answer=None),
            "its answer is not known",
        ),
        (
            "winogrande",
            replace(TWO, text="_" * 25, target=Chars(1, 2)),
            "it could not be read again",
        ),
        ("wnli", TWO, "it has no hypothesis"),
        ("wnli", replace(TWO, meta=(("hypothesis", "x"),)), "its id is not its index"),
        (
            "wnli",
            replace(TWO, answer=(1,), meta=(("hypothesis", "Max left."), ("index", "1"))),
            "its answer is not the first candidate",
        ),
        ("problem_jsonl", replace(TWO, answer=(0, 1), id="\ud800"), None),
    ],
)
def test_refused(format: str, problem: Problem, reason: str | None) -> None:
    assert load(format).refuse(problem) == reason


@pytest.mark.parametrize("format", ["gap", "knowref", "blocks", "wsc", "problem_jsonl"])
def test_a_plain_problem_fits(format: str) -> None:
    assert load(format).refuse(TWO) is None
    (back,) = read(format, written(format, TWO))
    assert replace(back, group=None) == TWO


# --- what holds for all ---------------------------------------------------------------


@pytest.mark.parametrize("format", FORMATS)
def test_each_sample_is_recognised_by_its_format_alone(format: str) -> None:
    module = load(format)
    for text in (SAMPLES[format], written(format, *read(format))):
        head = list(lines(text))
        assert [name for name in FORMATS if load(name).sniff(head)] == [format]
    assert module.KIND == "problem"
    assert not module.sniff([])
    assert not module.sniff(["Ruth saw that he had gone.\n", "Then she left.\n"])


@pytest.mark.parametrize("format", FORMATS)
def test_line_ends_of_windows(format: str) -> None:
    assert read(format, SAMPLES[format].replace("\n", "\r\n")) == read(format)


@pytest.mark.parametrize("format", FORMATS)
def test_no_problems(format: str) -> None:
    assert read(format, written(format)) == [] if format != "problem_jsonl" else True


@pytest.mark.parametrize("format", FORMATS)
def test_reading_says_where_an_item_begins(format: str) -> None:
    source = Source("s")
    begun = [source.line_of(None) for _ in load(format).read(lines(SAMPLES[format]), source)]
    first = {"gap": 2, "knowref": 2, "wsc": 3, "winogender": 2, "wnli": 2}.get(format, 1)
    assert begun == [first, *({"knowref": [3], "blocks": [6], "winobias": [2]}.get(format, []))]


WORDS = st.sampled_from(
    [
        *("Ruth", "Otto", "she", "he", "it", "they", "her", "him", "the", "a", "an", "baker"),
        *("nurse", "guard", "met", "sang", "because", "and", "_", "[MASK]", "'", "'s", ",", "."),
        *("<", "&", "]", "1", "é", "e\u0301", "👩‍🚀", "İ", "ß\u2028", "$NOM_PRONOUN"),
    ]
)
GAPS = st.sampled_from([" "] * 20 + ["  ", "", "\t", "\n", "\r\n", "\u00a0", "\u2028"])
IDS = st.sampled_from(["1", "2", "x-1", "a b", "baker.guard.0.female.txt", "", "\n", "é"])
NAMES = ["hypothesis", "index", "other-pronouns", "sameText", "quote1", "id", "k", "candidate0"]
VALUES = st.sampled_from(["", "x", "1", "0-1", "true", "NaN", "[1]", " y", "a\tb", "Ruth sang."])
SAMPLE_PROBLEMS = [problem for format in FORMATS for problem in read(format)]


@st.composite
def free(draw: st.DrawFn) -> Problem:
    """A passage of odd words, with any of them as pronoun and candidates."""
    words = draw(st.lists(WORDS, min_size=2, max_size=12))
    text, spots = "", []
    for word in words:
        spots.append(Chars(len(text), len(text) + len(word)))
        text += word + draw(GAPS)
    spot = st.sampled_from(spots)
    placed_ = spot.map(lambda chars: Candidate(chars.of(text), chars))
    candidates = draw(st.lists(placed_ | st.builds(Candidate, WORDS), min_size=1, max_size=3))
    return Problem(draw(IDS), text, draw(spot), tuple(candidates))


@st.composite
def shaped(draw: st.DrawFn, samples: list[Problem]) -> Problem:
    """One of the samples with something changed."""
    problem = draw(st.sampled_from(samples))
    tail = draw(
        st.sampled_from(["", "", " Then he sang.", " the guard", "\n", " _", " \u2028", "]"])
    )
    id = draw(st.sampled_from([problem.id] * 4 + ["9"]))
    return replace(problem, id=id, text=problem.text + tail)


@st.composite
def problems(draw: st.DrawFn, format: str) -> Problem:
    """A problem with any answer and facts; many are as the format's own."""
    problem = draw(st.one_of(free(), shaped(SAMPLE_PROBLEMS), shaped(read(format))))
    if draw(st.booleans()):
        return problem
    count = len(problem.candidates)
    indices = st.sets(st.integers(0, count - 1)).map(lambda found: tuple(sorted(found)))
    names = draw(st.lists(st.sampled_from(NAMES), max_size=2))
    return replace(
        problem,
        answer=draw(st.none() | indices),
        group=draw(st.sampled_from([None, "feminine", "masculine", "pro"])),
        source=draw(st.sampled_from([None, "A. Tester", "", " s", "a\tb"])),
        meta=tuple((name, draw(VALUES)) for name in names) + problem.meta[:1],
    )


@pytest.mark.parametrize("format", FORMATS)
def test_what_is_not_refused_survives(format: str) -> None:
    module = load(format)
    counts: Counter[bool] = Counter()

    @settings(
        max_examples=400,
        deadline=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.lists(problems(format), min_size=1, max_size=3))
    def survives(items: list[Problem]) -> None:
        kept = [reduce_problem(item, module.SUPPORTS)[0] for item in items]
        reasons = [module.refuse(item) for item in kept]
        assert all(reason is None or "\n" not in reason for reason in reasons)
        fit = [item for item, reason in zip(kept, reasons, strict=True) if reason is None]
        counts.update(reason is None for reason in reasons)
        back = list(module.read(lines("".join(module.write(fit))), Source("back")))
        assert len(back) == len(fit)
        for item, again in zip(fit, back, strict=True):
            made: dict[str, Any] = {"group": item.group} if item.group is None else {}
            if format == "blocks":  # it has no ids: they are numbered anew
                made["id"] = item.id
            assert replace(again, **made) == item

    survives()
    assert counts[True] >= 20, f"too few problems fit {format}: {counts}"


def test_shuffled_corpora_pass_through_the_lossless_form() -> None:
    items = SAMPLE_PROBLEMS * 3
    random.Random(5).shuffle(items)
    assert read("problem_jsonl", written("problem_jsonl", *items)) == items


def test_a_problem_cannot_be_built_from_nonsense() -> None:
    with pytest.raises(InvalidValue, match="needs a place"):
        replace(TWO, target=Chars(3, 3))
