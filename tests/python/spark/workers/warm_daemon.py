"""PySpark's daemon, without what each Python worker would do anew after its fork.

A worker takes half a second of a core to import libraries, and 0.35 more in `importlib.invalidate_caches`, which reads the
directories of the archives on the path: for each package of `pyspark.zip` once. Tests of refusals need a new worker for each
task that fails. Sessions that tests start with `apart.py` have the daemon as it is.
"""

import sys

# before PySpark is imported, so that it comes from the environment
sys.path[:] = [path for path in sys.path if not path.endswith((".jar", "-src.zip", "pyspark.zip"))]
sys.path_importer_cache.clear()

import pandas  # noqa: E402, F401
import pyarrow.fs  # noqa: E402
import pyarrow.pandas_compat  # noqa: E402, F401
import pyspark.sql.worker.plan_data_source_read  # noqa: E402
import pyspark.worker  # noqa: E402, F401
from pyspark import daemon  # noqa: E402

import jelly.spark.files.read  # noqa: E402
import jelly.spark.files.write  # noqa: E402, F401

if len(sys.argv) > 1 and sys.argv[1].startswith("pyspark"):
    __import__(sys.argv[1])  # the module that workers of this daemon run

if __name__ == "__main__":
    daemon.manager()
