"""Problems with roles and both genders: `counterfactual_problems OUT COUNT`.

Each sentence of `data/role_templates.json` is filled with two roles and written with `he` and with
`she`, with the same answer. What a model learns from the pair is the sentence, not the stereotype.
None of the sentences is one of WinoBias, Winogender or DPR.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from coindex import formats
from coindex.types.problem import Candidate, Problem
from coindex.types.span import Chars

TEMPLATES = Path(__file__).parent / "data" / "role_templates.json"
PRONOUNS = {"masculine": {"p": "he", "o": "him", "s": "his"},
            "feminine": {"p": "she", "o": "her", "s": "her"}}  # fmt: skip


def fill(template: str, answer: int, roles: Mapping[str, str], group: str, id: str) -> Problem:
    """The problem of a template with two roles and the pronouns of one gender."""
    text, target, spans = "", Chars(0, 1), {}
    rest = template
    while "{" in rest:
        before, _, after = rest.partition("{")
        key, rest = after[0], after[2:]
        word = roles.get(key) or PRONOUNS[group][key]
        text += before
        start = len(text)
        text += word
        if key in roles:
            spans[key] = Chars(start - len("the "), len(text))
        else:
            target = Chars(start, len(text))
    text += rest
    candidates = tuple(
        Candidate(text[spans[key].start : spans[key].end], spans[key]) for key in sorted(spans)
    )
    return Problem(id, text, target, candidates, (answer,), group=group)


def problems(count: int, seed: int = 1) -> Iterator[Problem]:
    """`count` pairs of problems that differ in the gender alone."""
    stored: dict[str, Any] = json.loads(TEMPLATES.read_text(encoding="utf-8"))
    rng = random.Random(seed)
    for number in range(count):
        template, answer = stored["templates"][number % len(stored["templates"])]
        one, two = rng.sample(stored["roles"], 2)
        for group in PRONOUNS:
            yield fill(template, answer, {"a": one, "b": two}, group, f"roles:{number}:{group}")


def main() -> None:
    """Write the problems."""
    out, count = sys.argv[1:]
    formats.write(Path(out), problems(int(count)), "problem-jsonl")


if __name__ == "__main__":
    main()
