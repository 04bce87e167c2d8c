"""The data of the teacher: training, dev and test sets, and unlabelled sets to score: `prepare`.

    labelled TOKENIZER OUT              write the sets train, dev and test
    masked TOKENIZER OUT WIKICREM ...   write the set masked: the part of WikiCREM for training
    texts OUT NAME FILE ...             write the texts of an unlabelled set, OUT/NAME.jsonl.xz
    pack TOKENIZER FILE OUT             pack such texts as subwords, with several processes
    overlap FILE ... OUT                write the ids of an unlabelled set that are in dev or test

A labelled set is two files: NAME.npz (`packed_readings`) and NAME.ids, one line per problem with
its corpus and id. Test sets have no answers in their file. Problems that are in a dev or test
set (`coindex.models.pronoun.train.overlap`) are removed from training and counted in NAME.json.
Those of the unlabelled sets are listed by `overlap`, and their scores are dropped.
"""

from __future__ import annotations

import json
import lzma
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from coindex import datasets, formats
from coindex.models.pronoun.query import CandidateFinder, CandidateQuery, Phrase
from coindex.models.pronoun.train.overlap import (
    HeldOutSentences,
    held_out_sentences,
    remove_test_items,
)
from coindex.models.pronoun.train.problems import problems_from_documents, read_problems
from coindex.resolvers.parsed_problem import candidate_finders
from coindex.text.seeded_hash import seeded_fraction
from coindex.types.decision import unanswered
from coindex.types.document import Document
from coindex.types.problem import Candidate, Problem
from coindex.types.span import Chars
from research.pronoun_teacher.packed_readings import Arrays, ReadingPacker
from research.pronoun_teacher.readings import (
    NumberedQuery,
    load_tokenizer,
    own_query,
    pack_readings,
)

if TYPE_CHECKING:
    from tokenizers import Tokenizer

DEV = ("dpr:dev", "knowref:dev", "gap:validation", "winobias:dev", "winogrande:dev")
TEST = (
    "dpr:test", "wsc273:test", "pdp:test", "wnli:dev", "knowref:test", "winogender:sentences",
    "winobias:test", "gap:test",
)  # fmt: skip
WINOGRANDE_PAIRS = "winogrande/train_pairs.jsonl"
WIKICREM_PAGES = 0.17
"""The share of WikiCREM's pages that the teacher is trained on; the others are scored."""
LITBANK_FOLDS = (0, 1, 4, 5, 9)
"""The documents of LitBank used, of every ten by name: none on which document models are chosen
or tested."""
WRONG_PHRASES = 5
"""The most wrong phrases of a training problem with detected candidates."""
_PUNCTUATION = re.compile(r"[^\w]+")
_LINES_AT_ONCE = 1000

Item = tuple[str, CandidateQuery, bool]
"""A corpus, a problem of it, and whether a possessive's ending is left out."""
Metadata = dict[str, Any]


def dev_and_test_sentences() -> HeldOutSentences:
    """The sentences of every test set and of dev, which are not trained on."""
    return held_out_sentences((f"dev {name}", read_problems(name)) for name in DEV)


def write_labelled(tokens: Path, out: Path) -> None:
    """Write the sets train, dev and test; one that exists is not changed."""
    detect = candidate_finders()["found"]
    makers: dict[str, Callable[[CandidateFinder, Metadata], Iterator[Item]]] = {
        "dev": _dev, "test": _test, "train": training_items,
    }  # fmt: skip
    for name, make in makers.items():
        if not (out / f"{name}.npz").exists():
            metadata: Metadata = {}
            _write_set(out, name, make(detect, metadata), tokens, metadata)


def _dev(detect: CandidateFinder, metadata: Metadata) -> Iterator[Item]:
    for name in DEV:
        yield from ((name, own_query(problem), False) for problem in read_problems(name))
    for query in detect(read_problems("gap:validation")):
        yield "gap:validation (found)", query, False


def _test(detect: CandidateFinder, metadata: Metadata) -> Iterator[Item]:
    for name in TEST:
        problems = map(unanswered, read_problems(name))
        yield from ((name, own_query(problem), False) for problem in problems)
    for query in detect(map(unanswered, read_problems("gap:test"))):
        yield "gap:test (found)", query, False


def training_items(detect: CandidateFinder, metadata: Metadata) -> Iterator[Item]:
    """The training problems; half of KnowRef's possessives have no ending, as in its dev set."""
    held_out = dev_and_test_sentences()
    metadata["absent"], metadata["corpora"] = held_out.absent, {}
    for name, problems in _training_corpora():
        usable = remove_test_items(problems, held_out)
        metadata["corpora"][name] = {"read": len(problems), "removed": dict(usable.removed)}
        for at, problem in enumerate(usable.problems):
            yield name, own_query(problem), name == "knowref:train" and at % 2 == 0
        if name == "gap:development":
            for query in nearest_phrases(detect(usable.problems)):
                yield f"{name} (found)", query, False


def _training_corpora() -> Iterator[tuple[str, list[Problem]]]:
    yield "winogrande:train", distinct(_winogrande())
    for name in ("dpr:train-small", "knowref:train", "gap:development"):
        yield name, _answered(read_problems(name))
    yield "litbank", _answered(_litbank())


def is_training_page(problem: Problem) -> bool:
    """Whether the teacher is trained on a problem of WikiCREM: decided by its page."""
    return seeded_fraction(1, "teacher", problem.source or "") < WIKICREM_PAGES


def _winogrande() -> Iterator[Problem]:
    yield from read_problems("winogrande:train-l")
    yield from read_problems("winogrande:train-debiased")
    folder = datasets.path("winogrande", "train-l").parent.parent
    yield from read_problems(str(folder / WINOGRANDE_PAIRS))


def _litbank() -> Iterator[Problem]:
    for number, path in enumerate(sorted(datasets.paths("litbank", "conll"))):
        if number % 10 in LITBANK_FOLDS:
            items = formats.read(path)
            yield from problems_from_documents(i for i in items if isinstance(i, Document))


def distinct(problems: Iterable[Problem]) -> list[Problem]:
    """Each problem once, whatever its punctuation and the order of its candidates."""
    kept: dict[tuple[str, ...], Problem] = {}
    for each in problems:
        options = sorted(_PUNCTUATION.sub("", c.text).lower() for c in each.candidates)
        sides = each.text[: each.target.start], each.text[each.target.end :]
        key = (*(_PUNCTUATION.sub("", side).lower() for side in sides), *options)
        kept.setdefault(key, each)
    return list(kept.values())


def _answered(problems: Iterable[Problem]) -> list[Problem]:
    return [p for p in problems if p.answer and len(p.answer) < len(p.candidates)]


def nearest_phrases(queries: Iterable[CandidateQuery]) -> Iterator[CandidateQuery]:
    """Problems with the nearest right phrase and the nearest wrong ones of their passages."""
    for query in queries:
        answer = query.problem.answer or ()
        right = [p for p in query.phrases if any(at in answer for at in p.candidates)]
        taken = {p.text for p in right}
        wrong = {p.text: p for p in query.phrases if p.text not in taken}
        near = sorted(wrong.values(), key=lambda p: _distance(query.problem, p))[:WRONG_PHRASES]
        if right and near:
            best = min(right, key=lambda p: _distance(query.problem, p))
            yield replace(query, phrases=(best, *near))


def _distance(problem: Problem, phrase: Phrase) -> int:
    return abs(phrase.chars.start - problem.target.start) if phrase.chars else 10_000


def write_masked(tokens: Path, out: Path, files: Iterable[Path]) -> None:
    """Write the part of WikiCREM that is trained on, with its own answers."""
    read = [p for p in distinct(_built_problems(files)) if is_training_page(p)]
    usable = remove_test_items(read, dev_and_test_sentences())
    metadata: Metadata = {"read": len(read), "removed": dict(usable.removed)}
    items = (("wikicrem", own_query(problem), False) for problem in usable.problems)
    _write_set(out, "masked", items, tokens, metadata)


def write_texts(out: Path, name: str, files: Iterable[Path]) -> None:
    """Write the texts of unlabelled problems; WikiCREM's own answers are not used.

    A line: id, text, the pronoun's offsets, and each candidate with its offsets.
    """
    count = 0
    with lzma.open(out / f"{name}.jsonl.xz", "wt", preset=2, encoding="utf-8") as file:
        for problem in distinct(_built_problems(files)):
            if len(problem.candidates) < 2 or (name == "wikicrem" and is_training_page(problem)):
                continue
            file.write(problem_line(problem) + "\n")
            count += 1
    print(name, count, flush=True)  # noqa: T201


def problem_line(problem: Problem) -> str:
    """A problem without its answer as one line; `parse_problem_line` reads it."""
    candidates = [
        [each.text, each.chars.start, each.chars.end] if each.chars else [each.text]
        for each in problem.candidates
    ]
    row = [problem.id, problem.text, problem.target.start, problem.target.end, *candidates]
    return json.dumps(row, ensure_ascii=False, separators=(",", ":"))


def parse_problem_line(line: str) -> Problem:
    """The problem of a line."""
    id, text, start, end, *rows = json.loads(line)
    candidates = (Candidate(row[0], Chars(*row[1:]) if row[1:] else None) for row in rows)
    return Problem(id, text, Chars(start, end), tuple(candidates))


def pack_texts(tokens: Path, source: Path, out: Path) -> None:
    """Pack the texts of an unlabelled set as subwords."""
    with lzma.open(source, "rt", encoding="utf-8") as file:
        lines = file.read().splitlines()
    starts = range(0, len(lines), _LINES_AT_ONCE)
    jobs = [(tokens, at, lines[at : at + _LINES_AT_ONCE]) for at in starts]
    with ProcessPoolExecutor(int(os.environ.get("PROCESSES", "14"))) as pool:
        parts = list(pool.map(_pack_lines, jobs))
    whole: Arrays = {key: np.concatenate([part[key] for part in parts]) for key in parts[0]}
    _save_arrays(out, whole)
    print(source.name, len(lines), len(whole["item"]), flush=True)  # noqa: T201


def _pack_lines(job: tuple[Path, int, list[str]]) -> Arrays:
    folder, first, lines = job
    packer = ReadingPacker()
    queries = (
        NumberedQuery(first + at, own_query(parse_problem_line(line)))
        for at, line in enumerate(lines)
    )
    pack_readings(queries, *_tokenizer(folder), packer)
    return packer.arrays()


def _save_arrays(path: Path, arrays: Arrays) -> None:
    np.savez(path, allow_pickle=False, **arrays)


def write_overlap(files: Iterable[Path], out: Path) -> None:
    """Write the ids of problems that are in a dev or test set, with the set's name."""
    held_out = dev_and_test_sentences()
    with out.open("w", encoding="utf-8") as file:
        for problem in _built_problems(files):
            name = held_out.of(problem)
            if name is not None:
                file.write(f"{problem.id}\t{name}\n")


def _built_problems(files: Iterable[Path]) -> Iterator[Problem]:
    """The problems of files of `coindex build`, without metadata and gender."""
    for file in files:
        for item in formats.read(file, "problem-jsonl"):
            if isinstance(item, Problem):
                basic = item.id, item.text, item.target, item.candidates, item.answer
                yield Problem(*basic, source=item.source)


@cache
def _tokenizer(folder: Path) -> tuple[Tokenizer, int]:
    return load_tokenizer(folder)


def _write_set(
    out: Path, name: str, items: Iterable[Item], tokens: Path, metadata: Metadata
) -> None:
    """Pack a set, with the ids of its problems and its metadata."""
    out.mkdir(parents=True, exist_ok=True)
    packer, ids = ReadingPacker(), list[str]()
    counts = Counter[str]()

    def numbered() -> Iterator[NumberedQuery]:
        for corpus, query, bare in items:
            phrases = {phrase.text: phrase for phrase in query.phrases[::-1]}
            if len(phrases) < 2:
                continue
            ids.append(f"{corpus}\t{query.problem.id}")
            counts[corpus] += 1
            distinct_phrases = tuple(phrases.values())[::-1]
            yield NumberedQuery(len(ids) - 1, replace(query, phrases=distinct_phrases), bare)

    pack_readings(numbered(), *_tokenizer(tokens), packer)
    _save_arrays(out / f"{name}.npz", packer.arrays())
    (out / f"{name}.ids").write_text("\n".join(ids) + "\n")
    row = {
        "problems": dict(counts), "readings": len(packer.item),
        "switched": sum(packer.switched), "subwords": sum(map(len, packer.subwords)), **metadata,
    }  # fmt: skip
    (out / f"{name}.json").write_text(json.dumps(row, indent=1))
    print(name, json.dumps(row), flush=True)  # noqa: T201


def main() -> None:
    """Run the command that the arguments name."""
    match sys.argv[1:]:
        case ["labelled", tokens, out]:
            write_labelled(Path(tokens), Path(out))
        case ["masked", tokens, out, *files]:
            write_masked(Path(tokens), Path(out), map(Path, files))
        case ["texts", out, name, *files]:
            write_texts(Path(out), name, map(Path, files))
        case ["pack", tokens, source, out]:
            pack_texts(Path(tokens), Path(source), Path(out))
        case ["overlap", *files, out]:
            write_overlap(map(Path, files), Path(out))
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
