"""Kafka without Java: ``spark.read.format("jelly-kafka")``, ``readStream``, ``write`` and ``writeStream``.

The workers talk to the brokers with librdkafka: it needs the extra ``jelly-patch[kafka]`` on driver and workers.
Options have the names of Spark's own Kafka source.

**Reading** gives the rows of ``jelly.PATCH_SCHEMA`` or ``jelly.RDF_SCHEMA``.

- ``kafka.bootstrap.servers`` (required), and any other ``kafka.*``: settings of clients, with the names of Kafka's
Java clients or of librdkafka. ``kafka.isolation.level`` is ``read_committed`` by default.
- ``subscribe`` (topics between commas), ``subscribePattern`` (a regular expression) or ``assign`` (``{"topic":[0,1]}``): exactly one.
- ``kind``: ``patch`` (default) or ``rdf``; ``format``: as for readers.
- ``startingOffsets``: ``earliest`` (default of ``read``), ``latest`` (default of ``readStream``), or JSON,
  ``{"topic":{"0":23,"1":-2}}``, with -2 for the earliest and -1 for the latest. ``startingTimestamp``: milliseconds, instead.
  A query that starts again continues at its checkpoint; new partitions begin at their start.
- ``endingOffsets`` (``read`` only): ``latest`` or JSON.
- ``maxOffsetsPerTrigger`` (``readStream`` only): maximum number of messages in a batch, divided among the partitions
by their size.
- ``minPartitions``, ``maxRecordsPerPartition``: divide partitions of the log among more tasks.
- ``failOnDataLoss`` (true): whether messages that are gone before they were read are an error or a warning. If a
topic was deleted and created again, its old messages are gone; with a warning the new topic is read from its start.
- ``kafkaColumns`` (false): appends ``key binary, topic string, partition int, offset bigint, timestamp timestamp`` of the message to
  each row; ``includeHeaders`` (false): ``headers`` as well.
- ``kafkaConsumer.pollTimeoutMs`` (120000): how long a broker may take to answer.
- All options of readers in camelCase (``columns``, ``mode``, ``terms``, ``blankNodes``, ``batchRows``, ``rowBytes`` and so on).

**Messages that are whole streams** need nothing more; their column ``source`` is ``topic/partition@offset``. With ``mode=permissive``
a bad message gives a row with the error in ``_corrupt_record``, and the next message is read.

**Messages that share lookups**: a partition is one stream, each message a frame of it (``framing=single``, the default here) or some
frames with their lengths (``framing=delimited``). They are decoded in order, a task for each partition; ``source`` is
``topic/partition``, and the numbers of patches, transactions, frames and rows run on through the partition.

- ``sharedLookups=true``.
- ``snapshotLocation``: a folder, local or remote (``storage.*`` as for files), required by ``readStream``. A batch
begins with the decoder state that was stored at its first offset, and stores the state at its end, as
``topic/partition/offset``. A missing state is computed again by decoding from an older state or the start of the log.
A folder belongs to one topic, one ``kind`` and one ``framing``.
- ``snapshotsKept`` (10): how many states older than the batch are kept.
- ``newStreamAtOptions`` (true): an options row begins a new stream, because a restarted producer writes one. With
false, repeated options change nothing.
- Not available with it: ``mode=permissive``, ``rows=committed``, ``strict`` for patches, ``minPartitions``.
``kafkaColumns`` decodes each message
  alone, which is slow when tables are large.
- A log whose start was removed can be read if a snapshot is left. Otherwise it is an error, or with
``failOnDataLoss=false`` reading continues at the next message that begins a stream, in this batch or a later one;
messages before it give no rows, with a warning. ``_:anon-0`` of a stream after the loss is not a node of a stream
before it.

A query is exactly once if its sink ignores repeated batches: the same offsets give the same rows with the same
numbers.

**Writing** sends rows with the columns of the schemas (``op`` and so on), in the order that they have in their partition of the
DataFrame, ``mode("append")``. It is at least once: messages of a failed task are sent again.

- ``kafka.bootstrap.servers``, ``kafka.*``: as above. The producer is idempotent, so its own retries duplicate
nothing.
- ``kind``: ``patch`` (default) or ``rdf``.
- ``topic``, or a column ``topic``; ``key``, or a column ``key``. Consecutive rows with the same topic and key are in
one message.
- ``messageRows`` (1000): number of rows after which a message ends. A patch is never split: its message ends with its
``Z``. Rows of patches that are
  out of order, or in several partitions of the DataFrame, are an error.
- ``frameRows``, ``namespaces``, options of the Jelly stream (``streamType``, ``physicalType``, ``maxNameTableSize``, …) and limits.

Each message is a whole stream.
"""
