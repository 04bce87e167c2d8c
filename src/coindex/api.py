"""The public API: every name that is stable, with the module that defines it.

`docs/reference/api.md` is generated from this table. `TOP_LEVEL` names are attributes of `coindex`
itself and are imported when they are first used, so that `import coindex` is instant; the others
are imported from their modules, such as `from coindex.evaluate.run import run_benchmarks`.
"""

from __future__ import annotations

TOP_LEVEL = {
    "load": "coindex.resolvers.resolver",
    "Resolver": "coindex.resolvers.resolver",
    "read": "coindex.formats",
    "write": "coindex.formats",
    "score": "coindex.scoring.api",
    "to_html": "coindex.report.viewer.notebook",
    "to_pandas": "coindex.integrations.pandas_tables",
    "Document": "coindex.types.document",
    "Mention": "coindex.types.mention",
    "Entity": "coindex.types.mention",
    "Problem": "coindex.types.problem",
    "Candidate": "coindex.types.problem",
    "Span": "coindex.types.span",
    "Chars": "coindex.types.span",
    "CoindexError": "coindex.errors",
    "FormatError": "coindex.errors",
    "InvalidValue": "coindex.errors",
}
"""Attributes of `coindex`, with their modules."""

SECTIONS: dict[str, tuple[str, ...]] = {
    "Resolve": ("load", "Resolver"),
    "Data frames": ("ColumnResolver", "map_ray", "map_spark", "map_dask"),
    "Read and write": ("read", "write"),
    "Score": ("score",),
    "Notebooks": ("to_html", "to_pandas"),
    "Objects": ("Document", "Mention", "Entity", "Problem", "Candidate", "Span", "Chars", "Decision"),
    "Benchmarks": ("run_benchmarks", "BenchOptions"),
    "Audits": ("run_audit", "AuditOptions", "Audit", "ResolverSubject", "AuditFigure"),
    "Models": ("open_model",),
    "HTTP service": ("Client", "AsyncClient", "ClientOptions", "ServiceError"),
    "Annotation app": ("AnnotateClient", "AnnotateApiError"),
    "Plugins": (
        "plugins",
        "DocumentFormat",
        "TwoFileFormat",
        "BinaryFormat",
        "ProblemFormat",
        "Metric",
        "CountingMetric",
        "MatchingRule",
        "Benchmark",
        "DocumentBenchmark",
        "Builder",
        "TextSource",
        "Generator",
        "ResolverPlugin",
        "ResolverSettings",
        "Decider",
        "Clusterer",
        "Measurement",
        "Strategy",
        "CommandModule",
    ),
    "Progress": ("Progress",),
    "Errors": ("CoindexError", "InvalidValue", "InputError", "FormatError", "UnknownName",
               "UsageError", "MissingExtra"),
}  # fmt: skip
"""The sections of the reference page, in order."""

_MODULES = {
    "ColumnResolver": "coindex.integrations.dataframes",
    "map_ray": "coindex.integrations.dataframes",
    "map_spark": "coindex.integrations.dataframes",
    "map_dask": "coindex.integrations.dataframes",
    "Decision": "coindex.types.decision",
    "run_benchmarks": "coindex.evaluate.run",
    "BenchOptions": "coindex.evaluate.options",
    "run_audit": "coindex.audit.run",
    "AuditOptions": "coindex.audit.run",
    "Audit": "coindex.audit.run",
    "ResolverSubject": "coindex.audit.subject",
    "AuditFigure": "coindex.audit.measurements.protocol",
    "Measurement": "coindex.audit.measurements.protocol",
    "open_model": "coindex.models",
    "Client": "coindex.client",
    "AsyncClient": "coindex.client",
    "ClientOptions": "coindex.client",
    "ServiceError": "coindex.client",
    "AnnotateClient": "coindex.annotate.client",
    "AnnotateApiError": "coindex.annotate.client",
    "DocumentFormat": "coindex.formats.protocol",
    "TwoFileFormat": "coindex.formats.protocol",
    "BinaryFormat": "coindex.formats.protocol",
    "ProblemFormat": "coindex.formats.protocol",
    "Metric": "coindex.scoring.metrics.protocol",
    "CountingMetric": "coindex.scoring.metrics.protocol",
    "MatchingRule": "coindex.scoring.matching.protocol",
    "Benchmark": "coindex.benchmarks.protocol",
    "DocumentBenchmark": "coindex.benchmarks.protocol",
    "Builder": "coindex.builders.protocol",
    "TextSource": "coindex.builders.sources.protocol",
    "Generator": "coindex.generators.protocol",
    "ResolverPlugin": "coindex.resolvers.protocol",
    "ResolverSettings": "coindex.resolvers.protocol",
    "Decider": "coindex.resolvers.protocol",
    "Clusterer": "coindex.resolvers.protocol",
    "Strategy": "coindex.active.strategies.protocol",
    "CommandModule": "coindex.cli.protocol",
    "Progress": "coindex.types.progress",
    "InputError": "coindex.errors",
    "UnknownName": "coindex.errors",
    "UsageError": "coindex.errors",
    "MissingExtra": "coindex.errors",
}


def target(name: str) -> str:
    """Where a public name is defined, as `module:name`; a module is given without the name."""
    if name == "plugins":
        return "coindex.plugins"
    return f"{TOP_LEVEL.get(name) or _MODULES[name]}:{name}"
