"""Bodies of answers that are made before they are sent: a failure is a status, not half an answer."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from typing import IO, Any

from jelly.errors import JellyError
from jelly.service._problems import Problem

_PIECE = 1 << 18


def spooled(write: Callable[[IO[bytes]], object]) -> IO[bytes]:
    """A temporary file that ``write`` filled, at its begin; :func:`pieces` closes it.

    Raises:
        Problem: What is written does not fit the format (406).
    """
    spool: IO[Any] = tempfile.TemporaryFile()  # noqa: SIM115 - pieces() closes it
    try:
        write(spool)
    except BaseException as error:
        spool.close()
        if isinstance(error, JellyError) and error.kind.startswith("encode."):
            raise Problem(406, error.kind, str(error)) from None
        raise
    spool.seek(0)
    return spool


def pieces(file: IO[bytes]) -> Iterator[bytes]:
    """A file in pieces."""
    with file:
        yield from iter(lambda: file.read(_PIECE), b"")
