"""Tasks over files for functions that use no DataFrame."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from jelly.spark._options import Kind, ReadOptions, camel
from jelly.spark._session import parallelism, require_data_sources
from jelly.types import Limits

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.types import StructType

    from jelly.spark.files.read import FilesReader

Paths: TypeAlias = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]


def listed(paths: Paths) -> list[str]:
    """Returns one or several paths as a list of text."""
    several = [paths] if isinstance(paths, (str, os.PathLike)) else paths
    return [os.fspath(path) for path in several]


def planned(
    spark: SparkSession,
    kind: Kind,
    sources: list[str],
    storage: Mapping[str, str],
    options: Mapping[str, Any],
    call: str,
) -> tuple[FilesReader, list[Any]]:
    """Plans tasks; there is at least one, so that a table without rows has its columns.

    Args:
        spark: The session.
        kind: The kind of rows in the files.
        sources: Paths.
        storage: Options ``storage.*`` without the prefix.
        options: Options of readers, as keyword arguments.
        call: The name of the function, for errors.

    Raises:
        ValueError: An option is wrong.
        OSError: A path does not exist, or cannot be read.
        ImportError: PySpark is older than 4.0.
    """
    require_data_sources()
    from pyspark.sql.datasource import InputPartition
    from pyspark.sql.types import StructType

    from jelly.spark.files.read import FilesReader

    texts = {"paths": json.dumps(sources)}
    texts |= {f"storage.{name}": value for name, value in storage.items()}
    for name, value in options.items():
        if isinstance(value, Limits):
            texts |= {camel(field.name): str(getattr(value, field.name)) for field in fields(value)}
        elif value is not None:
            texts[camel(name)] = _text(value)
    if cores := parallelism(spark):
        texts.setdefault("minPartitions", str(cores))
    chosen = ReadOptions.of(kind, texts, call, stream=False)
    schema = cast("StructType", StructType.fromDDL(chosen.ddl))
    reader = FilesReader(chosen, schema)
    return reader, list(reader.partitions()) or [InputPartition(None)]


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, (str, int)) else ",".join(value)
