"""Replicas: tables that follow the log of a dataset.

    from jelly.replica import Replica

    replica = Replica.create("people", "base.nq")
    replica.follow("log/")
    replica.read()

Needs the extra ``jelly-patch[arrow]``; see ``docs/replicas.md``.
"""

from jelly.errors import ReplicaError
from jelly.replica._follow import Followed
from jelly.replica._table import Replica

__all__ = ["Followed", "Replica", "ReplicaError"]
