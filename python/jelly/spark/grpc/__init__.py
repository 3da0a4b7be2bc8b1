"""Jelly streams over gRPC: ``spark.read.format("jelly-grpc")``, ``readStream``, ``write``, ``writeStream``.

    spark.read.format("jelly-grpc").option("topic", "weather").load("host:50051")
    spark.readStream.format("jelly-grpc").options(topic="weather", spoolLocation="/shared/spool").load("host:50051")
    df.write.format("jelly-grpc").mode("append").options(topic="weather", id="load-7").save("host:50051")

A place is ``host:port`` of a server that speaks Jelly's ``RdfStreamService``: ``jelly serve --grpc-port`` or another
one. ``topic`` is required. ``token`` is the token for the server; without it, ``JELLY_TOKEN`` of the environment is
used, only over TLS or to this machine, in the workers too. ``tls`` (false), ``tlsCa``, ``tlsCert`` and ``tlsKey`` are
the same as in ``jelly.grpc.Tls``, with files that driver and workers can access; ``compress`` (false) requests
compressed messages, or sends them. Needs the extra ``[grpc]`` on driver and workers. With ``kind=patch`` a topic is a
log of patches, see below.

**Reading** gives the rows of ``jelly.RDF_SCHEMA``. The options of ``jelly.read_rdf`` and the fields of
``jelly.Limits`` are available in camelCase, except ``format``, ``framing`` and ``compression``.

``read`` subscribes once, in one task, until the server ends the stream; servers of this library end it at the current
end of the topic. The column ``source`` is ``host:port/topic``.

``readStream`` has one receiver, a thread in the process with which Spark plans the stream on the driver. It writes
the incoming frames to files in the folder ``spoolLocation``, which driver and workers can access; the tasks of a
batch read these files. Each frame is checked when it arrives, and each file is a separate Jelly stream: its name is
the ``source`` of its rows.

- An offset counts frames of the spool: ``{"spool": id, "frames": 42}``. Frames in the spool are read exactly once.
Files are deleted after their batch, except the last one. A spool belongs to one checkpoint: a new checkpoint needs a
new folder, and an old checkpoint its own folder; anything else is an error.
- ``maxBytesPerTrigger`` (256m): the maximum that a batch reads. ``spoolBytes`` (1g): the maximum that waits in the
spool; beyond it, the receiver pauses and the server waits.
- When the query starts again, a server of this library continues after the last frame in the spool, so each frame is
read exactly once. The same happens when the connection breaks: the receiver connects again, up to six times without
an answer. If the topic name now belongs to another stream, the query fails.
- Other servers have no offsets. Each start of the query subscribes again, so frames are read at least once. A broken
connection fails the query.
- Frames that a server dropped while the query was not subscribed are lost. Servers of this library keep their topics.
- With ``trigger(availableNow=True)`` the receiver first receives all of the topic, even more than ``spoolBytes``, and
ends. Spark 4.0 and 4.1 do not tell a source the trigger, so there each start of a query begins in this way.

**Writing** publishes the rows of each task as one stream, complete or not at all, with an id: the option ``id``, else
an id of the query (random for a DataFrame), followed by the number of the batch (in streams) and of the task. A
server of this library stores a stream with an id only once, so repeated tasks and batches change nothing. Other
servers store it again: at least once.

- Columns are those of ``jelly.RDF_SCHEMA``, with terms as text. Rows are sorted, because a retry in Spark may have
its rows in another order; a task must fit into memory. If the rows of a retry differ, the error is
``patch.duplicate``, for example with a random function, or with ``repartition()`` without columns after one; another
number of tasks is an error only if rows differ.
- Tasks publish one by one: if a job fails, some streams may exist already. The same job with the same ``id``
completes the write.
- Statements are QUADS if there is a column ``graph``, else TRIPLES. The fields of ``jelly.RdfOptions`` in camelCase
set the options of the stream; a topic keeps its first types.
- A task without rows publishes nothing.

**Logs of patches.** With the option ``kind=patch`` (default ``rdf``), ``topic`` is the name of a log of ``jelly
serve``, which is read and published to through ``PatchLog``. Use this if only the gRPC port can be reached:

    spark.readStream.format("jelly-grpc").options(kind="patch", topic="brick").load("host:50051")

Everything is as with ``jelly-log``: rows of ``jelly.PATCH_SCHEMA``, a source ``host:port/brick/patch-0007`` for each
version, offsets of
version and id, one patch a batch, and the options ``startingVersion``, ``endingVersion``, ``maxVersionsPerTrigger``,
``minPartitions`` and ``id`` (an IRI); :mod:`jelly.spark.log` describes them.

- A log keeps its versions, so a stream needs no spool and reads each version exactly once: ``spoolLocation`` is
accepted, but not used.
- ``PatchLog`` does not report the sizes of versions: ``maxBytesPerTrigger`` and ``splitBytes`` are rejected, and
versions are divided among tasks by their number.
- Each version is a call. ``jelly-log`` reads the versions of a server in one request, so it reads a log of many small
  versions faster.
"""
