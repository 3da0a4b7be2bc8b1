"""Writes python/jelly/_option_types.py and docs/options.md from the table of options (src/options/table.rs, src/limits.rs).

python scripts/options_table.py
"""

from __future__ import annotations

from pathlib import Path

from jelly._option_table import TABLE, Option, options_of

ROOT = Path(__file__).resolve().parent.parent
TYPES = ROOT / "python/jelly/_option_types.py"
PAGE = ROOT / "docs/options.md"

CHOSEN = ("columns", "terms", "mode")
# names, the groups of functions they are for, what is left out, what they are
DICTS: list[tuple[str, tuple[str, ...], tuple[str, ...], str]] = [
    ("RdfReadOptions", ("decode_rdf", "read"), CHOSEN, "Options of readers of statements."),
    ("PatchReadOptions", ("decode_patch", "read"), CHOSEN, "Options of readers of patches."),
    ("RdfDecoderOptions", ("decode_rdf",), (), "Options of a decoder of statements."),
    ("PatchDecoderOptions", ("decode_patch",), (), "Options of a decoder of patches."),
    ("SplitOptions", ("splits",), (), "Options of ``splits``."),
    ("IndexOptions", ("index",), (), "Options of ``index``."),
    ("InspectOptions", ("inspect",), (), "Options of ``inspect`` and ``validate``."),
    ("StatsOptions", ("stats",), (), "Options of ``stats``."),
    ("ConvertReadOptions", ("convert",), ("limits",), "Options of ``convert`` for the source."),
    ("ConvertWriteOptions", ("converted",), ("limits",), "Options of ``convert`` for the output."),
    ("RdfWriterOptions", ("write_rdf",), ("options",), "Options of writers of statements."),
    ("PatchWriterOptions", ("write_patch",), ("options",), "Options of writers of patches."),
    ("RdfEncoderOptions", ("encode_rdf",), (), "Options of an encoder of statements."),
    ("PatchEncoderOptions", ("encode_patch",), (), "Options of an encoder of patches."),
    ("BaseOptions", ("create",), (), "Options of ``Replica.create``."),
    ("FollowOptions", ("follow",), (), "Options of ``Replica.follow``."),
    ("ReadingOptions", ("dataset",), (), "How sources are read; the compression is detected."),
    ("LogOptions", ("log",), (), "How a log is read."),
    ("LookingOptions", ("dataset", "log", "base"), (), "Options of functions that only read logs."),
    ("DatasetOptions", ("dataset", "log", "result_rdf"), (), "Options of functions that write a dataset."),
    ("PatchingOptions", ("dataset", "log", "base", "result_patch"), (), "Options of functions that make a patch from other patches."),
    ("SameOptions", ("dataset", "same"), (), "Options of ``same``."),
    ("ShowLogOptions", ("dataset", "log", "base", "show"), (), "Options of ``show``."),
    ("ShowDiffOptions", ("dataset", "compare", "show"), (), "Options of ``show_diff``."),
    ("ComparingOptions", ("dataset", "compare", "result_patch"), (), "Options of functions that make a patch from datasets."),
]  # fmt: skip
# what several of them have: a name, the options, what they are
SHARED: list[tuple[str, str, str]] = [
    ("_Source", "framing limits", "How bytes are read."),
    ("_Checked", "framing limits strict lenient_flags", "How bytes are read and checked."),
    ("_Decoding", "framing compression blank_nodes strict lenient_flags batch_rows batch_bytes limits", "Options of all readers and decoders."),
    ("_Chosen", "columns terms mode", "What a decoder puts into its batches."),
    ("_File", "resume split source_name strings", "Which part of a file is read, its name, and the type of its strings."),
    ("_Writing", "compression_level delimited frame_rows frame_bytes restart_bytes", "How a stream is written."),
    ("_Result", "to to_compression compression_level delimited frame_rows frame_bytes restart_bytes", "The output of a function."),
    ("_Tables", "max_name_table_size max_prefix_table_size max_datatype_table_size", "Sizes of the tables of a stream."),
    ("_Stream", "generalized_statements rdf_star max_name_table_size max_prefix_table_size max_datatype_table_size", "Single options of a stream."),
    ("_Showing", "form max_lines width colour label_properties lang subjects classes predicates summary_only fragment old_name new_name", "How changes are shown."),
    ("_PatchStream", "abbreviate statement_type stream_type", "How a stream of patches is written."),
]  # fmt: skip
ALIASES = {
    "Framing": ("decode_rdf", "framing"),
    "Compression": ("decode_rdf", "compression"),
    "WrittenCompression": ("write_rdf", "compression"),
    "Terms": ("decode_rdf", "terms"),
    "Strings": ("read", "strings"),
    "BlankNodes": ("decode_rdf", "blank_nodes"),
    "Mode": ("decode_rdf", "mode"),
    "RdfFormat": ("decode_rdf", "format"),
    "PatchFormat": ("decode_patch", "format"),
    "AnyFormat": ("splits", "format"),
    "WrittenFormat": ("result_rdf", "to"),
}
TABLES_TOO = 'AnyFormat | Literal["parquet", "arrow"]'  # convert reads tables too
TYPES_OF = {
    "flag": "bool", "number": "int | None", "bytes": "int | None", "text": "str | None", "names": "Sequence[str] | None",
    "state": "bytes | None", "pairs": "Mapping[str, str] | None", "pairs or flag": "Mapping[str, str] | bool | None",
    "limits": "Limits | None",
}  # fmt: skip
START = '''"""Types of the options of all functions.

scripts/options_table.py writes this file from src/options/table.rs and src/limits.rs.
"""

# fmt: off

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, TypedDict

if TYPE_CHECKING:
    from jelly.types import Limits, PatchOptions, RdfOptions, Split

'''


def literal(words: list[str]) -> str:
    """The type of one of these words."""
    quoted = ", ".join(f'"{word}"' for word in words)
    return f"Literal[{quoted}]"


def type_of(row: Option, doors: tuple[str, ...], aliases: dict[str, str]) -> str:
    """The type of an option of functions of these groups."""
    if row.name == "split":
        return "Split | None"
    if row.shape == "stream":
        kinds = [
            kind
            for kind in ("rdf", "patch")
            if not doors or any(door.endswith(kind) for door in doors)
        ]
        names = {"rdf": "RdfOptions", "patch": "PatchOptions"}
        return " | ".join([*(names[kind] for kind in kinds or names), "None"])
    if row.shape == "name":
        return (literal(row.words) if row.words else "str") + " | None"
    if row.shape == "flag" and row.default is None:
        return "bool | None"
    if row.words:
        plain = literal(row.words)
        return aliases.get(plain, plain)
    return TYPES_OF[row.shape]


def fields_of(
    doors: tuple[str, ...], without: tuple[str, ...], aliases: dict[str, str]
) -> dict[str, str]:
    """The options of functions of these groups, and their types."""
    rows = options_of(*doors).values()
    return {row.name: type_of(row, doors, aliases) for row in rows if row.name not in without}


def divided(
    fields: dict[str, str], made: dict[str, dict[str, str]]
) -> tuple[list[str], dict[str, str]]:
    """The classes that have fields of these, the largest first, none twice; and the fields that are left."""
    bases, rest = [], dict(fields)
    for name, known in sorted(made.items(), key=lambda item: -len(item[1])):
        if known.items() <= rest.items():
            bases.append(name)
            rest = {key: type for key, type in rest.items() if key not in known}
    return bases, rest


def types() -> str:
    """The text of the module of types."""
    parts = [START]
    aliases: dict[str, str] = {}
    for name, (door, option) in ALIASES.items():
        words = literal(options_of(door)[option].words)
        aliases[words] = name
        parts.append(f"{name}: TypeAlias = {words}\n")
    made: dict[str, dict[str, str]] = {}
    declared = [(name, fields_of(doors, without, aliases), doc) for name, doors, without, doc in DICTS]  # fmt: skip
    declared[[name for name, *_ in declared].index("ConvertReadOptions")][1]["format"] = TABLES_TOO
    any_door = {key: type for _, fields, _ in reversed(declared) for key, type in fields.items()}
    shared = [(name, {key: any_door[key] for key in keys.split()}, doc) for name, keys, doc in SHARED]  # fmt: skip
    for name, fields, doc in shared + declared:
        bases, rest = divided(fields, made)
        made[name] = fields
        head = f"class {name}({', '.join(bases or ['TypedDict'])}, total=False):"
        parts.append(f'\n\n{head}\n    """{doc}"""\n')
        parts += ["\n"] if rest else []
        parts += [f"    {key}: {type}\n" for key, type in rest.items()]
    parts.append("\n\n@dataclass(frozen=True, slots=True, kw_only=True)\nclass LimitFields:\n")
    parts.append('    """Fields of :class:`jelly.Limits`; bytes unless stated otherwise."""\n\n')
    for row in options_of("limits").values():
        parts.append(f'    {row.name}: int = {row.default}\n    """{row.doc}"""\n')
    return "".join(parts)


PAGES = [
    ("Reading", ("decode_rdf", "decode_patch", "read"), "Options of `read_rdf`, `read_patch` and `batch_decoder`; in Spark their names are in camel case (`batchRows`)."),
    ("Writing", ("write_rdf", "write_patch"), "Options of `RdfWriter` and `PatchWriter`; in Spark their names are in camel case (`frameRows`)."),
    ("Streams", ("single", "single_rdf", "single_patch"), "Options of a Jelly stream that `convert`, `apply`, `diff` and other functions take one by one; in Spark their names are in camel case."),
    ("Results", ("result_rdf", "result_patch"), "Options of `convert`, `apply`, `diff` and the other functions that write a dataset or a patch."),
    ("Logs", ("dataset", "log", "base", "compare"), "Options of `apply`, `diff` and the other functions that read datasets and logs."),
    ("Showing", ("show",), "Options of `show` and `show_diff`."),
    ("Parts of files", ("splits", "index"), "Options of `splits` and `index`."),
    ("Limits", ("limits",), "Fields of `jelly.Limits`, which are also options in Spark, in camel case. An error of a limit names the limit."),
]  # fmt: skip


def page() -> str:
    """The text of the page of the docs."""
    parts = [
        "# Options\n\n<!-- scripts/options_table.py writes this page from src/options/table.rs and src/limits.rs. -->\n"
    ]
    for title, doors, what in PAGES:
        parts.append(
            f"\n## {title}\n\n{what}\n\n| option | values | default | what it does |\n| --- | --- | --- | --- |\n"
        )
        seen = set()
        for row in TABLE:
            if set(doors).isdisjoint(row.doors) or (row.name, row.doc) in seen:
                continue
            seen.add((row.name, row.doc))
            values = ", ".join(f"`{word}`" for word in row.words) or row.shape
            default = "" if row.default is None else f"`{row.default}`"
            parts.append(f"| `{row.name}` | {values} | {default} | {row.doc} |\n")
    return "".join(parts)


if __name__ == "__main__":
    TYPES.write_text(types())
    PAGE.write_text(page())
