"""Where Spark finds the data source ``jelly`` by its name.

Spark imports every module ``pyspark_*`` to look up any source, and stops at the first exception but
an AttributeError: so nothing is imported before it is requested, and what is missing is no error.
"""

from __future__ import annotations


def __getattr__(name: str) -> object:
    if name == "DefaultSource":
        try:
            from jelly.spark.sources import Rdf
        except ImportError as error:
            raise AttributeError(f"jelly cannot be loaded here: {error}") from error
        return Rdf
    raise AttributeError(name)
