"""Five-line blocks: a sentence, the pronoun, the candidates, the answer, a blank.

    Ann met Mary because she was in town.
    she
    Ann,Mary
    Mary

The format in which WikiCREM, DPR, WSC273, PDP, Winogender and WinoBias are often
distributed. Candidates are separated by commas. The pronoun is a word of the sentence
or a placeholder such as `[MASK]`; if it occurs more than once, it is the first
occurrence after the candidates. An empty answer is an unknown one. There are no ids:
problems are numbered from 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from coindex.formats.json_probe import first_line
from coindex.formats.phrase_offsets import find, find_all, find_pronoun
from coindex.formats.problem_checks import not_flat, not_one_answer, round_trip_change, shown
from coindex.types.problem import Candidate, Problem
from coindex.types.source import Source

KIND = "problem"
SUPPORTS: frozenset[str] = frozenset()

_LONGEST = 20_000  # characters; no passage is longer
_PARTS = ("a sentence", "a pronoun", "candidates", "an answer or a blank line", "a blank line")


def sniff(head: Sequence[str]) -> bool:
    """The second line is in the first, the fourth in the third, the fifth is blank."""
    lines = [line.rstrip("\r\n") for line in head]
    while lines and not lines[0].strip():
        lines.pop(0)
    if len(lines) < 3 or any("\t" in line or len(line) > _LONGEST for line in lines[:5]):
        return False
    if first_line(head) is not None:  # JSON lines, of which the second may be the first again
        return False
    sentence, pronoun, phrases, answer, blank = [*lines, "", ""][:5]
    names = _split(phrases)
    return (
        not blank.strip()
        and all(names)
        and bool(find_all(sentence, pronoun))
        and (not answer.strip() or answer.strip() in names)
    )


def read(lines: Iterable[str], source: Source) -> Iterator[Problem]:
    """The problems of a file, one per block."""
    for number, (first, block) in enumerate(_blocks(lines, source), 1):
        problem = _problem(str(number), first, block, source)
        if problem is not None:
            yield problem


def _blocks(lines: Iterable[str], source: Source) -> Iterator[tuple[int, list[str]]]:
    """The lines of each block and the number of its first; the last blank may be missing."""
    block: list[str] = []
    number = 0
    for number, line in enumerate(lines, 1):
        bare = line.rstrip("\r\n")
        if not block:
            if not bare.strip():
                continue
            source.begin(number)
        part = _PARTS[len(block)]
        if len(block) < 3 and not bare.strip():
            raise source.error(number, f"expected {part}, found a blank line")
        if len(block) == 4:
            if bare.strip():
                raise source.error(number, f"expected {part}, found {shown(bare)}")
            yield number - 4, block
            block = []
        else:
            block.append(bare)
    if block:
        if len(block) < 3:
            raise source.error(number, f"expected {_PARTS[len(block)]}, found the end of the file")
        yield number - len(block) + 1, [*block, ""][:4]


def _split(phrases: str) -> list[str]:
    return [phrase.strip() for phrase in phrases.split(",")]


def _problem(id: str, first: int, block: list[str], source: Source) -> Problem | None:
    text, pronoun, phrases, answer = block
    names = _split(phrases)
    if not all(names):
        raise source.error(first + 2, f"expected candidates by commas, found {shown(phrases)}")
    if len(set(names)) < len(names):
        source.note(
            first + 2, "candidate", f"expected different candidates, found {shown(phrases)}"
        )
    ranges = [find(text, name) for name in names]
    target = find_pronoun(text, pronoun, ranges)
    if target is None:
        message = f"expected the pronoun in the sentence, found no {shown(pronoun.strip())} there"
        source.mistake(first + 1, "pronoun", message)
        return None
    with source.errors_at(first):
        return Problem(
            id,
            text,
            target,
            tuple(Candidate(name, chars) for name, chars in zip(names, ranges, strict=True)),
            _answer(answer.strip(), names, first + 3, source),
        )


def _answer(answer: str, names: list[str], line: int, source: Source) -> tuple[int] | None:
    if not answer:
        return None
    if answer in names:
        return (names.index(answer),)
    lower = [name.lower() for name in names]
    if answer.lower() in lower:
        return (lower.index(answer.lower()),)
    message = f"expected one of the candidates {shown(', '.join(names))}, found {shown(answer)}"
    source.mistake(line, "answer", message)
    return None


def refuse(problem: Problem) -> str | None:
    """Why a problem cannot be written; None if it can."""
    reason = not_one_answer(problem) or not_flat(problem)
    if reason:
        return reason
    if any("," in candidate.text for candidate in problem.candidates):
        return "a comma in a candidate"
    if problem.text.startswith("\ufeff"):
        return "its text begins with a byte order mark"
    return round_trip_change(problem, write, read, ids=False)


def write(items: Iterable[Problem]) -> Iterator[str]:
    """Five lines per problem."""
    for problem in items:
        names = [candidate.text for candidate in problem.candidates]
        answer = names[problem.answer[0]] if problem.answer else ""
        for line in (problem.text, problem.pronoun, ",".join(names), answer, ""):
            yield f"{line}\n"
