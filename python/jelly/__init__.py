"""Jelly-Patch and Jelly-RDF at native speed: Arrow, Python and Spark."""

from __future__ import annotations

from jelly import errors, spark
from jelly._batches import BatchDecoder, batch_decoder, decode_batches
from jelly._convert import Tally, convert
from jelly._encoder import BatchEncoder, batch_encoder
from jelly._internal import (
    PatchReader,
    QuadKeys,
    RdfReader,
    RecordBatch,
    Schema,
    __version__,
    index,
    quad_keys,
)
from jelly._patching import Step
from jelly.applying import Applied, apply, as_of
from jelly.backups import BackedUp, backup, restore
from jelly.changing import Compared, Patched, between, canonicalize, diff, invert, net, squash
from jelly.counting import Statistics, stats
from jelly.inspection import Advice, Inspection, ValidationReport, inspect, validate
from jelly.log_folder import Head, Log, Published
from jelly.logs import LogReport, Period, Problem, history, verify_log
from jelly.patches import Patch, Transaction
from jelly.readers import read_patch, read_rdf
from jelly.replica import Replica
from jelly.splitting import splits
from jelly.staging import Staged, stage
from jelly.types import (
    Limits,
    PatchOptions,
    PatchRow,
    PatchTermRow,
    Position,
    RdfOptions,
    RdfRow,
    RdfTermRow,
    Split,
    Term,
)
from jelly.writers import PatchWriter, RdfWriter

__all__ = [
    "PATCH_SCHEMA",
    "PATCH_SCHEMA_DDL",
    "RDF_SCHEMA",
    "RDF_SCHEMA_DDL",
    "Advice",
    "Applied",
    "BackedUp",
    "BatchDecoder",
    "BatchEncoder",
    "Compared",
    "Head",
    "Inspection",
    "Limits",
    "Log",
    "LogReport",
    "Patch",
    "PatchOptions",
    "PatchReader",
    "PatchRow",
    "PatchTermRow",
    "PatchWriter",
    "Patched",
    "Period",
    "Position",
    "Problem",
    "Published",
    "QuadKeys",
    "RdfOptions",
    "RdfReader",
    "RdfRow",
    "RdfTermRow",
    "RdfWriter",
    "RecordBatch",
    "Replica",
    "Schema",
    "Split",
    "Staged",
    "Statistics",
    "Step",
    "Tally",
    "Term",
    "Transaction",
    "ValidationReport",
    "__version__",
    "apply",
    "as_of",
    "backup",
    "batch_decoder",
    "batch_encoder",
    "between",
    "canonicalize",
    "convert",
    "decode_batches",
    "diff",
    "errors",
    "history",
    "index",
    "inspect",
    "invert",
    "net",
    "quad_keys",
    "read_patch",
    "read_rdf",
    "restore",
    "spark",
    "splits",
    "squash",
    "stage",
    "stats",
    "validate",
    "verify_log",
]

PATCH_SCHEMA = Schema("patch")
RDF_SCHEMA = Schema("rdf")
PATCH_SCHEMA_DDL: str = PATCH_SCHEMA.ddl
RDF_SCHEMA_DDL: str = RDF_SCHEMA.ddl
