"""Complete commands, options and names in the shell: the script for bash, zsh or fish."""

from __future__ import annotations

import click

from coindex.cli.completion import SHELLS, script


@click.command(name="completion")
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def command(context: click.Context, shell: str) -> None:
    """Print what SHELL has to read at its start to complete coindex's commands.

    \b
    bash: coindex completion bash > ~/.local/share/bash-completion/completions/coindex
    zsh:  coindex completion zsh > ~/.zfunc/_coindex   (a folder of $fpath, before compinit)
    fish: coindex completion fish > ~/.config/fish/completions/coindex.fish

    Then open a new shell. Names of formats, metrics, resolvers, benchmarks, models and
    corpora are completed too, those of other packages among them.
    """
    root = context.find_root().command
    assert isinstance(root, click.Group)
    click.echo(script(root, shell))
