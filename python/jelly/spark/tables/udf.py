"""Functions of columns that Spark's workers call with batches."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column


def vectorized(function: Callable[..., pa.Array], kind: str) -> Callable[..., Column]:
    """A function of Arrow arrays as a function of columns, whose results are of a type of Spark."""
    import pyarrow as pa

    # Spark reads the kind of a function in the types of its parameters
    made: Any
    try:
        from pyspark.sql.pandas.functions import arrow_udf
    except ImportError:  # Spark before 4.1
        import pandas as pd
        from pyspark.sql.pandas.functions import pandas_udf

        def of_series(*columns: Any) -> Any:
            arrays = [pa.array(column, from_pandas=True) for column in columns]
            return function(*arrays).to_pandas()

        of_series.__annotations__ = {"columns": pd.Series, "return": pd.Series}
        made = pandas_udf(of_series, kind)  # type: ignore[call-overload]
    else:

        def of_arrays(*columns: Any) -> Any:
            return function(*columns)

        of_arrays.__annotations__ = {"columns": pa.Array, "return": pa.Array}
        made = arrow_udf(of_arrays, kind)  # type: ignore[call-overload]
    return cast("Callable[..., Column]", made)
