"""``Replica``: a table that follows a log."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, Self, Unpack

from jelly import _internal
from jelly._arrow import require_pyarrow
from jelly._convert import Tally
from jelly._inputs import refuse_bool
from jelly._option_table import refuse_unknown
from jelly._option_types import BaseOptions, ConvertWriteOptions, FollowOptions
from jelly._patching import Patches, Report, sources
from jelly.replica._base import load_base
from jelly.replica._changes import read_rows
from jelly.replica._commit import Runner, commit, run_in_threads
from jelly.replica._dump import dump
from jelly.replica._follow import Followed, compacted, follow
from jelly.replica._keys import schema
from jelly.replica._refused import vacuumed
from jelly.replica._spill import Spill
from jelly.replica._state import State
from jelly.replica._stores import Format, create_store, open_store, settled
from jelly.types import Destination, Source

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

_BUCKET_ROWS = 32_768


class Replica:
    """A table with the quads of a dataset, which follows the log of its changes.

    The columns are ``subject``, ``predicate``, ``object`` and ``graph``: terms as canonical
    N-Triples, ``''`` for the default graph; no quad occurs twice. The table records its version of the log, and the
    id of the last patch. Each patch is applied once, even if processes are killed or the same log is given again.

    A replica is a folder of Parquet files with a manifest for each version, or a Delta Lake table (``pip install
    deltalake``). It works in one process with bounded memory, without Spark.

    Args:
        table: The folder; for Delta Lake, a URI of any storage.
        format: ``parquet``, ``delta``, or ``auto``: the format of the existing table.
        storage_options: Options for Delta Lake, such as credentials.

    Raises:
        ReplicaError: There is no replica, or a later version of this library made it.
        ImportError: pyarrow is not installed, or, for Delta Lake, deltalake.
    """

    def __init__(
        self,
        table: str | os.PathLike[str],
        *,
        format: Format | Literal["auto"] = "auto",
        storage_options: Mapping[str, str] | None = None,
    ) -> None:
        require_pyarrow()
        self._table = settled(table)
        self._store = open_store(self._table, format, storage_options)
        self._store.load()

    @classmethod
    def create(
        cls,
        table: str | os.PathLike[str],
        base: Source | None = None,
        *,
        format: Format = "parquet",
        id: str | None = None,
        bucket_rows: int = _BUCKET_ROWS,
        storage_options: Mapping[str, str] | None = None,
        progress: Report | None = None,
        **options: Unpack[BaseOptions],
    ) -> Self:
        """Creates a replica, at version 0 of a log.

        The replica appears when everything is written. Memory does not grow with the base; temporary files take the
        space of the compressed base once or twice.

        Args:
            table: A folder that does not exist yet or is empty; for Delta Lake, a URI.
            base: The dataset before the log: path (``-`` is standard input), bytes, binary file
                object or iterable of bytes, in any format. None: there are no quads. If the labels of its blank nodes
                are not stable (see :func:`jelly.diff`), the nodes get content labels; statements with blank nodes are
                then kept in memory.
            format: ``parquet``, or ``delta`` for Delta Lake.
            id: The id of the last patch that the base includes, as an IRI or a term; needed if the log begins before
                the base, or if its first patch has a ``prev``.
            bucket_rows: Number of quads that a file should have. If changes are written into the files, as in Delta
                Lake, smaller files make small changes cheaper and reading more expensive.
            storage_options: Options for Delta Lake, such as credentials.
            progress: Called from time to time with a :class:`jelly.Step`; an exception stops the work.
            **options: For reading: ``base_format``, ``framing``, ``strict``, ``lenient_flags``,
                ``strict_graphs``, ``limits``.

        Returns:
            The replica.

        Raises:
            FileExistsError: A table or another file exists there.
            JellyError: The base has an error.
            OSError: Reading or writing failed.
            ValueError: An option is wrong.
        """
        require_pyarrow()
        refuse_unknown("create", options, "create")
        _refuse_rows(bucket_rows)
        place = settled(table)
        term, same = (None, None) if id is None else _internal.identify(id)
        state = State(
            commit=-1,
            table=secrets.token_hex(8),
            secret=secrets.token_bytes(16),
            bucket_rows=bucket_rows,
            id=term,
            recent=() if same is None else (same,),
        )
        store = create_store(place, format, storage_options)
        with Spill(state.secret) as spill:
            prefixes = {} if base is None else load_base(base, spill, dict(options), progress)
            commit(store, state, replace(state, prefixes=prefixes), spill)
        return cls(table, format=format, storage_options=storage_options)

    @property
    def version(self) -> int:
        """The version of the log that the table has."""
        return self._store.load().version

    @property
    def id(self) -> str | None:
        """The id of the patch that made the version, if patches have ids."""
        return self._store.load().id

    @property
    def versions(self) -> list[int]:
        """The versions that can be read."""
        return self._store.versions()

    @property
    def prefixes(self) -> dict[tuple[str, str], str]:
        """IRIs of prefixes, by graph and name."""
        return dict(self._store.load().prefixes)

    def __len__(self) -> int:
        return self._store.load().rows

    def __repr__(self) -> str:
        return f"<jelly.Replica {self._table}>"

    def follow(
        self,
        log: Patches,
        *,
        each_version: bool = False,
        upto: int | str | None = None,
        spark: SparkSession | None = None,
        progress: Report | None = None,
        **options: Unpack[FollowOptions],
    ) -> Followed:
        """Applies the patches of a log that were not applied yet, all at once.

        Patches are recognized by their ids: the log may begin anywhere before the version of the replica or right
        after it, and may be in any files. Patches without ids are counted, so give the whole log. A log with missing
        patches, another branch, unfinished transactions or errors changes nothing; nor does a log that was applied
        completely. If another writer was faster, the remaining patches are applied after its changes.

        Memory does not grow with the table or the log: data that does not fit goes to temporary files.

        Args:
            log: A source of patches, a list of sources, or a folder, as for :func:`jelly.apply`.
            each_version: Commit each patch separately, so that each version can be read later.
            upto: Stop after this version of the log, or after the patch with this id. Faults of files after it do not
                matter.
            spark: A session whose workers write the files; they must be able to access them. The patches are read in
                this process. Without it, threads write the files.
            progress: Called from time to time with a :class:`jelly.Step`; an exception stops the work.
            **options: For reading: ``patch_format``, ``framing``, ``strict``, ``lenient_flags``,
                ``limits``.

        Returns:
            A summary of the result.

        Raises:
            ReplicaError: The log does not continue the table, does not have the version ``upto``, or other writers were
                faster ten times.
            PatchError: The patches are not valid: unfinished transactions, a broken chain; or the replica has no quads,
                but the log begins with a dataset that has some (``patch.base``).
            JellyError: A source has an error.
            OSError: Reading or writing failed.
            ValueError: An option is wrong.
        """
        refuse_unknown("follow", options, "follow")
        return follow(
            self._store, sources(log), each_version=each_version, upto=upto,
            runner=_runner(spark, "jelly.Replica.follow"), progress=progress, options=dict(options),
        )  # fmt: skip

    def foreach_batch(self, rows: DataFrame, batch: int = 0) -> Followed:
        """Applies the patches of a micro-batch: ``stream.writeStream.foreachBatch(replica.foreach_batch)``.

        Patches need ids, so that a repeated batch changes nothing. A batch must have whole patches, as files have;
        the driver holds them, compressed.

        Args:
            rows: All rows of the patches, including headers, in the columns of :data:`jelly.PATCH_SCHEMA`.
            batch: The number of the batch, which is not needed.

        Returns:
            A summary of the result.

        Raises:
            ReplicaError: As for :meth:`follow`, and if patches have no ids.
            JellyError: As for :meth:`follow`.
            PatchError: A patch without a ``prev`` does not come right after the one before it in its source (``patch.gap``).
            ValueError: A patch has no ``Z`` row, or its ``seq`` has a gap, because rows were filtered out.
        """
        del batch
        from jelly.replica._spark import encoded
        from jelly.spark._jobs import described
        from jelly.spark.whole import not_whole

        ordered = rows.repartition("source").sortWithinPartitions("source", "seq")
        schema = (
            "source string, stream binary, cut bigint, joined array<bigint>, loose array<bigint>"
        )
        with described(
            rows.sparkSession, "jelly.Replica.foreach_batch: takes the patches of a batch"
        ):
            found = ordered.mapInArrow(encoded, schema).collect()
        for source, _, cut, joined, loose in found:
            if cut is not None:
                raise not_whole(source, cut)
            numbers = [(patch, True) for patch in joined] + [(patch, False) for patch in loose]
            _internal.refuse_hole(source, numbers)
        if not found:
            state = self._store.load()
            return Followed(state.version, state.id, *(0,) * 8)
        return follow(
            self._store, [bytes(row[1]) for row in found], each_version=False, upto=None,
            runner=run_in_threads, progress=None, options={}, names=[row[0] for row in found],
        )  # fmt: skip

    def read(self, version: int | None = None) -> pa.RecordBatchReader:
        """The quads of a version as a stream, for pyarrow, polars and DuckDB.

        Args:
            version: One of :attr:`versions`; the default is the last one.

        Raises:
            ReplicaError: The version cannot be read.
        """
        import pyarrow as pa

        state = self._state(version)
        return pa.RecordBatchReader.from_batches(schema(), self._batches(state))

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.read().__arrow_c_stream__(requested_schema)

    def dataframe(self, spark: SparkSession, version: int | None = None) -> DataFrame:
        """The quads of a version as a Spark DataFrame; Spark reads the Parquet files itself.

        Args:
            spark: The session; its workers must be able to access the files.
            version: One of :attr:`versions`; the default is the last one.

        Raises:
            ReplicaError: The version cannot be read.
        """
        from jelly.replica._spark import dataframe

        return dataframe(spark, self._store.root, self._state(version))

    def dump(
        self,
        dest: Destination,
        version: int | None = None,
        *,
        to: str = "auto",
        to_compression: str = "auto",
        **options: Unpack[ConvertWriteOptions],
    ) -> Tally:
        """Writes the dataset, with the prefixes of its default graph.

        Args:
            dest: Path (``-`` is standard output) or binary file object. A path appears complete or not at all.
            version: One of :attr:`versions`; the default is the last one.
            to: Format, as for :func:`jelly.convert`: ``auto`` uses the extension.
            to_compression: ``none``, ``gzip``, ``zstd``, or ``auto``: by the extension.
            **options: For writing, as for :func:`jelly.convert`.

        Returns:
            Rows and bytes.

        Raises:
            ReplicaError: The version cannot be read.
            JellyError: The quads cannot be written in this format.
            OSError: Reading or writing failed.
            ValueError: An option is wrong.
        """
        refuse_unknown("dump", options, "converted")
        state = self._state(version)
        return dump(self._batches(state), state.prefixes, dest, to, to_compression, dict(options))

    def compact(
        self,
        bucket_rows: int | None = None,
        *,
        spark: SparkSession | None = None,
        progress: Report | None = None,
    ) -> bool:
        """Merges the changes that are stored beside the files into the files; the version stays the same.

        Commits do this automatically when the changes reach a 16th of the table, or many rows. A program that reads
        the folder of a Parquet replica directly sees the last version that was merged.

        Args:
            bucket_rows: Number of quads that a file should have from now on; all files are rewritten.
            spark: A session whose workers write the files, as for :meth:`follow`.
            progress: Called from time to time with a :class:`jelly.Step`; an exception stops the work.

        Returns:
            Whether files were written; False if there was nothing to merge and the files already have this size.

        Raises:
            ReplicaError: Other writers were faster ten times.
            OSError: Reading or writing failed.
            ValueError: ``bucket_rows`` is less than 1.
        """
        _refuse_rows(bucket_rows)
        return compacted(
            self._store, bucket_rows, _runner(spark, "jelly.Replica.compact"), progress
        )

    def vacuum(self, keep: int = 1, *, hours: float = 168, dry_run: bool = False) -> list[str]:
        """Deletes old versions, and what killed processes left behind.

        Args:
            keep: Number of versions that stay readable. Reading any other version fails from then on.
            hours: Files that look like a running commit of another machine are deleted only if they are older than
                this. With Delta Lake, all files of younger versions stay.
            dry_run: Delete nothing.

        Returns:
            The paths within the table that were deleted, or would be.

        Raises:
            OSError: A file cannot be deleted.
            ValueError: ``keep`` is less than 1.
        """
        if keep < 1:
            raise ValueError("keep must be at least 1: the newest version always stays")
        return self._store.vacuum(keep, hours, dry_run=dry_run)

    def _state(self, version: int | None) -> State:
        refuse_bool("version", version)
        return self._store.load(version)

    def _batches(self, state: State) -> Iterator[pa.RecordBatch]:
        try:
            yield from read_rows(self._store.files, state)
        except FileNotFoundError:
            raise vacuumed(state.version, self._store.root) from None


def _refuse_rows(bucket_rows: int | None) -> None:
    if bucket_rows is not None and bucket_rows < 1:
        raise ValueError("bucket_rows must be at least 1")


def _runner(spark: SparkSession | None, call: str) -> Runner:
    if spark is None:
        return run_in_threads
    from jelly.replica._spark import SparkRunner

    return SparkRunner(spark, call)
