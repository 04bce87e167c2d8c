"""Five-line blocks: a sentence, the pronoun, the candidates, the answer, a blank.

    Ann met Mary because she was in town.
    she
    Ann,Mary
    Mary

The form in which WikiCREM, DPR, WSC273, PDP, Winogender and WinoBias are passed
around. Candidates stand between commas. The pronoun is a word of the sentence
or a mark in its place such as `[MASK]`; where it occurs more than once, it is
the first one after the candidates. An empty answer is one that is not known.
There are no ids: problems are numbered from 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from coindex.core.problem import Candidate, Problem
from coindex.core.source import Source
from coindex.formats._problem_checks import changed, guarded, not_flat, not_one_answer, shown
from coindex.formats._problem_places import find, find_pronoun, places

KIND = "problem"
HOLDS: frozenset[str] = frozenset()

_LONGEST = 20_000  # no passage is as long as that
_PARTS = ("a sentence", "a pronoun", "candidates", "an answer or a blank line", "a blank line")


def sniff(head: Sequence[str]) -> bool:
    """The second line is in the first, the fourth in the third, the fifth is blank."""
    kept = [line.rstrip("\r\n") for line in head]
    while kept and not kept[0].strip():
        kept.pop(0)
    if len(kept) < 3 or any("\t" in line or len(line) > _LONGEST for line in kept[:5]):
        return False
    sentence, pronoun, phrases, answer, blank = [*kept, "", ""][:5]
    names = _split(phrases)
    return (
        not blank.strip()
        and all(names)
        and bool(places(sentence, pronoun))
        and (not answer.strip() or answer.strip() in names)
    )


def read(lines: Iterable[str], source: Source) -> Iterator[Problem]:
    """The problems of a file, one a block."""
    for number, (first, block) in enumerate(_blocks(lines, source), 1):
        problem = _problem(str(number), first, block, source)
        if problem is not None:
            yield problem


def _blocks(lines: Iterable[str], source: Source) -> Iterator[tuple[int, list[str]]]:
    """The lines of each block with the number of its first; the last blank may be missing."""
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
    spots = [find(text, name) for name in names]
    target = find_pronoun(text, pronoun, spots)
    if target is None:
        message = f"expected the pronoun in the sentence, found no {shown(pronoun.strip())} there"
        source.mistake(first + 1, "pronoun", message)
        return None
    with guarded(first, source):
        return Problem(
            id,
            text,
            target,
            tuple(Candidate(name, spot) for name, spot in zip(names, spots, strict=True)),
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
    return changed(problem, write, read, ids=False)


def write(items: Iterable[Problem]) -> Iterator[str]:
    """Five lines a problem."""
    for problem in items:
        names = [candidate.text for candidate in problem.candidates]
        answer = names[problem.answer[0]] if problem.answer else ""
        for line in (problem.text, problem.pronoun, ",".join(names), answer, ""):
            yield f"{line}\n"
