"""Kafka, without Java in the way: ``spark.read.format("jelly-kafka")``, ``readStream``, ``write`` and ``writeStream``.

The workers talk to the brokers with librdkafka: it needs the extra ``jelly-patch[kafka]`` wherever Python runs. Options are named
as those of Spark's own Kafka source.

**Reading** gives the rows of ``jelly.PATCH_SCHEMA`` or ``jelly.RDF_SCHEMA``.

- ``kafka.bootstrap.servers`` (required), and any other ``kafka.*``: settings of clients, by the names that Kafka's Java clients or
  librdkafka have for them. ``kafka.isolation.level`` is ``read_committed`` if nothing else is said.
- ``subscribe`` (topics between commas), ``subscribePattern`` (a regular expression) or ``assign`` (``{"topic":[0,1]}``): exactly one.
- ``kind``: ``patch`` (if nothing is said) or ``rdf``; ``format``: as readers have it.
- ``startingOffsets``: ``earliest`` (default of ``read``), ``latest`` (default of ``readStream``), or JSON,
  ``{"topic":{"0":23,"1":-2}}``, with -2 for the earliest and -1 for the latest. ``startingTimestamp``: milliseconds, instead.
  A query that starts again goes on at its checkpoint; partitions that are new to it begin at their start.
- ``endingOffsets`` (``read`` only): ``latest`` or JSON.
- ``maxOffsetsPerTrigger`` (``readStream`` only): messages in a batch, shared out by what each partition has.
- ``minPartitions``, ``maxRecordsPerPartition``: divide partitions of the log among more tasks.
- ``failOnDataLoss`` (true): whether messages that are gone before they were read are an error or a warning. Those of a topic
  that was deleted and made again are gone; with a warning the new topic is read from its start.
- ``kafkaColumns`` (false): appends ``key binary, topic string, partition int, offset bigint, timestamp timestamp`` of the message to
  each row; ``includeHeaders`` (false): ``headers`` as well.
- ``kafkaConsumer.pollTimeoutMs`` (120000): how long a broker may take to answer.
- All options of readers in camelCase (``columns``, ``mode``, ``terms``, ``blankNodes``, ``batchRows``, ``rowBytes`` and so on).

**Messages that are whole streams** need nothing more; their column ``source`` is ``topic/partition@offset``. With ``mode=permissive``
a bad message gives a row with the error in ``_corrupt_record``, and the next one is read.

**Messages that share lookups**: a partition is one stream, each message a frame of it (``framing=single``, the default here) or some
frames with their lengths (``framing=delimited``). They are decoded in order, a task for each partition; ``source`` is
``topic/partition``, and the numbers of patches, transactions, frames and rows run on through the partition.

- ``sharedLookups=true``.
- ``snapshotLocation``: a folder, local or remote (``storage.*`` as for files), required by ``readStream``. A batch begins with the state of
  the decoder that was kept at its first offset, and keeps that at its end, as ``topic/partition/offset``. What is missing is made
  anew by decoding from an older one or the start of the log. A folder is of one topic, one ``kind`` and one ``framing``.
- ``snapshotsKept`` (10): how many stay of those that are older than the batch.
- ``newStreamAtOptions`` (true): an options row begins a new stream, as a producer that was started anew writes it. With false, options
  that are repeated change nothing.
- Not with it: ``mode=permissive``, ``rows=committed``, ``strict`` for patches, ``minPartitions``. ``kafkaColumns`` decodes each message
  alone, which is slow when tables are large.
- A log whose start was removed can be read where a snapshot is left. Else it is an error, or with ``failOnDataLoss=false`` reading
  goes on at the next message that begins a stream, in this batch or a later one; messages before it give no rows, with a warning.
  ``_:anon-0`` of a stream behind the loss is no node of a stream before it.

A query is exactly once into a sink that takes a batch twice as once: the same offsets give the same rows with the same numbers.

**Writing** sends rows with the columns of the schemas (``op`` and so on), in the order that they have in their partition of the
DataFrame, ``mode("append")``. It is at least once: what a task that failed had sent is sent again.

- ``kafka.bootstrap.servers``, ``kafka.*``: as above. The producer is idempotent, so its own retries double nothing.
- ``kind``: ``patch`` (if nothing is said) or ``rdf``.
- ``topic``, or a column ``topic``; ``key``, or a column ``key``. Rows behind one another with the same are in one message.
- ``messageRows`` (1000): rows after which a message ends. A patch is never cut: its message ends with its ``Z``. Rows of patches that are
  out of order, or in several partitions of the DataFrame, are an error.
- ``frameRows``, ``namespaces``, options of the Jelly stream (``streamType``, ``physicalType``, ``maxNameTableSize``, …) and limits.

Each message is a whole stream.
"""
