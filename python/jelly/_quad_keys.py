"""``quad_keys``: the keys by which quads are compared."""

from __future__ import annotations

from jelly import _internal
from jelly.types import ArrowArrayExportable, ArrowStreamExportable

__all__ = ["quad_keys"]


def quad_keys(
    rows: ArrowArrayExportable | ArrowStreamExportable, secret: bytes, *, canonical: bool = False
) -> _internal.QuadKeys:
    """The keys by which quads are compared: 16 bytes for each row.

    Two rows have the same key if they are the same quad: the same terms, with language tags in any
    case, and the same graph; a null graph is the default graph, as ``''`` is. A row without subject, predicate and
    object, as a header of a patch is, has a null for a key.

    The key is SipHash-2-4-128 under a secret, so that nobody who does not know the secret can make two
    quads with one key. Keys can be compared if they were made under one secret, by any process and version
    of this library: draw one for each run, ``secrets.token_bytes(16)``.

    Args:
        rows: A record batch, a table or another object of any Arrow library, with the columns
            ``subject``, ``predicate``, ``object`` and ``graph``: canonical N-Triples or structs, as
            the readers give them. Other columns are passed over.
        secret: 16 bytes.
        canonical: Refuse a text that is not the canonical one of its term, such as `"1"^^xsd:string`
            for `"1"`, rather than take it for that term.

    Returns:
        The keys, an Arrow column of type binary: ``pyarrow.array(keys)``.

    Raises:
        EncodeError: A row has some of the terms, but not all.
        TextError: There is no term in the text of a cell, or, with ``canonical``, it is spelled in another way.
        ValueError: The secret has not 16 bytes; a column is missing or holds no strings.
        TypeError: ``rows`` is no object of an Arrow library.
    """
    return _internal.quad_keys(rows, secret, canonical, labels="any", quads=False)
