"""The contents of a source, and whether it follows its specification."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal, Unpack

from jelly import _internal
from jelly._option_table import refuse_unknown, takes
from jelly._option_types import InspectOptions
from jelly.errors import JellyError, WireError

if TYPE_CHECKING:
    from jelly.types import Framing, PatchOptions, RdfOptions, Source

__all__ = ["Advice", "Inspection", "ValidationReport", "inspect", "validate"]

Format = Literal["auto", "jelly", "jelly-patch"]


@dataclass(frozen=True, slots=True)
class Advice:
    """Something that is allowed, but better avoided."""

    kind: str
    """Stable name of the cause; that of the error where ``strict=True`` makes it one."""
    message: str
    """One line for a person."""
    count: int
    """How often."""
    frame: int | None
    """Frame of the first time, from 0, where it is known."""
    seq: int | None
    """Row of the first time, as in the column ``seq``, where it is known."""

    def __str__(self) -> str:
        places = {"frame": self.frame, "seq": self.seq}
        where = [f"{name} {place}" for name, place in places.items() if place is not None]
        times = [f"{self.count} times, first"] if self.count > 1 and where else []
        note = f" ({' '.join([*times, ', '.join(where)])})" if where else ""
        return f"{self.kind}: {self.message}{note}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspection:
    """The contents of a stream, up to its end or its first error."""

    format: Literal["jelly", "jelly-patch"] | None
    """None: the source is empty."""
    compression: Literal["none", "gzip", "zstd", "bzip2", "xz"]
    framing: Framing
    options: RdfOptions | PatchOptions | None
    bytes: int
    """Bytes of the stream, without compression."""
    frames: int
    largest_frame: int
    """Bytes of the largest frame, without its length."""
    largest_row: int
    """Bytes of the largest row."""
    rows: dict[str, int]
    """Rows of each kind that occurs, by the names of the protocol; lookup entries too."""
    metadata_keys: list[str]
    """Keys of frame metadata in order of first appearance, at most 1000."""
    namespaces: dict[str, str]
    """Labels and IRIs, as a reader of all rows knows them at the end."""
    patches: int
    """Patches that ended; 0 in Jelly-RDF."""
    transactions: dict[str, int]
    """``committed``, ``aborted``, ``unfinished`` and ``stray``."""
    error: JellyError | None
    """Why the stream could not be read on; the counts go up to there."""
    advice: list[Advice]
    """What the specification advises against."""

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        values: dict[str, Any] = {}
        for name in self.__dataclass_fields__:
            value = getattr(self, name)
            match name:
                case "options":
                    values[name] = None if value is None else asdict(value)
                case "error":
                    values[name] = None if value is None else {"message": str(value)} | vars(value)
                case "advice":
                    values[name] = [asdict(item) for item in value]
                case _:
                    values[name] = value
        return values

    def __str__(self) -> str:
        names = {"jelly": "Jelly-RDF", "jelly-patch": "Jelly-Patch", None: "nothing"}
        lines = [
            ("format", f"{names[self.format]}, {self.framing}, compression {self.compression}"),
            ("size", f"{self.bytes:,} bytes in {self.frames:,} frames"),
            ("largest", f"frame {self.largest_frame:,} bytes, row {self.largest_row:,} bytes"),
        ]
        if self.options is not None:
            values = asdict(self.options)
            lines.append(
                ("options", ", ".join(f"{name}={value}" for name, value in values.items()))
            )
        lines.append(("rows", _counts(self.rows)))
        if self.format == "jelly-patch":
            lines.append(("patches", f"{self.patches:,}"))
            lines.append(("transactions", _counts(self.transactions)))
        if self.namespaces:
            lines.append(("namespaces", f"{len(self.namespaces):,}: {_few(self.namespaces)}"))
        if self.metadata_keys:
            lines.append(("metadata", _few(self.metadata_keys)))
        lines += [("advice", str(item)) for item in self.advice]
        if self.error is not None:
            lines.append(("error", str(self.error)))
        return "\n".join(f"{name + ':':14}{text}" for name, text in lines)


@dataclass(frozen=True, slots=True)
class ValidationReport:
    """The result of a check; true if the source has no errors."""

    errors: tuple[JellyError, ...]
    """What the specification forbids; the first such thing, since nothing after it can be read."""
    warnings: tuple[Advice, ...]
    """What it advises against."""
    inspection: Inspection
    """What the source holds, up to the error."""

    @property
    def ok(self) -> bool:
        """Whether there are no errors."""
        return not self.errors

    def __bool__(self) -> bool:
        return self.ok

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        values = self.inspection.as_dict()
        error, advice = values.pop("error"), values.pop("advice")
        errors = [] if error is None else [error]
        return {"ok": self.ok, "errors": errors, "warnings": advice, "inspection": values}

    def __str__(self) -> str:
        lines = [f"error: {error}" for error in self.errors]
        lines += [f"warning: {warning}" for warning in self.warnings]
        return "\n".join(["valid" if self.ok else "not valid", *lines])


@takes("inspect")
def inspect(
    source: Source,
    **options: Unpack[InspectOptions],
) -> Inspection:
    """Counts the contents of a source.

    Reads the whole source in bounded memory, and accepts features that the options do not declare.

    Args:
        source: Path, bytes, binary file object or iterable of bytes.
        **options: See ``docs/options.md``.

    Returns:
        The contents of the source. An error in the content is stored in ``error``, not raised.

    Raises:
        OSError: The source cannot be read.
        WireError: The source is neither Jelly-RDF nor Jelly-Patch.
    """
    refuse_unknown("inspect", options, "inspect")
    found = _internal.inspect(source, {**options, "lenient": True})
    return _advised(found)


@takes("inspect")
def validate(
    source: Source,
    **options: Unpack[InspectOptions],
) -> ValidationReport:
    """Checks whether a source follows its specification.

    Args:
        source: Path, bytes, binary file object or iterable of bytes.
        **options: See ``docs/options.md``.

    Returns:
        The report; it is true if there are no errors.

    Raises:
        OSError: The source cannot be read.
    """
    refuse_unknown("validate", options, "inspect")
    try:
        found = _internal.inspect(source, {**options, "lenient": False})
        found = _advised(found)
    except WireError as error:
        found = _unknown(error)
    errors = () if found.error is None else (found.error,)
    return ValidationReport(errors, tuple(found.advice), found)


def _advised(found: Inspection) -> Inspection:
    """Our writers declare what rows may need before they see them; that is no advice to anybody."""
    if found.metadata_keys[-1:] == ["jelly.footer"]:
        found.advice[:] = [item for item in found.advice if item.kind != "options.unused"]
    return found


def _unknown(error: WireError) -> Inspection:
    """Nothing was counted in what is neither format."""
    return Inspection(
        format=None,
        compression="none",
        framing="auto",
        options=None,
        bytes=0,
        frames=0,
        largest_frame=0,
        largest_row=0,
        rows={},
        metadata_keys=[],
        namespaces={},
        patches=0,
        transactions=dict.fromkeys(("committed", "aborted", "unfinished", "stray"), 0),
        error=error,
        advice=[],
    )


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.items()) or "none"


def _few(names: dict[str, str] | list[str]) -> str:
    shown = [name or "(empty)" for name in names][:8]
    return ", ".join(shown + (["..."] if len(names) > len(shown) else []))
