"""The data of `pronoun_distill`, prepared without a GPU: `pronoun_distill_data`.

    labelled ENCODER OUT                  problems with answers: OUT/labelled.npz.xz
    scored ENCODER OUT NAME PROBLEMS      unlabelled problems with the scores of the teacher
                                          (`research/pronoun_teacher/scores`): OUT/NAME.npz.xz
    roles ENCODER OUT COUNT               pairs of sentences with two roles (`counterfactual_problems`)
    sets ENCODER OUT                      dev and test sets: OUT/sets.npz.xz
    vocabularies OUT BERT MPNET           how two encoders number the same subwords

ENCODER is a folder with BERT's tokenizer. OUT/NAME.json has the counts. Test sets have no
answers in their file. Problems that are in a dev or test set are removed and counted; those of
the unlabelled sets have no stored scores and are left out with that.
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from coindex import formats
from coindex.models.common.subwords import TextTokenizer, load_tokenizer, window_around
from coindex.models.pronoun.candidate_rows import is_possessive_pronoun, problem_rows
from coindex.models.pronoun.query import CandidateQuery, own_candidates
from coindex.models.pronoun.symmetric_scoring import are_names, switched_query
from coindex.models.pronoun.train.teacher_scores import (
    TeacherScores,
    read_teacher_scores,
    softmax,
)
from coindex.resolvers.parsed_problem import candidate_finders
from coindex.types.decision import answer_of
from coindex.types.problem import Problem
from research.models.counterfactual_problems import problems as role_problems
from research.models.packed_rows import (
    Arrays,
    Row,
    RowPacker,
    Vocabulary,
    join_arrays,
    save_arrays,
)
from research.models.pronoun_prepare import SETS, WINDOW
from research.models.pronoun_scores import queries_of
from research.pronoun_teacher.prepare import training_items

SCORES = Path(__file__).parents[1] / "pronoun_teacher" / "scores"
_AT_ONCE = 1000


@dataclass(frozen=True, slots=True)
class Reading:
    """A problem to pack, or its switched copy, with the probabilities that are learned."""

    item: int
    group: int
    switched: bool
    query: CandidateQuery
    target: tuple[float, ...]


@cache
def text_tokenizer(folder: str) -> TextTokenizer:
    """The tokenizer of a folder, loaded once in each process."""
    return TextTokenizer(folder)


def text_rows(readings: Sequence[Reading], tokenizer: TextTokenizer) -> Iterator[list[Row]]:
    """The rows of readings, equal to those of `problem_rows`.

    Subwords depend on single words alone, so the parts of a text are converted one by one.
    """
    texts: list[str] = []
    for each in readings:
        problem = each.query.problem
        ending = "'s" if is_possessive_pronoun(problem) else ""
        texts.append(problem.text[: problem.target.start])
        texts.append(ending + problem.text[problem.target.end :])
        texts.extend(phrase.text for phrase in each.query.phrases)
    parts = iter(tokenizer.many(texts))
    for each in readings:
        before, after = next(parts), next(parts)
        phrases = list(islice(parts, len(each.query.phrases)))
        yield [_row(before, phrase, after) for phrase in phrases]


def _row(before: tuple[int, ...], phrase: tuple[int, ...], after: tuple[int, ...]) -> Row:
    whole = before + phrase + after
    own = range(len(before), len(before) + len(phrase))
    chosen = window_around(len(whole), own, WINDOW - 2)
    start = max(own.start - chosen.start, 0)
    end = max(start, min(own.stop, chosen.stop) - chosen.start)
    return Row(whole[chosen.start : chosen.stop], start, end)


def with_copy(reading: Reading) -> Iterator[Reading]:
    """A reading and, if all candidates are names and it can be made, its switched copy."""
    yield reading
    if are_names(reading.query.problem):
        copy = switched_query(reading.query)
        if copy is not None:
            yield replace(reading, switched=True, query=copy, target=reading.target[::-1])


def pack(readings: Iterable[Reading], tokenizer: TextTokenizer) -> Arrays:
    """Readings and their copies as arrays; those with a candidate of no subwords are left out."""
    packer = RowPacker()
    rest = (each for reading in readings for each in with_copy(reading))
    while part := list(islice(rest, _AT_ONCE)):
        for each, rows in zip(part, text_rows(part, tokenizer), strict=True):
            if len(rows) >= 2 and all(row.start < row.end for row in rows):
                packer.add(each.item, each.group, each.switched, rows, each.target)
    return packer.arrays()


def hard_target(query: CandidateQuery) -> tuple[float, ...]:
    """The same probability for all phrases that are right."""
    answer = answer_of(query.problem)
    right = [any(at in answer for at in phrase.candidates) for phrase in query.phrases]
    return tuple(each / max(sum(right), 1) for each in right)


def write_labelled(encoder: str, out: Path) -> None:
    """Write the problems with answers."""
    metadata: dict[str, Any] = {}
    names: dict[str, int] = {}
    readings = []
    items = training_items(candidate_finders()["found"], metadata)
    for number, (corpus, query, _) in enumerate(items):
        group = names.setdefault(corpus, len(names))
        readings.append(Reading(number, group, False, query, hard_target(query)))
    arrays = pack(readings, text_tokenizer(encoder))
    _write(out, "labelled", arrays, list(names), metadata)


def write_scored(encoder: str, out: Path, name: str, problems: Path) -> None:
    """Write the unlabelled problems that the teacher scored, with its probabilities."""
    scores = read_teacher_scores([str(SCORES / f"{name}.tsv.xz")])
    found = [
        each
        for each in formats.read(problems, "problem-jsonl")
        if isinstance(each, Problem) and each.id in scores
    ]
    parts = [
        (encoder, at, found[at : at + _AT_ONCE], scores) for at in range(0, len(found), _AT_ONCE)
    ]
    jobs = [(e, a, part, {p.id: own[p.id] for p in part}) for e, a, part, own in parts]
    with ProcessPoolExecutor(int(os.environ.get("PROCESSES", "2"))) as pool:
        arrays = join_arrays(pool.map(_pack_scored, jobs))
    left = {"without stored scores, or not built again": len(scores) - len(found)}
    _write(out, name, arrays, [name], {"scored": len(scores), "left out": left})


def _pack_scored(job: tuple[str, int, list[Problem], dict[str, TeacherScores]]) -> Arrays:
    encoder, first, problems, scores = job
    readings = []
    for number, query in enumerate(own_candidates(problems), first):
        own = scores[query.problem.id]
        if len(own.own) == len(query.phrases):
            target = softmax(own.logits(names=are_names(query.problem)))
            readings.append(Reading(number, 0, False, query, target))
    return pack(readings, text_tokenizer(encoder))


def write_roles(encoder: str, out: Path, count: int) -> None:
    """Write the sentences with two roles."""
    readings = [
        Reading(number, 0, False, query, hard_target(query))
        for number, query in enumerate(own_candidates(role_problems(count)))
    ]
    _write(out, "roles", pack(readings, text_tokenizer(encoder)), ["roles"], {"pairs": count})


def write_sets(encoder: str, out: Path) -> None:
    """Write the sets to score and their switched copies; of dev sets, with the answers."""
    arrays: Arrays = {}
    counts: dict[str, int] = {}
    parts: dict[str, list[str]] = {}
    for name, way in SETS:
        label = f"{name}:{way}"
        dev = name.endswith((":dev", ":validation")) and not name.startswith("wnli")
        numbers = {query.problem.id: at for at, query in enumerate(queries_of(label))}
        parts[label] = sorted({part_of(name, query.problem) for query in queries_of(label)})
        for each in (label, f"{label}:switched") if way == "given" else (label,):
            packer = RowPacker()
            for query in queries_of(each):
                part = parts[label].index(part_of(name, query.problem))
                number = numbers[query.problem.id]
                pack_query(packer, number, part, query, text_tokenizer(encoder), answers=dev)
            counts[each] = len(packer.item)
            arrays.update({f"{each}|{key}": value for key, value in packer.arrays().items()})
        print(label, counts[label], flush=True)  # noqa: T201
    save_arrays(out / "sets.npz.xz", arrays)
    (out / "sets.json").write_text(json.dumps({"problems": counts, "parts": parts}, indent=1))


def part_of(name: str, problem: Problem) -> str:
    """The part of a set that is reported by itself: the types and sides of WinoBias."""
    return problem.id.rsplit("-", 1)[0] if name.startswith("winobias") else ""


def pack_query(
    packer: RowPacker, number: int, part: int, query: CandidateQuery, tokenizer: TextTokenizer,
    *, answers: bool,
) -> None:  # fmt: skip
    """Add a problem of a set as the package makes its rows.

    Its group is twice the number of its part, and one more if all candidates are names.
    """
    rows = [
        Row(row.subwords[1:-1], row.start - 1, row.end - 1)
        for row in problem_rows(query, tokenizer, WINDOW).rows
    ]
    target = hard_target(query) if answers else [0.0] * len(rows)
    packer.add(number, 2 * part + are_names(query.problem), False, rows, target)


def vocabulary(bert: str, other: str) -> Vocabulary:
    """How an encoder numbers the subwords of BERT's vocabulary."""
    one, two = load_tokenizer(bert), load_tokenizer(other)
    special = text_tokenizer(other)
    numbers = np.zeros(one.get_vocab_size(), np.int64)
    known = two.get_vocab()
    for word, number in one.get_vocab().items():
        numbers[number] = known[word]
    unknown = "\u2fff"
    source, result = (each.encode(unknown, add_special_tokens=False).ids for each in (one, two))
    numbers[source[0]] = result[0]
    return Vocabulary(numbers, special.begin[0], special.end, special.pad)


def write_vocabularies(out: Path, bert: str, mpnet: str) -> None:
    """Write the numbers of subwords in both kinds of encoders."""
    rows = {"bert": vocabulary(bert, bert), "mpnet": vocabulary(bert, mpnet)}
    save_arrays(out / "vocabularies.npz.xz", {name: each.as_array() for name, each in rows.items()})


def _write(
    out: Path, name: str, arrays: Arrays, groups: list[str], metadata: dict[str, Any]
) -> None:
    out.mkdir(parents=True, exist_ok=True)
    save_arrays(out / f"{name}.npz.xz", arrays)
    counts = Counter(groups[at] for at in arrays["group"][~arrays["switched"]])
    row = {
        "groups": groups, "problems": dict(counts), "switched": int(arrays["switched"].sum()),
        "subwords": len(arrays["subwords"]), **metadata,
    }  # fmt: skip
    (out / f"{name}.json").write_text(json.dumps(row, indent=1))
    print(name, json.dumps(row), flush=True)  # noqa: T201


def main() -> None:
    """Run the command that the arguments name."""
    match sys.argv[1:]:
        case ["labelled", encoder, out]:
            write_labelled(encoder, Path(out))
        case ["scored", encoder, out, name, problems]:
            write_scored(encoder, Path(out), name, Path(problems))
        case ["roles", encoder, out, count]:
            write_roles(encoder, Path(out), int(count))
        case ["sets", encoder, out]:
            write_sets(encoder, Path(out))
        case ["vocabularies", out, bert, mpnet]:
            write_vocabularies(Path(out), bert, mpnet)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
