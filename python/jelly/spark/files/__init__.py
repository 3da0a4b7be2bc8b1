"""Files as Spark reads and writes them: the sources ``jelly`` and ``jelly-patch``.

    spark.read.format("jelly-patch").load("logs/*.jellyp")
    spark.read.format("jelly").option("columns", "subject,object").load(["a.jelly", "s3://bucket/b"])
    spark.readStream.format("jelly-patch").option("maxFilesPerTrigger", 10).load("logs")

Paths name files, folders and globs (``*``, ``?``, ``[ab]``, ``{a,b}``), here or in remote storage.
Files whose names begin with ``.`` or ``_`` are passed over, as Spark does. Small files are read
together by one task, and large ones by several where they can be entered in the middle: Jelly files
with restart points or a sidecar (``jelly.index``), N-Triples, N-Quads and RDF Patch text.

Options are those of ``jelly.read_rdf`` and ``jelly.read_patch`` and the fields of ``jelly.Limits``
in camelCase (``blankNodes``, ``strictGraphs``, ``rowBytes``), with ``columns`` as
``subject,object``, and

- ``splitBytes`` (128m): about how much of the input one task reads.
- ``openCostBytes`` (4m): what it costs to open a file, in bytes that could be read meanwhile.
- ``recursiveFileLookup`` (true): whether folders in folders are read.
- ``pathGlobFilter``: which names of files are read.
- ``storage.*``: how remote storage is reached.
- Of streams: ``maxFilesPerTrigger`` and ``maxBytesPerTrigger``: how much a batch reads at most, and
  ``latenessSeconds``.

``.schema(...)`` chooses columns like ``columns`` does. Anything that is not known is an error.
"""
