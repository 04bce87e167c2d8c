"""Resolve a column of texts: pandas in, pandas out, and the same on Ray, Spark and Dask.

    import coindex
    from coindex.integrations.dataframes import ColumnResolver
    column = ColumnResolver(coindex.load(threads=1), text="body")
    frame = column(frame)                        # a pandas data frame
    dataset = map_ray(dataset, column)           # Ray Data, a task for each batch
    frame = map_spark(frame, column)             # Spark, by mapInPandas
    frame = map_dask(frame, column)              # Dask, by map_partitions

A `ColumnResolver` is sent to workers as a reference to its model, which each process loads once.
All rows and columns are kept, in their order. Two columns are added: the entities as JSON, and for
rows that could not be resolved the reason. The result of a row depends on its text alone, so
it does not depend on how the rows were divided.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from coindex.errors import InvalidValue, import_extra
from coindex.resolvers.resolver import Resolver
from coindex.transform.resolved_entities import as_json
from coindex.types.document import Document
from coindex.types.text_values import found

if TYPE_CHECKING:
    from pandas import DataFrame

_STRINGS = "string"  # pandas' type for texts that may be missing; a string in Arrow and in Spark


@dataclass(frozen=True, slots=True)
class ColumnResolver:
    """A function from one pandas data frame to another, which can be sent to other processes.

    resolver  what resolves; one thread is right where every core has a worker
    text      the column with the texts
    entities  the column to add: an object as `coindex resolve --to jsonl` writes it, without the
              text, or missing if the row was not resolved
    reason    the column to add: why a row was not resolved, or missing
    id        a column with the ids of the texts, to be `id` in the object
    """

    resolver: Resolver
    text: str = "text"
    entities: str = "entities"
    reason: str = "reason"
    id: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.resolver, Resolver):
            raise InvalidValue(f"expected a resolver of coindex.load, {found(self.resolver)}")
        if self.entities == self.reason:
            raise InvalidValue(f"expected two columns to add, found {self.entities!r} twice")

    def __call__(self, frame: DataFrame) -> DataFrame:
        """The data frame with the two columns added."""
        pandas = import_extra("pandas", "dataframes")
        self.check(frame.columns)
        ids = [None] * len(frame) if self.id is None else frame[self.id].tolist()
        column = frame[self.text].astype(object)
        texts = column.where(column.notna(), None).tolist()
        rows = [self._row(*each) for each in zip(texts, ids, strict=True)]
        added = {
            name: pandas.array([row[at] for row in rows], dtype=_STRINGS)
            for at, name in enumerate((self.entities, self.reason))
        }
        return frame.assign(**added)

    def batches(self, frames: Iterable[DataFrame]) -> Iterator[DataFrame]:
        """The same for a sequence of data frames, as `mapInPandas` wants it."""
        return map(self, frames)

    def check(self, columns: Iterable[object]) -> None:
        """An error unless the columns to read are there and those to add are not."""
        names = [str(name) for name in columns]
        for name in (self.text, *([] if self.id is None else [self.id])):
            if names.count(name) != 1:
                raise InvalidValue(
                    f"expected one column {name!r}, found {', '.join(names) or 'none'}"
                )
        for name in (self.entities, self.reason):
            if name in names:
                raise InvalidValue(f"expected no column {name!r} yet: choose another name for it")

    def _row(self, text: object, id: object) -> tuple[str | None, str | None]:
        """The entities of a row as JSON, or the reason why there are none."""
        try:
            if not isinstance(text, str):
                raise InvalidValue(f"expected a str, {found(text)}")
            resolved = self.resolver.resolve(Document("" if id is None else str(id), text))
        except MemoryError:
            raise
        except Exception as error:
            line = " ".join(str(error).split())
            return None, line if isinstance(
                error, InvalidValue
            ) else f"{type(error).__name__}: {line}"
        values = as_json(resolved, text=False)
        if id is None:
            del values["id"]
        return json.dumps(values, ensure_ascii=False), None


def map_ray(dataset: Any, column: ColumnResolver, batch_size: int = 256) -> Any:
    """A Ray dataset with the two columns added; each worker process loads the model once."""
    import_extra("pandas", "dataframes")
    return dataset.map_batches(column, batch_format="pandas", batch_size=batch_size)


def map_spark(frame: Any, column: ColumnResolver) -> Any:
    """A Spark data frame with the two columns added, both strings that may be null."""
    types = import_extra("pyspark.sql.types", "spark", "pyspark")
    column.check(frame.columns)
    added = [
        types.StructField(name, types.StringType(), True)
        for name in (column.entities, column.reason)
    ]
    return frame.mapInPandas(column.batches, types.StructType([*frame.schema.fields, *added]))


def map_dask(frame: Any, column: ColumnResolver) -> Any:
    """A Dask data frame with the two columns added, a task for each partition."""
    return frame.map_partitions(column, meta=column(frame._meta))
