"""What a case is: command lines to run in an empty folder, and what to compare afterwards."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

Prepare = Callable[[Path], None]
"""Fills the scratch folder before the first step; `data` in it is the folder of corpora."""


@dataclass(frozen=True, slots=True)
class Step:
    """One command line, or a few lines of Python, run in the scratch folder.

    args   the arguments of `coindex`
    code   Python to run instead, through the public API alone
    stdin  what the command reads
    plain  a process of its own, `python -m coindex`; else a fork of one that has
           numpy and spaCy imported, which is quicker and gives the same
    env    variables of the environment, beside those that the runner fixes
    """

    args: tuple[str, ...] = ()
    code: str = ""
    stdin: str = ""
    plain: bool = False
    env: Mapping[str, str] = field(default_factory=dict)

    def shown(self) -> str:
        """The step on one line."""
        words = (
            " ".join(self.args) if not self.code else "python: " + self.code.strip().split("\n")[0]
        )
        return "".join(f"{name}={value} " for name, value in self.env.items()) + words


@dataclass(frozen=True, slots=True)
class Case:
    """A name, steps, and which outputs count.

    prepare  makes the input files
    needs    what must be there: `data`, or the name of a package
    full     too long for the ordinary suite; run if COINDEX_FULL is set
    ours     all its outputs come from our own texts, so they are stored whole
    ignore   patterns of files that are not compared
    rules    names of rules of `normalise`, beside those for all outputs
    """

    name: str
    steps: tuple[Step, ...]
    prepare: Prepare | None = None
    needs: tuple[str, ...] = ()
    full: bool = False
    ours: bool = False
    ignore: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()

    @property
    def family(self) -> str:
        """The part of the name before the first slash."""
        return self.name.partition("/")[0]


def command(line: str, **more: str) -> Step:
    """A step from a command line without quotes; `more` is its environment."""
    return Step(tuple(line.split()), env=more)


def plain(line: str) -> Step:
    """The same in a process of its own."""
    return Step(tuple(line.split()), plain=True)
