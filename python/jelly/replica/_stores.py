"""Finds the place of a replica and its store: a folder of Parquet files, or a Delta Lake table."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from jelly._whole_file import local_path
from jelly.replica._parquet import ParquetStore
from jelly.replica._refused import no_replica
from jelly.replica._state import Store

Format = Literal["parquet", "delta"]


def settled(table: str | os.PathLike[str]) -> str:
    """Returns the absolute place of a table, which stays valid if the process changes its folder."""
    place = os.fspath(table)
    if "://" in place and not place.lower().startswith("file:"):
        return place
    return os.path.abspath(local_path(place))  # noqa: PTH100


def open_store(table: str, format: str, storage_options: Mapping[str, str] | None) -> Store:
    """Returns the store of an existing replica.

    Raises:
        ReplicaError: There is no replica.
        ValueError: The format is unknown.
    """
    if format == "auto":
        format = "parquet" if (Path(table) / "_replica").is_dir() else "delta"
        if format == "delta" and not _may_be_delta(table):
            raise no_replica(table)
    if format == "parquet":
        return ParquetStore(local_path(table))
    if format == "delta":
        from jelly.replica._delta import DeltaStore

        return DeltaStore(table, storage_options)
    raise ValueError(f'format is "{format}"; it can be "parquet" or "delta"')


def create_store(table: str, format: str, storage_options: Mapping[str, str] | None) -> Store:
    """Returns the store of a new replica.

    Raises:
        FileExistsError: A table or another file exists.
        ValueError: The format is unknown.
    """
    if format == "parquet":
        return ParquetStore.create(local_path(table))
    if format == "delta":
        from jelly.replica._delta import DeltaStore

        return DeltaStore.create(table, storage_options)
    raise ValueError(f'format is "{format}"; it can be "parquet" or "delta"')


def _may_be_delta(table: str) -> bool:
    return "://" in table or (Path(table) / "_delta_log").is_dir()
