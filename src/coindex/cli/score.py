"""Score responses against a key: every metric, minimum spans, intervals, significance."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import replace
from itertools import combinations
from typing import Any

import click

from coindex import formats, io, matching
from coindex.cli._common import from_option, json_option, print_json, read_all, short_names
from coindex.core.document import Document
from coindex.errors import UsageError
from coindex.scoring import tables
from coindex.scoring.align import align, with_trees
from coindex.scoring.api import metric_names
from coindex.scoring.grid import Grid
from coindex.scoring.run import Options, Result, score_pairs
from coindex.scoring.significance import RESAMPLES, SEED, compare, intervals

Pairs = list[tuple[Document, Document]]


@click.command(name="score")
@click.argument("key")
@click.argument("responses", nargs=-1, required=True, metavar="RESPONSE...")
@click.option(
    "--metrics",
    default="conll",
    show_default=True,
    help="conll, all, or names by commas: mentions,muc,b3,ceafm,ceafe,blanc,lea.",
)
@click.option(
    "--match",
    default=None,
    metavar="RULE,...",
    help="exact, mina, head, partial; several by commas.  [default: exact; for several"
    " responses to a key with trees: exact,mina,head]",
)
@click.option(
    "--singletons", type=click.Choice(["keep", "drop"]), default="keep", show_default=True
)
@click.option("--zeros", type=click.Choice(["keep", "drop"]), default="keep", show_default=True)
@click.option(
    "--missing",
    type=click.Choice(["error", "empty"]),
    default="error",
    show_default=True,
    help="What a document that the response lacks is.",
)
@click.option("--trees", metavar="FILE", help="Penn-bracketed trees for the key, one a sentence.")
@click.option("--per-document", is_flag=True, help="A row for each document.")
@click.option("--by", type=click.Choice(["type"]), help="Scores for each type of mention.")
@click.option("--errors", "show_errors", is_flag=True, help="What went wrong, with examples.")
@click.option("--examples", default=5, show_default=True, help="How many examples of each error.")
@click.option(
    "--resamples",
    default=RESAMPLES,
    show_default=True,
    type=click.IntRange(100),
    help="How often documents are resampled for intervals and tests.",
)
@click.option("--seed", default=SEED, show_default=True)
@click.option("--markdown", "style", flag_value="markdown", help="Print Markdown tables.")
@click.option("--latex", "style", flag_value="latex", help="Print LaTeX tables.")
@click.option("--html", "style", flag_value="html", help="Print a page with pictures.")
@click.option("-o", "--output", default="-", metavar="OUT", help="Write there instead.")
@from_option
@json_option
def command(key: str, responses: tuple[str, ...], **options: Any) -> None:
    """Score one or more RESPONSEs against a KEY, in any document format.

    Recall, precision and F1 in percent, with 95 % bootstrap intervals over
    documents. Several responses are ranked under maximum, MINA and head spans
    side by side, and compared by two paired tests. Every number has its signature.
    """
    run = Run(key, responses, options)
    if options["as_json"]:
        print_json(run.json())
        return
    from coindex.scoring.render import render

    style = options["style"] or "text"
    shown = style == "text" and options["output"] == "-" and sys.stdout.isatty()
    width = shutil.get_terminal_size().columns if shown else None
    text = render(run.grids(), style, width=width, color=shown and "NO_COLOR" not in os.environ)
    if options["output"] == "-":
        click.echo(text)
    else:
        io.write_text(options["output"], [text, "" if text.endswith("\n") else "\n"])
        click.echo(f"written to {options['output']}", err=True)


class Run:
    """One run of the command: everything read and scored, to be shown in any style."""

    def __init__(self, key: str, responses: tuple[str, ...], options: dict[str, Any]) -> None:
        self.options = options
        self.key = _documents(key, options["from_format"])
        if options["trees"]:
            self.key = list(with_trees(self.key, io.read_text(options["trees"]), options["trees"]))
        self.rules = self._rules(len(responses))
        self.pairs: dict[str, Pairs] = {name: self._pairs(name) for name in responses}
        self.names = dict(zip(responses, short_names(list(responses)), strict=True))
        self.results = {
            rule: [self._result(rule, name) for name in self.pairs] for rule in self.rules
        }
        self.first = self.results[self.rules[0]]
        self.intervals = [
            intervals(result, options["resamples"], options["seed"]) for result in self.first
        ]
        self.comparisons = [
            compare(a, b, self.metric, options["resamples"], options["seed"])
            for a, b in combinations(self.first, 2)
            if len(a.documents) > 1
        ]

    @property
    def metric(self) -> str:
        """The metric that decides: the CoNLL average, or the last one asked for."""
        names = self.first[0].options.metrics
        return "conll" if "conll" in names else names[-1]

    def _rules(self, count: int) -> list[str]:
        if self.options["match"]:
            rules = [rule.strip() for rule in self.options["match"].split(",")]
        else:
            trees = all(document.parse is not None for document in self.key)
            rules = ["exact", "mina", "head"] if count > 1 and trees else ["exact"]
        for rule in rules:
            matching.load(rule)
        return rules

    def _pairs(self, name: str) -> Pairs:
        documents = _documents(name, self.options["from_format"])
        notes: list[str] = []
        zeros, missing = self.options["zeros"], self.options["missing"]
        pairs = list(
            align(self.key, documents, zeros=zeros, missing=missing, name=name, notes=notes)
        )
        for note in notes[:5]:
            click.echo(note, err=True)
        if len(notes) > 5:
            click.echo(f"{name}: words differ in {len(notes) - 5} more documents", err=True)
        return pairs

    def _result(self, rule: str, name: str) -> Result:
        return score_pairs(self.pairs[name], self._options(rule), self.names[name])

    def _options(self, rule: str) -> Options:
        options = self.options
        return Options(
            metric_names(options["metrics"]), rule, options["singletons"], options["zeros"]
        )

    def grids(self) -> list[Grid]:
        """What to show, as tables."""
        draws = {"resamples": self.options["resamples"], "seed": self.options["seed"]}
        if len(self.first) == 1:
            grids = [tables.score_grid(self.first[0], self.intervals[0], **draws)]
        else:
            grids = [tables.systems_grid(self.first, self.intervals, **draws)]
        if self.comparisons:
            grids.append(tables.comparison_grid(self.comparisons, **draws))
        if len(self.rules) > 1:
            grids.append(tables.ranking_grid(self.results, self.metric))
        for result, pairs in zip(self.first, self.pairs.values(), strict=True):
            signature = f"Signature: {result.signature}"
            for grid in self._details(result, pairs):
                grids.append(replace(grid, notes=(*grid.notes, signature)))
        return grids

    def _details(self, result: Result, pairs: Pairs) -> list[Grid]:
        name = result.name
        grids = [tables.document_grid(result)] if self.options["per_document"] else []
        if self.options["by"]:
            from coindex.scoring import by_type

            counts = by_type.count_by_type(pairs, result.options)
            grids.append(by_type.type_grid(counts, f"{name}: by type of mention"))
        if self.options["show_errors"]:
            from coindex.scoring import errors

            report = errors.find_errors(pairs, result.options, examples=self.options["examples"])
            found = errors.error_grids(report)
            grids += [replace(grid, title=f"{name}: {grid.title}") for grid in found]
        return grids

    def json(self) -> dict[str, Any]:
        """What to show, for machines."""
        found: dict[str, Any] = {"signature": self.first[0].signature, "systems": []}
        for path, result, low_high in zip(self.pairs, self.first, self.intervals, strict=True):
            found["systems"].append(self._system(path, result, low_high))
        if len(self.rules) > 1:
            found["rules"] = {
                rule: [tables.result_json(r, {}) | {"signature": r.signature} for r in results]
                for rule, results in self.results.items()
            }
        if self.comparisons:
            found["comparisons"] = [tables.comparison_json(each) for each in self.comparisons]
        return found

    def _system(self, path: str, result: Result, low_high: Any) -> dict[str, Any]:
        system = tables.result_json(result, low_high) | {"signature": result.signature}
        system["file"] = path
        if self.options["per_document"]:
            system["documents"] = [
                {"id": id} | tables.scores_json(result.document_scores(row))
                for row, id in enumerate(result.documents)
            ]
        if self.options["by"]:
            from coindex.scoring import by_type

            counts = by_type.count_by_type(self.pairs[path], result.options)
            system["by_type"] = {
                name: tables.scores_json(scores)
                for name, scores in by_type.type_scores(counts).items()
            }
        if self.options["show_errors"]:
            from coindex.scoring import errors

            report = errors.find_errors(
                self.pairs[path], result.options, examples=self.options["examples"]
            )
            system["errors"] = errors.error_json(report)
        return system


def _documents(path: str, from_format: str | None) -> list[Document]:
    documents = [item for item in read_all([path], from_format) if isinstance(item, Document)]
    if not documents:
        raise UsageError(f"{path}: scoring needs documents: {', '.join(formats.names('document'))}")
    return documents
