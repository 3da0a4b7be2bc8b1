"""Logs that patches are published to: ``spark.read.format("jelly-log")``, ``readStream``, ``write``, ``writeStream``.

    spark.read.format("jelly-log").load("logs/brick")
    spark.readStream.format("jelly-log").option("token", token).load("https://host/brick")
    df.repartition(1).write.format("jelly-log").mode("append").save("logs/brick")

A place is what :class:`jelly.Log` takes: a folder that driver and workers see, the address of a log on a
server, or one in an object store (``s3://bucket/brick``). ``token`` is the one of the server; without it,
``JELLY_TOKEN`` of the environment counts, in the workers too. ``storage.*`` is how an object store is
reached, as ``storage=`` of :class:`jelly.Log` says it: ``storage.endpoint``, ``storage.accessKey`` and so on.

**Reading** gives the rows of ``jelly.PATCH_SCHEMA``. Each version is a source of its own, with the name
``PLACE/patch-0007``; patches, transactions, frames and rows count from 0 in each.
``jelly.spark.apply`` and the other functions of tables take the rows.

- ``startingVersion``: the first version that is read: a number, ``earliest`` (the first that the log
  has; default), or of streams ``latest`` (the next one to come).
- ``endingVersion`` (``read`` only): the last version that is read; ``latest`` if nothing is said.
- ``maxVersionsPerTrigger`` (``readStream`` only; 1000) or ``maxBytesPerTrigger``: how much a batch reads
  at most. A batch has at least one version.
- ``splitBytes`` (128m), ``minPartitions`` (cores of the driver): how versions are divided among tasks,
  by their bytes. A version is never divided.
- Options of ``jelly.read_patch`` and fields of ``jelly.Limits`` in camelCase, but ``format``, ``framing``
  and ``compression``, which the log knows.

The offset of a stream is the last version that was read and the id of its patch: ``{"version": 7, "id":
"<urn:x:7>"}``. Versions never change, so each is read once, over restarts and failures. Another id at that
version, or a head before it, means that another log is at the place: ``patch.fork``. A version that is
gone is ``patch.gap``. A place without a log is an error, not an empty log.

**Writing** publishes the rows of a DataFrame, or of each batch of a stream, as one patch. All rows are in one
task: ``df.repartition(1)``; rows in several are an error, and nothing is published. The task encodes the
patch, and the driver publishes it when all tasks are done, so a batch must fit into memory there.

- Columns are those of ``jelly.PATCH_SCHEMA``: ``op``, ``subject``, ``predicate``, ``object`` and, where rows need
  them, ``graph``, ``name`` and ``value``.
- Rows stand by ``seq``. Without this column deletes come before adds, and each are sorted: Spark gives a
  retry another order. Rows without ``TX`` and ``TC`` become one transaction.
- ``source`` and ``patch``, where they are there, must say one patch (``patch.several``).
- The id of the patch is that of a row ``H id``, else the option ``id``, in streams with ``/`` and the number
  of the batch behind it; else it is made of query and batch, and of a DataFrame at random. A batch that Spark repeats is
  known by it and published once. Rows that differ on a repetition are ``patch.duplicate``: what makes
  them must be deterministic.
- A batch without rows publishes nothing.
"""
