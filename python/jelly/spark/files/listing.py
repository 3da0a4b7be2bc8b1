"""Lists the files that match paths, folders and globs."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from jelly import _internal, storage
from jelly.spark.files import manifest

if TYPE_CHECKING:
    import pyarrow.fs as pafs

    from jelly.spark._options import ReadOptions
    from jelly.storage import Place


class File(NamedTuple):
    """A file in its state at the time of the listing."""

    where: str
    """The address that any worker can open: an absolute path, or a URI."""
    source: str
    """The value of the column ``source``: the path in the form that was given."""
    size: int
    """Size in bytes, as stored."""
    modified: int
    """Modification time in nanoseconds since 1970; 0 if the storage does not report it."""
    has_own_time: bool = True
    """False if ``modified`` is the time of the commit that names the file."""

    @property
    def stamp(self) -> tuple[int, int]:
        """Size and time, by which two states of the file are compared.

        For remote storage only whole seconds are compared, because a listing and a request for one file differ in the
        rest.
        """
        if storage.is_remote(self.where):
            return self.size, self.modified // 1_000_000_000
        return self.size, self.modified

    def is_unchanged(self, now: File) -> bool:
        """Returns whether the current file has the same state as in the listing.

        A file that a commit names is compared only by its size, because no name is written twice.
        """
        return now.stamp == self.stamp if self.has_own_time else now.size == self.size


def require_paths(options: ReadOptions) -> None:
    """Checks that paths without globs exist.

    Raises:
        FileNotFoundError: A path does not exist.
    """
    import pyarrow.fs as pafs

    for path in options.paths:
        place = storage.resolve(path, options.storage)
        info = place.fs.get_file_info(place.path)
        if info.type == pafs.FileType.NotFound and not _is_glob(place.path):
            raise _missing(place)


def files_of(options: ReadOptions, *, complete: bool = True) -> list[File]:
    """Returns all files, each once, sorted within each path.

    Args:
        options: The paths and filters.
        complete: Whether a glob must match something.

    Raises:
        FileNotFoundError: A path does not exist.
        OSError: A folder cannot be listed.
    """
    found: dict[str, File] = {}
    for path in options.paths:
        place = storage.resolve(path, options.storage)
        for file in _files(place, options, complete):
            if _is_in_time(file, options):
                found.setdefault(file.where, file)
    return list(found.values())


def _files(place: Place, options: ReadOptions, complete: bool) -> Iterator[File]:
    import pyarrow.fs as pafs

    info = place.fs.get_file_info(place.path)
    if info.type == pafs.FileType.NotFound and _is_glob(place.path):
        matches = manifest.counting(place.fs, sorted(_matches(place), key=lambda match: match.path))
        if complete and not matches:
            raise FileNotFoundError(f"{place.uri}: no file or folder matches")
    elif info.type == pafs.FileType.NotFound:
        raise _missing(place)
    else:
        matches = [info]
    for match in matches:
        shown = _shown(place, match.path)
        if match.type == pafs.FileType.Directory:
            yield from _under(place, match.path, shown, options)
        elif _is_wanted(match.base_name, options):
            yield _file(place, match, shown)


def _missing(place: Place) -> FileNotFoundError:
    return FileNotFoundError(f"{place.uri}: there is no such file or folder")


def _under(place: Place, folder: str, shown: str, options: ReadOptions) -> Iterator[File]:
    """Yields the files in a folder."""
    import pyarrow.fs as pafs

    selector = pafs.FileSelector(folder, recursive=options.recursive_file_lookup)
    base = folder.rstrip("/") + "/"
    listed = place.fs.get_file_info(selector)
    own = {info.path: info.mtime_ns for info in listed}
    found = manifest.visible(place.fs, folder, listed)
    local = place.fs.type_name == "local"
    names = {info.path for info in found}
    for info in sorted(found, key=lambda info: info.path):
        inner = info.path.removeprefix(base)
        hidden = any(_is_hidden(name) for name in inner.split("/"))
        if hidden or not _is_wanted(info.base_name, options):
            continue
        if options.kind == "patch" and _is_beside_patches(info.path, names):
            continue
        if not (local and _links_back(Path(folder), inner)):
            file = _file(place, info, f"{shown.rstrip('/')}/{inner}")
            has_own_time = info.path in own and own[info.path] == info.mtime_ns
            yield file._replace(has_own_time=has_own_time)


def _is_beside_patches(path: str, paths: set[str]) -> bool:
    """Returns whether a file belongs to a backup or a log, as its manifest shows, but contains no patches."""
    folder, _, name = path.rpartition("/")
    is_log = any(f"{folder}/{one}" in paths for one in ("base.json", "log.json"))
    return is_log and not _internal.holds_patches(name)


def _links_back(top: Path, inner: str) -> bool:
    """Returns whether a link on the path to a folder leads to another folder on this path."""
    way = (top / outer for outer in Path(inner).parents[:-1])
    return any(s.is_symlink() and s.parent.resolve().is_relative_to(s.resolve()) for s in way)


def _file(place: Place, info: pafs.FileInfo, shown: str) -> File:
    where = info.path if place.fs.type_name == "local" else shown
    return File(where, shown, info.size or 0, info.mtime_ns or 0)


def _is_wanted(name: str, options: ReadOptions) -> bool:
    glob = options.path_glob_filter
    return glob is None or any(_pattern(one).fullmatch(name) for one in _without_braces(glob))


def _is_in_time(file: File, options: ReadOptions) -> bool:
    """Returns whether a file was modified in the requested period.

    Raises:
        ValueError: The storage does not report modification times.
    """
    after, before = options.modified_after, options.modified_before
    if after is None and before is None:
        return True
    if not file.modified:
        raise ValueError(f"{file.source}: this storage does not report when a file was modified")
    return (after is None or file.modified > after) and (before is None or file.modified < before)


def _is_hidden(name: str) -> bool:
    """Returns whether a file is hidden, as in Spark: names of partition columns may begin with ``_``."""
    return name.startswith(".") or (name.startswith("_") and "=" not in name)


def _shown(place: Place, path: str) -> str:
    """Returns a path in the form that the user gave."""
    if storage.is_remote(place.uri):
        return place.shown(path)
    inside, given = place.path.rstrip("/"), place.uri.rstrip("/")
    if given.endswith(inside):
        return given.removesuffix(inside) + path
    if inside.endswith("/" + given):
        return path.removeprefix(inside.removesuffix(given))
    return given if path == inside else path


# globs, as in Hadoop


def _is_glob(path: str) -> bool:
    return re.search(r"[*?\[{]", path) is not None


def _matches(place: Place) -> Iterator[pafs.FileInfo]:
    """Yields the files and folders that match, each once."""
    seen = set()
    for glob in _without_braces(place.path):
        for info in _walk(place.fs, "", glob.split("/")):
            if info.path not in seen:
                seen.add(info.path)
                yield info


def _walk(fs: pafs.FileSystem, folder: str, names: list[str]) -> Iterator[pafs.FileInfo]:
    import pyarrow.fs as pafs

    plain = 0
    while plain < len(names) and not _is_glob(names[plain]):
        plain += 1
    if plain == len(names):
        info = fs.get_file_info(folder + "/".join(names))
        if info.type != pafs.FileType.NotFound:
            yield info
        return
    folder += "".join(name + "/" for name in names[:plain])
    pattern, rest = _pattern(names[plain]), names[plain + 1 :]
    hidden = names[plain].startswith((".", "_"))
    for info in fs.get_file_info(pafs.FileSelector(folder or "/", allow_not_found=True)):
        if not pattern.fullmatch(info.base_name) or (_is_hidden(info.base_name) and not hidden):
            continue
        if not rest:
            yield info
        elif info.type == pafs.FileType.Directory:
            yield from _walk(fs, info.path + "/", rest)


def _pattern(glob: str) -> re.Pattern[str]:
    return re.compile(fnmatch.translate(glob.replace("[^", "[!")))


def _without_braces(glob: str) -> list[str]:
    """Expands ``{a,b}`` in a glob; returns the resulting globs."""
    inner = re.search(r"\{([^{}]*)\}", glob)
    if inner is None:
        return [glob]
    head, tail = glob[: inner.start()], glob[inner.end() :]
    return [one for choice in inner[1].split(",") for one in _without_braces(head + choice + tail)]
