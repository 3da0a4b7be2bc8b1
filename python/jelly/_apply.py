"""``jelly.apply`` and ``jelly.as_of``: a dataset with patches applied."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypeAlias, Unpack

from jelly import _internal
from jelly._option_types import DatasetOptions
from jelly._patching import (
    Patches,
    Report,
    keywords,
    refuse_twice,
    reported,
    require_versions,
    sources,
)
from jelly._whole_file import check_folder
from jelly.types import Destination, Source

Ways: TypeAlias = Literal["auto", "match", "content", "labels"]
"""How blank nodes of two states are compared."""


class Applied(NamedTuple):
    """A summary of the result.

    Attributes:
        version: The version of the result: patches that were applied.
        id: The id of the last of them.
        base: Statements of the base.
        statements: Statements of the result.
        added: Quads that are in the result and were not in the base.
        deleted: Quads that were in the base and are not in the result.
        changes: ``A`` and ``D`` rows of committed transactions, with or without effect.
        prefixes: Prefixes that the patches add or delete, with or without effect.
        prefixes_left_out: Prefixes of the base and prefix changes that the result cannot hold: those of named graphs,
            or all in a format without prefixes.
        bytes: Bytes that were written, without compression.
        without_effect: Changes without effect: an added quad existed already, or a deleted quad did not exist.
        base_version: The version of the base: 0, unless the folder begins after another version.
        order: Files of a folder, in the order in which they were applied, if only their names decided this order.
    """

    version: int
    id: str | None
    base: int
    statements: int
    added: int
    deleted: int
    changes: int
    prefixes: int
    prefixes_left_out: int
    bytes: int
    without_effect: int
    base_version: int = 0
    order: tuple[str, ...] = ()


def apply(
    base: Source,
    patches: Patches,
    dest: Destination,
    *,
    distinct: bool = False,
    progress: Report | None = None,
    **options: Unpack[DatasetOptions],
) -> Applied:
    """Applies patches to a dataset: ``(D minus net deletes) plus net adds``.

    Only rows of committed transactions count, and rows outside any transaction. The result has the statements of the
    base in their order, then the added statements in the order of their first add. Two quads are the same if their
    terms are the same; the case of language tags does not matter. Blank nodes are identified by their labels; a patch
    with a positional label (``_:anon-0``) is rejected. Applying the same patches again changes nothing. Memory grows
    with the net patch, not with the base.

    A log is a chain of patches by ``H id`` and ``H prev``, in any files. Patches without ``prev`` are applied in the
    given order; the files of a folder are sorted by name, with numbers by value, and ``order`` of the result lists
    them. In a folder of ``patch-0001``, ``patch-0002`` and so on, the number is the version, and no number may be
    missing.

    Args:
        base: The dataset: path (``-`` is standard input), bytes, binary file object or iterable of
            bytes.
        patches: A source like ``base``, a list of sources, or a folder of files such as ``patch-0001``, in any format
            and compression; a file can have several patches.
        dest: Path (``-`` is standard output) or binary file object. A path appears complete or not at all.
        distinct: Write a statement only once if the base has it twice; takes 20 to 31 bytes of memory per statement.
        progress: Called as each phase begins, and from time to time, with a :class:`Step`; an exception stops the work.
        **options: For reading: ``base_format``, ``patch_format``, ``framing``, ``strict``,
            ``lenient_flags``, ``strict_graphs``, ``limits``. For the log: ``unfinished="drop"``
            leaves out transactions that a crash cut off, which are otherwise an error;
            ``chain="ignore"`` takes patches in the given order and ignores their ids. For writing: ``to`` (``auto``:
            by the extension of ``dest``, else the format of the base),
            ``to_compression`` and those of :func:`convert`; a Jelly result keeps the options of a Jelly base, except
            those given here.

    Returns:
        A summary of the result.

    Raises:
        PatchError: The patches are not valid: unfinished transactions, a broken chain, positional labels of blank
            nodes; or the base is empty, but the log begins with a dataset that has statements (``patch.base``),
            unless ``chain`` is ``"ignore"``.
        JellyError: A source has an error, or the result cannot be written in this format.
        OSError: Reading or writing failed.
        ValueError: An option is wrong.
    """
    given = keywords("apply", options, "dataset", "log", "result_rdf", distinct=distinct)
    return applied(base, patches, dest, given, progress)


def as_of(
    base: Source,
    patches: Patches,
    version: int | str,
    dest: Destination,
    *,
    distinct: bool = False,
    progress: Report | None = None,
    **options: Unpack[DatasetOptions],
) -> Applied:
    """Writes the dataset as it was at a version of a log.

    Damage and unfinished transactions in later patches do not matter if the version comes before them in the given
    order.

    Args:
        base: The dataset before the log, as for :func:`apply`.
        patches: The log, as for :func:`apply`.
        version: A number (0 is the base, and each patch makes one version), or the id of the patch that made the
            version, as an IRI or a term.
        dest: As for :func:`apply`.
        distinct: As for :func:`apply`.
        progress: As for :func:`apply`.
        **options: As for :func:`apply`.

    Returns:
        A summary of the result.

    Raises:
        PatchError: The log has no such version (``patch.version``), or it is gone because the log begins later
            (``patch.gap``), or as for :func:`apply`.
        JellyError: As for :func:`apply`.
        OSError: Reading or writing failed.
        ValueError: An option is wrong.
    """
    require_versions("as_of", version)
    given = keywords(
        "as_of", options, "dataset", "log", "result_rdf", distinct=distinct, version=version
    )
    return applied(base, patches, dest, given, progress)


def applied(
    base: Source,
    patches: Patches,
    dest: Destination,
    given: dict[str, Any],
    progress: Report | None,
) -> Applied:
    """Does what :func:`apply` and :func:`as_of` say.

    Two options are for backups and logs alone: ``base_labels="named"`` rejects a base with positional labels,
    ``takes_positions`` accepts patches with positional labels.
    """
    return _applied(base, patches, dest, given, progress)[0]


def stored(
    dump: Source,
    dest: Destination,
    given: dict[str, Any],
    progress: Report | None,
    *,
    blank_nodes: Ways = "auto",
) -> tuple[Applied, Ways]:
    """Writes a dump as the base of a log: Jelly, each statement once, with stable labels.

    Args:
        dump: The dataset.
        dest: Where it is written.
        given: Options of reading and writing.
        progress: As for :func:`apply`.
        blank_nodes: How later datasets will be compared with it. ``labels`` rejects positional labels; ``match`` and
            ``content`` give content labels; ``auto`` gives content labels if labels are not stable.

    Returns:
        What was done, and how later datasets are to be compared with it: never ``auto``.

    Raises:
        PatchError: There are positional labels, and ``blank_nodes`` is ``labels`` (``patch.labels``).
        JellyError: The dump has an error.
    """
    labels = {"auto": "auto", "labels": "named"}.get(blank_nodes, "content")
    given = given | {"distinct": True, "to": "jelly", "base_labels": labels}
    done, has_content_labels = _applied(dump, b"", dest, given, progress)
    if blank_nodes == "auto":
        blank_nodes = "match" if has_content_labels else "labels"
    return done, blank_nodes


def _applied(
    base: Source,
    patches: Patches,
    dest: Destination,
    given: dict[str, Any],
    progress: Report | None,
) -> tuple[Applied, bool]:
    refuse_twice(base, patches)
    log = sources(patches)
    check_folder(dest, log)
    version, id, counts, (base_version, order), has_content_labels = _internal.apply(
        base, log, dest, given, reported(progress)
    )
    done = Applied._make([version, id, *counts, base_version, tuple(order)])
    return done, has_content_labels
