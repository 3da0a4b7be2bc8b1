"""Spark sessions whose workers find this library. Needs the extra ``jelly-patch[spark]``.

Spark starts its Python workers as ``python3``, not with the interpreter of the driver. If the two differ, as in a
virtual environment that is not activated, workers lack this library and pyarrow. So use either

    spark = jelly.spark.session("my app")

or, with your own builder or session,

    spark = SparkSession.builder.config(map=jelly.spark.settings()).getOrCreate()

In this session, files are read and written by format name, like Parquet:

    patches = spark.read.format("jelly-patch").load("logs")

:mod:`jelly.spark.files` describes the options for files, :mod:`jelly.spark.kafka` those for messages,
:mod:`jelly.spark.grpc` those for topics over gRPC, and :mod:`jelly.spark.tables` the functions for patches and
tables, such as ``jelly.spark.apply(base, patches)``. On a cluster, ``PYSPARK_PYTHON`` names the interpreter of the
executors; this library does not change it.
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
