"""Files that appear whole or not at all, for writers that are not ours."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from jelly.types import Destination, SupportsWrite


def check_folder(dest: object) -> None:
    """Looks whether the folder of a result is there.

    Raises:
        FileNotFoundError: It is not, and is named; not the hidden file that would be made in it.
    """
    if isinstance(dest, str | os.PathLike):
        folder = Path(os.fsdecode(dest)).parent
        if not folder.is_dir():
            raise FileNotFoundError(f"{os.fsdecode(dest)}: there is no folder {folder}")


@contextmanager
def whole_file(dest: Destination) -> Iterator[Any]:
    """Gives a path to write to, which becomes ``dest`` at the end, or a file object."""
    if not isinstance(dest, str | os.PathLike):
        yield _Counted(dest)
        return
    path = Path(os.fsdecode(dest))
    if str(path) == "-":
        yield _Counted(sys.stdout.buffer)
        return
    check_folder(path)
    handle, part = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    try:
        os.fchmod(handle, 0o666 & ~_umask())
        yield part
        os.fsync(handle)
        Path(part).replace(path)
        sync_folder(path.parent)
    except BaseException:
        with suppress(FileNotFoundError):
            Path(part).unlink()
        raise
    finally:
        os.close(handle)


class _Counted:
    """A file object that need not know where it is, as a pipe does not; it stays open."""

    closed = False

    def __init__(self, file: SupportsWrite) -> None:
        self._file = file
        self._written = 0

    def write(self, data: bytes) -> int:
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


def _umask() -> int:
    umask = os.umask(0)
    os.umask(umask)
    return umask


def make_folder(folder: Path) -> None:
    """Makes a folder that lasts, if it is not there."""
    if not folder.is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        sync_folder(folder.parent)


def sync_folder(folder: Path) -> None:
    """Makes names in a folder last."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
