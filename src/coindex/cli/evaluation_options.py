"""The options that `bench` and `audit` have: the scheme, and how figures are drawn and shown."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

import click

from coindex.cli.common import (
    from_option,
    json_option,
    resamples_option,
    seed_option,
    style_options,
)
from coindex.scoring.significance import RESAMPLES, SEED

_SCHEME = click.option(
    "--scheme", metavar="NAME", help="The annotation scheme that the model follows."
)


def evaluation_options(function: Callable[..., None]) -> Callable[..., None]:
    """Add --scheme, --resamples, --seed, the styles, --from and --json."""
    options = (
        _SCHEME, resamples_option(RESAMPLES), seed_option(SEED), style_options, from_option,
        json_option,
    )  # fmt: skip
    return reduce(lambda made, option: option(made), reversed(options), function)
