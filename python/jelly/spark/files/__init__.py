"""Files in Spark: the sources ``jelly`` and ``jelly-patch``.

    spark.read.format("jelly-patch").load("logs/*.jellyp")
    spark.read.format("jelly").option("columns", "subject,object").load(["a.jelly", "s3://bucket/b"])
    spark.readStream.format("jelly-patch").option("maxFilesPerTrigger", 10).load("logs")

Paths name files, folders and globs (``*``, ``?``, ``[ab]``, ``{a,b}``), local or in remote storage. Files whose names
begin with ``.`` or ``_`` are ignored, as in Spark, and a file that is named twice is read once. One task reads
several small files together, and several tasks read a large file if ``jelly.splits`` can split it: Jelly files with
sync points or a
sidecar (``jelly.index``), zstd with a seek table, N-Triples, N-Quads and RDF Patch text. Text in
remote storage is not split, because the driver would have to read all of it.

Options are those of ``jelly.read_rdf`` and ``jelly.read_patch`` and the fields of ``jelly.Limits``
in camelCase (``blankNodes``, ``strictGraphs``, ``rowBytes``), with ``columns`` as
``subject,object``, and

- ``splitBytes`` (128m): roughly how much input one task reads.
- ``openCostBytes`` (4m): the cost of opening a file, as the number of bytes that could be read in the same time.
- ``minPartitions`` (cores of the driver): the minimum number of tasks, if the input is large enough; Spark does not
tell a data source about its executors.
- ``batchRows`` (50000 here).
- ``recursiveFileLookup`` (true): whether subfolders are read.
- ``pathGlobFilter``: read only files whose names match this glob.
- ``ignoreCorruptFiles``: a file with an error anywhere has no rows. ``badRecordsPath``: the same, and a folder of
Parquet files gets a row for it (``source``, ``kind``, ``error``, ``value``). With these options, one task reads each
file twice.
- ``modifiedAfter``, ``modifiedBefore``: read files by their modification time, such as ``2026-03-01T12:00:00Z``; not
for streams.
- ``partitionColumns``: ``day,hour`` adds string columns from folders such as ``day=2026-03-01/hour=07``.
- ``storage.*``: how to reach remote storage (:mod:`jelly.storage`).
- For streams: ``maxFilesPerTrigger`` (1000) or ``maxBytesPerTrigger``: the maximum that a batch reads;
``latenessSeconds`` (3600) and ``ignoreChangedFiles`` (false), see below.

``.schema(...)`` selects columns like ``columns``. An unknown option is an error. With ``mode`` ``permissive`` there
is the column ``_corrupt_record``; if several tasks read a bad file, the rows of the parts after the bad one are
included too.

An empty Jelly file (zero bytes) is an error (a row in mode ``permissive``), because a failed upload leaves an empty
file; in the other formats, zero bytes are an empty document. A folder without files has no rows. A query fails if a
file changes while the query runs.

Streams read each file exactly once, across restarts and failures, and files may appear in any order. This relies on
the following:

- A file appears complete, by a rename or an upload, and never changes. The stream stops if the size or modification
time of a file changes; with ``ignoreChangedFiles`` it continues with the file as it is.
- A file is identified by its path. The checkpoint has hashes of the paths of the last 4096 files, and of all files
that are at most ``latenessSeconds`` older than the newest one. Of older files it has only the number: a file that
arrives even later stops the stream, unless an old file was removed. Do not touch files that were read so long ago.
- Once the stream has found a file, the file must stay until its batch is done.

Spark 4.0 and 4.1 give a source neither its offset nor a limit: there is no default limit, and the first batch after a
start, or the batch of a query with ``availableNow``, reads everything.

Writing:

    df.write.format("jelly-patch").mode("append").save("s3://bucket/logs")
    df.writeStream.format("jelly").option("checkpointLocation", "state").start("statements")

The modes are ``append`` and ``overwrite``; without a mode, Spark raises an error. Each partition with rows becomes a
file; without any rows there is one empty file. The files of a write become visible all together or not at all, and
those of a batch of a stream once, even if tasks fail, are repeated or are killed: :mod:`jelly.spark.files.manifest`
describes how, and what other programs see. A stream is identified by its checkpoint: with another checkpoint, it
writes everything again.

Columns are found by name; terms are text or structs (``terms``). ``graph``, and for patches ``source``, ``patch``,
``seq``, ``name`` and ``value``, can be missing. Any other column is an error. ``source``, ``frame``, ``txn`` and the
numbers are not written: a reader counts them again in each file.

The rows of a patch are written in the order of their partition, so they must be in order: the rows of a ``source``
together, by ``seq``. Rows out of order, or a patch in two partitions, are an error; use
``df.repartition("source").sortWithinPartitions("source", "seq")``. Without the columns ``seq`` and ``source`` nothing
can be checked.

Options are ``format`` (``jelly``, ``nt``, ``nq``, ``ttl``, ``trig``; ``jelly-patch``, ``rdfp``,
``trp``), ``compression`` (``none``, ``gzip``, ``zstd``) and the others of :class:`jelly.RdfWriter`
or :class:`jelly.PatchWriter`, the fields of ``jelly.RdfOptions`` or ``jelly.PatchOptions``, and
those of ``jelly.Limits``, in camelCase; ``storage.*`` as above. Statements are QUADS if there is a
column ``graph``, else TRIPLES; ``physicalType`` overrides this.
"""
