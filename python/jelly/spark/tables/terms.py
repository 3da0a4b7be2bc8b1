"""The four columns of a quad."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

QUAD = ("subject", "predicate", "object", "graph")


def named_graph() -> Column:
    """Returns the column ``graph``, with ``''`` instead of null for the default graph."""
    from pyspark.sql import functions as F  # noqa: N812

    return F.coalesce("graph", F.lit("")).alias("graph")


def log_columns() -> list[Any]:
    """The columns of a log that workers need to find its patches and quads, with numbers as ``bigint``."""
    from pyspark.sql import functions as F  # noqa: N812

    numbers = [F.col(name).cast("bigint").alias(name) for name in ("patch", "txn", "seq")]
    return ["source", *numbers, "op", *QUAD[:3], named_graph()]


def require(df: DataFrame, names: tuple[str, ...], what: str) -> None:
    """Rejects what is no DataFrame, and a DataFrame that lacks columns.

    Raises:
        TypeError: It is no DataFrame.
        ValueError: A column is missing, or a term is not a string.
    """
    if not hasattr(df, "schema"):
        raise TypeError(
            f"{what} must be a Spark DataFrame, not {type(df).__name__}; read files with "
            'spark.read.format("jelly") or "jelly-patch"'
        )
    kinds = {field.name: field.dataType.simpleString() for field in df.schema}
    missing = [name for name in names if name not in kinds]
    if missing:
        raise ValueError(
            f"{what} needs the columns {', '.join(names)}; missing: {', '.join(missing)}"
        )
    for name in QUAD:
        if name in names and kinds[name] != "string":
            raise ValueError(
                f"{what}: column {name!r} is {kinds[name]}; terms are compared as text: read them "
                'with terms="text"'
            )
