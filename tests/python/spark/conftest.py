"""A Spark session for the tests that are marked `spark`."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from object_store import ObjectStore

    from .tables import Table


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Two cores, with Spark's own check of the schemas that Python returns."""
    pytest.importorskip("pyspark", reason="pyspark is not installed")
    if not os.environ.get("JAVA_HOME") and shutil.which("java") is None:
        pytest.skip("Java is not installed")
    import jelly.spark

    conf: dict[str, bool | str] = {
        "spark.master": "local[2,2]",  # a task that fails is repeated once
        "spark.ui.enabled": False,
        "spark.log.level": "OFF",
        "spark.python.daemon.module": "warm_daemon",
        "spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("warehouse")),
        "spark.sql.execution.arrow.pyspark.validateSchema.enabled": True,
    }
    with pytest.MonkeyPatch.context() as environment:  # Java keeps what it has when it starts
        environment.setenv("PYTHONPATH", str(Path(__file__).with_name("workers")), os.pathsep)
        session = jelly.spark.session("tests", conf)
    yield session
    session.stop()


@pytest.fixture(params=["local", "s3"])
def table(request: pytest.FixtureRequest, tmp_path: Path) -> Table:
    """A folder here, then one on an object store."""
    pytest.importorskip("pyspark", reason="pyspark is not installed")
    from .tables import Table

    if request.param == "local":
        return Table(str(tmp_path / "to"))
    store: ObjectStore = request.getfixturevalue("store")
    return Table(f"{store.bucket()}/to", store)


@pytest.fixture(scope="session")
def jelly_spark(spark: SparkSession) -> SparkSession:
    """The session, with our data sources."""
    import jelly.spark

    jelly.spark.register(spark)
    return spark


@pytest.fixture
def few(spark: SparkSession) -> Iterator[SparkSession]:
    """The session, with one partition after a shuffle: for tables of few rows."""
    before = spark.conf.get("spark.sql.shuffle.partitions")
    assert before is not None
    spark.conf.set("spark.sql.shuffle.partitions", 1)
    yield spark
    spark.conf.set("spark.sql.shuffle.partitions", before)
