"""What makes a quad: its four columns, with language tags in lower case."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

QUAD = ("subject", "predicate", "object", "graph")

# a string in quotes with its tag or datatype; or what is between such
_PIECES = r'"(?:[^"\\]|\\.)*+"(?:@[^ ]+)?|[^"]+'


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


def key() -> Column:
    """What quads are compared by: an array of their terms, language tags in lower case.

    The same quads are told apart as by the native key, in Spark's own code: nothing goes to Python.
    """
    from pyspark.sql import functions as F  # noqa: N812

    subject, predicate, item = (F.col(name) for name in QUAD[:3])
    graph = F.coalesce("graph", F.lit(""))
    as_it_is = F.array(subject, predicate, item, graph)
    others_tagged = _may_be_tagged(subject) | _may_be_tagged(predicate) | _may_be_tagged(graph)
    tail = F.substring_index(item, '"', -1)
    is_simple = item.startswith('"') & tail.startswith("@") & ~F.contains(tail, F.lit("\\"))
    return (
        F.when(others_tagged, F.transform(as_it_is, folded))
        .when(~_may_be_tagged(item), as_it_is)
        .when(is_simple, F.array(subject, predicate, _simple(item), graph))
        .otherwise(F.transform(as_it_is, folded))
    )


def _may_be_tagged(term: Column) -> Column:
    from pyspark.sql import functions as F  # noqa: N812

    return F.contains(term, F.lit('"@'))


def folded(term: Column) -> Column:
    """A term with its language tags in lower case."""
    from pyspark.sql import functions as F  # noqa: N812

    pieces = F.transform(
        F.regexp_extract_all(term, F.lit(_PIECES), 0),
        lambda piece: F.when(piece.startswith('"'), _careful(piece)).otherwise(piece),
    )
    return F.when(_may_be_tagged(term), F.array_join(pieces, "")).otherwise(term)


def _simple(piece: Column) -> Column:
    """Lower case behind the last quotation mark."""
    from pyspark.sql import functions as F  # noqa: N812

    tail = F.substring_index(piece, '"', -1)
    return F.concat(F.substring(piece, F.lit(1), F.length(piece) - F.length(tail)), F.lower(tail))


def _careful(piece: Column) -> Column:
    """As :func:`_simple`, of tags alone; the ``U`` of an escape stays."""
    from pyspark.sql import functions as F  # noqa: N812

    tail = F.substring_index(piece, '"', -1)
    parts = F.transform(F.split(tail, r"\\U"), F.lower)
    head = F.substring(piece, F.lit(1), F.length(piece) - F.length(tail))
    folded = F.concat(head, F.array_join(parts, "\\U"))
    return F.when(tail.startswith("@"), folded).otherwise(piece)


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
