"""The texts of errors in a shell."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path


def text_of(error: Exception) -> str:
    """Returns the text of an error; for an error of the system, the file and the reason, without the number."""
    if isinstance(error, OSError) and error.strerror and error.filename is not None:
        name = os.fsdecode(error.filename)
        if isinstance(error, IsADirectoryError) and _is_log(name):
            return f"{name} is a log; expected a file: jelly log dataset {name} -o FILE writes its dataset, jelly log fetch a patch"
        return f"{name}: {error.strerror.lower()}"
    # options as the shell takes them
    return re.sub(r'\b(unfinished|chain)="(\w+)"', r"--\1 \2", str(error))


def _is_log(name: str) -> bool:
    from jelly.log._begin import is_log

    with suppress(OSError):  # the folder may be unreadable
        return is_log(Path(name))
    return False
