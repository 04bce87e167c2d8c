"""Problems of files and benchmarks, what is dropped, and what overlaps a test set."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import training_samples as samples
from coindex.errors import InputError, UnknownName
from coindex.models.pronoun.train.overlap import (
    HeldOutSentences,
    held_out_sentences,
    normalise,
    problem_keys,
    remove_test_items,
    text_keys,
)
from coindex.models.pronoun.train.problems import (
    TrainingProblems,
    read_problems,
    training_problems,
    with_switched,
)
from coindex.types.problem import Candidate, Problem
from coindex.types.span import Chars


def problem(text: str, id: str = "p") -> Problem:
    """A text with its pronoun in brackets."""
    start, end = text.index("["), text.index("]")
    plain = text[:start] + text[start + 1 : end] + text[end + 1 :]
    names = (Candidate("Ann"), Candidate("Bob"))
    return Problem(id, plain, Chars(start, end - 1), names, (0,))


def test_files_and_what_is_useless(problems: Path, tmp_path: Path) -> None:
    found = training_problems([str(problems)])
    assert (len(found.problems), found.dropped) == (32, ())
    answers = [(0,), (), None, (0, 1)]
    odd = [replace(samples.problem(n), answer=a) for n, a in enumerate(answers)]
    path = samples.write(tmp_path / "odd.jsonl", odd, "problem-jsonl")
    read = training_problems([str(path)])
    assert len(read.problems) == 1
    assert dict(read.dropped) == {
        "without an answer": 1, "none of the candidates is right": 1, "all candidates are right": 1,
    }  # fmt: skip
    assert len(training_problems([str(path)], neither=True).problems) == 2


def test_the_same_problem_is_learnt_once(problems: Path) -> None:
    read = training_problems([str(problems), str(problems)])
    assert (len(read.problems), read.dropped) == (32, (("in another file too", 32),))


def test_a_draw_depends_on_the_seed_alone(problems: Path) -> None:
    one = training_problems([str(problems)], most=5, seed=1)
    assert len(one.problems) == 5
    assert training_problems([str(problems)], most=5, seed=1) == one
    assert training_problems([str(problems)], most=5, seed=2).checksum != one.checksum


def test_switched_copies_are_added(problems: Path) -> None:
    read = training_problems([str(problems)])
    both = with_switched(read)
    refused = dict(both.dropped).get("not switched", 0)
    assert len(both.problems) == 2 * 32 - refused
    assert both.problems[:32] == read.problems
    copy = both.problems[32]
    assert copy.answer == (1 - read.problems[0].answer[0],)  # type: ignore[index]
    assert with_switched(TrainingProblems(())) == TrainingProblems(())


def test_names_that_are_nothing() -> None:
    with pytest.raises(UnknownName, match="expected one of"):
        read_problems("nothing:test")
    with pytest.raises(InputError, match=r"no/such\.jsonl: expected a file"):
        read_problems("no/such.jsonl")


def test_benchmarks_by_split(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COINDEX_DATA", str(data))
    assert len(read_problems("dpr:train-small")) == 1185
    assert len(read_problems("dpr")) == 131
    assert len(read_problems("blocks:dpr-dev-small")) == 131


def test_normal_words() -> None:
    assert normalise(" Zoë's  “cat”,\nDON’T _go_ ") == "zoes cat dont go"


def test_keys_leave_the_pronoun_out() -> None:
    one = problem("Ann saw Bob in the park and [she] waved. It rained.")
    masked = problem("Ann saw Bob in the park and [[MASK] waved. It rained.".replace("[[", "[_"))
    assert list(problem_keys(one)) == [
        "ann saw bob in the park and waved it rained", "ann saw bob in the park and waved",
    ]  # fmt: skip
    assert set(problem_keys(one)) & set(problem_keys(masked))
    assert list(problem_keys(problem("[She] ran."))) == ["ran"]


def test_keys_of_text_are_its_longer_sentences() -> None:
    long = "One two three four five six seven eight"
    found = list(text_keys(f'He said: "{long}." Dr. X ran!\n{long}? Nine\u0301 {long.lower()}'))
    wanted = long.lower()
    assert found == [f"he said {wanted}", wanted, f"nine {wanted}"]
    assert list(text_keys("One two three four five six seven.")) == []
    assert list(text_keys("a - - - - - - - - b.")) == []
    assert list(text_keys("")) == []


def test_sentences_do_not_depend_on_what_is_around() -> None:
    one = problem("Dr. Ann saw Bob in the old park and [she] waved to him. He ran.")
    page = f"Once upon a time. {one.text.replace('Ann', 'ANN')} More of it follows here, at length."
    assert set(text_keys(one.text)) <= set(text_keys(page))
    tests = held_out_sentences([("mine", [one])])
    assert tests.of_text(page) == "mine"
    assert tests.of_text(page.replace("waved", "called")) is None


def test_overlaps_are_removed_and_counted() -> None:
    wsc = problem("The man couldn't lift his son because [he] was so weak.")
    tests = HeldOutSentences({key: "wsc" for key in problem_keys(wsc)})
    same = problem("the man couldn’t lift his son because [he] was so weak")
    longer = problem("The man couldn't lift his son because [he] was so weak. He sighed.", "l")
    twin = problem("The man couldn't lift his son because [he] was so heavy.", "t")
    found = remove_test_items([same, twin, longer], tests)
    assert [each.id for each in found.problems] == ["t"]
    assert found.removed == (("wsc", 2),)


def test_sets_that_are_not_here_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("COINDEX_DATA", str(tmp_path))
    found = held_out_sentences([("dev", [problem("Ann saw Bob and [she] waved.")])])
    assert "gap" in found.absent
    assert "wsc" in found.absent
    assert set(found.keys.values()) == {"dev"}
    assert found.texts == {}  # the sentence has six words


def test_the_overlaps_that_the_papers_name(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """WNLI is made of WSC's schemas; DPR's published training half had six problems of WSC."""
    monkeypatch.setenv("COINDEX_DATA", str(data))
    tests = held_out_sentences()
    assert tests.absent == ()
    gap = read_problems("gap:test")
    assert all(tests.of_text(each.text) for each in gap[:100])
    assert not any(tests.of_text(each.text) for each in read_problems("gap:development"))
    wnli = remove_test_items(read_problems("wnli:train"), tests)
    assert (dict(wnli.removed), len(wnli.problems)) == ({"pdp": 100, "wsc": 418}, 0)
    # This copy of DPR comes without the six; GAP's halves share no passage.
    for name in ("dpr:train", "gap:development", "knowref:train", "winogrande:train-l"):
        assert remove_test_items(read_problems(name), tests).removed == ()
    assert remove_test_items(read_problems("winobias:dev"), tests).removed == (("winobias", 6),)


def test_a_test_sentence_with_a_name_in_the_gap_is_found() -> None:
    test = problem("Ann saw Bob in the old park and then [she] waved at all of them.")
    tests = HeldOutSentences({}, texts={key: "gap" for key in text_keys(test.text)})
    gap = "Bob", "she"  # a corpus of masked names hides a name of the same sentence
    text = test.text.replace(gap[0], "_")
    masked = Problem("m", text, Chars(8, 9), (Candidate("Bob"), Candidate("Ann")), (0,))
    assert tests.of(masked) == "gap"
    assert tests.of(replace(masked, candidates=(Candidate("Kim"), Candidate("Ann")))) is None
    other = replace(masked, text=test.text, target=Chars(0, 3))
    assert remove_test_items([other, masked], tests).removed == (("gap", 2),)
