"""What `coindex build knowref --check-labels` drops, against labels that were judged by hand.

    for piece in AC AD AE AF AG AH; do
        coindex build knowref wikiextractor-2014-$piece.txt.xz -o $piece.jsonl
    done
    python -m research.models.knowref_labels MODEL A?.jsonl

`docs/examples/judged.tsv` has the judgements, by the piece of Wikipedia and the id of an item. For
each confidence the table says how many items of each verdict are kept and dropped. MODEL is
`default` or the folder of a pronoun model.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from coindex import formats
from coindex.builders import Dropped
from coindex.builders.pipeline.label_check import LabelCheck, check_labels
from coindex.resolvers import ResolverSettings, decider
from coindex.types.decision import Decision, unanswered
from coindex.types.problem import Problem

JUDGED = Path(__file__).parents[2] / "docs" / "examples" / "judged.tsv"
CONFIDENCES = (0.6, 0.7, 0.8, 0.9, 0.95)
VERDICTS = ("correctly labelled", "incorrectly labelled", "unresolvable", "not judged")


def verdicts(lines: Iterable[str]) -> dict[str, str]:
    """The last verdict on each item of KnowRef, by `PIECE/ID`."""
    rows = (line.rstrip("\n").split("\t") for line in lines)
    return {row[1]: row[2] for row in rows if row[0].startswith("knowref")}


def items(files: Iterable[Path]) -> dict[str, Problem]:
    """The items of built files, by `PIECE/ID`; a file is named for its piece."""
    return {
        f"{file.stem}/{item.id}": item
        for file in files
        for item in formats.read(file)
        if isinstance(item, Problem)
    }


def counts(
    problems: Mapping[str, Problem],
    decisions: Sequence[Decision],
    judged: Mapping[str, str],
    confidence: float,
) -> Counter[tuple[bool, str]]:
    """How many items are dropped or not, by their verdicts."""

    def decide(asked: Iterable[Problem]) -> Iterator[Decision]:
        return iter(decisions)

    checked = check_labels(list(problems.values()), LabelCheck(decide, "stored", confidence))
    return Counter(
        (isinstance(item, Dropped), judged.get(key, "not judged"))
        for key, item in zip(problems, checked, strict=True)
    )


def table(rows: Mapping[float, Counter[tuple[bool, str]]]) -> str:
    """Lines of dropped/all for each verdict, and the share of right labels among judged ones."""
    lines = ["confidence\t" + "\t".join(VERDICTS) + "\tright of those kept, %"]
    for confidence, row in rows.items():
        cells = [f"{row[True, v]} of {row[True, v] + row[False, v]}" for v in VERDICTS]
        kept = sum(row[False, verdict] for verdict in VERDICTS[:3])
        share = 100 * row[False, VERDICTS[0]] / max(kept, 1)
        lines.append("\t".join([f"{confidence:g}", *cells, f"{share:.1f}"]))
    return "\n".join(lines)


def main(arguments: Sequence[str]) -> int:
    """Print the table."""
    model, *files = arguments
    problems = items(map(Path, files))
    settings = ResolverSettings(model=None if model == "default" else model)
    resolver = decider("substitution", settings)
    decisions = list(resolver.decide(map(unanswered, problems.values())))
    judged = verdicts(JUDGED.read_text(encoding="utf-8").splitlines())
    rows = {each: counts(problems, decisions, judged, each) for each in (1.01, *CONFIDENCES)}
    sys.stdout.write(f"{resolver.signature}\n{table(rows)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
