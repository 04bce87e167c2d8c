"""Train a model: `coref`, `parser` and `pronoun` from recipes; `quizbowl`, on a few documents."""

from __future__ import annotations

import click

from coindex.cli.train.coref import coref
from coindex.cli.train.export import export
from coindex.cli.train.parser import parser
from coindex.cli.train.pronoun import pronoun
from coindex.cli.train.quizbowl import quizbowl
from coindex.cli.train.teach import teach


@click.group(name="train", commands=[coref, export, parser, pronoun, quizbowl, teach])
def command() -> None:
    """Train models on your own data; see `docs/how-to/train.md`."""
