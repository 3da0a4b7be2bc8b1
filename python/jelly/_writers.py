"""Writers: rows, Arrow batches and readers into files and streams of any format."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby, islice
from types import TracebackType
from typing import TYPE_CHECKING, Any, ClassVar, Self, Unpack

from jelly import _internal
from jelly._option_table import refuse_unknown, takes
from jelly._option_types import PatchWriterOptions, RdfWriterOptions
from jelly._whole_file import check_folder
from jelly.types import Destination, PatchOptions, RdfOptions

if TYPE_CHECKING:
    from jelly.types import ArrowArrayExportable, ArrowStreamExportable

__all__ = ["PatchWriter", "RdfWriter"]

# Rows that go to the core at once.
_CHUNK = 4096


class _Writer:
    """What both writers have in common."""

    _native: _internal.Writer
    _fields: ClassVar[tuple[str, ...]]

    def write(self, rows: Iterable[Any] | ArrowStreamExportable | ArrowArrayExportable) -> int:
        """Writes rows.

        Args:
            rows: Record batches of any Arrow library, or an object with a stream of them (a table, a polars
                DataFrame, a reader of this library): columns are found by name, strings can have any Arrow type, and
                terms can be text or structs. Or named tuples, as from ``rows()`` of a reader, mappings, or for
                statements plain tuples of three or four terms. Other columns and fields are ignored.

        Returns:
            The number of rows that were written.

        Raises:
            EncodeError: A row cannot be written; ``row`` counts from the first row of this writer.
            TextError: A term is not canonical text.
            ValueError: The writer is closed, or failed before; or there is no column ``graph``, but one with nearly this
                name.
        """
        if isinstance(rows, _internal.Reader):
            return self._native.write_reader(rows)
        if hasattr(rows, "__arrow_c_array__") or hasattr(rows, "__arrow_c_stream__"):
            return self._native.write_arrow(rows)
        written = 0
        iterator = iter(rows)
        while chunk := list(islice(iterator, _CHUNK)):
            for _, alike in groupby(chunk, key=_shape):
                written += self._native.write_columns(self._columns(list(alike)))
        return written

    def _columns(self, rows: list[Any]) -> dict[str, Sequence[Any]]:
        first = rows[0]
        if isinstance(first, Mapping):
            given: set[Any] = set().union(*rows)
            # only their names matter
            others = [name for name in given.difference(self._fields) if isinstance(name, str)]
            nulls: dict[str, Sequence[Any]] = dict.fromkeys(others, [None] * len(rows))
            return nulls | {
                name: [row.get(name) for row in rows] for name in self._fields if name in given
            }
        names = getattr(first, "_fields", None) or self._names(first)
        return dict(zip(names, zip(*rows, strict=True), strict=True))

    def _names(self, row: Any) -> Sequence[str]:
        raise TypeError(
            "a row must be a named tuple or a mapping with fields as in the schema, not "
            f"{type(row).__name__}"
        )

    def flush(self) -> None:
        """Passes all complete frames or rows to the destination; a file does not appear yet.

        Without lengths, each frame is a message: the bytes that the file object got since the last flush are one
        message.
        """
        self._native.flush()

    def close(self) -> None:
        """Ends the stream; a file appears under its name, complete. Closing again does nothing."""
        self._native.close()

    def abort(self) -> None:
        """Stops without a result: no file appears."""
        self._native.abort()

    @property
    def closed(self) -> bool:
        """Whether the writer was closed."""
        return self._native.closed

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if exc_type is None:
            self.close()
        else:
            self.abort()


@takes("write_rdf")
class RdfWriter(_Writer):
    """Writes statements as Jelly-RDF, N-Triples, N-Quads, Turtle or TriG.

    Args:
        dest: Path (``-`` is standard output), or binary file object. A path appears when the writer is closed,
            complete or not at all.
        options: Options of a Jelly stream. The default is TRIPLES or QUADS, depending on the first statement.
        **options: See ``docs/options.md``.
    """

    _fields = ("subject", "predicate", "object", "graph")

    def __init__(
        self,
        dest: Destination,
        options: RdfOptions | None = None,
        **more: Unpack[RdfWriterOptions],
    ) -> None:
        refuse_unknown("RdfWriter", more, "write_rdf")
        check_folder(dest)
        self._native = _internal.Writer("rdf", dest, {"options": options, **more})

    def end_frame(self, metadata: Mapping[str, bytes] | None = None) -> None:
        """Ends the frame, empty or not, and puts metadata on it (``RdfStreamFrame.metadata``)."""
        self._native.end_frame(list((metadata or {}).items()))

    def _names(self, row: Any) -> Sequence[str]:
        if isinstance(row, tuple) and len(row) in (3, 4):
            return self._fields[: len(row)]
        return super()._names(row)


@takes("write_patch")
class PatchWriter(_Writer):
    """Writes rows of patches as Jelly-Patch, RDF Patch text or RDF Patch Thrift.

    A patch ends at a ``Z`` row, at :meth:`end_patch`, at :meth:`close`, and when the value of the column ``patch`` or
    ``source`` changes.

    Args:
        dest: Path (``-`` is standard output), or binary file object. A path appears when the writer is closed,
            complete or not at all.
        options: Options of a Jelly stream; None for the defaults, PUNCTUATED and QUADS.
        **options: See ``docs/options.md``.
    """

    _fields = (
        "source", "patch", "op", "subject", "predicate", "object", "graph", "name", "value",
    )  # fmt: skip

    def __init__(
        self,
        dest: Destination,
        options: PatchOptions | None = None,
        **more: Unpack[PatchWriterOptions],
    ) -> None:
        refuse_unknown("PatchWriter", more, "write_patch")
        check_folder(dest)
        self._native = _internal.Writer("patch", dest, {"options": options, **more})

    def end_frame(self) -> None:
        """Ends the frame, empty or not; in a FRAME stream that is a patch."""
        self._native.end_frame([])

    def end_patch(self) -> None:
        """Ends the patch, empty or not."""
        self._native.end_patch()


WRITERS: dict[str, Callable[..., PatchWriter | RdfWriter]] = {
    "patch": PatchWriter,
    "rdf": RdfWriter,
}


def _shape(row: Any) -> Any:
    return type(row), len(row) if isinstance(row, tuple) else 0
