"""``jelly.apply`` and ``jelly.as_of``: a dataset with patches applied."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypeAlias, Unpack

from jelly import _internal
from jelly._option_types import DatasetOptions
from jelly._patching import Patches, Report, keywords, refuse_twice, reported, sources
from jelly._whole_file import check_folder
from jelly.types import Destination, Source

Ways: TypeAlias = Literal["auto", "match", "content", "labels"]
"""How blank nodes of two states are compared."""


class Applied(NamedTuple):
    """What was done.

    Attributes:
        version: The version of the result: patches that were applied.
        id: The id of the last of them.
        base: Statements of the base.
        statements: Statements of the result.
        added: Quads that are in the result and were not in the base.
        deleted: Quads that were in the base and are not in the result.
        changes: ``A`` and ``D`` rows of committed transactions, those without effect included.
        prefixes: Prefixes that the patches change.
        prefixes_left_out: Prefixes of the base and changes of prefixes that the result cannot hold: of named graphs, or in a
            format without prefixes.
        bytes: Bytes that were written, without compression.
        without_effect: Those of the changes that met nothing: adds of a quad that was there, deletes
            of one that was not.
        base_version: The version of the base: 0, but for a folder that begins after another one.
        order: Files of a folder, in the order in which they were applied, where nothing but their
            names decided it.
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

    Only rows of committed transactions count, and rows outside of any. The result has the statements
    of the base in their order, then what is added, in the order of first add. A quad is known by its
    terms, language tags in any case; blank nodes by their labels, and a patch that names one by its
    position in a file (``_:anon-0``) is refused. Applying the same patches again
    changes nothing. Memory grows with the net patch, not with the base.

    A log is patches chained by ``H id`` and ``H prev``, in any files. Without ``prev`` patches
    are applied in the order in which they are given; only the files of a directory are sorted by
    their names, with numbers by their value, and ``order`` of the result says so. In a directory of
    ``patch-0001``, ``patch-0002`` and so on the number is the version, and none may be missing.

    Args:
        base: The dataset: path (``-`` is standard input), bytes, binary file object or iterable of
            bytes.
        patches: A source as ``base``, a list of sources, or a directory of files such as
            ``patch-0001``. Any format and compression, several patches in a file.
        dest: Path (``-`` is standard output) or binary file object. A path appears whole or not at
            all.
        distinct: Write a statement once that the base has twice; takes 20 to 31 bytes of memory a
            statement.
        progress: Called with a :class:`Step` now and then; an exception stops.
        **options: Of reading: ``base_format``, ``patch_format``, ``framing``, ``strict``,
            ``lenient_flags``, ``strict_graphs``, ``limits``. Of the log: ``unfinished="drop"``
            leaves out transactions that a crash cut off, which are an error otherwise;
            ``chain="ignore"`` takes patches as they are given and ignores their ids. Of writing:
            ``to`` (``auto``: by the extension of ``dest``, else the format of the base),
            ``to_compression`` and those of :func:`convert`; a Jelly result keeps the options of a
            Jelly base, but for those given here.

    Returns:
        What was done.

    Raises:
        PatchError: The patches have no meaning: unfinished transactions, a broken chain, blank
            nodes without a label that lasts.
        JellyError: A source is bad, or the result cannot be written in this format.
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

    Damage and unfinished transactions in later patches do not matter, where the version comes
    before them in the order in which the patches are given.

    Args:
        base: The dataset before the log, as for :func:`apply`.
        patches: The log, as for :func:`apply`.
        version: A number: 0 is the base, each patch is one version. Or the id of the patch that
            made it, as an IRI or a term.
        dest: As for :func:`apply`.
        distinct: As for :func:`apply`.
        progress: As for :func:`apply`.
        **options: As for :func:`apply`.

    Returns:
        What was done.

    Raises:
        PatchError: The log has no such version, or as for :func:`apply`.
        JellyError: As for :func:`apply`.
        OSError: Reading or writing failed.
        ValueError: An option is wrong.
    """
    if version is None:
        raise TypeError(
            "as_of() needs a version: a number, or the id of a patch; apply() gives the last one"
        )
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

    Two options are for backups and logs alone: ``base_labels="named"`` refuses a base whose blank nodes have
    positions for labels, ``takes_positions`` takes patches that name nodes so.
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
    """Writes a dump as the base of a log: Jelly, each statement once, with labels that last.

    Args:
        dump: The dataset.
        dest: Where it is written.
        given: Options of reading and writing.
        progress: As for :func:`apply`.
        blank_nodes: How later datasets will be compared with it. ``labels`` refuses positions; ``match`` and
            ``content`` give content labels; ``auto`` gives these where labels do not last.

    Returns:
        What was done, and how later datasets are to be compared with it: never ``auto``.

    Raises:
        PatchError: Labels are positions, and ``blank_nodes`` is ``labels`` (``patch.labels``).
        JellyError: The dump is bad.
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
