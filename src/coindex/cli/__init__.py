"""The `coindex` command; its subcommands are a plugin family, `builtin/<name>.py`.

A command parses and prints; the function that it calls works and returns. Results go to
standard output, everything else to standard error, log messages of `coindex` included.
`--help` imports no builtin subcommand.
"""

from __future__ import annotations

import errno
import gc
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, cast

import click

from coindex import __version__, io, plugins
from coindex.cli.interruption import Terminated, forget_interrupt
from coindex.errors import CoindexError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from coindex.cli.protocol import CommandModule

INTERRUPTED, BROKEN_PIPE, TERMINATED = 128 + 2, 128 + 13, 128 + 15
"""The exit codes of a process that SIGINT, SIGPIPE or SIGTERM ended."""

COMPLETION = "_COINDEX_COMPLETE"
"""The variable by which a shell asks for completions; see `coindex.cli.completion`."""

ONE_THREAD = frozenset({"score", "serve"})
"""Commands whose matrices are small: starting the threads of BLAS takes longer than they save.
`serve` has threads of its own, and forks before they start."""

NUMPY_FIRST = frozenset({"score"})
"""Short commands that need numpy. Imported from within click and several modules it takes longer:
Python allocates its stack in blocks, and a loop that happens to be at the end of one allocates and
releases the next with every call."""

SILENT = frozenset({"score"})
"""Commands that log nothing, and are so short that importing `logging` would be noticed."""


class Commands(click.Group):
    """Subcommands are plugins of the family `cli`, imported when they are run."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the subcommands."""
        return list(plugins.names("cli"))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The subcommand of that name, or None."""
        # looking up the entry points of other packages takes time
        if cmd_name not in plugins.builtin_names("cli") and cmd_name not in plugins.names("cli"):
            return None
        _prepare(cmd_name)
        command = cast("CommandModule", plugins.load("cli", cmd_name)).command
        if COMPLETION in os.environ:
            from coindex.cli.completion import add_value_completion

            add_value_completion(command, cmd_name)
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The subcommands that begin so, none of which is imported for it, and options."""
        from click.shell_completion import CompletionItem

        found = [name for name in self.list_commands(ctx) if name.startswith(incomplete)]
        items = [CompletionItem(name, help=plugins.summary("cli", name)) for name in found]
        return items + click.Command.shell_complete(self, ctx, incomplete)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of subcommands for `--help`: the first lines of their docstrings."""
        with formatter.section("Commands"):
            formatter.write_dl(
                [(name, plugins.summary("cli", name)) for name in self.list_commands(ctx)]
            )

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, but the error for an unknown name lists the known ones."""
        name = args[0]
        if not name.startswith("-") and self.get_command(ctx, name) is None:
            known = ", ".join(self.list_commands(ctx))
            ctx.fail(f"unknown command {name!r}; expected one of: {known}")
        return super().resolve_command(ctx, args)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="coindex")
def cli() -> None:
    """Build, annotate, train, resolve, score and audit English coreference."""
    context = click.get_current_context()
    if context.invoked_subcommand not in SILENT:
        from coindex.cli.log_output import log_to_stderr

        context.with_resource(log_to_stderr())


def main(args: Sequence[str] | None = None) -> None:
    """Run the command line; ends the process with 0, 1 (bad data) or 2 (bad usage)."""
    if COMPLETION in os.environ:
        from coindex.cli.completion import complete

        sys.exit(complete(cli, os.environ[COMPLETION]))
    try:
        given = list(sys.argv[1:] if args is None else args)
        _prepare(*given[:1])
        with cli.make_context("coindex", given) as context:
            cli.invoke(context)
        sys.stdout.flush()
        gc.freeze()  # nor does it when the process ends
    except click.exceptions.Exit as stop:
        sys.exit(stop.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except CoindexError as error:
        click.echo(f"coindex: {error}", err=True)
        sys.exit(error.exit_code)
    except Terminated:
        click.echo("coindex: terminated", err=True)
        sys.exit(TERMINATED)
    except (click.Abort, KeyboardInterrupt):
        click.echo("coindex: interrupted", err=True)
        forget_interrupt()
        sys.exit(INTERRUPTED)
    except UnicodeEncodeError as error:
        click.echo(f"coindex: {_encoding_error(error)}", err=True)
        sys.exit(1)
    except OSError as error:
        sys.exit(_output_error(error))


def _prepare(name: str = "") -> None:
    """What has to happen before the module of a subcommand is imported."""
    if name in ONE_THREAD:
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if name in NUMPY_FIRST:
        import_module("numpy")


def _output_error(error: OSError) -> int:
    """The exit code after standard output could not be written; other errors are bugs."""
    if not isinstance(error, BrokenPipeError):
        if error.errno != errno.ENOSPC:
            raise error
        click.echo(f"coindex: cannot write: {error.strerror}", err=True)
    io.discard_output()
    return BROKEN_PIPE if isinstance(error, BrokenPipeError) else 1


def _encoding_error(error: UnicodeEncodeError) -> str:
    """Why a text cannot be written to standard output."""
    sign = ord(error.object[error.start])
    if 0xD800 <= sign < 0xE000:
        return f"expected text that UTF-8 can hold, found half a character (\\u{sign:04x})"
    return (
        f"standard output is {error.encoding}, which cannot hold U+{sign:04X}:"
        " set PYTHONIOENCODING=utf-8, or write to a file with -o"
    )
