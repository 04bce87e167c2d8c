"""The models of the service: each is loaded once, and serves all options of requests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from coindex.annotate.errors import ApiError
from coindex.errors import UnknownName
from coindex.integrations.service.settings import ServiceSettings
from coindex.resolvers.protocol import ConfigurableClusterer, ResolverSettings
from coindex.resolvers.resolver import Resolver, load
from coindex.transform.speakers import with_speakers
from coindex.types.document import Document


@dataclass(frozen=True, slots=True)
class ResolveOptions:
    """The options of a request on which its result depends; texts of equal ones are batched."""

    model: str
    singletons: bool = False
    scheme: str | None = None
    speakers: str = "auto"
    markup: str = "auto"
    rules: str = "all"
    events: bool = False
    explain: bool = False


def without_speakers(document: Document, visible: str | None) -> Document:
    """A document as it is."""
    return document


class ModelPool:
    """The loaded models by their names."""

    def __init__(self, resolvers: Mapping[str, Resolver]) -> None:
        """Serve these resolvers; the first one is the default."""
        self._resolvers = dict(resolvers)

    @classmethod
    def load(cls, settings: ServiceSettings) -> ModelPool:
        """Load all models of the settings."""
        return cls(
            {
                name: load(model, threads=settings.threads, device=settings.device)
                for name, model in settings.models
            }
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the models, the default one first."""
        return tuple(self._resolvers)

    def resolver(self, options: ResolveOptions) -> Resolver:
        """A resolver for these options, over the weights that are loaded.

        An error if the model does not know the scheme or the rules, or has no such options.
        """
        if options.model not in self._resolvers:
            raise UnknownName("model", options.model, self.names)
        clusterer = self._resolvers[options.model].clusterer
        if isinstance(clusterer, ConfigurableClusterer):
            chosen = ResolverSettings(
                scheme=options.scheme, singletons=options.singletons, rules=options.rules,
                events=options.events, explain=options.explain,
            )  # fmt: skip
            clusterer = clusterer.with_settings(chosen)
        elif options.singletons or options.scheme or options.events or options.explain:
            message = f"the model {options.model} has none of: singletons, scheme, events, explain"
            raise ApiError(422, "invalid", message)
        return Resolver(
            clusterer=clusterer,
            speakers=without_speakers if options.speakers == "none" else with_speakers,
            markup=options.markup,
        )

    def describe(self) -> list[dict[str, Any]]:
        """Each model with its signature and its schemes."""
        described = []
        for name, resolver in self._resolvers.items():
            clusterer = resolver.clusterer
            known = clusterer.schemes if isinstance(clusterer, ConfigurableClusterer) else ()
            described.append(
                {"name": name, "signature": resolver.signature, "schemes": list(known)}
            )
        return described
