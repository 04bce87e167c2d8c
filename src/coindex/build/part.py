"""What one shard gave: its items, and an account of everything that went in.

A part is one file, written beside and moved into place when it is whole, so a run that
was killed leaves whole parts and nothing else. Its first line is the account, the
others are items in the order of the shard. The content depends on the shard alone.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from coindex import io
from coindex.core.problem import Problem
from coindex.corpora import Dropped
from coindex.errors import FormatError
from coindex.sources import Bad

EXAMPLES = 5
"""How many examples of each reason are kept; the first ones, so that runs agree."""
LONGEST = 300
"""Characters of an example."""
NUMBERS = ("pages", "characters", "scanned", "passages", "items", "giving")


@dataclass(slots=True)
class Account:
    """input = kept + dropped, by stage and reason.

    pages     read; skipped: left out by rule; broken: could not be read
    passages  that the scan passed on to the tagger
    items     that came out
    giving    passages that gave an item, or several
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
    places: list[str] = field(default_factory=list)
    examples: dict[tuple[str, str], list[str]] = field(default_factory=dict)

    def bad(self, bad: Bad) -> None:
        """Count input that gave no page; the places of broken input are kept."""
        (self.skipped if bad.skipped else self.broken)[bad.reason] += 1
        if not bad.skipped and len(self.places) < 1000:
            self.places.append(f"{bad.source}: {bad.place}: {bad.reason}")

    def drop(self, dropped: Dropped) -> None:
        """Count what did not become an item, and keep the first examples."""
        key = (dropped.stage, dropped.reason)
        self.dropped[key] += 1
        kept = self.examples.setdefault(key, [])
        if dropped.example and len(kept) < EXAMPLES:
            kept.append(dropped.example[:LONGEST])

    def kept(self, found: Iterable[Problem | Dropped]) -> Iterator[Problem]:
        """The items; the others are counted."""
        for item in found:
            if isinstance(item, Dropped):
                self.drop(item)
            else:
                yield item

    def add(self, other: Account) -> None:
        """The account of two shards together, the first one's examples first."""
        for name in NUMBERS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for name in ("skipped", "broken", "dropped"):
            getattr(self, name).update(getattr(other, name))
        self.places += other.places[: 1000 - len(self.places)]
        for key, texts in other.examples.items():
            kept = self.examples.setdefault(key, [])
            kept += texts[: EXAMPLES - len(kept)]

    def json(self) -> dict[str, Any]:
        """As plain values, in a fixed order."""
        return {
            **{name: getattr(self, name) for name in NUMBERS},
            "skipped": dict(sorted(self.skipped.items())),
            "broken": dict(sorted(self.broken.items())),
            "dropped": [
                {"stage": stage, "reason": reason, "count": count,
                 "examples": self.examples.get((stage, reason), [])}
                for (stage, reason), count in sorted(self.dropped.items())
            ],
            "places": self.places,
        }  # fmt: skip

    @classmethod
    def of(cls, values: dict[str, Any]) -> Account:
        """Back from plain values."""
        made = cls(*(values[name] for name in NUMBERS))
        made.skipped, made.broken = Counter(values["skipped"]), Counter(values["broken"])
        made.places = list(values["places"])
        for row in values["dropped"]:
            key = (row["stage"], row["reason"])
            made.dropped[key] = row["count"]
            made.examples[key] = list(row["examples"])
        return made


def write(path: Path, account: Account, lines: Iterable[str]) -> None:
    """Write a part, whole or not at all.

    The account comes first in the file and may change until the last line is drawn, so
    the lines wait in a file that has no name, in the same folder.
    """
    with TemporaryFile(
        "w+", encoding="utf-8", errors="surrogatepass", newline="\n", dir=path.parent
    ) as held:
        held.writelines(lines)
        held.seek(0)
        head = json.dumps(account.json(), ensure_ascii=False)
        io.write_text(path, chain([head + "\n"], held))


def account(path: Path) -> Account:
    """The account of a part."""
    with io.open_lines(path) as found:
        first = next(iter(found), "")
    try:
        return Account.of(json.loads(first))
    except (KeyError, ValueError, TypeError) as error:
        message = f"expected the account of a part, found {first[:40]!r} ({error})"
        raise FormatError(str(path), 1, message) from None


def lines(path: Path) -> Iterator[str]:
    """The items of a part, as lines."""
    with io.open_lines(path) as found:
        yield from islice(found, 1, None)
