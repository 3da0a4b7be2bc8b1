"""Files that appear whole or not at all, for writers that are not ours."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from jelly.types import Destination


@contextmanager
def whole_file(dest: Destination) -> Iterator[Any]:
    """Gives a path to write to, which becomes ``dest`` at the end; a file object as it is."""
    if not isinstance(dest, str | os.PathLike):
        yield dest
        return
    path = Path(os.fsdecode(dest))
    handle, part = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    try:
        os.fchmod(handle, 0o666 & ~_umask())
        yield part
        os.fsync(handle)
        Path(part).replace(path)
        _sync_folder(path.parent)
    except BaseException:
        with suppress(FileNotFoundError):
            Path(part).unlink()
        raise
    finally:
        os.close(handle)


def _umask() -> int:
    umask = os.umask(0)
    os.umask(umask)
    return umask


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
