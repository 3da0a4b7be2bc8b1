"""Encoders of rows into a column of binary values: what ``DataFrame.mapInArrow`` calls."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack, overload

from jelly._arrow import require_pyarrow
from jelly._keywords import refuse_unknown
from jelly.types import Limits, PatchOptions, RdfOptions
from jelly.writers import PatchWriter, RdfWriter

if TYPE_CHECKING:
    import pyarrow as pa

_WRITERS: dict[str, Callable[..., PatchWriter | RdfWriter]] = {
    "patch": PatchWriter,
    "rdf": RdfWriter,
}
_NOT_HERE = ("dest", "format", "compression", "compression_level", "delimited", "restart_bytes")


class RdfEncoderOptions(TypedDict, total=False):
    """Options of an encoder of statements."""

    options: RdfOptions | None
    frame_rows: int | None
    namespaces: Mapping[str, str] | None
    limits: Limits | None


class PatchEncoderOptions(TypedDict, total=False):
    """Options of an encoder of patches."""

    options: PatchOptions | None
    frame_rows: int | None
    limits: Limits | None


_OPTIONS = {"patch": PatchEncoderOptions, "rdf": RdfEncoderOptions}


@overload
def batch_encoder(
    kind: Literal["patch"],
    *,
    unit: Literal["stream", "frame"] = "stream",
    rows: int = 10_000,
    column: str = "value",
    **options: Unpack[PatchEncoderOptions],
) -> BatchEncoder: ...
@overload
def batch_encoder(
    kind: Literal["rdf"],
    *,
    unit: Literal["stream", "frame"] = "stream",
    rows: int = 10_000,
    column: str = "value",
    **options: Unpack[RdfEncoderOptions],
) -> BatchEncoder: ...
def batch_encoder(
    kind: Literal["patch", "rdf"],
    *,
    unit: Literal["stream", "frame"] = "stream",
    rows: int = 10_000,
    column: str = "value",
    **options: Any,
) -> BatchEncoder:
    """An encoder of rows, for ``df.mapInArrow(e, e.ddl)``: the way back from ``batch_decoder``.

    Rows are taken in the order of their partition, with columns as in ``PATCH_SCHEMA`` or
    ``RDF_SCHEMA``; others are passed over.

    Args:
        kind: ``"patch"`` for Jelly-Patch, ``"rdf"`` for Jelly-RDF.
        unit: ``stream``: each value is a whole delimited stream, and can be read alone.
            ``frame``: each value is a frame without its length, as messages of a broker have it;
            the frames of a partition are one stream and share its lookups, so they must be read in
            order.
        rows: Rows after which a value ends. A patch is never cut: the value ends with its ``Z``.
        column: Name of the binary column.
        options: Options of the streams, a ``PatchOptions`` or ``RdfOptions``; as of ``PatchWriter``
            and ``RdfWriter``, like those that follow.
        frame_rows: Rows, lookup entries among them, at which a frame ends.
        namespaces: Of Jelly-RDF: labels and IRIs to declare at the start of each stream.
        limits: Bounds that readers have.

    Returns:
        A function of batches with the attributes ``schema`` and ``ddl``. It can be pickled.

    Raises:
        ValueError: An option is wrong.
        TypeError: An option does not exist.
    """
    return BatchEncoder(kind, unit, rows, column, options)


@dataclass(frozen=True, slots=True, eq=False)
class BatchEncoder:
    """Encodes batches of rows into batches of streams or frames; ``batch_encoder`` makes one."""

    kind: str
    unit: str
    rows: int
    column: str
    options: dict[str, Any]

    def __post_init__(self) -> None:
        if self.kind not in _WRITERS:
            raise ValueError(f'kind is "patch" or "rdf", not {self.kind!r}')
        if self.unit not in ("stream", "frame"):
            raise ValueError(f'unit is "stream" or "frame", not {self.unit!r}')
        if self.rows < 1:
            raise ValueError(f"rows is {self.rows}; it must be at least 1")
        for name in _NOT_HERE:
            if name in self.options:
                raise ValueError(f"a batch encoder takes no {name}")
        refuse_unknown("batch_encoder", self.options, _OPTIONS[self.kind])
        self._writer(io.BytesIO())  # a wrong option shows here, not in a worker

    @property
    def schema(self) -> pa.Schema:
        """Schema of the batches: one binary column."""
        import pyarrow as pa

        return pa.schema([pa.field(self.column, pa.binary())])

    @property
    def ddl(self) -> str:
        """The schema in Spark's DDL."""
        return f"`{self.column.replace('`', '``')}` binary"

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Encodes; what was complete before an error is given first, then the error is raised.

        Raises:
            ImportError: pyarrow is not installed.
        """
        require_pyarrow()
        import pyarrow as pa

        for value in self._values(batches):
            yield pa.record_batch([pa.array([value], pa.binary())], schema=self.schema)

    def _values(self, batches: Iterable[pa.RecordBatch]) -> Iterator[bytes]:
        buffer = io.BytesIO()
        writer: PatchWriter | RdfWriter | None = None
        pending = 0
        for batch, ends in _pieces(batches, self.kind == "patch", self.rows):
            writer = writer or self._writer(buffer)
            pending += writer.write(batch)
            if ends and pending >= self.rows:
                yield self._take(writer, buffer)
                pending = 0
                writer = None if self.unit == "stream" else writer
        if writer is not None and pending:
            yield self._take(writer, buffer)

    def _writer(self, buffer: io.BytesIO) -> PatchWriter | RdfWriter:
        return _WRITERS[self.kind](buffer, delimited=self.unit == "stream", **self.options)

    def _take(self, writer: PatchWriter | RdfWriter, buffer: io.BytesIO) -> bytes:
        if self.unit == "stream":
            writer.close()
        else:
            writer.end_frame()
            writer.flush()
        value = buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()
        return value


def _pieces(
    batches: Iterable[pa.RecordBatch], is_patch: bool, rows: int
) -> Iterator[tuple[pa.RecordBatch, bool]]:
    """Batches cut where a value may end, and whether each ends there."""
    for batch in batches:
        start = 0
        for end in _ends(batch) if is_patch else range(rows, batch.num_rows + rows, rows):
            stop = min(end, batch.num_rows)
            if stop > start:
                yield batch.slice(start, stop - start), True
            start = stop
        if start < batch.num_rows:
            yield batch.slice(start), False


def _ends(batch: pa.RecordBatch) -> list[int]:
    """Where patches end: behind their ``Z``."""
    import pyarrow.compute as pc

    marks = pc.indices_nonzero(pc.fill_null(pc.equal(batch.column("op"), "Z"), False))
    return [row + 1 for row in marks.to_pylist()]
