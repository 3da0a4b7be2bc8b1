"""Jelly-Patch and Jelly-RDF at native speed: Arrow, Python and Spark.

A name is imported from its module when it is first used: ``import jelly`` loads the native module and no more.
"""

from importlib import import_module as _import_module

from jelly._internal import (
    PatchReader,
    QuadKeys,
    RdfReader,
    RecordBatch,
    Schema,
    __version__,
)

TYPE_CHECKING = False  # type checkers take it for true; the module typing is slow to import
if TYPE_CHECKING:
    from jelly import errors, spark
    from jelly._apply import Applied, apply, as_of
    from jelly._backup import BackedUp, Restored, backup, restore
    from jelly._batches import BatchDecoder, batch_decoder, decode_batches
    from jelly._changes import (
        Compared,
        Patched,
        between,
        canonicalize,
        diff,
        invert,
        net,
        same,
        squash,
    )
    from jelly._convert import Tally, convert
    from jelly._encoder import BatchEncoder, batch_encoder
    from jelly._history import LogReport, Period, PeriodBy, Problem, history, history_by, verify_log
    from jelly._inspect import Advice, Inspection, ValidationReport, inspect, validate
    from jelly._patches import Patch, Transaction
    from jelly._patching import Step
    from jelly._push import Pushed, push, push_on
    from jelly._quad_keys import quad_keys
    from jelly._readers import read_patch, read_rdf
    from jelly._relay import Relayed, relay, relay_on
    from jelly._show import Shown, show, show_diff, show_style
    from jelly._splits import index, splits
    from jelly._stage import Staged, stage
    from jelly._stats import Statistics, stats
    from jelly._writers import PatchWriter, RdfWriter
    from jelly.log import Compacted, Head, Log, LogInfo, LogVersion, Published
    from jelly.replica import Replica
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
    "Compacted",
    "Compared",
    "Head",
    "Inspection",
    "Limits",
    "Log",
    "LogInfo",
    "LogReport",
    "LogVersion",
    "Patch",
    "PatchOptions",
    "PatchReader",
    "PatchRow",
    "PatchTermRow",
    "PatchWriter",
    "Patched",
    "Period",
    "PeriodBy",
    "Position",
    "Problem",
    "Published",
    "Pushed",
    "QuadKeys",
    "RdfOptions",
    "RdfReader",
    "RdfRow",
    "RdfTermRow",
    "RdfWriter",
    "RecordBatch",
    "Relayed",
    "Replica",
    "Restored",
    "Schema",
    "Shown",
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
    "history_by",
    "index",
    "inspect",
    "invert",
    "net",
    "push",
    "push_on",
    "quad_keys",
    "read_patch",
    "read_rdf",
    "relay",
    "relay_on",
    "restore",
    "same",
    "show",
    "show_diff",
    "show_style",
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

# What each module gives; a test compares it with what type checkers see above.
_NAMES = {
    "jelly._batches": "BatchDecoder, batch_decoder, decode_batches",
    "jelly._convert": "Tally, convert",
    "jelly._encoder": "BatchEncoder, batch_encoder",
    "jelly._patching": "Step",
    "jelly._apply": "Applied, apply, as_of",
    "jelly._backup": "BackedUp, Restored, backup, restore",
    "jelly._changes": "Compared, Patched, between, canonicalize, diff, invert, net, same, squash",
    "jelly._stats": "Statistics, stats",
    "jelly._inspect": "Advice, Inspection, ValidationReport, inspect, validate",
    "jelly.log": "Compacted, Head, Log, LogInfo, LogVersion, Published",
    "jelly._history": "LogReport, Period, PeriodBy, Problem, history, history_by, verify_log",
    "jelly._patches": "Patch, Transaction",
    "jelly._push": "Pushed, push, push_on",
    "jelly._quad_keys": "quad_keys",
    "jelly._relay": "Relayed, relay, relay_on",
    "jelly._readers": "read_patch, read_rdf",
    "jelly.replica": "Replica",
    "jelly._show": "Shown, show, show_diff, show_style",
    "jelly._splits": "index, splits",
    "jelly._stage": "Staged, stage",
    "jelly.types": "Limits, PatchOptions, PatchRow, PatchTermRow, Position, RdfOptions, RdfRow, RdfTermRow, Split, Term",
    "jelly._writers": "PatchWriter, RdfWriter",
}
_MODULE_OF = {name: module for module, names in _NAMES.items() for name in names.split(", ")}


if not TYPE_CHECKING:

    def __getattr__(name):
        module = _MODULE_OF.get(name)
        if module is not None:
            found = globals()[name] = getattr(_import_module(module), name)
            return found
        if not name.startswith("_"):
            try:
                return _import_module(f"jelly.{name}")
            except ModuleNotFoundError as missing:
                if missing.name != f"jelly.{name}":
                    raise
        raise AttributeError(f"module 'jelly' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
