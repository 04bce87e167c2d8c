"""The options of commands whose work is done by several processes or machines."""

from __future__ import annotations

import click

from coindex.cli.common import all_of, workers_option
from coindex.errors import UsageError
from coindex.jobs.engine_choice import ENGINES

engine_options = all_of(
    workers_option,
    click.option(
        "--engine", type=click.Choice(ENGINES), default="local", show_default=True,
        help="Processes of this machine, or a Ray cluster.",
    ),
    click.option(
        "--address", metavar="HOST:PORT",
        help="A running Ray cluster; otherwise one of N workers is started here.",
    ),
)  # fmt: skip


def check_address(engine: str, address: str | None) -> None:
    """An error if an address is given to an engine that has none."""
    if address and engine != "ray":
        raise UsageError(f"--address: expected --engine ray, found {engine}")
