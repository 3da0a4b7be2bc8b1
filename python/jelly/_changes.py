"""``jelly.diff``, ``invert``, ``squash``, ``net``, ``between``, ``canonicalize``: functions that write a patch."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, Unpack

from jelly import _internal
from jelly._html import facts
from jelly._option_types import ComparingOptions, PatchingOptions, SameOptions
from jelly._patching import (
    Patches,
    Report,
    genid,
    keywords,
    refuse_twice,
    reported,
    require_versions,
    sources,
)
from jelly._whole_file import check_folder
from jelly.types import Destination, Source


class Patched(NamedTuple):
    """A summary of the result.

    Attributes:
        id: The id of the patch that was written; of several, of the last one.
        patches: Number of patches that it was made from.
        changes: ``A`` and ``D`` rows of committed transactions in them.
        added: ``A`` rows that were written.
        deleted: ``D`` rows that were written.
        prefixes: ``PA`` and ``PD`` rows that were written.
        bytes: Bytes that were written, without compression.
        order: Files of a folder, in the order in which they were read, if only their names decided this order.
    """

    id: str | None
    patches: int
    changes: int
    added: int
    deleted: int
    prefixes: int
    bytes: int
    order: tuple[str, ...] = ()

    def _repr_html_(self) -> str:
        return facts("Patch", self)


class Compared(NamedTuple):
    """A summary of the result.

    Attributes:
        old: Statements of the old dataset.
        new: Statements of the new dataset.
        id: The id of the patch.
        added: ``A`` rows of the patch.
        deleted: ``D`` rows of the patch.
        prefixes: ``PA`` and ``PD`` rows of the patch.
        bytes: Bytes that were written, without compression.
        blank_nodes: How blank nodes were compared: ``match``, ``content`` or ``labels``.
        kept_nodes: Blank nodes of the new dataset that are also in the old one. 0 with ``labels``, like the three
            numbers below.
        new_nodes: Blank nodes that only the new dataset has.
        gone_nodes: Blank nodes that only the old dataset has.
        unsettled_nodes: Blank nodes of both datasets in components so symmetric that
            ``limits.blank_work`` did not suffice to put their nodes in order.
    """

    old: int
    new: int
    id: str | None
    added: int
    deleted: int
    prefixes: int
    bytes: int
    blank_nodes: str = "labels"
    kept_nodes: int = 0
    new_nodes: int = 0
    gone_nodes: int = 0
    unsettled_nodes: int = 0

    def _repr_html_(self) -> str:
        return facts("Difference", self)


def diff(
    old: Source,
    new: Source,
    dest: Destination,
    *,
    id: str | None = None,
    prev: str | None = None,
    prefixes: bool = True,
    skolemize: bool | str = False,
    progress: Report | None = None,
    **options: Unpack[ComparingOptions],
) -> Compared:
    """Writes the patch that turns one dataset into another.

    The patch is canonical: deletes, then adds, no quad twice, in one transaction; it is empty if the datasets are
    equal. Two quads are the same if their terms are the same; the case of language tags does not matter. Memory is 20
    to 31 bytes for each statement of ``new`` and for each delete. ``new`` is read twice; a source that can be read
    only once, such as standard input, is kept in a temporary file.

    If the labels of blank nodes are not stable (Turtle, TriG, RDF/XML, JSON-LD, and labels that a reader made, such
    as ``anon-0``), nodes are matched: a node of ``new`` is matched to the node of ``old`` with which it shares the
    most statements. The patch then names the nodes of ``old`` by content labels, which depend on the graph alone, and
    has the headers ``blank-nodes`` and ``blank-digest``;
    :func:`apply` finds the nodes in any serialization of ``old``. Statements with blank nodes that
    need more memory than ``limits.blank_bytes`` are compared in parts, in temporary files.

    Args:
        old: A dataset: path (``-`` is standard input), bytes, binary file object or iterable of
            bytes.
        new: Another dataset.
        dest: Path (``-`` is standard output) or binary file object. A path appears complete or not at all.
        id: ``H id`` of the patch, as an IRI or a term.
        prev: ``H prev`` of the patch, as ``id``.
        prefixes: Compare prefixes too. Formats without prefixes have none.
        skolemize: Write blank nodes as IRIs, which other systems keep: the start of these IRIs, such as
            ``https://example.org/.well-known/genid/``, or True for IRIs of ``genid.invalid``.
        progress: Called as each phase begins, and from time to time, with a :class:`Step`; an exception stops the work.
        **options: For reading: ``old_format``, ``new_format``, ``framing``, ``strict``,
            ``lenient_flags``, ``strict_graphs``, ``limits``. For writing: ``to`` (``auto``: by the
            extension of ``dest``, else Jelly-Patch), ``to_compression`` and those of
            :func:`convert`.

    Returns:
        A summary of the result.

    Raises:
        PatchError: A blank node has no stable label, and ``blank_nodes`` is ``labels`` (``patch.labels``).
        LimitError: Matching needs more memory than ``limits.blank_bytes`` allows
            (``limit.blank_bytes``).
        JellyError: A source has an error, or the patch cannot be written in this format.
        OSError: Reading or writing failed.
        ValueError: An option is wrong.
    """
    refuse_twice(old, new)
    given = keywords(
        "diff", options, "dataset", "compare", "result_patch",
        id=id, prev=prev, prefixes=prefixes, skolemize=genid(skolemize),
    )  # fmt: skip
    check_folder(dest, ())
    counts = _internal.diff(old, new, dest, given, reported(progress))
    old_count, new_count, (patch_id, _, _, *written, _), (way, nodes) = counts
    return Compared._make((old_count, new_count, patch_id, *written, way, *nodes))


def same(
    old: Source,
    new: Source,
    *,
    progress: Report | None = None,
    **options: Unpack[SameOptions],
) -> bool:
    """Checks whether two datasets are the same apart from the labels of their blank nodes.

    Args:
        old: A dataset, as for :func:`diff`.
        new: Another dataset.
        progress: Called as each phase begins, and from time to time, with a :class:`Step`; an exception stops the work.
        **options: For reading, as for :func:`diff`.

    Returns:
        Whether the datasets are isomorphic (RDF 1.2 Concepts, section 4.1): blank nodes can be renamed so
        that both have the same statements. Prefixes do not count.

    Raises:
        LimitError: Blank nodes are so symmetric that ``limits.blank_work`` does not suffice to decide
            (``limit.blank_work``).
        JellyError: A source has an error.
        OSError: Reading failed.
        ValueError: An option is wrong.
    """
    refuse_twice(old, new)
    given = keywords("same", options, "dataset", "same")
    return _internal.same(old, new, given, reported(progress))


def invert(
    patch: Patches,
    dest: Destination,
    base: Source | None = None,
    *,
    id: str | None = None,
    prev: str | None = None,
    progress: Report | None = None,
    **options: Unpack[PatchingOptions],
) -> Patched:
    """Writes the patch that undoes others.

    Each quad gets the state from before its first change. Without ``base``, each row is assumed to have changed
    something; a row that provably changed nothing, or a ``PD`` without the namespace of the prefix, is an error that
    names the row.

    Args:
        patch: The patches to undo, as for :func:`apply`.
        dest: Path (``-`` is standard output) or binary file object. A path appears complete or not at all.
        base: The dataset before the patches; rows that change nothing in it are left out.
        id: ``H id`` of the new patch, as an IRI or a term; a new one if the patches have ids.
        prev: ``H prev``; the default is the id of the last patch.
        progress: Called as each phase begins, and from time to time, with a :class:`Step`; an exception stops the work.
        **options: As for :func:`apply`, but ``to`` is a format of patches; a Jelly patch keeps the options of Jelly
            patches, except those given here.

    Returns:
        A summary of the result.

    Raises:
        PatchError: The patches are not valid, or cannot be undone without a base; or the base is empty, but the log
            begins with a dataset (``patch.base``).
        JellyError: A source has an error, or the patch cannot be written in this format.
        OSError: Reading or writing failed.
        ValueError: An option is wrong.
    """
    refuse_twice(patch, base)
    given = keywords("invert", options, "dataset", "log", "base", "result_patch", id=id, prev=prev)
    log = sources(patch)
    check_folder(dest, log)
    return _patched(_internal.invert(log, dest, base, given, reported(progress)))


def squash(
    patches: Patches,
    dest: Destination,
    *,
    mode: Literal["last", "net"] = "last",
    id: str | None = None,
    prev: str | None = None,
    progress: Report | None = None,
    **options: Unpack[PatchingOptions],
) -> Patched:
    """Writes one patch with the same effect as several.

    Patches with ids become one patch with a new id, the ``prev`` of the first patch, and the headers
    ``squashed-from`` and ``squashed-to``.

    Args:
        patches: As for :func:`apply`.
        dest: Path (``-`` is standard output) or binary file object. A path appears complete or not at all.
        mode: ``last`` keeps the last operation on each quad, which is always correct. ``net`` also drops quads and
            prefixes that are the same in the end as before; it is correct for logs in which each row changes
            something, such as those of :func:`canonicalize`. Then each row of the result changes something too, and
            :func:`invert` can undo it.
        id: ``H id`` of the new patch, as an IRI or a term.
        prev: ``H prev`` of the new patch, as ``id``.
        progress: Called as each phase begins, and from time to time, with a :class:`Step`; an exception stops the work.
        **options: As for :func:`invert`.

    Returns:
        A summary of the result.

    Raises:
        PatchError: The patches are not valid: unfinished transactions, a broken chain.
        JellyError: A source has an error, or the patch cannot be written in this format.
        OSError: Reading or writing failed.
        ValueError: An option is wrong.
    """
    return _squashed("squash", patches, dest, progress, options, mode=mode, id=id, prev=prev)


def net(
    patches: Patches,
    dest: Destination,
    *,
    mode: Literal["last", "net"] = "last",
    progress: Report | None = None,
    **options: Unpack[PatchingOptions],
) -> Patched:
    """Writes the last committed operation on each quad and prefix as one patch.

    Like :func:`squash`, but without headers.

    Args:
        patches: As for :func:`apply`.
        dest: As for :func:`squash`.
        mode: As for :func:`squash`.
        progress: As for :func:`squash`.
        **options: As for :func:`squash`.

    Returns:
        A summary of the result.

    Raises:
        PatchError: As for :func:`squash`.
        JellyError: As for :func:`squash`.
        OSError: Reading or writing failed.
        ValueError: An option is wrong.
    """
    return _squashed("net", patches, dest, progress, options, mode=mode, bare=True)


def between(
    patches: Patches,
    from_version: int | str,
    to_version: int | str,
    dest: Destination,
    *,
    mode: Literal["last", "net"] = "last",
    id: str | None = None,
    prev: str | None = None,
    progress: Report | None = None,
    **options: Unpack[PatchingOptions],
) -> Patched:
    """Writes the patch that turns one version of a log into another.

    The patch has the last operation on each quad and prefix in the patches after the first version, up to the second
    version, which must not be earlier; with ``mode="net"``, for canonical logs, only the difference between the two.
    It has the id of the second version and comes after the first, so it can be applied to the first version instead
    of the patches between.

    Args:
        patches: As for :func:`apply`.
        from_version: A number (0 is the dataset before the patches) or the id of the patch that made
            the version.
        to_version: Number or id of the last version, like ``from_version``.
        dest: As for :func:`squash`.
        mode: As for :func:`squash`.
        id: As for :func:`squash`.
        prev: As for :func:`squash`.
        progress: As for :func:`squash`.
        **options: As for :func:`squash`.

    Returns:
        A summary of the result.

    Raises:
        PatchError: The log does not have one of the versions, or the second comes before the first
            (``patch.version``); one of them is gone because the log begins later (``patch.gap``); or as for
            :func:`squash`.
        JellyError: As for :func:`squash`.
        OSError: Reading or writing failed.
        TypeError: A version is ``None``.
        ValueError: An option is wrong.
    """
    require_versions("between", from_version, to_version)
    return _squashed(
        "between", patches, dest, progress, options,
        mode=mode, id=id, prev=prev, from_version=from_version, to_version=to_version,
    )  # fmt: skip


def canonicalize(
    patch: Patches,
    base: Source,
    dest: Destination,
    *,
    progress: Report | None = None,
    **options: Unpack[PatchingOptions],
) -> Patched:
    """Writes patches with only the rows that change a dataset.

    Patches, headers and transactions stay as they are, except aborted ones. A ``PD`` gets the namespace of the
    prefix, and a ``PA`` that replaces a namespace gets a ``PD`` of the old one before it. So the result can be undone
    without the base, in formats that can hold this (RDF Patch text and Thrift cannot).

    Args:
        patch: As for :func:`apply`.
        base: The dataset before the patches.
        dest: Path (``-`` is standard output) or binary file object. A path appears complete or not at all.
        progress: Called as each phase begins, and from time to time, with a :class:`Step`; an exception stops the work.
        **options: As for :func:`invert`.

    Returns:
        A summary of the result.

    Raises:
        PatchError: The patches are not valid: unfinished transactions, a broken chain; or the base is empty, but the
            log begins with a dataset (``patch.base``).
        JellyError: A source has an error, or the patches cannot be written in this format.
        OSError: Reading or writing failed.
        ValueError: An option is wrong.
    """
    refuse_twice(patch, base)
    given = keywords("canonicalize", options, "dataset", "log", "base", "result_patch")
    log = sources(patch)
    check_folder(dest, log)
    return _patched(_internal.canonicalize(log, base, dest, given, reported(progress)))


def _squashed(
    function: str,
    patches: Patches,
    dest: Destination,
    progress: Report | None,
    options: PatchingOptions,
    **more: object,
) -> Patched:
    refuse_twice(patches)
    given = keywords(function, options, "dataset", "log", "base", "result_patch", **more)
    log = sources(patches)
    check_folder(dest, log)
    return _patched(_internal.squash(log, dest, given, reported(progress)))


def _patched(done: Any) -> Patched:
    return Patched._make([*done[:-1], tuple(done[-1])])
