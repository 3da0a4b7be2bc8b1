"""PySpark's daemon, with the libraries loaded that each Python worker would load again after its fork.

A worker takes half a second of a core to import them, and tests of refusals need a new one for each
task that fails. Sessions that tests start in processes of their own have the daemon as it is.
"""

import sys

import pandas  # noqa: F401
import pyarrow  # noqa: F401
import pyspark.worker  # noqa: F401
from pyspark import daemon

import jelly.spark  # noqa: F401

if len(sys.argv) > 1 and sys.argv[1].startswith("pyspark"):
    __import__(sys.argv[1])  # the module that workers of this daemon run

if __name__ == "__main__":
    daemon.manager()
