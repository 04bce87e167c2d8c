"""`coindex train quizbowl`: cross-validation, and a model in one file."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from coindex import io
from coindex.cli import common
from coindex.cli.vector_warnings import warn_missing_vectors
from coindex.errors import UsageError
from coindex.report.progress_bar import progress_bar
from coindex.types.document import Document

if TYPE_CHECKING:
    from coindex.models.mention_pair.train import Learner


@dataclass(frozen=True, slots=True)
class QuizbowlOptions:
    """The options of `coindex train quizbowl`."""

    files: tuple[str, ...]
    output: Path | None
    folds: int | None
    support: tuple[str, ...]
    dev: tuple[str, ...]
    neural: str | None
    overrides: tuple[str, ...]
    vectors: tuple[str, ...]
    pipeline: str | None
    seed: int
    from_format: str | None
    as_json: bool

    def learner(self) -> Learner:
        """The learner of the settings."""
        from coindex.models.mention_pair.recipe import config_from_overrides
        from coindex.models.mention_pair.train import learner

        sources = self.vectors or ("encoder",)
        warn_missing_vectors(sources)
        config = config_from_overrides(self.overrides)
        return learner(config, pipeline=self.pipeline, sources=sources)


@click.command("quizbowl")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("-o", "--output", metavar="MODEL", type=click.Path(path_type=Path),
              help="Train on all documents and write the model to MODEL, one file.")  # fmt: skip
@click.option("--folds", type=click.IntRange(2), metavar="K",
              help="Cross-validate, beside two baselines.")  # fmt: skip
@click.option("--support", multiple=True, metavar="FILE",
              help="Documents to train on as well, in every fold; never scored.")  # fmt: skip
@click.option("--dev", multiple=True, metavar="FILE",
              help="Choose the link rule and its threshold on these.")  # fmt: skip
@click.option("--neural", metavar="FOLDER", help="Add the row of a neural model to the folds.")
@common.set_option("rule=transitive, families=tokens,window")
@common.vectors_option
@common.pipeline_option
@common.seed_option()
@common.from_option
@common.json_option
@common.typed_options(QuizbowlOptions)
def quizbowl(options: QuizbowlOptions) -> None:
    """Train the Quiz Bowl system: mentions by a CRF, and a classifier of pairs.

    FILE is a document, several of them, or a folder. With --folds the system is
    cross-validated with gold, CRF and rule-based mentions; with -o it is trained on
    everything and written to MODEL, for `coindex resolve --model MODEL`.
    """
    if not options.output and not options.folds:
        raise UsageError("expected -o MODEL to train, or --folds K to cross-validate, found none")
    from coindex.models.mention_pair.cross_validation import check_disjoint

    if options.output:
        io.check_writable(options.output)
    documents = common.read_documents(options.files, options.from_format)
    support = common.read_documents(options.support, options.from_format)
    dev = common.read_documents(options.dev, options.from_format)
    check_disjoint([*documents, *support, *dev], "in FILE, --support or --dev")
    learner = options.learner()
    results = {}
    if options.folds:
        results["folds"] = _cross_validate(documents, support, learner, options.folds, options)
    if options.output:
        results["model"] = _train([*documents, *support], dev, learner, options.output, options)
    if options.as_json:
        common.print_json(results)


def _cross_validate(
    documents: list[Document], support: list[Document], learner: Learner, folds: int,
    options: QuizbowlOptions,
) -> dict[str, object]:  # fmt: skip
    from coindex.models.mention_pair.cross_validation import cross_validate, tables, with_system
    from coindex.models.mention_pair.model import annotates_singletons

    with progress_bar() as on_progress:
        validation = cross_validate(
            documents, learner, support=support, folds=folds, seed=options.seed,
            on_progress=on_progress,
        )  # fmt: skip
    if options.neural:
        from coindex.resolvers.resolver import load

        neural = load(options.neural, singletons=annotates_singletons(documents))
        predictions = neural.resolve(documents)
        validation = with_system(validation, "neural", documents, predictions)
    if not options.as_json:
        click.echo(common.render_tables(tables(validation, folds), output=""))
    return validation.as_json()


def _train(
    documents: list[Document], dev: list[Document], learner: Learner, output: Path,
    options: QuizbowlOptions,
) -> dict[str, object]:  # fmt: skip
    from coindex.models.mention_pair import artifact
    from coindex.models.mention_pair.train import choose_threshold

    model = learner.train(documents, options.seed).model
    metadata: dict[str, object] = {}
    if dev:
        model, trials = choose_threshold(model, learner, dev)
        metadata["dev"] = [asdict(each) for each in trials]
    artifact.save(model, output, metadata)
    if not options.as_json:
        config = model.config
        click.echo(
            f"{output}: trained on {len(documents)} document(s), model {model.digest},"
            f" {config.rule} from {config.threshold}"
        )
    return {"file": str(output), **artifact.describe(model), "facts": metadata}
