"""The options of all functions, as the table of the native module has them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, TypeVar

from jelly import _internal

_Function = TypeVar("_Function", bound=Callable[..., Any])
_WIDTH = 100


class Option(NamedTuple):
    """An option: what every door says about it."""

    name: str
    shape: str
    """Its type, in a word."""
    words: list[str]
    """What can be given, where that is one of a few words."""
    range: tuple[int, int] | None
    """The least and the most, for numbers."""
    default: Any
    doors: list[str]
    """The groups of functions that take it."""
    doc: str

    @property
    def short(self) -> str:
        """The first sentence of what it does."""
        return self.doc.partition(". ")[0].rstrip(".") + "."


TABLE = [Option(*row) for row in _internal.option_table()]


def options_of(*doors: str) -> dict[str, Option]:
    """The options of functions in one of these groups, by name."""
    return {row.name: row for row in TABLE if not set(doors).isdisjoint(row.doors)}


def refuse_unknown(function: str, options: Iterable[str], *doors: str) -> None:
    """Rejects names that functions of these groups do not have, as a call does, and says which may be meant.

    Raises:
        TypeError: There is such a name.
    """
    known = options_of(*doors)
    for name in options:
        if name not in known:
            from difflib import get_close_matches

            close = get_close_matches(name, known, 1)
            hint = f"; did you mean {close[0]!r}?" if close else ""
            raise TypeError(f"{function}() got an unexpected keyword argument {name!r}{hint}")


def takes(*doors: str) -> Callable[[_Function], _Function]:
    """Gives a function with ``**options`` the signature and the docs of the options of these groups."""

    def decorate(function: _Function) -> _Function:
        import inspect
        import textwrap

        rows = list(options_of(*doors).values())
        signature = inspect.signature(function)
        own = [one for one in signature.parameters.values() if one.kind != one.VAR_KEYWORD]
        named = {one.name for one in own}
        more = [
            inspect.Parameter(row.name, inspect.Parameter.KEYWORD_ONLY, default=row.default)
            for row in rows
            if row.name not in named
        ]
        function.__signature__ = signature.replace(parameters=[*own, *more])  # type: ignore[attr-defined]
        head, mark, tail = (function.__doc__ or "").partition("        **options: ")
        if mark:
            lines = [
                textwrap.fill(
                    f"{row.name}: {_words(row)}{row.doc}",
                    _WIDTH,
                    initial_indent=" " * 8,
                    subsequent_indent=" " * 12,
                ).replace("`", "``")
                for row in rows
                if row.name not in named
            ]
            function.__doc__ = head + "\n".join([*lines, *tail.splitlines()[1:]])
        return function

    return decorate


def _words(row: Option) -> str:
    return f"One of {', '.join(f'`{word}`' for word in row.words)}. " if row.words else ""
