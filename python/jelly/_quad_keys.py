"""``quad_keys``: the keys by which quads are compared."""

from __future__ import annotations

from jelly import _internal
from jelly.types import ArrowArrayExportable, ArrowStreamExportable

__all__ = ["quad_keys"]


def quad_keys(
    rows: ArrowArrayExportable | ArrowStreamExportable, secret: bytes, *, canonical: bool = False
) -> _internal.QuadKeys:
    """The keys by which quads are compared: 16 bytes for each row.

    Two rows have the same key if they are the same quad: the same terms, regardless of the case of language tags, and
    the same graph; a null graph is the default graph, like ``''``. A row without subject, predicate and object, such
    as a header of a patch, has a null key.

    The key is SipHash-2-4-128 with a secret, so nobody who does not know the secret can make two quads with the same
    key. Keys can be compared if they were made with the same secret, by any process and version of this library: make
    a new secret for each run, ``secrets.token_bytes(16)``.

    Args:
        rows: A record batch, a table or another object of any Arrow library, with the columns
            ``subject``, ``predicate``, ``object`` and ``graph``: canonical N-Triples or structs, as
            the readers give them. Other columns are ignored.
        secret: 16 bytes.
        canonical: Reject a text that is not the canonical text of its term, such as `"1"^^xsd:string` for `"1"`,
            instead of reading it as that term.

    Returns:
        The keys, an Arrow column of type binary: ``pyarrow.array(keys)``.

    Raises:
        EncodeError: A row has some of the terms, but not all.
        TextError: The text of a cell is not a term or, with ``canonical``, not the canonical text of a term.
        ValueError: The secret does not have 16 bytes; a column is missing or has no strings.
        TypeError: ``rows`` is not an object of an Arrow library.
    """
    return _internal.quad_keys(rows, secret, canonical, labels="any", quads=False)
