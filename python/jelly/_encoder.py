"""Encoders of rows into a column of binary values: what ``DataFrame.mapInArrow`` calls."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, Unpack, overload

from jelly._arrow import require_pyarrow
from jelly._ddl import quoted
from jelly._frames import frames_in
from jelly._option_table import refuse_unknown, takes
from jelly._option_types import PatchEncoderOptions, RdfEncoderOptions
from jelly._writers import WRITERS, PatchWriter, RdfWriter

if TYPE_CHECKING:
    import pyarrow as pa

_NOT_HERE = ("dest", "format", "compression", "compression_level", "delimited", "restart_bytes")


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
@takes("encode_rdf", "encode_patch")
def batch_encoder(
    kind: Literal["patch", "rdf"],
    *,
    unit: Literal["stream", "frame"] = "stream",
    rows: int = 10_000,
    column: str = "value",
    **options: Any,
) -> BatchEncoder:
    """An encoder of rows, for ``df.mapInArrow(e, e.ddl)``: the reverse of ``batch_decoder``.

    Rows are encoded in the order of their partition, with columns as in ``PATCH_SCHEMA`` or
    ``RDF_SCHEMA``; other columns are ignored.

    Args:
        kind: ``"patch"`` for Jelly-Patch, ``"rdf"`` for Jelly-RDF.
        unit: ``stream``: each value is a whole delimited stream, and can be read alone.
            ``frame``: each value is a frame without its length, as in messages of a broker; the frames of a partition
                are one stream and share its lookups, so they must be read in order. If frames have a meaning (FRAME
                patches, grouped types of Jelly-RDF), each patch or element is one value; an empty patch is a value
                without bytes, except the first one.
        rows: Number of rows after which a value ends. A patch is never split: the value ends with its ``Z``. An
            element of a grouped type of Jelly-RDF ends when the column ``frame`` or ``source`` changes, and is never
            split; without the column ``frame``, each value is an element.
        column: Name of the binary column.
        **options: See ``docs/options.md``.

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
        if self.kind not in WRITERS:
            raise ValueError(f'kind must be "patch" or "rdf", not {self.kind!r}')
        if self.unit not in ("stream", "frame"):
            raise ValueError(f'unit must be "stream" or "frame", not {self.unit!r}')
        if self.rows < 1:
            raise ValueError(f"rows is {self.rows}; it must be at least 1")
        for name in _NOT_HERE:
            if name in self.options:
                raise ValueError(f"a batch encoder has no option {name}")
        refuse_unknown("batch_encoder", self.options, f"encode_{self.kind}")
        self._writer(io.BytesIO())  # a wrong option shows here, not in a worker

    @property
    def schema(self) -> pa.Schema:
        """Schema of the batches: one binary column."""
        import pyarrow as pa

        return pa.schema([pa.field(self.column, pa.binary())])

    @property
    def ddl(self) -> str:
        """The schema in Spark's DDL."""
        return f"{quoted(self.column)} binary"

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Encodes; values that were complete before an error are returned first, then the error is raised.

        Raises:
            ImportError: pyarrow is not installed.
        """
        require_pyarrow()
        import pyarrow as pa

        for value in self._values(batches):
            yield pa.record_batch([pa.array([value], pa.binary())], schema=self.schema)

    def _values(self, batches: Iterable[pa.RecordBatch]) -> Iterator[bytes]:
        buffer = io.BytesIO()
        frames = self.unit == "frame"
        writer: PatchWriter | RdfWriter | None = None
        pending, ended = 0, False
        for piece in _pieces(batches, self.kind, self.rows, self._writer(buffer)):
            if piece is not None:
                writer = writer or self._writer(buffer)
                pending += writer.write(piece)
                ended = frames and _ends_frames(writer, piece)
            elif writer is not None and pending >= self.rows:
                pending = 0
                if not frames:
                    writer.close()
                    writer = None
                    yield _taken(buffer)
                elif not ended:
                    writer.end_frame()
            if frames and writer is not None:
                writer.flush()
                yield from frames_in(_taken(buffer))
        if writer is not None:
            writer.close()
            yield from frames_in(_taken(buffer)) if frames else (_taken(buffer),)

    def _writer(self, buffer: io.BytesIO) -> PatchWriter | RdfWriter:
        options = self.options
        if self.unit == "frame":
            options = options | {"frame_rows": _NEVER}
        return WRITERS[self.kind](buffer, **options)


# So many rows has no frame.
_NEVER = 1 << 62


def _taken(buffer: io.BytesIO) -> bytes:
    value = buffer.getvalue()
    buffer.seek(0)
    buffer.truncate()
    return value


def _ends_frames(writer: PatchWriter | RdfWriter, batch: pa.RecordBatch) -> bool:
    """Whether the rows say where frames end: patches, or elements by their column."""
    is_patch = isinstance(writer, PatchWriter)
    return writer._native.keeps_frames and (is_patch or "frame" in batch.schema.names)


def _pieces(
    batches: Iterable[pa.RecordBatch], kind: str, rows: int, writer: PatchWriter | RdfWriter
) -> Iterator[pa.RecordBatch | None]:
    """Batches in pieces, with None where a value may end."""
    element: _Element = None
    for batch in batches:
        if kind == "patch":
            ends = _patch_ends(batch)
        elif _ends_frames(writer, batch):
            ends, element = _element_ends(batch, element)
        else:
            ends = [*range(rows, batch.num_rows, rows), batch.num_rows]
        start = 0
        for end in ends:
            if end > start:
                yield batch.slice(start, end - start)
            yield None
            start = end
        if start < batch.num_rows:
            yield batch.slice(start)


def _patch_ends(batch: pa.RecordBatch) -> list[int]:
    """Where patches end: behind their ``Z``."""
    import pyarrow.compute as pc

    marks = pc.indices_nonzero(pc.fill_null(pc.equal(batch.column("op"), "Z"), False))
    return [row + 1 for row in marks.to_pylist()]


# Source and frame.
_Element: TypeAlias = tuple[str | None, int] | None


def _element_ends(batch: pa.RecordBatch, last: _Element) -> tuple[list[int], _Element]:
    """Where elements end, and the element of the last row; ``last`` is that of the row before."""
    has_source = "source" in batch.schema.names
    sources = batch.column("source").to_pylist() if has_source else [None] * batch.num_rows
    ends = []
    for row, found in enumerate(zip(sources, batch.column("frame").to_pylist(), strict=True)):
        if found[1] is None:
            continue
        if last is not None and found != last:
            ends.append(row)
        last = found
    return ends, last
