"""Options and output that commands share.

An option that several commands have is defined here once, so that it has the same name, meaning
and help text everywhere. A command's function takes all its options as one frozen dataclass; see
`typed_options`.
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Protocol, TypeVar

import click

from coindex import formats, io
from coindex.errors import InputError, UsageError

if TYPE_CHECKING:
    from coindex.formats import ConversionLosses, Item
    from coindex.report.table import Table
    from coindex.types.document import Document
    from coindex.types.progress import Progress
    from coindex.types.source import Source

Options = TypeVar("Options")
Function = TypeVar("Function", bound=Callable[..., object])


class Decorator(Protocol):
    """An option of a command."""

    def __call__(self, function: Function, /) -> Function:
        """The function with the option."""


def typed_options(
    kind: Callable[..., Options],
) -> Callable[[Callable[[Options], None]], Callable[..., None]]:
    """Call a command's function with one dataclass made of click's parameters."""

    def decorate(function: Callable[[Options], None]) -> Callable[..., None]:
        @wraps(function)
        def call(**values: object) -> None:
            function(kind(**values))

        return call

    return decorate


def all_of(*options: Decorator) -> Decorator:
    """Several options as one decorator."""

    def decorate(function: Function) -> Function:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
from_option = click.option(
    "--from", "from_format", metavar="FORMAT", help="The input's format; recognised by default."
)
lenient_option = click.option(
    "--lenient", is_flag=True,
    help="Repair brackets without a partner and mentions that cross one of their own entity,"
         " and list what was repaired.",
)  # fmt: skip
html_option = click.option(
    "--html", metavar="FILE", help="Write a web page to FILE; - is standard output."
)
trees_option = click.option(
    "--trees", metavar="FILE|auto",
    help="Parse trees of the documents: Penn brackets, one per sentence, or documents with a parse;"
         " auto parses documents that have none (see coindex parse).",
)  # fmt: skip
model_option = click.option(
    "--model", metavar="MODEL",
    help="The model of the resolver: the name of an installed one (default, base), a folder or a"
         " file.  [default: default]",
)  # fmt: skip
device_option = click.option(
    "--device", type=click.Choice(("cpu", "cuda")), default="cpu", show_default=True,
    help="Where the network runs; cuda needs a GPU and onnxruntime-gpu, or torch for models that"
         " are not exported.",
)  # fmt: skip
pipeline_option = click.option(
    "--pipeline",
    metavar="NAME",
    help="The spaCy pipeline to parse with; the installed one by default.",
)
vectors_option = click.option(
    "--vectors", multiple=True, metavar="SOURCE",
    help="Word vectors: a file, the folder of a model, encoder or none.  [default: encoder]",
)  # fmt: skip
workers_option = click.option(
    "--workers", type=click.IntRange(1), default=1, show_default=True, metavar="N",
    help="How many processes run at the same time.",
)  # fmt: skip


def late_help(text: Callable[[], str]) -> type[click.Option]:
    """A class of options whose help lists plugins, which are imported only to show it."""

    class OptionWithLateHelp(click.Option):
        def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
            self.help = text()
            return super().get_help_record(ctx)

    return OptionWithLateHelp


def output_option(metavar: str = "FILE") -> Decorator:
    """`-o` of commands that write to standard output by default."""
    text = f"Write to {metavar}; - is standard output."
    return click.option(
        "-o", "--output", default="-", show_default=True, metavar=metavar, help=text
    )


def resume_option_for(run: str = "an interrupted run") -> Decorator:
    """`--resume` and `--fresh`, with what is resumed."""
    return click.option(
        "--resume/--fresh", default=True, show_default=True,
        help=f"Resume {run}, or discard it and start again.",
    )  # fmt: skip


resume_option = resume_option_for()


def threads_option_for(what: str = "How many threads.") -> Decorator:
    """`--threads`, with what the threads are for."""
    return click.option(
        "--threads", type=click.IntRange(1), metavar="N", help=f"{what}  [default: all cores]"
    )


threads_option = threads_option_for()


def seed_option(default: int = 1) -> Decorator:
    """`--seed`, with the default of a command."""
    return click.option(
        "--seed", default=default, show_default=True, type=click.IntRange(0), metavar="N",
        help="The seed of everything that is drawn at random.",
    )  # fmt: skip


def set_option(example: str) -> Decorator:
    """`--set KEY=VALUE`, with examples of settings."""
    return click.option(
        "--set", "overrides", multiple=True, metavar="KEY=VALUE",
        help=f"Change a setting, such as {example}; may be repeated.",
    )  # fmt: skip


def resamples_option(default: int) -> Decorator:
    """`--resamples`, with the default of a command."""
    return click.option(
        "--resamples", default=default, show_default=True, type=click.IntRange(100), metavar="N",
        help="How often items are resampled for intervals and tests.",
    )  # fmt: skip


def style_options(function: Callable[..., None]) -> Callable[..., None]:
    """`--markdown` and `--latex`, of which one may be given, as the parameter `style`."""

    @click.option("--markdown", is_flag=True, help="Print Markdown tables.")
    @click.option("--latex", is_flag=True, help="Print LaTeX tables.")
    @wraps(function)
    def call(*, markdown: bool, latex: bool, **values: object) -> None:
        if markdown and latex:
            raise UsageError("--markdown and --latex are two styles: choose one")
        style = "markdown" if markdown else "latex" if latex else None
        function(style=style, **values)

    return call


def warn_deprecated(old: str, new: str) -> None:
    """Say on standard error that a form of the command line is deprecated."""
    click.echo(f"coindex: {old} is deprecated: use {new}", err=True)


def with_old_options(renamed: Mapping[str, str]) -> type[click.Command]:
    """A class of commands that still take options by their old names, with a warning."""

    class CommandWithOldOptions(click.Command):
        def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
            return super().parse_args(ctx, [self._renamed(each) for each in args])

        def _renamed(self, argument: str) -> str:
            name, equals, value = argument.partition("=")
            if name not in renamed:
                return argument
            warn_deprecated(name, renamed[name])
            return f"{renamed[name]}{equals}{value}"

    return CommandWithOldOptions


def short_names(names: list[str]) -> list[str]:
    """File names without their folders, if they still differ."""
    bare = [os.path.basename(os.path.normpath(name)) for name in names]
    return bare if len(set(bare)) == len(bare) else names


def conversion_json(
    sources: list[Source], losses: ConversionLosses, output: str
) -> dict[str, object]:
    """What was written where, and what was lost, as plain values."""
    return {
        "written": losses.written,
        "to": losses.format,
        "output": output,
        "lost": dict(losses.lost),
        "refused": dict(losses.refused),
        "remarks": dict(losses.noted),
        "put-right": dict(_repairs(sources)),
    }


def conversion_lines(sources: list[Source], losses: ConversionLosses) -> Iterator[str]:
    """What was repaired while reading, and what the format could not store."""
    for source in sources:
        yield from _listed(source)
    for rule, number in _repairs(sources).items():
        yield f"put right while reading: {number} {rule} (see coindex check)"
    yield from losses.lines()


LISTED = 20
"""How many repairs of a file are listed one by one."""


def _listed(source: Source) -> Iterator[str]:
    """The repairs of a lenient source, one by one."""
    from coindex.types.source import REPAIRS

    repairs = [finding for finding in source.findings if finding.rule in REPAIRS]
    if source.lenient:
        yield from map(str, repairs[:LISTED])
        if len(repairs) > LISTED:
            yield f"{source.name}: {len(repairs) - LISTED} more (see coindex check)"


def reading_notes(sources: Iterable[Source]) -> Iterator[str]:
    """Dialects and repairs: those of lenient sources one by one, then counts for each file."""
    from coindex.types.source import REPAIRS

    for source in sources:
        yield from _listed(source)
        rules = Counter(finding.rule for finding in source.findings)
        for rule in ("dialect", *REPAIRS):
            if rules[rule]:
                name = os.path.basename(source.name)
                yield f"{name}: put right while reading: {rules[rule]} {rule} (see coindex check)"


def _repairs(sources: list[Source]) -> Counter[str]:
    return Counter(finding.rule for source in sources for finding in source.findings)


def json_text(value: object) -> str:
    """Indented JSON."""
    return json.dumps(value, ensure_ascii=False, indent=2)


def print_json(value: object) -> None:
    """Print JSON on standard output."""
    click.echo(json_text(value))


def check_json_output(as_json: bool, output: str) -> None:
    """An error if a report and the result would both go to standard output."""
    if as_json and output == "-":
        raise UsageError("--json prints a report on standard output: name a file with -o")


def check_one_style(as_json: bool, style: str | None) -> None:
    """An error if two styles of output are chosen."""
    if as_json and style:
        raise UsageError(f"--json and --{style} are two styles: choose one")


def check_page_output(html: str | None, as_json: bool, style: str | None) -> None:
    """An error if a page and something else would both go to standard output."""
    other = "json" if as_json else style
    if html == "-" and other:
        raise UsageError(f"--html - and --{other} both write to standard output: choose one")


def render_tables(
    tables: Sequence[Table], style: str | None = None, *, output: str = "-", color: bool = True
) -> str:
    """Tables in a style; text is folded and coloured for a terminal."""
    from shutil import get_terminal_size

    from coindex.report.render import render

    chosen = style or "text"
    wide = chosen == "text" and output == "-" and sys.stdout.isatty()
    width = get_terminal_size().columns if wide else None
    color = color and wide and not os.environ.get("NO_COLOR")
    return render(tables, chosen, width=width, color=color)


def reading(lines: io.Lines) -> Progress:
    """How much of a file has been read."""
    from coindex.types.progress import Progress

    return Progress(os.path.basename(lines.name), lines.position, lines.size, "bytes")


def read_all(
    paths: Iterable[str],
    from_format: str | None,
    sources: list[Source] | None = None,
    *,
    response: bool = False,
    clusters: str | None = None,
    lenient: bool = False,
) -> Iterator[Item]:
    """The items of several files, one after the other, with progress.

    The files are those of a `response` of a system, or not; see `Source` for `clusters`.
    Without `sources` to report them later, dialects and repairs are noted on standard error.
    """
    from coindex.report.progress_bar import progress_bar
    from coindex.types.source import Source

    for path in formats.expand_paths(paths):
        with io.open_lines(path) as lines, progress_bar() as on_progress:
            source = Source(lines.name, response=response, clusters=clusters, lenient=lenient)
            if sources is not None:
                sources.append(source)
            for item in formats.read_lines(lines, from_format, source, path):
                on_progress(reading(lines))
                yield item
        for note in reading_notes([source]) if sources is None else ():
            click.echo(note, err=True)


def read_documents(paths: Iterable[str], from_format: str | None) -> list[Document]:
    """The documents of files, and of the files in folders, sorted by name."""
    from coindex.types.document import Document

    documents = []
    for item in read_all(files_of(paths), from_format):
        if not isinstance(item, Document):
            raise UsageError(f"expected documents, found a pronoun problem: {item.id}")
        documents.append(item)
    return documents


def with_trees(
    documents: Iterable[Document], trees: str, files: int = 1
) -> tuple[list[Document], str]:
    """Documents with the trees of `--trees`, and the parser that made them ("" if none did)."""
    from coindex.evaluate.trees import add_trees
    from coindex.report.progress_bar import progress_bar

    with progress_bar() as on_progress:
        added = add_trees(documents, trees, files, on_progress)
    if added.parsed:
        click.echo(
            f"trees of {added.parsed} of {len(added.documents)} document(s) are predicted:"
            f" {added.signature}",
            err=True,
        )
    return added.documents, added.signature


def files_of(paths: Iterable[str]) -> Iterator[str]:
    """Files, and all files of folders, or of a folder of two-file documents its documents."""
    from pathlib import Path

    for path in formats.expand_paths(paths):
        if Path(path).is_dir():
            inside = sorted(Path(path).iterdir())
            files = [str(p) for p in inside if p.is_file() and not p.name.startswith(".")]
            if not files:
                raise InputError(f"{path}: expected files in the folder, found none")
            yield from files
        else:
            yield path
