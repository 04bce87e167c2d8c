"""What is installed here, what is missing, and whether it works: lines for a bug report."""

from __future__ import annotations

import click

from coindex.cli.common import json_option, print_json


@click.command(name="doctor")
@json_option
def command(as_json: bool) -> None:
    """Show versions, extras, models and corpora, and test this installation.

    A line in capitals says what is MISSING or BROKEN, and how to install it; exit 1 if
    something is broken. The lines can be pasted into a bug report: they have no names of
    home folders, no passwords and no texts. Nothing is sent anywhere.
    """
    from coindex.cli import diagnosis

    findings = diagnosis.diagnose()
    if as_json:
        print_json(diagnosis.as_json(findings))
    else:
        click.echo("\n".join(diagnosis.lines(findings)))
    if not diagnosis.is_healthy(findings):
        raise click.exceptions.Exit(1)
