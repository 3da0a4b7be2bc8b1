"""Decodes the messages that Spark's own Kafka connector reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from jelly._batches import batch_decoder

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["from_kafka"]

_NAMED = ("topic", "partition", "offset")
_PASSED = ("key", "topic", "partition", "offset", "timestamp", "headers")


def from_kafka(
    df: DataFrame,
    kind: Literal["patch", "rdf"] = "patch",
    *,
    kafka_columns: bool = False,
    **options: Any,
) -> DataFrame:
    """Decodes a DataFrame of Spark's own Kafka connector, ``format("kafka")``, batch or streaming.

    Each value is a whole stream; a null gives no rows. The column ``source`` is ``topic/partition@offset``. Streams
    that continue from message to message are read with ``format("jelly-kafka")``, which keeps their messages in
    order.

    Args:
        df: A DataFrame with the columns ``topic`` and ``value``, and usually ``partition`` and ``offset``.
        kind: ``"patch"`` for Jelly-Patch, ``"rdf"`` for Jelly-RDF.
        kafka_columns: Whether rows have ``key``, ``topic``, ``partition``, ``offset``, ``timestamp`` and ``headers``
            of their message, if the DataFrame has these columns.
        **options: Those of ``batch_decoder``.

    Raises:
        ValueError: A column is missing or has the wrong type, or an option is wrong.
    """
    kinds = {field.name: field.dataType.simpleString() for field in df.schema}
    for name, wanted in (("topic", "string"), ("value", "binary")):
        if kinds.get(name) != wanted:
            found = ", ".join(f"{column} {kind}" for column, kind in kinds.items())
            raise ValueError(f"from_kafka needs a column {name!r} ({wanted}); there are {found}")
    if "passthrough" in options:
        passed = options.pop("passthrough")
    else:
        passed = {name: kinds[name] for name in _PASSED if name in kinds} if kafka_columns else ()
    decoder = batch_decoder(kind, passthrough=passed, **options)
    extra = [name for name in decoder.passthrough if name not in (*_NAMED, "value")]
    named = [name for name in _NAMED if name in kinds]
    source = [decoder.source_column] if decoder.source_column not in (None, *named, *extra) else []
    # columns that are not needed are not sent to the workers
    return df.select("value", *named, *extra, *source).mapInArrow(decoder, decoder.ddl)
