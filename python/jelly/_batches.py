"""Decoders of columns of streams, for ``DataFrame.mapInArrow``."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

from jelly import _internal
from jelly._arrow import require_pyarrow
from jelly._bad_records import BadRecords
from jelly._ddl import arrow_type, quoted
from jelly._inputs import Inputs
from jelly._option_table import refuse_unknown, takes
from jelly._option_types import PatchDecoderOptions, RdfDecoderOptions
from jelly._readers import read_whole
from jelly.errors import JellyError

if TYPE_CHECKING:
    import pyarrow as pa

    from jelly._internal import Schema

    # Rows, and the row of the input that each is of.
    _Decoded = tuple[pa.RecordBatch, pa.Array | None]
    _Extension = Callable[[pa.RecordBatch, pa.Array | None], pa.RecordBatch]

# Smaller batches are joined: Spark pays for each batch, and a message may hold one row.
_SMALL_ROWS = 4096
_SMALL_BYTES = 1 << 20
_PACK = 32

_NOT_HERE = {
    "source_name": "name the streams with source_column",
    "resume": "each value is a whole stream",
    "split": "each value is a whole stream",
}


def decode_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Decodes a column of whole Jelly-Patch streams into rows of ``PATCH_SCHEMA``.

    For Spark: ``df.mapInArrow(jelly.decode_batches, jelly.PATCH_SCHEMA_DDL)``. ``batch_decoder`` describes which
    column has the streams, and also takes options.
    """
    return batch_decoder("patch")(batches)


@overload
def batch_decoder(
    kind: Literal["patch"],
    *,
    source_column: str | None = None,
    passthrough: Mapping[str, Any] | Iterable[Any] = (),
    bad_records_path: str | None = None,
    **options: Unpack[PatchDecoderOptions],
) -> BatchDecoder: ...
@overload
def batch_decoder(
    kind: Literal["rdf"],
    *,
    source_column: str | None = None,
    passthrough: Mapping[str, Any] | Iterable[Any] = (),
    bad_records_path: str | None = None,
    **options: Unpack[RdfDecoderOptions],
) -> BatchDecoder: ...
@takes("decode_rdf", "decode_patch")
def batch_decoder(
    kind: Literal["patch", "rdf"],
    *,
    source_column: str | None = None,
    passthrough: Mapping[str, Any] | Iterable[Any] = (),
    bad_records_path: str | None = None,
    **options: Any,
) -> BatchDecoder:
    """A decoder of a column of whole streams, for ``df.mapInArrow(d, d.ddl)``.

    The column is the first of these that the DataFrame has. A null gives no rows. An empty value or file (zero bytes)
    is an error (a row with ``_corrupt_record`` in mode ``permissive``), because a Jelly stream begins with its
    options. In another format, set by ``format`` or the name, it is an empty document.

    - ``content`` (binary), as from ``binaryFile``; ``path`` names the stream.
    - ``topic`` and ``value`` (binary), as from Kafka; ``topic/partition@offset`` names the stream.
    - ``path`` (string): the workers open the file or the ``file:`` URI. This is best for files, because they are
    streamed, while ``binaryFile`` holds them in memory.
    - The only binary column.

    Args:
        kind: ``"patch"`` for Jelly-Patch, ``"rdf"`` for Jelly-RDF.
        source_column: The column whose value names the stream, in ``source`` and in errors.
        passthrough: Columns to repeat on each row of their stream, after the decoded columns:
            a mapping of names to Spark types (``{"day": "date"}``), the schema of a DataFrame
            (``df.select("day").schema``), or names alone, which become strings.
        bad_records_path: A folder, local or in remote storage. A stream with an error gives no rows, not even those
            before the error, and becomes a row of a Parquet file in this folder: ``source``, ``kind`` and ``error``
            (text), ``value`` (its bytes; null for a file that the workers opened). Without this option, a bad stream
            is an error. The workers write the files; a repeated task writes the same files again.
        **options: See ``docs/options.md``; those of ``read_patch`` or ``read_rdf``, except
            ``source_name``, ``resume`` and ``split``.

    Returns:
        A function of batches with the attributes ``schema`` and ``ddl``. It can be pickled.

    Raises:
        ValueError: An option or a type is wrong.
    """
    return BatchDecoder(kind, source_column, _types(passthrough), options, bad_records_path)


@dataclass(frozen=True, slots=True, eq=False)
class BatchDecoder:
    """Decodes batches that hold streams into batches of rows; ``batch_decoder`` makes one."""

    kind: str
    source_column: str | None
    passthrough: dict[str, str]
    options: dict[str, Any]
    bad_records_path: str | None = None
    storage: Mapping[str, str] = field(default_factory=dict)
    """How remote storage of bad records is reached."""
    scope: str | None = None
    """What tells the nodes of the streams from those of others with the same names."""

    def __post_init__(self) -> None:
        if self.kind not in ("patch", "rdf"):
            raise ValueError(f'kind must be "patch" or "rdf", not {self.kind!r}')
        for name, instead in _NOT_HERE.items():
            if name in self.options:
                raise ValueError(f"a batch decoder has no option {name}: {instead}")
        refuse_unknown("batch_decoder", self.options, f"decode_{self.kind}")
        if self.bad_records_path is not None and self.options.get("mode") == "permissive":
            raise ValueError(
                "mode permissive and bad_records_path cannot be used together: the first makes a "
                "row of an error, the second records it in another table"
            )
        decoded = self._decoded_schema()  # a wrong option shows here, not in a worker
        for name in self.passthrough:
            if name in decoded.names:
                raise ValueError(f"passthrough column {name!r} is one of the decoded columns")
        self._passed_fields()

    @property
    def schema(self) -> Any:
        """Schema of the rows: a pyarrow schema if columns pass through, else a ``jelly.Schema``."""
        decoded = self._decoded_schema()
        if not self.passthrough:
            return decoded
        import pyarrow as pa

        return pa.schema([*pa.schema(decoded), *self._passed_fields()])

    @property
    def ddl(self) -> str:
        """The schema in Spark's DDL."""
        passed = (f"{quoted(name)} {kind}" for name, kind in self.passthrough.items())
        return ", ".join([self._decoded_schema().ddl, *passed])

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Decodes; the rows of a stream before its error are returned first, then the error is raised.

        Raises:
            ImportError: pyarrow is not installed.
        """
        require_pyarrow()
        joined = Joined()
        inputs = None
        apart = self.bad_records_path is not None
        bad = BadRecords(self.bad_records_path, self.storage)
        try:
            for batch in batches:
                inputs = inputs or Inputs(batch.schema, self.source_column)
                extend = self._extension(batch)
                if inputs.is_path:
                    decoded = self._of_files(inputs, batch, bad if apart else None)
                elif apart:
                    decoded = self._whole_values(inputs, batch, bad)
                else:
                    decoded = self._of_values(inputs, batch)
                for rows, where in decoded:
                    yield from joined.add(extend(rows, where))
        except Exception:
            yield from joined.flush()
            raise
        finally:
            bad.flush()
        yield from joined.flush()

    def _decoded_schema(self) -> Schema:
        return _internal.read_schema(self.kind, self.options)

    def _of_files(
        self, inputs: Inputs, batch: pa.RecordBatch, bad: BadRecords | None
    ) -> Iterator[_Decoded]:
        import pyarrow as pa

        for file in inputs.files(batch):
            read = partial(
                read_whole, self.kind, file.path, source_name=file.name, threads=1, **self.options
            )
            if bad is not None and (error := error_of(read)):
                bad.add(file.name, error)
                continue
            # When Spark drops us half way (LIMIT), the generator is closed, and the file with it.
            with read() as reader:
                for rows in reader:
                    where = pa.repeat(pa.scalar(file.row, pa.int64()), rows.num_rows)
                    yield pa.record_batch(rows), where

    def _of_values(self, inputs: Inputs, batch: pa.RecordBatch) -> Iterator[_Decoded]:
        if batch.num_rows:  # a slice of nothing cannot go over to native code
            yield from self._read(inputs.streams(batch), numbered=bool(self.passthrough))

    def _read(self, streams: pa.RecordBatch, *, numbered: bool) -> Iterator[_Decoded]:
        """The rows of values and, if they are numbered, the number of the value of each."""
        import pyarrow as pa

        # Messages are short: what Python does for each takes longer than to decode it.
        for native in _internal.read_column(self.kind, self.options, streams, numbered, self.scope):
            rows = pa.record_batch(native)
            if numbered:
                last = rows.num_columns - 1
                yield rows.remove_column(last), rows.column(last)
            else:
                yield rows, None

    def _whole_values(
        self, inputs: Inputs, batch: pa.RecordBatch, bad: BadRecords
    ) -> Iterator[_Decoded]:
        """The rows of values that are good from their first byte to their last."""
        streams, at = inputs.streams(batch), 0
        while at < batch.num_rows:
            at = yield from self._until_bad(streams, at, bad)

    def _until_bad(
        self, streams: pa.RecordBatch, at: int, bad: BadRecords
    ) -> Generator[_Decoded, None, int]:
        """The rows of values from one on; skips the first bad one, and returns the number after it."""
        open_at = at
        held: list[_Decoded] = []
        try:
            for rows, where in self._numbered(streams.slice(at), at):
                # only the last value of a batch may go on, and turn out to be bad
                last: int = where[-1].as_py()
                if last > open_at:
                    yield from held
                    open_at, held = last, []
                first = where.index(last).as_py()
                if first:
                    yield rows.slice(0, first), where.slice(0, first)
                held.append((rows.slice(first), where.slice(first)))
        except JellyError:
            for row in range(open_at, streams.num_rows):
                try:
                    found = list(self._numbered(streams.slice(row, 1), row))
                except JellyError as error:
                    value = streams.column("value")[row].as_py()
                    bad.add(streams.column("name")[row].as_py(), error, value)
                    return row + 1
                yield from found
        else:
            yield from held
        return int(streams.num_rows)

    def _numbered(
        self, streams: pa.RecordBatch, before: int
    ) -> Iterator[tuple[pa.RecordBatch, pa.Array]]:
        """The rows of values, and the number of the value of each, where so many come before these."""
        import pyarrow.compute as pc

        for rows, numbers in self._read(streams, numbered=True):
            if rows.num_rows:
                yield rows, pc.add(numbers, before)

    def _passed_fields(self) -> list[pa.Field]:
        if not self.passthrough:
            return []
        require_pyarrow()
        import pyarrow as pa

        return [pa.field(name, arrow_type(kind)) for name, kind in self.passthrough.items()]

    def _extension(self, batch: pa.RecordBatch) -> _Extension:
        """What adds the columns that pass through, repeated from rows of the batch."""
        import pyarrow as pa

        fields = self._passed_fields()
        if not fields:
            return lambda rows, _: rows
        values = [_cast(batch, field) for field in fields]

        def extend(rows: pa.RecordBatch, where: pa.Array | None) -> pa.RecordBatch:
            arrays = [*rows.columns, *(column.take(where) for column in values)]
            return pa.RecordBatch.from_arrays(arrays, schema=pa.schema([*rows.schema, *fields]))

        return extend


def error_of(read: Callable[[], Any]) -> JellyError | None:
    """What is wrong with a stream, which is read to its end."""
    try:
        with read() as reader:
            for _ in reader:
                pass
    except JellyError as error:
        return error
    return None


class Joined:
    """Joins small batches and lets large ones through as they are, in order."""

    def __init__(self) -> None:
        self._waiting: list[pa.RecordBatch] = []
        self._packed: list[pa.RecordBatch] = []
        self._rows = 0
        self._bytes = 0

    def add(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        rows, size = batch.num_rows, batch.get_total_buffer_size()
        if rows >= _SMALL_ROWS or size >= _SMALL_BYTES:
            yield from self.flush()
            yield batch
        elif rows > 0:
            self._waiting.append(batch)
            self._rows += rows
            self._bytes += size
            if self._rows >= _SMALL_ROWS or self._bytes >= _SMALL_BYTES:
                yield from self.flush()
            elif len(self._waiting) == _PACK:
                # a batch of a few rows keeps the memory of a large one until it is copied
                self._packed += _combined(self._waiting)
                self._waiting = []

    def flush(self) -> Iterator[pa.RecordBatch]:
        waiting = [*self._packed, *self._waiting]
        self._packed, self._waiting, self._rows, self._bytes = [], [], 0, 0
        yield from _combined(waiting)


def _combined(batches: list[pa.RecordBatch]) -> list[pa.RecordBatch]:
    """One batch of several, or none of none."""
    import pyarrow as pa

    if not batches:
        return []
    combined: list[pa.RecordBatch] = pa.Table.from_batches(batches).combine_chunks().to_batches()
    return combined


def _cast(batch: pa.RecordBatch, field: pa.Field) -> pa.Array:
    import pyarrow as pa

    index = batch.schema.get_field_index(field.name)
    if index < 0:
        names = ", ".join(batch.schema.names)
        raise ValueError(f"there is no column {field.name!r} to pass through; there are {names}")
    try:
        return batch.column(index).cast(field.type)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        found = batch.schema.field(index).type
        raise ValueError(
            f"column {field.name!r} ({found}) cannot pass through as {field.type}: {error}; "
            "set the type with passthrough={name: type}"
        ) from error


def _types(passthrough: Mapping[str, Any] | Iterable[Any]) -> dict[str, str]:
    """Spark types by column; a type may be DDL or a ``DataType``, a column a ``StructField``."""
    if isinstance(passthrough, str):
        raise ValueError("passthrough must be a list of names or a mapping of names to types")
    if isinstance(passthrough, Mapping):
        return {
            name: getattr(kind, "simpleString", lambda kind=kind: kind)()
            for name, kind in passthrough.items()
        }
    return {
        (item if isinstance(item, str) else item.name): (
            "string" if isinstance(item, str) else item.dataType.simpleString()
        )
        for item in passthrough
    }
