"""What makes a quad: its four columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

QUAD = ("subject", "predicate", "object", "graph")


# a label that is a position: the rule of jelly_patch::blank::is_position
_POSITION = r"_:(?:s[0-9a-f]{16}(?:f[0-9]+)?_)*(?:anon-)+[0-9]+"
_STRINGS = r'"(?:[^"\\]|\\.)*+"'
_REFUSED = (
    " names a blank node by its position in a file, which is another node in another file; "
    "give the node an IRI or a label in the data, or export the data with labels that last"
)


def without_positions(df: DataFrame, what: Column, *columns: str) -> DataFrame:
    """Rows that fail, when they are read, with ``patch.labels`` where a term is the position of a node.

    Args:
        df: The rows.
        what: Which row it is, for the error; of columns that only rows have that count.
        columns: The terms.
    """
    from pyspark.sql import functions as F  # noqa: N812

    found = F.lit(False)
    for name in columns:
        found = found | _has_position(F.col(name))
    terms = F.rtrim(F.concat_ws(" ", *columns))
    error = F.raise_error(F.concat(F.lit("patch.labels: "), what, terms, F.lit(_REFUSED)))
    return df.where(F.when(found, error).otherwise(True))


def _has_position(term: Column) -> Column:
    from pyspark.sql import functions as F  # noqa: N812

    nested = F.regexp_replace(term, _STRINGS, "")
    return (term.startswith("_:") & term.rlike(f"^{_POSITION}$")) | (
        term.startswith("<<(") & nested.rlike(f" {_POSITION} ")
    )


def named_graph() -> Column:
    """The column ``graph``, in which the default graph is ``''`` and never null."""
    from pyspark.sql import functions as F  # noqa: N812

    return F.coalesce("graph", F.lit("")).alias("graph")


def require(df: DataFrame, names: tuple[str, ...], what: str) -> None:
    """Refuses a DataFrame that lacks columns.

    Raises:
        ValueError: It does, or a term is no string.
    """
    kinds = {field.name: field.dataType.simpleString() for field in df.schema}
    missing = [name for name in names if name not in kinds]
    if missing:
        raise ValueError(
            f"{what} needs the columns {', '.join(names)}; {', '.join(missing)} is not there"
        )
    for name in QUAD:
        if name in names and kinds[name] != "string":
            raise ValueError(
                f'{what}: column {name!r} is {kinds[name]}; terms are compared as text, terms="text"'
            )
