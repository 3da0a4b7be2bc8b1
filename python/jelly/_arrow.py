"""What needs pyarrow says so."""

from __future__ import annotations


def require_pyarrow() -> None:
    """Requires pyarrow.

    Raises:
        ImportError: It is not installed.
    """
    try:
        import pyarrow  # noqa: F401
    except ModuleNotFoundError as error:
        raise ImportError("pyarrow is not installed: pip install 'jelly-patch[arrow]'") from error
