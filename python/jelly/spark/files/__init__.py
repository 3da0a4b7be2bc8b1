"""Files as Spark reads and writes them: the sources ``jelly`` and ``jelly-patch``.

    spark.read.format("jelly-patch").load("logs/*.jellyp")
    spark.read.format("jelly").option("columns", "subject,object").load(["a.jelly", "s3://bucket/b"])
    spark.readStream.format("jelly-patch").option("maxFilesPerTrigger", 10).load("logs")

Paths name files, folders and globs (``*``, ``?``, ``[ab]``, ``{a,b}``), here or in remote storage.
Files whose names begin with ``.`` or ``_`` are passed over, as Spark does, and a file that is named
twice is read once. Small files are read together by one task, and large ones by several where they
can be entered in the middle, as ``jelly.splits`` finds them: Jelly files with sync points or a
sidecar (``jelly.index``), zstd with a seek table, N-Triples, N-Quads and RDF Patch text. Text in
remote storage stays whole, because the driver would have to read all of it to divide it.

Options are those of ``jelly.read_rdf`` and ``jelly.read_patch`` and the fields of ``jelly.Limits``
in camelCase (``blankNodes``, ``strictGraphs``, ``rowBytes``), with ``columns`` as
``subject,object``, and

- ``splitBytes`` (128m): about how much of the input one task reads.
- ``openCostBytes`` (4m): what it costs to open a file, in bytes that could be read meanwhile.
- ``minPartitions`` (cores of the driver): into how many tasks the input is divided at least, where
  it is large enough; Spark does not tell a data source about its executors.
- ``batchRows`` (50000 here).
- ``recursiveFileLookup`` (true): whether folders in folders are read.
- ``pathGlobFilter``: which names of files are read.
- ``ignoreCorruptFiles``: a file that is bad anywhere has no rows. ``badRecordsPath``: the same, and a folder
  of Parquet files gets a row for it (``source``, ``kind``, ``error``, ``value``). Such files are read twice, by
  one task.
- ``modifiedAfter``, ``modifiedBefore``: when files were modified, as ``2026-03-01T12:00:00Z``; not of streams.
- ``partitionColumns``: ``day,hour`` for string columns of folders such as ``day=2026-03-01/hour=07``.
- ``storage.*``: how remote storage is reached (:mod:`jelly.storage`).
- Of streams: ``maxFilesPerTrigger`` (1000) or ``maxBytesPerTrigger``: how much a batch reads at
  most; ``latenessSeconds`` (3600) and ``ignoreChangedFiles`` (false), see below.

``.schema(...)`` chooses columns like ``columns`` does. Anything that is not known is an error.
With ``mode`` ``permissive`` there is the column ``_corrupt_record``; of a bad file that several tasks
read, the rows of the parts behind the bad one are there too.

A Jelly file without a byte is one that was lost on its way, and an error (a row in mode
``permissive``); a folder without files has no rows, and nothing is an empty document in the other
formats. A file that changes between the plan of a query and its end fails the query.

Streams read each file once, in any order in which files appear, over restarts and failures. What they
rely on:

- A file appears under its name whole, by a rename (or an upload), and never changes. One that has
  another size or time of modification than when it was found stops the stream, in the batch and
  later; ``ignoreChangedFiles`` reads what there is and goes on.
- A file is its path. The checkpoint has a hash of each path that was read, of the last 4096 files
  and of all that are not older than the newest by ``latenessSeconds``. Of others it has the number:
  a file that appears so late stops the stream, as long as no old file was taken away. Do not touch
  files that were read so long ago.
- A file that was found must stay until its batch is done.

Spark 4.0 and 4.1 give a source neither its offset nor a limit: there is no limit but one that is given,
and the first batch after a start is all there is, as is the one of a query with ``availableNow``.

Writing:

    df.write.format("jelly-patch").mode("append").save("s3://bucket/logs")
    df.writeStream.format("jelly").option("checkpointLocation", "state").start("statements")

Modes are ``append`` and ``overwrite``; without one, Spark refuses. Each partition that has rows
becomes a file; without any rows there is one empty file. All files of a write count together or not
at all, and those of a batch of a stream once, also where tasks fail, are repeated or killed:
:mod:`jelly.spark.files.manifest` says how, and what other programs see. A stream is known by its
checkpoint: with another one, it writes all again.

Columns are taken by name, terms as text or as structs (``terms``); ``graph``, and of patches
``source``, ``patch``, ``seq``, ``name`` and ``value``, can be missing. Any other column is an error.
``source``, ``frame``, ``txn`` and the numbers are not written: a reader counts anew in each file.

The rows of a patch are written in the order of their partition, so they must come in it: those of a
``source`` together, by ``seq``. What would be out of order, or a patch that lies in two partitions,
is an error; ``df.repartition("source").sortWithinPartitions("source", "seq")`` is the way to it.
Without the columns ``seq`` and ``source`` nothing can be checked.

Options are ``format`` (``jelly``, ``nt``, ``nq``, ``ttl``, ``trig``; ``jelly-patch``, ``rdfp``,
``trp``), ``compression`` (``none``, ``gzip``, ``zstd``) and the others of :class:`jelly.RdfWriter`
or :class:`jelly.PatchWriter`, the fields of ``jelly.RdfOptions`` or ``jelly.PatchOptions``, and
those of ``jelly.Limits``, in camelCase; ``storage.*`` as above. Statements are QUADS if there is a
column ``graph``, else TRIPLES; ``physicalType`` chooses.
"""
