"""`coindex train quizbowl`: cross-validation, and a model in one file."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import click

from coindex.cli._common import from_option, json_option, print_json, read_all
from coindex.core.document import Document
from coindex.errors import InputError, UsageError

Watch = Callable[[str, int, int], None]


@click.command("quizbowl")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("-o", "--output", metavar="MODEL", type=click.Path(path_type=Path),
              help="Train on all documents and write the model there: one file.")  # fmt: skip
@click.option("--folds", type=click.IntRange(2), metavar="K",
              help="Cross-validate, beside two baselines.")  # fmt: skip
@click.option("--support", multiple=True, metavar="FILE",
              help="Documents to train on as well, in every fold; never scored.")  # fmt: skip
@click.option("--dev", multiple=True, metavar="FILE",
              help="Choose the link rule and its threshold on these.")  # fmt: skip
@click.option("--neural", metavar="FOLDER", help="Add the row of a neural model to the folds.")
@click.option("--set", "changes", multiple=True, metavar="KEY=VALUE",
              help="Change a setting: rule=transitive, families=tokens,window.")  # fmt: skip
@click.option("--vectors", multiple=True, metavar="SOURCE",
              help="Word vectors: a file, the folder of a model, encoder or none."
                   "  [default: encoder]")  # fmt: skip
@click.option("--pipeline", metavar="NAME", help="The spaCy pipeline to parse with.")
@click.option("--seed", default=1, show_default=True, type=click.IntRange(0))
@from_option
@json_option
def quizbowl(files: tuple[str, ...], **options: Any) -> None:
    """Train the Quiz Bowl system: mentions by a CRF, and a classifier of pairs.

    FILE is a document, several of them, or a folder. With --folds the system is
    cross-validated with gold, CRF and rule-based mentions; with -o it is trained on
    everything and written to MODEL, for `coindex resolve --model MODEL`.
    """
    if not options["output"] and not options["folds"]:
        raise UsageError("expected -o MODEL to train, or --folds K to cross-validate, found none")
    from coindex.quizbowl.folds import check_apart

    if options["output"]:
        writable(options["output"])
    told: dict[str, Any] = {}
    given = options["from_format"]
    documents = documents_of(files, given)
    support = documents_of(options["support"], given)
    dev = documents_of(options["dev"], given)
    check_apart([*documents, *support, *dev], "in FILE, --support or --dev")
    learner = _learner(options)
    if options["folds"]:
        told["folds"] = _validate(documents, support, learner, options)
    if options["output"]:
        told["model"] = _train([*documents, *support], dev, learner, options)
    if options["as_json"]:
        print_json(told)


def documents_of(paths: Iterable[str], from_format: str | None) -> list[Document]:
    """The documents of files, and of the files in folders, sorted by name."""
    found = []
    for item in read_all(_files(paths), from_format):
        if not isinstance(item, Document):
            raise UsageError(f"expected documents, found a pronoun problem: {item.id}")
        found.append(item)
    return found


def writable(path: str | Path) -> None:
    """Say that a file cannot be written before any work goes into it."""
    place = Path(path).absolute()
    if place.is_dir():
        raise InputError(f"{path}: expected a file to write, found a folder")
    if not place.parent.is_dir():
        raise InputError(f"{path}: no such folder to write in")
    try:
        with NamedTemporaryFile(dir=place.parent, prefix=f".{place.name}."):
            pass
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from error


def _files(paths: Iterable[str]) -> Iterator[str]:
    for path in paths:
        if Path(path).is_dir():
            inside = sorted(Path(path).iterdir())
            yield from (str(p) for p in inside if p.is_file() and not p.name.startswith("."))
        else:
            yield path


def _learner(options: dict[str, Any]) -> Any:
    from coindex.quizbowl.learn import learner
    from coindex.quizbowl.options import changed

    sources = options["vectors"] or ("encoder",)
    tell_vectors(sources)
    return learner(changed(options["changes"]), pipeline=options["pipeline"], sources=sources)


def tell_vectors(sources: Iterable[str]) -> None:
    """Say that there will be no word vectors, and why, unless none are wanted."""
    from coindex.quizbowl import vectors

    for source in sources:
        why = vectors.lacking(source)
        if why and source != vectors.NONE:
            click.echo(f"coindex: {why}: no word vectors, no cosine feature", err=True)


def _validate(
    documents: list[Document], support: list[Document], learner: Any, options: dict[str, Any]
) -> dict[str, Any]:
    from coindex.quizbowl.folds import cross_validate, with_row
    from coindex.quizbowl.model import keeps_singletons
    from coindex.quizbowl.report import grids
    from coindex.scoring.render import render

    with bar() as watch:
        found = cross_validate(
            documents, learner, support=support, folds=options["folds"], seed=options["seed"],
            watch=watch,
        )  # fmt: skip
    if options["neural"]:
        from coindex.resolvers import Settings
        from coindex.resolvers.neural import load

        single = keeps_singletons(documents)
        neural = load(Settings(model=options["neural"], singletons=single))
        found = with_row(found, "neural", documents, list(neural.resolve(documents)))
    if not options["as_json"]:
        click.echo(render(grids(found, options["folds"]), "text"))
    return found.as_json()


def _train(
    documents: list[Document], dev: list[Document], learner: Any, options: dict[str, Any]
) -> dict[str, Any]:
    from coindex.quizbowl import package
    from coindex.quizbowl.choose import choose

    model = learner.train(documents, options["seed"]).model
    facts: dict[str, Any] = {}
    if dev:
        model, tried = choose(model, learner, dev)
        facts["dev"] = [each.as_json() for each in tried]
    package.save(model, options["output"], facts)
    if not options["as_json"]:
        config = model.config
        click.echo(
            f"{options['output']}: trained on {len(documents)} document(s), model {model.digest},"
            f" {config.rule} from {config.threshold}"
        )
    return {"file": str(options["output"]), **package.describe(model), "facts": facts}


@contextmanager
def bar() -> Iterator[Watch | None]:
    """A bar on standard error if that is a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    columns = ("{task.description}", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("parsing", total=None)
        yield lambda label, done, total: progress.update(
            task, description=label, completed=done, total=total
        )
