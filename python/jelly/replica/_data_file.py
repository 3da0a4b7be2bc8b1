"""Data files of replicas: their settings, and the check that a file is what the replica says."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from jelly.replica._refused import damaged
from jelly.replica._state import DataFile, Files

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq


def table_writer(file: Any, columns: pa.Schema) -> Any:
    """Returns a writer of Parquet files with the settings of replicas."""
    import pyarrow.parquet as pq

    return pq.ParquetWriter(
        file, columns, compression="zstd", compression_level=1, store_schema=False,
        write_statistics=[name for name in columns.names if name != "object"],
        write_page_checksum=True,
    )  # fmt: skip


@contextmanager
def opened(files: Files, file: DataFile, **options: Any) -> Iterator[pq.ParquetFile]:
    """Opens a file for reading.

    Raises:
        ReplicaError: The file is damaged, or is another file (``replica.table``).
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with (
            files.open(file.path) as source,
            pq.ParquetFile(source, pre_buffer=False, page_checksum_verification=True, **options) as parquet,
        ):  # fmt: skip
            rows = parquet.metadata.num_rows
            expected: int | None = file.rows  # other programs may have left it out of a Delta table
            if expected is not None and rows != expected:
                raise damaged(f"it has {rows:,} rows instead of {expected:,}", file.path)
            yield parquet
    except FileNotFoundError:
        raise
    except (pa.ArrowInvalid, OSError) as error:
        if getattr(error, "errno", None) is not None:  # of the system, and not of the content
            raise
        raise damaged(str(error), file.path) from None
