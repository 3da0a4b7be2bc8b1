"""Files that appear whole or not at all, for writers that are not ours."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from jelly import _internal
from jelly.errors import ArgumentError, JellyError
from jelly.types import Destination, SupportsWrite


def local_path(name: str | os.PathLike[str]) -> Path:
    """The local path that a name means, which may be a ``file:`` URI.

    Raises:
        ArgumentError: It is another URL.
    """
    return _internal.local_path(os.fsdecode(name))


def check_folder(dest: object, logs: Iterable[object] | None = None) -> None:
    """Checks that a result is a file in a folder that exists, and that it replaces no file of a log.

    A folder with ``base.json`` or ``log.json`` is a log, and so is each folder among ``logs``, the
    sources of the operation. Several files are a log too. Writers, which have no ``logs``, write
    where they are asked to.

    Raises:
        FileNotFoundError: There is no such folder. The error names the folder, not the hidden file
            that would be made in it.
        IsADirectoryError: ``dest`` is a folder.
        ArgumentError: ``dest`` is a URL, a file of a log, or has a name that a log would take for one.
    """
    if not isinstance(dest, str | os.PathLike) or os.fsdecode(dest) == "-":
        return
    path = local_path(dest)
    if not path.parent.is_dir():
        raise FileNotFoundError(f"{os.fsdecode(dest)}: the folder {path.parent} does not exist")
    if path.is_dir():
        raise IsADirectoryError(f"{os.fsdecode(dest)}: found a folder; expected the name of a file, or - for standard output")  # fmt: skip
    if logs is None:
        return
    path = path.resolve()
    _internal.refuse_own_file(path)
    names = [os.fsdecode(log) for log in logs if isinstance(log, str | os.PathLike)]
    sources = [local_path(name) for name in names if name != "-"]
    for source in sources:
        _internal.refuse_own_file(path, source)
        if len(names) > 1 and path.exists() and source.exists() and path.samefile(source):
            message = f"{path}: the result would replace one of the patches; choose another name"
            raise ArgumentError(message, kind="argument")


@contextmanager
def work_folder(folder: Path) -> Iterator[Path]:
    """Gives a hidden folder in ``folder``, which is removed at the end.

    If this process is killed, the next one that writes into ``folder`` removes it.
    """
    held = _internal.WorkFolder(folder)
    try:
        yield held.path
    finally:
        held.close()


@contextmanager
def beside(dest: str | os.PathLike[str]) -> Iterator[Path]:
    """Gives a path to write to, which becomes ``dest`` at the end; of pipes and devices their own."""
    check_folder(dest)
    path = local_path(dest)
    if path.exists() and not path.is_file():
        yield path
        return
    path = path.resolve()
    with work_folder(path.parent) as work:
        part = work / path.name
        try:
            yield part
        except (OSError, JellyError) as error:
            _name(error, str(part), os.fsdecode(dest))
            raise
        if path.exists():
            shutil.copymode(path, part)
        sync_file(part)
        part.replace(path)
        sync_folder(path.parent)


def _name(error: OSError | JellyError, part: str, name: str) -> None:
    """Makes an error name a file as the caller did."""
    if isinstance(error, OSError):
        error.filename = name if error.filename == part else error.filename
    else:
        error.args = tuple(str(text).replace(part, name) for text in error.args)
        error.source = name if error.source == part else error.source


@contextmanager
def whole_file(dest: Destination) -> Iterator[Any]:
    """Gives a path to write to, which becomes ``dest`` at the end, or a file object."""
    if not isinstance(dest, str | os.PathLike):
        yield Counted(dest)
    elif os.fsdecode(dest) == "-":
        yield Counted(sys.stdout.buffer)
    else:
        with beside(dest) as part:
            yield str(part)


@contextmanager
def once_checked(dest: Destination) -> Iterator[Destination]:
    """A destination whose content goes to ``dest`` at the end, if nothing was wrong."""
    with ExitStack() as stack:
        if isinstance(dest, str | os.PathLike) and os.fsdecode(dest) != "-":
            part = stack.enter_context(beside(dest))
            if not part.exists():
                yield part
                return
            dest = part.open("wb")  # a pipe or a device
            stack.enter_context(dest)
        spool = stack.enter_context(tempfile.TemporaryFile())
        yield spool
        spool.seek(0)
        to = Counted(sys.stdout.buffer if isinstance(dest, str | os.PathLike) else dest)
        shutil.copyfileobj(spool, to, 1 << 20)
        to.flush()


class Counted:
    """A file object that need not know where it is, as a pipe does not; it stays open."""

    closed = False

    def __init__(self, file: SupportsWrite) -> None:
        self._file = file
        self._written = 0
        self.began = False
        """Something was written, perhaps in part."""

    def write(self, data: bytes) -> int:
        self.began = self.began or bool(data)
        rest = memoryview(data)
        while rest:
            # raw files tell how much they took; others take all, and may say nothing
            took = self._file.write(rest.tobytes())
            rest = rest[len(rest) if took is None else took :]
        self._written += len(data)
        return len(data)

    def tell(self) -> int:
        return self._written

    def flush(self) -> None:
        if hasattr(self._file, "flush"):
            self._file.flush()


def locked(path: Path) -> int | None:
    """Takes the lock of a file, which is made; closing the handle, or the end of this process, ends it.

    Systems without ``fcntl`` have no lock: everyone gets a handle.

    Returns:
        A handle; None if another process, or another handle of this one, has the lock.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except ImportError:
        pass
    except OSError:
        os.close(handle)
        return None
    return handle


def make_folder(folder: Path) -> None:
    """Makes a folder that stays after a crash of the machine, if it is not there.

    Raises:
        NotADirectoryError: There is a file in its place.
    """
    if not folder.is_dir():
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except FileExistsError:
            message = f"{folder} is a file; expected a folder (are the arguments swapped?)"
            raise NotADirectoryError(message) from None
        sync_folder(folder.parent)


def written_json(part: Path, said: dict[str, Any]) -> Path:
    """A file of one JSON object that is on the disk; in a work folder, from which it gets its name."""
    part.write_text(json.dumps(said) + "\n")
    sync_file(part)
    return part


def sync_file(path: Path) -> None:
    """Makes the content of a file last."""
    with path.open("rb") as file:
        os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Makes names in a folder last."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
