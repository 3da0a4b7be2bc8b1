"""Jelly-Patch and Jelly-RDF at native speed: Arrow, Python and Spark."""

from jelly._internal import __version__

__all__ = ["__version__"]
