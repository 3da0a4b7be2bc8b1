"""Logs of patches: ``spark.read.format("jelly-log")``, ``readStream``, ``write``, ``writeStream``.

    spark.read.format("jelly-log").load("logs/brick")
    spark.readStream.format("jelly-log").option("token", token).load("https://host/brick")
    df.repartition(1).write.format("jelly-log").mode("append").save("logs/brick")

A place is the same as for :class:`jelly.Log`: a folder that driver and workers can access, the address of a log on a
server, or an address in an object store (``s3://bucket/brick``). ``token`` is the token for the server; without it,
``JELLY_TOKEN`` of the environment is used, in the workers too. ``storage.*`` says how to reach an object store, like
``storage=`` of :class:`jelly.Log`: ``storage.endpoint``, ``storage.accessKey`` and so on.

**Reading** gives the rows of ``jelly.PATCH_SCHEMA``. Each version is a separate source with the name
``PLACE/patch-0007``; patches, transactions, frames and rows count from 0 in each.
Pass the rows to ``jelly.spark.apply`` and the other functions for tables.

- ``startingVersion``: the first version that is read: a number, ``earliest`` (the first version of the log; default),
or for streams ``latest`` (the next version to be published).
- ``endingVersion`` (``read`` only): the last version that is read; ``latest`` by default.
- ``maxVersionsPerTrigger`` (``readStream`` only; 1000) or ``maxBytesPerTrigger``: the maximum that a batch reads. A
batch has at least one version.
- ``splitBytes`` (128m), ``minPartitions`` (cores of the driver): how versions are divided among tasks, by their
bytes. A version is never split.
- Options of ``jelly.read_patch`` and fields of ``jelly.Limits`` in camelCase, except ``format``, ``framing`` and
``compression``, which the log knows.

The offset of a stream is the last version that was read and the id of its patch: ``{"version": 7, "id":
"<urn:x:7>"}``. Versions never change, so each is read exactly once, across restarts and failures. If that version has
another id, or the head of the log is before it, the place holds another log: ``patch.fork``. A version that is gone
is ``patch.gap``. A place without a log is an error, not an empty log.

**Writing** publishes the rows of a DataFrame, or of each batch of a stream, as one patch. All rows must be in one
task: use ``df.repartition(1)``. If rows are in several tasks, the query fails and nothing is published. The task
encodes the
patch, and the driver publishes it when all tasks are done, so a batch must fit into memory there.

- Columns are those of ``jelly.PATCH_SCHEMA``: ``op``, ``subject``, ``predicate``, ``object`` and, where rows need
  them, ``graph``, ``name`` and ``value``.
- Rows are ordered by ``seq``. Without this column, deletes come before adds and both are sorted, because a retry in
Spark may have its rows in another order. Rows without ``TX`` and ``TC`` become one transaction.
- If ``source`` and ``patch`` exist, they must name a single patch (``patch.several``).
- The id of the patch is that of a row ``H id``, else the option ``id``, in streams followed by ``/`` and the number
of the batch; else it is computed from query and batch, or random for a DataFrame. So a batch that Spark repeats is
recognized and published once. If its rows differ, the error is ``patch.duplicate``: the query must compute the same
rows each time.
- A batch without rows publishes nothing.
"""
