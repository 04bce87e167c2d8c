"""Say what is wrong with files, with line, what was expected and what was found."""

from __future__ import annotations

from dataclasses import dataclass

import click

from coindex import formats, io
from coindex.cli.common import from_option, json_option, print_json, reading, typed_options
from coindex.errors import FormatError, InputError, UnknownName
from coindex.report.progress_bar import progress_bar
from coindex.transform.checks import RULES, check
from coindex.types.document import Document
from coindex.types.source import Source


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """The options of `coindex check`."""

    files: tuple[str, ...]
    from_format: str | None
    ignore: tuple[str, ...]
    as_json: bool


def _list_rules(ctx: click.Context, param: click.Parameter, chosen: bool) -> None:
    if not chosen:
        return
    width = max(map(len, RULES))
    for rule, meaning in RULES.items():
        click.echo(f"{rule:{width}}  {meaning}")
    ctx.exit()


@click.command(name="check")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@from_option
@click.option("--ignore", multiple=True, metavar="RULE", help="Leave a rule out; may be repeated.")
@click.option("--rules", is_flag=True, is_eager=True, expose_value=False, callback=_list_rules,
              help="List the rules.")  # fmt: skip
@json_option
@typed_options(CheckOptions)
def command(options: CheckOptions) -> None:
    """Check FILEs and exit with 1 if anything is wrong with them.

    Unbalanced brackets, crossing or repeated mentions, a span in two entities,
    offsets that do not match the text, candidates that are not in the text.
    """
    for rule in options.ignore:
        if rule not in RULES:
            raise UnknownName("rule", rule, RULES)
    reports = []
    total = 0
    for path in formats.expand_paths(options.files):
        source, items = check_file(path, options.from_format)
        findings = [finding for finding in source.findings if finding.rule not in options.ignore]
        reports.append({"file": path, "format": source.format, "items": items,
                        "findings": [
                            {"rule": each.rule, "line": each.line, "message": each.message}
                            for each in findings
                        ]})  # fmt: skip
        total += len(findings)
        if not options.as_json:
            for finding in findings:
                click.echo(str(finding))
    if options.as_json:
        print_json({"files": reports, "findings": total})
    click.echo(f"{len(reports)} file(s) checked, {total} finding(s)", err=True)
    if total:
        raise click.exceptions.Exit(1)


def check_file(path: str, from_format: str | None = None) -> tuple[Source, int]:
    """Read a whole file; returns its findings and how many items it has."""
    source = Source(path, collect=True)
    items = 0
    seen: set[object] = set()
    try:
        with io.open_lines(path) as lines, progress_bar() as on_progress:
            source.name = lines.name
            for item in formats.read_lines(lines, from_format, source, path):
                items += 1
                on_progress(reading(lines))
                source.findings.extend(check(item, source))
                key = item.key if isinstance(item, Document) else item.id
                if key in seen:
                    message = f"expected another id than {key!r}, found it again"
                    source.note(source.line_of(None), "same-id", message)
                seen.add(key)
    except FormatError as error:
        source.note(error.line, "format", error.message)
    except InputError as error:
        message = str(error).removeprefix(f"{path}: ")
        source.note(None, "input", message)
    return source, items
