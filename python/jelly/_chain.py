"""The digest of a chain of patches, by which a log is recognized that was rewritten under its ids."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable


def chained(before: str, patches: Iterable[tuple[str | None, str]]) -> str:
    """The digest of a chain that goes on.

    Args:
        before: The digest of the chain before; empty: there is none.
        patches: Id and digest of each patch, in order.

    Returns:
        SHA-256, as hexadecimal digits.
    """
    for id, digest in patches:
        before = hashlib.sha256(f"{before} {digest} {id}".encode()).hexdigest()
    return before
