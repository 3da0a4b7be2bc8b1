"""Options of data sources: strings whose names Spark has converted to lower case."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self

from jelly import _internal
from jelly._ddl import quoted
from jelly._internal import Schema
from jelly._option_table import options_of
from jelly._readers import read_patch, read_rdf, read_whole
from jelly.spark._values import (
    choice,
    flag,
    instant,
    mapping,
    names,
    number,
    positive,
    size,
    text,
    upper,
)
from jelly.types import Limits, PatchOptions, RdfOptions

if TYPE_CHECKING:
    from jelly._internal import PatchReader, RdfReader

Kind = Literal["rdf", "patch"]


class Option(NamedTuple):
    """An option of a data source."""

    name: str
    """The name in the documentation; Spark accepts it in any case."""
    parse: Callable[[str], Any]
    """Parses the text that Spark passes; its ValueError describes the valid values."""

    @property
    def keyword(self) -> str:
        """The name of the option as a keyword argument of readers and writers."""
        return re.sub("[A-Z]", lambda upper: "_" + upper[0].lower(), self.name)


def camel(keyword: str) -> str:
    """Returns the name of an option for a keyword argument: ``batchRows`` for ``batch_rows``."""
    head, *rest = keyword.split("_")
    return head + "".join(word.capitalize() for word in rest)


# parsers for each shape in the table of options
_PARSERS: dict[str, Callable[[str], Any]] = {
    "flag": flag, "word": choice, "format": choice, "number": number, "bytes": size, "names": names, "text": text,
    "pairs": mapping,
}  # fmt: skip
# readers and writers set these themselves, from other options
_NOT_HERE = {"limits", "options"}


def _of_table(*doors: str) -> tuple[Option, ...]:
    """Returns the options of these groups for Spark."""
    rows = options_of(*doors).values()
    return tuple(
        Option(camel(row.name), _PARSERS[row.shape]) for row in rows if row.name not in _NOT_HERE
    )


DECODE = {kind: _of_table(f"decode_{kind}") for kind in ("rdf", "patch")}
ENCODE = {kind: _of_table(f"write_{kind}") for kind in ("rdf", "patch")}
ENCODE_COLUMN = {kind: _of_table(f"encode_{kind}") for kind in ("rdf", "patch")}
LIMITS = tuple(
    option for option in _of_table("limits") if option.keyword not in ("batch_rows", "batch_bytes")
)
"""Fields of ``jelly.Limits``; the sizes of batches are options of readers."""
FILES = (
    Option("splitBytes", positive(size)),
    Option("openCostBytes", size),
    Option("minPartitions", positive(number)),
    Option("recursiveFileLookup", flag),
    Option("pathGlobFilter", text),
    Option("partitionColumns", names),
    Option("ignoreCorruptFiles", flag),
    Option("badRecordsPath", text),
)
TIMES = (Option("modifiedAfter", instant), Option("modifiedBefore", instant))
"""Not for streams, which read each file once, whenever it appears."""
STREAM = (
    Option("maxFilesPerTrigger", positive(number)),
    Option("maxBytesPerTrigger", positive(size)),
    Option("latenessSeconds", number),
    Option("ignoreChangedFiles", flag),
)

_STREAM_PARSERS: dict[str, Callable[[str], Any]] = {"int": number, "bool": flag}
STREAM_OPTIONS: dict[str, tuple[Option, ...]] = {
    kind: tuple(
        Option(
            camel(option.name),
            _STREAM_PARSERS.get(str(option.type), text if option.name == "stream_name" else upper),
        )
        for option in fields(options)
    )
    for kind, options in (("rdf", RdfOptions), ("patch", PatchOptions))
}
"""Fields of ``jelly.RdfOptions`` and ``jelly.PatchOptions``."""

# a worker runs ahead of Spark by the content of the connection, some MB. With batches of that size,
# `limit(1)` would read two of them; smaller batches cost no more time
BATCH_ROWS = 50_000

STORAGE = "storage."
PATHS = ("path", "paths")
# Spark adds its own settings to the options of a streaming sink
OF_SPARK = ("checkpointlocation", "queryname", "outputmode")
# properties that a catalog passes when it creates a table
OF_TABLES = ("location", "owner", "provider")


def parse(options: Mapping[str, str], known: Iterable[Option], source: str) -> dict[str, Any]:
    """Converts options to keyword arguments.

    Args:
        options: The options that Spark passes.
        known: The valid options.
        source: Name of the data source, for messages.

    Raises:
        ValueError: An option is unknown, or its value is wrong.
    """
    table = {option.name.lower(): option for option in known}
    keywords = {}
    for name, value in options.items():
        option = table.get(name.lower())
        if option is None and name.lower() in OF_TABLES:
            raise ValueError(
                "Spark stores neither path nor options for a table of a Python data source: use "
                "CREATE TEMPORARY VIEW name USING `{source}` OPTIONS (path '...')"
            )
        if option is None:
            near = difflib.get_close_matches(name.lower(), table, 1, cutoff=0.0)
            hint = f"; did you mean {table[near[0]].name!r}?" if near else ""
            raise ValueError(f"the source {source!r} has no option {name!r} here{hint}")
        try:
            keywords[option.keyword] = option.parse(value)
        except ValueError as error:
            raise ValueError(f"option {option.name!r}: {error}") from None
    return keywords


def paths_of(options: Mapping[str, str]) -> tuple[str, ...]:
    """Returns the paths that ``load(path)`` or ``load([path, ...])`` added to the options.

    Raises:
        ValueError: There is no path.
    """
    if "paths" in options:
        found = tuple(json.loads(options["paths"]))
    else:
        found = (options["path"],) if options.get("path") else ()
    if not found:
        raise ValueError("there is no path: give one to load(), or a list of paths")
    return found


def taken(chosen: dict[str, Any], known: Iterable[Option]) -> dict[str, Any]:
    """Removes some options from ``chosen`` and returns them as keyword arguments."""
    return {
        option.keyword: chosen.pop(option.keyword) for option in known if option.keyword in chosen
    }


def with_limits(chosen: dict[str, Any], known: Iterable[Option]) -> dict[str, Any]:
    """Removes some options and all limits from ``chosen``; returns them as keyword arguments, with ``limits``."""
    found = taken(chosen, known)
    if limits := taken(chosen, LIMITS):
        found["limits"] = Limits(**limits)
    return found


def plain(options: Mapping[str, str], *left_out: str) -> dict[str, str]:
    """Returns the options without storage options and without other options that a source parses itself."""
    return {
        name.lower(): value
        for name, value in options.items()
        if name.lower() not in left_out and not name.lower().startswith(STORAGE)
    }


def storage_of(options: Mapping[str, str]) -> dict[str, str]:
    """Returns the options ``storage.*`` without the prefix."""
    return {
        name.lower().removeprefix(STORAGE): value
        for name, value in options.items()
        if name.lower().startswith(STORAGE)
    }


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """Options for finding, dividing and decoding files."""

    kind: Kind
    paths: tuple[str, ...] = ()
    keywords: dict[str, Any] = field(default_factory=dict)
    """Keyword arguments of ``read_rdf`` or ``read_patch``."""
    storage: dict[str, str] = field(default_factory=dict)
    """Options ``storage.*`` without the prefix: how to reach remote storage."""
    split_bytes: int = 128 << 20
    open_cost_bytes: int = 4 << 20
    min_partitions: int | None = None
    recursive_file_lookup: bool = True
    path_glob_filter: str | None = None
    modified_after: int | None = None
    """Nanoseconds since 1970."""
    modified_before: int | None = None
    ignore_corrupt_files: bool = False
    bad_records_path: str | None = None
    partition_columns: tuple[str, ...] = ()
    """Columns from folders such as ``day=2026-03-01``."""
    max_files_per_trigger: int | None = None
    max_bytes_per_trigger: int | None = None
    lateness_seconds: int = 3600
    ignore_changed_files: bool = False

    @classmethod
    def of(
        cls, kind: Kind, options: Mapping[str, str], source: str, *, stream: bool | None
    ) -> Self:
        """Parses the options of Spark.

        Raises:
            ValueError: An option is wrong, or there is no path.
        """
        known = (*DECODE[kind], *LIMITS, *FILES, *TIMES, *STREAM)
        chosen = parse(plain(options, *PATHS), known, source)
        if stream is False and (only := taken(chosen, STREAM)):
            raise ValueError(
                f"option {camel(next(iter(only)))!r} works only with streams: use readStream"
            )
        if stream and (timed := [time.name for time in TIMES if time.keyword in chosen]):
            raise ValueError(
                f"option {timed[0]!r} does not work with streams, which read each file once"
            )
        if {"max_files_per_trigger", "max_bytes_per_trigger"} <= chosen.keys():
            raise ValueError("maxFilesPerTrigger and maxBytesPerTrigger cannot be used together")
        keywords = {"batch_rows": BATCH_ROWS} | with_limits(chosen, DECODE[kind])
        if "columns" in keywords:  # in any case, as in Spark
            keywords["columns"] = [name.lower() for name in keywords["columns"]]
        chosen["partition_columns"] = tuple(chosen.get("partition_columns", ()))
        made = cls(kind, paths_of(options), keywords, storage_of(options), **chosen)
        made._require_other_names()  # a wrong option raises an error here, not in a worker
        if made.leaves_bad_out and keywords.get("mode") == "permissive":
            raise ValueError(
                "mode permissive cannot be used with ignoreCorruptFiles or badRecordsPath: it "
                "makes a row of an error, and they leave bad files out"
            )
        folder = f"{(made.bad_records_path or '').rstrip('/')}/"
        if any(folder.startswith(f"{path.rstrip('/')}/") for path in made.paths):
            raise ValueError(
                f"option 'badRecordsPath': {made.bad_records_path} is in a folder that is read; "
                "choose another folder"
            )
        return made

    @property
    def leaves_bad_out(self) -> bool:
        """Whether a file with an error anywhere has no rows."""
        return self.ignore_corrupt_files or self.bad_records_path is not None

    def _require_other_names(self) -> None:
        """Rejects columns of folders whose names rows already have."""
        own = [*self.schema.names, *Schema(self.kind, permissive=True).names]
        named = [name.lower() for name in self.partition_columns]
        for at, name in enumerate(named):
            if name in own or name in named[:at]:
                raise ValueError(
                    f"option 'partitionColumns': there is a column {name!r} already; name the folders differently"
                )

    @property
    def schema(self) -> Schema:
        """The schema of the rows."""
        return _internal.read_schema(self.kind, self.keywords)

    @property
    def ddl(self) -> str:
        """The schema as Spark DDL, including the columns of folders."""
        of_folders = (f"{quoted(name)} string" for name in self.partition_columns)
        return ", ".join([self.schema.ddl, *of_folders])

    def at(self, path: str) -> Self:
        """Returns the same options for one path."""
        return replace(
            self, paths=(path,), path_glob_filter=None, modified_after=None, modified_before=None
        )

    def with_keywords(self, **changes: Any) -> Self:
        """Returns the same options with other keyword arguments of the reader."""
        return replace(self, keywords=self.keywords | changes)

    def open(self, source: Any, **more: Any) -> PatchReader[Any] | RdfReader[Any]:
        """Opens a reader; ``more`` are keyword arguments for the part that is read, and its name."""
        read: Callable[..., Any] = read_patch if self.kind == "patch" else read_rdf
        reader: PatchReader[Any] | RdfReader[Any] = read(source, **self._task(more))
        return reader

    def open_whole(self, source: Any, **more: Any) -> PatchReader[Any] | RdfReader[Any]:
        """Like :meth:`open`, for a source that must not be empty: a Jelly stream without bytes is an error."""
        return read_whole(self.kind, source, **self._task(more))

    def _task(self, more: dict[str, Any]) -> dict[str, Any]:
        """Returns the keyword arguments of a reader in a task, which has one processor."""
        return {"threads": 1} | self.keywords | more


@dataclass(frozen=True, slots=True)
class WriteOptions:
    """Options for the place and the form of written rows."""

    kind: Kind
    path: str
    keywords: dict[str, Any] = field(default_factory=dict)
    """Keyword arguments of ``RdfWriter`` or ``PatchWriter``."""
    storage: dict[str, str] = field(default_factory=dict)
    """Options ``storage.*`` without the prefix: how to reach remote storage."""

    @classmethod
    def of(cls, kind: Kind, options: Mapping[str, str], source: str) -> Self:
        """Parses the options of Spark. Options of the Jelly stream become ``keywords["options"]``.

        Raises:
            ValueError: An option is wrong, or there is not exactly one path.
        """
        known = (*ENCODE[kind], *STREAM_OPTIONS[kind], *LIMITS)
        chosen = parse(plain(options, *PATHS, *OF_SPARK), known, source)
        paths = paths_of(options)
        if len(paths) != 1:
            raise ValueError(f"expected one path to write to, found {len(paths)}")
        keywords = with_limits(chosen, ENCODE[kind])
        if stream := taken(chosen, STREAM_OPTIONS[kind]):
            made = PatchOptions if kind == "patch" else RdfOptions
            # a partition does not know whether other partitions have graphs
            default = {} if kind == "patch" else {"physical_type": "QUADS"}
            keywords["options"] = made(**(default | stream))
        return cls(kind, paths[0], keywords, storage_of(options))
