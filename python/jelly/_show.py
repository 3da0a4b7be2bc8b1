"""``jelly.show`` and ``jelly.show_diff``: readable views of changes."""

from __future__ import annotations

import html
import io
import os
from pathlib import Path
from typing import Any, NamedTuple, Unpack

from jelly import _internal
from jelly._option_types import ShowDiffOptions, ShowLogOptions
from jelly._patching import Patches, Report, keywords, refuse_twice, reported, sources
from jelly._whole_file import check_folder
from jelly.types import Destination, Source

_FORMS = {".md": "markdown", ".html": "html", ".htm": "html", ".json": "json"}


class Subjects(NamedTuple):
    """Numbers of subjects.

    Attributes:
        changed: Subjects that are on both sides.
        gone: Subjects that only the old side has.
        new: Subjects that only the new side has.
    """

    changed: int
    gone: int
    new: int


class Shown(NamedTuple):
    """The result of a view. A notebook shows it as a page.

    Attributes:
        added: ``A`` rows with an effect.
        deleted: ``D`` rows with an effect.
        prefixes: Prefixes that changed.
        subjects: Subjects that changed. Without the dataset before the patches, a subject that has only ``A`` rows
            and gets a class counts as new, and one that has only ``D`` rows and loses a class as gone.
        left_out: Subjects that are not shown, because there was no room.
        text: The text; None if it was written to a destination.
        form: ``text``, ``markdown``, ``html`` or ``json``.
        blank_nodes: How blank nodes of two datasets were compared: ``match``, ``content`` or ``labels``; None if
            patches were shown.
    """

    added: int
    deleted: int
    prefixes: int
    subjects: Subjects
    left_out: Subjects
    text: str | None
    form: str
    blank_nodes: str | None = None

    def __str__(self) -> str:
        if self.text is not None:
            return self.text
        changed, gone, new = self.subjects
        return f"+{self.added:,} -{self.deleted:,}; {new:,} subjects new, {gone:,} gone, {changed:,} changed"

    def _repr_html_(self) -> str:
        if self.text is not None and self.form == "html":
            return f"<style>{show_style()}</style>{self.text}"
        return f"<pre>{html.escape(str(self))}</pre>"


def show_style() -> str:
    """The style sheet for the ``<style>`` of a page with HTML fragments of :func:`show`."""
    return _internal.show_style()


def show(
    patches: Patches,
    dest: Destination | None = None,
    base: Source | None = None,
    *,
    from_version: int | str | None = None,
    to_version: int | str | None = None,
    progress: Report | None = None,
    **options: Unpack[ShowLogOptions],
) -> Shown:
    """Shows what patches change: grouped by subject, with blank nodes and lists where they belong.

    The HTML is safe to put into a page: all text of the data is escaped, only IRIs that begin with
    ``http://`` or ``https://`` are links (with ``rel="noopener noreferrer nofollow"``), and there is
    no attribute with other text of the data. With ``fragment=True`` it is one ``<div class="jelly-diff">``
    without style and script, for which :func:`show_style` has the style.

    Rows are kept in a temporary file; a row and its subject take about 250 bytes of memory. If blank nodes of the
    base changed, each of its statements with blank nodes takes 64 bytes more.

    Args:
        patches: As for :func:`apply`.
        dest: Path (``-`` is standard output) or binary file object; None if the result should have the text. A path
            appears
            complete or not at all.
        base: The dataset before the patches. With it, rows without effect are left out, labels and nested blank nodes
            are shown, and new and gone subjects are known.
        from_version: Show the changes after this version of the log; needs ``to_version``. If ``base`` is given, it
            must be the dataset at this version.
        to_version: Show the changes up to this version.
        progress: Called as each phase begins, and from time to time, with a :class:`Step`; an exception stops the work.
        **options: For the view: ``form`` (by the extension of ``dest``: ``.md``, ``.html``, ``.json``, else text),
            ``max_lines``, ``width``, ``colour``, ``label_properties``, ``lang``,
            ``subjects``, ``classes``, ``predicates``, ``summary_only``, ``fragment``, ``old_name``,
            ``new_name``; see ``docs/options.md``. For reading: as for :func:`history`.

    Returns:
        What was shown.

    Raises:
        PatchError: The patches are not valid, or name blank nodes by the content of a base that is not given
            (``patch.base``).
        LimitError: The statements with blank nodes of the base need more memory than
            ``limits.blank_bytes`` allows (``limit.blank_bytes``).
        JellyError: A source has an error.
        OSError: Reading or writing failed.
        ValueError: An option is wrong.
    """
    refuse_twice(patches, base)
    if (from_version is None) != (to_version is None):
        raise ValueError("from_version and to_version can only be used together")
    versions = (
        {} if from_version is None else {"from_version": from_version, "to_version": to_version}
    )
    given = keywords("show", options, "dataset", "log", "base", "show", **versions)
    log = sources(patches)
    form = _form(given, dest)
    out: Any = io.BytesIO() if dest is None else dest
    if dest is not None:
        check_folder(dest, log)
    done = _internal.show(log, out, base, given, reported(progress))
    return _shown(done, dest, out, form, None)


def show_diff(
    old: Source,
    new: Source,
    dest: Destination | None = None,
    *,
    prefixes: bool = True,
    progress: Report | None = None,
    **options: Unpack[ShowDiffOptions],
) -> Shown:
    """Shows what differs between two datasets, like :func:`show`.

    Args:
        old: A dataset, as for :func:`diff`.
        new: Another dataset.
        dest: Path (``-`` is standard output) or binary file object; None if the result should have the text. A path
            appears
            complete or not at all.
        prefixes: Compare prefixes too.
        progress: Called as each phase begins, and from time to time, with a :class:`Step`; an exception stops the work.
        **options: For the view: as for :func:`show`. For reading and ``blank_nodes``: as for :func:`diff`, which also
            describes the memory that this takes.

    Returns:
        What was shown.

    Raises:
        PatchError: A blank node has no stable label, and ``blank_nodes`` is ``labels`` (``patch.labels``).
        LimitError: Matching needs more memory than ``limits.blank_bytes`` allows
            (``limit.blank_bytes``).
        JellyError: A source has an error.
        OSError: Reading or writing failed.
        ValueError: An option is wrong.
    """
    refuse_twice(old, new)
    names = {"old_name": _name(old), "new_name": _name(new)}
    given = keywords("show_diff", options, "dataset", "compare", "show", prefixes=prefixes)
    given = {**names, **given}
    form = _form(given, dest)
    out: Any = io.BytesIO() if dest is None else dest
    if dest is not None:
        check_folder(dest, ())
    done, way, _ = _internal.show_diff(old, new, out, given, reported(progress))
    return _shown(done, dest, out, form, way)


def _name(source: object) -> str:
    """The last part of a path; nothing has no name."""
    if isinstance(source, str | os.PathLike) and os.fspath(source) not in ("-", "/dev/null"):
        return Path(os.fsdecode(source)).name
    return ""


def _form(given: dict[str, Any], dest: object) -> str:
    """The form, put into the options: by the ending of a path, where nobody says it."""
    if given.get("form") is None:
        given["form"] = _FORMS.get(Path(_name(dest)).suffix.lower(), "text")
    form: str = given["form"]
    return form


def _shown(done: Any, dest: object, out: Any, form: str, way: str | None) -> Shown:
    added, deleted, prefixes, subjects, left_out = done
    text = out.getvalue().decode() if dest is None else None
    return Shown(
        added, deleted, prefixes, Subjects(*subjects), Subjects(*left_out), text, form, way
    )
