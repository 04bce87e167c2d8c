"""`coindex active`: rankings by every strategy, and a tiny simulation."""

from __future__ import annotations

from collections.abc import Iterator

from golden import inputs
from golden.case import Case, Step, command, plain

NEEDS = ("spacy", "pycrfsuite", "sklearn")
STRATEGIES = ("voting", "diverse-voting", "mention-entropy", "joint-entropy", "longest", "random")
SMALL = "--vectors none --set bits=14 --set rounds=2"
RANK = f"active rank stories/pool.conll --annotated stories/train.conll {SMALL}"


def cases() -> Iterator[Case]:
    """All cases of `active`."""
    for name in STRATEGIES:
        lines: tuple[str, ...] = (
            f"{RANK} --strategy {name} --log picks.jsonl",
            f"{RANK} --strategy {name} --json --seed 4 --aside 0.3",
        )
        yield Case(
            f"active/rank/{name}",
            tuple(map(command, lines)),
            inputs.stories,
            NEEDS,
            ours=True,
            rules=("times",),
        )
    yield _litbank()
    models = "--checkpoint coref --checkpoint coref-exported"
    lines = (f"active rank stories/pool.conll {models} --json", "active rank stories/pool.conll --dropout coref --members 2",
             f"active rank stories/pool.conll {models} --strategy longest", "active rank stories/pool.conll --dropout coref-exported")  # fmt: skip
    prepare = inputs.all_of(inputs.stories, inputs.artefacts("coref", "coref-exported"))
    yield Case(
        "active/rank/networks",
        tuple(map(plain, lines)),
        prepare,
        (*NEEDS, "torch"),
        full=True,
        ours=True,
    )
    line = f"active simulate stories/train.conll --strategy voting,random --seeds 2 --rounds 2 --start 3 --pool 4 {SMALL}"
    steps: tuple[Step, ...] = (
        command(f"{line} -o runs --plot curves.svg"),
        command(f"{line} -o runs --json --target 80"),
    )
    yield Case(
        "active/simulate/one", steps, inputs.stories, NEEDS, ours=True, rules=("times", "seconds")
    )
    steps = (plain(f"{line} -o runs --workers 2 --json"),)
    yield Case(
        "active/simulate/two",
        steps,
        inputs.stories,
        NEEDS,
        full=True,
        ours=True,
        rules=("times", "seconds"),
    )


def _litbank() -> Case:
    prepare = inputs.all_of(
        inputs.litbank("pool.conll", 4, 20), inputs.litbank("annotated.conll", 3, 30)
    )
    line = "active rank pool.conll --annotated annotated.conll --vectors none"
    steps = (command(f"{line} --log picks.jsonl"), command(f"{line} --strategy longest --json"))
    return Case(
        "active/rank/litbank", steps, prepare, ("data", *NEEDS), full=True, rules=("times",)
    )
