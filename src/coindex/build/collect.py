"""What is done with all items of a run together: balance, choice, and labels after annotation.

A builder may have two more functions beside `scan` and `build`, both over whole corpora:

    collect(problems, rules)   what is kept of what was built: balance, as many as wanted
    finished(problems, rules)  the corpus made of items that annotators have judged

Both give problems and `Dropped`, so that the account stays whole. `collect` is given items
that are on disk, and what it keeps goes there too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from inspect import signature
from pathlib import Path
from typing import Any

from coindex import formats, plugins
from coindex.build import part
from coindex.build.items import Items
from coindex.build.part import Account
from coindex.build.run import Built
from coindex.build.work import FORMAT
from coindex.core.problem import Problem
from coindex.errors import UsageError

KEPT = "kept.jsonl"
"""The file of what a builder keeps, beside the parts."""
JUDGEMENTS = "judgements"
"""The fact of an annotated item that holds what each rater said, parted by spaces."""


def rules_of(name: str, seed: int, options: Mapping[str, str]) -> Any:
    """A builder's rules with the options that it knows."""
    make = plugins.load("corpora", name).rules
    known = [each for each in signature(make).parameters if each != "seed"]
    for option in options:
        if option not in known:
            options_of = f"an option of {', '.join(known)}" if known else "no option"
            raise UsageError(f"{name}: expected {options_of}, found {option!r}")
    return make(seed, **options)


def collected(built: Built, name: str, rules: Any, folder: Path) -> Built:
    """What a builder keeps of all its items; they are written to a file of that folder."""
    builder = plugins.load("corpora", name)
    if not hasattr(builder, "collect"):
        return built
    account, path = built.account, folder / KEPT
    kept, told = account.kept(builder.collect(built.problems, rules)), formats.Losses(FORMAT)
    part.write(path, account, formats.lines(kept, FORMAT, told))
    return Built(Items((path,), told.written), account, built.facts)


def finished(problems: Sequence[Problem], name: str, rules: Any) -> Built:
    """The corpus of items that annotators have judged."""
    builder = plugins.load("corpora", name)
    if not hasattr(builder, "finished"):
        raise UsageError(f"{name}: expected a builder whose items are annotated, found none")
    if not any(problem.fact(JUDGEMENTS) for problem in problems):
        raise UsageError(
            f"expected items with a fact {JUDGEMENTS!r}, such as 'A A neither', found none"
            f" in {len(problems)} items"
        )
    account = Account(items=len(problems))
    facts = (("builder", name), ("finished", f"{len(problems)} items"))
    return Built(tuple(account.kept(builder.finished(problems, rules))), account, facts)


def splits(problems: Iterable[Problem]) -> list[str]:
    """The values of the fact `split`, in the order in which they come."""
    return list(dict.fromkeys(map(split_of, problems)))


def split_of(problem: Problem) -> str:
    """The part of the corpus that an item belongs to; nothing where it does not say."""
    return problem.fact("split") or ""
