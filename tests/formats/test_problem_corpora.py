"""Every corpus of problems: its counts, and reading what was written from it."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from coindex import formats
from coindex.types.problem import Problem
from coindex.types.source import Source
from problem_samples import FORMATS, lines

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("COINDEX_DATA") or ROOT.parent / "shared" / "data")

pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif(not DATA.is_dir(), reason="no corpora: set COINDEX_DATA to their folder"),
]

COUNTS = {
    "gap": {
        "gap/gap-development.tsv": 2000,
        "gap/gap-validation.tsv": 454,
        "gap/gap-test.tsv": 2000,
    },
    "knowref": {"knowref/knowref_test.json": 1269, "knowref/train/val.json": 5220},
    "knowref_pairs": {"knowref/train/train.tsv": 5219, "knowref/train/dev.tsv": 2236},
    "blocks": {
        "blocks/wsc273.txt": 273,
        "blocks/PDP.txt": 60,
        "blocks/WinoGender.txt": 240,
        "blocks/train.c.txt": 1316,
        "blocks/test.c.txt": 564,
        "blocks/dpr_train_small.txt": 1185,
        "blocks/dpr_dev_small.txt": 131,
        "blocks/pro_stereotyped_1.txt": 396,
        "blocks/pro_stereotyped_2.txt": 396,
        "blocks/anti_stereotyped_1.txt": 396,
        "blocks/anti_stereotyped_2.txt": 396,
        "blocks/winobias_dev.txt": 1584,
    },
    "wsc": {
        "wsc/WSCollection_2016.xml": 273,
        "wsc/WSCollection_2017.xml": 283,
        "wsc/WSCollection.xml": 285,
        "wsc/PDPChallenge2016.xml": 60,
    },
    "winobias": {
        f"winobias/{side}_stereotyped_type{kind}.txt.{part}": 396
        for side in ("pro", "anti")
        for kind in (1, 2)
        for part in ("dev", "test")
    },
    "winogender": {
        "winogender/data/all_sentences.tsv": 720,
        "winogender/data/templates.tsv": 720,
    },
    "winogrande": {
        "winogrande/train_l.jsonl": 10234,
        "winogrande/train-debiased.jsonl": 9248,
        "winogrande/train_pairs.jsonl": 26046,
        "winogrande/dev.jsonl": 1267,
    },
    "wnli": {
        "wnli/train.tsv": 518,  # of the 635 of GLUE: this copy has no more
        "wnli/dev.tsv": 71,
        "wnli/test.tsv": 146,
        "blocks/wnli-test.tsv": 146,
    },
}
FILES = [(format, file) for format, files in COUNTS.items() for file in files]
COPIED = {"wnli/train.tsv": 499, "wnli/dev.tsv": 68, "wnli/test.tsv": 127}


def load(format: str) -> ModuleType:
    return import_module(f"coindex.formats.builtin.{format}")


def read(format: str, file: str, source: Source | None = None) -> list[Problem]:
    name = format.replace("_", "-")
    return list(formats.read(DATA / file, name, source))  # type: ignore[arg-type]


@pytest.mark.parametrize(("format", "file"), FILES)
def test_round_trip(format: str, file: str) -> None:
    module = load(format)
    problems = read(format, file)
    assert len(problems) == COUNTS[format][file]
    assert len({problem.id for problem in problems}) == len(problems)
    written = list(module.write(problems))
    assert all(line.endswith("\n") and line.count("\n") == 1 for line in written)
    assert list(module.read(written, Source("again"))) == problems
    assert module.sniff(written[:60])


@pytest.mark.parametrize(("format", "file"), FILES)
def test_nothing_is_refused_by_its_own_format(format: str, file: str) -> None:
    problems = read(format, file)
    step = max(1, len(problems) // 200)
    assert Counter(load(format).refuse(problem) for problem in problems[::step]).keys() == {None}


@pytest.mark.parametrize(("format", "file"), FILES)
def test_the_lossless_form_holds_all(format: str, file: str) -> None:
    module = load("problem_jsonl")
    problems = read(format, file)
    assert list(module.read(module.write(problems), Source("again"))) == problems


def all_files() -> Iterator[str]:
    for path in sorted(DATA.rglob("*")):
        if path.is_file() and path.suffix not in (".xz", ".bz2", ".gz"):
            yield path.relative_to(DATA).as_posix()


def test_each_file_is_recognised_by_its_format_alone() -> None:
    expected = {file: [format] for format, file in FILES}
    found = {}
    for file in all_files():
        head = list(lines((DATA / file).read_bytes().decode("utf-8", "replace")))[:60]
        claimed = [format for format in FORMATS if load(format).sniff(head)]
        if claimed:
            found[file] = claimed
    assert found == expected


def test_gap_answers_and_genders() -> None:
    told = {
        "gap/gap-development.tsv": (874, 925, 201),
        "gap/gap-validation.tsv": (187, 205, 62),
        "gap/gap-test.tsv": (918, 855, 227),
    }
    for file, counts in told.items():
        problems = read("gap", file)
        answers = Counter(problem.answer for problem in problems)
        assert (answers[(0,)], answers[(1,)], answers[()]) == counts
        half = len(problems) // 2
        assert Counter(p.group for p in problems) == {"masculine": half, "feminine": half}
        assert all(c.chars and c.chars.of(p.text) == c.text for p in problems for c in p.candidates)


def test_knowref_labels() -> None:
    source = Source("test", collect=True)
    problems = read("knowref", "knowref/knowref_test.json", source)
    labels = Counter(problem.meta_value("correct_candidate_idx") for problem in problems)
    assert labels == {"0": 592, "1": 677}
    assert Counter(problem.answer for problem in problems) == {(0,): 631, (1,): 638}
    assert len(source.findings) == 299  # where the two keys contradict each other


def test_blocks_with_more_than_two_candidates() -> None:
    problems = read("blocks", "blocks/PDP.txt")
    assert sum(len(problem.candidates) > 2 for problem in problems) == 15


def test_blocks_pronoun_comes_after_a_candidate() -> None:
    problems = read("blocks", "blocks/train.c.txt")
    before = [
        problem.id
        for problem in problems
        if all(c.chars and c.chars.start > problem.target.start for c in problem.candidates)
    ]
    assert len(before) < len(problems) // 100


def test_winobias_candidates() -> None:
    for file in COUNTS["winobias"]:
        for problem in read("winobias", file):
            assert len(problem.candidates) == 2, (file, problem)
            first, second = (candidate.chars for candidate in problem.candidates)
            assert first is not None
            assert second is not None
            assert first.end <= second.start


def test_winogender_templates_give_the_sentences() -> None:
    sentences = read("winogender", "winogender/data/all_sentences.tsv")
    assert read("winogender", "winogender/data/templates.tsv") == sentences
    groups = Counter(problem.group for problem in sentences)
    assert groups == {"masculine": 240, "feminine": 240, "neutral": 240}


def right_text(problem: Problem) -> str:
    """The text of the one right candidate."""
    assert problem.answer
    return problem.candidates[problem.answer[0]].text


def test_winogender_agrees_with_its_copy_in_blocks() -> None:
    """The blocks mask the pronoun, and write "[MASK] 's" and "The someone"."""
    problems = [
        problem
        for problem in read("winogender", "winogender/data/all_sentences.tsv")
        if problem.group == "masculine"
    ]
    masked = [
        f"{p.text[: p.target.start]}[MASK]{p.text[p.target.end :]}".replace("Someone", "someone")
        for p in problems
    ]
    blocks = read("blocks", "blocks/WinoGender.txt")
    texts = [re.sub(r"\b(The|the|a) someone", "someone", p.text) for p in blocks]
    texts = [text.replace("[MASK] 's", "[MASK]") for text in texts]
    assert Counter(masked) == Counter(texts)
    right = {text: right_text(p) for text, p in zip(masked, problems, strict=True)}
    assert right == {text: right_text(p) for text, p in zip(texts, blocks, strict=True)}


@pytest.mark.parametrize("file", COPIED)
def test_wnli_copied_parts(file: str) -> None:
    source = Source(file)
    problems = read("wnli", file, source)
    assert len(problems) - len(source.findings) == COPIED[file]
    for problem in problems:
        candidate = problem.candidates[0].text
        assert candidate in (problem.meta_value("hypothesis") or "")
        assert len(candidate.split()) <= 9


def test_wnli_hypothesis_is_the_premise_with_the_candidate() -> None:
    """Where nothing was reworded, replacing the pronoun gives the hypothesis back."""

    def bare(text: str) -> str:
        return " ".join(re.findall(r"\w+", text.lower().replace("'s", "")))

    for file in COPIED:
        source = Source(file)
        problems = read("wnli", file, source)
        odd = {finding.line for finding in source.findings}
        for line, problem in enumerate(problems, 2):
            if line not in odd:
                before, after = (
                    problem.text[: problem.target.start],
                    problem.text[problem.target.end :],
                )
                filled = f"{before}{problem.candidates[0].text}{after}"
                assert bare(problem.meta_value("hypothesis") or "") in bare(filled)
