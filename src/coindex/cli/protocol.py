"""The contract of a command's module, `builtin/<name>.py`."""

from __future__ import annotations

from typing import Protocol

import click


class CommandModule(Protocol):
    """A module that defines one subcommand of `coindex`.

    The first line of its docstring is its description in `coindex --help`.
    """

    command: click.Command
