"""Functions over DataFrames of patches: :func:`changes`, :func:`net`, :func:`apply`, :func:`diff` and so on.

    log = spark.read.format("jelly-patch").load("logs")
    base = spark.read.format("jelly").load("base.jelly")
    jelly.spark.apply(base, log).write.parquet("now")

The functions give the same results as :func:`jelly.apply` and the related functions, and reject the same input.
"""

from jelly.spark.tables.applying import apply, as_of
from jelly.spark.tables.changing import between, changes, net, prefixes
from jelly.spark.tables.diffing import diff
from jelly.spark.tables.keys import quad_keys
from jelly.spark.tables.periods import history

__all__ = [
    "apply",
    "as_of",
    "between",
    "changes",
    "diff",
    "history",
    "net",
    "prefixes",
    "quad_keys",
]
