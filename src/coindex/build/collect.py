"""What is done with all items of a run together: balance, choice, and labels after annotation.

A builder may have two more functions beside `scan` and `build`, both over whole corpora:

    collect(problems, rules)   what is kept of what was built: balance, as many as wanted
    finished(problems, rules)  the corpus made of items that annotators have judged

Both give problems and `Dropped`, so that the account stays whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from inspect import signature
from typing import Any

from coindex import plugins
from coindex.build.part import Account
from coindex.build.run import Built
from coindex.core.problem import Problem
from coindex.corpora import Dropped
from coindex.errors import UsageError

JUDGEMENTS = "judgements"
"""The fact of an annotated item that holds what each rater said, parted by spaces."""


def rules_of(name: str, seed: int, options: Mapping[str, str]) -> Any:
    """A builder's rules with the options that it knows."""
    make = plugins.load("corpora", name).rules
    known = [each for each in signature(make).parameters if each != "seed"]
    for option in options:
        if option not in known:
            raise UsageError(
                f"{name}: expected an option of {', '.join(known) or 'none'}, found {option!r}"
            )
    return make(seed, **options)


def collected(built: Built, name: str, rules: Any) -> Built:
    """What a builder keeps of all its items."""
    builder = plugins.load("corpora", name)
    if not hasattr(builder, "collect"):
        return built
    return _sorted_out(builder.collect(built.problems, rules), built.account, built.facts)


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
    return _sorted_out(builder.finished(problems, rules), account, facts)


def _sorted_out(
    found: Iterable[Problem | Dropped], account: Account, facts: tuple[tuple[str, str], ...]
) -> Built:
    kept: list[Problem] = []
    for item in found:
        if isinstance(item, Dropped):
            account.drop(item)
        else:
            kept.append(item)
    return Built(tuple(kept), account, facts)


def by_split(problems: Iterable[Problem]) -> dict[str, list[Problem]]:
    """The items by their fact `split`; those without one together."""
    found: dict[str, list[Problem]] = {}
    for problem in problems:
        found.setdefault(problem.fact("split") or "all", []).append(problem)
    return found
