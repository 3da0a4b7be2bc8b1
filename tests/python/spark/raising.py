"""What Spark makes of an error in our code."""

from __future__ import annotations

from typing import Any, Literal

import pytest

Kind = Literal[
    "AnalysisException", "PythonException", "SparkRuntimeException", "StreamingQueryException"
]


def spark_raises(kind: Kind, message: str) -> pytest.RaisesExc[Any]:
    """Expects an exception of ``pyspark.errors`` with a message.

    An ``AnalysisException`` comes from the driver's side of a data source, a ``PythonException`` from
    a worker, a ``StreamingQueryException`` from a stream. Where two stages fail at once, an error of Java has the
    messages of both.
    """
    from py4j.protocol import Py4JJavaError
    from pyspark import errors

    return pytest.raises((getattr(errors, kind), Py4JJavaError), match=message)
