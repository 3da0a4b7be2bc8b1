"""Keywords that a function passes on."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches


def refuse_unknown(function: str, options: Mapping[str, object], known: type) -> None:
    """Refuses names that a ``TypedDict`` does not have, as a call does, and says what was meant.

    Raises:
        TypeError: There is such a name.
    """
    names = known.__annotations__  # those of its bases among them
    for name in options:
        if name not in names:
            close = get_close_matches(name, names, 1)
            hint = f"; did you mean {close[0]!r}?" if close else ""
            raise TypeError(f"{function}() got an unexpected keyword argument {name!r}{hint}")
