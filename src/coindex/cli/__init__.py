"""The `coindex` command: one file of this folder for each subcommand.

A command parses and prints; the function under it works and returns. Results
go to standard output, everything else to standard error. `--help` imports no
subcommand: the list is the folder, the descriptions are the files' first lines.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Sequence

import click

from coindex import __version__, plugins
from coindex.errors import CoindexError


class Commands(click.Group):
    """Subcommands found by their files, imported when they are run."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the subcommands."""
        return list(plugins.own_names("cli"))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The subcommand of that name, or None."""
        if cmd_name not in plugins.own_names("cli"):
            return None
        command: click.Command = plugins.load("cli", cmd_name).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of subcommands for `--help`, read off the files' first lines."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, _summary(name)) for name in self.list_commands(ctx)])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, but an unknown name is answered with the names there are."""
        name = args[0]
        if name not in plugins.own_names("cli") and not name.startswith("-"):
            known = ", ".join(plugins.own_names("cli"))
            ctx.fail(f"unknown command {name!r}; expected one of: {known}")
        return super().resolve_command(ctx, args)


def _summary(name: str) -> str:
    with open(os.path.join(os.path.dirname(__file__), f"{name}.py"), encoding="utf-8") as file:
        return file.readline().strip().strip('"')


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="coindex")
def cli() -> None:
    """Build, annotate, train, resolve, score and audit English coreference."""


def main(args: Sequence[str] | None = None) -> None:
    """Run the command line; ends the process with 0, 1 (bad data) or 2 (bad usage)."""
    gc.set_threshold(200_000, 50, 50)  # a command is over before its garbage matters
    try:
        given = list(sys.argv[1:] if args is None else args)
        with cli.make_context("coindex", given) as context:
            cli.invoke(context)
        sys.stdout.flush()
    except click.exceptions.Exit as stop:
        sys.exit(stop.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except CoindexError as error:
        click.echo(f"coindex: {error}", err=True)
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("coindex: interrupted", err=True)
        sys.exit(128 + signal.SIGINT)
    except UnicodeEncodeError as error:
        click.echo(f"coindex: {_unwritten(error)}", err=True)
        sys.exit(1)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(128 + signal.SIGPIPE)


def _unwritten(error: UnicodeEncodeError) -> str:
    """Why a text could not be written to standard output."""
    sign = ord(error.object[error.start])
    if 0xD800 <= sign < 0xE000:
        return f"expected text that UTF-8 can hold, found half a character (\\u{sign:04x})"
    return (
        f"standard output is {error.encoding}, which cannot hold U+{sign:04X}:"
        " set PYTHONIOENCODING=utf-8, or write to a file with -o"
    )
