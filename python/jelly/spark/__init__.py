"""Spark sessions whose workers find this library. Needs the extra ``jelly-patch[spark]``.

Spark starts its Python workers as ``python3``, not with the interpreter that runs the driver. Where
those differ, as in a virtual environment that is not activated, workers lack this library and
pyarrow. So either

    spark = jelly.spark.session("my app")

or, with a builder or a session of your own,

    spark = SparkSession.builder.config(map=jelly.spark.settings()).getOrCreate()

In it, files are read and written as Parquet is, by name:

    patches = spark.read.format("jelly-patch").load("logs")

:mod:`jelly.spark.files` describes the options, :mod:`jelly.spark.kafka` those of messages, :mod:`jelly.spark.grpc` those of topics over gRPC, and
:mod:`jelly.spark.tables` what patches mean to tables: ``jelly.spark.apply(base, patches)``. On a cluster, ``PYSPARK_PYTHON`` names the interpreter that the executors have; it is respected.
"""

from jelly.spark._register import register
from jelly.spark._session import session, settings
from jelly.spark.counting import count
from jelly.spark.files.vacuum import vacuum
from jelly.spark.kafka.connector import from_kafka
from jelly.spark.parquet import write_parquet
from jelly.spark.tables import (
    apply,
    as_of,
    between,
    changes,
    diff,
    history,
    net,
    prefixes,
    quad_keys,
)

__all__ = [
    "apply",
    "as_of",
    "between",
    "changes",
    "count",
    "diff",
    "from_kafka",
    "history",
    "net",
    "prefixes",
    "quad_keys",
    "register",
    "session",
    "settings",
    "vacuum",
    "write_parquet",
]


def __dir__() -> list[str]:
    return __all__
