"""Streams of Jelly over gRPC: ``spark.read.format("jelly-grpc")``, ``readStream``, ``write``, ``writeStream``.

    spark.read.format("jelly-grpc").option("topic", "weather").load("host:50051")
    spark.readStream.format("jelly-grpc").options(topic="weather", spoolLocation="/shared/spool").load("host:50051")
    df.write.format("jelly-grpc").mode("append").options(topic="weather", id="load-7").save("host:50051")

A place is ``host:port`` of a server that speaks Jelly's ``RdfStreamService``: ``jelly serve --grpc-port``, or a server of
others. ``topic`` is needed. ``token`` is the one of the server; without it, ``JELLY_TOKEN`` of the environment counts, over
TLS and to this machine, in the workers too. ``tls`` (false), ``tlsCa``, ``tlsCert`` and ``tlsKey`` are as
``jelly.grpc.Tls`` has them, in files that driver and workers see; ``compress`` (false) asks for compressed messages, or
sends them. Needs the extra ``[grpc]`` on driver and workers. With ``kind=patch`` a topic is a log of patches, see below.

**Reading** gives the rows of ``jelly.RDF_SCHEMA``. Options of ``jelly.read_rdf`` and fields of ``jelly.Limits`` are taken in
camelCase, but ``format``, ``framing`` and ``compression``.

``read`` subscribes once, in one task, until the server ends the stream: at what the topic has now, for servers of this
library. The column ``source`` is ``host:port/topic``.

``readStream`` has one receiver, a thread in the process with which Spark plans the stream on the driver. It writes the
frames that come into files of the folder ``spoolLocation``, which driver and workers see; the tasks of a batch read these
files. Each frame is checked when it comes, and each file is a Jelly stream of its own: its name is the ``source`` of its rows.

- An offset counts frames of the spool: ``{"spool": id, "frames": 42}``. What is in the spool is read exactly once. Files
  are deleted once their batch is done, but for the last one. A spool is of one checkpoint: a new checkpoint needs a new
  folder, an old one the folder that it had; anything else is an error.
- ``maxBytesPerTrigger`` (256m): how much a batch reads at most. ``spoolBytes`` (1g): how much waits in the spool at most;
  then the receiver takes nothing more, and the server waits.
- When the query starts again, a server of this library goes on after the last frame in the spool, so each frame is
  read exactly once. So it does when the connection breaks: the receiver asks again, six times at most without an answer.
  If another stream has the name of the topic meanwhile, the query fails.
- The protocol of other servers has no offsets. Each start of the query subscribes anew, and what that sends comes once
  more: at least once, never less than the server sends. A connection that breaks ends the query, with an error.
- What a server dropped before the query subscribed, or while it was not subscribed, is not there: servers of this library
  keep topics, others do as they like.
- With ``trigger(availableNow=True)`` the receiver first takes all that the topic has now, also more than ``spoolBytes``, and ends.
  Spark 4.0 and 4.1 do not say that they want to end: there each start of a query that goes on begins so.

**Writing** publishes the rows of each task as one stream, whole or not at all, with an id: that of the option ``id``, else
one of the query, and of a DataFrame a random one; with the number of the batch, in streams, and of the task behind it. A
server of this library stores a stream with an id once, so tasks and batches that Spark repeats change nothing. Others
store it again: at least once.

- Columns are those of ``jelly.RDF_SCHEMA``, with terms as text. Rows are sorted, for Spark gives a repetition another order; a
  task must fit into memory. Rows that differ on a repetition are an error (``patch.duplicate``), as with a random
  function or ``repartition()`` without columns after one; so is another number of tasks only where rows differ.
- Tasks publish one by one: where a job fails, some streams may be there. The same job with the same ``id`` completes it.
- Statements are QUADS if there is a column ``graph``, else TRIPLES. Fields of ``jelly.RdfOptions`` in camelCase are those of the
  stream; a topic keeps the types with which it began.
- A task without rows publishes nothing.

**Logs of patches.** With the option ``kind=patch`` (``rdf``) ``topic`` is the name of a log of ``jelly serve``, which is read and
published to through ``PatchLog``, for where only the port of gRPC can be reached:

    spark.readStream.format("jelly-grpc").options(kind="patch", topic="brick").load("host:50051")

All is as with ``jelly-log``: rows of ``jelly.PATCH_SCHEMA``, a source ``host:port/brick/patch-0007`` for each version, offsets of
version and id, one patch a batch, and the options ``startingVersion``, ``endingVersion``, ``maxVersionsPerTrigger``,
``minPartitions`` and ``id`` (an IRI); :mod:`jelly.spark.log` describes them.

- A log keeps its versions, so a stream needs no spool and reads each version exactly once: ``spoolLocation`` is taken, as of
  topics, and not used.
- ``PatchLog`` does not say the bytes of versions: ``maxBytesPerTrigger`` and ``splitBytes`` are refused, and versions are
  divided among tasks by their number.
- Each version is a call. ``jelly-log`` reads the versions of a server in one request, so it reads a log of many small
  versions faster.
"""
