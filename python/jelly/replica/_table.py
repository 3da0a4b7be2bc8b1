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
    N-Triples, ``''`` for the default graph; no quad is there twice. The table remembers the version
    of the log that it is at, and the id of the last patch. What is applied is applied once, however
    often a process is killed or a log is given again.

    A replica is a folder of Parquet files with a manifest for each version, or a table of Delta
    Lake (``pip install deltalake``). It works in one process with bounded memory, without Spark.

    Args:
        table: The folder; of Delta Lake, a URI of any storage.
        format: ``parquet``, ``delta``, or ``auto``: what is there.
        storage_options: Of Delta Lake, such as credentials.

    Raises:
        ReplicaError: There is no replica, or one of a later version of this library.
        ImportError: pyarrow is not installed, or deltalake, which Delta Lake needs.
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
        """Makes a replica, at version 0 of a log.

        It appears when all is written. Memory does not grow with the base; temporary files take as
        much space as the compressed base, once or twice.

        Args:
            table: A folder that is not there yet, or is empty; of Delta Lake, a URI.
            base: The dataset before the log: path (``-`` is standard input), bytes, binary file
                object or iterable of bytes, in any format. None: there are no quads. Where labels of its
                blank nodes do not last (see :func:`jelly.diff`), these get content labels; its statements
                with blank nodes are kept in memory then.
            format: ``parquet``, or ``delta`` for Delta Lake.
            id: The id of the patch that the base is the state after, as an IRI or a term, where the
                log begins before the base or says what its first patch comes after.
            bucket_rows: Quads that a file shall have. Where changes go into the files, as in Delta
                Lake, smaller ones make small changes cheaper, and reading dearer.
            storage_options: Of Delta Lake, such as credentials.
            progress: Called with a :class:`jelly.Step` now and then; an exception stops.
            **options: Of reading: ``base_format``, ``framing``, ``strict``, ``lenient_flags``,
                ``strict_graphs``, ``limits``.

        Returns:
            The replica.

        Raises:
            FileExistsError: There is a table, or another file.
            JellyError: The base is bad.
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
        """The version of the log that the table is at."""
        return self._store.load().version

    @property
    def id(self) -> str | None:
        """The id of the patch that made the version, where patches have ids."""
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
        """Applies the patches of a log that were not applied yet, all of them at once.

        Patches are known by their ids: the log may begin anywhere before the replica's version or
        right after it, and lie in any files. A log without ids is counted: it is given whole.
        A log that misses patches, went another way, is unfinished or malformed changes nothing; nor
        does one of which all was applied. Where another writer was faster, what that did not apply
        is applied after it.

        Memory does not grow with the table, nor with the log: what does not fit goes to temporary
        files.

        Args:
            log: A source of patches, a list of sources, or a directory, as for :func:`jelly.apply`.
            each_version: Commit patch by patch, so that each version can be read later.
            upto: Go no further than this version of the log, or the patch with this id.
            spark: A session whose workers write the files, which they must see; the patches are
                read here. Without it, threads do.
            progress: Called with a :class:`jelly.Step` now and then; an exception stops.
            **options: Of reading: ``patch_format``, ``framing``, ``strict``, ``lenient_flags``,
                ``limits``.

        Returns:
            What was done.

        Raises:
            ReplicaError: The log does not continue the table, or other writers were faster ten times.
            PatchError: The patches have no meaning: unfinished transactions, a broken chain.
            JellyError: A source is bad.
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

        Patches need ids, by which those are known that were applied before: a batch that comes again
        changes nothing. A batch has whole patches, as files give them; the driver holds them,
        compressed.

        Args:
            rows: Rows in the columns of :data:`jelly.PATCH_SCHEMA`, all of them, headers too.
            batch: The number of the batch, which is not needed.

        Returns:
            What was done.

        Raises:
            ReplicaError: As for :meth:`follow`, and if patches have no ids.
            JellyError: As for :meth:`follow`.
            PatchError: A patch without a ``prev`` does not come right after the one before it in its source (``patch.gap``).
            ValueError: A patch has no ``Z`` row, or its ``seq`` has a hole: rows were filtered away.
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
        """The quads of a version, streaming: what pyarrow, polars and DuckDB take.

        Args:
            version: One of :attr:`versions`; the last one otherwise.

        Raises:
            ReplicaError: The version cannot be read.
        """
        import pyarrow as pa

        state = self._state(version)
        return pa.RecordBatchReader.from_batches(schema(), self._batches(state))

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.read().__arrow_c_stream__(requested_schema)

    def dataframe(self, spark: SparkSession, version: int | None = None) -> DataFrame:
        """The quads of a version as a DataFrame of Spark, which reads the Parquet files itself.

        Args:
            spark: The session; its workers must see the files.
            version: One of :attr:`versions`; the last one otherwise.

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
            dest: Path (``-`` is standard output) or binary file object. A path appears whole or not
                at all.
            version: One of :attr:`versions`; the last one otherwise.
            to: Format, as for :func:`jelly.convert`: ``auto`` goes by the extension.
            to_compression: ``none``, ``gzip``, ``zstd``, or ``auto``: by the extension.
            **options: Of writing, as for :func:`jelly.convert`.

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
        """Writes the changes that lie beside the buckets into them; the version stays.

        Commits do so by themselves when the changes are a 16th of the table, or many. What a program
        sees that reads the folder of a Parquet replica is the last version that was written so.

        Args:
            bucket_rows: Quads that a file shall have from now on: all files are written anew.
            spark: A session whose workers write the files, as for :meth:`follow`.
            progress: Called with a :class:`jelly.Step` now and then; an exception stops.

        Returns:
            Whether files were written. False: nothing lay beside the buckets, and they have this size.

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
        """Deletes old versions, and what killed processes left.

        Args:
            keep: So many versions stay readable. Whoever reads another one meanwhile fails.
            hours: What looks like a commit of another machine that is going on is only deleted when
                it is older than that. Of Delta Lake, all files that younger versions have stay.
            dry_run: Delete nothing.

        Returns:
            What was deleted, or would be, as paths within the table.

        Raises:
            OSError: Something cannot be deleted.
        """
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
        raise ValueError("bucket_rows is at least 1")


def _runner(spark: SparkSession | None, call: str) -> Runner:
    if spark is None:
        return run_in_threads
    from jelly.replica._spark import SparkRunner

    return SparkRunner(spark, call)
