"""Where files are: here, or in what pyarrow reaches."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from jelly._inputs import path_of

if TYPE_CHECKING:
    import pyarrow.fs as pafs


class Place(NamedTuple):
    """A path in a file system."""

    fs: pafs.FileSystem
    path: str
    uri: str


def resolve(path: str, storage: dict[str, str]) -> Place:
    """The file system of a path or URI, and the path in it."""
    import pyarrow.fs as pafs

    del storage
    return Place(pafs.LocalFileSystem(), str(Path(path_of(path)).absolute()), path)


def open_input(where: str, storage: dict[str, str]) -> Any:
    """What a reader takes: the path of a local file, else a file object."""
    del storage
    return where
