"""The data sources ``jelly`` and ``jelly-patch``."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pyspark.sql.datasource import DataSource

from jelly.spark._options import Kind, ReadOptions, WriteOptions

if TYPE_CHECKING:
    from pyspark.sql.datasource import (
        DataSourceReader,
        DataSourceStreamReader,
        DataSourceStreamWriter,
        DataSourceWriter,
    )
    from pyspark.sql.types import StructType

__all__ = ["Patch", "Rdf"]


class JellySource(DataSource):
    """The common part of both sources; :mod:`jelly.spark.files` describes the options."""

    kind: ClassVar[Kind]

    def schema(self) -> str:
        """Returns the columns of the rows, according to ``columns``, ``terms`` and ``mode``."""
        from jelly.spark.files.listing import require_paths

        # Spark does not tell here whether this is a stream; the reader checks options that depend on it
        options = self._read_options(stream=None)
        require_paths(options)  # a wrong path raises an error in load()
        return options.ddl

    def reader(self, schema: StructType) -> DataSourceReader:
        """Returns a reader of files."""
        from jelly.spark.files.read import FilesReader

        return FilesReader(self._read_options(stream=False), schema)

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: N802
        """Returns a reader that reads files as they appear in folders."""
        from jelly.spark.files.stream_read import FilesStreamReader

        return FilesStreamReader(self._read_options(stream=True), schema)

    def writer(self, schema: StructType, overwrite: bool) -> DataSourceWriter:
        """Returns a writer of files that appear together, or not at all."""
        from jelly.spark.files.write import FilesWriter

        return FilesWriter(self._write_options(), schema, overwrite)

    def streamWriter(  # noqa: N802
        self, schema: StructType, overwrite: bool
    ) -> DataSourceStreamWriter:
        """Returns a writer that writes the files of each batch once."""
        from jelly.spark.files.stream_write import FilesStreamWriter

        return FilesStreamWriter(self._write_options(), schema, overwrite)

    def _read_options(self, *, stream: bool | None) -> ReadOptions:
        return ReadOptions.of(self.kind, self.options, self.name(), stream=stream)

    def _write_options(self) -> WriteOptions:
        return WriteOptions.of(self.kind, self.options, self.name())


class Rdf(JellySource):
    """``spark.read.format("jelly")``: statements, in the columns of ``jelly.RDF_SCHEMA``."""

    kind = "rdf"

    @classmethod
    def name(cls) -> str:
        """The name of the format."""
        return "jelly"


class Patch(JellySource):
    """``spark.read.format("jelly-patch")``: patches, in the columns of ``jelly.PATCH_SCHEMA``."""

    kind = "patch"

    @classmethod
    def name(cls) -> str:
        """The name of the format."""
        return "jelly-patch"
