"""The number of the current task, and its query and batch."""

from __future__ import annotations

from pyspark import TaskContext


def number_of_task() -> int:
    """Returns the number of the task in its job; 0 outside of a task."""
    context = TaskContext.get()
    return context.partitionId() if context else 0


def query_and_batch() -> tuple[str, str]:
    """Returns the id of the streaming query, which its checkpoint stores, and the number of the batch.

    Raises:
        RuntimeError: Spark does not report them.
    """
    context = TaskContext.get()
    query = context.getLocalProperty("sql.streaming.queryId") if context else None
    number = context.getLocalProperty("streaming.sql.batchId") if context else None
    if query is None or number is None:
        raise RuntimeError("Spark does not report the query and batch of this task")
    return query, number
