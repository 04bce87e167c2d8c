"""A column of texts in pandas, and on real processes of Ray, Spark and Dask: the same answers."""

from __future__ import annotations

import json
import os
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import coindex
from coindex.errors import InvalidValue
from coindex.integrations.dataframes import ColumnResolver, map_dask, map_ray, map_spark
from coindex.resolvers.resolver import Resolver

pandas = pytest.importorskip("pandas", reason="needs pandas: pip install 'coindex[dataframes]'")
NAMES = ("Ann", "Ben", "Clara", "Dov", "Elif", "Finn", "Grace", "Hugo")
COUNTS = [100, pytest.param(1000, marks=pytest.mark.full)]


def frame_of(count: int) -> Any:
    """Short texts, one in ten of them missing or empty."""
    texts: list[str | None] = []
    for number in range(count):
        first, second = NAMES[number % 8], NAMES[(number // 8 + number + 1) % 8]
        text = f"{first} met {second} in town {number}. She told him that he had lost his bag."
        texts.append({3: None, 7: ""}.get(number % 20, text))
    labels = [f"row {number}" for number in range(count)]
    return pandas.DataFrame({"label": labels, "body": texts, "size": range(count)})


@pytest.fixture(scope="module")
def column() -> ColumnResolver:
    return ColumnResolver(coindex.load(threads=1), text="body", id="label")


def plain(frame: Any) -> list[tuple[Any, ...]]:
    """The rows of a data frame in a fixed order, with None for what is missing."""
    frame = frame.astype(object)
    frame = frame.where(frame.notna(), None)[["size", "label", "body", "entities", "reason"]]
    return sorted(map(tuple, frame.to_numpy().tolist()))


def probing(column: ColumnResolver) -> Callable[[Any], Any]:
    """The column's function, which adds the process that ran it and how many models it has."""

    def probe(frame: Any) -> Any:
        from coindex.resolvers import model_reference

        return column(frame).assign(process=os.getpid(), models=len(model_reference._MODELS))

    return probe


def check(found: Any, column: ColumnResolver, count: int) -> None:
    """The same rows as in one process."""
    expected = plain(column(frame_of(count)))
    assert plain(found) == expected
    assert sum(row[4] is not None for row in expected) == count // 20
    assert sum('"she"' in (row[3] or "").lower() for row in expected) > count // 2


# --- pandas


def test_rows_are_those_of_resolve(column: ColumnResolver) -> None:
    frame = frame_of(12).set_index("size", drop=False)[::-1]
    found = column(frame)
    assert list(found.columns) == ["label", "body", "size", "entities", "reason"]
    assert list(found.index) == list(frame.index)
    assert found[["label", "body", "size"]].equals(frame)
    assert "entities" not in frame.columns
    from coindex.transform.resolved_entities import as_json

    for row in found.itertuples():
        if not isinstance(row.body, str):
            assert (row.reason, row.entities is pandas.NA) == ("expected a str, found None", True)
            continue
        wanted = as_json(column.resolver.resolve(coindex.Document(row.label, row.body)))
        del wanted["text"]
        assert json.loads(row.entities) == wanted
        assert row.reason is pandas.NA
    assert len(column(frame[:0])) == 0
    assert list(column(frame[:0]).columns) == list(found.columns)


def test_values_that_are_no_texts_have_a_reason() -> None:
    column = ColumnResolver(coindex.load(threads=1))
    values = ["Ann lost her keys.", None, float("nan"), pandas.NA, 3, b"Ann", {"a": 1}, ["Ann"], ""]
    found = column(pandas.DataFrame({"text": pandas.Series(values, dtype=object)}))
    assert found["reason"].tolist() == [
        pandas.NA, *["expected a str, found None"] * 3, "expected a str, found the type int",
        "expected a str, found the type bytes", "expected a str, found the type dict",
        "expected a str, found the type list", pandas.NA,
    ]  # fmt: skip
    assert json.loads(found["entities"][0])["entities"][0]["name"] == "Ann"
    assert set(json.loads(found["entities"][0])) == {"entities"}, "without an id"


def test_an_error_of_one_row_is_its_reason() -> None:
    class Failing:
        signature = "failing"

        def resolve(self, documents: Any, on_progress: Any = None) -> Any:
            for document in documents:
                if "crash" in document.text:
                    raise RuntimeError("out of\norder")
                if "memory" in document.text:
                    raise MemoryError
                yield document

    column = ColumnResolver(Resolver(Failing()))
    found = column(pandas.DataFrame({"text": ["fine", "crash", "fine"]}))
    assert found["reason"].tolist() == [pandas.NA, "RuntimeError: out of order", pandas.NA]
    assert found["entities"].isna().tolist() == [False, True, False]
    with pytest.raises(MemoryError):
        column(pandas.DataFrame({"text": ["memory"]}))


def test_wrong_columns_are_an_error(column: ColumnResolver) -> None:
    frame = frame_of(1)
    with pytest.raises(InvalidValue, match="expected one column 'body', found label, size"):
        column(frame.drop(columns="body"))
    with pytest.raises(InvalidValue, match="expected one column 'label', found body, size"):
        column(frame.drop(columns="label"))
    with pytest.raises(InvalidValue, match="expected no column 'reason' yet"):
        column(frame.assign(reason=1))
    with pytest.raises(InvalidValue, match="expected two columns to add, found 'x' twice"):
        ColumnResolver(column.resolver, entities="x", reason="x")
    with pytest.raises(
        InvalidValue, match=r"expected a resolver of coindex.load, found the type s"
    ):
        ColumnResolver("base")  # type: ignore[arg-type]


def test_it_is_sent_as_a_reference(column: ColumnResolver) -> None:
    data = pickle.dumps(column)
    assert len(data) < 2000
    assert plain(pickle.loads(data)(frame_of(8))) == plain(column(frame_of(8)))


# --- clusters


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("count", COUNTS)
def test_dask(column: ColumnResolver, count: int) -> None:
    dask = pytest.importorskip("dask.dataframe", reason="needs Dask: pip install 'coindex[dask]'")
    parts = dask.from_pandas(frame_of(count), npartitions=8)
    found = map_dask(parts, column)
    assert list(found.columns) == ["label", "body", "size", "entities", "reason"]
    check(found.compute(scheduler="processes", num_workers=2), column, count)
    probed = parts.map_partitions(
        probing(column), meta=column(parts._meta).assign(process=1, models=1)
    ).compute(scheduler="processes", num_workers=2)
    assert os.getpid() not in set(probed["process"])
    assert set(probed["models"]) == {1}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("count", COUNTS)
def test_ray(column: ColumnResolver, count: int) -> None:
    pytest.importorskip("pyarrow", reason="needs PyArrow: pip install 'coindex[dataframes]'")
    ray = pytest.importorskip("ray", reason="needs Ray: pip install 'coindex[ray]'")
    paths = os.environ.get("PYTHONPATH", "")
    ray.init(
        num_cpus=2, include_dashboard=False, log_to_driver=False,
        runtime_env={"env_vars": {"PYTHONPATH": paths}},
    )  # fmt: skip
    try:
        ray.data.DataContext.get_current().enable_progress_bars = False
        dataset = ray.data.from_pandas(frame_of(count)).repartition(4)
        check(map_ray(dataset, column, batch_size=32).to_pandas(), column, count)
        probed = dataset.map_batches(probing(column), batch_format="pandas").to_pandas()
        assert os.getpid() not in set(probed["process"])
        assert set(probed["models"]) == {1}
    finally:
        ray.shutdown()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("count", COUNTS)
def test_spark(column: ColumnResolver, count: int, tmp_path: Path) -> None:
    pytest.importorskip("pyspark", reason="needs Spark: pip install 'coindex[spark]'")
    if shutil.which("java") is None:
        pytest.skip("needs Java for Spark, such as Debian's default-jre-headless")
    import sys

    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.sql.warehouse.dir", str(tmp_path))
        .config("spark.sql.shuffle.partitions", "2")
        .getOrCreate()
    )
    try:
        rows = plain_rows(frame_of(count))
        frame = session.createDataFrame(rows, "label string, body string, size long").repartition(4)
        found = map_spark(frame, column)
        assert found.schema.simpleString() == (
            "struct<label:string,body:string,size:bigint,entities:string,reason:string>"
        )
        collected = pandas.DataFrame([row.asDict() for row in found.collect()])
        check(collected, column, count)
        probe = probing(column)
        schema = "label string, body string, size long, entities string, reason string,"
        probed = frame.mapInPandas(
            lambda frames: map(probe, frames), f"{schema} process long, models long"
        ).collect()
        assert os.getpid() not in {row["process"] for row in probed}
        assert {row["models"] for row in probed} == {1}
        with pytest.raises(InvalidValue, match="expected one column 'body', found label, size"):
            map_spark(frame.drop("body"), column)
    finally:
        session.stop()


def plain_rows(frame: Any) -> list[tuple[Any, ...]]:
    """The rows with None for missing texts."""
    return [
        (label, body if isinstance(body, str) else None, int(size))
        for label, body, size in frame.itertuples(index=False)
    ]
