"""Where Spark finds the data source ``jelly-log`` by its name.

Spark imports every module ``pyspark_*`` to look up any source, and stops at the first exception but
an AttributeError: so nothing is imported before it is requested, and what is missing is no error.
"""

from __future__ import annotations


def __getattr__(name: str) -> object:
    if name == "DefaultSource":
        try:
            from jelly.spark.log.source import LogSource
        except ImportError as error:
            raise AttributeError(f"jelly-log cannot be loaded here: {error}") from error
        return LogSource
    raise AttributeError(name)
