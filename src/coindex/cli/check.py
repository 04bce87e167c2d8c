"""Say what is wrong with files, with line, what was expected and what was found."""

from __future__ import annotations

import click

from coindex import formats, io
from coindex.cli._common import from_option, json_option, print_json, progress
from coindex.core.check import RULES, check
from coindex.core.source import Finding, Source
from coindex.errors import FormatError, InputError, UnknownName


@click.command(name="check")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@from_option
@click.option("--ignore", multiple=True, metavar="RULE", help="Leave a rule out; may be repeated.")
@click.option("--rules", is_flag=True, is_eager=True, expose_value=False, help="List the rules.",
              callback=lambda ctx, _, wanted: _list_rules(ctx) if wanted else None)  # fmt: skip
@json_option
def command(
    files: tuple[str, ...], from_format: str | None, ignore: tuple[str, ...], as_json: bool
) -> None:
    """Check FILEs and exit with 1 if anything is wrong with them.

    Unbalanced brackets, crossing or repeated mentions, a span in two entities,
    offsets that do not match the text, candidates that are not in the text.
    """
    for rule in ignore:
        if rule not in RULES:
            raise UnknownName("rule", rule, RULES)
    reports = []
    wrong = 0
    for path in formats.expand(files):
        source, items = check_file(path, from_format)
        found = [finding for finding in source.findings if finding.rule not in ignore]
        reports.append({"file": path, "format": source.format, "items": items,
                        "findings": [_row(finding) for finding in found]})  # fmt: skip
        wrong += len(found)
        if not as_json:
            for finding in found:
                click.echo(str(finding))
    if as_json:
        print_json({"files": reports, "findings": wrong})
    click.echo(f"{len(reports)} file(s) checked, {wrong} finding(s)", err=True)
    if wrong:
        raise click.exceptions.Exit(1)


def check_file(path: str, from_format: str | None = None) -> tuple[Source, int]:
    """Read a whole file and collect what is wrong with it; how many items it had."""
    source = Source(path, collect=True)
    items = 0
    seen: set[object] = set()
    try:
        with io.open_lines(path) as lines, progress(lines.name, lines.size) as watch:
            source.name = lines.name
            for item in formats.read_lines(lines, from_format, source, path):
                items += 1
                watch(lines.position)
                source.findings.extend(check(item, source))
                key = getattr(item, "key", item.id)
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


def _row(finding: Finding) -> dict[str, object]:
    return {"rule": finding.rule, "line": finding.line, "message": finding.message}


def _list_rules(ctx: click.Context) -> None:
    width = max(map(len, RULES))
    for rule, meaning in RULES.items():
        click.echo(f"{rule:{width}}  {meaning}")
    ctx.exit()
