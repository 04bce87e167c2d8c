"""The output of one shard on disk: its items, and an account of everything that went in.

The output is one file, called a part. It is written atomically, so that a run that was killed
leaves only complete parts. The first line of a part is the account, the others are the items in
the order of the shard. The content depends on the shard alone.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from coindex import formats
from coindex.builders.disk_index import DiskSet
from coindex.builders.protocol import Dropped
from coindex.builders.sources import RejectedInput
from coindex.errors import FormatError
from coindex.jobs import parts
from coindex.types.problem import Problem
from coindex.types.source import Source

FORMAT = "problem-jsonl"
EXAMPLES = 5
"""How many examples of each reason are stored: the first ones, so that runs agree."""
LONGEST = 300
"""The maximum length of an example in characters."""
NUMBERS = ("pages", "characters", "scanned", "passages", "items", "giving")
_MOST_POSITIONS = 1000


@dataclass(slots=True)
class BuildAccount:
    """Counts of all input and output, by stage and reason: input = output + dropped.

    pages      read; `skipped` ones were left out by rule, `broken` ones are damaged
    scanned    sentences and passages that the scan examined
    passages   that the scan passed on to the parser
    items      that were built
    giving     passages that one or more items were built from
    positions  of damaged input
    """

    pages: int = 0
    characters: int = 0
    scanned: int = 0
    passages: int = 0
    items: int = 0
    giving: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    broken: Counter[str] = field(default_factory=Counter)
    dropped: Counter[tuple[str, str]] = field(default_factory=Counter)
    positions: list[str] = field(default_factory=list)
    examples: dict[tuple[str, str], list[str]] = field(default_factory=dict)

    def reject(self, rejected: RejectedInput) -> None:
        """Count input that did not become a page, and store the position of damaged input."""
        (self.skipped if rejected.skipped else self.broken)[rejected.reason] += 1
        if not rejected.skipped and len(self.positions) < _MOST_POSITIONS:
            self.positions.append(f"{rejected.source}: {rejected.position}: {rejected.reason}")

    def drop(self, dropped: Dropped) -> None:
        """Count text that did not become an item, and store the first examples."""
        key = (dropped.stage, dropped.reason)
        self.dropped[key] += 1
        examples = self.examples.setdefault(key, [])
        if dropped.example and len(examples) < EXAMPLES:
            examples.append(dropped.example[:LONGEST])

    def items_of(self, stream: Iterable[Problem | Dropped]) -> Iterator[Problem]:
        """The items of a stream; what was dropped is counted."""
        for item in stream:
            if isinstance(item, Dropped):
                self.drop(item)
            else:
                yield item

    def add(self, other: BuildAccount) -> None:
        """Add the account of a later shard; the examples of the earlier one come first."""
        for name in NUMBERS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.skipped.update(other.skipped)
        self.broken.update(other.broken)
        self.dropped.update(other.dropped)
        self.positions += other.positions[: _MOST_POSITIONS - len(self.positions)]
        for key, texts in other.examples.items():
            examples = self.examples.setdefault(key, [])
            examples += texts[: EXAMPLES - len(examples)]

    def json(self) -> dict[str, Any]:
        """The account as JSON values, in a fixed order."""
        return {
            **{name: getattr(self, name) for name in NUMBERS},
            "skipped": dict(sorted(self.skipped.items())),
            "broken": dict(sorted(self.broken.items())),
            "dropped": [
                {"stage": stage, "reason": reason, "count": count,
                 "examples": self.examples.get((stage, reason), [])}
                for (stage, reason), count in sorted(self.dropped.items())
            ],
            "places": self.positions,
        }  # fmt: skip

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> BuildAccount:
        """The account that `json` returned these values for."""
        account = cls(*(values[name] for name in NUMBERS))
        account.skipped, account.broken = Counter(values["skipped"]), Counter(values["broken"])
        account.positions = list(values["places"])
        for row in values["dropped"]:
            key = (row["stage"], row["reason"])
            account.dropped[key] = row["count"]
            account.examples[key] = list(row["examples"])
        return account


def write_part(path: Path, account: BuildAccount, lines: Iterable[str]) -> None:
    """Write a part atomically; its head is the account, which may change until the last line."""
    parts.write_part(path, account.json, lines)


def read_account(path: Path) -> BuildAccount:
    """The account of a part."""
    first = parts.first_line(path)
    try:
        return BuildAccount.from_json(json.loads(first))
    except (KeyError, ValueError, TypeError) as error:
        message = f"expected the account of a part, found {first[:40]!r} ({error})"
        raise FormatError(str(path), 1, message) from None


@dataclass(frozen=True, slots=True)
class StoredItems(Collection[Problem]):
    """The items of some parts, in their order, read from disk at each iteration.

    A run may produce more items than fit into memory; one is held at a time.
    """

    paths: tuple[Path, ...]
    count: int

    def __len__(self) -> int:
        return self.count

    def __contains__(self, item: object) -> bool:
        return any(problem == item for problem in self)

    def __iter__(self) -> Iterator[Problem]:
        with closing(DiskSet()) as ids:
            for path in self.paths:
                for item in formats.load_problem_format(FORMAT).read(
                    parts.content_lines(path), Source(str(path))
                ):
                    assert isinstance(item, Problem)
                    yield _with_unique_id(item, ids)


def _with_unique_id(problem: Problem, ids: DiskSet) -> Problem:
    """The item, with a new id if another item has its id, as pages of two files may.

    The second item `7-12` becomes `7-12~2`.
    """
    unique, number = problem.id, 1
    while not ids.add(unique):
        number += 1
        unique = f"{problem.id}~{number}"
    return problem if number == 1 else replace(problem, id=unique)
